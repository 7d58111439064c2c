"""Losses against plain loops, and what they reach."""

import numpy as np
import pytest
import torch

from meeple.games.registry import game
from meeple.learn import losses
from meeple.learn.examples import Examples
from meeple.learn.recipe import Learner, Replay
from meeple.learn.replay import Window
from meeple.nets.architecture import Architecture
from meeple.nets.layout import layout_of
from meeple.nets.network import Network
from reference import losses as plain
from reference.networks import ARCHITECTURES
from reference.selfplay import random_episode


def made_up(seed, count=13, num_actions=6, cells=5):
    """Targets of every kind: without a policy, not complete, with one legal action."""
    chance = np.random.default_rng(seed)
    legal = chance.random((count, num_actions)) < 0.5
    legal[:, 2] = True
    legal[0] = [False] * 2 + [True] + [False] * (num_actions - 3)
    policies = chance.random((count, num_actions)) * legal * (chance.random((count, num_actions)) < 0.7)
    policies /= np.maximum(policies.sum(1, keepdims=True), 1e-9)
    policies[1] = 0
    return losses.targets_of(
        Examples(
            chance.random((count, 2, 3, 3)).astype(np.float32),
            policies.astype(np.float32),
            legal,
            chance.integers(-1, 2, count).astype(np.float32),
            chance.uniform(-1, 1, count).astype(np.float32),
            chance.uniform(-1, 1, count).astype(np.float32),
            chance.integers(-1, 2, (count, cells)).astype(np.float32),
            chance.random(count) < 0.6,
        )
    )


def noise(*shape, seed=1, scale=2.0):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape).astype(np.float32)) * scale


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_squared", [False, True])
def test_policy_losses(seed, is_squared):
    targets, logits = made_up(seed), noise(13, 6, seed=seed)
    expected = plain.policy(
        zip(logits.tolist(), targets.policies.tolist(), targets.legal.tolist(), strict=True), is_squared
    )
    assert losses.policy_loss(logits, targets, is_squared=is_squared).item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_entropy(seed):
    targets = made_up(seed)
    assert losses.entropy(targets.policies, targets) == pytest.approx(
        plain.entropy(targets.policies.tolist()), rel=1e-5
    )


@pytest.mark.parametrize("share", [0, 0.3, 1])
def test_value_losses(share):
    targets = made_up(5)
    rest = targets.outcomes.tolist(), targets.root_values.tolist()
    settings = Learner(steps=1, root_value_share=share, value_weight=2)
    outputs = losses.Outputs(None, noise(13, scale=0.5), noise(13, 3), None, None)
    found = losses.terms(outputs, targets, settings)
    assert found.value.item() == pytest.approx(plain.value(zip(outputs.value.tolist(), *rest, strict=True), share))
    assert found.total.item() == pytest.approx(2 * found.value.item())
    soft = losses.terms(outputs, targets, settings.model_copy(update={"value_loss": "cross_entropy"}))
    expected = plain.chances(zip(outputs.wdl_logits.tolist(), *rest, strict=True), share)
    assert soft.value.item() == pytest.approx(expected, rel=1e-5)


def test_chances_have_the_value_of_the_target():
    targets = made_up(6)
    chances = losses.chances_target(targets, 0.4)
    assert chances.sum(1).tolist() == pytest.approx([1] * 13)
    assert (chances[:, 0] - chances[:, 2]).tolist() == pytest.approx(
        losses.value_target(targets, 0.4).tolist(), abs=1e-6
    )


def test_margin_and_owners():
    targets = made_up(7)
    margins, owners = noise(13, scale=0.4), noise(13, 5, scale=0.5)
    known = targets.is_complete.tolist()
    assert not all(known)
    rows = zip(margins.tolist(), targets.margins.tolist(), known, strict=True)
    assert losses.margin_loss(margins, targets).item() == pytest.approx(
        plain.margin(rows, losses.MARGIN_STEP), rel=1e-5
    )
    rows = zip(owners.tolist(), targets.owners.tolist(), known, strict=True)
    assert losses.owners_loss(owners, targets).item() == pytest.approx(plain.owners(rows), rel=1e-5)


def test_nothing_known_is_no_loss():
    targets = made_up(8)._replace(policies=torch.zeros(13, 6), is_complete=torch.zeros(13, dtype=torch.bool))
    logits = noise(13, 6).requires_grad_()
    found = [
        losses.policy_loss(logits, targets, is_squared=False),
        losses.policy_loss(logits, targets, is_squared=True),
        losses.margin_loss(noise(13), targets),
        losses.owners_loss(noise(13, 5), targets),
    ]
    assert [loss.item() for loss in found] == [0, 0, 0, 0]
    (found[0] + found[1]).backward()
    assert not logits.grad.any()


@pytest.mark.parametrize("is_squared", [False, True])
def test_illegal_actions_are_not_moved(is_squared):
    targets, logits = made_up(9), noise(13, 6, scale=30).requires_grad_()
    losses.policy_loss(logits, targets, is_squared=is_squared).backward()
    assert torch.isfinite(logits.grad).all()
    assert logits.grad[~targets.legal].abs().max() == 0
    assert logits.grad[targets.legal].abs().max() > 0


def test_the_gradient_of_cross_entropy_is_chances_minus_target():
    targets, logits = made_up(10), noise(13, 6).requires_grad_()
    losses.policy_loss(logits, targets, is_squared=False).backward()
    chances = torch.tensor([plain.softmax(*row) for row in zip(logits.tolist(), targets.legal.tolist(), strict=True)])
    has_policy = targets.policies.any(1, keepdim=True)
    expected = (chances - targets.policies) * has_policy / has_policy.sum()
    assert torch.allclose(logits.grad, expected, atol=1e-6)


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("is_masked", [False, True])
def test_the_gradient_reaches_every_head(kind, is_masked):
    of, chance, architecture = game("dots:2"), np.random.default_rng(1), ARCHITECTURES[kind]
    window = Window(of, Replay(positions=100), has_owners=True)
    window.add(random_episode(of, chance))
    torch.manual_seed(1)
    network = Network(architecture, layout_of(of))
    for layer in network.modules():  # last layers and blocks begin as zeros, which would let nothing through
        for weight in layer.parameters(recurse=False):
            torch.nn.init.normal_(weight, std=0.3)
    settings = Learner(
        steps=1,
        policy_loss="masked_squared" if is_masked else "cross_entropy",
        value_loss="cross_entropy" if architecture.value_head == "wdl" else "squared",
    )
    targets = losses.targets_of(window.draw(chance, 64))
    found = losses.terms(network(targets.planes), targets, settings)
    found.total.backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 0, name
    parts = [found.policy, found.margin, found.owners]
    heads = [architecture.policy_head != "none", architecture.margin_head, architecture.owners_head]
    assert [part.item() > 0 for part in parts] == heads


def test_weights_of_losses_add_up():
    of = game("dots:2")
    window = Window(of, Replay(positions=100), has_owners=True)
    window.add(random_episode(of, np.random.default_rng(1)))
    targets = losses.targets_of(window.draw(np.random.default_rng(1), 20))
    network = Network(Architecture(width=8, depth=1, margin_head=True, owners_head=True), layout_of(of))
    settings = Learner(steps=1, policy_weight=2, value_weight=3, margin_weight=5, owners_weight=7)
    found = losses.terms(network(targets.planes), targets, settings)
    expected = 2 * found.policy + 3 * found.value + 5 * found.margin + 7 * found.owners
    assert found.total.item() == pytest.approx(expected.item())
