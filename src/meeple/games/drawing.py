"""Positions drawn as text, and what every drawing needs to know: who stands how, and where the last move went.

      marks           discs             hexes                lines

    3  . . O      · · · · · · ·      a b c                 a   b
    2  .(X).      · · · ● · · ·     1  · · ●  1          o---o   o A
    1  . . .      · ·(○)● · · ·      2  ·(○)·  2       A | 1 |
       a b c      1 2 3 4 5 6 7       3  · · ·  3        o(-)o   o B
                                          a b c          a   b   c
    O to move     ○ to move         ● to move, …         player 1 to move, …

A line between dots is named by the letters beside it: the horizontal one in brackets is `aB` (top, right), the
vertical one that stands second `Ab` (left, bottom).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from meeple.games.board import Board
from meeple.games.game import Game, Position

NAMES = {"marks": ("X", "O"), "discs": ("Red", "Yellow"), "lines": ("Blue", "Gold")}
OTHER_NAMES = "Black", "White"
SYMBOLS = {"marks": ".XO", "lines": " 12"}
OTHER_SYMBOLS, ASCII_SYMBOLS = "·●○", ".XO"
GOALS = "joining top and bottom", "joining left and right"
LARGE = 10
"""Boards of this many rows or columns are labelled on both sides."""


class Line(NamedTuple):
    """A line between two dots: along the top of a row of boxes, or down the left of a column."""

    row: int
    column: int
    is_horizontal: bool


class Page:
    """Squared paper, one character a square."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def write(self, row: int, column: int, text: str) -> None:
        self._lines += [""] * (row + 1 - len(self._lines))
        line = self._lines[row].ljust(column)
        self._lines[row] = line[:column] + text + line[column + len(text) :]

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines)


def text(position: Position, *, ascii_only: bool = False) -> str:
    """The board with the last move in brackets, and below it who is to move or how the game ended."""
    style = position.game.board.style
    symbols = SYMBOLS.get(style, ASCII_SYMBOLS if ascii_only else OTHER_SYMBOLS)
    if style == "lines":
        return f"{_boxes(position, symbols)}\n\n{status(position, ('player 1', 'player 2'))}"
    return f"{_cells(position, symbols)}\n\n{status(position, (symbols[1], symbols[2]))}"


def player_names(game: Game) -> tuple[str, str]:
    """What the players are called, after the colours or marks of their pieces."""
    return NAMES.get(game.board.style, OTHER_NAMES)


def status(position: Position, players: tuple[str, str] | None = None) -> str:
    """Who is to move and stands how, or who won; the players as their pieces are called, unless given."""
    players = players or player_names(position.game)
    result = position.result
    lead = (position.margin or 0) - position.game.komi
    if result == 0:
        return "drawn"
    if result is not None:
        return f"{players[result < 0]} wins" + (f" by {abs(lead):g}" if lead * result > 0 else "")
    mover = f"{players[position.to_move]} to move"
    if position.game.board.style == "hexes":
        return f"{mover}, {GOALS[position.to_move]}"
    return mover if position.margin is None else f"{mover}, {_standing(-lead if position.to_move else lead)}"


def _standing(lead: float) -> str:
    return "level" if lead == 0 else f"{'ahead' if lead > 0 else 'behind'} by {abs(lead):g}"


def columns_of_actions(game: Game) -> dict[int, int]:
    """The column of every action that is named after one, where discs are dropped into columns."""
    columns = {name: column for column, name in enumerate(game.board.column_names)}
    if game.board.style != "discs" or not columns.keys() <= set(game.names):
        return {}
    return {action: columns[name] for action, name in enumerate(game.names) if name in columns}


def cells_of_actions(game: Game) -> dict[int, int]:
    """The cell of every action that is named after one; none between dots, and none where columns are played."""
    if game.board.style == "lines" or columns_of_actions(game):
        return {}
    cells = {name: cell for cell, name in enumerate(game.board.cell_names)}
    return {action: cells[name] for action, name in enumerate(game.names) if name in cells}


def lines_of_actions(game: Game) -> dict[int, Line]:
    """The line of every action, where lines are drawn between dots: horizontal ones first, both by rows."""
    if game.board.style != "lines":
        return {}
    rows, columns = game.board.rows, game.board.columns
    horizontal = [Line(row, column, True) for row in range(rows + 1) for column in range(columns)]
    vertical = [Line(row, column, False) for row in range(rows) for column in range(columns + 1)]
    return dict(enumerate(horizontal + vertical))


def drawn_lines(position: Position) -> set[Line]:
    """The lines on the board: the first plane holds the horizontal lines, the second the vertical ones."""
    planes = position.planes
    lines = lines_of_actions(position.game).values()
    return {line for line in lines if planes[0 if line.is_horizontal else 1, line.row, line.column] > 0.5}


