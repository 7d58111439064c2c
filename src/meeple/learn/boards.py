"""Games of self-play in the making, many at once: a compiled step takes every one as far as it can go.

Each game sits at a board and has the tree of the same number in a forest. A board waits for an evaluation of its root,
or searches; `advance` begins searches, ends them, records what they teach, plays the moves, and stops only where a tree
needs its next evaluation or a game is over. A game's chances come from its own generator, so it does not depend on the
others beside it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.games.rules import DRAWN, FIRST_WON, GOING_ON, RESULT, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    FLOATS,
    WORDS,
    Actions,
    Float,
    Int,
    Planes,
    Rule,
    Word,
    Words,
    as_moves,
    as_play,
    borrow,
    jit,
    next_random,
    random_below,
)
from meeple.search import outcomes
from meeple.search.forest import FOREST, KNOBS, ROOTS, UNEXPANDED, Forest, Knobs, Roots
from meeple.search.policy import best_child, find_policy, root_value
from meeple.search.roots import add_dirichlet, add_gumbel, prove_root, reroot

IDLE, WAITING, SEARCHING, OVER = 0, 1, 2, 3


class Boards(NamedTuple):
    """The games, one row each; what is by ply has a row of `max_plies` for each game."""

    stage: NDArray[np.int8]
    generator: NDArray[np.uint64]
    num_plies: NDArray[np.int32]
    actions: NDArray[np.int32]
    """By ply."""
    num_rows: NDArray[np.int32]
    """How many positions are recorded."""
    rows: NDArray[np.int32]
    """The plies of the recorded positions."""
    policies: NDArray[np.float32]
    """By recorded position and action."""
    root_values: NDArray[np.float32]
    """By recorded position, for the player to move."""
    is_full: NDArray[np.int8]
    """Whether the search is one that is recorded."""
    result: NDArray[np.int8]
    """Of a game that is over."""
    is_complete: NDArray[np.int8]
    """Whether it was played to its end."""
    may_resign: NDArray[np.int8]


class Habits(NamedTuple):
    """How moves are chosen; numbers only, for the kernels."""

    simulations: int
    fast_simulations: int
    full_share: float
    fast_start: int
    """Where the plan of fast searches begins in the table of all plans."""
    noise: float
    """Dirichlet's share, or the scale of Gumbel's."""
    noise_alpha: float
    temperature: float
    temperature_plies: int
    late_temperature: float
    randomness: float
    resign_below: float
    is_stopping: bool
    """Whether a game ends when its root is proven."""


def new_boards(games: int, max_plies: int, num_actions: int) -> Boards:
    """Room for so many games."""
    return Boards(
        np.zeros(games, np.int8),
        np.zeros(games, np.uint64),
        np.zeros(games, np.int32),
        np.zeros(games * max_plies, np.int32),
        np.zeros(games, np.int32),
        np.zeros(games * max_plies, np.int32),
        np.zeros(games * max_plies * num_actions, np.float32),
        np.zeros(games * max_plies, np.float32),
        np.zeros(games, np.int8),
        np.zeros(games, np.int8),
        np.zeros(games, np.int8),
        np.zeros(games, np.int8),
    )


BOARDS = numba.typeof(new_boards(1, 1, 1))
HABITS = numba.typeof(Habits(1, 1, 1.0, 1, 1.0, 1.0, 1.0, 1, 1.0, 1.0, 1.0, True))


@jit
def _uniform(generator: Words) -> Float:
    """A random number above 0 and up to 1."""
    return (np.float64(next_random(generator) >> np.uint64(11)) + 1.0) / 9007199254740992.0


@jit
def _gamma(generator: Words, alpha: Float) -> Float:
    """A number drawn from the gamma distribution (G. Marsaglia and W. W. Tsang, 2000)."""
    shape = alpha if alpha >= 1 else alpha + 1
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        normal = math.sqrt(-2 * math.log(_uniform(generator))) * math.cos(2 * math.pi * _uniform(generator))
        cube = (1 + c * normal) ** 3
        if cube <= 0:
            continue
        if math.log(_uniform(generator)) < normal * normal / 2 + d - d * cube + d * math.log(cube):
            scale = 1.0 if alpha >= 1 else _uniform(generator) ** (1 / alpha)
            return d * cube * scale


@jit
def _draw(generator: Words, weights: Planes, count: Int, temperature: Float) -> Int:
    """An index, drawn by weights to the power of one over the temperature."""
    highest, best = np.float32(0), 0
    for index in range(count):
        if weights[index] > highest:
            highest, best = weights[index], index
    total = 0.0
    for index in range(count):
        total += (weights[index] / highest) ** (1 / temperature)
    left = _uniform(generator) * total
    for index in range(count):
        left -= (weights[index] / highest) ** (1 / temperature)
        if left <= 0 and weights[index] > 0:
            return index
    return best  # rounding left something over


@jit
def _plant(
    moves: Rule, play: Rule, forest: Forest, roots: Roots, boards: Boards, tree: Int, kept: Int, actions: Actions,
    new_index: Actions, habits: Habits,
) -> None:  # fmt: skip
    """Let a board wait for its root's evaluation, after random moves where chance wants them.

    `kept` is the child whose tree is gone on with, or -1.
    """
    trees = forest.num_nodes.size
    words, root = roots.states.size // trees, tree * (forest.action.size // trees)
    state, generator = borrow(roots.states, tree * words, words), borrow(boards.generator, tree, 1)
    while habits.randomness > 0 and state[RESULT] == GOING_ON and _uniform(generator) < habits.randomness:
        action = np.int64(actions[random_below(generator, moves(state, actions))])
        _put_down(boards, tree, action)
        play(state, action)
        kept = -1
    if state[RESULT]:
        boards.result[tree], boards.is_complete[tree] = state[RESULT], 1
        boards.stage[tree] = OVER
        roots.simulations[tree] = 0
        return
    mover = np.int64(state[TO_MOVE])
    if kept >= 0 and forest.first_child[kept] >= 0:
        reroot(forest, tree, kept, mover, new_index)
    else:
        forest.first_child[root] = UNEXPANDED
        forest.mover[root] = mover
        forest.visits[root], forest.total[root], forest.raw[root] = 0, np.float32(0), np.float32(0)
        forest.num_children[root], forest.num_tried[root], forest.num_open[root] = 0, 0, 0
        forest.proven[root], forest.plies[root] = outcomes.UNKNOWN, 0
        forest.num_nodes[tree] = 1
    boards.stage[tree] = WAITING
    roots.simulations[tree] = 1


@jit
def _put_down(boards: Boards, tree: Int, action: Int) -> None:
    """Write down a move."""
    max_plies = boards.actions.size // boards.stage.size
    boards.actions[tree * max_plies + boards.num_plies[tree]] = action
    boards.num_plies[tree] += 1


@jit
def _begin(
    play: Rule, forest: Forest, roots: Roots, boards: Boards, tree: Int, scratch: Words, path: Actions, noise: Planes,
    habits: Habits, knobs: Knobs,
) -> None:  # fmt: skip
    """Begin the search of a root that has its children."""
    generator = borrow(boards.generator, tree, 1)
    is_full = habits.full_share >= 1 or _uniform(generator) <= habits.full_share
    boards.is_full[tree] = is_full
    simulations = habits.simulations if is_full else habits.fast_simulations
    if knobs.is_gumbel:
        for action in range(noise.size):
            noise[action] = np.float32(0)
            if is_full and habits.noise > 0:
                noise[action] = np.float32(-habits.noise * math.log(max(-math.log(_uniform(generator)), 1e-30)))
        add_gumbel(forest, roots, tree, noise, knobs.max_considered)
        roots.plan_start[tree], roots.plan_width[tree] = (0 if is_full else habits.fast_start), simulations
    elif is_full and habits.noise > 0:
        for action in range(noise.size):
            noise[action] = np.float32(_gamma(generator, habits.noise_alpha))
        add_dirichlet(forest, tree, noise, habits.noise)
    if knobs.is_peeking:
        prove_root(play, forest, roots, tree, scratch, path)
    roots.simulations[tree] = simulations
    boards.stage[tree] = SEARCHING


@jit
def _record(forest: Forest, root: Int, boards: Boards, tree: Int, policy: Planes, value: Float) -> None:
    """Keep the root's policy and value."""
    max_plies = boards.rows.size // boards.stage.size
    num_actions = boards.policies.size // boards.rows.size
    row = tree * max_plies + boards.num_rows[tree]
    boards.rows[row] = boards.num_plies[tree]
    boards.root_values[row] = value
    for action in range(num_actions):
        boards.policies[row * num_actions + action] = np.float32(0)
    first = np.int64(forest.first_child[root])
    for index in range(forest.num_children[root]):
        boards.policies[row * num_actions + forest.action[first + index]] = policy[index]
    boards.num_rows[tree] += 1


