"""A lookahead of one to three plies over what an evaluator says of positions: every line is tried, the best is played.

Values are the first player's, who maximises where he is to move; the second player minimises.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.errors import PlayerError
from meeple.games.game import Game, Position
from meeple.games.rules import FIRST_WON, RESULT, SECOND_WON, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    COUNTS,
    FLOATS,
    WORDS,
    Actions,
    Counts,
    Int,
    Planes,
    Words,
    as_moves,
    as_observe,
    as_play,
    borrow,
    copy,
    jit,
)  # fmt: skip
from meeple.search.analysis import Analysis, Candidate, check_position
from meeple.search.evaluator import Evaluator, Positions

MAX_PLIES = 3
MAX_POSITIONS = 2**22
MAX_TOGETHER = 2**18
"""How many positions are looked at together for the sake of speed."""
BATCH = 64
"""How many are evaluated together: networks give the same bits for any batch of up to so many."""


class Level(NamedTuple):
    """All positions so many plies ahead."""

    states: NDArray[np.uint64]
    parents: NDArray[np.int64]
    """Which position of the level before each comes from."""


class Lookahead:
    """Plays the move whose worst case, so many plies ahead, looks best."""

    def __init__(self, game: Game, evaluator: Evaluator, plies: int) -> None:
        if not 1 <= plies <= MAX_PLIES:
            raise PlayerError(f"a lookahead is of 1 to {MAX_PLIES} plies, not {plies}")
        self.game = game
        self.evaluator = evaluator
        self.plies = plies

    def choose(self, position: Position) -> str:
        """The best move; the first of several."""
        return self.analyse(position).move

    def analyse(self, position: Position) -> Analysis:
        """What every move is worth."""
        return self.analyse_many([position])[0]

    def analyse_many(self, positions: Sequence[Position]) -> list[Analysis]:
        """The same for each of many positions, which are evaluated together."""
        share = max(MAX_TOGETHER // self.game.num_actions**self.plies, 1)
        return [
            analysis
            for first in range(0, len(positions), share)
            for analysis in self._analyse_together(positions[first : first + share])
        ]

    def _analyse_together(self, positions: Sequence[Position]) -> list[Analysis]:
        for position in positions:
            check_position(self.game, position)
        began = time.perf_counter()
        count = len(positions)
        levels = [Level(np.stack([position.state for position in positions]), np.zeros(count, np.int64))]
        for _ in range(self.plies):
            levels.append(self._ahead(levels[-1]))
        values = self._values(levels[-1].states)
        for before, after in zip(levels[-2:0:-1], levels[:1:-1], strict=True):
            values = self._back_up(before, after, values)
        seconds = (time.perf_counter() - began) / count
        return [
            self._analysis(position, values[levels[1].parents == row], _looked_at(levels, row), seconds)
            for row, position in enumerate(positions)
        ]

    def _ahead(self, level: Level) -> Level:
        """Every position after one more move; where a game is over it stays."""
        rules, count = self.game.addresses, len(level.states)
        actions, numbers = np.empty(self.game.num_actions, np.int32), np.zeros(count, np.int64)
        nothing = np.empty(0, np.uint64)
        _children(rules.moves, rules.play, level.states.ravel(), actions, numbers, nothing)
        total = int(numbers.sum())
        if total > MAX_POSITIONS:
            raise PlayerError(f"{total:,} positions are too many for a lookahead in {self.game.name}: take fewer plies")
        states = np.empty((total, self.game.num_words), np.uint64)
        _children(rules.moves, rules.play, level.states.ravel(), actions, numbers, states.ravel())
        return Level(states, np.repeat(np.arange(count), numbers))

    def _values(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """What positions are worth to the first player: certain where the game is over, else as the evaluator says."""
        values = np.select([states[:, RESULT] == FIRST_WON, states[:, RESULT] == SECOND_WON], [1.0, -1.0], 0.0)
        asked = np.flatnonzero(states[:, RESULT] == 0)
        for first in range(0, len(asked), BATCH):
            rows = asked[first : first + BATCH]
            some = np.ascontiguousarray(states[rows])
            planes = np.empty((len(rows), *self.game.shape), np.float32)
            _observe_all(self.game.addresses.observe, some.ravel(), len(rows), planes.ravel())
            found = np.clip(self.evaluator.evaluate(Positions(some, planes)).values, -1, 1)
            values[rows] = np.where(some[:, TO_MOVE] == 0, found, -found)
        return values

    @staticmethod
    def _back_up(before: Level, after: Level, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the positions before are worth when the best is played there."""
        highest, lowest = np.full(len(before.states), -np.inf), np.full(len(before.states), np.inf)
        np.maximum.at(highest, after.parents, values)
        np.minimum.at(lowest, after.parents, values)
        return np.where(before.states[:, TO_MOVE] == 0, highest, lowest)

    @staticmethod
    def _analysis(position: Position, values: NDArray[np.float64], looked_at: int, seconds: float) -> Analysis:
        mine = values if position.to_move == 0 else -values
        best = int(mine.argmax())
        candidates = tuple(
            Candidate(move, 0, float(value), 1 / len(mine), float(index == best))
            for index, (move, value) in enumerate(zip(position.moves, mine, strict=True))
        )
        move = candidates[best].move
        return Analysis(position, move, float(mine[best]), candidates, (move,), looked_at, seconds)


def _looked_at(levels: Sequence[Level], row: int) -> int:
    """How many positions there are in all levels from one of the first on."""
    rows, count = np.array([row]), 1
    for level in levels[1:]:
        rows = np.flatnonzero(np.isin(level.parents, rows))
        count += len(rows)
    return count


@jit(types.void(types.int64, types.int64, WORDS, ACTIONS, COUNTS, WORDS))
def _children(
    moves_address: Int, play_address: Int, states: Words, actions: Actions, numbers: Counts, children: Words
) -> None:  # fmt: skip
    """Count the positions after one move, or write them where there is room; a game that is over goes on as it is."""
    moves, play = as_moves(moves_address), as_play(play_address)
    words = states.size // numbers.size
    place = 0
    for row in range(numbers.size):
        state = borrow(states, row * words, words)
        is_over = state[RESULT] != np.uint64(0)
        numbers[row] = 1 if is_over else moves(state, actions)
        if children.size == 0:
            continue
        for index in range(numbers[row]):
            child = borrow(children, place * words, words)
            copy(child, 0, state, 0, words)
            if not is_over:
                play(child, np.int64(actions[index]))
            place += 1


@jit(types.void(types.int64, WORDS, types.int64, FLOATS))
def _observe_all(observe_address: Int, states: Words, count: Int, planes: Planes) -> None:
    observe = as_observe(observe_address)
    words, size = states.size // count, planes.size // count
    for row in range(count):
        observe(borrow(states, row * words, words), borrow(planes, row * size, size))
