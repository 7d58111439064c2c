"""What comes of a search: the policy and the value of a root, in the order of its children, and the move to play."""

from __future__ import annotations

import math

import numpy as np
from numba import types

from meeple.kernel import ACTIONS, FLOATS, Actions, Float, Int, Planes, borrow, jit
from meeple.search.choice import completed, value_of_child
from meeple.search.forest import FOREST, KNOBS, ROOTS, TINY, Forest, Knobs, Roots
from meeple.search.outcomes import DRAWN, LOST, NEVER, UNKNOWN, WON

NO_ACTION = -1


@jit
def _improve(forest: Forest, root: Int, policy: Planes, knobs: Knobs) -> None:
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
def _visit_shares(forest: Forest, root: Int, policy: Planes) -> None:
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


@jit
def _is_certain(forest: Forest, root: Int) -> bool:
    """Whether a move is proven to win, or all moves are proven."""
    first, tried = np.int64(forest.first_child[root]), np.int64(forest.num_tried[root])
    proven = 0
    for child in range(first, first + tried):
        if forest.proven[child] == WON:
            return True
        proven += forest.proven[child] != UNKNOWN
    return proven == forest.num_children[root]


@jit
def _best_by_score(forest: Forest, root: Int, scores: Planes, knobs: Knobs) -> Int:
    """Of the most visited children that are not lost the one with the highest noise, logit and value together."""
    first, tried = np.int64(forest.first_child[root]), np.int64(forest.num_tried[root])
    scale, low, per_range, mixed = completed(forest, root, knobs)
    most: Int = 0
    for child in range(first, first + tried):
        if forest.proven[child] != LOST:
            most = max(most, np.int64(forest.visits[child]))
    best, best_score = first, NEVER
    for index in range(forest.num_children[root]):
        visits = np.int64(forest.visits[first + index]) if index < tried else 0
        if visits != most or (index < tried and forest.proven[first + index] == LOST):
            continue
        value = value_of_child(forest, first + index) if index < tried else mixed
        score = scores[index] + scale * (value - low) * per_range
        if score > best_score:
            best, best_score = first + index, score
    return best


@jit
def _is_better(forest: Forest, one: Int, other: Int, end: Int) -> bool:
    """Whether a child is better than another; those from the end on were not visited."""
    one_proven = np.int64(forest.proven[one]) if one < end else UNKNOWN
    other_proven = np.int64(forest.proven[other]) if other < end else UNKNOWN
    is_earlier = bool(forest.action[one] < forest.action[other])
    # Step 1. A win is best, the quickest of all; a loss is worst, the slowest of all the least.
    if one_proven != other_proven and (one_proven in (WON, LOST) or other_proven in (WON, LOST)):
        return one_proven == WON or other_proven == LOST
    if one_proven in (WON, LOST):
        if forest.plies[one] != forest.plies[other]:
            is_quicker = bool(forest.plies[one] < forest.plies[other])
            return is_quicker == (one_proven == WON)
        return is_earlier
    # Step 2. Else visits count, then values.
    one_visits = np.int64(forest.visits[one]) if one < end else 0
    other_visits = np.int64(forest.visits[other]) if other < end else 0
    if one_visits != other_visits:
        return bool(one_visits > other_visits)
    if one_visits == 0:
        return is_earlier
    one_value, other_value = value_of_child(forest, one), value_of_child(forest, other)
    if one_value != other_value:
        return bool(one_value > other_value)
    return is_earlier


@jit
def _best_by_visits(forest: Forest, root: Int) -> Int:
    """As `best_candidate` of the analysis says; of equals the first in the order of the actions."""
    first, tried = np.int64(forest.first_child[root]), np.int64(forest.num_tried[root])
    best: Int = -1
    drawn: Int = -1
    for child in range(first, first + np.int64(forest.num_children[root])):
        if best < 0 or _is_better(forest, child, best, first + tried):
            best = child
        is_drawn = child < first + tried and forest.proven[child] == DRAWN
        if is_drawn and (drawn < 0 or _is_better(forest, child, drawn, first + tried)):
            drawn = child
    is_open = best < first + tried and forest.proven[best] == UNKNOWN
    return drawn if drawn >= 0 and is_open and forest.total[best] < 0 else best


@jit(types.void(FOREST, types.int64, KNOBS, FLOATS))
def find_policy(forest: Forest, root: Int, knobs: Knobs, policy: Planes) -> None:
    """What a search teaches of a root that has children: the improved policy of Gumbel AlphaZero, or PUCT's visits."""
    if knobs.is_gumbel:
        _improve(forest, root, policy, knobs)
    else:
        _visit_shares(forest, root, policy)


@jit
def best_child(forest: Forest, roots: Roots, tree: Int, knobs: Knobs) -> Int:
    """The child to play at a root that has children."""
    trees = forest.num_nodes.size
    root, num_actions = np.int64(tree * (forest.action.size // trees)), roots.scores.size // trees
    if knobs.is_gumbel and forest.num_tried[root] and not _is_certain(forest, root):
        best: Int = _best_by_score(forest, root, borrow(roots.scores, tree * num_actions, num_actions), knobs)
    else:
        best = _best_by_visits(forest, root)
    return best


@jit(types.void(FOREST, ROOTS, KNOBS, ACTIONS))
def best_actions(forest: Forest, roots: Roots, knobs: Knobs, actions: Actions) -> None:
    """For each of the first trees the best action at its root, or NO_ACTION where there was no room for any."""
    capacity = forest.action.size // forest.num_nodes.size
    for tree in range(actions.size):
        has_children = forest.first_child[tree * capacity] >= 0
        actions[tree] = forest.action[best_child(forest, roots, tree, knobs)] if has_children else NO_ACTION
