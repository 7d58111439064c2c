"""`meeple games`."""

import json

from meeple.games.table import ENTRIES


def test_lists_every_game(meeple):
    code, out, err = meeple("games")
    assert (code, err) == (0, "")
    first_words = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert first_words[: len(ENTRIES) + 1] == ["name", *(entry.name for entry in ENTRIES)]
    assert all(entry.sizes in out and entry.notation in out for entry in ENTRIES)


def test_as_json(meeple):
    code, out, err = meeple("games", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert [row["name"] for row in found] == [entry.name for entry in ENTRIES]
    assert all({"name", "sizes", "actions", "planes", "symmetries", "notation"} <= row.keys() for row in found)
    assert all(isinstance(row[count], int) for row in found for count in ("actions", "planes", "symmetries"))
