"""A number that moves with anything a search does: how many nodes fixed searches make, as Stockfish's bench counts."""

from __future__ import annotations

from typing import Literal

from meeple.games.game import Game, Position
from meeple.games.registry import game as load_game
from meeple.search.engine import Engine
from meeple.search.evaluator import Evaluation, Positions, RolloutEvaluator
from meeple.search.settings import Settings
from meeple.search.uct import EXPLORATION, Grower

POSITIONS = (
    ("tictactoe", "b2"),
    ("connect4", "4453"),
    ("hex:6", "c3 d4"),
    ("dots:3", "aA bA Aa"),
    ("othello", "f5d6c3"),
)
UCT_SIMULATIONS, SIMULATIONS = 4000, 400
SEED = 1


def count_nodes() -> int:
    """Nodes of all searches: UCT, PUCT and Gumbel on five positions, always with the same chances."""
    nodes = 0
    for game_name, moves in POSITIONS:
        position = load_game(game_name).read(moves)
        nodes += _uct_nodes(position) + _nodes(position, "puct") + _nodes(position, "gumbel")
    return nodes


def _uct_nodes(position: Position) -> int:
    game = position.game
    grower = Grower(
        game, UCT_SIMULATIONS * game.num_actions, seed=SEED, exploration=EXPLORATION, rollouts=1, is_alternating=False,
        is_proving=True,
    )  # fmt: skip
    grower.start(position)
    grower.grow(UCT_SIMULATIONS)
    return int(grower.tree.num_nodes[0])


def _nodes(position: Position, engine: Literal["puct", "gumbel"]) -> int:
    evaluator = CountingEvaluator(position.game)
    settings = Settings(engine=engine, noise=0.25)
    Engine(position.game, evaluator, settings, seed=SEED).analyse(position, simulations=SIMULATIONS)
    return evaluator.nodes


class CountingEvaluator:
    """Values of random games, and a count of the nodes that a tree gets: every evaluated leaf gets its children."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._rollouts = RolloutEvaluator(game, seed=SEED)
        self.nodes = 1

    def evaluate(self, positions: Positions) -> Evaluation:
        """The results of random games."""
        self.nodes += sum(len(Position(self._game, state).actions) for state in positions.states)
        return self._rollouts.evaluate(positions)
