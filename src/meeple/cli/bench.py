"""`meeple bench`: speed, side by side with other systems that are installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import Json

if TYPE_CHECKING:
    from meeple.bridges.speed import Row

PACKAGES = ("meeple", "numpy", "numba", "open_spiel", "jax", "mctx", "pgx")


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
        beside = "" if row.ratio is None else f", {row.ratio:.2f} times {row.peer_name}"
        print(f"{row.name}: {row.ours:,.0f} {row.unit}{beside}", file=sys.stderr)
    if json:
        print_json([row._asdict() for row in rows])
        return
    for note in sorted({row.note for row in rows if row.note}):
        print(note, file=sys.stderr)
    print(", ".join(_versions()), file=sys.stderr)
    head = ("name", "ours", "peer", "ratio", "unit", "peer is")
    print_table(head, [(row.name, *_numbers(row), row.unit, row.peer_name) for row in rows], " rrr")


def _numbers(row: Row) -> tuple[str, str, str]:
    if row.peer is None or row.ratio is None:
        return f"{row.ours:,.0f}", "-", "-"
    return f"{row.ours:,.0f}", f"{row.peer:,.0f}", f"{row.ratio:.2f}"


def _versions() -> Iterator[str]:
    """Of ours and of those beside it that are installed."""
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            yield f"{package} {version(package)}"
