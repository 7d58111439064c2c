"""Many search trees in flat arrays, and the batch of their leaves that wait for an evaluation.

D. Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go through self-play", 2018
(PUCT); I. Danihelka et al., "Policy improvement by planning with Gumbel", 2022 (Gumbel).

Every tree has an equal part of the arrays, one place for each node; the children of a node stand side by side. Those
that were visited stand first, then the one with the highest prior of the rest: whatever the rule, no other can be the
next to be tried. So a choice looks at visited children only, and little of the others is ever written.

    tree 0                                         tree 1
    0        1  2  3  4       5  6  7              capacity ...
    root     children of 0    children of 1        first_child[0] = 1, num_children[0] = 4, num_tried[0] = 1

A node's values are seen by the player who moved into it, the root's by the player to move.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

UNEXPANDED, PENDING = -1, -2
TINY = np.float32(1e-30)
LEAST_RANGE = np.float32(1e-5)
"""Values that lie closer together count as equal: without it rounding would decide between equal moves."""


class Forest(NamedTuple):
    """The arrays of all trees."""

    action: NDArray[np.int32]
    prior: NDArray[np.float32]
    visits: NDArray[np.int32]
    total: NDArray[np.float32]
    """Sum of the values of all visits."""
    raw: NDArray[np.float32]
    """What the evaluator said, for the player to move."""
    first_child: NDArray[np.int32]
    """Or UNEXPANDED, or PENDING while an evaluation is under way."""
    num_children: NDArray[np.int32]
    num_tried: NDArray[np.int32]
    num_open: NDArray[np.int32]
    """How many children are not proven."""
    mover: NDArray[np.int8]
    """Who is to move."""
    proven: NDArray[np.int8]
    plies: NDArray[np.int16]
    """To the end of the game where it is proven."""
    num_nodes: NDArray[np.int32]
    """In use, by tree."""


class Roots(NamedTuple):
    """Where the trees start, one row a tree."""

    states: NDArray[np.uint64]
    simulations: NDArray[np.int32]
    """How many are still to be run."""
    scores: NDArray[np.float32]
    """Gumbel noise plus logit of each child, in the order of the children."""
    plan_start: NDArray[np.int32]
    """Gumbel: where the tree's plan of visits begins in the table of all plans."""
    plan_width: NDArray[np.int32]
    """Gumbel: the simulations of that plan, at least 1."""


class Batch(NamedTuple):
    """Leaves that wait for an evaluation, one row each."""

    tree: NDArray[np.int32]
    depth: NDArray[np.int32]
    paths: NDArray[np.int32]
    states: NDArray[np.uint64]
    planes: NDArray[np.float32]
    logits: NDArray[np.float32]
    values: NDArray[np.float32]


class Knobs(NamedTuple):
    """What a search does in which way; numbers only, for the kernels."""

    is_gumbel: bool
    c_init: float
    c_base: float
    fpu: float
    value_scale: float
    visit_offset: float
    max_considered: int
    leaves: int
    is_proving: bool
    is_alternating: bool
    is_peeking: bool


DTYPES = (
    np.int32, np.float32, np.int32, np.float32, np.float32, np.int32, np.int32, np.int32, np.int32, np.int8, np.int8,
    np.int16,
)  # fmt: skip

NODE_BYTES = sum(np.dtype(dtype).itemsize for dtype in DTYPES)


def new_forest(trees: int, capacity: int) -> Forest:
    """Room for so many trees of so many nodes each."""
    forest = Forest._make([*(np.empty(trees * capacity, dtype) for dtype in DTYPES), np.zeros(trees, np.int32)])
    forest.first_child[::capacity] = UNEXPANDED
    return forest


def new_roots(trees: int, num_words: int, num_actions: int) -> Roots:
    """Room for the roots of so many trees."""
    return Roots(
        np.zeros(trees * num_words, np.uint64),
        np.zeros(trees, np.int32),
        np.zeros(trees * num_actions, np.float32),
        np.zeros(trees, np.int32),
        np.ones(trees, np.int32),
    )


def new_batch(rows: int, num_words: int, num_actions: int, num_planes: int, max_depth: int) -> Batch:
    """Room for so many leaves."""
    return Batch(
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int32),
        np.zeros(rows * max_depth, np.int32),
        np.zeros(rows * num_words, np.uint64),
        np.zeros(rows * num_planes, np.float32),
        np.zeros(rows * num_actions, np.float32),
        np.zeros(rows, np.float32),
    )


FOREST = numba.typeof(new_forest(1, 1))

ROOTS = numba.typeof(new_roots(1, 1, 1))

BATCH = numba.typeof(new_batch(1, 1, 1, 1, 1))

KNOBS = numba.typeof(Knobs(True, 1.0, 1.0, 1.0, 1.0, 1.0, 1, 1, True, True, True))
