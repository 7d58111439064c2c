"""Many search trees in flat arrays, and the compiled steps that grow them: select, expand, back up.

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

import math
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.games.rules import FIRST_WON, RESULT, SECOND_WON, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    FLOATS,
    Actions,
    Float,
    Int,
    Planes,
    Rule,
    Words,
    as_key,
    as_moves,
    as_observe,
    as_play,
    borrow,
    copy,
    jit,
)  # fmt: skip

UNEXPANDED, PENDING = -1, -2
UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3
"""What is proven of a node, for the player who moved into it (the root: who is to move)."""
NEVER = np.float32(-1e30)
TINY = np.float32(1e-30)


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


class Batch(NamedTuple):
    """Leaves that wait for an evaluation, one row each."""

    tree: NDArray[np.int32]
    depth: NDArray[np.int32]
    paths: NDArray[np.int32]
    states: NDArray[np.uint64]
    keys: NDArray[np.uint64]
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


DTYPES = (
    np.int32, np.float32, np.int32, np.float32, np.float32, np.int32, np.int32, np.int32, np.int32, np.int8, np.int8,
    np.int16,
)  # fmt: skip
NODE_BYTES = sum(np.dtype(dtype).itemsize for dtype in DTYPES)


def new_forest(trees: int, capacity: int) -> Forest:
    """Room for so many trees of so many nodes each."""
    return Forest._make([*(np.empty(trees * capacity, dtype) for dtype in DTYPES), np.zeros(trees, np.int32)])


def new_roots(trees: int, num_words: int, num_actions: int) -> Roots:
    """Room for the roots of so many trees."""
    return Roots(
        np.zeros(trees * num_words, np.uint64),
        np.zeros(trees, np.int32),
        np.zeros(trees * num_actions, np.float32),
    )


def new_batch(rows: int, num_words: int, num_actions: int, num_planes: int, max_depth: int) -> Batch:
    """Room for so many leaves."""
    return Batch(
        np.zeros(rows, np.int32),
        np.zeros(rows, np.int32),
        np.zeros(rows * max_depth, np.int32),
        np.zeros(rows * num_words, np.uint64),
        np.zeros(rows, np.uint64),
        np.zeros(rows * num_planes, np.float32),
        np.zeros(rows * num_actions, np.float32),
        np.zeros(rows, np.float32),
    )


FOREST = numba.typeof(new_forest(1, 1))
ROOTS = numba.typeof(new_roots(1, 1, 1))
BATCH = numba.typeof(new_batch(1, 1, 1, 1, 1))
KNOBS = numba.typeof(Knobs(True, 1.0, 1.0, 1.0, 1.0, 1.0, 1, 1, True, True))


@jit(forceinline=True)
def _value(forest: Forest, child: Int) -> Float:
    """A visited child's worth to who moves into it."""
    proven = forest.proven[child]
    if proven:
        return np.float32(0) if proven == DRAWN else np.float32(1) if proven == WON else np.float32(-1)
    return forest.total[child] / np.float32(forest.visits[child])


@jit(forceinline=True)
def _swap(forest: Forest, one: Int, other: Int) -> None:
    """Let two children that were not visited change places."""
    forest.action[one], forest.action[other] = forest.action[other], forest.action[one]
    forest.prior[one], forest.prior[other] = forest.prior[other], forest.prior[one]


@jit
def _bring_best(forest: Forest, first: Int, last: Int) -> None:
    """Swap the child with the highest prior of some into the first place."""
    best = first
    for child in range(first + 1, last):
        if forest.prior[child] > forest.prior[best]:
            best = child
    _swap(forest, first, best)


@jit(forceinline=True)
def _puct(forest: Forest, node: Int, came_in: Int, knobs: Knobs) -> Int:
    """The child with the highest mean plus bonus; an unvisited one has its parent's mean, less a little.

    Less the more of the priors was visited, as in KataGo.
    """
    first, tried = forest.first_child[node], forest.num_tried[node]
    visits = np.float32(forest.visits[node])
    scale = np.float32(knobs.c_init + math.log((visits + knobs.c_base + 1) / knobs.c_base)) * math.sqrt(visits)
    best: Int = -1
    best_score, mass = NEVER, np.float32(0)
    for child in range(first, first + tried):
        mass += forest.prior[child]
        if forest.proven[child] == LOST:
            continue
        score = _value(forest, child) + scale * forest.prior[child] / np.float32(1 + forest.visits[child])
        if score > best_score:
            best, best_score = child, score
    if tried < forest.num_children[node]:
        mean = forest.total[node] / visits
        if came_in != forest.mover[node]:
            mean = -mean
        unvisited = mean - np.float32(knobs.fpu) * math.sqrt(mass)
        if best < 0 or unvisited + scale * forest.prior[first + tried] > best_score:
            best = first + tried
    return best


