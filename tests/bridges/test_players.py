"""OpenSpiel's search as a player."""

import pytest

import meeple
from meeple.errors import PlayerError

pytest.importorskip("pyspiel")


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "hex:5", "dots:2", "go:5"])
def test_plays_whole_games(name):
    found = meeple.match("openspiel:mcts?sims=30", "random", name, 2, seed=1)
    assert found.both.games == 2


def test_wins_what_can_be_won_at_once():
    position = meeple.game("connect4").read("1212 12")
    assert meeple.player("openspiel:mcts?sims=500", position.game, seed=1).choose(position) == "1"


def test_a_seed_repeats():
    start = meeple.game("hex:5").start()
    chosen = {meeple.player("openspiel:mcts?sims=20", start.game, seed=7).choose(start) for _ in range(3)}
    assert len(chosen) == 1


@pytest.mark.parametrize(
    ("spec", "name", "reason"),
    [
        ("openspiel", "tictactoe", "there is openspiel:mcts"),
        ("openspiel:alphazero", "tictactoe", "there is openspiel:mcts"),
        ("openspiel:mcts?sim=3", "tictactoe", "no option 'sim'; did you mean sims"),
        ("openspiel:mcts", "othello:6", "no twin of othello:6"),
    ],
)
def test_what_it_refuses(spec, name, reason):
    with pytest.raises(PlayerError, match=reason):
        meeple.player(spec, name)
