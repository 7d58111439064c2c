"""`meeple show`: a position, drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from meeple.cli.output import can_draw, print_json
from meeple.cli.parameters import GameName, Json, Moves


def run(
    game: GameName,
    moves: Moves = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the drawing as SVG.")] = None,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with plain characters only.")] = False,
    json: Json = False,
) -> None:
    """Draw the position after some moves."""
    import meeple

    position = meeple.game(game).read(" ".join(moves or ()))
    if svg is not None:
        write(svg, meeple.svg(position))
    drawing = meeple.text(position, ascii_only=ascii or not can_draw(sys.stdout))
    if json:
        print_json(
            {
                "game": position.game.name,
                "history": position.history,
                "to_move": position.to_move,
                "result": position.result,
                "plies": position.plies,
                "margin": position.margin,
                "moves": position.moves,
                "text": drawing,
            }
        )
    else:
        print(drawing)


def write(file: Path, text: str, mode: Literal["w", "a"] = "w") -> None:
    """Write a file or append to it, or say in one line why not."""
    from meeple.errors import MeepleError

    try:
        with file.open(mode, encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise MeepleError(f"cannot write {file}: {error.strerror}") from error
