"""Databases of forced openings: complete, proven, drawn uniformly, and refused where something is wrong."""

import sqlite3
from collections import Counter
from contextlib import closing
from functools import cache

import numpy as np
import pytest
from scipy import stats

import meeple
from meeple.errors import MeepleError, RecordError
from meeple.learn.forced_openings import Openings, build

# Daliri 2022, table 5.4: openings of one, two and three moves on 6x6; on 3x3 they are 9, 9 x 8 and 9 x 8 x 7.
HEX_6 = {1: 36, 2: 1260, 3: 42840}
HEX_3 = {1: 9, 2: 72, 3: 504}


@pytest.fixture(scope="module")
def hex3(tmp_path_factory):
    path = tmp_path_factory.mktemp("openings") / "hex3.openings"
    game = meeple.game("hex:3")
    build(game, path, 3)
    return Openings(path, game)


def histories(path, game):
    """The openings of a file, each as its moves, read without our reader."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT id, parent, move FROM openings ORDER BY id").fetchall()
    known = {None: ()}
    for row, parent, move in rows:
        known[row] = (*known[parent], move)
    del known[None]
    return list(known.values())


@cache
def result(position):
    """The result from the first player's view if both play perfectly: plain minimax."""
    if position.result is not None:
        return position.result
    return (max if position.to_move == 0 else min)(result(position.play(move)) for move in position.moves)


def wins(before, move):
    return result(before.play(move)) == (1 if before.to_move == 0 else -1)


def openings_by_hand(position, plies):
    """All openings in which nobody gives a win away."""
    winning = [move for move in position.moves if wins(position, move)]
    for move in winning or position.moves:
        child = position.play(move)
        if child.result is None and plies:
            yield child.history
            yield from openings_by_hand(child, plies - 1)


@pytest.mark.parametrize(("name", "counts"), [("hex:3", HEX_3), ("hex:6", HEX_6), ("dots:1", {1: 4, 2: 12, 3: 24})])
def test_all_legal_openings(tmp_path, name, counts):
    game, told = meeple.game(name), []
    assert build(game, tmp_path / "all", 3, on_position=lambda: told.append(1)) == counts
    assert Openings(tmp_path / "all", game).counts == counts
    assert len(told) == 1 + counts[1] + counts[2]
    assert len(set(histories(tmp_path / "all", game))) == sum(counts.values())
    assert [path.name for path in tmp_path.iterdir()] == ["all"]


def test_finished_games_are_no_openings(tmp_path):
    game = meeple.game("tictactoe")
    counts = build(game, tmp_path / "all", 9)
    # Sequences of moves less those that ended the game, as counted by many: 1,440, 5,328, 47,952, 72,576, and the last.
    assert counts == {1: 9, 2: 72, 3: 504, 4: 3024, 5: 13680, 6: 49392, 7: 100224, 8: 127872}


@pytest.mark.parametrize(("name", "plies"), [("hex:3", 4), ("tictactoe", 5), ("dots:1", 3), ("connect4:4x4", 2)])
def test_nobody_gives_a_win_away(tmp_path, name, plies):
    game = meeple.game(name)
    build(game, tmp_path / "winning", plies, winning_only=True)
    found = histories(tmp_path / "winning", game)
    assert sorted(found) == sorted(openings_by_hand(game.start(), plies))
    assert Openings(tmp_path / "winning", game).winning_only


def test_a_row_says_who_moved_and_whether_the_move_wins(tmp_path):
    game = meeple.game("hex:3")
    build(game, tmp_path / "winning", 3, winning_only=True)
    with closing(sqlite3.connect(tmp_path / "winning")) as database:
        rows = database.execute("SELECT id, parent, ply, player, move, action, wins FROM openings").fetchall()
    positions = {None: game.start()}
    for row, parent, ply, player, move, action, is_win in rows:
        before = positions[parent]
        assert (ply, player, game.names[action]) == (before.plies + 1, before.to_move, move)
        assert is_win == wins(before, move)
        positions[row] = before.play(move)


def test_nobody_asks_for_wins_among_all_moves(hex3):
    with closing(sqlite3.connect(hex3.path)) as database:
        assert database.execute("SELECT DISTINCT wins FROM openings").fetchall() == [(None,)]
    assert not hex3.winning_only


@pytest.mark.parametrize(("plies", "num_openings"), [((1,), 9), ((2,), 72), ((1, 2), 81), ((1, 3), 513), ((), 585)])
def test_drawn_uniformly(hex3, plies, num_openings):
    chance = np.random.default_rng(5)
    counts = Counter(hex3.draw(chance, plies) for _ in range(num_openings * 20))
    assert {len(actions) for actions in counts} == set(plies or (1, 2, 3))
    assert len(counts) == num_openings
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_the_same_seed_draws_the_same(hex3):
    first, second = ([hex3.draw(np.random.default_rng(seed)) for _ in range(2)] for seed in (7, 7))
    assert first == second
    assert hex3.draw(np.random.default_rng(8)) != first[0]


