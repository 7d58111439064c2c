"""`meeple perft`."""

import json

import pytest

# Sequences: 9!/(9-n)! less those that go on after a win; positions: counted by hand many times over, 5478 in all.
TICTACTOE_PATHS = (1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872)
TICTACTOE_POSITIONS = (1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78)


@pytest.mark.parametrize("depth", range(10))
def test_as_json(meeple, depth):
    code, out, err = meeple("perft", "tictactoe", str(depth), "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert found["paths"] == TICTACTOE_PATHS[depth]
    assert found["positions"] == TICTACTOE_POSITIONS[depth]
    assert found["seconds"] >= 0


def test_a_line_for_every_depth(meeple):
    code, out, err = meeple("perft", "tictactoe", "9")
    rows = [line.replace(",", "").split() for line in out.splitlines()[1:]]
    assert (code, err) == (0, "")
    assert [int(row[0]) for row in rows] == list(range(10))
    assert [int(row[1]) for row in rows] == list(TICTACTOE_PATHS)
    assert [int(row[3]) for row in rows] == list(TICTACTOE_POSITIONS)


def test_nothing_is_deeper_than_the_game(meeple):
    assert json.loads(meeple("perft", "tictactoe", "12", "--json").out)["paths"] == 0


def test_too_deep_for_memory_is_refused(meeple, monkeypatch):
    monkeypatch.setattr("meeple.games.perft.MAX_WORDS", 10_000)
    code, out, err = meeple("perft", "gomoku:9", "30", "--json")
    assert (code, out) == (2, "")
    assert err.startswith("error: gomoku:9 has too many positions")