@jit(forceinline=True)
def _completed(forest: Forest, node: Int, knobs: Knobs) -> tuple[Float, Float, Float, Float]:
    """For Gumbel: the scale of values at a node, their low end, one over their range, and the value of the unvisited.

    The unvisited are worth a mean of the evaluator's word and the visited children's values, as in the paper's
    appendix D.
    """
    first, tried = forest.first_child[node], forest.num_tried[node]
    visits, most = 0, 0
    mass, weighted = np.float32(0), np.float32(0)
    low, high = np.float32(2), np.float32(-2)
    for child in range(first, first + tried):
        value, prior = _value(forest, child), max(forest.prior[child], TINY)
        visits += forest.visits[child]
        most = max(most, forest.visits[child])
        mass += prior
        weighted += prior * value
        low, high = min(low, value), max(high, value)
    mixed: Float = forest.raw[node]
    if visits:
        mixed = (mixed + np.float32(visits) * weighted / mass) / np.float32(visits + 1)
    if tried < forest.num_children[node]:
        low, high = min(low, mixed), max(high, mixed)
    scale = np.float32((knobs.visit_offset + most) * knobs.value_scale)
    return scale, low, np.float32(1) / max(high - low, np.float32(1e-8)), mixed


@jit
def _gumbel_root(forest: Forest, node: Int, scores: Planes, considered: Int, knobs: Knobs) -> Int:
    """Of the children with so many visits the one with the highest noise, logit and value together."""
    first, tried = forest.first_child[node], forest.num_tried[node]
    scale, low, per_range, mixed = _completed(forest, node, knobs)
    best: Int = -1
    best_score = NEVER
    fallback: Int = -1
    fallback_score = NEVER
    for index in range(tried):
        child = first + index
        if forest.proven[child] == LOST:
            continue
        score = scores[index] + scale * (_value(forest, child) - low) * per_range
        if forest.visits[child] == considered and score > best_score:
            best, best_score = child, score
        if score > fallback_score:
            fallback, fallback_score = child, score
    if tried < forest.num_children[node]:
        score = scores[tried] + scale * (mixed - low) * per_range
        if fallback < 0 or (considered == 0 and score > best_score):
            return first + tried
    return best if best >= 0 else fallback


@jit
def _gumbel_inner(forest: Forest, node: Int, weights: Planes, knobs: Knobs) -> Int:
    """The child whose share of the visits falls shortest of its share in the improved policy."""
    first, tried = forest.first_child[node], forest.num_tried[node]
    scale, low, per_range, mixed = _completed(forest, node, knobs)
    rest: Float = np.float32(1)
    total: Float = np.float32(0)
    visits: Int = 1
    for index in range(tried):
        child = first + index
        weights[index] = forest.prior[child] * math.exp(scale * ((_value(forest, child) - low) * per_range - 1))
        total += weights[index]
        rest -= forest.prior[child]
        visits += forest.visits[child]
    per_prior = math.exp(scale * ((mixed - low) * per_range - 1)) if tried < forest.num_children[node] else 0.0
    total = max(total + max(rest, np.float32(0)) * np.float32(per_prior), TINY)
    best: Int = -1
    best_score = NEVER
    for index in range(tried):
        if forest.proven[first + index] == LOST:
            continue
        score = weights[index] / total - np.float32(forest.visits[first + index]) / np.float32(visits)
        if score > best_score:
            best, best_score = first + index, score
    if tried == forest.num_children[node]:
        return best
    untried_score = forest.prior[first + tried] * np.float32(per_prior) / total
    return first + tried if best < 0 or untried_score > best_score else best


