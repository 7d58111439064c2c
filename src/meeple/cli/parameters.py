"""Parameters that several verbs take."""

from __future__ import annotations

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


FROM_0, FROM_1, FROM_2 = whole(0), whole(1), whole(2)

Seed = Annotated[
    int, typer.Option(parser=FROM_0, metavar="N", help="Where chance starts; the same seed repeats everything.")
]
