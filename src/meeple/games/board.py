"""The board a game is played on: how cells lie, what they are called, and in which style they are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Literal, get_args

from meeple.errors import RulesError, nearest

Style = Literal["marks", "discs", "reversi", "stones", "hexes", "lines"]

ALL_LETTERS = "abcdefghijklmnopqrstuvwxyz"
LETTERS_WITHOUT_I = ALL_LETTERS.replace("i", "")


@dataclass(frozen=True, kw_only=True)
class Board:
    """A grid of cells, numbered by rows from the top left as it is drawn.

    The style says how: `marks` in squares, `discs` in a rack, `reversi` discs on green, `stones` on crossings, `hexes`,
    or `lines` between dots: then a cell is a box, actions are numbered as in Dots and Boxes, and the first two planes
    hold the horizontal and the vertical lines on a grid of the dots.
    """

    rows: int
    columns: int
    style: Style = "marks"
    first_row: Literal["top", "bottom"] = "bottom"
    """Where row 1 is."""
    letters: str = ALL_LETTERS

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise RulesError(f"a board has at least one row and column, not {self.rows} x {self.columns}")
        if self.style not in get_args(Style):
            styles = ", ".join(get_args(Style))
            raise RulesError(
                f"the style of a board is one of {styles}, not {self.style!r}{nearest(self.style, get_args(Style))}"
            )

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """The numbers of the rows, from the top."""
        numbers = range(1, self.rows + 1)
        return tuple(str(number) for number in (numbers if self.first_row == "top" else reversed(numbers)))

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The letters of the columns, doubled after the last; numbers where columns are played as a whole."""
        if self.style == "discs":
            return tuple(str(column + 1) for column in range(self.columns))
        doubled = (one + other for one in self.letters for other in self.letters)
        return tuple(islice(chain(self.letters, doubled), self.columns))

    @cached_property
    def cell_names(self) -> tuple[str, ...]:
        """Every cell as its column's letter and its row's number, by rows from the top left."""
        return tuple(column + row for row in self.row_names for column in self.column_names)