@jit(forceinline=True)
def _try(forest: Forest, node: Int, is_sorted: bool) -> None:
    """Make the next child of a node a visited one."""
    first, tried, count = forest.first_child[node], forest.num_tried[node], forest.num_children[node]
    child = first + tried
    forest.visits[child] = 0
    forest.total[child] = np.float32(0)
    forest.num_children[child] = 0
    forest.num_tried[child] = 0
    forest.proven[child] = UNKNOWN
    forest.num_tried[node] = tried + 1
    if not is_sorted and tried + 1 < count:
        _bring_best(forest, np.int64(child + 1), np.int64(first + count))


@jit
def _walk(
    forest: Forest, root: Int, scores: Planes, table: Actions, play: Rule, state: Words, path: Actions, weights: Planes,
    knobs: Knobs,
) -> Int:  # fmt: skip
    """Go from the root to a leaf and leave its state; the depth of the leaf, which ends the path."""
    node, depth = root, 0
    came_in = np.int64(forest.mover[root])
    path[0] = root
    while forest.first_child[node] >= 0 and not forest.proven[node]:
        if not knobs.is_gumbel:
            child = _puct(forest, node, came_in, knobs)
        elif depth == 0:
            most = min(np.int64(knobs.max_considered), np.int64(forest.num_children[root]))
            width = table.size // (knobs.max_considered + 1)
            considered = table[most * width + min(forest.visits[root] - 1, width - 1)]
            child = _gumbel_root(forest, node, scores, considered, knobs)
        else:
            child = _gumbel_inner(forest, node, weights, knobs)
        if child == forest.first_child[node] + forest.num_tried[node]:
            _try(forest, node, knobs.is_gumbel and depth == 0)
        play(state, np.int64(forest.action[child]))
        came_in = np.int64(forest.mover[node])
        node = np.int64(child)
        depth += 1
        path[depth] = node
    return depth


@jit
def _expand(
    forest: Forest, tree: Int, node: Int, mover: Int, count: Int, actions: Actions, logits: Planes, view: Actions
) -> None:  # fmt: skip
    """Give a node its children where there is room; all alike where there are no logits."""
    capacity = forest.action.size // forest.num_nodes.size
    used = np.int64(forest.num_nodes[tree])
    forest.mover[node] = mover
    if used + count > capacity:
        forest.first_child[node] = UNEXPANDED
        return
    first = tree * capacity + used
    forest.num_nodes[tree] = used + count
    forest.first_child[node] = first
    forest.num_children[node] = count
    forest.num_tried[node] = 0
    forest.num_open[node] = count
    for index in range(count):
        forest.action[first + index] = actions[index]
        forest.first_child[first + index] = UNEXPANDED
    if logits.size == 0:
        share = np.float32(1) / np.float32(count)
        for index in range(count):
            forest.prior[first + index] = share
        return
    highest = NEVER
    for index in range(count):
        forest.prior[first + index] = logits[view[actions[index]]]
        highest = max(highest, forest.prior[first + index])
    total = np.float32(0)
    for index in range(count):
        forest.prior[first + index] = math.exp(forest.prior[first + index] - highest)
        total += forest.prior[first + index]
    for index in range(count):
        forest.prior[first + index] /= total
    _bring_best(forest, first, first + count)


@jit(forceinline=True)
def _back_up(forest: Forest, path: Actions, depth: Int, value: Float, added: Int, loss: Float) -> None:
    """Add a value for the first player to every node of a path, as many visits, and take back a virtual loss."""
    came_in = forest.mover[path[0]]
    for index in range(depth + 1):
        node = path[index]
        forest.visits[node] += added
        forest.total[node] += (-value if came_in else value) + (np.float32(loss) if index else np.float32(0))
        came_in = forest.mover[node]


@jit(forceinline=True)
def _mark(forest: Forest, path: Actions, depth: Int, loss: Float) -> None:
    """Count a visit whose value is still unknown, as a loss for the time being."""
    for index in range(depth + 1):
        forest.visits[path[index]] += 1
        if index:
            forest.total[path[index]] -= np.float32(loss)


@jit(forceinline=True)
def _result_value(state: Words) -> Float:
    """1, 0 or -1 for the first player."""
    result = state[RESULT]
    return np.float32(1) if result == FIRST_WON else np.float32(-1) if result == SECOND_WON else np.float32(0)


