"""Othello on even boards of 4 to 10 rows: bracketed discs turn over, and whoever holds more at the end wins.

A player's discs are a bitboard with a1, top left, in the lowest bit; the 10x10 board takes a second, high word. The
legal moves stand in the state: `play` needs them to know whether the opponent can move at all. Nobody passes by an
action: where the opponent cannot move, it simply stays the same player's turn.

     0  1  2  3  4  5  6  7     a1 ... h1
     8  9 10 ...                a2

    word    3       4        5       6       7        8
            first   second   legal   first   second   legal
            low words                high words (10x10 only)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from meeple.games.board import Board
from meeple.games.game import Game
from meeple.kernel import Actions, Int, Planes, Word, Words, count_bits, jit, list_bits

ONE, ZERO = np.uint64(1), np.uint64(0)
WORD = 64
FIRST, LEGAL, HIGH = 3, 5, 3
LATE = 16
"""So many empty cells are left when discs begin to count."""


class Bits(NamedTuple):
    """A bitboard of up to 128 cells."""

    low: Word
    high: Word


def othello(size: int) -> Game:
    """The game on a board of that size."""
    cells, middle = size * size, size // 2
    is_wide = cells > WORD
    inside = _bits(sum(1 << cell for cell in range(cells)))
    inner_columns = _bits(sum(1 << cell for cell in range(cells) if 0 < cell % size < size - 1))
    corners = _bits(sum(1 << cell for cell in (0, size - 1, cells - size, cells - 1)))
    upper, lower = (middle - 1) * size + middle, middle * size + middle
    starts = _bits(1 << upper | 1 << lower - 1), _bits(1 << upper - 1 | 1 << lower)

    def setup(state: Words) -> None:
        write(state, FIRST, starts[0])
        write(state, FIRST + 1, starts[1])
        find_legal(state, 0)

    def moves(state: Words, actions: Actions) -> Int:
        count = list_bits(state[LEGAL], 0, actions, 0)
        return list_bits(state[LEGAL + HIGH], WORD, actions, count) if is_wide else count

    def play(state: Words, action: Int) -> None:
        player = np.int64(state[0])
        own, other = read(state, FIRST + player), read(state, FIRST + 1 - player)
        disc = _one_bit(action)
        turned = _turned(disc, own, other, inner_columns, size)
        write(state, FIRST + player, _or(own, _or(disc, turned)))
        write(state, FIRST + 1 - player, _without(other, turned))
        state[2] += ONE
        if find_legal(state, 1 - player):
            state[0] = np.uint64(1 - player)
        elif not find_legal(state, player):
            state[0] = np.uint64(1 - player)
            lead = count(state, 0) - count(state, 1)
            state[1] = np.uint64(3 if lead == 0 else 1 if lead > 0 else 2)

    def observe(state: Words, planes: Planes) -> None:
        for plane in range(2):
            discs = read(state, FIRST + (np.int64(state[0]) ^ plane))
            for cell in range(cells):
                planes[plane * cells + cell] = not _is_empty(_and(discs, _one_bit(cell)))

    def margin(state: Words) -> Int:
        """Empty cells go to the winner, as in tournaments."""
        first, second = count(state, 0), count(state, 1)
        if state[1] == ZERO or first == second:
            return first - second
        return cells - 2 * second if first > second else 2 * first - cells

    def heuristic(state: Words) -> Int:
        """Corners and the choice of moves; discs count when the board is nearly full."""
        mover = np.int64(state[0])
        own, other = read(state, FIRST + mover), read(state, FIRST + 1 - mover)
        empty = _without(inside, _or(own, other))
        legal, reply = read(state, LEGAL), _and(_landings(other, own, inner_columns, size), empty)
        found = 30 * (_count(legal) - _count(reply))
        found += 250 * (_count(_and(own, corners)) - _count(_and(other, corners)))
        late = LATE - _count(empty)
        if late > 0:
            found += 3 * late * (_count(own) - _count(other))
        return found if mover == 0 else -found

    @jit
    def read(state: Words, word: Int) -> Bits:
        return Bits(state[word], state[word + HIGH] if is_wide else ZERO)

    @jit
    def write(state: Words, word: Int, bits: Bits) -> None:
        state[word] = bits.low
        if is_wide:
            state[word + HIGH] = bits.high

    @jit
    def count(state: Words, player: Int) -> Int:
        return _count(read(state, FIRST + player))

    @jit
    def find_legal(state: Words, player: Int) -> bool:
        own, other = read(state, FIRST + player), read(state, FIRST + 1 - player)
        landings = _landings(own, other, inner_columns, size)
        legal = _and(_without(landings, _or(own, other)), inside)
        write(state, LEGAL, legal)
        return not _is_empty(legal)

    return Game(
        "othello" if size == 8 else f"othello:{size}",
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        margin=margin,
        heuristic=heuristic,
        num_words=LEGAL + 1 + HIGH * is_wide,
        shape=(2, size, size),
        max_plies=cells - 4,
        compact=r"[a-j](?:10|[1-9])",
        skips=("pass", "pa", "ps", "--"),
        board=Board(rows=size, columns=size, style="reversi", first_row="top"),
        symmetries="diagonal",
    )


def _bits(number: int) -> Bits:
    return Bits(np.uint64(number % 2**WORD), np.uint64(number >> WORD))


@jit(forceinline=True)
def _one_bit(cell: Int) -> Bits:
    bit = ONE << np.uint64(cell % WORD)
    return Bits(bit if cell < WORD else ZERO, bit if cell >= WORD else ZERO)


@jit(forceinline=True)
def _and(one: Bits, other: Bits) -> Bits:
    return Bits(one.low & other.low, one.high & other.high)


@jit(forceinline=True)
def _or(one: Bits, other: Bits) -> Bits:
    return Bits(one.low | other.low, one.high | other.high)


@jit(forceinline=True)
def _without(one: Bits, other: Bits) -> Bits:
    return Bits(one.low & ~other.low, one.high & ~other.high)


@jit(forceinline=True)
def _is_empty(bits: Bits) -> bool:
    return (bits.low | bits.high) == ZERO


@jit(forceinline=True)
def _count(bits: Bits) -> Int:
    return count_bits(bits.low) + count_bits(bits.high)


@jit(forceinline=True)
def _up(bits: Bits, step: Int) -> Bits:
    """Moved by 1 to 63 cells to the right and down the board."""
    return Bits(bits.low << np.uint64(step), bits.high << np.uint64(step) | bits.low >> np.uint64(WORD - step))


@jit(forceinline=True)
def _down(bits: Bits, step: Int) -> Bits:
    """Moved by 1 to 63 cells to the left and up the board."""
    return Bits(bits.low >> np.uint64(step) | bits.high << np.uint64(WORD - step), bits.high >> np.uint64(step))


@jit(forceinline=True)
def _landings(own: Bits, other: Bits, inner_columns: Bits, size: Int) -> Bits:
    """The cells just beyond runs of the other player's discs that begin beside an own one.

    No run goes on past the left or right border, for the border columns are left out of it.
    """
    inner, found = _and(other, inner_columns), Bits(ZERO, ZERO)
    for step in (1, size - 1, size, size + 1):
        through = other if step == size else inner
        up, down = _and(_up(own, step), through), _and(_down(own, step), through)
        for _ in range(size - 3):
            up = _or(up, _and(_up(up, step), through))
            down = _or(down, _and(_down(down, step), through))
        found = _or(found, _or(_up(up, step), _down(down, step)))
    return found


@jit(forceinline=True)
def _turned(disc: Bits, own: Bits, other: Bits, inner_columns: Bits, size: Int) -> Bits:
    """The other player's discs between a new disc and own ones."""
    inner, found = _and(other, inner_columns), Bits(ZERO, ZERO)
    for step in (1, size - 1, size, size + 1):
        through = other if step == size else inner
        run, end = Bits(ZERO, ZERO), _up(disc, step)
        while not _is_empty(_and(end, through)):
            run, end = _or(run, end), _up(end, step)
        if not _is_empty(_and(end, own)):
            found = _or(found, run)
        run, end = Bits(ZERO, ZERO), _down(disc, step)
        while not _is_empty(_and(end, through)):
            run, end = _or(run, end), _down(end, step)
        if not _is_empty(_and(end, own)):
            found = _or(found, run)
    return found
