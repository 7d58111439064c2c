"""Games in files, and games played again."""

import contextlib
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

import meeple
from meeple.errors import PlayerError, RecordError
from meeple.play import records
from meeple.play.players import MAKERS
from meeple.play.records import Record, Writer
from meeple.play.replay import replay

GAME = Record(game="tictactoe", players=("random", "random"), moves=("b2", "a1"), result=None, seed=5)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
some_records = st.builds(
    Record,
    game=texts,
    players=st.tuples(texts, texts),
    moves=st.lists(texts, max_size=6).map(tuple),
    result=st.sampled_from([None, -1, 0, 1]),
    opening_plies=st.just(0),
    seed=st.none() | st.integers(0, 2**63 - 1),
    time=st.none() | texts,
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "games.jsonl"


def fields(**changes):
    return json.dumps({**json.loads(GAME.line()), **changes})


@given(some_records)
def test_a_record_comes_back_from_its_line(record):
    assert records.parse(record.line(), "here") == record
    assert "\n" not in record.line()


@given(st.text() | st.binary())
def test_garbage_is_refused(line):
    with pytest.raises(RecordError, match=r"^here: [^\n]*$"):
        records.parse(line, "here")


@given(st.sampled_from(["game", "players", "moves", "result", "opening_plies", "seed", "time", "format"]), values)
def test_wrong_fields_are_refused_in_one_line(name, value):
    with contextlib.suppress(RecordError):
        records.parse(fields(**{name: value}), "here").line()
    with pytest.raises(RecordError, match=r"^here: [^\n]*$"):
        records.parse(fields(**{name: {"no": value}}), "here")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("[" * 100_000, "not a line of JSON"),
        ("1" * 5000, "not a line of JSON"),
        ("[]", "no format 'meeple-record/1'"),
        (fields(format="meeple-record/2"), "this version reads meeple-record/1"),
        (fields(moves="b2"), "moves must be a list of moves"),
        (fields(players=["one"]), "players must be two texts, not a list"),
        (fields(result=2), "result must be 1, 0, -1 or null, not '2'"),
        (fields(result=True), "result must be"),
        (fields(seed=2**63), "seed must be 0 to"),
        (fields(opening_plies=3), "opening_plies is 3, but there are 2 moves"),
        ('{"format": "meeple-record/1"}', "there is no result"),
    ],
)
def test_what_is_wrong_with_a_line(line, fault):
    with pytest.raises(RecordError, match=fault):
        records.parse(line, "here")


def test_fields_of_later_versions_are_ignored():
    assert records.parse(fields(opening="Swedish"), "here") == GAME


def test_appends(file):
    for _ in range(2):
        with Writer(file) as writer:
            writer.add(GAME)
            assert file.read_bytes().endswith(b"\n")
    found = list(records.read(file))
    assert [record.where for record in found] == [f"{file}:1", f"{file}:2"]
    assert all(record.time and record.moves == GAME.moves for record in found)


def test_a_last_line_that_was_cut_off_is_left_out(file, caplog):
    line = GAME.line().encode() + b"\n"
    for length in range(1, len(line) - 2):
        file.write_bytes(line + line[:length])
        caplog.clear()
        assert len(list(records.read(file))) == 1
        assert "games.jsonl:2: the last game was cut off" in caplog.text
    file.write_bytes(line + line[:-1])
    assert len(list(records.read(file))) == 2


def test_a_writer_goes_on_after_the_last_whole_line(file, caplog):
    caplog.set_level(logging.ERROR)
    line = GAME.line().encode() + b"\n"
    for length in range(1, len(line) + 1):
        file.write_bytes(line + line[:length])
        with Writer(file) as writer:
            writer.add(GAME)
        assert len(list(records.read(file))) == 2 + (length >= len(line) - 1)


@pytest.mark.parametrize("content", [b"dear diary", b"dear diary\n", b"{}\n", b"\xff\xfe", b"[1]\n" + b"{"])
def test_a_writer_leaves_other_files_alone(file, content):
    file.write_bytes(content)
    with pytest.raises(RecordError):
        Writer(file)
    assert file.read_bytes() == content


def test_garbage_between_records_is_refused_with_its_line(file):
    file.write_text(f"{GAME.line()}\n\nnonsense\n{GAME.line()}\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"games\.jsonl:3: not a line of JSON"):
        list(records.read(file))


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(RecordError, match="cannot read"):
        list(records.read(tmp_path / "nothing"))
    with pytest.raises(RecordError, match="cannot write"):
        Writer(tmp_path / "nowhere" / "games.jsonl")


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (Record(game="tictactoe", players=("a", "b"), moves=("b2", "b2"), result=1), "b2 is illegal"),
        (Record(game="tictactoe", players=("a", "b"), moves=("z9",), result=1), "'z9' is not a move"),
        (
            Record(game="tictactoe", players=("a", "b"), moves=("a1", "b1", "a2", "b2", "a3"), result=-1),
            "the moves end with result 1, not -1",
        ),
        (Record(game="tiktaktoe", players=("a", "b"), moves=(), result=None), "a game of your own must be given"),
    ],
)
def test_games_that_cannot_be(record, fault):
    with pytest.raises(RecordError, match=fault):
        record.end(record.load_game())


@pytest.mark.parametrize("name", ["mine.py", "./mine.py", "C:\\mine.py", "folder/game", "mine.py "])
def test_a_file_of_games_does_not_choose_what_code_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("raise AssertionError", encoding="utf-8")
    with pytest.raises(RecordError, match="is not the name of a game"):
        Record(game=name, players=("a", "b"), moves=(), result=None).load_game()


@pytest.mark.parametrize("name", ["tictactoe", "dots:2", "hex:4?swap=1", "othello:6", "go:3"])
def test_a_match_can_be_played_again(name, file):
    found = meeple.match("random", "random", name, 10, opening_plies=1, seed=8, save=file)
    saved = list(records.read(file))
    game = meeple.game(name)
    assert [record.moves for record in saved] == [played.end.history for played in found.games]
    assert [record.end(game).result for record in saved] == [played.end.result for played in found.games]
    for record in saved:
        assert record.opening(game).plies == record.opening_plies == 1
        assert replay(record, game).history == record.moves


class Batched:
    def choose(self, position):
        raise AssertionError("it is asked in batches")

    def choose_many(self, positions, seeds):
        return [position.moves[seed % len(position.moves)] for position, seed in zip(positions, seeds, strict=True)]


def test_a_match_of_many_games_at_once_can_be_played_again(file, monkeypatch):
    monkeypatch.setitem(MAKERS, "batched", lambda spec, game, seed: Batched())
    meeple.match("batched", "random", "tictactoe", 20, seed=8, save=file)
    for record in records.read(file):
        assert set(record.players) == {"batched", "random"}
        assert replay(record, record.load_game()).history == record.moves


@pytest.mark.parametrize(
    ("players", "seed", "fault"),
    [
        (("random", "Batched"), 1, "no player is called 'Batched'"),
        (("random", "random"), None, "the game has no seed"),
        (("gtp:rm", "random"), 1, "'gtp:rm' is another program"),
        (("random", "human"), 1, "'human' is a person"),
    ],
)
def test_players_that_cannot_be_made_again(players, seed, fault, monkeypatch):
    for kind in ("gtp", "human"):
        monkeypatch.setitem(MAKERS, kind, lambda spec, game, seed: pytest.fail("it was made"))
    record = Record(game="tictactoe", players=players, moves=("b2",), result=None, seed=seed)
    with pytest.raises(PlayerError, match=fault):
        replay(record, record.load_game())
