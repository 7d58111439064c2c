"""`meeple doctor`: what is wrong with a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meeple.cli.output import print_json
from meeple.cli.parameters import Json

UNWELL = 1
"""The exit code where something is wrong."""


def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    json: Json = False,
) -> None:
    """Look at the numbers of a run and name what is wrong with the remedy; exits 1 if anything is."""
    from meeple.learn.doctor import findings
    from meeple.learn.metrics import NAME, Table
    from meeple.learn.storage import Folder

    recipe = Folder(folder).recipe()
    metrics = Table(folder / NAME).rows
    found = findings(metrics, recipe)
    if json:
        print_json([{**finding._asdict(), "line": finding.line} for finding in found])
    elif found:
        print("\n".join(f"{finding.name}: {finding.line}" for finding in found))
    else:
        print(f"nothing is wrong after {len(metrics)} {'iteration' if len(metrics) == 1 else 'iterations'}")
    if found:
        raise SystemExit(UNWELL)
