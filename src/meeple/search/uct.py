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
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.errors import PlayerError
from meeple.games.game import Game, Position
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
from meeple.search.analysis import Analysis, Candidate, best_candidate
from meeple.search.playouts import play_out

ROOT = 0
UNEXPANDED = -1
UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3
"""What is proven of a node, for the player who moved into it."""
RANK = {UNKNOWN: 1, WON: 2, LOST: 0, DRAWN: 1}
OUTCOMES = {UNKNOWN: None, WON: 1, LOST: -1, DRAWN: 0}
EXPLORATION = 1.4
MEMORY_MB = 256
CHUNK_S, MIN_CHUNK = 0.05, 64
THREAD_SEED = 0x632BE59BD9B4E019
LOGS = np.log(np.maximum(np.arange(1 << 14), 1)).astype(np.float32)
NEVER = np.float32(-1e30)

Turns = Literal["true", "alternating"]


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


INT32 = ("action", "visits", "points", "first_child", "num_children", "num_tried", "num_open")


def new_tree(capacity: int) -> Tree:
    """A tree without nodes."""
    wide = [np.empty(capacity, np.int32) for _ in range(7)]
    narrow = [np.empty(capacity, np.int8) for _ in range(2)]
    return Tree(
        wide[0], narrow[0], *wide[1:], narrow[1], np.empty(capacity, np.int16), np.zeros(1, np.int64)
    )  # fmt: skip


NODE_BYTES = sum(array.itemsize for array in new_tree(0)[:-1])
TREE = numba.typeof(new_tree(0))


class Grower:
    """One tree of a game, with its scratch memory and its own chances."""

    def __init__(
        self,
        game: Game,
        capacity: int,
        *,
        seed: int,
        exploration: float,
        rollouts: int,
        is_alternating: bool,
        is_proving: bool,
    ) -> None:
        self.game = game
        self.tree = new_tree(capacity)
        self.generator = np.array([seed], np.uint64)
        self._exploration, self._rollouts = exploration, rollouts
        self._is_alternating, self._is_proving = is_alternating, is_proving
        self._position: Position | None = None
        self._states = np.empty(2 * game.num_words, np.uint64)
        self._actions = np.empty(game.num_actions, np.int32)
        self._path = np.empty(game.max_plies + 2, np.int32)
        self._scores = np.empty(game.num_actions, np.float32)

    def start(self, position: Position) -> None:
        """Make a position the root; what the last search found out about it is kept."""
        node = None if self._position is None or self._is_alternating else self._find(self._position, position)
        if node is None:
            self._clear(position)
        else:
            _reroot(self.tree, node, position.to_move, np.empty(self.tree.num_nodes[0], np.int32))
        self._position = position

    def forget(self) -> None:
        """Let the next search start from nothing."""
        self._position = None

    def grow(self, simulations: int) -> int:
        """Run simulations, fewer where the root gets proven; how many."""
        assert self._position is not None
        rules = self.game.addresses
        return int(
            _grow(
                rules.moves, rules.play, self.game.is_filling, self.tree, self._position.state, self._states,
                self._actions, self._path, self._scores, self.generator, simulations, self._rollouts,
                self._exploration, self._is_alternating, self._is_proving,
            )
        )  # fmt: skip

    @property
    def is_full(self) -> bool:
        """Whether there may be no room for more nodes."""
        return bool(self.tree.num_nodes[0] + self.game.num_actions > len(self.tree.action))

    def children(self, node: int) -> range:
        """The nodes below a node."""
        first = int(self.tree.first_child[node])
        return range(0) if first == UNEXPANDED else range(first, first + int(self.tree.num_children[node]))

    def _find(self, root: Position, position: Position) -> int | None:
        """The node of a position that was reached from the root's, if there is one."""
        actions: list[int] = []
        before: Position = position
        while before.plies > root.plies and before.previous is not None and before.action is not None:
            actions.append(before.action)
            before = before.previous
        if before != root:
            return None
        node = ROOT
        for action in reversed(actions):
            found = [child for child in self.children(node) if self.tree.action[child] == action]
            if not found:
                return None
            node = found[0]
        return node

    def _clear(self, position: Position) -> None:
        for array in self.tree[:-1]:
            array[ROOT] = 0
        self.tree.player[ROOT] = position.to_move
        self.tree.first_child[ROOT] = UNEXPANDED
        self.tree.num_nodes[0] = 1


