"""Speed beside other systems: what is measured, and what is said where there is nothing to compare with."""

import sys

import pytest

from meeple.bridges import openspiel, speed
from meeple.errors import MeepleError


@pytest.fixture
def short_rounds(monkeypatch):
    monkeypatch.setattr(speed, "ROUNDS", 2)
    monkeypatch.setattr(speed, "ROUND_S", 0.02)


@pytest.fixture
def no_pyspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    openspiel._load.cache_clear()


def test_beside_openspiel(short_rounds):
    pytest.importorskip("pyspiel")
    (row,) = speed.measure(["playouts/tictactoe"])
    assert row.name == "playouts/tictactoe"
    assert row.ours > 1000
    assert row.peer > 0
    assert row.ratio == row.ours / row.peer
    assert (row.unit, row.note) == ("games/s", "")
    assert "OpenSpiel" in row.peer_name


def test_alone_where_openspiel_is_missing(short_rounds, no_pyspiel):
    (row,) = speed.measure(["playouts/tictactoe"])
    assert row.ours > 1000
    assert (row.peer, row.ratio) == (None, None)
    assert "open_spiel is not installed" in row.note


def test_a_group_is_all_its_members(short_rounds, no_pyspiel, monkeypatch):
    monkeypatch.setattr(speed, "PLAYOUT_GAMES", ("tictactoe", "hex:6"))
    assert [row.name for row in speed.measure(["playouts"])] == ["playouts/tictactoe", "playouts/hex:6"]


def test_rows_come_in_the_order_asked_for(short_rounds, no_pyspiel):
    names = ["playouts/hex:6", "playouts/tictactoe"]
    assert [row.name for row in speed.measure(names)] == names


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("playout", "did you mean playouts"),
        ("playouts/conect4", "did you mean playouts/connect4"),
        ("playouts/", "'playouts/'"),
        ("zzz", "'zzz'"),
    ],
)
def test_an_unknown_name_is_refused_before_anything_is_measured(name, hint):
    with pytest.raises(MeepleError, match=f"nothing to measure is called.*{hint}"):
        next(speed.measure(["playouts/tictactoe", name]))


def test_rates_are_those_of_each_side(short_rounds):
    ours, theirs = speed.rates(lambda games: sum(range(100 * games)), lambda games: sum(range(100_000 * games)))
    assert ours > theirs > 0
    assert speed.rates(lambda games: sum(range(100 * games)), None)[1] is None
