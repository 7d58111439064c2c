"""Tic-tac-toe, Gomoku and their kin: on M columns and N rows, K of one's own in a line win; a full board is a draw.

A player's stones are a bitboard: a cell's number is its bit, counted through as many words as the board needs.

     0  1  2          word    3       4        5       6
     3  4  5                  first   second   first   second   ...
     6  7  8                  cells 0 to 63    64 to 127
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from meeple.games.board import Board, Style
from meeple.games.game import Game
from meeple.kernel import Actions, Int, Planes, Word, Words, jit

MIN_SIDE, MAX_SIDE = 1, 19

ONE = np.uint64(1)
FULL = np.uint64(2**64 - 1)
WORD = 64
FIRST = 3


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
    cells = columns * rows
    words = -(-cells // WORD)
    last_cells = np.uint64((1 << (cells - (words - 1) * WORD)) - 1)
    starts = _starts(columns, rows, length) if words == 1 else (np.uint64(0),) * 4

    def setup(state: Words) -> None:
        pass

    def moves(state: Words, actions: Actions) -> Int:
        count = 0
        for word in range(words):
            empty = ~(state[FIRST + 2 * word] | state[FIRST + 2 * word + 1])
            if word == words - 1:
                empty &= last_cells
            count = WRITE(empty, word * WORD, min(cells - word * WORD, WORD), actions, count)
        return count

    def play(state: Words, action: Int) -> None:
        own = FIRST + np.int64(state[0])
        state[own + 2 * (action // WORD)] |= ONE << np.uint64(action % WORD)
        state[2] += ONE
        if words == 1:
            won = _has_line(state[own], columns, length, starts, exact)
        else:
            longest = _line_through
            row, column = action // columns, action % columns
            won = longest(state, own, row, column, columns, rows, length, exact)
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

    return Game(
        name + ("?exact=1" if exact else ""),
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        num_words=FIRST + 2 * words,
        shape=(2, rows, columns),
        compact="[a-z][0-9]+",
        board=Board(rows=rows, columns=columns, style=style),
        symmetries="dihedral",
    )

def _starts(columns, rows, length):
    def mask(cells):
        return np.uint64(sum(1 << c for c in cells))
    R, C = range(rows), range(columns)
    return (
        mask(r*columns+c for r in R for c in C if c + length <= columns),
        mask(r*columns+c for r in R for c in C if c + 1 >= length and r + length <= rows),
        mask(r*columns+c for r in R for c in C if r + length <= rows),
        mask(r*columns+c for r in R for c in C if c + length <= columns and r + length <= rows),
        )

@jit
def _bit(state, player, cell):
    return (state[player + 2 * (cell // WORD)] >> np.uint64(cell % WORD)) & ONE

@jit
def _has_line(stones, columns, length, starts, exact):
    for direction, step in enumerate((1, columns - 1, columns, columns + 1)):
        line = starts[direction]
        rest = stones
        for _ in range(length):
            line &= rest
            rest >>= np.uint64(step)
        if exact:
            line &= ~(line << np.uint64(step)) & ~(line >> np.uint64(step))
        if line:
            return True
    return False

@jit
def _line_through(state, own, row, column, columns, rows, length, exact):
    left, right, up, down = column, columns - 1 - column, row, rows - 1 - row
    cell = row * columns + column
    a = _run(state, own, cell, -1, left) + _run(state, own, cell, 1, right)
    b = _run(state, own, cell, -columns, up) + _run(state, own, cell, columns, down)
    c = _run(state, own, cell, -columns - 1, min(up, left)) + _run(state, own, cell, columns + 1, min(down, right))
    d = _run(state, own, cell, 1 - columns, min(up, right)) + _run(state, own, cell, columns - 1, min(down, left))
    l = length - 1
    if exact:
        return a == l or b == l or c == l or d == l
    return a >= l or b >= l or c >= l or d >= l

@jit
def _run(state, own, cell, step, room):
    for count in range(room):
        cell += step
        if not _bit(state, own, cell):
            return count
    return room

from meeple.kernel import lowest_bit
import os
@jit
def _loop(empty, base, n, actions, count):
    while empty:
        actions[count] = base + lowest_bit(empty)
        count += 1
        empty &= empty - ONE
    return count
@jit
def _branchless(empty, base, n, actions, count):
    for cell in range(n):
        actions[count] = base + cell
        count += np.int64((empty >> np.uint64(cell)) & ONE)
    return count

T = np.zeros((256, 8), np.uint8)
for b in range(256):
    p = [i for i in range(8) if b >> i & 1]
    T[b, :len(p)] = p
TABLE = T.view('<u8').ravel().copy()
@jit
def _table(empty, base, n, actions, count):
    whole = n // 8
    for byte in range(whole):
        bits = (empty >> np.uint64(8*byte)) & np.uint64(255)
        e = TABLE[bits]
        for i in range(8):
            actions[count + i] = np.int32(base + 8*byte) + np.int32((e >> np.uint64(8*i)) & np.uint64(255))
        count += count_bits(bits)
    return _loop(empty & ~((ONE << np.uint64(8*whole)) - ONE) if whole < 8 else np.uint64(0), base, n, actions, count)
from meeple.kernel import count_bits
WRITE = {"loop": _loop, "bl": _branchless, "table": _table}[os.environ.get("W", "loop")]
