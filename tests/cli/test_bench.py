"""`meeple bench`."""

import json

import pytest

from meeple.bridges import speed


@pytest.fixture(autouse=True)
def short_rounds(monkeypatch):
    monkeypatch.setattr(speed, "ROUNDS", 1)
    monkeypatch.setattr(speed, "ROUND_S", 0.01)


def test_as_json(meeple):
    code, out, err = meeple("bench", "playouts/tictactoe", "playouts/hex:6", "--json")
    found = json.loads(out)
    assert (code, out.count("\n")) == (0, 1)
    assert [row["name"] for row in found] == ["playouts/tictactoe", "playouts/hex:6"]
    assert all({"name", "ours", "peer", "ratio", "unit"} <= row.keys() for row in found)
    assert all(row["ours"] > 0 for row in found)
    assert [line.partition(":")[0] for line in err.splitlines()] == ["playouts/tictactoe", "playouts/hex"]


def test_as_a_table(meeple):
    code, out, err = meeple("bench", "playouts/tictactoe")
    head, row = out.splitlines()
    assert code == 0
    assert head.split()[:5] == ["name", "ours", "peer", "ratio", "unit"]
    assert row.split()[0] == "playouts/tictactoe"
    assert "games/s" in row
    assert "playouts/tictactoe" in err
