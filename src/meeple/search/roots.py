"""What happens to roots: chance is mixed in, and after a move a child becomes the root."""

from __future__ import annotations

import math

import numpy as np
from numba import types

from meeple.games.rules import RESULT
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
    as_play,
    borrow,
    copy,
    jit,
)
from meeple.search.choice import bring_best, swap
from meeple.search.forest import (
    FOREST,
    ROOTS,
    TINY,
    UNEXPANDED,
    Forest,
    Roots,
)
from meeple.search.growth import prove, try_next
from meeple.search.outcomes import LOST, WON


@jit
def prove_root(play: Rule, forest: Forest, roots: Roots, tree: Int, scratch: Words, path: Actions) -> None:
    """Prove a root that has a move that wins at once, and make it a visited child."""
    trees = forest.num_nodes.size
    words = roots.states.size // trees
    root = tree * (forest.action.size // trees)
    first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
    if first < 0 or forest.proven[root]:
        return
    tried = np.int64(forest.num_tried[root])
    for child in range(first + tried, first + count):
        copy(scratch, 0, roots.states, tree * words, words)
        play(scratch, np.int64(forest.action[child]))
        if scratch[RESULT] == np.uint64(forest.mover[root] + 1):
            swap(forest, first + tried, child)
            try_next(forest, root, True)
            path[0], path[1] = root, first + tried
            prove(forest, path, 1, np.float32(-1) if forest.mover[root] else np.float32(1), 0)
            return


@jit(types.void(types.int64, FOREST, ROOTS, WORDS, ACTIONS))
def prove_roots(play_address: Int, forest: Forest, roots: Roots, scratch: Words, path: Actions) -> None:
    """Prove the roots that have a move that wins at once."""
    play = as_play(play_address)
    for tree in range(forest.num_nodes.size):
        prove_root(play, forest, roots, tree, scratch, path)


@jit
def add_gumbel(forest: Forest, roots: Roots, tree: Int, noise: Planes, max_considered: Int) -> None:
    """Put the children of a root that noise and logit together choose to the front, best first."""
    trees = forest.num_nodes.size
    root, num_actions = tree * (forest.action.size // trees), roots.scores.size // trees
    scores = borrow(roots.scores, tree * num_actions, num_actions)
    first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
    if first < 0:
        return
    for index in range(count):
        logit = math.log(max(forest.prior[first + index], TINY))
        scores[index] = noise[forest.action[first + index]] + logit
    for place in range(min(max_considered, count)):
        best = place
        for index in range(place + 1, count):
            if scores[index] > scores[best]:
                best = index
        swap(forest, first + place, first + best)
        scores[place], scores[best] = scores[best], scores[place]


@jit
def add_dirichlet(forest: Forest, tree: Int, noise: Planes, share: Float) -> None:
    """Mix noise, a row of positive numbers by action, into the priors of a root's children; zeros leave them alone."""
    root = tree * (forest.action.size // forest.num_nodes.size)
    first, count = np.int64(forest.first_child[root]), np.int64(forest.num_children[root])
    if first < 0:
        return
    total = np.float32(0)
    for child in range(first, first + count):
        total += noise[forest.action[child]]
    if total == 0:
        return
    for child in range(first, first + count):
        added = noise[forest.action[child]] / max(total, TINY)
        forest.prior[child] = np.float32(1 - share) * forest.prior[child] + np.float32(share) * added
    if forest.num_tried[root] < count:
        bring_best(forest, first + forest.num_tried[root], first + count)


@jit(types.void(FOREST, ROOTS, FLOATS, types.int64))
def add_gumbels(forest: Forest, roots: Roots, noise: Planes, max_considered: Int) -> None:
    """The same for all roots, with a row of noise by action for each."""
    num_actions = roots.scores.size // forest.num_nodes.size
    for tree in range(forest.num_nodes.size):
        add_gumbel(forest, roots, tree, borrow(noise, tree * num_actions, num_actions), max_considered)


@jit(types.void(FOREST, FLOATS, types.int64, types.float64))
def add_dirichlets(forest: Forest, noise: Planes, num_actions: Int, share: Float) -> None:
    """The same for all roots, with a row of noise by action for each."""
    for tree in range(forest.num_nodes.size):
        add_dirichlet(forest, tree, borrow(noise, tree * num_actions, num_actions), share)


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
