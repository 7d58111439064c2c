"""The evaluator that is a network: no PyTorch, one core for each call, any number of threads.

A position's answer does not depend on what is evaluated beside it, nor on its place in the batch: both runtimes give
the same bits for every batch of 1 to 64 positions, in every precision (Zen 5; `tests/nets/test_graph.py` asks again).
"""

from __future__ import annotations

import numpy as np

from meeple.games.game import Game
from meeple.nets.checkpoint import Checkpoint
from meeple.nets.fastest import fastest
from meeple.nets.ways import runner
from meeple.search.evaluator import Evaluation, Positions


class NetworkEvaluator:
    """Evaluates positions by a network. Threads may share it; each call keeps one core busy.

    Unless told, it takes the fastest runtime and precision for batches of this size, which are measured once on a
    computer. CheckpointError where the network is one of another game.
    """

    def __init__(
        self, checkpoint: Checkpoint, game: Game, *, runtime: str = "auto", precision: str = "auto", batch: int = 64
    ) -> None:
        self.way = fastest(checkpoint, game, runtime=runtime, precision=precision, batch=batch)
        """The runtime and the precision."""
        self._game = game
        self._run = runner(checkpoint, game, self.way)

    def evaluate(self, positions: Positions) -> Evaluation:
        """What the network says; every logit is 0 where it has no policy."""
        count, game = len(positions.planes), self._game
        if count == 0:
            return Evaluation(np.zeros((0, game.num_actions), np.float32), np.zeros(0, np.float32))
        found = self._run(np.ascontiguousarray(positions.planes, np.float32).reshape(count, *game.shape))
        logits = found.get("logits")
        return Evaluation(np.zeros((count, game.num_actions), np.float32) if logits is None else logits, found["value"])
