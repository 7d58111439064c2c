"""How far a network is from its targets, a number for each of its heads.

What a search says of illegal actions is no news: they are left out of the softmax, as the search leaves them out.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from meeple.learn.examples import Examples
from meeple.learn.recipe import Learner
from meeple.nets.network import Outputs

MARGIN_STEP = 0.2
"""Errors of a margin beyond this share of the board count linearly, not squared."""


class Targets(NamedTuple):
    """Examples as tensors."""

    planes: Tensor
    policies: Tensor
    legal: Tensor
    outcomes: Tensor
    root_values: Tensor
    margins: Tensor
    owners: Tensor
    is_complete: Tensor


class Terms(NamedTuple):
    """The losses of a batch and their sum by weight; zeros for heads that the network has not."""

    total: Tensor
    policy: Tensor
    value: Tensor
    margin: Tensor
    owners: Tensor


def targets_of(examples: Examples, device: str = "cpu") -> Targets:
    """The same numbers as tensors; nothing is copied on the processor."""
    return Targets._make(torch.from_numpy(column).to(device) for column in examples)


def terms(outputs: Outputs, targets: Targets, settings: Learner) -> Terms:
    """The losses of a batch."""
    policy = value = margin = owners = outputs.value.new_zeros(())
    if outputs.logits is not None:
        policy = policy_loss(outputs.logits, targets, is_squared=settings.policy_loss == "masked_squared")
    if settings.value_loss == "cross_entropy":
        assert outputs.wdl_logits is not None, "a recipe asks for it only where there is this head"
        value = chances_loss(outputs.wdl_logits, targets, settings.root_value_share)
    else:
        value = (outputs.value - value_target(targets, settings.root_value_share)).square().mean()
    if outputs.margin is not None:
        margin = margin_loss(outputs.margin, targets)
    if outputs.owners is not None:
        owners = owners_loss(outputs.owners, targets)
    total = settings.policy_weight * policy + settings.value_weight * value
    return Terms(
        total + settings.margin_weight * margin + settings.owners_weight * owners, policy, value, margin, owners
    )


def log_policy(logits: Tensor, legal: Tensor) -> Tensor:
    """The logarithms of the chances of legal actions; 0 for the others, so that nothing multiplied by it is lost."""
    return torch.log_softmax(logits.masked_fill(~legal, -torch.inf), 1).masked_fill(~legal, 0)


def policy_loss(logits: Tensor, targets: Targets, *, is_squared: bool) -> Tensor:
    """The mean cross-entropy to the search's policy, or mean squared error, where illegal actions count as right."""
    if is_squared:
        chances = log_policy(logits, targets.legal).exp() * targets.legal
        losses = (chances - targets.policies).square().mean(1)
    else:
        losses = -(targets.policies * log_policy(logits, targets.legal)).sum(1)
    return _mean_of(losses, targets.policies.any(1))


def value_target(targets: Targets, root_value_share: float) -> Tensor:
    """The outcome, or what lies so far between it and the search's value."""
    return torch.lerp(targets.outcomes, targets.root_values, root_value_share)


def chances_target(targets: Targets, root_value_share: float) -> Tensor:
    """Chances of a win, a draw and a loss; a search's value is split into wins and losses, for it tells of no draws."""
    wins, losses = (targets.outcomes > 0).float(), (targets.outcomes < 0).float()
    ended = torch.stack([wins, 1 - wins - losses, losses], 1)
    values = targets.root_values.clamp(-1, 1)
    thought = torch.stack([(1 + values) / 2, torch.zeros_like(values), (1 - values) / 2], 1)
    return torch.lerp(ended, thought, root_value_share)


def chances_loss(wdl_logits: Tensor, targets: Targets, root_value_share: float) -> Tensor:
    """The mean cross-entropy to the chances of a win, a draw and a loss."""
    return functional.cross_entropy(wdl_logits, chances_target(targets, root_value_share))


def margin_loss(margins: Tensor, targets: Targets) -> Tensor:
    """The mean Huber loss of games that were played to the end, in shares of the board and its first step."""
    losses = functional.huber_loss(margins / MARGIN_STEP, targets.margins / MARGIN_STEP, reduction="none")
    return _mean_of(losses, targets.is_complete)


def owners_loss(owners: Tensor, targets: Targets) -> Tensor:
    """The mean squared error over cells of games that were played to the end."""
    return _mean_of((owners - targets.owners).square().mean(1), targets.is_complete)


def entropy(chances: Tensor, targets: Targets) -> float:
    """The mean entropy in nats of the rows that have a policy to learn."""
    return _mean_of(torch.special.entr(chances).sum(1), targets.policies.any(1)).item()


def _mean_of(losses: Tensor, counts: Tensor) -> Tensor:
    """The mean over the rows that count; 0 where none does."""
    return (losses * counts).sum() / counts.sum().clamp(min=1)
