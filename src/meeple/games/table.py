"""The games that come with the package, as a table that can be read without importing Numba or any rules.

A test compares it with the games.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

MAX_KOMI = 400


class Entry(NamedTuple):
    """A game in the table; actions, planes and symmetries are those of its usual size."""

    name: str
    factory: str
    """Module and function under meeple.games."""
    usual: tuple[int, ...]
    """The size that the name alone means; empty for a game with one size."""
    limits: range
    """What each number of a size may be."""
    sizes: str
    actions: int
    planes: int
    symmetries: int
    notation: str
    options: dict[str, Callable[[str], Any]]


def _flag(text: str) -> bool:
    return {"1": True, "0": False}[text]


def _komi(text: str) -> float:
    komi = float(text) if re.fullmatch(r"-?\d{1,3}(\.\d)?", text) else math.nan
    if math.isnan(komi) or abs(komi) > MAX_KOMI or komi * 2 % 1:
        raise ValueError
    return komi


EXPECTED: dict[Callable[[str], Any], str] = {_flag: "1 or 0", _komi: f"a multiple of 0.5 up to {MAX_KOMI}"}
NUMBERED_FROM_BELOW = "column letter (i included), row number from the bottom"

ENTRIES = (
    Entry("tictactoe", "mnk.tictactoe", (), range(3, 4), "3x3", 9, 2, 8, "b2: column letter, row from the bottom", {}),
    Entry(
        "gomoku", "mnk.gomoku", (15,), range(5, 20), "5 to 19", 225, 2, 8,
        f"h8: {NUMBERED_FROM_BELOW}", {"exact": _flag},
    ),
    Entry(
        "mnk", "mnk.mnk", (9, 9, 5), range(1, 20), "MxNxK: M columns and N rows of 1 to 19, K in a line", 81, 2, 8,
        f"e5: {NUMBERED_FROM_BELOW}", {"exact": _flag},
    ),
    Entry(
        "connect4", "connect4.connect4", (6, 7), range(2, 11), "rows x columns, 2 to 10 each", 7, 2, 2,
        "4: column number; 4453 for several moves", {},
    ),
    Entry(
        "othello", "othello.othello", (8,), range(4, 11, 2), "4, 6, 8 or 10", 64, 2, 4,
        "f5: column letter, row from the top; f5d6c3 for several moves; passes are not written", {},
    ),
    Entry(
        "hex", "hex.hex_game", (11,), range(2, 20), "2 to 19", 121, 2, 2,
        "a1: column letter (i included), row from the top; swap-pieces", {"swap": _flag},
    ),
    Entry(
        "go", "go.go", (9,), range(2, 14), "2 to 13", 82, 5, 8,
        "C3: column letter without I, row from the bottom; pass", {"komi": _komi, "suicide": _flag},
    ),
    Entry(
        "dots", "dots.dots", (3, 3), range(1, 11), "rows x columns of boxes, 1 to 10 each", 24, 5, 8,
        "aA: horizontal, column a on row line A; Ba: vertical, row B on column line a", {},
    ),
)  # fmt: skip
TABLE = {entry.name: entry for entry in ENTRIES}
