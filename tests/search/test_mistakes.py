"""What engines refuse, and that they survive an evaluator that fails."""

import numpy as np
import pytest

import meeple
from meeple.errors import PlayerError
from meeple.search.engine import Engine
from meeple.search.evaluator import FunctionEvaluator
from meeple.search.settings import Settings


@pytest.mark.parametrize("spec", ["mcts:10", "puct:10", "gumbel:8", "puct:10?evaluator=rollout"])
def test_a_position_of_another_game_is_refused(spec):
    player = meeple.player(spec, "tictactoe")
    with pytest.raises(PlayerError, match="a player of tictactoe was asked about a position of gomoku:15"):
        player.choose(meeple.game("gomoku:15").start())


@pytest.mark.parametrize("seed", [-1, 2**63 - 1, 2**64])
@pytest.mark.parametrize("threads", [3, 8])
def test_any_seed_and_number_of_threads(seed, threads):
    player = meeple.player(f"mcts:100?threads={threads}&memory=16", "connect4", seed=seed)
    assert player.choose(meeple.game("connect4").start()) in "1234567"


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_after_an_evaluator_has_failed_the_next_search_is_whole(kind):
    game = meeple.game("connect4")
    calls = []

    def function(planes):
        calls.append(len(planes))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return np.zeros((len(planes), game.num_actions)), np.zeros(len(planes))

    engine = Engine(game, FunctionEvaluator(game, function), Settings(engine=kind))
    with pytest.raises(KeyboardInterrupt):
        engine.analyse(game.start(), simulations=50)
    assert sum(engine.analyse(game.start(), simulations=50).visits.values()) == 50
