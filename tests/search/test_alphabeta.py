"""Alpha-beta against plain minimax, and what it promises about proofs, limits and memory."""

import math
import threading
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest

import meeple
from meeple.errors import MeepleError
from meeple.games.registry import game
from meeple.search.alphabeta import MoveValue, alphabeta
from meeple.search.transpositions import BUCKET, new_table
from reference.minimax import WIN, minimax, move_values

BREAKTHROUGH = Path(__file__).parents[2] / "examples" / "breakthrough.py"
GAMES = (
    "tictactoe", "mnk:4x3x3", "gomoku:8", "connect4:4x4", "connect4:5x4", "connect4:10x8", "othello:4", "othello:6",
    "othello:10", "hex:3", "hex:3?swap=1", "go:2", "go:3?komi=0.5", "dots:1x2", "dots:2", "dots:2x3", str(BREAKTHROUGH),
)  # fmt: skip
SMALL = ("tictactoe", "connect4:4x4", "othello:4", "hex:3", "hex:3?swap=1", "go:2", "dots:1x2", "dots:2", "dots:1x4")


def random_position(game, chance, most_plies=None):
    """A position where the game goes on, near the end as likely as near the start."""
    line = [game.start()]
    while line[-1].result is None and len(line) <= (most_plies or game.max_plies):
        line.append(line[-1].play(chance.choice(line[-1].moves)))
    return chance.choice(line[:-1])


def depth_that_is_quick(position, most_nodes=1500):
    """As deep as there are about so many lines, if every move leaves the same choice."""
    return min(plies_left(position), max(1, int(math.log(most_nodes, max(2, len(position.moves))))))


def plies_left(position):
    return position.game.max_plies - position.plies


def as_move_value(value, to_move):
    """What alpha-beta says where minimax says that; a win is proven at once, anything else where all was seen."""
    own = value.value if to_move == 0 else -value.value
    if abs(own) > WIN // 2:
        return MoveValue(float(np.sign(own)), True, WIN - abs(own))
    return MoveValue(0.0 if value.is_sure else own / 10_000, value.is_sure, None)


@pytest.mark.parametrize("name", GAMES)
def test_every_move_is_worth_what_minimax_says(name):
    chance, this = Random(name), game(name)
    for _ in range(8):
        position = random_position(this, chance)
        depth = depth_that_is_quick(position)
        expected = move_values(position, depth)
        found = alphabeta(position, depth=depth, table_mb=1, all_moves=True)
        for move, value in expected.items():
            own = as_move_value(value, position.to_move)
            # Bounds may prove that a move draws where minimax looked at lines that do not matter.
            if own.proven or not found.moves[move].proven:
                assert found.moves[move] == own, (name, position.history, depth, move)
        assert list(found.moves) == list(position.moves)
        assert found.move == max(found.moves, key=lambda move: rank(found.moves[move]))


def rank(value):
    """The quickest win first, the slowest loss before the quicker."""
    plies = value.plies or 0
    return value.value, -plies if value.value > 0 else plies


@pytest.mark.parametrize("name", GAMES)
def test_the_best_move_is_the_same_with_and_without_all_values(name):
    chance, this = Random(name), game(name)
    for _ in range(6):
        position = random_position(this, chance)
        depth = depth_that_is_quick(position, 20_000)
        one = alphabeta(position, depth=depth, table_mb=1)
        everything = alphabeta(position, depth=depth, table_mb=1, all_moves=True)
        assert (one.move, one.value, one.proven, one.plies) == everything[:1] + everything[1:4]
        assert one.moves == {}


@pytest.mark.parametrize("name", SMALL)
def test_endings_are_exact(name):
    """To the end of the game, against minimax to the end; the value is proven and its line is played out."""
    chance, this = Random(name), game(name)
    for _ in range(10):
        position = random_position(this, chance)
        while number_of_lines(position) > 4000:
            position = position.play(chance.choice(position.moves))
        if position.result is not None:
            continue
        expected = as_move_value(minimax(position, plies_left(position)), position.to_move)
        found = alphabeta(position, table_mb=1)
        assert (found.value, found.proven, found.plies) == expected
        end = position
        for move in found.line:
            end = end.play(move)
        if found.plies is not None:
            assert len(found.line) == found.plies
            assert end.result == (found.value if position.to_move == 0 else -found.value)


def number_of_lines(position):
    number = 1
    for plies in range(1, plies_left(position) + 1):
        number *= min(plies, len(position.moves))
    return number


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tictactoe", 0), ("mnk:4x3x3", 1), ("mnk:4x4x4", 0), ("connect4:4x4", 0), ("connect4:4x5", 0),
        ("connect4:5x4", 0), ("othello:4", -1), ("hex:2", 1), ("hex:3", 1), ("hex:2?swap=1", -1),
        ("hex:3?swap=1", -1), ("dots:1", -1), ("dots:1x2", 0),
    ],
)  # fmt: skip
def test_published_and_evident_values(name, value):
    found = alphabeta(game(name).start())
    assert (found.value, found.proven) == (value, True)


