"""The player `alphabeta` as a spec: what it takes, what it refuses, and that it plays well."""

import time

import pytest

from meeple.errors import PlayerError
from meeple.games.registry import game
from meeple.play.match import match
from meeple.play.players import player


def test_it_wins_what_can_be_won():
    position = game("connect4").read("1212 1")
    assert player("alphabeta:4", position.game).choose(position) == "1"
    assert player("alphabeta:8?table=1", "tictactoe").choose(game("tictactoe").read("a1 b2 a2")) == "a3"


def test_it_beats_chance_and_never_loses_tictactoe():
    assert match("alphabeta:9?table=1", "random", "tictactoe", 20).both.losses == 0
    assert match("alphabeta:3?table=1", "random", "dots", 10).score >= 0.9


def test_it_always_plays_the_same_unless_by_chance():
    start = game("tictactoe").start()
    assert {player("alphabeta:9?table=1", "tictactoe", seed=seed).choose(start) for seed in range(8)} == {"a3"}
    chances = [player("alphabeta:9?table=1&random=1", "tictactoe", seed=seed).choose(start) for seed in range(8)]
    assert len(set(chances)) > 1
    assert chances == [player("alphabeta:9?table=1&random=1", "tictactoe", seed=s).choose(start) for s in range(8)]


def test_time_alone_is_a_limit():
    start = game("othello").start()
    player("alphabeta:1?table=1", start.game).choose(start)  # compiles
    began = time.perf_counter()
    assert player("alphabeta?time=100ms&table=8", start.game).choose(start) in start.moves
    assert time.perf_counter() - began < 2


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("alphabeta", "needs a number of plies or a time"),
        ("alphabeta:", "needs a number of plies or a time"),
        ("alphabeta:0", "'alphabeta:0': the number of plies is a whole number from 1"),
        ("alphabeta:deep", "the number of plies is"),
        ("alphabeta:3?tame=2s", "no option 'tame'; did you mean time"),
        ("alphabeta:3?time=two", "time is a time such as 2s, 500ms or 1m, not 'two'"),
        ("alphabeta:3?time=0s", "not '0s'"),
        ("alphabeta:3?table=-1", "table is a whole number from 1"),
        ("alphabeta:3?random=yes", "random is 1 or 0"),
    ],
)
def test_what_it_refuses(spec, reason):
    with pytest.raises(PlayerError, match=reason):
        player(spec, "tictactoe")
