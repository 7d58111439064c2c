"""From what a search found out to a move: the best one, or early in a game by chance a good one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from meeple.games.game import Position
from meeple.search.analysis import Analysis, best_candidate

Watch = Callable[[Analysis, str], None]
"""Sees a search and the move that was chosen after it."""


class Temperature(NamedTuple):
    """How much chance has a say, and how long."""

    degree: float = 0.0
    """0 plays the best move, 1 as often as its share of the policy."""
    plies: int = 0
    """Before which ply of a game."""

    def is_warm(self, plies: int) -> bool:
        """Whether chance has a say so many plies into a game."""
        return self.degree > 0 and plies < self.plies


class Chooser:
    """Chooses moves after searches, and lets somebody see both."""

    def __init__(self, temperature: Temperature, seed: int) -> None:
        self._temperature = temperature
        self._chance = np.random.default_rng(seed)
        self._watch: Watch | None = None

    def takes_best(self, position: Position) -> bool:
        """Whether the best move is played, and nobody wants to see why: then no analysis is needed."""
        return self._watch is None and not self._temperature.is_warm(position.plies)

    def watch(self, watch: Watch) -> None:
        """Let somebody see every search and the move that was chosen after it."""
        self._watch = watch

    def begin(self, seed: int) -> None:
        """Draw chances from a seed."""
        self._chance = np.random.default_rng(seed)

    def choose(self, analysis: Analysis, seed: int | None = None) -> str:
        """The move to play; with a seed its chances come from that alone."""
        chance = self._chance if seed is None else np.random.default_rng(seed)
        move = self._pick(analysis, chance)
        if self._watch is not None:
            self._watch(analysis, move)
        return move

    def _pick(self, analysis: Analysis, chance: np.random.Generator) -> str:
        if not self._temperature.is_warm(analysis.position.plies) or analysis.proven is not None:
            return analysis.move
        hopeful = [candidate for candidate in analysis.candidates if candidate.proven != -1 and candidate.policy > 0]
        if not hopeful:
            return best_candidate(analysis.candidates).move
        policy = np.array([candidate.policy for candidate in hopeful])
        weights = (policy / policy.max()) ** (1 / self._temperature.degree)
        return hopeful[int(chance.choice(len(hopeful), p=weights / weights.sum()))].move
