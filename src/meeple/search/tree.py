"""UCT with random rollouts and proven values.

L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo planning", 2006; M. Winands, Y. Bjornsson, J.-T. Saito, "Monte-Carlo
tree search solver", 2008.

A tree is a set of flat arrays with one place for each node; the children of a node stand side by side. A node's values
are seen by the player who moved into it, so that choosing a child is always a maximum, whoever's turn it is.

    node     0        1  2  3  4       5  6  7
             root     children of 0    children of 2        first_child[0] = 1, num_children[0] = 4, ...
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
    WORDS,
    Actions,
    Int,
    Planes,
    Word,
    Words,
    as_moves,
    as_play,
    borrow,
    copy,
    jit,
    random_below,
)
from meeple.search.outcomes import DRAWN, LOST, NEVER, UNKNOWN, WON, best_without_win
from meeple.search.playouts import play_out

ROOT = 0
UNEXPANDED = -1
LOGS = np.log(np.maximum(np.arange(1 << 14), 1)).astype(np.float32)


class Tree(NamedTuple):
    """The arrays of one tree."""

    action: NDArray[np.int32]
    player: NDArray[np.int8]
    """Who moved into the node; for the root, who is to move."""
    visits: NDArray[np.int32]
    points: NDArray[np.int32]
    """Sum of the results of all visits for that player: 1, 0 or -1 each."""
    first_child: NDArray[np.int32]
    num_children: NDArray[np.int32]
    num_tried: NDArray[np.int32]
    """How many children were visited; they stand first."""
    num_open: NDArray[np.int32]
    """How many children are not proven."""
    proven: NDArray[np.int8]
    plies: NDArray[np.int16]
    """To the end of the game where it is proven."""
    num_nodes: NDArray[np.int64]
    """One number."""


WIDE, SMALL, SHORT = np.int32, np.int8, np.int16
DTYPES = (WIDE, SMALL, WIDE, WIDE, WIDE, WIDE, WIDE, WIDE, SMALL, SHORT)


def new_tree(capacity: int) -> Tree:
    """A tree without nodes."""
    return Tree._make([*(np.empty(capacity, dtype) for dtype in DTYPES), np.zeros(1, np.int64)])


NODE_BYTES = sum(array.itemsize for array in new_tree(0)[:-1])
TREE = numba.typeof(new_tree(0))


@jit(forceinline=True)
def _choose(tree: Tree, node: Int, exploration: float, scores: Planes, generator: Words) -> Int:
    """The child to visit: one that never was, at random, else the one with the highest upper bound."""
    first, count, tried = tree.first_child[node], tree.num_children[node], tree.num_tried[node]
    if tried < count:
        chosen, child = first + tried + random_below(generator, np.int64(count - tried)), first + tried
        tree.action[chosen], tree.action[child] = tree.action[child], tree.action[chosen]
        tree.num_tried[node] += 1
        return np.int64(child)
    total = tree.visits[node]
    scale = np.float32(exploration) * math.sqrt(LOGS[total] if total < LOGS.size else math.log(total))
    for index in range(count):
        visits = np.float32(tree.visits[first + index])
        score = np.float32(tree.points[first + index]) / visits + scale / math.sqrt(visits)
        scores[index] = NEVER if tree.proven[first + index] == LOST else score
    best = 0
    for index in range(1, count):
        if scores[index] > scores[best]:
            best = index
    return np.int64(first + best)


@jit(forceinline=True)
def _expand(tree: Tree, node: Int, mover: Int, count: Int, actions: Actions) -> bool:
    """Give a node its children, if there is room."""
    first = tree.num_nodes[0]
    if first + count > tree.action.size:
        return False
    tree.num_nodes[0] += count
    tree.first_child[node], tree.num_children[node] = first, count
    tree.num_tried[node], tree.num_open[node] = 0, count
    for index in range(count):
        tree.action[first + index] = actions[index]
        tree.player[first + index] = mover
        tree.visits[first + index] = 0
        tree.points[first + index] = 0
        tree.first_child[first + index] = UNEXPANDED
        tree.num_children[first + index] = 0
        tree.proven[first + index] = UNKNOWN
    return True


@jit
def _points(result: Word) -> Int:
    """1, 0 or -1 for the first player."""
    return 1 if result == FIRST_WON else -1 if result == SECOND_WON else 0


@jit
def _outcome(points: Int, player: Int) -> Int:
    """What the first player's points prove for a player."""
    if points == 0:
        return DRAWN
    return WON if (points > 0) == (player == 0) else LOST


@jit
def _certain_points(proven: Int, player: Int) -> Int:
    """The first player's points where an outcome is proven for a player."""
    if proven == DRAWN:
        return 0
    return 1 if (proven == WON) == (player == 0) else -1


