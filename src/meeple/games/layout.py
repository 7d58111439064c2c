"""Where everything lies in a picture of a board: cells in rows, squares or hexagons, with margins around them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from meeple.games.board import Board
from meeple.games.drawing import Line, has_far_labels

Place = tuple[float, float]

UNIT = 50.0
HEX_SIDE = UNIT / 3**0.5
HEX_CORNERS = [(0.0, -1.0), (0.5, -0.5), (0.5, 0.5), (0.0, 1.0), (-0.5, 0.5), (-0.5, -0.5)]
"""Clockwise from the top, as parts of a hexagon's width and of its side."""


@dataclass(frozen=True)
class Layout:
    """Where cells lie in the picture. Rows and columns may be broken numbers, and lie beside the board."""

    board: Board
    coordinates: bool

    @cached_property
    def margins(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the cells."""
        style, labels = self.board.style, self.coordinates
        if style == "marks":
            near, far = 32.0 * labels + 4, 32.0 * (labels and has_far_labels(self.board)) + 4
            return (near, near, far, far) if self.board.first_row == "top" else (near, far, far, near)
        if style == "discs":
            return 24, 14, 24, 14 + (34 if labels else 18)
        if style == "hexes":
            across, down = 1.5 * UNIT * self.reach - UNIT / 2 + 11, 1.5 * HEX_SIDE * self.reach - HEX_SIDE + 11
            return across, down, across, down
        plain, labelled = {"reversi": (12, 30), "stones": (4, 30), "lines": (10, 36)}[style]
        return (labelled if labels else plain,) * 4

    @property
    def reach(self) -> float:
        """How many cells beyond the centres of the outermost ones the frame of a hexagonal board stands."""
        return 1.2 if self.coordinates else 0.8

    @property
    def frame(self) -> list[Place]:
        """The four corners around a hexagonal board."""
        up, down = -self.reach, self.board.rows - 1 + self.reach
        left, right = -self.reach, self.board.columns - 1 + self.reach
        return [self.centre(up, left), self.centre(up, right), self.centre(down, right), self.centre(down, left)]

    @property
    def is_hexagonal(self) -> bool:
        return self.board.style == "hexes"

    @property
    def width(self) -> float:
        slant = (self.board.rows - 1) / 2 if self.is_hexagonal else 0
        return self.margins[0] + UNIT * (self.board.columns + slant) + self.margins[2]

    @property
    def height(self) -> float:
        rows = HEX_SIDE * (1.5 * self.board.rows + 0.5) if self.is_hexagonal else UNIT * self.board.rows
        return self.margins[1] + rows + self.margins[3]

    @property
    def box(self) -> dict[str, float]:
        """The rectangle of all cells, as attributes."""
        return {
            "x": self.margins[0], "y": self.margins[1],
            "width": UNIT * self.board.columns, "height": UNIT * self.board.rows,
        }  # fmt: skip

    def centre(self, row: float, column: float) -> Place:
        if self.is_hexagonal:
            x = self.margins[0] + UNIT * (column + 0.5 + row / 2)
            return x, self.margins[1] + HEX_SIDE * (1 + 1.5 * row)
        return self.margins[0] + UNIT * (column + 0.5), self.margins[1] + UNIT * (row + 0.5)

    def corners(self, row: float, column: float) -> list[Place]:
        """The outline of a cell."""
        if not self.is_hexagonal:
            return [self.centre(row + y, column + x) for y, x in ((-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5))]
        x, y = self.centre(row, column)
        return [(x + UNIT * right, y + HEX_SIDE * down) for right, down in HEX_CORNERS]

    def ends(self, line: Line) -> tuple[Place, Place]:
        """The two dots that a line joins."""
        row, column, is_horizontal = line
        down, across = (0, 1) if is_horizontal else (1, 0)
        return self.centre(row - 0.5, column - 0.5), self.centre(row - 0.5 + down, column - 0.5 + across)

    def diamond(self, line: Line) -> list[Place]:
        """All that is nearer to a line than to others: between its ends and the centres of the boxes beside it."""
        row, column, is_horizontal = line
        start, end = self.ends(line)
        beside = self.centre(row - 1, column) if is_horizontal else self.centre(row, column - 1)
        return [start, beside, end, self.centre(row, column)]

    def column(self, column: int) -> list[Place]:
        """The outline of a whole column."""
        return [*self.corners(0, column)[:2], *self.corners(self.board.rows - 1, column)[2:]]


def star_points(rows: int, columns: int) -> list[tuple[int, int]]:
    """The points that are marked on a board of crossings."""
    if min(rows, columns) < 5:
        return []
    (up, middle, down), (left, centre, right) = _thirds(rows), _thirds(columns)
    points = list(product((up, down), (left, right))) if min(rows, columns) >= 7 else []
    if rows % 2 and columns % 2:
        points.append((middle, centre))
        if min(rows, columns) >= 17:
            points += [(up, centre), (middle, left), (middle, right), (down, centre)]
    return sorted(points)


def _thirds(length: int) -> tuple[int, int, int]:
    near = 3 if length >= 12 else 2
    return near, length // 2, length - 1 - near
