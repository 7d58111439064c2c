"""The ways of running a network on a processor: by which runtime, and with how many bits."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray

from meeple.errors import CheckpointError
from meeple.games.game import Game
from meeple.nets.calibration import calibrated, session
from meeple.nets.checkpoint import Checkpoint, fitted
from meeple.nets.graph import build

Runtime: TypeAlias = Literal["onnxruntime", "openvino"]
Precision: TypeAlias = Literal["fp32", "bf16", "int8"]
Floats: TypeAlias = NDArray[np.float32]
Runner: TypeAlias = Callable[[Floats], dict[str, Floats]]
"""Planes of positions to the outputs of the graph by name."""


class Way(NamedTuple):
    """How a network is run."""

    runtime: Runtime
    precision: Precision


def ways(runtime: str = "auto", precision: str = "auto") -> list[Way]:
    """The ways that this computer offers and that suit a wish; CheckpointError where there is none."""
    offered = [Way("onnxruntime", "fp32"), Way("onnxruntime", "int8")]
    if runtime != "onnxruntime" and find_spec("openvino") is not None:
        offered += [Way("openvino", "fp32"), Way("openvino", "int8")]
        offered += [Way("openvino", "bf16")] if _has_bf16() else []
    found = [way for way in offered if runtime in ("auto", way.runtime) and precision in ("auto", way.precision)]
    if not found:
        names = ", ".join(f"{way.runtime} {way.precision}" for way in offered)
        raise CheckpointError(f"no network runs by {runtime} in {precision} on this computer; there are {names}")
    return found


def runner(checkpoint: Checkpoint, game: Game, way: Way) -> Runner:
    """A function that runs the network in this way. In int8 a checkpoint without ranges is calibrated first."""
    layout = fitted(checkpoint, game)
    if way.precision == "int8" and not checkpoint.ranges:
        checkpoint = calibrated(checkpoint, game)
    model = build(checkpoint, layout, ranges=checkpoint.ranges if way.precision == "int8" else None)
    return _onnxruntime(model) if way.runtime == "onnxruntime" else _openvino(model, way.precision)


def _onnxruntime(model: onnx.ModelProto) -> Runner:
    made, names = session(model), [output.name for output in model.graph.output]
    return lambda planes: dict(zip(names, made.run(names, {"planes": planes}), strict=True))


def _openvino(model: onnx.ModelProto, precision: Precision) -> Runner:
    """Each thread has a request of its own, and each request a stream of one core."""
    import openvino  # type: ignore[import-untyped] # it has none

    cores = os.cpu_count() or 1
    settings = {
        "INFERENCE_NUM_THREADS": cores,
        "NUM_STREAMS": cores,
        "ENABLE_CPU_PINNING": False,
        "INFERENCE_PRECISION_HINT": "bf16" if precision == "bf16" else "f32",
    }
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings)
    names, mine = [output.name for output in model.graph.output], threading.local()

    def run(planes: Floats) -> dict[str, Floats]:
        if not hasattr(mine, "request"):
            mine.request = compiled.create_infer_request()
        found: Any = mine.request.infer({"planes": planes}, share_inputs=True)
        return {name: np.array(found[name]) for name in names}

    return run


def _has_bf16() -> bool:
    import openvino

    return "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
