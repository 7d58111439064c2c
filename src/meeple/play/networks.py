"""Players with a network: a search over its evaluations, or its policy alone."""

from __future__ import annotations

from dataclasses import replace

from meeple.games.game import Game
from meeple.play.engines import BatchSearchPlayer
from meeple.search.engine import Engine
from meeple.search.evaluator import Evaluator
from meeple.search.settings import Settings


def search_player(
    game: Game,
    evaluator: Evaluator,
    settings: Settings,
    simulations: int,
    *,
    seed: int = 0,
    temperature: float = 0.0,
    temperature_plies: int = 0,
) -> BatchSearchPlayer:
    """A player that searches with an evaluator; it plays the best move unless early in a game by temperature."""
    considered = min(settings.max_considered, game.num_actions)
    settings = replace(settings, max_considered=considered)

    def new_engine(trees: int) -> Engine:
        return Engine(game, evaluator, settings, trees=trees, seed=seed)

    return BatchSearchPlayer(
        new_engine, simulations, seed=seed, temperature=temperature, temperature_plies=temperature_plies
    )
