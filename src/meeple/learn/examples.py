"""Examples: what a network is shown of positions and what it should say, under the symmetries of the game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.errors import MeepleError
from meeple.games.game import Game
from meeple.games.rules import TO_MOVE
from meeple.games.symmetry import GROUPS, grid_maps
from meeple.kernel import (
    ACTIONS,
    FLOATS,
    WORDS,
    Actions,
    Int,
    Planes,
    Words,
    as_moves,
    as_observe,
    borrow,
    jit,
)
from meeple.search.cache import seen_actions

PACKED = types.Array(types.uint16, 1, "C")
FLAGS = types.Array(types.boolean, 1, "C")


class Examples(NamedTuple):
    """Positions and their targets, one row each, all as the player to move sees the board."""

    planes: NDArray[np.float32]
    """Rows of planes, rows and columns."""
    policies: NDArray[np.float32]
    """The chances of actions, which add up to 1; zeros where no policy is known."""
    legal: NDArray[np.bool_]
    """Which actions are legal."""
    outcomes: NDArray[np.float32]
    """How the game ended for the player to move: -1, 0, 1."""
    root_values: NDArray[np.float32]
    """What the search thought."""
    margins: NDArray[np.float32]
    """The final margin for the player to move, by the board's number of cells."""
    owners: NDArray[np.float32]
    """Whose each cell of the board was at the end: 1 the mover's, -1 the opponent's, 0 nobody's; without columns where
    they are not wanted."""
    is_complete: NDArray[np.bool_]
    """Whether the game was played to its end; margin and owners are zeros where it was not."""


class Images:
    """What the symmetries of a game do to planes, to actions as players see them, and to cells."""

    def __init__(self, game: Game, *, has_owners: bool) -> None:
        self._rules = game.addresses
        self._shape = game.shape
        self._num_actions = game.num_actions
        self._sources = np.concatenate([symmetry.planes for symmetry in game.symmetries]).astype(np.int32)
        seen = np.array([seen_actions(game, symmetry.actions) for symmetry in game.symmetries])
        self._seats = seen[:, game.views].astype(np.int32).ravel()
        self._cells = _cell_images(game) if has_owners else np.zeros((len(game.symmetries), 0), np.int32)

    @property
    def count(self) -> int:
        """How many images a position has, itself included."""
        return len(self._cells)

    def owners(self, owners: NDArray[np.int8], images: NDArray[np.int32]) -> NDArray[np.float32]:
        """Owners of the cells of images."""
        return np.take_along_axis(owners, self._cells[images], axis=1).astype(np.float32)

    def write(
        self, states: NDArray[np.uint64], policies: NDArray[np.uint16], images: NDArray[np.int32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Planes, policies and legal actions of an image of each state; policies come packed, or without columns."""
        count, size = len(states), int(np.prod(self._shape))
        planes = np.empty((count, *self._shape), np.float32)
        seen = np.zeros((count, self._num_actions), np.float32)
        legal = np.zeros((count, self._num_actions), np.bool_)
        _write_images(
            self._rules.moves, self._rules.observe, states.ravel(), policies.ravel(), images, self._sources,
            self._seats, np.empty(size, np.float32), np.empty(self._num_actions, np.int32), planes.ravel(),
            seen.ravel(), legal.ravel(),
        )  # fmt: skip
        return planes, seen, legal


def _cell_images(game: Game) -> NDArray[np.int32]:
    """For each symmetry, where the owner of a cell of the image comes from."""
    maps: dict[str, NDArray[np.int32]] = {}
    for group in GROUPS:
        maps |= grid_maps(group, game.board.rows, game.board.columns)
    names = [symmetry.name for symmetry in game.symmetries]
    if not set(names) <= maps.keys() or not np.array_equal(*game.views):
        raise MeepleError(f"owners cannot be learned in {game.name}: its players or symmetries move cells in own ways")
    return np.array([maps[name] for name in names])


@jit(
    types.void(
        types.int64, types.int64, WORDS, PACKED, ACTIONS, ACTIONS, ACTIONS, FLOATS, ACTIONS, FLOATS, FLOATS, FLAGS
    )
)
def _write_images(
    moves_address: Int,
    observe_address: Int,
    states: Words,
    policies: Words,
    images: Actions,
    sources: Actions,
    seats: Actions,
    plain: Planes,
    actions: Actions,
    planes: Planes,
    seen: Planes,
    legal: Actions,
) -> None:
    moves, observe = as_moves(moves_address), as_observe(observe_address)
    size, num_actions = plain.size, actions.size
    words = states.size // max(images.size, 1)
    for row in range(images.size):
        image = np.int64(images[row])
        state = borrow(states, row * words, words)
        observe(state, plain)
        for place in range(size):
            planes[row * size + place] = plain[sources[image * size + place]]
        first = (2 * image + np.int64(state[TO_MOVE])) * num_actions
        count, total = moves(state, actions), np.float32(0)
        for index in range(count):
            legal[row * num_actions + seats[first + actions[index]]] = True
            if policies.size:
                total += np.float32(policies[row * num_actions + actions[index]])
        if total == 0:
            continue
        for index in range(count):
            share = np.float32(policies[row * num_actions + actions[index]])
            seen[row * num_actions + seats[first + actions[index]]] = share / total
