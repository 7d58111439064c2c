"""The learner: fits a network to the positions of a window, step by step, and can be stopped and resumed.

What it draws by chance comes from a generator of its own and from the one it is handed, so a run that was resumed goes
on bit for bit as if it had never stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from meeple.errors import MeepleError
from meeple.learn import recipe
from meeple.learn.examples import Examples
from meeple.learn.losses import Targets, targets_of, terms, value_target
from meeple.learn.replay import Window
from meeple.learn.tally import Losses, Tally
from meeple.nets.network import Network, Outputs


class Learner:
    """A network, its optimiser, and the average of its weights."""

    def __init__(
        self,
        network: Network,
        settings: recipe.Learner,
        *,
        seed: int = 0,
        is_bf16: bool = False,
        device: str = "cpu",
    ) -> None:
        self.network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # PyTorch lists only some of its own forms
        self.network.to(device)
        self._device = device
        self._settings = settings
        self._is_bf16 = is_bf16
        self._random = torch.Generator().manual_seed(seed % 2**63).get_state()
        self._step = self._age = 0
        self._optimizer = _optimizer(network, settings)
        self._average = _copies(network) if settings.average else {}

    @property
    def step(self) -> int:
        """How many steps were made in all."""
        return self._step

    def num_steps(self, window: Window, new_positions: int = 0) -> int:
        """How many steps an iteration has that brought so many new positions; at least one."""
        settings = self._settings
        if settings.steps is not None:
            return settings.steps
        if settings.epochs is not None:
            return settings.epochs * -(-window.num_examples // settings.batch)
        assert settings.reuse is not None, "a recipe has exactly one of the three"
        return max(1, round(new_positions * settings.reuse / settings.batch))

    def train(
        self,
        window: Window,
        chance: np.random.Generator,
        *,
        new_positions: int = 0,
        progress: float = 0.0,
        on_step: Callable[[int, int], bool] = lambda done, steps: True,
    ) -> Losses:
        """Learn for an iteration, at a point of the run from 0 to 1.

        `on_step` hears of every step out of how many, and says whether there is to be another. MeepleError where there
        is nothing to learn from, or where losses are no numbers any more.
        """
        if not len(window):
            raise MeepleError("there are no positions to learn from")
        tally, steps = Tally(), self.num_steps(window, new_positions)
        with self._learning():
            self._restart()
            for examples in self._batches(window, chance, steps):
                self._learn(targets_of(examples, self._device), progress, tally)
                if not on_step(tally.steps, steps):
                    break
        return tally.losses()

    def go_back(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Learn on from other weights, with a new optimiser."""
        self.network.load(weights)
        self._average = _copies(self.network) if self._average else {}
        self._begin_optimizer()

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """The weights to play with, averaged where the recipe says so."""
        found = self.network.weights()
        return {name: _array(self._average[name]) for name in found} if self._average else found

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that learning goes on from, as arrays by name."""
        found = {f"network.{name}": value for name, value in self.network.state_dict().items()}
        found |= {f"average.{name}": value for name, value in self._average.items()}
        for index, moments in self._optimizer.state_dict()["state"].items():
            found |= {f"optimizer.{index}.{name}": value for name, value in moments.items() if value is not None}
        counts = {"step": np.array([self._step]), "age": np.array([self._age]), "random": _array(self._random)}
        return {name: _array(value) for name, value in found.items()} | counts

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state of a learner with the same network and settings; MeepleError where it is of another."""
        try:
            self._step, self._age = int(state["step"][0]), int(state["age"][0])
            self._random = torch.from_numpy(state["random"].copy())
            self.network.load_state_dict(_part(state, "network"))
            average = {name: value.to(self._device) for name, value in _part(state, "average").items()}
            if average.keys() != self._average.keys():
                raise KeyError("average")
            self._average = average
            moments: dict[int, dict[str, Tensor]] = {}
            for name, value in _part(state, "optimizer").items():
                index, _, moment = name.partition(".")
                moments.setdefault(int(index), {})[moment] = value
            groups = self._optimizer.state_dict()["param_groups"]
            self._optimizer.load_state_dict({"state": moments, "param_groups": groups})
        except (KeyError, RuntimeError, ValueError) as error:
            raise MeepleError("the state of the learner is of another network or of other settings") from error

    @contextmanager
    def _learning(self) -> Iterator[None]:
        """The network learns, and PyTorch's chances are the learner's own; after it both are as before."""
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._random)
            self.network.train()
            try:
                yield
            finally:
                self.network.eval()
                self._random = torch.get_rng_state()

    def _restart(self) -> None:
        """Begin anew what every iteration begins anew."""
        if self._settings.restart == "nothing" or not self._step:
            return
        if self._settings.restart == "weights":
            self.go_back(Network(self.network.architecture, self.network.layout).weights())
        else:
            self._begin_optimizer()

    def _begin_optimizer(self) -> None:
        self._optimizer, self._age = _optimizer(self.network, self._settings), 0

    def _batches(self, window: Window, chance: np.random.Generator, steps: int) -> Iterator[Examples]:
        if self._settings.epochs is None:
            for _ in range(steps):
                yield window.draw(chance, self._settings.batch)
        else:
            for _ in range(self._settings.epochs):
                yield from window.epoch(chance, self._settings.batch)

    def _learn(self, targets: Targets, progress: float, tally: Tally) -> None:
        """One step."""
        rate = learning_rate(self._settings, self._step, self._age, progress)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        outputs = self._look(targets.planes)
        losses = terms(outputs, targets, self._settings)
        if not math.isfinite(losses.total.item()):
            raise MeepleError(f"losses are no numbers any more after {self._step} steps; lower learner.learning_rate")
        self._optimizer.zero_grad()
        losses.total.backward()  # type: ignore[no-untyped-call]  # PyTorch leaves it so
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self._settings.clip or math.inf)
        self._optimizer.step()
        self._step += 1
        self._age += 1
        self._take_average()
        tally.add(losses, outputs, targets, value_target(targets, self._settings.root_value_share), norm.item(), rate)

    def _look(self, planes: Tensor) -> Outputs:
        """What the network says; its body may calculate in bfloat16, its heads never do."""
        planes = planes.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self._device, torch.bfloat16, enabled=self._is_bf16):
            features = self.network.features(planes)
        return self.network.heads(features.float())

    @torch.no_grad()
    def _take_average(self) -> None:
        """Move the average towards the weights, faster in the beginning."""
        kept = min(self._settings.average, (1 + self._age) / (10 + self._age))
        weights = self.network.state_dict()
        for name, average in self._average.items():
            average.lerp_(weights[name], 1 - kept)


