"""An evaluation cache: positions that look the same up to symmetry are evaluated once.

A position's key is the smallest hash of its planes under the symmetries of the game. The image with that hash is what
is evaluated and kept, so an answer depends neither on what was asked before nor on which image came first. The table
does not grow: a new position takes the place of an old one.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.games.game import Game
from meeple.kernel import ACTIONS, FLOATS, WORDS, Actions, Int, Planes, Words, borrow, copy, jit, mix
from meeple.search.evaluator import Evaluation, Evaluator, Positions

CACHE_MB = 64
STEPS = 65536.0
"""Numbers of the planes that differ by less than one of so many steps are taken for the same."""


class Table(NamedTuple):
    """What is known, one row a place, and how symmetries act."""

    keys: NDArray[np.uint64]
    """0 where the place is free."""
    logits: NDArray[np.float32]
    """Of the image with the smallest hash."""
    values: NDArray[np.float32]
    targets: NDArray[np.int32]
    """For each symmetry where every number of the planes goes."""
    actions: NDArray[np.int32]
    """For each symmetry where every action goes, as networks see them."""


class CachedEvaluator:
    """Asks another evaluator only for what it has not asked lately; usable from several threads."""

    def __init__(self, game: Game, evaluator: Evaluator, *, memory_mb: float = CACHE_MB) -> None:
        self._evaluator = evaluator
        self._game = game
        entry_bytes = 4 * game.num_actions + 4 + 8
        size = 1 << max(int(memory_mb * 2**20 / entry_bytes).bit_length() - 1, 4)
        self._table = Table(
            np.zeros(size, np.uint64),
            np.zeros(size * game.num_actions, np.float32),
            np.zeros(size, np.float32),
            np.concatenate([np.argsort(symmetry.planes) for symmetry in game.symmetries]).astype(np.int32),
            np.concatenate([seen_actions(game, symmetry.actions) for symmetry in game.symmetries]).astype(np.int32),
        )
        self._lock = threading.Lock()
        self.asked = 0
        """How many evaluations were wanted."""
        self.found = 0
        """How many of them were known."""

    def evaluate(self, positions: Positions) -> Evaluation:
        """What is known, and for the rest what the other evaluator says."""
        count = len(positions.planes)
        keys, images = np.empty(count, np.uint64), np.empty(count, np.int32)
        logits, values = np.empty((count, self._game.num_actions), np.float32), np.empty(count, np.float32)
        asked = np.empty(count, np.int32)
        planes = np.ascontiguousarray(positions.planes).ravel()
        _find_keys(planes, self._table.targets, keys, images)
        with self._lock:
            missing = _look_up(self._table, keys, images, logits.ravel(), values, asked)
            self.asked += count
            self.found += count - missing
        if missing:
            rows = asked[:missing]
            seen = np.empty((missing, *self._game.shape), np.float32)
            _turn(self._table, planes, rows, images, seen.ravel())
            answer = self._evaluator.evaluate(Positions(positions.states[rows], seen))
            with self._lock:
                _store(self._table, keys, rows, answer.logits.ravel(), answer.values)
            _answer(self._table, keys, images, rows, answer.logits.ravel(), answer.values, logits.ravel(), values)
        return Evaluation(logits, values)

    def begin(self, seed: int) -> None:
        """Let the other evaluator draw its chances from a seed, if it has any; what is known of it holds no longer."""
        tell = getattr(self._evaluator, "begin", None)
        if tell is not None:
            self.forget()
            tell(seed)

    def replace(self, evaluator: Evaluator) -> None:
        """Ask another evaluator from now on; what is known of the old one is forgotten, the counts go on.

        Nobody else may ask meanwhile, or answers of the old one would be kept.
        """
        self._evaluator = evaluator
        self.forget()

    def forget(self) -> None:
        """Empty the cache, for another evaluator would say otherwise."""
        self._table.keys[:] = 0


def seen_actions(game: Game, actions: NDArray[np.int32]) -> NDArray[np.int64]:
    """A permutation of actions as the first player's planes show them."""
    view = game.views[0].astype(np.int64)
    seen = np.empty(len(view), np.int64)
    seen[view] = view[actions]
    return seen


def _table_type() -> types.Type:
    words, planes, actions = np.zeros(1, np.uint64), np.zeros(1, np.float32), np.zeros(1, np.int32)
    return numba.typeof(Table(words, planes, planes, actions, actions))


TABLE = _table_type()


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


@jit(forceinline=True)
def _place(table: Table, key: Words) -> Int:
    return np.int64(key % np.uint64(table.keys.size))


@jit(forceinline=True)
def _turn_back(table: Table, source: Planes, image: Int, logits: Planes) -> None:
    """The logits of a position from those of its image."""
    permutation = borrow(table.actions, image * logits.size, logits.size)
    for index in range(logits.size):
        logits[index] = source[permutation[index]]


@jit(types.int64(TABLE, WORDS, ACTIONS, FLOATS, FLOATS, ACTIONS))
def _look_up(table: Table, keys: Words, images: Actions, logits: Planes, values: Planes, asked: Actions) -> Int:
    """Fill in what is known and list the rows to ask for, one for each key that is not; how many."""
    num_actions = logits.size // keys.size
    missing = 0
    for row in range(keys.size):
        place = _place(table, keys[row])
        if table.keys[place] == keys[row]:
            known = borrow(table.logits, place * num_actions, num_actions)
            _turn_back(table, known, np.int64(images[row]), borrow(logits, row * num_actions, num_actions))
            values[row] = table.values[place]
            continue
        values[row] = np.nan
        is_listed = False
        for index in range(missing):
            is_listed = is_listed or keys[asked[index]] == keys[row]
        if not is_listed:
            asked[missing] = row
            missing += 1
    return missing


@jit(types.void(TABLE, FLOATS, ACTIONS, ACTIONS, FLOATS))
def _turn(table: Table, planes: Planes, rows: Actions, images: Actions, seen: Planes) -> None:
    """The images with the smallest hashes."""
    size = seen.size // rows.size
    for index in range(rows.size):
        row = np.int64(rows[index])
        targets = borrow(table.targets, np.int64(images[row]) * size, size)
        for place in range(size):
            seen[index * size + targets[place]] = planes[row * size + place]


@jit(types.void(TABLE, WORDS, ACTIONS, FLOATS, FLOATS))
def _store(table: Table, keys: Words, rows: Actions, logits: Planes, values: Planes) -> None:
    """Keep what was asked for."""
    num_actions = logits.size // rows.size
    for index in range(rows.size):
        place = _place(table, keys[rows[index]])
        table.keys[place] = keys[rows[index]]
        table.values[place] = values[index]
        copy(table.logits, place * num_actions, logits, index * num_actions, num_actions)


@jit(types.void(TABLE, WORDS, ACTIONS, ACTIONS, FLOATS, FLOATS, FLOATS, FLOATS))
def _answer(
    table: Table, keys: Words, images: Actions, rows: Actions, found_logits: Planes, found_values: Planes,
    logits: Planes, values: Planes,
) -> None:  # fmt: skip
    """Fill in what was asked for, in every row with its key."""
    num_actions = found_logits.size // rows.size
    for row in range(keys.size):
        if not np.isnan(values[row]):
            continue
        for index in range(rows.size):
            if keys[rows[index]] == keys[row]:
                known = borrow(found_logits, index * num_actions, num_actions)
                _turn_back(table, known, np.int64(images[row]), borrow(logits, row * num_actions, num_actions))
                values[row] = found_values[index]
                break
