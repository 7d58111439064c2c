"""What an iteration of learning reports: its losses, and what tells whether it goes well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meeple.learn.losses import Targets, Terms, entropy, log_policy
from meeple.nets.network import Outputs

SATURATED = 0.98
"""A value as far from 0 as this is sure of itself."""


class Losses(NamedTuple):
    """How an iteration of learning went: means over its steps, and what tells whether it goes well."""

    steps: int
    examples: int
    total: float
    """The sum of the losses by weight."""
    policy: float
    value: float
    margin: float
    owners: float
    policy_entropy: float
    """Of the network's policy over legal actions, in nats."""
    target_entropy: float
    """Of the search's: the least that a cross-entropy can come to."""
    value_correlation: float
    """Between values and their targets; 0 where either is always the same."""
    value_saturation: float
    """The share of values that are nearly 1 or -1."""
    gradient_norm: float
    """Before it is clipped."""
    learning_rate: float
    """Of the last step."""


class Step(NamedTuple):
    """What a step reports; see `Losses`."""

    total: float
    policy: float
    value: float
    margin: float
    owners: float
    policy_entropy: float
    target_entropy: float
    gradient_norm: float
    learning_rate: float


class Tally:
    """Adds up what steps report."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._values: list[NDArray[np.float32]] = []
        self._targets: list[NDArray[np.float32]] = []

    @property
    def steps(self) -> int:
        """How many steps there were."""
        return len(self._steps)

    @torch.no_grad()
    def add(
        self, losses: Terms, outputs: Outputs, targets: Targets, wanted: Tensor, gradient_norm: float, rate: float
    ) -> None:
        """Take note of a step."""
        policy_entropy = target_entropy = 0.0
        if outputs.logits is not None:
            chances = log_policy(outputs.logits, targets.legal).exp() * targets.legal
            policy_entropy, target_entropy = entropy(chances, targets), entropy(targets.policies, targets)
        self._steps.append(
            Step(
                **{name: loss.item() for name, loss in losses._asdict().items()},
                policy_entropy=policy_entropy,
                target_entropy=target_entropy,
                gradient_norm=gradient_norm,
                learning_rate=rate,
            )
        )
        self._values.append(outputs.value.cpu().numpy())
        self._targets.append(wanted.cpu().numpy())

    def losses(self) -> Losses:
        """The means."""
        means = Step._make(np.mean(self._steps, axis=0).tolist())
        values, targets = np.concatenate(self._values), np.concatenate(self._targets)
        is_constant = min(values.std(), targets.std()) < 1e-6
        return Losses(
            steps=self.steps,
            examples=len(values),
            **means._replace(learning_rate=self._steps[-1].learning_rate)._asdict(),
            value_correlation=0.0 if is_constant else float(np.corrcoef(values, targets)[0, 1]),
            value_saturation=float((np.abs(values) > SATURATED).mean()),
        )
