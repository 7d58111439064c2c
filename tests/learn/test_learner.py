"""The learner: it learns, and goes on where it stopped."""

import math

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from meeple.errors import MeepleError
from meeple.games.registry import game
from meeple.learn.learner import Learner, learning_rate
from meeple.learn.losses import targets_of, terms
from meeple.learn.recipe import Learner as Settings
from meeple.learn.recipe import Replay
from meeple.learn.replay import Window
from meeple.learn.tally import Tally
from meeple.nets.architecture import Architecture
from meeple.nets.checkpoint import Checkpoint, card_of
from meeple.nets.layout import layout_of
from meeple.nets.network import Network
from reference.selfplay import random_episode

SMALL = Architecture(width=8, depth=1)


def window_of(name="connect4:4x5", games=4, augment="random", **options):
    of, chance = game(name), np.random.default_rng(7)
    window = Window(of, Replay(positions=10_000, augment=augment), **options)
    for number in range(games):
        window.add(random_episode(of, chance, number=number))
    return window


def learner_of(settings, architecture=SMALL, name="connect4:4x5", **options):
    torch.manual_seed(3)
    return Learner(Network(architecture, layout_of(game(name))), settings, **options)


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def one_step(learner, window, settings):
    targets = targets_of(window.draw(np.random.default_rng(2), 64))
    with torch.no_grad():
        outputs = learner.network(targets.planes)
        return targets, outputs, terms(outputs, targets, settings)


@pytest.mark.parametrize(
    ("settings", "architecture"),
    [
        ({}, SMALL),
        ({"value_loss": "cross_entropy"}, Architecture(width=8, depth=1, value_head="wdl", batch_norm=False)),
        ({"optimizer": "adam"}, Architecture(body="mlp", policy_head="dense", width=64, depth=1)),
        ({"optimizer": "sgd", "learning_rate": 0.1, "warmup_steps": 20}, SMALL),
        ({"policy_loss": "masked_squared"}, Architecture(body="conv", width=16, depth=2, batch_norm=False)),
    ],
)
def test_a_few_positions_are_learned_by_heart(settings, architecture):
    window = Window(game("tictactoe"), Replay(positions=4, augment="none"))
    window.add(random_episode(game("tictactoe"), np.random.default_rng(1)))
    settings = Settings(steps=250, batch=16, weight_decay=0, **{"learning_rate": 0.01, **settings})
    learner = learner_of(settings, architecture, "tictactoe")
    before = learner.train(window, np.random.default_rng(1))
    after = learner.train(window, np.random.default_rng(2))
    assert before.total > after.total
    assert after.value < 0.02
    assert after.value_correlation > 0.99
    assert after.policy_entropy == pytest.approx(after.target_entropy, abs=0.06)
    least = 0 if settings.policy_loss == "masked_squared" else after.target_entropy
    assert least <= after.policy + 1e-3 < least + 0.03


@pytest.mark.parametrize(
    ("settings", "architecture", "options"),
    [
        ({"average": 0.9, "steps": 5}, SMALL, {}),
        ({"optimizer": "adam", "epochs": 2, "restart": "optimizer"}, Architecture(width=8, depth=1, dropout=0.3), {}),
        ({"optimizer": "sgd", "reuse": 3.0, "restart": "weights", "average": 0.5}, SMALL, {}),
        ({"steps": 5, "warmup_steps": 7, "schedule": "cosine", "clip": 0.1}, SMALL, {"is_bf16": True}),
        ({"steps": 5}, Architecture(body="mlp", policy_head="dense", width=16, depth=2, dropout=0.5), {}),
    ],
)
def test_a_resumed_learner_goes_on_bit_for_bit(tmp_path, settings, architecture, options):
    settings = Settings(batch=16, **settings)
    window = window_of()

    def train(learner, iteration):
        chance = np.random.default_rng(iteration)
        return learner.train(window, chance, new_positions=40, progress=iteration / 3)

    straight = learner_of(settings, architecture, seed=5, **options)
    reports = [train(straight, iteration) for iteration in range(3)]
    stopped = learner_of(settings, architecture, seed=5, **options)
    assert [train(stopped, 0)] == reports[:1]
    save_file(stopped.state(), tmp_path / "learner.safetensors")
    torch.manual_seed(99)
    resumed = Learner(Network(architecture, layout_of(game("connect4:4x5"))), settings, seed=6, **options)
    resumed.restore(load_file(tmp_path / "learner.safetensors"))
    assert same(resumed.state(), stopped.state())
    torch.manual_seed(98)
    assert [train(resumed, 1), train(resumed, 2)] == reports[1:]
    assert same(resumed.state(), straight.state())
    assert same(resumed.weights(), straight.weights())
    assert resumed.step == straight.step == sum(report.steps for report in reports)


def test_a_state_of_another_learner():
    state = learner_of(Settings(steps=1)).state()
    for other in (
        learner_of(Settings(steps=1), Architecture(width=16, depth=1)),
        learner_of(Settings(steps=1, average=0.5)),
    ):
        with pytest.raises(MeepleError, match="of another network or of other settings"):
            other.restore(state)
    with pytest.raises(MeepleError, match="of another network or of other settings"):
        learner_of(Settings(steps=1)).restore({})


