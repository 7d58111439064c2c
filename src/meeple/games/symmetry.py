"""Symmetries of a game, as permutations of its actions and of the planes a network sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meeple.errors import RulesError

GROUPS = {
    "none": ("identity",),
    "mirror": ("identity", "mirror"),
    "turn": ("identity", "half turn"),
    "rectangle": ("identity", "mirror", "flip", "half turn"),
    "diagonal": ("identity", "half turn", "transpose", "other transpose"),
    "dihedral": (
        "identity", "mirror", "flip", "half turn", "transpose", "quarter turn", "three quarter turn", "other transpose",
    ),
}  # fmt: skip
TURNING = {"transpose", "other transpose", "quarter turn", "three quarter turn"}


class Symmetry(NamedTuple):
    """One symmetry of a game.

    If a position is reached by actions a, b, …, its image is reached by actions[a], actions[b], …; and what a network
    sees of the image, flattened, is the planes of the position taken in the order `planes`.
    """

    name: str
    actions: NDArray[np.int32]
    planes: NDArray[np.int32]


def grid_maps(group: str, rows: int, columns: int) -> dict[str, NDArray[np.int32]]:
    """For each symmetry of a group that fits the grid: where the image of a cell comes from, by cell of the image."""
    cells = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    maps = {
        "identity": cells,
        "mirror": cells[:, ::-1],
        "flip": cells[::-1],
        "half turn": cells[::-1, ::-1],
        "transpose": cells.T,
        "quarter turn": np.rot90(cells),
        "three quarter turn": np.rot90(cells, 3),
        "other transpose": cells[::-1, ::-1].T,
    }
    return {name: maps[name].ravel() for name in GROUPS[group] if rows == columns or name not in TURNING}


def grid_symmetries(
    group: str, shape: tuple[int, int, int], action_sites: Sequence[int] | NDArray[np.int32]
) -> tuple[Symmetry, ...]:
    """The symmetries that move every plane alike and actions with their sites; actions beside the board stay."""
    planes, rows, columns = shape
    cells = rows * columns
    sites = np.asarray(action_sites, np.int64)
    action_at = {int(site): action for action, site in enumerate(sites) if site >= 0}
    found = []
    for name, source in grid_maps(group, rows, columns).items():
        target = np.empty(cells, np.int64)
        target[source] = np.arange(cells)
        images = [int(site // cells * cells + target[site % cells]) if site >= 0 else -1 for site in sites]
        if any(image >= 0 and image not in action_at for image in images):
            raise RulesError(f"the symmetry {name} takes an action to a site where there is none")
        actions = [action_at.get(image, action) for action, image in enumerate(images)]
        gather = np.concatenate([plane * cells + source for plane in range(planes)])
        found.append(Symmetry(name, np.array(actions, np.int32), gather.astype(np.int32)))
    return tuple(found)
