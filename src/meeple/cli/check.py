"""`meeple check`: whether a game keeps the rules contract."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Annotated

import typer

from meeple.cli.output import print_json
from meeple.cli.parameters import FROM_1, GameName, Json, Seed
from meeple.errors import RulesError

IN_CHILD = "MEEPLE_CHECK_IN_CHILD"


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
    if game.endswith(".py") and IN_CHILD not in os.environ:
        _run_in_child()
    import meeple

    loaded = meeple.game(game)
    found = meeple.check(loaded, games=games, seed=seed)
    if json:
        print_json({"game": loaded.name, **found._asdict()})
        return
    print(
        f"{loaded.name}: no fault in {found.games:,} random games, {found.plies:,} plies, "
        f"{found.positions:,} positions, {_counted(found.symmetries, 'symmetry', 'symmetries')} ({found.seconds:.1f} s)"
    )


def _run_in_child() -> None:
    """The same in a process of its own, where rules that crash or never end do no harm."""
    command = [sys.executable, "-m", "meeple", *sys.argv[1:]]
    done = subprocess.run(command, env={**os.environ, IN_CHILD: "1"}, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise RulesError(f"the rules crashed ({name}): one reads or writes outside its arrays, or never ends")
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    raise typer.Exit(done.returncode)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
