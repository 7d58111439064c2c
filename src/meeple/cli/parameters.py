"""Parameters that several verbs take."""

from __future__ import annotations

from typing import Annotated

import typer

GameName = Annotated[
    str, typer.Argument(metavar="GAME", help="A name such as hex:6 or connect4, or the path of a .py file.")
]
Moves = Annotated[
    str, typer.Argument(metavar="[MOVES]", help='The moves so far, such as "a1 b2"; a dash or nothing is the start.')
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Seed = Annotated[int, typer.Option(help="Where chance starts; the same seed repeats everything.")]