@jit
def _prove(forest: Forest, path: Actions, depth: Int, value: Float) -> None:
    """Note that the last node of a path ends the game, and carry up what follows."""
    node = path[depth]
    came_in = forest.mover[path[depth - 1]] if depth else forest.mover[node]
    mine = -value if came_in else value
    forest.proven[node] = DRAWN if value == 0 else WON if mine > 0 else LOST
    forest.plies[node] = 0
    while depth > 0:
        child, parent = path[depth], path[depth - 1]
        depth -= 1
        if forest.proven[parent]:
            return
        forest.num_open[parent] -= 1
        outcome, plies = forest.proven[child], forest.plies[child]
        if outcome != WON:
            if forest.num_open[parent] > 0:
                return
            first = forest.first_child[parent]
            outcome, plies = LOST, 0
            for other in range(first, first + forest.num_children[parent]):
                if forest.proven[other] == DRAWN and outcome == LOST:
                    outcome, plies = DRAWN, 0
                if forest.proven[other] == outcome:
                    plies = max(plies, forest.plies[other])
        came_in = forest.mover[path[depth - 1]] if depth else forest.mover[parent]
        if outcome != DRAWN and came_in != forest.mover[parent]:
            outcome = LOST if outcome == WON else WON
        forest.proven[parent] = outcome
        forest.plies[parent] = plies + 1


@jit
def _known_value(forest: Forest, path: Actions, depth: Int, state: Words, is_proving: bool) -> Float:
    """The value of a leaf for the first player where it needs no evaluation, else 2."""
    node = path[depth]
    if state[RESULT]:
        value = _result_value(state)
        if is_proving and not forest.proven[node]:
            _prove(forest, path, depth, value)
        return value
    came_in = forest.mover[path[depth - 1]] if depth else forest.mover[node]
    proven = forest.proven[node]
    if proven:
        value = np.float32(0) if proven == DRAWN else np.float32(1) if proven == WON else np.float32(-1)
        return -value if came_in else value
    if forest.visits[node] and forest.first_child[node] == UNEXPANDED:  # there was no room for children
        return -forest.raw[node] if forest.mover[node] else forest.raw[node]
    return np.float32(2)


@jit
def _mover(forest: Forest, root: Int, depth: Int, state: Words, is_alternating: bool) -> Int:
    """Who is to move at a leaf; by the wrong rule, whoever is not the one before."""
    return np.int64(forest.mover[root] ^ (depth & 1)) if is_alternating else np.int64(state[TO_MOVE])


@jit(types.int64(
    types.int64, types.int64, types.int64, types.boolean, FOREST, ROOTS, BATCH, ACTIONS, FLOATS, KNOBS,
))  # fmt: skip
def select(
    play_address: Int,
    observe_address: Int,
    key_address: Int,
    is_observing: bool,
    forest: Forest,
    roots: Roots,
    batch: Batch,
    table: Actions,
    weights: Planes,
    knobs: Knobs,
) -> Int:
    """Fill the batch with leaves of all trees that have simulations left; how many.

    A leaf whose value is known is backed up at once, and the tree goes on with its next simulation.
    """
    play, observe, key = as_play(play_address), as_observe(observe_address), as_key(key_address)
    trees = forest.num_nodes.size
    capacity, words = forest.action.size // trees, roots.states.size // trees
    num_actions, rows = roots.scores.size // trees, batch.tree.size
    stride, num_planes = batch.paths.size // rows, batch.planes.size // rows
    loss = np.float32(1) if knobs.leaves > 1 else np.float32(0)
    row = 0
    for tree in range(trees):
        root = tree * capacity
        scores = borrow(roots.scores, tree * num_actions, num_actions)
        found = 0
        while found < knobs.leaves and row < rows and roots.simulations[tree] > 0:
            if forest.proven[root]:
                roots.simulations[tree] = 0
                break
            state, path = borrow(batch.states, row * words, words), borrow(batch.paths, row * stride, stride)
            copy(state, 0, roots.states, tree * words, words)
            is_new = forest.first_child[root] < 0
            depth = _walk(forest, root, scores, table, play, state, path, weights, knobs)
            leaf = path[depth]
            if forest.first_child[leaf] == PENDING:
                break
            value = _known_value(forest, path, depth, state, knobs.is_proving)
            roots.simulations[tree] -= 0 if is_new else 1
            if value < 2:
                _back_up(forest, path, depth, value, 1, np.float32(0))
                continue
            _mark(forest, path, depth, loss)
            forest.first_child[leaf] = PENDING
            batch.tree[row], batch.depth[row] = tree, depth
            if is_observing:
                observe(state, borrow(batch.planes, row * num_planes, num_planes))
                batch.keys[row] = key(state)
            row += 1
            found += 1
            if is_new:
                break
    return row


