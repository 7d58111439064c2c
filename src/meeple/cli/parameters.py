"""Parameters that several verbs take."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated

import typer

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="A name such as hex:6 or connect4, or the path of a .py file.")
]
Moves = Annotated[
    list[str] | None,
    typer.Argument(metavar="[MOVES]", help='The moves so far, such as "a1 b2"; a dash or nothing is the start.'),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def whole(low: int) -> Callable[[str | int], int]:
    """What reads a whole number from some low end on, and names it where it is none; a default is a number already."""

    def read(text: str | int) -> int:
        if not re.fullmatch(r"\d{1,18}", str(text)) or int(text) < low:
            raise typer.BadParameter(f"{str(text)[:40]!r} is not a whole number from {low}")
        return int(text)

    return read


def above_0(text: str | float) -> float:
    """Reads a number above 0; a default is one already."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (0 < number < math.inf):
        raise typer.BadParameter(f"{str(text)[:40]!r} is not a number above 0")
    return number


FROM_0, FROM_1, FROM_2 = whole(0), whole(1), whole(2)

Seed = Annotated[
    int, typer.Option(parser=FROM_0, metavar="N", help="Where chance starts; the same seed repeats everything.")
]

Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="K=V",
        help="Change a setting of the recipe, as in search.simulations=64; repeat at will.",
    ),
]
