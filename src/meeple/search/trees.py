"""The arrays of a search with an evaluator, and the step that grows every tree by a simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meeple.games.game import Game
from meeple.search.evaluator import Evaluator, Positions, UniformEvaluator
from meeple.search.forest import NODE_BYTES, Knobs, new_batch, new_forest, new_roots
from meeple.search.growth import back_up, grow_uniform, select
from meeple.search.settings import Settings

KEPT = 4
"""PUCT trees have room for what so many searches leave behind."""


class Trees:
    """So many trees of one game, and all that their kernels need."""

    def __init__(self, game: Game, settings: Settings, count: int) -> None:
        self.game = game
        self.settings = settings
        self.count = count
        self.is_gumbel = settings.engine == "gumbel"
        self.knobs = _knobs(settings)
        rows, self._depth = count * self.knobs.leaves, game.max_plies + 2
        self.capacity = 0
        """Nodes of a tree."""
        self.roots = new_roots(count, game.num_words, game.num_actions)
        self.table = np.zeros(settings.max_considered + 1, np.int32)
        """Gumbel: the plans of visits."""
        self.actions = np.empty(game.num_actions, np.int32)
        self.scratch = np.empty(game.num_words, np.uint64)
        self.path = np.empty(self._depth, np.int32)
        self.weights = np.empty(game.num_actions, np.float32)
        self._batch = new_batch(rows, game.num_words, game.num_actions, int(np.prod(game.shape)), self._depth)
        self._views = game.views.flatten()

    def reserve(self, simulations: int) -> bool:
        """Have room for searches of so many simulations; whether all was lost because the arrays had to grow."""
        kept = 1 if self.is_gumbel else KEPT
        most = self.settings.memory_mb * 2**20 // NODE_BYTES // self.count
        actions = self.game.num_actions
        needed = max(min((simulations + 1) * kept * actions, most), actions) + 1
        if needed <= self.capacity:
            return False
        self.forest = new_forest(self.count, needed)
        self.capacity = needed
        self.new_index = np.empty(needed, np.int32)
        return True

    @property
    def first_nodes(self) -> NDArray[np.int64]:
        """The root of every tree."""
        return np.arange(self.count) * self.capacity

    @property
    def num_bytes(self) -> int:
        """What the arrays take."""
        return sum(array.nbytes for array in (*self.forest, *self.roots, *self._batch, self.new_index))

    def step(self, evaluator: Evaluator) -> int:
        """Run one simulation of every leaf in the batch; how many were evaluated.

        All that are left where no evaluator is asked.
        """
        rules, game, batch = self.game.addresses, self.game, self._batch
        if isinstance(evaluator, UniformEvaluator):
            grow_uniform(
                rules.moves, rules.play, self.forest, self.roots, batch, self.actions, self.scratch, self.table,
                self.weights, self.knobs,
            )  # fmt: skip
            return 0
        count: int = select(
            rules.moves, rules.play, rules.observe, self.forest, self.roots, batch, self.actions, self.scratch,
            self.table, self.weights, self.knobs,
        )  # fmt: skip
        if count:
            rows = len(batch.tree)
            positions = Positions(
                batch.states.reshape(rows, -1)[:count],
                batch.planes.reshape(rows, *game.shape)[:count],
            )
            evaluation = evaluator.evaluate(positions)
            batch.logits.reshape(rows, -1)[:count] = evaluation.logits
            batch.values[:count] = evaluation.values
            back_up(rules.moves, self.forest, self.roots, batch, self.actions, self._views, count, self.knobs)
        return count


def _knobs(settings: Settings) -> Knobs:
    is_gumbel = settings.engine == "gumbel"
    return Knobs(
        is_gumbel=is_gumbel,
        c_init=settings.c_init,
        c_base=settings.c_base,
        fpu=settings.fpu,
        value_scale=settings.value_scale,
        visit_offset=settings.visit_offset,
        max_considered=settings.max_considered,
        leaves=1 if is_gumbel else settings.leaves,
        is_proving=settings.solve,
        is_alternating=settings.turns == "alternating",
        is_peeking=settings.peek and settings.solve and settings.turns == "true",
    )
