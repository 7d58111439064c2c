"""Who plays a run's games: workers and what they evaluate with, for the recipe's search and for its first games."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from meeple.games.game import Game, Position
from meeple.learn.episodes import Episode
from meeple.learn.onebyone import Soloist
from meeple.learn.play import Player
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


class Counts(NamedTuple):
    """What all players did so far."""

    asked: int
    """Evaluations that searches wanted."""
    found: int
    """Of them, those that were known."""

    def since(self, earlier: Counts) -> Counts:
        """What was done after another count."""
        return Counts(*(now - before for now, before in zip(self, earlier, strict=True)))


class Players:
    """The players of a run, a worker for each thread; all ask one evaluator."""

    def __init__(
        self, game: Game, recipe: Recipe, threads: int, *, runtime: str, precision: str, device: str = "cpu"
    ) -> None:
        self._game = game
        self._recipe = recipe
        self._threads = threads
        self._device = device
        self._asked_runtime = runtime or "auto"
        self._asked_precision = precision or recipe.precision
        self._cache: CachedEvaluator | None = None
        limits, search = recipe.limits, recipe.search
        memory_mb = max((limits.memory_mb - search.cache_mb) // 2 // threads, 16)
        is_batched = search.engine != "lookahead"
        self._workers = [
            Worker(game, search, recipe.self_play, memory_mb=memory_mb) for _ in range(threads if is_batched else 0)
        ]

    @property
    def memory_mb(self) -> float:
        """What trees, games and cache take."""
        return sum(worker.memory_mb for worker in self._workers) + self._recipe.search.cache_mb

    @property
    def counts(self) -> Counts:
        """What was done so far."""
        if self._cache is not None:
            return Counts(self._cache.asked, self._cache.found)
        return Counts(sum(worker.evaluations for worker in self._workers), 0)

    @property
    def way(self) -> tuple[str, str]:
        """The runtime and the precision, once there was a network."""
        return self._asked_runtime, self._asked_precision

    def use(self, checkpoint: Checkpoint) -> None:
        """Play with a network from now on."""
        network = self.evaluator(checkpoint)
        if isinstance(network, NetworkEvaluator):
            self._asked_runtime, self._asked_precision = network.way
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
            runtime=self._asked_runtime,
            precision=self._asked_precision,
            batch=self._recipe.self_play.parallel,
        )

    def usual(self, randomness: float) -> list[Player]:
        """A player for each thread, by the recipe's search."""
        if not self._workers:
            plies = self._recipe.search.plies
            analysers = [_Lookahead(Lookahead(self._game, self._evaluator, plies)) for _ in range(self._threads)]
            return [self._soloist(analyser, randomness, has_policy=False) for analyser in analysers]
        return [self._batched(worker, randomness) for worker in self._workers]

    def first(self, randomness: float) -> list[Player]:
        """A player for each thread, by UCT with rollouts."""
        plan = self._recipe.self_play
        has_policy = self._recipe.network.policy_head != "none"
        return [
            self._soloist(
                _Rollouts(self._game, plan.first_simulations, plan.first_c), randomness, has_policy=has_policy
            )
            for _ in range(self._threads)
        ]

    def _batched(self, worker: Worker, randomness: float) -> Player:
        def play(starts: Iterator[Start], deliver: Callable[[Episode], None], stop: threading.Event) -> None:
            worker.play(starts, self._evaluator, deliver, randomness=randomness, stop=stop)

        return play

    def _soloist(self, analyser: _Lookahead | _Rollouts, randomness: float, *, has_policy: bool) -> Player:
        soloist = Soloist(self._game, analyser, self._recipe.self_play, has_policy=has_policy)

        def play(starts: Iterator[Start], deliver: Callable[[Episode], None], stop: threading.Event) -> None:
            soloist.play(starts, deliver, randomness=randomness, stop=stop)

        return play


class _Rollouts:
    """UCT with rollouts, always the same number of simulations."""

    def __init__(self, game: Game, simulations: int, exploration: float) -> None:
        self._engine = Uct(game, memory_mb=FIRST_MEMORY_MB, exploration=exploration)
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
