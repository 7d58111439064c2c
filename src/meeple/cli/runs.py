"""`meeple runs`: runs with their state."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import Json


class Row(NamedTuple):
    """A run in a few words."""

    run: str
    game: str | None
    recipe: str | None
    state: str
    """`running`, `stopped`, or `damaged`."""
    iteration: int | None = None
    step: int | None = None
    games: int | None = None
    positions: int | None = None
    minutes: float | None = None
    checkpoint: str | None = None
    """The best one."""
    policy_loss: float | None = None
    value_loss: float | None = None
    fault: str | None = None
    """What is damaged."""


def run(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="Where the runs are. [default: runs]")
    ] = None,
    json: Json = False,
) -> None:
    """List runs with their state."""
    from meeple.errors import RunError
    from meeple.learn.storage import Folder
    from meeple.nets.folder import RUNS

    if folder is not None and not folder.is_dir():
        raise RunError(f"there is no folder {folder}")
    folder = folder or RUNS
    places = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    rows = [_row(place) for place in places if Folder(place).is_run]
    if json:
        print_json([row._asdict() for row in rows])
    elif rows:
        _print(rows)
    else:
        print(f"no runs in {folder}")


def _row(place: Path) -> Row:
    from meeple.errors import MeepleError
    from meeple.learn.metrics import NAME, Table
    from meeple.learn.storage import Folder
    from meeple.nets.folder import Checkpoints

    files, checkpoints = Folder(place), Checkpoints(place)
    try:
        recipe, state, metrics = files.recipe(), files.state(), Table(place / NAME).rows
    except MeepleError as error:
        return Row(str(place), None, None, "damaged", fault=str(error))
    return Row(
        run=str(place),
        game=recipe.game,
        recipe=recipe.name,
        state="running" if files.is_busy else "stopped",
        iteration=state.iteration,
        step=state.step,
        games=state.games,
        positions=state.positions,
        minutes=state.minutes,
        checkpoint=str(checkpoints.find("best")) if checkpoints.steps else None,
        policy_loss=metrics[-1].policy_loss if metrics else None,
        value_loss=metrics[-1].value_loss if metrics else None,
    )


def _print(rows: list[Row]) -> None:
    head = ("run", "game", "recipe", "state", "iteration", "step", "games", "minutes", "losses", "best")
    print_table(head, [_cells(row) for row in rows if row.fault is None], "    rrrr")
    for row in rows:
        if row.fault is not None:
            print(row.fault)


def _cells(row: Row) -> tuple[str, ...]:
    losses = "-" if row.policy_loss is None else f"{row.policy_loss:.3f} {row.value_loss:.3f}"
    best = "-" if row.checkpoint is None else Path(row.checkpoint).name
    counts = (f"{row.iteration}", f"{row.step:,}", f"{row.games:,}", f"{row.minutes:.1f}")
    return (row.run, row.game or "", row.recipe or "", row.state, *counts, losses, best)
