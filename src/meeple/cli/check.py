"""`meeple check`: whether a game keeps the rules contract."""

from __future__ import annotations

from typing import Annotated

import typer

from meeple.cli.output import print_json
from meeple.cli.parameters import FROM_1, GameName, Json, Seed


def run(
    game: GameName,
    games: Annotated[
        int,
        typer.Option(parser=FROM_1, metavar="N", help="How many random games to play; fewer where they are long."),
    ] = 2000,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play random games and verify all that engines take for granted: a game of your own should pass."""
    import meeple

    loaded = meeple.game(game)
    found = meeple.check(loaded, games=games, seed=seed)
    if json:
        print_json({"game": loaded.name, **found._asdict()})
        return
    print(
        f"{loaded.name}: no fault in {found.games:,} random games, {found.plies:,} plies, "
        f"{found.positions:,} positions, {found.symmetries} symmetries ({found.seconds:.1f} s)"
    )
