"""Who plays a run's games, by the recipe's search or before there is a network, and what they evaluate with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from meeple.games.game import Game, Position
from meeple.learn.episodes import Episode
from meeple.learn.onebyone import Soloist
from meeple.learn.production import Producer
from meeple.learn.recipe import Recipe
from meeple.learn.selfplay import Worker
from meeple.learn.starts import Start
from meeple.nets.checkpoint import Checkpoint
from meeple.nets.runtime import NetworkEvaluator
from meeple.nets.torch_runtime import TorchEvaluator
from meeple.search.analysis import Analysis
from meeple.search.cache import CachedEvaluator
from meeple.search.evaluator import Evaluator
from meeple.search.lookahead import Lookahead
from meeple.search.uct import Uct

FIRST_MEMORY_MB = 64
"""Of the tree of a thread in the first games, at the most."""


class Counts(NamedTuple):
    """What all workers did so far."""

    asked: int
    """Evaluations that searches wanted."""
    found: int
    """Of them, those that were known."""

    def since(self, earlier: Counts) -> Counts:
        """What was done after another count."""
        return Counts(*(now - before for now, before in zip(self, earlier, strict=True)))


class Workers:
    """The workers of a run, one for each thread; all ask one evaluator."""

    def __init__(
        self, game: Game, recipe: Recipe, threads: int, *, runtime: str, precision: str, device: str = "cpu"
    ) -> None:
        self._game = game
        self._recipe = recipe
        self._threads = threads
        self._device = device
        self._runtime = runtime or "auto"
        self._precision = precision or recipe.precision
        self._cache: CachedEvaluator | None = None
        limits, search = recipe.limits, recipe.search
        memory_mb = max((limits.memory_mb - search.cache_mb) // 2 // threads, 16)
        self._first_mb = max(min(FIRST_MEMORY_MB, limits.memory_mb // 16 // threads), 1)
        is_batched = search.engine != "lookahead"
        self._batched = [
            Worker(game, search, recipe.self_play, memory_mb=memory_mb) for _ in range(threads if is_batched else 0)
        ]

    @property
    def memory_mb(self) -> float:
        """What trees, games and cache take."""
        first_mb = self._threads * self._first_mb if self._recipe.self_play.first_games else 0
        return sum(worker.memory_mb for worker in self._batched) + self._recipe.search.cache_mb + first_mb

    @property
    def counts(self) -> Counts:
        """What was done so far."""
        if self._cache is not None:
            return Counts(self._cache.asked, self._cache.found)
        return Counts(sum(worker.evaluations for worker in self._batched), 0)

    @property
    def way(self) -> tuple[str, str]:
        """The runtime and the precision: as they were asked for, and once there was a network, as they are."""
        return self._runtime, self._precision

    @property
    def runtime(self) -> str:
        """What evaluates networks, in words."""
        return " ".join(self.way) if self._device == "cpu" else f"PyTorch on {self._device}"

    def use(self, checkpoint: Checkpoint) -> None:
        """Play with a network from now on."""
        network = self.evaluator(checkpoint)
        if isinstance(network, NetworkEvaluator):
            self._runtime, self._precision = network.way
        self._evaluator = network
        if self._recipe.search.cache_mb:
            if self._cache is None:
                self._cache = CachedEvaluator(self._game, network, memory_mb=self._recipe.search.cache_mb)
            self._cache.replace(network)
            self._evaluator = self._cache

    def evaluator(self, checkpoint: Checkpoint) -> Evaluator:
        """What runs a network in the way that was found best for this run."""
        if self._device != "cpu":
            return TorchEvaluator(checkpoint, self._game, device=self._device)
        return NetworkEvaluator(
            checkpoint,
            self._game,
            runtime=self._runtime,
            precision=self._precision,
            batch=self._recipe.self_play.parallel,
        )

    def usual(self, randomness: float) -> list[Producer]:
        """A producer for each thread, by the recipe's search."""
        if not self._batched:
            plies = self._recipe.search.plies
            analyser = _Lookahead(Lookahead(self._game, self._evaluator, plies))
            return [self._soloist(analyser, randomness, has_policy=False) for _ in range(self._threads)]
        return [self._playing(worker, randomness) for worker in self._batched]

    def first(self, randomness: float) -> list[Producer]:
        """A producer for each thread, by UCT with rollouts."""
        plan = self._recipe.self_play
        has_policy = self._recipe.network.has_policy
        engines = [Uct(self._game, memory_mb=self._first_mb, exploration=plan.first_c) for _ in range(self._threads)]
        return [
            self._soloist(_Rollouts(engine, plan.first_simulations), randomness, has_policy=has_policy)
            for engine in engines
        ]

    def _playing(self, worker: Worker, randomness: float) -> Producer:
        def play(starts: Iterator[Start], deliver: Callable[[Episode], None], stop: threading.Event) -> None:
            worker.play(starts, self._evaluator, deliver, randomness=randomness, stop=stop)

        return play

    def _soloist(self, analyser: _Lookahead | _Rollouts, randomness: float, *, has_policy: bool) -> Producer:
        soloist = Soloist(self._game, analyser, self._recipe.self_play, has_policy=has_policy)

        def play(starts: Iterator[Start], deliver: Callable[[Episode], None], stop: threading.Event) -> None:
            soloist.play(starts, deliver, randomness=randomness, stop=stop)

        return play


class _Rollouts:
    """UCT with rollouts, always the same number of simulations."""

    def __init__(self, engine: Uct, simulations: int) -> None:
        self._engine = engine
        self._simulations = simulations

    def begin(self, seed: int) -> None:
        self._engine.begin(seed)

    def analyse(self, position: Position) -> Analysis:
        return self._engine.analyse(position, simulations=self._simulations)


class _Lookahead:
    """A lookahead, which has no chances."""

    def __init__(self, engine: Lookahead) -> None:
        self._engine = engine

    def begin(self, seed: int) -> None:
        pass

    def analyse(self, position: Position) -> Analysis:
        return self._engine.analyse(position)