def learning_rate(settings: recipe.Learner, step: int, age: int, progress: float) -> float:
    """The rate of a step, counted from 0: `step` in the run, `age` since the optimiser began."""
    rate = settings.learning_rate
    if settings.schedule == "cosine":
        height = (1 + math.cos(math.pi * min(max(progress, 0), 1))) / 2
        rate *= settings.final_rate + (1 - settings.final_rate) * height
    elif settings.schedule == "steps":
        rate = max([(0, rate), *(drop for drop in settings.drops if drop[0] <= step)], key=lambda drop: drop[0])[1]
    return rate * min(1.0, (age + 1) / settings.warmup_steps) if settings.warmup_steps else rate


def _optimizer(network: Network, settings: recipe.Learner) -> torch.optim.Optimizer:
    """Biases and what belongs to norms are not pulled to 0."""
    heavy = [weight for weight in network.parameters() if weight.ndim > 1]
    light = [weight for weight in network.parameters() if weight.ndim <= 1]
    groups = [{"params": heavy, "weight_decay": settings.weight_decay}, {"params": light, "weight_decay": 0.0}]
    if settings.optimizer == "sgd":
        return torch.optim.SGD(groups, lr=settings.learning_rate, momentum=settings.momentum)
    kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adam
    return kind(groups, lr=settings.learning_rate, betas=settings.betas)


def _copies(network: Network) -> dict[str, Tensor]:
    """Copies of weights and of running means, which are averaged alike."""
    return {name: value.clone() for name, value in network.state_dict().items() if value.is_floating_point()}


def _array(value: Tensor) -> NDArray[Any]:
    return value.detach().cpu().contiguous().numpy().copy()


def _part(state: Mapping[str, NDArray[Any]], part: str) -> dict[str, Tensor]:
    """The tensors whose names begin with a part's."""
    start = f"{part}."
    return {
        name.removeprefix(start): torch.from_numpy(value.copy())
        for name, value in state.items()
        if name.startswith(start)
    }
