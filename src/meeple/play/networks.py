"""Players with a network: `net`, `zoo` and `lookahead`, by a search over its evaluations or by its policy alone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.nets import folder, zoo
from meeple.nets.checkpoint import Checkpoint, load
from meeple.nets.runtime import NetworkEvaluator
from meeple.play.chooser import Chooser, Temperature, Watch
from meeple.play.engines import BATCH, SETTING_NAMES, SearchPlayer, searching, temperature_of
from meeple.play.options import Reader, choice, count, flag, number, read_options, seconds, share
from meeple.play.spec import Spec
from meeple.search.analysis import Analysis, Candidate, check_position
from meeple.search.cache import CACHE_MB, CachedEvaluator
from meeple.search.engine import Engine
from meeple.search.evaluator import Evaluator, Positions
from meeple.search.lookahead import Lookahead
from meeple.search.settings import Settings

SIMULATIONS = 64
EVALUATORS = 4
"""How many networks are kept with what is known of them, for players to come."""

EVALUATOR_OPTIONS: dict[str, Reader] = {
    "runtime": choice("auto", "onnxruntime", "openvino"),
    "precision": choice("auto", "fp32", "bf16", "int8"),
    "cache": number,
}
POLICY_OPTIONS = EVALUATOR_OPTIONS | {
    "engine": choice("gumbel", "puct", "policy"),
    "temperature": number,
    "temperature_plies": count,
}
SEARCH_OPTIONS = POLICY_OPTIONS | {
    "sims": count,
    "solve": flag,
    "memory": count,
    "turns": choice("true", "alternating"),
}
OPTIONS = {
    "gumbel": SEARCH_OPTIONS | {"considered": count},
    "puct": SEARCH_OPTIONS | {"c": number, "fpu": number, "leaves": count, "noise": share, "time": seconds},
    "policy": POLICY_OPTIONS,
}
"""The options of each engine."""


class Analyst(Protocol):
    """What finds out about many positions at once without chance."""

    def analyse_many(self, positions: Sequence[Position]) -> list[Analysis]:
        """What it finds out about each."""
        ...


class AnalystPlayer:
    """Plays what an analyst thinks best, or early in a game by chance what it thinks good."""

    def __init__(self, analyst: Analyst, temperature: Temperature, seed: int) -> None:
        self._analyst = analyst
        self._chooser = Chooser(temperature, seed)

    def watch(self, watch: Watch) -> None:
        """Let somebody see every analysis and the move that was chosen after it."""
        self._chooser.watch(watch)

    def begin(self, seed: int) -> None:
        """Draw chances from a seed."""
        self._chooser.begin(seed)

    def choose(self, position: Position) -> str:
        """The best move, or one of the good ones."""
        return self._chooser.choose(self.analyse(position))

    def choose_many(self, positions: Sequence[Position], seeds: Sequence[int]) -> list[str]:
        """A move for each position, by chances that come from its seed alone."""
        analyses = self._analyst.analyse_many(positions)
        return [self._chooser.choose(analysis, seed) for analysis, seed in zip(analyses, seeds, strict=True)]

    def analyse(self, position: Position) -> Analysis:
        """What the analyst found out."""
        return self._analyst.analyse_many([position])[0]


class PolicyAnalyst:
    """Takes a network at its word: one evaluation a position, no search."""

    def __init__(self, game: Game, evaluator: Evaluator) -> None:
        self._game = game
        self._evaluator = evaluator

    def analyse_many(self, positions: Sequence[Position]) -> list[Analysis]:
        """The policies of positions over their legal moves; of the moves' values it knows nothing."""
        found: list[Analysis] = []
        for first in range(0, len(positions), BATCH):
            found += self._analyse_batch(positions[first : first + BATCH])
        return found

    def _analyse_batch(self, positions: Sequence[Position]) -> list[Analysis]:
        for position in positions:
            check_position(self._game, position)
        began = time.perf_counter()
        states, planes = ([getattr(one, name) for one in positions] for name in ("state", "planes"))
        evaluation = self._evaluator.evaluate(Positions(np.stack(states), np.stack(planes)))
        took = (time.perf_counter() - began) / len(positions)
        return [self._analysis(*row, took) for row in zip(positions, *evaluation, strict=True)]

    def _analysis(self, position: Position, logits: Any, value: float, took: float) -> Analysis:
        legal = logits[self._game.views[position.to_move][list(position.actions)]].astype(np.float64)
        weights = np.exp(legal - legal.max())
        policy = (weights / weights.sum()).tolist()
        candidates = tuple(
            Candidate(move, 0, 0.0, share, share) for move, share in zip(position.moves, policy, strict=True)
        )
        move = position.moves[int(legal.argmax())]
        return Analysis(position, move, float(value), candidates, (move,), 1, took)


def net(spec: Spec, game: Game, seed: int | None) -> SearchPlayer | AnalystPlayer:
    """`net:RUN@best`: a network of a run, or in a file of its own."""
    return _network_player(spec, game, seed, folder.find(_argument(spec)))


