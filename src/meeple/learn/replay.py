"""The window of positions that are learned from: the newest so many positions, games, or iterations of games.

Positions stand in a ring, oldest first from `start` on. A window that is filled again with the same episodes draws the
same examples, wherever its ring begins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.errors import MeepleError
from meeple.games.game import Game
from meeple.games.rules import FIRST_WON, GOING_ON, RESULT, SECOND_WON, TO_MOVE
from meeple.kernel import ACTIONS, WORDS, Actions, Int, Words, as_moves, as_play, copy, jit
from meeple.learn.episodes import Episode, packed_policies
from meeple.learn.examples import Examples, Images
from meeple.learn.recipe import Replay

LEAST_CAPACITY = 1024
SPARE = 1.5
"""A window that grows makes room for so many times its positions."""


class Rows(NamedTuple):
    """What is kept of positions, one row each; outcome, margin and owners as the player to move sees them."""

    states: NDArray[np.uint64]
    policies: NDArray[np.uint16]
    """By action, packed; without columns where no policy is learned."""
    outcomes: NDArray[np.int8]
    root_values: NDArray[np.float32]
    margins: NDArray[np.float32]
    owners: NDArray[np.int8]
    is_complete: NDArray[np.bool_]


class Span(NamedTuple):
    """The positions of one game."""

    iteration: int
    positions: int


class Window:
    """The newest positions of a run."""

    def __init__(self, game: Game, replay: Replay, *, has_policy: bool = True, has_owners: bool = False) -> None:
        self._game = game
        self._replay = replay
        self._images = Images(game, has_owners=has_owners)
        self._has_owners = has_owners
        self._num_actions = game.num_actions if has_policy else 0
        self._spans: deque[Span] = deque()
        self._newest = 0
        self._start = self._length = 0
        self._rows = self._new_rows(0)

    def __len__(self) -> int:
        """How many positions it holds."""
        return self._length

    @property
    def games(self) -> int:
        """How many games they come from."""
        return len(self._spans)

    @property
    def oldest_iteration(self) -> int:
        """The iteration of its oldest game; 0 where there is none."""
        return self._spans[0].iteration if self._spans else 0

    @property
    def num_examples(self) -> int:
        """How many examples an epoch has: positions, or all their images."""
        return self._length * (self._images.count if self._replay.augment == "all" else 1)

    @property
    def bytes_per_position(self) -> int:
        """What a position takes."""
        return sum(column.nbytes for column in _columns(self._new_rows(1)))

    @property
    def memory_mb(self) -> float:
        """What it takes at the most, or for now where it does not count positions."""
        return (self._replay.positions or self._length) * SPARE * self.bytes_per_position / 2**20

    @property
    def fullness(self) -> float:
        """How full it is, in its own measure."""
        replay = self._replay
        if replay.positions:
            return self._length / replay.positions
        if replay.games:
            return self.games / replay.games
        return min((self._newest + 1) / (replay.iterations or 1), 1.0) if self._spans else 0.0

    def add(self, episode: Episode) -> int:
        """Take in the positions of a game, and let go of the oldest; how many came.

        MeepleError where the episode does not follow the rules of the game.
        """
        rows = self._rows_of(episode)
        count = len(rows.states)
        self._reserve(self._length + count)
        places = self._places(np.arange(self._length, self._length + count))
        for column, values in zip(_columns(self._rows), _columns(rows), strict=True):
            column[places] = values
        self._length += count
        self._newest = max(self._newest, episode.iteration)
        self._spans.append(Span(episode.iteration, count))
        self._let_go()
        return count

    def draw(self, chance: np.random.Generator, count: int) -> Examples:
        """Examples drawn independently and evenly."""
        if not self._length:
            raise MeepleError("there are no positions to learn from")
        return self._examples(chance, chance.integers(self.num_examples, size=count))

    def epoch(self, chance: np.random.Generator, batch: int) -> Iterator[Examples]:
        """Every example once, in random order, in batches of about this size."""
        order = chance.permutation(self.num_examples)
        for part in np.array_split(order, -(-len(order) // batch) or 1):
            if len(part):
                yield self._examples(chance, part)

    def positions(self, chance: np.random.Generator, count: int) -> NDArray[np.float32]:
        """Planes of different positions, as many as there are of `count`."""
        chosen = chance.choice(self._length, min(count, self._length), replace=False)
        return self._examples_at(chosen, np.zeros(len(chosen), np.int32)).planes

    def _examples(self, chance: np.random.Generator, numbers: NDArray[np.int64]) -> Examples:
        """The examples with these numbers out of an epoch's."""
        images = np.zeros(len(numbers), np.int32)
        if self._replay.augment == "all":
            numbers, images = numbers // self._images.count, (numbers % self._images.count).astype(np.int32)
        elif self._replay.augment == "random":
            images = chance.integers(self._images.count, size=len(numbers), dtype=np.int32)
        return self._examples_at(numbers, images)

    def _examples_at(self, indices: NDArray[np.int64], images: NDArray[np.int32]) -> Examples:
        """One image of each of the positions, which count from the oldest."""
        places = self._places(indices)
        rows = Rows._make(column[places] for column in _columns(self._rows))
        planes, policies, legal = self._images.write(rows.states, rows.policies, images)
        return Examples(
            planes,
            policies,
            legal,
            rows.outcomes.astype(np.float32),
            rows.root_values,
            rows.margins,
            self._images.owners(rows.owners, images),
            rows.is_complete,
        )

    def _places(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        return (self._start + indices) % max(len(self._rows.states), 1)

    def _reserve(self, length: int) -> None:
        """Make room for so many positions."""
        if length <= len(self._rows.states):
            return
        larger = self._new_rows(max(int(SPARE * length), LEAST_CAPACITY))
        places = self._places(np.arange(self._length))
        for old, new in zip(_columns(self._rows), _columns(larger), strict=True):
            new[: self._length] = old[places]
        self._rows, self._start = larger, 0

    def _new_rows(self, count: int) -> Rows:
        cells = self._game.board.rows * self._game.board.columns if self._has_owners else 0
        return Rows(
            np.empty((count, self._game.num_words), np.uint64),
            np.zeros((count, self._num_actions), np.uint16),
            np.empty(count, np.int8),
            np.empty(count, np.float32),
            np.zeros(count, np.float32),
            np.zeros((count, cells), np.int8),
            np.empty(count, np.bool_),
        )

    def _let_go(self) -> None:
        """Drop what is too old: whole games, or single positions where those are counted."""
        most = self._replay
        while self._spans:
            iteration, count = self._spans[0]
            excess = 0 if most.positions is None else self._length - most.positions
            is_old = most.iterations is not None and iteration <= self._newest - most.iterations
            if is_old or excess >= count or (most.games is not None and len(self._spans) > most.games):
                self._spans.popleft()
            elif excess > 0:
                self._spans[0], count = Span(iteration, count - excess), excess
            else:
                return
            self._start = int(self._places(np.array(count)))
            self._length -= count

    def _rows_of(self, episode: Episode) -> Rows:
        """The positions of a game."""
        rows = self._new_rows(len(episode.rows))
        final = self._walk(episode, rows.states)
        sides = np.where(rows.states[:, TO_MOVE] == 0, 1, -1)
        rows.outcomes[:] = {FIRST_WON: 1, SECOND_WON: -1}.get(episode.result, 0) * sides
        rows.root_values[:] = episode.root_values
        rows.is_complete[:] = episode.is_complete
        if self._num_actions and episode.policies.shape[1]:
            rows.policies[:] = packed_policies(episode.policies)
        if episode.is_complete and self._game.rules.margin is not None:
            cells = self._game.board.rows * self._game.board.columns
            rows.margins[:] = self._game.call("margin", final) / cells * sides
        if episode.is_complete and self._has_owners:
            rows.owners[:] = np.array([0, 1, -1])[self._game.pieces(final)] * sides[:, None]
        return rows

    def _walk(self, episode: Episode, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Play the game, write the states of its rows, and give the last one."""
        game, plies = self._game, len(episode.actions)
        state = np.zeros(game.num_words, np.uint64)
        game.call("setup", state)
        if not _is_ascending(episode.rows, plies):
            raise MeepleError(f"game {episode.number} of the run: rows must be plies from 0 to {plies}, ascending")
        played = _walk(
            game.addresses.moves, game.addresses.play, state, np.empty(game.num_actions, np.int32), episode.actions,
            episode.rows, states.ravel(),
        )  # fmt: skip
        ended = int(state[RESULT])
        if played < plies or (plies in episode.rows[-1:] and ended != GOING_ON):
            raise MeepleError(f"game {episode.number} of the run is none of {game.name}: ply {played} breaks the rules")
        if episode.is_complete and ended != episode.result:
            raise MeepleError(f"game {episode.number} of the run ended with {ended}, not with {episode.result}")
        return state


def _columns(rows: Rows) -> tuple[NDArray[Any], ...]:
    return tuple(rows)


def _is_ascending(rows: NDArray[np.int32], plies: int) -> bool:
    return not len(rows) or bool(rows[0] >= 0 and rows[-1] <= plies and (np.diff(rows) > 0).all())


@jit(types.int64(types.int64, types.int64, WORDS, ACTIONS, ACTIONS, ACTIONS, WORDS))
def _walk(
    moves_address: Int,
    play_address: Int,
    state: Words,
    legal: Actions,
    actions: Actions,
    rows: Actions,
    states: Words,
) -> Int:
    """Play the actions as far as they are legal, and copy the states of the rows; how many were played."""
    moves, play = as_moves(moves_address), as_play(play_address)
    row, ply = 0, 0
    while True:
        if row < rows.size and rows[row] == ply:
            copy(states, row * state.size, state, 0, state.size)
            row += 1
        if ply == actions.size or state[RESULT]:
            return ply
        count, found = moves(state, legal), 0
        while found < count and legal[found] != actions[ply]:
            found += 1
        if found == count:
            return ply
        play(state, np.int64(actions[ply]))
        ply += 1
