"""`meeple perft`: how many move sequences and positions there are at a depth."""

from __future__ import annotations

from typing import Annotated

import typer

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import FROM_0, GameName, Json

HEAD = "plies", "sequences", "finished games", "positions", "seconds"
WIDTHS = 5, 20, 20, 14, 8


def run(
    game: GameName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", parser=FROM_0, help="How many plies.")],
    moves: Annotated[str, typer.Option(metavar="MOVES", help="Count from after these moves, not from the start.")] = "",
    divide: Annotated[bool, typer.Option("--divide", help="Count the sequences by their first move.")] = False,
    json: Json = False,
) -> None:
    """Count the move sequences of a length and the distinct positions they lead to."""
    import meeple
    from meeple.games.perft import divide as divided
    from meeple.games.perft import levels

    start = meeple.game(game).read(moves)
    if divide:
        counts = divided(start, depth)
        if json:
            print_json(counts)
        else:
            print_table(("move", "sequences"), [(move, f"{paths:,}") for move, paths in counts.items()], " r")
        return
    found: list[dict[str, float]] = []
    for count in levels(start, depth):
        if not json:
            _print_row(len(found), f"{count.paths:,}", f"{count.finished:,}", f"{count.positions:,}", count.seconds)
        found.append(count._asdict())
        if not count.positions:
            break
    if json:
        print_json({"game": start.game.name, "depth": depth, **found[-1], "levels": found})


def _print_row(ply: int, paths: str, finished: str, positions: str, seconds: float) -> None:
    """A row as soon as it is counted; deep ones take long."""
    if ply == 0:
        print("  ".join(name.rjust(width) for name, width in zip(HEAD, WIDTHS, strict=True)))
    row = str(ply), paths, finished, positions, f"{seconds:.2f}"
    print("  ".join(cell.rjust(width) for cell, width in zip(row, WIDTHS, strict=True)), flush=True)