def zoo_player(spec: Spec, game: Game, seed: int | None) -> SearchPlayer | AnalystPlayer:
    """`zoo:NAME` or `zoo`: a network that comes with the package."""
    return _network_player(spec, game, seed, zoo.path(spec.argument) if spec.argument else zoo.for_game(game))


def lookahead(spec: Spec, game: Game, seed: int | None) -> AnalystPlayer:
    """`lookahead:RUN@best`: the network's values one to three plies ahead."""
    options = read_options(spec.text, spec.options, EVALUATOR_OPTIONS | {"plies": count})
    evaluator = _evaluator(folder.find(_argument(spec)), game, options)
    return AnalystPlayer(Lookahead(game, evaluator, options.get("plies", 1)), Temperature(), seed or 0)


def search_player(
    game: Game,
    evaluator: Evaluator,
    settings: Settings,
    simulations: int | None,
    *,
    time_limit_s: float | None = None,
    seed: int = 0,
    temperature: float = 0.0,
    temperature_plies: int = 0,
) -> SearchPlayer:
    """A player that searches with an evaluator; it plays the best move unless early in a game by temperature."""
    considered = min(settings.max_considered, game.num_actions)
    settings = replace(settings, max_considered=considered)

    def new_engine(trees: int) -> Engine:
        return Engine(game, evaluator, settings, trees=trees, seed=seed)

    chance = Temperature(temperature, temperature_plies)
    return searching(new_engine, simulations, time_limit_s, temperature=chance, seed=seed)


def shared_evaluator(
    path: Path, game: Game, *, runtime: str = "auto", precision: str = "auto", cache_mb: float = CACHE_MB
) -> CachedEvaluator:
    """What evaluates by the network in a file: the same one, with all that it knows, whoever asks in this process."""
    return _shared(path, _changed_ns(path), game, runtime, precision, cache_mb)


@lru_cache(maxsize=EVALUATORS)
def _shared(path: Path, changed_ns: int, game: Game, runtime: str, precision: str, cache_mb: float) -> CachedEvaluator:
    return CachedEvaluator(game, _network(path, changed_ns, game, runtime, precision), memory_mb=cache_mb)


@lru_cache(maxsize=EVALUATORS)
def _network(path: Path, changed_ns: int, game: Game, runtime: str, precision: str) -> NetworkEvaluator:
    return NetworkEvaluator(_checkpoint(path, changed_ns), game, runtime=runtime, precision=precision, batch=BATCH)


@lru_cache(maxsize=EVALUATORS)
def _checkpoint(path: Path, changed_ns: int) -> Checkpoint:
    return load(path)


def _changed_ns(path: Path) -> int:
    """When a file was changed; 0 where it cannot be read, which reading it will tell."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _network_player(spec: Spec, game: Game, seed: int | None, path: Path) -> SearchPlayer | AnalystPlayer:
    options = _options(spec)
    evaluator = _evaluator(path, game, options)
    engine = options.get("engine", "gumbel")
    temperature = temperature_of(options, game)
    if engine == "policy":
        if not _checkpoint(path, _changed_ns(path)).card.architecture.has_policy:
            raise PlayerError(f"{shown(spec.text)}: this network has values only, no policy; try engine=puct")
        return AnalystPlayer(PolicyAnalyst(game, evaluator), temperature, seed or 0)
    given = {name: options[option] for option, name in SETTING_NAMES.items() if option in options}
    time_limit_s = options.get("time")
    return search_player(
        game,
        evaluator,
        Settings(engine=engine, gumbel_noise=0.0, **given),
        options.get("sims", SIMULATIONS if time_limit_s is None else None),
        time_limit_s=time_limit_s,
        seed=seed or 0,
        temperature=temperature.degree,
        temperature_plies=temperature.plies,
    )


def _options(spec: Spec) -> dict[str, Any]:
    """The options of a spec; PlayerError for one that is for another engine."""
    options = read_options(spec.text, spec.options, OPTIONS["gumbel"] | OPTIONS["puct"])
    engine = options.get("engine", "gumbel")
    for option in options:
        if option not in OPTIONS[engine]:
            engines = " or ".join(name for name, readers in OPTIONS.items() if option in readers)
            raise PlayerError(f"{shown(spec.text)}: {option} is for engine={engines}, not {engine}")
    return options


def _evaluator(path: Path, game: Game, options: Mapping[str, Any]) -> Evaluator:
    runtime, precision = options.get("runtime", "auto"), options.get("precision", "auto")
    cache_mb = options.get("cache", CACHE_MB)
    if cache_mb == 0:
        return _network(path, _changed_ns(path), game, runtime, precision)
    return shared_evaluator(path, game, runtime=runtime, precision=precision, cache_mb=cache_mb)


def _argument(spec: Spec) -> str:
    """The run that a spec names."""
    if not spec.argument:
        raise PlayerError(f"{shown(spec.text)} needs a run or a file, as in {spec.kind}:runs/mine@best")
    return spec.argument
