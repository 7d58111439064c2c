"""The compiled steps that grow trees: select leaves, give them children, back up what they are worth."""

from __future__ import annotations

import math

import numpy as np
from numba import types

from meeple.games.rules import FIRST_WON, RESULT, SECOND_WON, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    FLOATS,
    WORDS,
    Actions,
    Float,
    Int,
    Planes,
    Rule,
    Words,
    as_moves,
    as_observe,
    as_play,
    borrow,
    copy,
    jit,
)
from meeple.search.choice import bring_best, gumbel_inner, gumbel_root, puct
from meeple.search.forest import (
    BATCH,
    FOREST,
    KNOBS,
    PENDING,
    ROOTS,
    UNEXPANDED,
    Batch,
    Forest,
    Knobs,
    Roots,
)
from meeple.search.outcomes import DRAWN, LOST, NEVER, UNKNOWN, WON, best_without_win


@jit(forceinline=True)
def try_next(forest: Forest, node: Int, is_sorted: bool) -> None:
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
        bring_best(forest, np.int64(child + 1), np.int64(first + count))


@jit(forceinline=True)
def _walk(
    forest: Forest, root: Int, scores: Planes, plan: Actions, play: Rule, state: Words, path: Actions, weights: Planes,
    knobs: Knobs,
) -> Int:  # fmt: skip
    """Go from the root to a leaf and leave its state; the depth of the leaf, which ends the path."""
    node, depth = root, 0
    came_in = np.int64(forest.mover[root])
    path[0] = root
    while forest.first_child[node] >= 0 and not forest.proven[node]:
        if not knobs.is_gumbel:
            child = puct(forest, node, came_in, knobs)
        elif depth == 0:
            most = min(np.int64(knobs.max_considered), np.int64(forest.num_children[root]))
            width = plan.size // (knobs.max_considered + 1)
            considered = plan[most * width + min(forest.visits[root] - 1, width - 1)]
            child = gumbel_root(forest, node, scores, considered, knobs)
        else:
            child = gumbel_inner(forest, node, weights, knobs)
        if child == forest.first_child[node] + forest.num_tried[node]:
            try_next(forest, node, knobs.is_gumbel and depth == 0)
        play(state, np.int64(forest.action[child]))
        came_in = np.int64(forest.mover[node])
        node = np.int64(child)
        depth += 1
        path[depth] = node
    return depth


@jit(forceinline=True)
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
    bring_best(forest, first, first + count)


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
def prove(forest: Forest, path: Actions, depth: Int, value: Float, plies: Int) -> None:
    """Note what the last node of a path is certainly worth to the first player, and carry up what follows."""
    node = path[depth]
    came_in = forest.mover[path[depth - 1]] if depth else forest.mover[node]
    mine = -value if came_in else value
    forest.proven[node] = DRAWN if value == 0 else WON if mine > 0 else LOST
    forest.plies[node] = plies
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
            outcome, plies = best_without_win(
                forest.proven, forest.plies, forest.first_child[parent], forest.num_children[parent]
            )
        came_in = forest.mover[path[depth - 1]] if depth else forest.mover[parent]
        if outcome != DRAWN and came_in != forest.mover[parent]:
            outcome = LOST if outcome == WON else WON
        forest.proven[parent] = outcome
        forest.plies[parent] = plies + 1


@jit
def _wins_at_once(moves: Rule, play: Rule, state: Words, scratch: Words, actions: Actions) -> bool:
    """Whether the player to move has a move that wins."""
    for index in range(moves(state, actions)):
        copy(scratch, 0, state, 0, state.size)
        play(scratch, np.int64(actions[index]))
        if scratch[RESULT] == state[TO_MOVE] + FIRST_WON:
            return True
    return False


@jit(forceinline=True)
def _known_value(
    forest: Forest, path: Actions, depth: Int, state: Words, is_full: bool, moves: Rule, play: Rule, scratch: Words,
    actions: Actions, knobs: Knobs,
) -> Float:  # fmt: skip
    """The value of a leaf for the first player where it needs no evaluation, else 2."""
    node = path[depth]
    if state[RESULT]:
        value = _result_value(state)
        if knobs.is_proving and not forest.proven[node]:
            prove(forest, path, depth, value, 0)
        return value
    came_in = forest.mover[path[depth - 1]] if depth else forest.mover[node]
    proven = forest.proven[node]
    if proven:
        value = np.float32(0) if proven == DRAWN else np.float32(1) if proven == WON else np.float32(-1)
        return -value if came_in else value
    if is_full and forest.visits[node]:  # there was no room for children
        return -forest.raw[node] if forest.mover[node] else forest.raw[node]
    if knobs.is_peeking and depth and _wins_at_once(moves, play, state, scratch, actions):
        value = np.float32(-1) if state[TO_MOVE] else np.float32(1)
        prove(forest, path, depth, value, 1)
        return value
    return np.float32(2)


