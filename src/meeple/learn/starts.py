"""Where games of self-play start, each from its number alone: seed, random moves, forced openings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from meeple.games.game import Game, Position
from meeple.learn.forced_openings import Openings, build
from meeple.learn.recipe import Recipe


class Start(NamedTuple):
    """A game that is to be played."""

    number: int
    """Its place in the run."""
    seed: int
    iteration: int
    opening: tuple[int, ...] = ()
    """Actions that nobody chooses."""
    may_resign: bool = False


class Starts:
    """The starts of a run's games."""

    def __init__(
        self, game: Game, recipe: Recipe, folder: Path, *, on_position: Callable[[], object] = lambda: None
    ) -> None:
        """`on_position` hears of every position that is looked at for a database of openings."""
        self._game = game
        self._recipe = recipe
        self._openings = _openings(game, recipe, folder, on_position)

    def of(self, numbers: Sequence[int], iteration: int, *, may_resign: bool) -> Iterator[Start]:
        """The starts of the games with these numbers."""
        for number in numbers:
            yield self._start(number, iteration, may_resign)

    def _start(self, number: int, iteration: int, may_resign: bool) -> Start:
        chance = np.random.default_rng([self._recipe.seed, number])
        seed = int(chance.integers(2**63))
        plays_on = chance.random() < self._recipe.self_play.resign_checked
        opening = self._opening(chance)
        return Start(number, seed, iteration, opening, may_resign and not plays_on)

    def _opening(self, chance: np.random.Generator) -> tuple[int, ...]:
        plan = self._recipe.self_play
        opening = () if self._openings is None else self._openings.draw(chance, plan.opening_plies)
        if plan.random_plies and chance.random() < plan.random_share:
            opening += self._random_moves(opening, int(chance.integers(plan.random_plies + 1)), chance)
        return opening

    def _random_moves(self, opening: Sequence[int], count: int, chance: np.random.Generator) -> tuple[int, ...]:
        """Random moves after an opening, fewer where the game would be over."""
        position, moves = after(self._game, opening), []
        for _ in range(count):
            moves.append(int(chance.choice(position.actions)))
            position = position.play_action(moves[-1])
            if position.result is not None:
                return tuple(moves[:-1])
        return tuple(moves)


def after(game: Game, actions: Sequence[int]) -> Position:
    """The position after some actions."""
    position = game.start()
    for action in actions:
        position = position.play_action(action)
    return position


def _openings(game: Game, recipe: Recipe, folder: Path, on_position: Callable[[], object]) -> Openings | None:
    plan = recipe.self_play
    if not plan.opening_plies:
        return None
    path = Path(plan.openings) if plan.openings else folder / "openings.sqlite"
    if not path.exists() and not plan.openings:
        is_winning = plan.opening_moves == "winning"
        build(game, path, max(plan.opening_plies), winning_only=is_winning, on_position=on_position)
    return Openings(path, game)
