"""`meeple openings`: databases of forced openings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meeple.cli.output import print_json, print_table, progress
from meeple.cli.parameters import FROM_1, GameName, Json

app = typer.Typer(help="Databases of forced openings, for self-play to begin from.", no_args_is_help=True)


@app.command()
def build(
    game: GameName,
    plies: Annotated[int, typer.Option(parser=FROM_1, metavar="K", help="The most plies of an opening.")],
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The database; else named after the game, in this folder.")
    ] = None,
    winning_only: Annotated[
        bool, typer.Option("--winning-only", help="Who can win plays winning moves only, proven by alpha-beta.")
    ] = False,
    time_limit: Annotated[
        int, typer.Option(parser=FROM_1, metavar="SECONDS", help="How long the proof for one position may take.")
    ] = 10,
    json: Json = False,
) -> None:
    """Write all openings of up to K plies to an SQLite file, a row for each position."""
    import meeple
    from meeple.games.perft import levels
    from meeple.learn.forced_openings import build as write

    loaded = meeple.game(game)
    path = file or Path(f"{loaded.name.replace(':', '-')}-{plies}.openings")
    num_positions = sum(level.paths - level.finished for level in levels(loaded, plies - 1))
    with progress(num_positions, "positions") as advance:
        counts = write(
            loaded, path, plies, winning_only=winning_only, time_limit_s=float(time_limit), on_position=advance
        )
    if json:
        print_json({"file": str(path), "counts": counts})
    else:
        print_table(("plies", "openings"), [(str(ply), f"{count:,}") for ply, count in counts.items()], "rr")
        print(f"written to {path}")