@jit
def _proven_result(forest: Forest, root: Int) -> Int:
    """The result of a game whose root is proven."""
    if forest.proven[root] == outcomes.DRAWN:
        return DRAWN
    winner = forest.mover[root] if forest.proven[root] == outcomes.WON else 1 - forest.mover[root]
    return FIRST_WON + winner


@jit
def _choose(
    forest: Forest, roots: Roots, boards: Boards, tree: Int, policy: Planes, knobs: Knobs, habits: Habits
) -> Int:  # fmt: skip
    """Which child of a root is played: one drawn by temperature, or the best."""
    root = tree * (forest.action.size // forest.num_nodes.size)
    is_early = boards.num_plies[tree] < habits.temperature_plies
    temperature = habits.temperature if is_early else habits.late_temperature
    if forest.proven[root] or temperature <= 0:
        return best_child(forest, roots, tree, knobs)
    generator, first = borrow(boards.generator, tree, 1), np.int64(forest.first_child[root])
    return first + _draw(generator, policy, np.int64(forest.num_children[root]), temperature)


@jit
def _finish(
    moves: Rule, play: Rule, forest: Forest, roots: Roots, boards: Boards, tree: Int, actions: Actions,
    policy: Planes, new_index: Actions, habits: Habits, knobs: Knobs,
) -> None:  # fmt: skip
    """End the search of a root: record it, play a move, and wait for the next root; or the game is over."""
    trees = forest.num_nodes.size
    words, root = roots.states.size // trees, tree * (forest.action.size // trees)
    state = borrow(roots.states, tree * words, words)
    find_policy(forest, root, knobs, policy)
    value = root_value(forest, root, policy, knobs)
    if boards.is_full[tree]:
        _record(forest, root, boards, tree, policy, value)
    if forest.proven[root] and habits.is_stopping:
        boards.result[tree], boards.is_complete[tree] = _proven_result(forest, root), 0
        boards.stage[tree] = OVER
        return
    if value < habits.resign_below and boards.is_full[tree] and boards.may_resign[tree]:
        boards.result[tree], boards.is_complete[tree] = FIRST_WON + 1 - np.int64(state[TO_MOVE]), 0
        boards.stage[tree] = OVER
        return
    child = np.int64(_choose(forest, roots, boards, tree, policy, knobs, habits))
    _put_down(boards, tree, np.int64(forest.action[child]))
    play(state, np.int64(forest.action[child]))
    is_visited = child < forest.first_child[root] + forest.num_tried[root]
    # Below the wrong rule's extra turns the wrong player moves: such a tree is no good for the position itself.
    is_kept = is_visited and not knobs.is_gumbel and not knobs.is_alternating
    kept = child if is_kept else np.int64(-1)
    _plant(moves, play, forest, roots, boards, tree, kept, actions, new_index, habits)


@jit(types.int64(
    types.int64, types.int64, FOREST, ROOTS, BOARDS, ACTIONS, WORDS, ACTIONS, FLOATS, ACTIONS, HABITS, KNOBS,
))  # fmt: skip
def advance(
    moves_address: Int,
    play_address: Int,
    forest: Forest,
    roots: Roots,
    boards: Boards,
    actions: Actions,
    scratch: Words,
    path: Actions,
    weights: Planes,
    new_index: Actions,
    habits: Habits,
    knobs: Knobs,
) -> Int:
    """Take every game as far as it can go without an evaluation; how many games are over."""
    moves, play = as_moves(moves_address), as_play(play_address)
    trees = forest.num_nodes.size
    capacity, over = forest.action.size // trees, 0
    for tree in range(trees):
        root = tree * capacity
        while True:
            stage = boards.stage[tree]
            if stage == WAITING and forest.first_child[root] >= 0:
                _begin(play, forest, roots, boards, tree, scratch, path, weights, habits, knobs)
            elif stage == SEARCHING and (roots.simulations[tree] <= 0 or forest.proven[root]):
                _finish(moves, play, forest, roots, boards, tree, actions, weights, new_index, habits, knobs)
            else:
                break
        over += boards.stage[tree] == OVER
    return over


@jit(types.void(types.int64, types.int64, FOREST, ROOTS, BOARDS, ACTIONS, ACTIONS, HABITS, types.int64, types.uint64,
))  # fmt: skip
def sit_down(
    moves_address: Int,
    play_address: Int,
    forest: Forest,
    roots: Roots,
    boards: Boards,
    actions: Actions,
    new_index: Actions,
    habits: Habits,
    tree: Int,
    seed: Word,
) -> None:
    """Begin a game at a board whose root state and opening moves are in place."""
    boards.generator[tree] = seed
    boards.num_rows[tree] = 0
    moves, play = as_moves(moves_address), as_play(play_address)
    _plant(moves, play, forest, roots, boards, tree, np.int64(-1), actions, new_index, habits)