def test_a_database_takes_the_place_of_an_older_one(tmp_path, hex3):
    path = tmp_path / "old"
    path.write_text("something else")
    (tmp_path / "old.part").write_text("left by a crash")
    build(hex3.game, path, 1)
    assert Openings(path, hex3.game).counts == {1: 9}
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_nothing_is_left_of_an_unfinished_one(tmp_path, hex3):
    def stop():
        raise KeyboardInterrupt

    (tmp_path / "old").write_text("still there")
    with pytest.raises(KeyboardInterrupt):
        build(hex3.game, tmp_path / "old", 2, on_position=stop)
    assert (tmp_path / "old").read_text() == "still there"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_what_cannot_be_proven_is_said(tmp_path):
    with pytest.raises(MeepleError, match=r"cannot prove within 0.01 s which moves of hex:7 win at the start"):
        build(meeple.game("hex:7"), tmp_path / "winning", 1, winning_only=True, time_limit_s=0.01)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("plies", [0, -1])
def test_too_short(tmp_path, hex3, plies):
    with pytest.raises(MeepleError, match=f"at least 1 ply, not {plies}"):
        build(hex3.game, tmp_path / "none", plies)


def test_too_many(tmp_path, hex3, monkeypatch):
    monkeypatch.setattr("meeple.learn.forced_openings.MAX_OPENINGS", 100)
    with pytest.raises(MeepleError, match="hex:3 has more than 100 openings: take fewer plies"):
        build(hex3.game, tmp_path / "many", 3)


def test_nowhere_to_write(tmp_path, hex3):
    with pytest.raises(RecordError, match="cannot write"):
        build(hex3.game, tmp_path / "no" / "folder", 1)


def test_lengths_that_are_not_there(hex3):
    with pytest.raises(MeepleError, match="no openings of 4 plies, only of 1, 2, 3"):
        hex3.draw(np.random.default_rng(1), (1, 4))


def test_another_game(hex3):
    with pytest.raises(RecordError, match=r"openings of 'hex:3', not of hex:4$"):
        Openings(hex3.path, meeple.game("hex:4"))


def test_no_file(tmp_path, hex3):
    with pytest.raises(RecordError, match=r"cannot read .*missing: there is no such file"):
        Openings(tmp_path / "missing", hex3.game)


DAMAGE = {
    "another format": (
        "UPDATE about SET value = 'meeple-openings/9' WHERE name = 'format'",
        "'meeple-openings/9', not",
    ),
    "no format": ("DELETE FROM about", "the format 'None'"),
    "no rows": ("DELETE FROM openings", "there are no openings"),
    "a row is missing": ("DELETE FROM openings WHERE id = 40", "rows are missing"),
    "a parent that comes later": ("UPDATE openings SET parent = 500 WHERE id = 40", "rows are missing"),
    "a grandparent": ("UPDATE openings SET parent = 3 WHERE id = 400", "does not follow"),
    "an action beyond the board": ("UPDATE openings SET action = 9 WHERE id = 40", "none of the game's"),
    "no table": ("DROP TABLE openings", "no such table: openings"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_database(tmp_path, hex3, damage):
    statement, message = DAMAGE[damage]
    path = tmp_path / "copy"
    path.write_bytes(hex3.path.read_bytes())
    with closing(sqlite3.connect(path)) as database:
        database.execute(statement)
        database.commit()
    with pytest.raises(RecordError, match=message):
        Openings(path, hex3.game)


def test_an_illegal_opening_is_found_when_it_is_drawn(tmp_path, hex3):
    path = tmp_path / "copy"
    path.write_bytes(hex3.path.read_bytes())
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE openings SET action = 0")
        database.commit()
    with pytest.raises(RecordError, match=r"damaged: a[13] is illegal after 1 ply"):
        Openings(path, hex3.game).draw(np.random.default_rng(1), (2,))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9])
def test_a_torn_file(tmp_path, hex3, share):
    content = hex3.path.read_bytes()
    (tmp_path / "torn").write_bytes(content[: int(len(content) * share)])
    with pytest.raises(RecordError, match="not a database of openings, or damaged"):
        Openings(tmp_path / "torn", hex3.game)


def test_no_database(tmp_path, hex3):
    (tmp_path / "text").write_text("a1 b2\n" * 1000)
    with pytest.raises(RecordError, match="not a database of openings, or damaged: file is not a database"):
        Openings(tmp_path / "text", hex3.game)