def last_cells(position: Position) -> tuple[int, ...]:
    """The cells that the last move is shown on: the one it names, else all whose piece it changed."""
    if position.action is None:
        return ()
    game, pieces = position.game, position.game.pieces(position.state)
    if position.action in (cells := cells_of_actions(game)):
        return (cells[position.action],)
    if position.action in (columns := columns_of_actions(game)):
        column = range(columns[position.action], len(pieces), game.board.columns)
        return tuple(cell for cell in column if pieces[cell])[:1]
    if position.previous is None or game.board.style == "lines":
        return ()
    return tuple(np.flatnonzero(pieces != game.pieces(position.previous.state)).tolist())


def last_cell(position: Position) -> int | None:
    """The cell that the last move went to; None at the start and after a move without a cell."""
    cells, action, game = last_cells(position), position.action, position.game
    if len(cells) < 2 or action is None:
        return cells[0] if cells else None
    named = [cell for cell in cells if game.names[action].endswith(game.board.cell_names[cell])]
    taken = [cell for cell in cells if game.pieces(position.state)[cell]]
    found = max(named, key=lambda cell: len(game.board.cell_names[cell]), default=None)
    return found if found is not None else taken[0] if len(taken) == 1 else None


def last_line(position: Position) -> Line | None:
    """The line that the last move drew; None on other boards and at the start."""
    return None if position.action is None else lines_of_actions(position.game).get(position.action)


def line_letters(board: Board) -> list[str]:
    """The letters of the lines and boxes of a row or column, as many as the longer side needs."""
    count = max(board.rows, board.columns) + 1
    return [board.letters[index] if index < len(board.letters) else str(index + 1) for index in range(count)]


def has_far_labels(board: Board) -> bool:
    """Whether the rows and columns are labelled on both sides."""
    return board.style == "hexes" or max(board.rows, board.columns) >= LARGE


def _cells(position: Position, symbols: str) -> Page:
    """Cells in rows; every row of hexes stands one character further to the right."""
    board, page = position.game.board, Page()
    slant = int(board.style == "hexes")
    is_first_above = board.first_row == "top"
    top = int(is_first_above or has_far_labels(board))
    label_width = 0 if board.style == "discs" else max(map(len, board.row_names))
    pitch = max(map(len, board.column_names)) + 1
    left = label_width + 2 if label_width else pitch - 1
    # Step 1. The labels, in line with the cells.
    for column, name in enumerate(board.column_names):
        x = left + pitch * column + 1 - len(name)
        if top:
            page.write(0, x - slant, name)
        if has_far_labels(board) or not is_first_above:
            page.write(top + board.rows, x + slant * board.rows, name)
    for row, name in enumerate(board.row_names[: board.rows if label_width else 0]):
        page.write(top + row, slant * row, name.rjust(label_width))
        if has_far_labels(board):
            page.write(top + row, slant * row + left + pitch * (board.columns - 1) + 3, name)
    # Step 2. The cells, each with a free character on either side.
    last = last_cell(position)
    for cell, piece in enumerate(position.game.pieces(position.state)):
        row, column = divmod(cell, board.columns)
        marked = f"({symbols[piece]})" if cell == last else symbols[piece]
        page.write(top + row, left + pitch * column + slant * row - (cell == last), marked)
    return page


def _boxes(position: Position, symbols: str) -> Page:
    """Boxes between dots: the letters of horizontal lines stand above and right, of vertical ones left and below."""
    board, page = position.game.board, Page()
    letters = line_letters(board)
    width = max(map(len, letters))
    left, right, bottom = width + 2, width + 4 * board.columns + 4, 2 * board.rows + 2
    # Step 1. The letters and the dots.
    for row in range(board.rows + 1):
        for column in range(board.columns + 1):
            page.write(2 * row + 1, left + 4 * column, "o")
        page.write(2 * row + 1, right, letters[row].upper())
        if row < board.rows:
            page.write(2 * row + 2, 0, letters[row].upper().rjust(width))
    for column in range(board.columns + 1):
        page.write(bottom, left + 4 * column, letters[column])
        if column < board.columns:
            page.write(0, left + 4 * column + 2, letters[column])
    # Step 2. The boxes and the lines.
    for cell, piece in enumerate(position.game.pieces(position.state)):
        row, column = divmod(cell, board.columns)
        page.write(2 * row + 2, left + 4 * column + 2, symbols[piece])
    last = last_line(position)
    for line in drawn_lines(position):
        across, down = ("(-)", "(|)") if line == last else ("---", " | ")
        x = left + 4 * line.column + (1 if line.is_horizontal else -1)
        page.write(2 * line.row + 2 - line.is_horizontal, x, across if line.is_horizontal else down)
    return page
