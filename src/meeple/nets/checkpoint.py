"""Checkpoints: the weights of a network and its card, in one safetensors file that other programs can read too.

Metadata of the file:

    meeple    the card, as JSON
    digest    SHA-256 of the card and of every tensor, so that a damaged file is never taken for a network
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as read_tensors
from safetensors.numpy import save as write_tensors

from meeple import files
from meeple.errors import CheckpointError
from meeple.games.game import Game
from meeple.nets.architecture import Architecture
from meeple.nets.layout import Layout, layout_of, weight_shapes
from meeple.settings import Part

RANGE = "range/"
"""What the name of a tensor begins with that is no weight but the range of an activation."""
PACKAGES = ("meeple", "numpy", "torch")
Natural = Annotated[int, Field(ge=0)]
Tensors = Mapping[str, NDArray[np.float32]]
NO_RANGES: Tensors = {}


class Measured(Part):
    """How a network did against somebody."""

    against: str
    """The opponent's spec, or what else it was measured by."""
    simulations: Natural
    """The simulations that the network searched with."""
    games: Natural
    """How many games, or positions, were counted."""
    score: float
    """Its mean score."""
    low: float
    """The interval's lower end."""
    high: float
    """And its upper end."""
    note: str = ""
    """What else should be known."""


class Card(Part):
    """What a network is and where it comes from."""

    format: Literal["meeple-network/1"] = "meeple-network/1"
    """Which kind of file this is."""
    game: str
    """The game, size included."""
    architecture: Architecture
    """What the network is made of."""
    layout: Layout
    """How it meets the game."""
    recipe_name: str = ""
    """The recipe that it was learned by."""
    recipe: dict[str, Any] = Field(default_factory=dict)
    """That recipe, whole."""
    step: Natural = 0
    """After how many steps of learning."""
    games: Natural = 0
    """And after how many games of self-play."""
    seed: int = 0
    """Where chance started."""
    made_by: str = ""
    """The command that makes it again."""
    created: str = ""
    """When, in ISO 8601."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Of what it was made with."""
    measured: tuple[Measured, ...] = ()
    """How strong it is."""


class Checkpoint(NamedTuple):
    """A network at rest."""

    card: Card
    weights: Tensors
    """By the names of `layout.weight_shapes`."""
    ranges: Tensors = NO_RANGES
    """For int8: the least and the greatest number of each activation; empty before a calibration."""


def card_of(game: Game, architecture: Architecture, **facts: Any) -> Card:
    """The card of a network made now for a game; facts are further fields."""
    found = {package: version_of(package) for package in PACKAGES}
    return Card(
        game=game.name,
        architecture=architecture,
        layout=layout_of(game),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={package: number for package, number in found.items() if number},
        **facts,
    )


def save(path: str | os.PathLike[str], checkpoint: Checkpoint, *, half: bool = False) -> None:
    """Write a file that is there as a whole or not at all; half keeps matrices as float16, in half the space."""
    _check(checkpoint, "the checkpoint")
    try:
        files.replace(Path(path), to_bytes(checkpoint, half=half))
    except OSError as error:
        raise CheckpointError(files.unwritable(Path(path), error)) from error


