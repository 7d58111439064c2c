"""A network evaluated by PyTorch: on CUDA, or as the reference that other runtimes are compared with.

Unlike theirs, its last bits depend on the size of the batch.
"""

from __future__ import annotations

import numpy as np
import torch

from meeple.games.game import Game
from meeple.nets.checkpoint import Checkpoint, fitted
from meeple.nets.network import Network
from meeple.search.evaluator import Evaluation, Positions


class TorchEvaluator:
    """Evaluates positions by a network in PyTorch; every logit is 0 where it has no policy."""

    def __init__(self, checkpoint: Checkpoint, game: Game, *, device: str = "cpu") -> None:
        self._game = game
        self._device = device
        self._network = Network(checkpoint.card.architecture, fitted(checkpoint, game)).eval()
        self._network.load(checkpoint.weights)
        self._network.to(device)

    def evaluate(self, positions: Positions) -> Evaluation:
        """What the network says."""
        planes = np.ascontiguousarray(positions.planes, np.float32).reshape(-1, *self._game.shape)
        with torch.inference_mode():
            outputs = self._network(torch.from_numpy(planes).to(self._device))
        zeros = np.zeros((len(planes), self._game.num_actions), np.float32)
        return Evaluation(
            zeros if outputs.logits is None else outputs.logits.cpu().numpy(), outputs.value.cpu().numpy()
        )
