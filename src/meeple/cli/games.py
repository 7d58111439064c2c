"""`meeple games`: which games there are."""

from __future__ import annotations

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import Json
from meeple.games.table import ENTRIES


def run(json: Json = False) -> None:
    """List the games that come with the package, their sizes, and how their moves are written."""
    if json:
        fields = ("name", "sizes", "actions", "planes", "symmetries", "notation")
        print_json([{field: getattr(entry, field) for field in fields} for entry in ENTRIES])
        return
    print_table(
        ("name", "sizes", "moves are written"), [(entry.name, entry.sizes, entry.notation) for entry in ENTRIES]
    )
    print("\nA size follows the name: hex:6, connect4:8x8. A game of your own is the path of its .py file.")
