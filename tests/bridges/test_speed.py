"""Speed beside other systems: what is measured, and what is said where there is nothing to compare with."""

import os
import sys

import pytest

from meeple.bridges import openspiel, pgx, signature, speed
from meeple.errors import MeepleError
from meeple.games.registry import game

SIGNATURE = 100_466


@pytest.fixture
def short_rounds(monkeypatch):
    monkeypatch.setattr(speed, "ROUNDS", 2)
    monkeypatch.setattr(speed, "ROUND_S", 0.02)
    monkeypatch.setattr(speed, "SIMULATIONS", 300)
    monkeypatch.setattr(speed, "THREAD_SIMULATIONS", 3000)
    monkeypatch.setattr(speed, "FEWER_SIMULATIONS", {"mnk:15x15x5": 5})


@pytest.fixture
def no_peers(monkeypatch):
    for package in ("pyspiel", "open_spiel", "jax", "mctx", "pgx"):
        monkeypatch.setitem(sys.modules, package, None)
    openspiel._load.cache_clear()
    speed._mctx.cache_clear()


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("playouts/tictactoe", "games/s"),
        ("rollouts/tictactoe", "rollouts/s"),
        ("rollouts/mnk:15x15x5", "rollouts/s"),
        ("tree/python/connect4", "simulations/s"),
    ],
)
def test_beside_openspiel(short_rounds, name, unit):
    pytest.importorskip("pyspiel")
    (row,) = speed.measure([name])
    assert row.name == name
    assert row.ours > 1000
    assert row.peer > 0
    assert row.ratio == row.ours / row.peer
    assert (row.unit, row.note) == (unit, "")
    assert "OpenSpiel" in row.peer_name


@pytest.mark.parametrize("engine", ["gumbel", "puct"])
def test_beside_mctx(short_rounds, engine):
    pytest.importorskip("mctx")
    pytest.importorskip("pgx")
    (row,) = speed.measure([f"tree/{engine}/connect4"])
    assert row.ratio == row.ours / row.peer
    assert (row.unit, row.note) == ("simulations/s", "")
    assert "mctx" in row.peer_name


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("playouts/tictactoe", "open_spiel is not installed"),
        ("rollouts/tictactoe", "open_spiel is not installed"),
        ("tree/python/connect4", "open_spiel is not installed"),
        ("tree/gumbel/connect4", "jax, mctx and pgx are not all installed"),
        ("tree/puct/connect4", "jax, mctx and pgx are not all installed"),
    ],
)
def test_alone_where_the_peer_is_missing(short_rounds, no_peers, name, missing):
    (row,) = speed.measure([name])
    assert row.ours > 1000
    assert (row.peer, row.ratio) == (None, None)
    assert missing in row.note


def test_two_threads_beside_one(short_rounds):
    (row,) = speed.measure(["threads/connect4"])
    assert row.ratio == row.ours / row.peer
    assert row.peer_name == "one thread"


def test_the_signature_is_as_it_was():
    """A change that moves it changes what a search does: say so, and write the new number here."""
    (row,) = speed.measure(["signature"])
    assert (row.ours, row.unit) == (SIGNATURE, "nodes")
    assert (row.peer, row.ratio) == (None, None)


def test_counted_nodes_are_those_of_the_tree():
    position = game("connect4").read("4453")
    counter = signature.CountingEvaluator(position.game)
    settings = speed.Settings(engine="puct")
    searched = speed.Engine(position.game, counter, settings)
    searched.analyse(position, simulations=100)
    assert counter.nodes == searched._trees.forest.num_nodes[0]


def test_a_group_is_all_its_members(short_rounds, no_peers, monkeypatch):
    monkeypatch.setattr(speed, "PLAYOUT_GAMES", ("tictactoe", "hex:6"))
    assert [row.name for row in speed.measure(["playouts"])] == ["playouts/tictactoe", "playouts/hex:6"]
    monkeypatch.setattr(speed, "PYTHON_GAMES", ("connect4",))
    assert [row.name for row in speed.measure(["tree/python"])] == ["tree/python/connect4"]


def test_everything_unless_something_is_named(monkeypatch):
    monkeypatch.setattr(speed, "_known", lambda: {"one": lambda name: f"{name}'s row", "two": lambda name: name})
    assert list(speed.measure([])) == ["one's row", "two"]


def test_rows_come_in_the_order_asked_for(short_rounds, no_peers):
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
    def adding(numbers):
        def side(games):
            sum(range(numbers * games))
            return 10 * games

        return side

    ours, theirs = speed.rates(adding(100), adding(100_000))
    assert ours > theirs > 0
    assert speed.rates(adding(100), None)[1] is None


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not say where a thread may run")
def test_one_core_only_while_it_lasts():
    before = os.sched_getaffinity(0)
    with pgx.one_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
