"""What a search teaches: the policy and the value of a root, in the order of its children."""

from __future__ import annotations

import math

import numpy as np

from meeple.kernel import Float, Int, Planes, jit
from meeple.search.choice import completed, value_of_child
from meeple.search.forest import TINY, Forest, Knobs
from meeple.search.outcomes import LOST, NEVER, WON


@jit
def improve(forest: Forest, root: Int, policy: Planes, knobs: Knobs) -> None:
    """The softmax of logits plus scaled values, over moves that are not proven to lose if there are any."""
    if _only_wins(forest, root, policy):
        return
    first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
    tried = np.int64(forest.num_tried[root])
    scale, low, per_range, mixed = completed(forest, root, knobs)
    is_lost = _is_lost(forest, root)
    highest = NEVER
    for index in range(count):
        if index < tried and forest.proven[first + index] == LOST and not is_lost:
            policy[index] = NEVER
            continue
        value = value_of_child(forest, first + index) if index < tried else mixed
        policy[index] = math.log(max(forest.prior[first + index], TINY)) + scale * (value - low) * per_range
        highest = max(highest, policy[index])
    total = np.float32(0)
    for index in range(count):
        policy[index] = np.float32(0) if policy[index] == NEVER else math.exp(policy[index] - highest)
        total += policy[index]
    for index in range(count):
        policy[index] /= total


@jit
def visit_shares(forest: Forest, root: Int, policy: Planes) -> None:
    """Visits as shares, those of moves that are proven to lose left out if there are others; priors without visits."""
    if _only_wins(forest, root, policy):
        return
    first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
    tried = np.int64(forest.num_tried[root])
    is_lost = _is_lost(forest, root)
    total = np.float32(0)
    for index in range(count):
        counts = index < tried and (is_lost or forest.proven[first + index] != LOST)
        policy[index] = np.float32(forest.visits[first + index]) if counts else np.float32(0)
        total += policy[index]
    for index in range(count):
        policy[index] = policy[index] / total if total > 0 else forest.prior[first + index]


@jit
def root_value(forest: Forest, root: Int, policy: Planes, knobs: Knobs) -> Float:
    """What a root is worth to the player to move: what is proven, or what its policy can expect (PUCT: the mean)."""
    proven = forest.proven[root]
    if proven:
        return np.float32(1) if proven == WON else np.float32(-1) if proven == LOST else np.float32(0)
    if not knobs.is_gumbel:
        visits: Int = max(forest.visits[root], 1)
        return forest.total[root] / np.float32(visits)
    first, tried = np.int64(forest.first_child[root]), np.int64(forest.num_tried[root])
    _, _, _, mixed = completed(forest, root, knobs)
    value = np.float32(0)
    for index in range(forest.num_children[root]):
        value += policy[index] * (value_of_child(forest, first + index) if index < tried else mixed)
    return min(max(value, np.float32(-1)), np.float32(1))


@jit
def _only_wins(forest: Forest, root: Int, policy: Planes) -> bool:
    """Share a policy among the moves that are proven to win; whether there are any."""
    first, tried = np.int64(forest.first_child[root]), np.int64(forest.num_tried[root])
    wins = 0
    for child in range(first, first + tried):
        wins += forest.proven[child] == WON
    if wins:
        for index in range(forest.num_children[root]):
            is_win = index < tried and forest.proven[first + index] == WON
            policy[index] = np.float32(1) / np.float32(wins) if is_win else np.float32(0)
    return wins > 0


@jit
def _is_lost(forest: Forest, root: Int) -> bool:
    """Whether every move is proven to lose."""
    first, tried = np.int64(forest.first_child[root]), np.int64(forest.num_tried[root])
    lost = 0
    for child in range(first, first + tried):
        lost += forest.proven[child] == LOST
    return lost == forest.num_children[root]
