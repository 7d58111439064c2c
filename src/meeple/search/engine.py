"""The engine that searches with an evaluator: PUCT or Gumbel AlphaZero, one position or many at once."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from meeple.errors import PlayerError
from meeple.games.game import Game, Position
from meeple.search.analysis import Analysis, Candidate, actions_since, certain_value, check_position
from meeple.search.budget import Budget
from meeple.search.evaluator import Evaluator, UniformEvaluator
from meeple.search.forest import UNEXPANDED
from meeple.search.gumbel import plans
from meeple.search.outcomes import OUTCOMES, RANK
from meeple.search.policy import NO_ACTION, best_actions, find_policy
from meeple.search.roots import add_dirichlets, add_gumbels, prove_roots, reroot
from meeple.search.settings import Settings
from meeple.search.trees import Trees

MAX_SIMULATIONS = 2**30 - 1
UNIFORM_CHUNK = 4096


class Engine:
    """Searches positions of one game, each with a tree of its own."""

    def __init__(
        self, game: Game, evaluator: Evaluator, settings: Settings | None = None, *, trees: int = 1, seed: int = 0
    ) -> None:
        self.game = game
        self.evaluator = evaluator
        self.settings = settings or Settings()
        self._is_uniform = isinstance(evaluator, UniformEvaluator)
        self._random = np.random.default_rng(seed)
        self._trees = Trees(game, self.settings, trees)
        self._positions: list[Position | None] = [None] * trees

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        self._random = np.random.default_rng(seed)
        self.forget()
        tell = getattr(self.evaluator, "begin", None)
        if tell is not None:
            tell(seed)

    def forget(self) -> None:
        """Let the next searches start from nothing."""
        self._positions = [None] * self._trees.count

    def analyse(
        self, position: Position, *, simulations: int | None = None, time_limit_s: float | None = None
    ) -> Analysis:
        """Search one position for so many simulations or so long, whichever ends first."""
        if simulations is None and self._trees.is_gumbel:
            raise PlayerError("a Gumbel search needs a number of simulations: it plans all of them ahead")
        began = time.perf_counter()
        budget = Budget(simulations, time_limit_s)
        done = self.grow([position], MAX_SIMULATIONS if simulations is None else simulations, budget)
        return self.analysis(0, int(done[0]), time.perf_counter() - began)

    def grow(
        self,
        positions: Sequence[Position],
        simulations: int | NDArray[np.int32],
        budget: Budget | None = None,
        *,
        seeds: Sequence[int] | None = None,
    ) -> NDArray[np.int32]:
        """Search positions, one tree each; how many simulations each got.

        PUCT goes on from what it knows of a position from the search before; Gumbel always starts from nothing. Each
        position may have a seed for its noise.
        """
        wanted = np.zeros(self._trees.count, np.int32)
        wanted[: len(positions)] = simulations
        try:
            return self._grow(positions, wanted, budget, seeds)
        except BaseException:
            self.forget()  # leaves that still wait for their evaluation would wait for ever
            raise

    def _grow(
        self,
        positions: Sequence[Position],
        wanted: NDArray[np.int32],
        budget: Budget | None,
        seeds: Sequence[int] | None,
    ) -> NDArray[np.int32]:
        if self._trees.reserve(int(wanted.max())):
            self._positions = [None] * self._trees.count
        is_new = [self._plant(tree, position) for tree, position in enumerate(positions)]
        roots = self._trees.first_nodes
        self._trees.roots.simulations[:] = (wanted > 0) & (self._trees.forest.first_child[roots] == UNEXPANDED)
        self._trees.step(self.evaluator)
        before = self._trees.forest.visits[roots]
        self._add_noise(self._chances(len(positions), seeds), is_new)
        if self._trees.knobs.is_peeking:
            trees = self._trees
            prove_roots(self.game.addresses.play, trees.forest, trees.roots, trees.scratch, trees.path)
        if self._trees.is_gumbel:
            self._plan(wanted)
        chunk = UNIFORM_CHUNK if budget is not None and self._is_uniform else MAX_SIMULATIONS
        left = wanted
        while left.any() and not (budget is not None and budget.is_over):
            given = np.minimum(left, chunk)
            self._trees.roots.simulations[:] = given
            self._trees.step(self.evaluator)
            left = left - given + self._trees.roots.simulations
        return self._trees.forest.visits[roots] - before

    def _plan(self, wanted: NDArray[np.int32]) -> None:
        """Give every tree the plan of its number of simulations."""
        numbers, which = np.unique(np.maximum(wanted, 1), return_inverse=True)
        self._trees.table, starts = plans(self.settings.max_considered, numbers.tolist())
        self._trees.roots.plan_start[:], self._trees.roots.plan_width[:] = starts[which], numbers[which]

    def analysis(self, tree: int, simulations: int, seconds: float) -> Analysis:
        """What the search found out about the position of a tree."""
        position = self._positions[tree]
        assert position is not None
        candidates = self._candidates(tree, position)
        move = self.best_moves(tree + 1)[tree]
        best = next(candidate for candidate in candidates if candidate.move == move)
        proven = certain_value(candidates)
        return Analysis(
            position=position,
            move=best.move,
            value=best.value if proven is None else float(proven),
            candidates=candidates,
            line=(best.move, *self._line(tree, best.move)),
            simulations=simulations,
            seconds=seconds,
            proven=proven,
            is_full=bool(self._trees.forest.num_nodes[tree] + self.game.num_actions > self._trees.capacity),
        )

    def best_moves(self, count: int) -> list[str]:
        """The best moves in the positions of the first trees, after a search: as in their analyses, but quicker."""
        actions = np.empty(count, np.int32)
        best_actions(self._trees.forest, self._trees.roots, self._trees.knobs, actions)
        names, positions = self.game.names, self._positions[:count]
        return [
            names[action] if action != NO_ACTION or position is None else position.moves[0]
            for action, position in zip(actions.tolist(), positions, strict=True)
        ]

    def _plant(self, tree: int, position: Position) -> bool:
        """Make a position the root of a tree; whether it was not before."""
        check_position(self.game, position)
        forest, root = self._trees.forest, tree * self._trees.capacity
        node = None if self._trees.is_gumbel or self._trees.knobs.is_alternating else self._find(tree, position)
        if node is not None and forest.first_child[node] < 0:  # nothing was known of its moves
            node = None
        if node is None:
            for array in forest[:-1]:
                array[root] = 0
            forest.first_child[root] = UNEXPANDED
            forest.mover[root] = position.to_move
            forest.num_nodes[tree] = 1
        elif node != root:
            reroot(forest, tree, node, position.to_move, self._trees.new_index)
        words = self.game.num_words
        self._trees.roots.states[tree * words : (tree + 1) * words] = position.state
        self._positions[tree] = position
        return node != root

    def _find(self, tree: int, position: Position) -> int | None:
        """The node of a position that was reached from a tree's root."""
        actions = actions_since(self._positions[tree], position)
        if actions is None:
            return None
        node = tree * self._trees.capacity
        for action in actions:
            found = [child for child in self._tried(node) if self._trees.forest.action[child] == action]
            if not found:
                return None
            node = found[0]
        return node

    def _tried(self, node: int) -> range:
        """The visited children of a node."""
        first = int(self._trees.forest.first_child[node])
        return range(0) if first < 0 else range(first, first + int(self._trees.forest.num_tried[node]))

    def _chances(self, count: int, seeds: Sequence[int] | None) -> list[np.random.Generator]:
        return [self._random] * count if seeds is None else [np.random.default_rng(seed) for seed in seeds]

    def _add_noise(self, chances: Sequence[np.random.Generator], is_new: Sequence[bool]) -> None:
        """Let chance play at the roots, a generator for each; a root that had its noise before keeps it."""
        settings, num_actions = self.settings, self.game.num_actions
        noise = np.zeros((self._trees.count, num_actions), np.float32)
        if self._trees.is_gumbel:
            if settings.gumbel_noise:
                for row, chance in zip(noise, chances, strict=False):
                    row[:] = settings.gumbel_noise * chance.gumbel(size=num_actions)
            add_gumbels(self._trees.forest, self._trees.roots, noise.ravel(), settings.max_considered)
        elif settings.noise:
            alpha = settings.noise_alpha or 10 / num_actions
            for tree in np.flatnonzero(is_new).tolist():
                noise[tree] = chances[tree].standard_gamma(alpha, num_actions)
            add_dirichlets(self._trees.forest, noise.ravel(), num_actions, settings.noise)

    def _candidates(self, tree: int, position: Position) -> tuple[Candidate, ...]:
        """The legal moves in the order of the actions."""
        forest, names = self._trees.forest, position.game.names
        children = self._children(tree * self._trees.capacity)
        if not len(children):  # there was no room for any
            return tuple(Candidate(move, 0, 0.0, 0.0, 1 / len(position.moves)) for move in position.moves)
        tried = self._tried(tree * self._trees.capacity)
        shares = self._shares(tree)
        found = []
        for share, child in zip(shares, children, strict=True):
            is_tried = child < tried.stop
            visits = int(forest.visits[child]) if is_tried else 0
            outcome = OUTCOMES[int(forest.proven[child])] if is_tried else None
            mean = float(forest.total[child]) / visits if visits else 0.0
            found.append(
                Candidate(
                    move=names[forest.action[child]],
                    visits=visits,
                    value=mean if outcome is None else float(outcome),
                    prior=float(forest.prior[child]),
                    policy=float(share),
                    proven=outcome,
                    plies=None if outcome is None else int(forest.plies[child]) + 1,
                )
            )
        order = np.argsort(forest.action[children.start : children.stop])
        return tuple(found[index] for index in order)

    def _shares(self, tree: int) -> NDArray[np.float64]:
        """The policy that the search found, in the order of the children."""
        root = tree * self._trees.capacity
        policy = np.empty(len(self._children(root)), np.float32)
        find_policy(self._trees.forest, root, self._trees.knobs, policy)
        return policy / policy.sum(dtype=np.float64)  # a sum of many float32 is not quite 1

    def _children(self, node: int) -> range:
        first = int(self._trees.forest.first_child[node])
        return range(0) if first < 0 else range(first, first + int(self._trees.forest.num_children[node]))

    def _line(self, tree: int, move: str) -> list[str]:
        """What both sides are expected to play after a move: the most visited, or what is proven best."""
        forest, names = self._trees.forest, self.game.names
        root = tree * self._trees.capacity
        node = next((child for child in self._tried(root) if names[forest.action[child]] == move), None)
        line: list[str] = []
        while node is not None and self._tried(node):
            node = max(
                self._tried(node), key=lambda child: (RANK[int(forest.proven[child])], int(forest.visits[child]))
            )
            line.append(names[forest.action[node]])
        return line