@jit(types.void(types.int64, FOREST, ROOTS, BATCH, ACTIONS, ACTIONS, types.int64, KNOBS))
def back_up(
    moves_address: Int,
    forest: Forest,
    roots: Roots,
    batch: Batch,
    actions: Actions,
    views: Actions,
    count: Int,
    knobs: Knobs,
) -> None:
    """Give the leaves of the batch their children and back up their values."""
    moves = as_moves(moves_address)
    trees, rows = forest.num_nodes.size, batch.tree.size
    capacity, words = forest.action.size // trees, roots.states.size // trees
    num_actions, stride = roots.scores.size // trees, batch.paths.size // rows
    loss = np.float32(1) if knobs.leaves > 1 else np.float32(0)
    for row in range(count):
        tree, depth = np.int64(batch.tree[row]), np.int64(batch.depth[row])
        state, path = borrow(batch.states, row * words, words), borrow(batch.paths, row * stride, stride)
        leaf = np.int64(path[depth])
        mover = _mover(forest, tree * capacity, depth, state, knobs.is_alternating)
        forest.raw[leaf] = min(max(batch.values[row], np.float32(-1)), np.float32(1))
        view = borrow(views, np.int64(state[TO_MOVE]) * num_actions, num_actions)
        logits = borrow(batch.logits, row * num_actions, num_actions)
        _expand(forest, tree, leaf, mover, moves(state, actions), actions, logits, view)
        value = -forest.raw[leaf] if mover else forest.raw[leaf]
        _back_up(forest, path, depth, value, 0, loss)


