"""A network for other programs: an ONNX file with its card, and how far what it computes is from a reference."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import helper

from meeple import files
from meeple.errors import CheckpointError
from meeple.games.game import Game
from meeple.nets.calibration import random_planes, session
from meeple.nets.checkpoint import Checkpoint, fitted
from meeple.nets.graph import build
from meeple.search.evaluator import Evaluator, Positions

POSITIONS = 256


class Tensor(NamedTuple):
    """What a file takes or gives."""

    name: str
    shape: tuple[str | int, ...]
    """`n` stands for any number of positions."""


class Exported(NamedTuple):
    """A file that was written."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    max_error: float
    """The largest difference between its outputs in onnxruntime and those of the reference."""


def export(checkpoint: Checkpoint, game: Game, file: Path, reference: Evaluator) -> Exported:
    """Write a network in float32 for the board of a game, its card under `meeple` in the metadata, and check it."""
    model = build(checkpoint, fitted(checkpoint, game))
    helper.set_model_props(model, {"meeple": checkpoint.card.model_dump_json()})
    _write(file, model.SerializeToString())
    return Exported(
        _tensors(model.graph.input), _tensors(model.graph.output), max_error(onnx.load(file), game, reference)
    )


def max_error(model: onnx.ModelProto, game: Game, reference: Evaluator) -> float:
    """How far a model's outputs are from those of a reference, on positions of random games."""
    planes = random_planes(game, POSITIONS)
    expected = reference.evaluate(Positions(np.zeros((POSITIONS, game.num_words), np.uint64), planes))
    known = {"logits": expected.logits, "value": expected.values}
    names = [output.name for output in model.graph.output]
    found = zip(names, session(model).run(names, {"planes": planes}), strict=True)
    return max(float(np.abs(output - known[name]).max()) for name, output in found)


def _write(file: Path, data: bytes) -> None:
    try:
        files.replace(file, data)
    except OSError as error:
        raise CheckpointError(files.unwritable(file, error)) from error


def _tensors(infos: list[onnx.ValueInfoProto]) -> tuple[Tensor, ...]:
    """Names and shapes."""
    return tuple(
        Tensor(info.name, tuple(size.dim_param or size.dim_value for size in info.type.tensor_type.shape.dim))
        for info in infos
    )
