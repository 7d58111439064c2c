"""Evaluators: what a position promises, before any search. They answer for a batch of positions at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numba import types
from numpy.typing import ArrayLike, NDArray

from meeple.errors import PlayerError
from meeple.games.game import Game
from meeple.games.rules import FIRST_WON, RESULT, SECOND_WON, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    FLOATS,
    WORDS,
    Actions,
    Int,
    Planes,
    Words,
    as_moves,
    as_play,
    borrow,
    copy,
    hash_words,
    jit,
    mix,
)
from meeple.search.playouts import play_out


class Positions(NamedTuple):
    """A batch of positions, one row each."""

    states: NDArray[np.uint64]
    planes: NDArray[np.float32]
    """What a network sees: rows of planes, rows and columns."""


class Evaluation(NamedTuple):
    """What positions promise."""

    logits: NDArray[np.float32]
    """Of each action as the player to move sees the board: see `views` of the game."""
    values: NDArray[np.float32]
    """For the player to move, -1 to 1."""


class Evaluator(Protocol):
    """Anything that evaluates batches."""

    def evaluate(self, positions: Positions) -> Evaluation:
        """What the positions promise."""
        ...


class UniformEvaluator:
    """Knows nothing: every move alike, every value 0. Searches take a short cut around it."""

    def __init__(self, game: Game) -> None:
        self._num_actions = game.num_actions

    def evaluate(self, positions: Positions) -> Evaluation:
        """Zeros."""
        count = len(positions.states)
        return Evaluation(np.zeros((count, self._num_actions), np.float32), np.zeros(count, np.float32))


class RolloutEvaluator:
    """Every move alike; the value is the mean result of random games.

    A position's games come from its state and the seed alone, so it does not matter what is evaluated beside it.
    """

    def __init__(self, game: Game, *, rollouts: int = 1, seed: int = 0) -> None:
        self._game = game
        self._rollouts = rollouts
        self._seed = seed
        self._generator = np.zeros(1, np.uint64)
        self._state = np.empty(game.num_words, np.uint64)
        self._actions = np.empty(game.num_actions, np.int32)

    def begin(self, seed: int) -> None:
        """Draw chances from a seed."""
        self._seed = seed

    def evaluate(self, positions: Positions) -> Evaluation:
        """The means of random games."""
        count = len(positions.states)
        values, rules = np.empty(count, np.float32), self._game.addresses
        _mean_results(
            rules.moves, rules.play, self._game.is_filling, positions.states.ravel(), self._state, self._actions,
            self._generator, self._seed, self._rollouts, values,
        )  # fmt: skip
        return Evaluation(np.zeros((count, self._game.num_actions), np.float32), values)


class FunctionEvaluator:
    """A plain Python function of planes `[n, planes, rows, columns]` to logits `[n, actions]` and values `[n]`."""

    def __init__(self, game: Game, function: Callable[[NDArray[np.float32]], tuple[ArrayLike, ArrayLike]]) -> None:
        self._game = game
        self._function = function

    def evaluate(self, positions: Positions) -> Evaluation:
        """What the function says; PlayerError where its arrays have other shapes or are not finite."""
        count = len(positions.states)
        logits, values = (np.asarray(part, np.float32) for part in self._function(positions.planes))
        expected = (count, self._game.num_actions), (count,)
        if (logits.shape, values.shape) != expected:
            raise PlayerError(f"the evaluator gave arrays of shape {logits.shape} and {values.shape}, not {expected}")
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise PlayerError("the evaluator gave numbers that are not finite")
        return Evaluation(logits, values)


@jit(
    types.void(types.int64, types.int64, types.boolean, WORDS, WORDS, ACTIONS, WORDS, types.int64, types.int64, FLOATS)
)
def _mean_results(
    moves_address: Int,
    play_address: Int,
    is_filling: bool,
    states: Words,
    state: Words,
    actions: Actions,
    generator: Words,
    seed: Int,
    rollouts: Int,
    values: Planes,
) -> None:
    """For each state the mean result of random games for its player to move."""
    moves, play = as_moves(moves_address), as_play(play_address)
    for row in range(values.size):
        start = borrow(states, row * state.size, state.size)
        generator[0] = mix(hash_words(start, 0) ^ np.uint64(seed))
        points = 0
        for _ in range(rollouts):
            copy(state, 0, start, 0, state.size)
            play_out(moves, play, is_filling, state, actions, generator)
            points += 1 if state[RESULT] == FIRST_WON else -1 if state[RESULT] == SECOND_WON else 0
        values[row] = np.float32(-points if start[TO_MOVE] else points) / np.float32(rollouts)