def test_other_chances_are_left_alone():
    torch.manual_seed(4)
    before = torch.get_rng_state()
    network = Network(Architecture(width=8, depth=1, dropout=0.5), layout_of(game("connect4:4x5")))
    torch.set_rng_state(before)
    learner = Learner(network, Settings(steps=3, batch=8))
    learner.train(window_of(), np.random.default_rng(1))
    assert torch.equal(torch.get_rng_state(), before)
    assert not network.training


def test_how_many_steps():
    window = window_of()
    assert learner_of(Settings(steps=9)).num_steps(window, 1000) == 9
    assert learner_of(Settings(epochs=3, batch=16)).num_steps(window) == 3 * math.ceil(len(window) / 16)
    assert learner_of(Settings(reuse=2.5, batch=10)).num_steps(window, 100) == 25
    assert learner_of(Settings(reuse=0.1, batch=100)).num_steps(window, 5) == 1


@pytest.mark.parametrize("amount", [{"steps": 4}, {"epochs": 2}, {"reuse": 2.0}])
def test_steps_are_told(amount):
    window, heard = window_of(), []
    learner = learner_of(Settings(batch=16, **amount))
    report = learner.train(
        window, np.random.default_rng(1), new_positions=len(window), on_step=lambda *told: not heard.append(told)
    )
    count = learner.num_steps(window, len(window))
    assert heard == [(step, count) for step in range(1, count + 1)]
    assert report.steps == count == learner.step
    assert report.examples == (2 * len(window) if "epochs" in amount else 16 * count)


@pytest.mark.parametrize(
    ("settings", "step", "age", "progress", "rate"),
    [
        ({}, 5, 5, 0.5, 0.1),
        ({"schedule": "cosine", "final_rate": 0.2}, 5, 5, 0, 0.1),
        ({"schedule": "cosine", "final_rate": 0.2}, 5, 5, 0.5, 0.06),
        ({"schedule": "cosine", "final_rate": 0.2}, 5, 5, 1, 0.02),
        ({"schedule": "cosine", "final_rate": 0.2}, 5, 5, 1.3, 0.02),
        ({"schedule": "steps", "drops": ((20, 0.001), (10, 0.01))}, 9, 9, 0, 0.1),
        ({"schedule": "steps", "drops": ((20, 0.001), (10, 0.01))}, 10, 10, 0, 0.01),
        ({"schedule": "steps", "drops": ((20, 0.001), (10, 0.01))}, 25, 2, 0, 0.001),
        ({"warmup_steps": 4}, 100, 0, 0, 0.025),
        ({"warmup_steps": 4}, 100, 3, 0, 0.1),
        ({"warmup_steps": 4, "schedule": "cosine", "final_rate": 0}, 100, 1, 0.5, 0.025),
    ],
)
def test_learning_rates(settings, step, age, progress, rate):
    found = learning_rate(Settings(steps=1, learning_rate=0.1, **settings), step, age, progress)
    assert found == pytest.approx(rate)


def test_the_average_follows_weights_and_running_means():
    learner, window = learner_of(Settings(steps=1, batch=16, average=0.8, learning_rate=0.05)), window_of()
    expected, chance = learner.weights(), np.random.default_rng(1)
    assert same(expected, learner.network.weights())
    for age in range(1, 60):
        learner.train(window, chance)
        kept = min(0.8, (1 + age) / (10 + age))
        expected = {
            name: kept * expected[name] + (1 - kept) * weight for name, weight in learner.network.weights().items()
        }
    found = learner.weights()
    assert any("running_var" in name for name in found)
    for name, average in found.items():
        assert average == pytest.approx(expected[name], abs=1e-5), name
        assert not np.array_equal(average, learner.network.weights()[name]), name


def test_weights_go_into_a_checkpoint(tmp_path):
    of = game("connect4:4x5")
    learner = learner_of(Settings(steps=2, batch=16, average=0.5))
    learner.train(window_of(), np.random.default_rng(1))
    checkpoint = Checkpoint(card_of(of, SMALL), learner.weights())
    other = Network(SMALL, layout_of(of))
    other.load(checkpoint.weights)
    assert same(other.weights(), learner.weights())


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "sgd"])
def test_biases_and_norms_do_not_decay(optimizer):
    learner = learner_of(Settings(steps=1, optimizer=optimizer, weight_decay=0.5))
    heavy, light = learner._optimizer.param_groups
    assert (heavy["weight_decay"], light["weight_decay"]) == (0.5, 0)
    assert {weight.ndim for weight in heavy["params"]} == {2, 4}
    assert {weight.ndim for weight in light["params"]} == {1}
    assert len(heavy["params"]) + len(light["params"]) == len(list(learner.network.parameters()))