def load(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a file; CheckpointError says in one line what is wrong with it."""
    try:
        return from_bytes(Path(path).read_bytes(), str(path))
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from error


def to_bytes(checkpoint: Checkpoint, *, half: bool = False) -> bytes:
    """The bytes of a file, always the same for the same checkpoint."""
    ranges = {f"{RANGE}{name}": value for name, value in checkpoint.ranges.items()}
    kept = {name: _packed(value, half) for name, value in checkpoint.weights.items()} | ranges
    card = checkpoint.card.model_dump_json()
    return _in_order(write_tensors(kept, {"meeple": card, "digest": _digest(card, kept)}))


def from_bytes(data: bytes, source: str = "the data") -> Checkpoint:
    """The checkpoint in the bytes of a file."""
    metadata = _metadata(data)
    if "meeple" not in metadata:
        raise CheckpointError(f"{source} is not a network of meeple")
    try:
        tensors = read_tensors(data)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{source} is damaged: {_line(error)}") from error
    if metadata.get("digest") != _digest(metadata["meeple"], tensors):
        raise CheckpointError(f"{source} is damaged: its digest is not that of its content")
    try:
        card = Card.model_validate_json(metadata["meeple"])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise CheckpointError(f"{source} has a card that cannot be read: {where}: {first['msg']}") from error
    floats = {name: value.astype(np.float32) for name, value in tensors.items()}
    weights = {name: value for name, value in floats.items() if not name.startswith(RANGE)}
    ranges = {name.removeprefix(RANGE): value for name, value in floats.items() if name.startswith(RANGE)}
    return _check(Checkpoint(card, weights, ranges), source)


def fitted(checkpoint: Checkpoint, game: Game) -> Layout:
    """The layout of a game that the checkpoint's network can play; CheckpointError where it cannot."""
    card, layout = checkpoint.card, layout_of(game)
    if card.game.partition(":")[0] != game.name.partition(":")[0]:
        raise CheckpointError(f"this network plays {card.game}, not {game.name}")
    if weight_shapes(card.architecture, layout) != weight_shapes(card.architecture, card.layout):
        raise CheckpointError(f"this network plays {card.game} at no other size, so not {game.name}")
    if not card.architecture.any_size and layout != card.layout:
        raise CheckpointError(f"this network was made for another {card.game} than this one")
    return layout


def _check(checkpoint: Checkpoint, source: str) -> Checkpoint:
    """The checkpoint, if its tensors are those that its card promises."""
    card, weights = checkpoint.card, checkpoint.weights
    expected = weight_shapes(card.architecture, card.layout)
    if weights.keys() != expected.keys():
        name = min(weights.keys() ^ expected.keys())
        raise CheckpointError(f"{source} {'lacks' if name in expected else 'has no use for'} the weight {name}")
    for name, shape in expected.items():
        if weights[name].shape != shape:
            raise CheckpointError(f"{source}: {name} has the shape {weights[name].shape}, not {shape}")
    for name, value in {**weights, **checkpoint.ranges}.items():
        if not np.isfinite(value).all():
            raise CheckpointError(f"{source}: {name} has numbers that are not finite")
    for name, value in checkpoint.ranges.items():
        if value.shape != (2,):
            raise CheckpointError(f"{source}: the range {name} is not a pair of numbers")
    return checkpoint


def _packed(value: NDArray[np.float32], half: bool) -> NDArray[Any]:
    is_matrix = value.ndim > 1
    return np.ascontiguousarray(value, np.float16 if half and is_matrix else np.float32)


def _digest(card: str, tensors: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(card.encode())
    for name, value in sorted(tensors.items()):
        digest.update(f"{name} {value.dtype} {value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()


def _in_order(data: bytes) -> bytes:
    """The bytes of a file with its metadata in alphabetical order, for safetensors writes them in any."""
    (length,) = struct.unpack_from("<Q", data)
    head = json.loads(data[8 : 8 + length])
    head["__metadata__"] = dict(sorted(head["__metadata__"].items()))
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at a multiple of eight bytes
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


def _metadata(data: bytes) -> dict[str, str]:
    """The metadata at the head of a safetensors file; empty where that cannot be read."""
    if len(data) < 8:
        return {}
    (length,) = struct.unpack_from("<Q", data)
    try:
        found = json.loads(data[8 : 8 + length])["__metadata__"]
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return {}
    is_text = isinstance(found, dict) and all(isinstance(value, str) for value in found.values())
    return found if is_text else {}


def version_of(package: str) -> str:
    """The version of an installed package; nothing where it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _line(error: Exception) -> str:
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
