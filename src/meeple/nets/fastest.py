"""Which way of running a network is the fastest here: measured once, then remembered in a file."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from llvmlite import binding
from numpy.typing import NDArray

from meeple import files
from meeple.games.game import Game
from meeple.kernel import user_folder
from meeple.nets.calibration import calibrated, random_planes
from meeple.nets.checkpoint import Checkpoint, fitted, version_of
from meeple.nets.ways import Runner, Way, runner, ways

GAIN = 1.1
"""How much faster than float32 fewer bits must be to be worth their error."""
MAX_ERROR = 0.02
"""How far values may be from those in float32 on average. In int8 0.003 is usual, but old processors can overflow."""
ROUNDS = 5
ROUND_S = 0.03
MAX_BATCH = 128

_LOCK = threading.Lock()  # two measurements at once would disturb each other


class Speed(NamedTuple):
    """A way, and its evaluations a second."""

    way: Way
    rate: float
    error: float
    """The mean difference of its values to those in float32."""


def fastest(checkpoint: Checkpoint, game: Game, *, runtime: str, precision: str, batch: int) -> Way:
    """The fastest of the ways that suit a wish, for batches of about this size."""
    offered = ways(runtime, precision)
    if len(offered) == 1:
        return offered[0]
    with _LOCK:
        key = _key(checkpoint, game, offered, batch)
        known = _remembered().get(key)
        for way in offered:
            if list(way) == known:
                return way
        found = choose(measure(checkpoint, game, offered, _usual(batch)))
        _remember(key, found)
    return found


def measure(checkpoint: Checkpoint, game: Game, offered: list[Way], batch: int) -> list[Speed]:
    """The speed of each way on one core: the best of several rounds, in turns, for others may use the computer too."""
    if not checkpoint.ranges:
        checkpoint = calibrated(checkpoint, game)
    planes = random_planes(game, batch)
    exact = runner(checkpoint, game, Way("onnxruntime", "fp32"))(planes)["value"]
    runs = [runner(checkpoint, game, way) for way in offered]
    errors = [float(np.abs(run(planes)["value"] - exact).mean()) for run in runs]
    best = np.zeros(len(runs))
    for _ in range(ROUNDS):
        best = np.maximum(best, [_rate(run, planes) for run in runs])
    return [Speed(way, rate, error) for way, rate, error in zip(offered, best.tolist(), errors, strict=True)]


def choose(speeds: list[Speed]) -> Way:
    """The fastest way; one of fewer bits only where it gains and is not far off."""
    exact = max((speed.rate for speed in speeds if speed.way.precision == "fp32"), default=0.0)
    gaining = [speed for speed in speeds if speed.rate > GAIN * exact and speed.error < MAX_ERROR]
    worthy = gaining or [speed for speed in speeds if speed.way.precision == "fp32"]
    return max(worthy or speeds, key=lambda speed: speed.rate).way


def _rate(run: Runner, planes: NDArray[np.float32]) -> float:
    """Evaluations a second: the fastest call within a round."""
    least, end = float("inf"), time.perf_counter() + ROUND_S
    while time.perf_counter() < end:
        start = time.perf_counter()
        run(planes)
        least = min(least, time.perf_counter() - start)
    return len(planes) / least


def _usual(batch: int) -> int:
    """The power of two that stands for batches of about this size."""
    return min(1 << (batch - 1).bit_length(), MAX_BATCH)


def _key(checkpoint: Checkpoint, game: Game, offered: list[Way], batch: int) -> str:
    """What the choice depends on, as a digest."""
    layout = fitted(checkpoint, game)
    parts = [
        checkpoint.card.architecture.model_dump_json(),
        layout.model_dump_json(),
        repr(offered),
        str(_usual(batch)),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        *(version_of(package) for package in ("onnxruntime", "openvino")),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _file() -> Path:
    return user_folder() / "runtimes.json"


def _remembered() -> dict[str, list[str]]:
    """What was found before, by key; nothing where the file is missing or damaged."""
    with suppress(OSError, ValueError):
        found = json.loads(_file().read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    return {}


def _remember(key: str, way: Way) -> None:
    """Keep a choice; where nothing can be written, the next process measures again."""
    text = json.dumps(_remembered() | {key: list(way)}, indent=1)
    with suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        files.replace(_file(), text.encode())
