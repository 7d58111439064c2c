"""Connect 4 on any board of 2 to 10 rows and columns: four discs in a line win.

A player's discs are a bitboard that holds a column in rows + 1 bits, the lowest disc in its lowest bit, so that lines
never wrap around (the layout of John Tromp and Pascal Pons). Boards of more than 64 bits take a second, high word.

     6 13 20 27 34 41 48      always empty
     5 12 19 26 33 40 47      top row
     .  .  .  .  .  .  .
     0  7 14 21 28 35 42      bottom row

    word    3            4             5             6
            first, low   second, low   first, high   second, high
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meeple.games.board import Board
from meeple.games.game import Game
from meeple.games.lines import open_lines, split_starts
from meeple.kernel import Actions, Int, Planes, Word, Words, jit

ONE = np.uint64(1)
WORD = 64
FIRST, HIGH = 3, 2
SURE = 9000


def connect4(rows: int, columns: int) -> Game:
    """The game on a board of that size."""
    height, bits = rows + 1, (rows + 1) * columns
    is_wide = bits > WORD
    full_column = np.uint64((1 << rows) - 1)
    cells = rows * columns
    starts = _starts(rows, columns)

    def setup(state: Words) -> None:
        pass

    def moves(state: Words, actions: Actions) -> Int:
        low = state[FIRST] | state[FIRST + 1]
        high = state[FIRST + HIGH] | state[FIRST + HIGH + 1] if is_wide else np.uint64(0)
        count = 0
        for column in range(columns):
            actions[count] = column
            count += _column(low, high, column * height, full_column) != full_column
        return count

    def play(state: Words, action: Int) -> None:
        low = state[FIRST] | state[FIRST + 1]
        high = state[FIRST + HIGH] | state[FIRST + HIGH + 1] if is_wide else np.uint64(0)
        start = action * height
        disc = _column(low, high, start, full_column) + ONE
        own = FIRST + np.int64(state[0])
        own_high = np.uint64(0)
        if is_wide:
            state[own + HIGH] |= _high_part(disc, start)
            own_high = state[own + HIGH]
        if start < WORD:
            state[own] |= disc << np.uint64(start)
        state[2] += ONE
        if _has_four(state[own], own_high, height):
            state[1] = state[0] + ONE
        elif state[2] == np.uint64(cells):
            state[1] = np.uint64(3)
        state[0] ^= ONE

    def observe(state: Words, planes: Planes) -> None:
        for plane in range(2):
            player = FIRST + (np.int64(state[0]) ^ plane)
            high = state[player + HIGH] if is_wide else np.uint64(0)
            for column in range(columns):
                discs = _column(state[player], high, column * height, full_column)
                for row in range(rows):
                    cell = plane * cells + (rows - 1 - row) * columns + column
                    planes[cell] = np.float32((discs >> np.uint64(row)) & ONE)

    def heuristic(state: Words) -> Int:
        """Open lines, and most of all those that miss one disc."""
        first = open_lines(state, 0, 1 + is_wide, starts, height, 4)
        second = open_lines(state, 1, 1 + is_wide, starts, height, 4)
        found = 90 * (first.one - second.one) + 15 * (first.two - second.two) + 3 * (first.three - second.three)
        return max(-SURE, min(SURE, found))

    return Game(
        "connect4" if (rows, columns) == (6, 7) else f"connect4:{rows}x{columns}",
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        heuristic=heuristic,
        num_words=FIRST + 2 * (1 + is_wide),
        shape=(2, rows, columns),
        num_actions=columns,
        max_plies=cells,
        names=[str(column + 1) for column in range(columns)],
        compact="[1-9]" if columns < 10 else "",
        board=Board(rows=rows, columns=columns, style="discs"),
        action_sites=range(columns),
        symmetries="mirror",
    )


def _starts(rows: int, columns: int) -> NDArray[np.uint64]:
    """The cells, as bits, where a line up, down right, to the right, and up right can start: four masks a word."""
    height = rows + 1

    def bits(in_rows: range, in_columns: range) -> int:
        return sum(1 << (column * height + row) for row in in_rows for column in in_columns)

    left = range(columns - 3)
    masks = [
        bits(range(rows - 3), range(columns)),
        bits(range(3, rows), left),
        bits(range(rows), left),
        bits(range(rows - 3), left),
    ]
    return split_starts(masks, -(-height * columns // WORD))


@jit
def _column(low: Word, high: Word, start: Int, full_column: Word) -> Word:
    """The discs of the column that starts at a bit of the board, lowest disc first."""
    if start >= WORD:
        return (high >> np.uint64(start - WORD)) & full_column
    discs = low >> np.uint64(start)
    if start > 0:
        discs |= high << np.uint64(WORD - start)
    return discs & full_column


@jit
def _high_part(disc: Word, start: Int) -> Word:
    """What of a disc in the column that starts at a bit falls into the high word."""
    if start >= WORD:
        return disc << np.uint64(start - WORD)
    return disc >> np.uint64(WORD - start) if start > 0 else np.uint64(0)


@jit
def _has_four(low: Word, high: Word, height: Int) -> bool:
    """Whether a bitboard holds four in a line."""
    for step in (1, height - 1, height, height + 1):
        pair_low, pair_high = low & _shifted(low, high, step), high & (high >> np.uint64(step))
        if pair_low & _shifted(pair_low, pair_high, 2 * step) or pair_high & (pair_high >> np.uint64(2 * step)):
            return True
    return False


@jit
def _shifted(low: Word, high: Word, step: Int) -> Word:
    """The low word of a bitboard moved down by 1 to 63 bits."""
    return (low >> np.uint64(step)) | (high << np.uint64(WORD - step))