@jit
def _mover(forest: Forest, root: Int, depth: Int, state: Words, is_alternating: bool) -> Int:
    """Who is to move at a leaf; by the wrong rule, whoever is not the one before."""
    return np.int64(forest.mover[root] ^ (depth & 1)) if is_alternating else np.int64(state[TO_MOVE])


@jit(forceinline=True)
def _plan_size(roots: Roots, tree: Int, knobs: Knobs) -> Int:
    """How much of the table of all plans a tree's plan takes."""
    return np.int64(roots.plan_width[tree]) * (knobs.max_considered + 1)


@jit(types.int64(types.int64, types.int64, types.int64, FOREST, ROOTS, BATCH, ACTIONS, WORDS, ACTIONS, FLOATS, KNOBS,
))  # fmt: skip
def select(
    moves_address: Int,
    play_address: Int,
    observe_address: Int,
    forest: Forest,
    roots: Roots,
    batch: Batch,
    actions: Actions,
    scratch: Words,
    table: Actions,
    weights: Planes,
    knobs: Knobs,
) -> Int:
    """Fill the batch with leaves of all trees that have simulations left; how many.

    A leaf whose value is known is backed up at once, and the tree goes on with its next simulation.
    """
    moves, play, observe = as_moves(moves_address), as_play(play_address), as_observe(observe_address)
    trees = forest.num_nodes.size
    capacity, words = forest.action.size // trees, roots.states.size // trees
    num_actions, rows = roots.scores.size // trees, batch.tree.size
    stride, num_planes = batch.paths.size // rows, batch.planes.size // rows
    loss = np.float32(1) if knobs.leaves > 1 else np.float32(0)
    row = 0
    for tree in range(trees):
        root = tree * capacity
        scores = borrow(roots.scores, tree * num_actions, num_actions)
        plan = borrow(table, np.int64(roots.plan_start[tree]), _plan_size(roots, tree, knobs))
        found = 0
        while found < knobs.leaves and row < rows and roots.simulations[tree] > 0:
            if forest.proven[root]:
                roots.simulations[tree] = 0
                break
            state, path = borrow(batch.states, row * words, words), borrow(batch.paths, row * stride, stride)
            copy(state, 0, roots.states, tree * words, words)
            is_new = forest.first_child[root] < 0
            depth = _walk(forest, root, scores, plan, play, state, path, weights, knobs)
            leaf = path[depth]
            if forest.first_child[leaf] == PENDING:
                break
            is_full = forest.num_nodes[tree] + num_actions > capacity
            value = _known_value(forest, path, depth, state, is_full, moves, play, scratch, actions, knobs)
            if value < 2 or not is_new:
                roots.simulations[tree] -= 1
            if value < 2:
                _back_up(forest, path, depth, value, 1, np.float32(0))
                continue
            _mark(forest, path, depth, loss)
            forest.first_child[leaf] = PENDING
            batch.tree[row], batch.depth[row] = tree, depth
            observe(state, borrow(batch.planes, row * num_planes, num_planes))
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
    types.int64, types.int64, FOREST, ROOTS, BATCH, ACTIONS, WORDS, ACTIONS, FLOATS, KNOBS,
))  # fmt: skip
def grow_uniform(
    moves_address: Int,
    play_address: Int,
    forest: Forest,
    roots: Roots,
    batch: Batch,
    actions: Actions,
    scratch: Words,
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
        plan = borrow(table, np.int64(roots.plan_start[tree]), _plan_size(roots, tree, knobs))
        while roots.simulations[tree] > 0 and not forest.proven[root]:
            copy(state, 0, roots.states, tree * words, words)
            is_new = forest.first_child[root] < 0
            depth = _walk(forest, root, scores, plan, play, state, path, weights, knobs)
            is_full = forest.num_nodes[tree] + num_actions > capacity
            value = _known_value(forest, path, depth, state, is_full, moves, play, scratch, actions, knobs)
            is_root_alone = is_new and value == 2
            if value == 2:
                leaf = np.int64(path[depth])
                value = np.float32(0)
                forest.raw[leaf] = value
                mover = _mover(forest, root, depth, state, knobs.is_alternating)
                _expand(forest, tree, leaf, mover, moves(state, actions), actions, none, actions)
            _back_up(forest, path, depth, value, 1, np.float32(0))
            if is_root_alone:
                break
            roots.simulations[tree] -= 1
        if forest.proven[root]:
            roots.simulations[tree] = 0
