"""Positions drawn as text.

      marks          discs            hexes             lines

    3  . . O       · · · · ·        a b c               a   b
    2  .(X).       · · ● · ·       1  · · ●  1        o---o   o A
    1  . . .       ·(○)● · ·        2  ·(○)·  2     A | 1 |
       a b c       1 2 3 4 5         3  · · ·  3      o(-)o   o B
                                                      a   b   c
    O to move      ● to move      ● to move, …      first player to move, …
"""

from __future__ import annotations

from typing import NamedTuple

from meeple.games.board import Board
from meeple.games.game import Game, Position

PLAYERS = "first player", "second player"
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
        return f"{_lines(position, symbols)}\n\n{status(position)}"
    return f"{_grid(position, symbols)}\n\n{status(position, (symbols[1], symbols[2]))}"


def status(position: Position, players: tuple[str, str] = PLAYERS) -> str:
    """Who is to move and stands how, or who won."""
    margin, result = position.margin or 0, position.result
    if result == 0:
        return "drawn"
    if result is not None:
        return f"{players[result < 0]} wins" + (f" by {abs(margin)}" if margin * result > 0 else "")
    mover = f"{players[position.to_move]} to move"
    if position.game.board.style == "hexes":
        return f"{mover}, {GOALS[position.to_move]}"
    return mover if position.margin is None else f"{mover}, {_standing(-margin if position.to_move else margin)}"


def _standing(lead: int) -> str:
    return "level" if lead == 0 else f"{'ahead' if lead > 0 else 'behind'} by {abs(lead)}"


def cells_of_actions(game: Game) -> dict[int, int]:
    """The cell of every action that is named after one."""
    cells = {name: cell for cell, name in enumerate(game.board.cell_names)}
    return {action: cells[name] for action, name in enumerate(game.names) if name in cells}


def columns_of_actions(game: Game) -> dict[int, int]:
    """The column of every action that is named after one, where discs are dropped into columns."""
    if game.board.style != "discs":
        return {}
    columns = {name: column for column, name in enumerate(game.board.column_names)}
    return {action: columns[name] for action, name in enumerate(game.names) if name in columns}


def last_cell(position: Position) -> int | None:
    """The cell that the last move went to; None at the start and after a move without a cell."""
    if position.action is None:
        return None
    column = columns_of_actions(position.game).get(position.action)
    if column is None:
        return cells_of_actions(position.game).get(position.action)
    pieces = position.game.pieces(position.state)
    return next(cell for cell in range(column, len(pieces), position.game.board.columns) if pieces[cell])


def lines(board: Board) -> list[Line]:
    """Every line between dots, in the order of the actions: the horizontal ones by rows, then the vertical ones."""
    horizontal = [Line(row, column, True) for row in range(board.rows + 1) for column in range(board.columns)]
    vertical = [Line(row, column, False) for row in range(board.rows) for column in range(board.columns + 1)]
    return horizontal + vertical


def line_letters(board: Board) -> list[str]:
    """The letters of the lines and boxes of a row or column, as many as the longer side needs."""
    count = max(board.rows, board.columns) + 1
    return [board.letters[index] if index < len(board.letters) else str(index + 1) for index in range(count)]


def _grid(position: Position, symbols: str) -> Page:
    """Cells in rows; every row of hexes stands one character further to the right."""
    board, page = position.game.board, Page()
    slant = int(board.style == "hexes")
    is_first_above = board.first_row == "top"
    is_large = max(board.rows, board.columns) >= LARGE
    top = int(is_first_above or is_large)
    label_width = 0 if board.style == "discs" else max(map(len, board.row_names))
    pitch = max(map(len, board.column_names)) + 1
    left = label_width + 2 if label_width else pitch - 1
    # Step 1. The labels, in line with the cells.
    for column, name in enumerate(board.column_names):
        x = left + pitch * column + 1 - len(name)
        if top:
            page.write(0, x - slant, name)
        if is_large or not is_first_above:
            page.write(top + board.rows, x + slant * board.rows, name)
    for row, name in enumerate(board.row_names[: board.rows if label_width else 0]):
        page.write(top + row, slant * row, name.rjust(label_width))
        if is_large or slant:
            page.write(top + row, slant * row + left + pitch * board.columns + 2 - pitch + 1, name)
    # Step 2. The cells, each with a free character on either side.
    last = last_cell(position)
    for cell, piece in enumerate(position.game.pieces(position.state)):
        row, column = divmod(cell, board.columns)
        marked = f"({symbols[piece]})" if cell == last else symbols[piece]
        page.write(top + row, left + pitch * column + slant * row - (cell == last), marked)
    return page
