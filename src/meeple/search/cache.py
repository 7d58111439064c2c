"""An evaluation cache: positions that look the same up to symmetry are evaluated once.

A position's key is the smallest hash of its planes under the symmetries of the game; what is known of it is kept as the
image with that hash has it. The table does not grow: a new position takes the place of an old one.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.games.game import Game
from meeple.kernel import ACTIONS, FLOATS, WORDS, Actions, Planes, Words, jit, mix
from meeple.search.evaluator import Evaluation, Evaluator, Positions

CACHE_MB = 64
STEPS = 65536.0
"""Numbers of the planes that differ by less than one of so many steps are taken for the same."""


class CachedEvaluator:
    """Asks another evaluator only for what it has not asked lately."""

    def __init__(self, game: Game, evaluator: Evaluator, *, memory_mb: float = CACHE_MB) -> None:
        self._evaluator = evaluator
        entry_bytes = 4 * game.num_actions + 4 + 8
        self._size = 1 << max(int(memory_mb * 2**20 / entry_bytes).bit_length() - 1, 4)
        self._keys = np.zeros(self._size, np.uint64)
        self._logits = np.zeros((self._size, game.num_actions), np.float32)
        self._values = np.zeros(self._size, np.float32)
        self._targets = np.concatenate([np.argsort(symmetry.planes) for symmetry in game.symmetries]).astype(np.int32)
        self._actions = np.array([seen_actions(game, symmetry.actions) for symmetry in game.symmetries])
        self.asked = 0
        """How many evaluations were wanted."""
        self.found = 0
        """How many of them were known."""

    @property
    def hit_rate(self) -> float:
        """The share of evaluations that were known."""
        return self.found / self.asked if self.asked else 0.0

    def evaluate(self, positions: Positions) -> Evaluation:
        """What is known, and for the rest what the other evaluator says."""
        count = len(positions.planes)
        keys, images = np.empty(count, np.uint64), np.empty(count, np.int32)
        _find_keys(positions.planes.ravel(), self._targets, keys, images)
        places = (keys % np.uint64(self._size)).astype(np.int64)
        missing = np.flatnonzero(self._keys[places] != keys)
        self.asked += count
        self.found += count - len(missing)
        permutations = self._actions[images]
        logits, values = np.empty((count, self._logits.shape[1]), np.float32), self._values[places]
        np.copyto(logits, np.take_along_axis(self._logits[places], permutations, axis=1))
        if len(missing):
            answer = self._evaluator.evaluate(Positions(positions.states[missing], positions.planes[missing]))
            logits[missing], values[missing] = answer.logits, answer.values
            seen = np.empty_like(answer.logits)
            np.put_along_axis(seen, permutations[missing], answer.logits, axis=1)
            self._keys[places[missing]] = keys[missing]
            self._logits[places[missing]] = seen
            self._values[places[missing]] = answer.values
        return Evaluation(logits, values)

    def begin(self, seed: int) -> None:
        """Forget everything, and let the other evaluator draw its chances from a seed."""
        self.forget()
        tell = getattr(self._evaluator, "begin", None)
        if tell is not None:
            tell(seed)

    def forget(self) -> None:
        """Empty the cache, for another evaluator would say otherwise."""
        self._keys[:] = 0


def seen_actions(game: Game, actions: NDArray[np.int32]) -> NDArray[np.int64]:
    """A permutation of actions as the first player's planes show them."""
    view = game.views[0].astype(np.int64)
    seen = np.empty(len(view), np.int64)
    seen[view] = view[actions]
    return seen


@jit(types.void(FLOATS, ACTIONS, WORDS, ACTIONS))
def _find_keys(planes: Planes, targets: Actions, keys: Words, images: Actions) -> None:
    """For each position the smallest hash over all symmetries, never 0, and which symmetry has it.

    A hash is a sum over the numbers that are not 0, each mixed with its place in the image.
    """
    size = planes.size // keys.size
    for row in range(keys.size):
        best, image = np.uint64(2**64 - 1), 0
        for symmetry in range(targets.size // size):
            found = np.uint64(1)
            for place in range(size):
                number = planes[row * size + place]
                if number:
                    target = np.uint64(targets[symmetry * size + place] + 1)
                    found += mix(np.uint64(np.int64(number * STEPS)) * np.uint64(0x9E3779B97F4A7C15) + target)
            if found < best:
                best, image = found, symmetry
        keys[row], images[row] = max(best, np.uint64(1)), image
