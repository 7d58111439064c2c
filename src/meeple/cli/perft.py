"""`meeple perft`: how many move sequences and positions there are at a depth."""

from __future__ import annotations

from typing import Annotated

import typer

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import FROM_0, GameName, Json


def run(
    game: GameName,
    depth: Annotated[int, typer.Argument(metavar="DEPTH", parser=FROM_0, help="How many plies.")],
    json: Json = False,
) -> None:
    """Count the move sequences of a length and the distinct positions they lead to."""
    import meeple
    from meeple.games.perft import levels

    counts = list(levels(meeple.game(game), depth))
    if json:
        print_json(counts[-1]._asdict())
        return
    rows = [
        (str(ply), f"{count.paths:,}", f"{count.finished:,}", f"{count.positions:,}", f"{count.seconds:.2f}")
        for ply, count in enumerate(counts)
    ]
    print_table(("plies", "sequences", "finished games", "positions", "seconds"), rows, "rrrrr")
