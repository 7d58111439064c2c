"""`meeple export`: a network for other programs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.output import print_json
from meeple.cli.parameters import Json

if TYPE_CHECKING:
    from meeple.games.game import Game
    from meeple.nets.checkpoint import Checkpoint
    from meeple.nets.export import Exported, Tensor
    from meeple.search.evaluator import Evaluator


def run(
    network: Annotated[
        str, typer.Argument(metavar="NETWORK", help="RUN@best, RUN@latest, RUN@STEP, a .safetensors file or zoo:NAME.")
    ],
    onnx: Annotated[Path, typer.Option(metavar="FILE", help="The ONNX file to write.")],
    game: Annotated[
        str, typer.Option(metavar="GAME", help="Another size that the network plays, or the file of your own game.")
    ] = "",
    json: Json = False,
) -> None:
    """Write a network as ONNX, with its card; what it computes is compared on 256 positions."""
    import meeple
    from meeple.nets import zoo
    from meeple.nets.checkpoint import load
    from meeple.nets.export import POSITIONS, export
    from meeple.nets.folder import find

    kind, _, name = network.partition(":")
    checkpoint = load(zoo.path(name) if kind == "zoo" else find(network))
    played = meeple.game(game or checkpoint.card.game)
    found = export(checkpoint, played, onnx, _reference(checkpoint, played))
    if json:
        print_json(document(found, onnx))
    else:
        print(f"{onnx}: {_listed(found.inputs)} -> {_listed(found.outputs)}")
        print(f"its numbers are within {found.max_error:.1e} of the reference on {POSITIONS} positions")


def document(exported: Exported, file: Path) -> dict[str, object]:
    """What was written as JSON has it."""
    return {
        "file": str(file),
        "inputs": [tensor._asdict() for tensor in exported.inputs],
        "outputs": [tensor._asdict() for tensor in exported.outputs],
        "max_error": exported.max_error,
    }


def _reference(checkpoint: Checkpoint, game: Game) -> Evaluator:
    """PyTorch where it is installed, else what plays here in float32."""
    if find_spec("torch") is None:
        from meeple.nets.runtime import NetworkEvaluator

        return NetworkEvaluator(checkpoint, game, precision="fp32")
    from meeple.nets.torch_runtime import TorchEvaluator

    return TorchEvaluator(checkpoint, game)


def _listed(tensors: tuple[Tensor, ...]) -> str:
    return ", ".join(f"{tensor.name} [{', '.join(map(str, tensor.shape))}]" for tensor in tensors)
