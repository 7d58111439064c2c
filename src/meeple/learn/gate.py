"""The gate: a new network against the one that plays now."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from meeple.games.game import Game
from meeple.learn.recipe import Gate, Recipe
from meeple.learn.selfplay import settings
from meeple.play.match import Match, match
from meeple.play.networks import search_player
from meeple.play.players import Player
from meeple.search.evaluator import Evaluation, Evaluator, Positions
from meeple.search.lookahead import Lookahead


class Verdict(NamedTuple):
    """How a new network did."""

    score: float
    passed: bool


class Watched:
    """An evaluator that tells of every batch before it is evaluated."""

    def __init__(self, evaluator: Evaluator, on_batch: Callable[[], None]) -> None:
        self._evaluator = evaluator
        self._on_batch = on_batch

    def evaluate(self, positions: Positions) -> Evaluation:
        """What the other evaluator says."""
        self._on_batch()
        return self._evaluator.evaluate(positions)


def compare(
    game: Game, recipe: Recipe, new: Evaluator, old: Evaluator, *, seed: int, on_game: Callable[[], None]
) -> Verdict:
    """Play a match of two networks and judge the new one; `on_game` hears of every game."""
    gate = recipe.gate
    found = match(
        _player(game, recipe, new),
        _player(game, recipe, old),
        game,
        num_games(gate),
        seed=seed,
        on_game=lambda played: on_game(),
    )
    return Verdict(found.score, passes(found, gate))


def num_games(gate: Gate) -> int:
    """How many games a match has: pairs, so one more where the recipe's number is odd."""
    return gate.games + gate.games % 2


def passes(found: Match, gate: Gate) -> bool:
    """Whether a match is good enough: so many times the other's wins, or a mean score; a match without wins is not."""
    reached, wanted = found.score, gate.at_least
    if gate.test == "wins":
        reached, wanted = found.both.wins, gate.at_least * found.both.losses
    return found.both.wins > 0 and (reached > wanted if gate.more else reached >= wanted)


def memory_mb(recipe: Recipe) -> int:
    """What the trees of both networks take at the most."""
    is_searching = recipe.gate.test != "none" and recipe.search.engine != "lookahead"
    return 2 * _trees_mb(recipe) if is_searching else 0


def _trees_mb(recipe: Recipe) -> int:
    return max(recipe.limits.memory_mb // 16, 1)


def _player(game: Game, recipe: Recipe, evaluator: Evaluator) -> Player:
    search, gate = recipe.search, recipe.gate
    if search.engine == "lookahead":
        return Lookahead(game, evaluator, search.plies)
    return search_player(
        game,
        evaluator,
        settings(search, _trees_mb(recipe)),
        gate.simulations or search.simulations,
        temperature=1.0,
        temperature_plies=gate.temperature_plies,
    )
