"""`meeple bench`: speed, side by side with other systems that are installed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import Json

if TYPE_CHECKING:
    from meeple.bridges.speed import Row


def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]…", help="What to measure; all unless given.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure speed in one process, beside other systems where they are installed."""
    from meeple.bridges import speed

    rows = []
    for row in speed.measure(names or []):
        rows.append(row)
        print(f"{row.name}: {row.ours:,.0f} {row.unit}", file=sys.stderr)
    if json:
        print_json([row._asdict() for row in rows])
        return
    for note in sorted({row.note for row in rows if row.note}):
        print(note, file=sys.stderr)
    head = ("name", "ours", "peer", "ratio", "unit", "peer is")
    print_table(head, [(row.name, *_numbers(row), row.unit, row.peer_name) for row in rows], " rrr")


def _numbers(row: Row) -> tuple[str, str, str]:
    if row.peer is None or row.ratio is None:
        return f"{row.ours:,.0f}", "-", "-"
    return f"{row.ours:,.0f}", f"{row.peer:,.0f}", f"{row.ratio:.2f}"