def test_an_extra_turn_is_no_change_of_sides():
    # The box at hand gives the last move too: 2 of 2 boxes for the player to move.
    position = game("dots:1x2").read("aA aB Aa bA bB")
    found = alphabeta(position)
    assert (found.move, found.value, found.plies) == ("Ab", 1.0, 2)
    assert found.line == ("Ab", "Ac")


def test_the_quickest_win_and_the_slowest_loss():
    assert alphabeta(game("tictactoe").read("a3 a2 b3 b2")).plies == 1
    lost = game("tictactoe").read("a1 a2 b2")
    found = alphabeta(lost, all_moves=True)
    assert (found.move, found.value, found.plies) == ("c3", -1.0, 4)
    assert all(value.plies == 2 for move, value in found.moves.items() if move != "c3")


def test_a_search_repeats_itself():
    position = game("othello").read("f5d6c3d3c4")
    first, second = (alphabeta(position, depth=6, all_moves=True) for _ in range(2))
    assert first._replace(seconds=0) == second._replace(seconds=0)


@pytest.mark.parametrize("table_mb", [1, 2, 64])
def test_the_table_changes_only_the_work(table_mb):
    position = game("connect4").read("4435")
    found = alphabeta(position, depth=9, table_mb=table_mb)
    assert found[:5] == alphabeta(position, depth=9, table_mb=16)[:5]


def test_a_table_full_of_strangers_is_harmless(monkeypatch):
    """Entries of other positions under the very keys, illegal moves included, must at most mislead the value."""
    from meeple.search import alphabeta as module

    real = module.table_key
    monkeypatch.setattr(module, "table_key", lambda state, key: real(state, np.uint64(0)))
    found = alphabeta(game("connect4").start(), depth=5, table_mb=1)
    position = game("connect4").start()
    for move in found.line:
        position = position.play(move)


@pytest.mark.parametrize("megabytes", [1, 3, 64, 100])
def test_the_table_is_as_large_as_it_may_be(megabytes):
    size = new_table(megabytes).nbytes
    assert size <= megabytes << 20 < 2 * size
    assert (size // (8 * BUCKET)).bit_count() == 1


def test_a_time_limit_ends_the_search():
    position = game("gomoku").read("h8")
    alphabeta(position, depth=1)  # compiles
    began = time.perf_counter()
    found = alphabeta(position, time_limit_s=0.2)
    assert time.perf_counter() - began < 2
    assert found.depth >= 1


def test_a_node_limit_repeats_itself():
    position = game("othello").start()
    first, second = (alphabeta(position, node_limit=300_000) for _ in range(2))
    assert first._replace(seconds=0) == second._replace(seconds=0)
    assert first.depth < 60
    assert 300_000 <= first.nodes < 500_000


def test_searches_run_side_by_side():
    positions = [game(name).start() for name in ("connect4", "othello", "dots")]
    expected = [alphabeta(position, depth=7).nodes for position in positions]
    found = {}

    def search(number):
        found[number] = alphabeta(positions[number], depth=7).nodes

    threads = [threading.Thread(target=search, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(3)] == expected


# A change that moves these must say so.
NODES = {("connect4", "4435", 10): 60385, ("othello", "f5d6c3d3c4", 8): 23003, ("dots", "aA bB Cc", 9): 210457}


@pytest.mark.parametrize(("name", "moves", "depth"), NODES)
def test_node_counts(name, moves, depth):
    assert alphabeta(game(name).read(moves), depth=depth).nodes == NODES[name, moves, depth]


def test_equal_moves_by_chance():
    position = game("tictactoe").start()
    assert alphabeta(position).move == "a3"
    seen = {alphabeta(position, chance=Random(seed)).move for seed in range(60)}
    assert seen == set(position.moves)  # all nine draw


def test_a_player_by_chance_follows_its_seed():
    position = game("tictactoe").start()
    player = meeple.player("alphabeta:9?random=1", position.game, seed=3)
    moves = [player.choose(position) for _ in range(8)]
    player.begin(3)
    assert [player.choose(position) for _ in range(8)] == moves
    assert len(set(moves)) > 1


def test_nothing_to_search():
    over = game("tictactoe").read("a1 a2 b1 b2 c1")
    with pytest.raises(MeepleError, match="the game of tictactoe is over"):
        alphabeta(over)
    with pytest.raises(MeepleError, match="at least 1"):
        alphabeta(game("tictactoe").start(), depth=0)