@jit
def _prove(tree: Tree, path: Actions, depth: Int) -> None:
    """Carry up the path what follows from its last node being proven: one win is enough, all else must be complete."""
    while depth > 0:
        child, parent = path[depth], path[depth - 1]
        depth -= 1
        if tree.proven[parent]:
            return
        tree.num_open[parent] -= 1
        outcome, plies = tree.proven[child], tree.plies[child]
        if outcome != WON:
            if tree.num_open[parent] > 0:
                return
            outcome, plies = best_without_win(
                tree.proven, tree.plies, tree.first_child[parent], tree.num_children[parent]
            )
        if outcome != DRAWN and tree.player[child] != tree.player[parent]:
            outcome = LOST if outcome == WON else WON
        tree.proven[parent] = outcome
        tree.plies[parent] = plies + 1


@jit(types.int64(
    types.int64, types.int64, types.boolean, TREE, WORDS, WORDS, ACTIONS, ACTIONS, FLOATS, WORDS, types.int64,
    types.int64, types.float64, types.boolean, types.boolean,
))  # fmt: skip
def grow(
    moves_address: Int,
    play_address: Int,
    is_filling: bool,
    tree: Tree,
    root: Words,
    states: Words,
    actions: Actions,
    path: Actions,
    scores: Planes,
    generator: Words,
    simulations: Int,
    rollouts: Int,
    exploration: float,
    is_alternating: bool,
    is_proving: bool,
) -> Int:
    """Run simulations until the root is proven or all are done; how many were done."""
    moves, play = as_moves(moves_address), as_play(play_address)
    state, playout = borrow(states, 0, root.size), borrow(states, root.size, root.size)
    for simulation in range(simulations):
        if tree.proven[ROOT]:
            return simulation
        # Step 1. Down the tree to a node without children, or whose outcome is known.
        copy(state, 0, root, 0, root.size)
        node, depth = ROOT, 0
        path[0] = ROOT
        while tree.first_child[node] != UNEXPANDED and not tree.proven[node]:
            node = _choose(tree, node, exploration, scores, generator)
            play(state, np.int64(tree.action[node]))
            depth += 1
            path[depth] = node
        # Step 2. One node further, if this one was here before and there is room.
        if not tree.proven[node] and not state[RESULT] and (tree.visits[node] or node == ROOT):
            mover = tree.player[ROOT] ^ (depth & 1) if is_alternating else np.int64(state[TO_MOVE])
            if _expand(tree, node, mover, moves(state, actions), actions):
                node = _choose(tree, node, exploration, scores, generator)
                play(state, np.int64(tree.action[node]))
                depth += 1
                path[depth] = node
        # Step 3. What it is worth to the first player: certain at the end of a game, else by random games.
        if is_proving and state[RESULT] and not tree.proven[node]:
            tree.proven[node] = _outcome(_points(state[RESULT]), tree.player[node])
            tree.plies[node] = 0
            _prove(tree, path, depth)
        points = 0
        if tree.proven[node]:
            points = rollouts * _certain_points(tree.proven[node], tree.player[node])
        elif state[RESULT]:
            points = rollouts * _points(state[RESULT])
        else:
            for _ in range(rollouts):
                copy(playout, 0, state, 0, root.size)
                play_out(moves, play, is_filling, playout, actions, generator)
                points += _points(playout[RESULT])
        # Step 4. Back up, to each node from the side of the player who moved into it.
        for index in range(depth + 1):
            node = path[index]
            tree.visits[node] += rollouts
            tree.points[node] += -points if tree.player[node] else points
    return simulations


@jit(types.void(TREE, types.int64, types.int64, ACTIONS))
def reroot(tree: Tree, root: Int, to_move: Int, new_index: Actions) -> None:
    """Make a node the root and move what is below it to the front.

    Children have higher numbers than their parents, and the order is kept, so nothing is overwritten before it moved.
    """
    # Step 1. Mark what stays.
    for node in range(new_index.size):
        new_index[node] = 0
    new_index[root] = 1
    for node in range(root, new_index.size):
        if new_index[node] and tree.first_child[node] != UNEXPANDED:
            for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
                new_index[child] = 1
    # Step 2. Number it.
    count = 0
    for node in range(root, new_index.size):
        if new_index[node]:
            new_index[node] = count
            count += 1
        else:
            new_index[node] = UNEXPANDED
    # Step 3. Move it.
    for node in range(root, new_index.size):
        to = new_index[node]
        if to == UNEXPANDED:
            continue
        tree.action[to] = tree.action[node]
        tree.player[to] = tree.player[node]
        tree.visits[to] = tree.visits[node]
        tree.points[to] = tree.points[node]
        first = tree.first_child[node]
        tree.first_child[to] = UNEXPANDED if first == UNEXPANDED else new_index[first]
        tree.num_children[to] = tree.num_children[node]
        tree.num_tried[to] = tree.num_tried[node]
        tree.num_open[to] = tree.num_open[node]
        tree.proven[to] = tree.proven[node]
        tree.plies[to] = tree.plies[node]
    tree.num_nodes[0] = count
    # Step 4. The root is seen by the player to move.
    if tree.player[ROOT] != to_move:
        tree.player[ROOT] = to_move
        tree.points[ROOT] = -tree.points[ROOT]
        if tree.proven[ROOT] == WON:
            tree.proven[ROOT] = LOST
        elif tree.proven[ROOT] == LOST:
            tree.proven[ROOT] = WON
