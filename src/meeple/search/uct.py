"""The engine that searches by UCT: a tree for each thread, grown apart and counted together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from meeple.games.game import Game, Position
from meeple.search.analysis import Analysis, Candidate, actions_since, best_candidate, certain_value, check_position
from meeple.search.budget import Budget
from meeple.search.outcomes import OUTCOMES, RANK
from meeple.search.settings import Turns
from meeple.search.tree import NODE_BYTES, ROOT, UNEXPANDED, grow, new_tree, reroot

EXPLORATION = 1.4
MEMORY_MB = 256
CHUNK_S, MIN_CHUNK = 0.05, 64
THREAD_SEED = 0x632BE59BD9B4E019


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
        node = self._find(position)
        if node is None:
            self._clear(position)
        else:
            reroot(self.tree, node, position.to_move, np.empty(self.tree.num_nodes[0], np.int32))
        self._position = position

    def forget(self) -> None:
        """Let the next search start from nothing."""
        self._position = None

    def grow(self, simulations: int) -> int:
        """Run simulations, fewer where the root gets proven; how many."""
        assert self._position is not None
        rules = self.game.addresses
        return int(
            grow(
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

    def _find(self, position: Position) -> int | None:
        """The node of a position that was reached from the root's, if there is one."""
        actions = None if self._is_alternating else actions_since(self._position, position)
        node = ROOT
        for action in actions or ():
            found = [child for child in self.children(node) if self.tree.action[child] == action]
            if not found:
                return None
            node = found[0]
        return None if actions is None else node

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
        self._game = game
        self._growers = [
            Grower(
                game, capacity, seed=(seed + thread * THREAD_SEED) % 2**64, exploration=exploration, rollouts=rollouts,
                is_alternating=turns == "alternating", is_proving=solve,
            )
            for thread in range(threads)
        ]  # fmt: skip

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        for thread, grower in enumerate(self._growers):
            grower.forget()
            grower.generator[0] = (seed + thread * THREAD_SEED) % 2**64

    def analyse(
        self, position: Position, *, simulations: int | None = None, time_limit_s: float | None = None
    ) -> Analysis:
        """Search a position for so many simulations or so long, whichever ends first."""
        check_position(self._game, position)
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
        root_proven = certain_value(candidates)
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