@jit(types.void(
    types.int64, types.int64, FOREST, ROOTS, BATCH, ACTIONS, ACTIONS, FLOATS, KNOBS,
))  # fmt: skip
def grow_uniform(
    moves_address: Int,
    play_address: Int,
    forest: Forest,
    roots: Roots,
    batch: Batch,
    actions: Actions,
    table: Actions,
    weights: Planes,
    knobs: Knobs,
) -> None:
    """Run all simulations with an evaluator that knows nothing: every move alike, every value 0."""
    moves, play = as_moves(moves_address), as_play(play_address)
    trees = forest.num_nodes.size
    capacity, words = forest.action.size // trees, roots.states.size // trees
    num_actions = roots.scores.size // trees
    state, path = borrow(batch.states, 0, words), borrow(batch.paths, 0, batch.paths.size // batch.tree.size)
    none = borrow(batch.logits, 0, 0)
    for tree in range(trees):
        root = tree * capacity
        scores = borrow(roots.scores, tree * num_actions, num_actions)
        while roots.simulations[tree] > 0 and not forest.proven[root]:
            copy(state, 0, roots.states, tree * words, words)
            is_new = forest.first_child[root] < 0
            depth = _walk(forest, root, scores, table, play, state, path, weights, knobs)
            value = _known_value(forest, path, depth, state, knobs.is_proving)
            if value == 2:
                leaf = np.int64(path[depth])
                value = np.float32(0)
                forest.raw[leaf] = value
                mover = _mover(forest, root, depth, state, knobs.is_alternating)
                _expand(forest, tree, leaf, mover, moves(state, actions), actions, none, actions)
            _back_up(forest, path, depth, value, 1, np.float32(0))
            if is_new:
                break
            roots.simulations[tree] -= 1
        if forest.proven[root]:
            roots.simulations[tree] = 0


@jit(types.void(FOREST, ROOTS, FLOATS, types.int64))
def add_gumbel(forest: Forest, roots: Roots, noise: Planes, max_considered: Int) -> None:
    """Put the children of every root that noise and logit together choose to the front, best first."""
    trees = forest.num_nodes.size
    capacity, num_actions = forest.action.size // trees, roots.scores.size // trees
    for tree in range(trees):
        root, scores = tree * capacity, borrow(roots.scores, tree * num_actions, num_actions)
        first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
        if first < 0:
            continue
        for index in range(count):
            logit = math.log(max(forest.prior[first + index], TINY))
            scores[index] = noise[tree * num_actions + forest.action[first + index]] + logit
        for place in range(min(max_considered, count)):
            best = place
            for index in range(place + 1, count):
                if scores[index] > scores[best]:
                    best = index
            _swap(forest, first + place, first + best)
            scores[place], scores[best] = scores[best], scores[place]


@jit(types.void(FOREST, FLOATS, types.int64, types.float64))
def add_dirichlet(forest: Forest, noise: Planes, num_actions: Int, share: Float) -> None:
    """Mix noise, a row of positive numbers by action for each tree, into the priors of every root's children."""
    trees = forest.num_nodes.size
    capacity = forest.action.size // trees
    for tree in range(trees):
        root = tree * capacity
        first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
        if first < 0:
            continue
        total = np.float32(0)
        for child in range(first, first + count):
            total += noise[tree * num_actions + forest.action[child]]
        for child in range(first, first + count):
            added = noise[tree * num_actions + forest.action[child]] / max(total, TINY)
            forest.prior[child] = np.float32(1 - share) * forest.prior[child] + np.float32(share) * added
        if forest.num_tried[root] < count:
            _bring_best(forest, first + forest.num_tried[root], first + count)


@jit
def _mark_children(forest: Forest, node: Int, base: Int, marks: Actions) -> None:
    """Mark the children of a node."""
    first = forest.first_child[node]
    if first >= 0:
        for child in range(first, first + forest.num_children[node]):
            marks[child - base] = 1


@jit
def _move(forest: Forest, node: Int, to: Int, base: Int, new_index: Actions) -> None:
    """Copy a node to its new place, with its children's new place in it."""
    first = forest.first_child[node]
    forest.action[to] = forest.action[node]
    forest.prior[to] = forest.prior[node]
    forest.visits[to] = forest.visits[node]
    forest.total[to] = forest.total[node]
    forest.raw[to] = forest.raw[node]
    forest.first_child[to] = base + new_index[first - base] if first >= 0 else UNEXPANDED
    forest.num_children[to] = forest.num_children[node]
    forest.num_tried[to] = forest.num_tried[node]
    forest.num_open[to] = forest.num_open[node]
    forest.mover[to] = forest.mover[node]
    forest.proven[to] = forest.proven[node]
    forest.plies[to] = forest.plies[node]


@jit(types.void(FOREST, types.int64, types.int64, types.int64, ACTIONS))
def reroot(forest: Forest, tree: Int, root: Int, to_move: Int, new_index: Actions) -> None:
    """Make a node the root of its tree and move what is below it to the front.

    Children have higher numbers than their parents, and the order is kept, so nothing is overwritten before it moved.
    """
    base = tree * (forest.action.size // forest.num_nodes.size)
    used = np.int64(forest.num_nodes[tree])
    came_in_root = np.int64(-1)
    # Step 1. Mark what stays, and find out who moved into the new root.
    for node in range(used):
        new_index[node] = 0
    for node in range(base, base + used):
        first = np.int64(forest.first_child[node])
        if first >= 0 and first <= root < first + forest.num_children[node]:
            came_in_root = np.int64(forest.mover[node])
    new_index[root - base] = 1
    for node in range(root, base + used):
        if new_index[node - base]:
            _mark_children(forest, node, base, new_index)
    # Step 2. Number it, whole families of children together.
    count = 0
    for node in range(used):
        new_index[node] = count if new_index[node] else UNEXPANDED
        count += new_index[node] >= 0
    # Step 3. Move it.
    for node in range(root, base + used):
        to = new_index[node - base]
        if to >= 0:
            _move(forest, node, np.int64(base + to), base, new_index)
    forest.num_nodes[tree] = count
    # Step 4. The root is seen by the player to move.
    if came_in_root != to_move:
        forest.total[base] = -forest.total[base]
        if forest.proven[base] == WON:
            forest.proven[base] = LOST
        elif forest.proven[base] == LOST:
            forest.proven[base] = WON