@pytest.mark.parametrize("optimizer", ["adam", "adamw"])
def test_running_means_forget_as_told(optimizer):
    settings = Settings(steps=1, batch=16, optimizer=optimizer, weight_decay=0, betas=(0.8, 0.9))
    learner = learner_of(settings)
    learner.train(window_of(), np.random.default_rng(1))
    for moments in learner._optimizer.state.values():
        gradients = moments["exp_avg"] / (1 - 0.8)
        assert torch.allclose(moments["exp_avg_sq"] / (1 - 0.9), gradients.square(), rtol=1e-4)


def test_gradients_are_clipped():
    settings = Settings(steps=1, batch=16, optimizer="sgd", learning_rate=1, momentum=0, weight_decay=0, clip=0.01)
    learner = learner_of(settings)
    before = [weight.detach().clone() for weight in learner.network.parameters()]
    report = learner.train(window_of(), np.random.default_rng(1))
    moved = [new - old for new, old in zip(learner.network.parameters(), before, strict=True)]
    assert report.gradient_norm > 0.1
    assert math.sqrt(sum(part.square().sum().item() for part in moved)) == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize("restart", ["nothing", "optimizer", "weights"])
def test_what_an_iteration_begins_anew(restart):
    settings = Settings(steps=1, batch=16, restart=restart, learning_rate=1e-6, optimizer="sgd", average=0.9)
    learner, window = learner_of(settings), window_of()
    first = learner.network.weights()
    learner.train(window, np.random.default_rng(1))
    learner.train(window, np.random.default_rng(1))
    assert learner._age == (2 if restart == "nothing" else 1)
    heavy = [name for name in first if name.endswith("linear.weight")]
    for weights in (learner.network.weights(), learner.weights()):
        moved = [np.abs(weights[name] - first[name]).max() > 0.01 for name in heavy]
        assert all(moved) if restart == "weights" else not any(moved)


def test_going_back():
    learner, window = learner_of(Settings(steps=3, batch=16, average=0.9, learning_rate=0.1)), window_of()
    learner.train(window, np.random.default_rng(1))
    best = learner.weights()
    learner.train(window, np.random.default_rng(2))
    assert not same(learner.weights(), best)
    learner.go_back(best)
    assert same(learner.weights(), best)
    assert same(learner.network.weights(), best)
    assert learner._optimizer.state_dict()["state"] == {}
    assert learner.step == 6
    learner.train(window, np.random.default_rng(3))


@pytest.mark.parametrize("amount", [{"steps": 9}, {"epochs": 9}])
def test_learning_ends_early_where_it_is_told_to(amount):
    learner = learner_of(Settings(batch=16, **amount))
    report = learner.train(window_of(), np.random.default_rng(1), on_step=lambda done, steps: done < 3)
    assert report.steps == learner.step == 3


def test_margin_and_owners_are_learned():
    architecture = Architecture(width=16, depth=1, margin_head=True, owners_head=True, any_size=True)
    settings = Settings(steps=40, batch=32, learning_rate=0.02, margin_weight=1, owners_weight=1)
    learner, window = learner_of(settings, architecture, "dots:2"), window_of("dots:2", 2, "none", has_owners=True)
    first, *_, last = [learner.train(window, np.random.default_rng(seed)) for seed in range(4)]
    assert last.margin < 0.3 * first.margin
    assert last.owners < 0.5 * first.owners


def test_without_a_policy():
    architecture = Architecture(body="mlp", policy_head="none", width=16, depth=1)
    learner = learner_of(Settings(steps=5, batch=16), architecture)
    report = learner.train(window_of(has_policy=False), np.random.default_rng(1))
    assert (report.policy, report.policy_entropy, report.target_entropy) == (0, 0, 0)
    assert report.value > 0


def test_nothing_to_learn_from():
    for amount in ({"steps": 3}, {"epochs": 3}):
        with pytest.raises(MeepleError, match="no positions"):
            learner_of(Settings(**amount)).train(window_of(games=0), np.random.default_rng(1))


def test_losses_that_explode_are_told():
    learner = learner_of(Settings(steps=5, batch=16, optimizer="sgd", learning_rate=1e30))
    with pytest.raises(MeepleError, match="no numbers any more"):
        learner.train(window_of(), np.random.default_rng(1))


def test_what_tells_a_doctor():
    learner, window = learner_of(Settings(steps=1, batch=64)), window_of()
    report = learner.train(window, np.random.default_rng(1))
    assert report.total == pytest.approx(report.policy + report.value)
    assert 0 < report.target_entropy < report.policy_entropy <= math.log(5)
    assert report.value_saturation == 0
    tally = Tally()
    settings = learner._settings
    targets, outputs, found = one_step(learner, window, settings)
    outputs = outputs._replace(value=targets.outcomes * 0.99)
    tally.add(found, outputs, targets, targets.outcomes, 0.0, 0.1)
    found = tally.losses()
    assert found.value_correlation == pytest.approx(1)
    assert found.value_saturation == pytest.approx((targets.outcomes != 0).float().mean().item())


def test_bfloat16_is_close():
    reports = [
        learner_of(Settings(steps=30, batch=64), is_bf16=is_bf16).train(window_of(), np.random.default_rng(1))
        for is_bf16 in (False, True)
    ]
    assert reports[1].total == pytest.approx(reports[0].total, rel=0.02)
    assert reports[1] != reports[0]