class Uct:
    """The engine: a tree for each thread, grown apart and counted together.

    exploration  how much is added to a child's mean for few visits, where results are -1 to 1
    rollouts     random games at each new node
    memory_mb    what all trees together may take; when they are full, the search goes on without growing them
    turns        `alternating` is the wrong rule that flips sides at every ply, kept to measure what it costs
    solve        whether proven wins and losses are backed up
    """

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        exploration: float = EXPLORATION,
        rollouts: int = 1,
        threads: int = 1,
        memory_mb: int = MEMORY_MB,
        turns: Turns = "true",
        solve: bool = True,
    ) -> None:
        capacity = max(memory_mb * 2**20 // NODE_BYTES // threads, game.num_actions + 1)
        self._growers = [
            Grower(
                game, capacity, seed=seed + thread * THREAD_SEED, exploration=exploration, rollouts=rollouts,
                is_alternating=turns == "alternating", is_proving=solve,
            )
            for thread in range(threads)
        ]  # fmt: skip

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        for thread, grower in enumerate(self._growers):
            grower.forget()
            grower.generator[0] = seed + thread * THREAD_SEED

    def analyse(
        self, position: Position, *, simulations: int | None = None, time_limit_s: float | None = None
    ) -> Analysis:
        """Search a position for so many simulations or so long, whichever ends first."""
        began = time.perf_counter()
        budget = Budget(simulations, time_limit_s)
        for grower in self._growers:
            grower.start(position)
        done = self._grow_in_threads(budget) if len(self._growers) > 1 else _grow_within(self._growers[0], budget, 1)
        return self._analysis(position, done, time.perf_counter() - began)

    def _grow_in_threads(self, budget: Budget) -> int:
        with ThreadPoolExecutor(len(self._growers)) as pool:
            try:
                work = [pool.submit(_grow_within, grower, budget, len(self._growers)) for grower in self._growers]
                return sum(one.result() for one in work)
            finally:
                budget.stop()

    def _analysis(self, position: Position, simulations: int, seconds: float) -> Analysis:
        candidates = _candidates(self._growers, position)
        best = best_candidate(candidates)
        leader = max(self._growers, key=lambda grower: int(grower.tree.visits[ROOT]))
        root_proven = _root_proven(candidates)
        value = best.value if root_proven is None else float(root_proven)
        return Analysis(
            position=position,
            move=best.move,
            value=value,
            candidates=candidates,
            line=(best.move, *_line(leader, position, best.move)),
            simulations=simulations,
            seconds=seconds,
            proven=root_proven,
            is_full=any(grower.is_full for grower in self._growers),
        )


class Budget:
    """How long a search goes on."""

    def __init__(self, simulations: int | None, time_limit_s: float | None) -> None:
        if simulations is None and time_limit_s is None:
            raise PlayerError("a search needs a number of simulations or a time limit")
        self.simulations = simulations
        self._deadline = math.inf if time_limit_s is None else time.perf_counter() + time_limit_s
        self._is_stopped = False

    def stop(self) -> None:
        """Let every thread end soon."""
        self._is_stopped = True

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return self._is_stopped or time.perf_counter() >= self._deadline


def _grow_within(grower: Grower, budget: Budget, threads: int) -> int:
    """One thread's share of a search, in chunks short enough to look at the clock between; how many simulations."""
    wanted = 2**62 if budget.simulations is None else -(-budget.simulations // threads)
    done, chunk = 0, MIN_CHUNK
    while done < wanted and not (done and budget.is_over):
        began = time.perf_counter()
        grown = grower.grow(min(chunk, wanted - done))
        done += grown
        if grown < min(chunk, wanted - done + grown):
            break
        seconds = time.perf_counter() - began
        chunk = max(MIN_CHUNK, int(min(2 * chunk, chunk * CHUNK_S / max(seconds, 1e-9))))
    return done


def _candidates(growers: Sequence[Grower], position: Position) -> tuple[Candidate, ...]:
    """The legal moves with the visits of all trees together."""
    names, legal = position.game.names, position.actions
    visits, points = dict.fromkeys(legal, 0), dict.fromkeys(legal, 0)
    proven: dict[int, tuple[int, int]] = {}
    for grower in growers:
        tree = grower.tree
        for child in grower.children(ROOT):
            action = int(tree.action[child])
            sign = 1 if tree.player[child] == tree.player[ROOT] else -1
            visits[action] += int(tree.visits[child])
            points[action] += sign * int(tree.points[child])
            outcome = OUTCOMES[int(tree.proven[child])]
            if outcome is not None:
                proven[action] = sign * outcome, int(tree.plies[child]) + 1
    total = max(sum(visits.values()), 1)
    found = []
    for action in legal:
        outcome, plies = proven.get(action, (None, None))
        mean = points[action] / max(visits[action], 1)
        value = mean if outcome is None else float(outcome)
        share = visits[action] / total
        found.append(Candidate(names[action], visits[action], value, 1 / len(legal), share, outcome, plies))
    return tuple(found)


def _root_proven(candidates: Sequence[Candidate]) -> int | None:
    """What is certain of the root: a win as soon as one move wins, else only once every move is certain."""
    outcomes = [candidate.proven for candidate in candidates]
    if 1 in outcomes:
        return 1
    certain = [outcome for outcome in outcomes if outcome is not None]
    return max(certain) if len(certain) == len(outcomes) else None


def _line(grower: Grower, position: Position, move: str) -> list[str]:
    """What both sides are expected to play after a move: the most visited, or what is proven best."""
    tree, names = grower.tree, position.game.names
    node = next((child for child in grower.children(ROOT) if names[tree.action[child]] == move), None)
    line: list[str] = []
    while node is not None:
        tried = [child for child in grower.children(node) if tree.visits[child]]
        if not tried:
            break
        node = max(tried, key=lambda child: (RANK[int(tree.proven[child])], int(tree.visits[child])))
        line.append(names[tree.action[node]])
    return line


@jit
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


@jit
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
            first = tree.first_child[parent]
            outcome, plies = LOST, 0
            for other in range(first, first + tree.num_children[parent]):
                if tree.proven[other] == DRAWN and outcome == LOST:
                    outcome, plies = DRAWN, 0
                if tree.proven[other] == outcome:
                    plies = max(plies, tree.plies[other])
        if outcome != DRAWN and tree.player[child] != tree.player[parent]:
            outcome = LOST if outcome == WON else WON
        tree.proven[parent] = outcome
        tree.plies[parent] = plies + 1


@jit(types.int64(
    types.int64, types.int64, types.boolean, TREE, WORDS, WORDS, ACTIONS, ACTIONS, FLOATS, WORDS, types.int64,
    types.int64, types.float64, types.boolean, types.boolean,
))  # fmt: skip
def _grow(
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
def _reroot(tree: Tree, root: Int, to_move: Int, new_index: Actions) -> None:
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
