"""The player `alphabeta` as a spec: what it takes, what it refuses, and that it plays well."""

import time

import pytest

from meeple.errors import PlayerError
from meeple.games.registry import game
from meeple.play.match import match
from meeple.play.players import parse, player, seconds


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


@pytest.mark.parametrize(("text", "length"), [("500ms", 0.5), ("2s", 2), ("1.5m", 90), ("1h", 3600)])
def test_lengths_of_time(text, length):
    assert seconds(parse(f"alphabeta:3?time={text}"), "time") == length
    assert seconds(parse("alphabeta:3"), "time") is None


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("alphabeta", "needs a depth or a time"),
        ("alphabeta:", "needs a depth or a time"),
        ("alphabeta:0", "the depth must be a whole number from 1 to 1000, not '0'"),
        ("alphabeta:deep", "not 'deep'"),
        ("alphabeta:3?tame=2s", "no option 'tame'; did you mean time"),
        ("alphabeta:3?time=2", "time must be a time such as 500ms, 2s or 1m, not '2'"),
        ("alphabeta:3?time=0s", "not '0s'"),
        ("alphabeta:3?table=-1", "table must be a whole number"),
        ("alphabeta:3?random=yes", "random must be 0 or 1"),
    ],
)
def test_what_it_refuses(spec, reason):
    with pytest.raises(PlayerError, match=reason):
        player(spec, "tictactoe")
