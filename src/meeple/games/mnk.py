"""Tic-tac-toe, Gomoku and their kin: on M columns and N rows, K of one's own in a line win; a full board is a draw.

A player's stones are a bitboard: a cell's number is its bit, counted through as many words as the board needs.

     0  1  2          word    3       4        5       6
     3  4  5                  first   second   first   second   ...
     6  7  8                  cells 0 to 63    64 to 127
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meeple.errors import GameNameError
from meeple.games.board import Board, Style
from meeple.games.game import Game
from meeple.games.lines import open_lines, split_starts
from meeple.kernel import Actions, Int, Planes, Word, Words, jit, list_bits, list_dense_bits

ONE = np.uint64(1)
WORD = 64
FIRST = 3
SURE = 9000


def mnk(columns: int, rows: int, length: int, *, exact: bool = False) -> Game:
    """The game on a board of that size; where a line must be exact, a longer one does not win."""
    style: Style = "marks" if max(columns, rows) <= 5 else "stones"
    return _game(f"mnk:{columns}x{rows}x{length}", columns, rows, length, exact, style)


def tictactoe() -> Game:
    """Three in a line on three by three."""
    return _game("tictactoe", 3, 3, 3, False, "marks")


def gomoku(size: int, *, exact: bool = False) -> Game:
    """Five in a line; six or more win too unless the five must be exact."""
    return _game(f"gomoku:{size}", size, size, 5, exact, "stones")


def _game(name: str, columns: int, rows: int, length: int, exact: bool, style: Style) -> Game:
    if not 2 <= length <= max(columns, rows):
        raise GameNameError(f"{name}: a line must be of at least 2 and fit on the board, not of {length}")
    cells = columns * rows
    words = -(-cells // WORD)
    last_cells = np.uint64((1 << (cells - (words - 1) * WORD)) - 1)
    all_starts = _starts(columns, rows, length)
    starts = tuple(all_starts[:4]) if words == 1 else (np.uint64(0),) * 4

    def setup(state: Words) -> None:
        pass

    def moves(state: Words, actions: Actions) -> Int:
        count = 0
        for word in range(words):
            empty = ~(state[FIRST + 2 * word] | state[FIRST + 2 * word + 1])
            if word == words - 1:
                empty &= last_cells
            if words == 1:
                count = list_bits(empty, 0, actions, count)
            else:
                count = list_dense_bits(empty, word * WORD, min(cells - word * WORD, WORD), actions, count)
        return count

    def play(state: Words, action: Int) -> None:
        own = FIRST + np.int64(state[0])
        state[own + 2 * (action // WORD)] |= ONE << np.uint64(action % WORD)
        state[2] += ONE
        if words == 1:
            won = _has_line(state[own], columns, length, starts, exact)
        else:
            won = _has_line_through(state, own, action, rows, columns, length, exact)
        if won:
            state[1] = state[0] + ONE
        elif state[2] == np.uint64(cells):
            state[1] = np.uint64(3)
        state[0] ^= ONE

    def observe(state: Words, planes: Planes) -> None:
        for plane in range(2):
            player = FIRST + (np.int64(state[0]) ^ plane)
            for cell in range(cells):
                planes[plane * cells + cell] = np.float32(_bit(state, player, cell))

    def heuristic(state: Words) -> Int:
        """Open lines; who misses one stone and is to move, or misses one of two lines, has as good as won."""
        mover = np.int64(state[0])
        own = open_lines(state, mover, words, all_starts, columns, length)
        other = open_lines(state, 1 - mover, words, all_starts, columns, length)
        if own.one:
            found = SURE
        elif other.one > 1:
            found = -SURE
        else:
            found = 60 * own.two + 8 * own.three - 200 * other.one - 40 * other.two - 6 * other.three
            found = max(-SURE, min(SURE, found))
        return found if mover == 0 else -found

    return Game(
        name + ("?exact=1" if exact else ""),
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        heuristic=heuristic,
        num_words=FIRST + 2 * words,
        shape=(2, rows, columns),
        compact="[a-z][0-9]+",
        board=Board(rows=rows, columns=columns, style=style),
        is_filling=True,
        symmetries="dihedral",
    )


def _starts(columns: int, rows: int, length: int) -> NDArray[np.uint64]:
    """The cells, as bits, where a line to the right, down left, down, and down right can start: four masks a word."""
    right, down_left = range(columns - length + 1), range(length - 1, columns)
    upper_rows = range(rows - length + 1)

    def bits(in_rows: range, in_columns: range) -> int:
        return sum(1 << (row * columns + column) for row in in_rows for column in in_columns)

    return split_starts(
        [
            bits(range(rows), right),
            bits(upper_rows, down_left),
            bits(upper_rows, range(columns)),
            bits(upper_rows, right),
        ],
        -(-columns * rows // WORD),
    )


@jit
def _bit(state: Words, player: Int, cell: Int) -> Word:
    """1 where the player has a stone; a player stands for the index of its first word."""
    return (state[player + 2 * (cell // WORD)] >> np.uint64(cell % WORD)) & ONE


@jit
def _has_line(stones: Word, columns: Int, length: Int, starts: Words, exact: bool) -> bool:
    """Whether the stones of a board of one word hold a line."""
    for direction, step in enumerate((1, columns - 1, columns, columns + 1)):
        line, rest = starts[direction], stones
        for _ in range(length):
            line &= rest
            rest >>= np.uint64(step)
        if exact:  # a longer line has two starts, one a step after the other
            line &= ~(line << np.uint64(step)) & ~(line >> np.uint64(step))
        if line:
            return True
    return False


@jit
def _has_line_through(state: Words, player: Int, cell: Int, rows: Int, columns: Int, length: Int, exact: bool) -> bool:
    """Whether the player has a line through a cell."""
    up, left = cell // columns, cell % columns
    down, right = rows - 1 - up, columns - 1 - left
    for step, back, ahead in (
        (1, left, right),
        (columns, up, down),
        (columns + 1, min(up, left), min(down, right)),
        (columns - 1, min(up, right), min(down, left)),
    ):
        stones = 1 + _run(state, player, cell, -step, back) + _run(state, player, cell, step, ahead)
        if stones == length or (stones > length and not exact):
            return True
    return False


@jit
def _run(state: Words, player: Int, cell: Int, step: Int, room: Int) -> Int:
    """How many of the player's stones follow one another from beside a cell."""
    for count in range(room):
        cell += step
        if not _bit(state, player, cell):
            return count
    return room
