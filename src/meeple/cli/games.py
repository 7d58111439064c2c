"""`meeple games`: which games there are."""

from __future__ import annotations

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import Json
from meeple.games.table import ENTRIES


def run(json: Json = False) -> None:
    """List the games that come with the package, their sizes, and how their moves are written."""
    if json:
        fields = ("name", "sizes", "actions", "planes", "symmetries", "notation", "usual")
        print_json(
            [{field: getattr(entry, field) for field in fields} | {"options": [*entry.options]} for entry in ENTRIES]
        )
        return
    rows = [(entry.name, entry.sizes, " ".join(entry.options), entry.notation) for entry in ENTRIES]
    print_table(("name", "sizes", "options", "moves are written"), rows)
    print("\nA size and options follow the name: hex:6, connect4:8x8, 'hex:11?swap=1', 'go:9?komi=5.5&suicide=1'.")
    print("A game of your own is the path of its .py file.")
