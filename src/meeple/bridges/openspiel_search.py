"""OpenSpiel's own tree searches over its own games, for the speed bench: in C++ with rollouts, in Python without.

Each function searches the twin of one of our games from the start and gives the number of simulations.
"""

from __future__ import annotations

from typing import Any

from meeple.bridges.openspiel import Twin
from meeple.errors import PlayerError
from meeple.search.uct import EXPLORATION, MEMORY_MB

UTILITY = (0.0, 0.0)
PUCT_CONSTANT = 1.25


def rollout_search(twin: Twin, simulations: int, seed: int) -> int:
    """UCT in C++, a random game at each new node, proven values backed up."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(twin.peer, evaluator, EXPLORATION, simulations, MEMORY_MB, True, seed, False)
    return int(bot.mcts_search(twin.peer.new_initial_state()).explore_count)


def python_search(twin: Twin, simulations: int) -> int:
    """PUCT in Python over C++ states, every move alike and every value 0."""
    try:
        from open_spiel.python.algorithms import mcts
    except ImportError as error:
        raise PlayerError("OpenSpiel's Python part is not installed; pip install meeple[bridges]") from error

    bot = mcts.MCTSBot(
        twin.peer, PUCT_CONSTANT, simulations, Uniform(), solve=False, child_selection_fn=mcts.SearchNode.puct_value
    )
    return int(bot.mcts_search(twin.peer.new_initial_state()).explore_count)


class Uniform:
    """Knows nothing: OpenSpiel's interface of an evaluator."""

    def evaluate(self, _state: Any) -> tuple[float, float]:
        """Nobody is ahead."""
        return UTILITY

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Every legal action alike."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]
