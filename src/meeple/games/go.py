"""Go on boards of 2 to 13 rows by the rules of Tromp and Taylor: area counts, two passes in a row end the game.

Four departures. Ko forbids to retake a single stone at once, longer cycles may repeat; and no game is endless, after
4 * size * size plies it is scored as it stands: both keep a state flat. Suicide is forbidden unless asked for, and then
allowed to chains of two stones or more. A position's key does not tell how many plies are left.

A player's stones are a bitboard of three words, by rows from the top left, with one bit between rows that stays empty,
so that neighbours are single shifts.

    0  1  2  .       word    3 4 5    6 7 8     9                             10
    4  5  6  .               first    second    point forbidden by ko, + 1    1 after a pass
    8  9 10  .
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from meeple.games.board import LETTERS_WITHOUT_I, Board
from meeple.games.game import Game
from meeple.games.rules import bounded
from meeple.kernel import Actions, Int, Planes, Word, Words, count_bits, jit, list_bits, lowest_bit

USUAL_KOMI = 7.5

ONE, ZERO = np.uint64(1), np.uint64(0)
WORD = 64
FIRST, KO, PASSED = 3, 9, 10


class Points(NamedTuple):
    """A bitboard of up to 192 points."""

    low: Word
    middle: Word
    high: Word


NO_POINTS = Points(ZERO, ZERO, ZERO)


def go(size: int, *, komi: float = USUAL_KOMI, suicide: bool = False) -> Game:
    """The game on a board of that size; with `suicide`, a move may take its own chain of two stones or more."""
    cells, width = size * size, size + 1
    max_plies = 4 * cells
    doubled_komi = int(2 * komi)
    board = _from_int(sum(1 << row * width + column for row in range(size) for column in range(size)))
    row_mask = np.uint64((1 << size) - 1)

    def setup(state: Words) -> None:
        pass

    def moves(state: Words, actions: Actions) -> Int:
        legal = _legal(state, board, width, suicide)
        count = 0
        for row in range(size):
            count = list_bits(_row(legal, row * width) & row_mask, row * size, actions, count)
        actions[count] = cells
        return count + 1

    def play(state: Words, action: Int) -> None:
        player = np.int64(state[0])
        state[2] += ONE
        state[KO] = ZERO
        if action < cells:
            _place(state, player, action + action // size, board, width)
            state[PASSED] = ZERO
        else:
            state[PASSED] += ONE
        state[0] ^= ONE
        if state[PASSED] == np.uint64(2) or state[2] == np.uint64(max_plies):
            lead = 2 * _lead(state, board, width) - doubled_komi
            state[1] = np.uint64(3 if lead == 0 else 1 if lead > 0 else 2)

    def observe(state: Words, planes: Planes) -> None:
        player = np.int64(state[0])
        own, other = _stones(state, player), _stones(state, 1 - player)
        for row in range(size):
            own_row, other_row = _row(own, row * width), _row(other, row * width)
            for column in range(size):
                cell, point = row * size + column, row * width + column
                planes[cell] = np.float32((own_row >> np.uint64(column)) & ONE)
                planes[cells + cell] = np.float32((other_row >> np.uint64(column)) & ONE)
                planes[2 * cells + cell] = state[KO] == np.uint64(point + 1)
                planes[3 * cells + cell] = np.float32(state[PASSED])
                planes[4 * cells + cell] = np.float32(player)

    def margin(state: Words) -> Int:
        """Area, without komi."""
        return _lead(state, board, width)

    def heuristic(state: Words) -> Int:
        """Area less komi."""
        return bounded(25 * (2 * _lead(state, board, width) - doubled_komi))

    return Game(
        f"go:{size}{_options(komi, suicide)}",
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        margin=margin,
        heuristic=heuristic,
        komi=komi,
        num_words=PASSED + 1,
        shape=(5, size, size),
        num_actions=cells + 1,
        max_plies=max_plies,
        board=Board(rows=size, columns=size, style="stones", letters=LETTERS_WITHOUT_I.upper()),
        symmetries="dihedral",
    )


def _options(komi: float, suicide: bool) -> str:
    given = [f"komi={komi:g}"] * (komi != USUAL_KOMI) + ["suicide=1"] * suicide
    return "?" + "&".join(given) if given else ""


def _from_int(bits: int) -> Points:
    return Points(*(np.uint64(bits >> shift & (1 << WORD) - 1) for shift in (0, WORD, 2 * WORD)))


@jit(forceinline=True)
def _and(one: Points, other: Points) -> Points:
    return Points(one.low & other.low, one.middle & other.middle, one.high & other.high)


@jit(forceinline=True)
def _or(one: Points, other: Points) -> Points:
    return Points(one.low | other.low, one.middle | other.middle, one.high | other.high)


@jit(forceinline=True)
def _without(one: Points, other: Points) -> Points:
    return Points(one.low & ~other.low, one.middle & ~other.middle, one.high & ~other.high)


@jit(forceinline=True)
def _is_empty(points: Points) -> bool:
    return (points.low | points.middle | points.high) == ZERO


@jit(forceinline=True)
def _is_same(one: Points, other: Points) -> bool:
    return one.low == other.low and one.middle == other.middle and one.high == other.high


@jit(forceinline=True)
def _count(points: Points) -> Int:
    return count_bits(points.low) + count_bits(points.middle) + count_bits(points.high)


@jit(forceinline=True)
def _up(points: Points, step: Int) -> Points:
    """Moved up by 1 to 63 bits."""
    to, back = np.uint64(step), np.uint64(WORD - step)
    return Points(
        points.low << to,
        points.middle << to | points.low >> back,
        points.high << to | points.middle >> back,
    )


@jit(forceinline=True)
def _down(points: Points, step: Int) -> Points:
    """Moved down by 1 to 63 bits."""
    to, back = np.uint64(step), np.uint64(WORD - step)
    return Points(
        points.low >> to | points.middle << back,
        points.middle >> to | points.high << back,
        points.high >> to,
    )


@jit(forceinline=True)
def _one(point: Int) -> Points:
    bit, word = ONE << np.uint64(point % WORD), point // WORD
    return Points(bit if word == 0 else ZERO, bit if word == 1 else ZERO, bit if word == 2 else ZERO)


@jit(forceinline=True)
def _lowest(points: Points) -> Int:
    """The lowest point of some."""
    if points.low:
        return lowest_bit(points.low)
    return WORD + lowest_bit(points.middle) if points.middle else 2 * WORD + lowest_bit(points.high)


@jit(forceinline=True)
def _row(points: Points, start: Int) -> Word:
    """The bits from `start` on."""
    word, bit = start // WORD, np.uint64(start % WORD)
    first = points.low if word == 0 else points.middle if word == 1 else points.high
    second = points.middle if word == 0 else points.high if word == 1 else ZERO
    return first >> bit | (second << (np.uint64(WORD) - bit) if bit else ZERO)


@jit(forceinline=True)
def _stones(state: Words, player: Int) -> Points:
    first = FIRST + 3 * player
    return Points(state[first], state[first + 1], state[first + 2])


@jit(forceinline=True)
def _write_stones(state: Words, player: Int, stones: Points) -> None:
    first = FIRST + 3 * player
    state[first], state[first + 1], state[first + 2] = stones.low, stones.middle, stones.high


@jit(forceinline=True)
def _beside(points: Points, width: Int) -> Points:
    """Every neighbour of the points, beyond the border too."""
    return _or(_or(_up(points, 1), _down(points, 1)), _or(_up(points, width), _down(points, width)))


@jit
def _flood(points: Points, through: Points, width: Int) -> Points:
    """The points and everything they are connected to through some others."""
    while True:
        grown = _or(points, _and(_beside(points, width), through))
        if _is_same(grown, points):
            return points
        points = grown


@jit
def _legal(state: Words, board: Points, width: Int, suicide: bool) -> Points:
    """Where the player to move may put a stone."""
    player = np.int64(state[0])
    own, other = _stones(state, player), _stones(state, 1 - player)
    empty = _without(board, _or(own, other))
    # Step 1. Points beside an empty one.
    legal = _and(empty, _beside(empty, width))
    rest = _without(empty, legal)
    # Step 2. Points that extend a chain with another liberty.
    chains = _and(_beside(rest, width), own)
    if suicide:
        legal = _or(legal, _and(rest, _beside(chains, width)))
        chains = NO_POINTS
    while not _is_empty(chains):
        chain = _flood(_one(_lowest(chains)), own, width)
        chains = _without(chains, chain)
        liberties = _and(_beside(chain, width), empty)
        if _count(liberties) > 1:
            legal = _or(legal, liberties)
    # Step 3. Points that take a chain.
    rest = _without(rest, legal)
    chains = _and(_beside(rest, width), other)
    while not _is_empty(chains):
        chain = _flood(_one(_lowest(chains)), other, width)
        chains = _without(chains, chain)
        liberties = _and(_beside(chain, width), empty)
        if _count(liberties) == 1:
            legal = _or(legal, liberties)
    return _without(legal, _one(np.int64(state[KO]) - 1)) if state[KO] else legal


@jit
def _place(state: Words, player: Int, point: Int, board: Points, width: Int) -> None:
    """Put a stone, take what has no liberty left, and note a ko."""
    stone = _one(point)
    own, other = _or(_stones(state, player), stone), _stones(state, 1 - player)
    taken = NO_POINTS
    attacked = _and(_beside(stone, width), other)
    while not _is_empty(attacked):
        chain = _flood(_one(_lowest(attacked)), other, width)
        attacked = _without(attacked, chain)
        if _is_empty(_without(_and(_beside(chain, width), board), _or(own, other))):
            taken = _or(taken, chain)
    other = _without(other, taken)
    chain = _flood(stone, own, width)
    liberties = _without(_and(_beside(chain, width), board), _or(own, other))
    if _is_empty(liberties):
        own = _without(own, chain)
    elif _count(taken) == 1 and _is_same(chain, stone) and _is_same(liberties, taken):
        state[KO] = np.uint64(_lowest(taken) + 1)
    _write_stones(state, player, own)
    _write_stones(state, 1 - player, other)


@jit
def _lead(state: Words, board: Points, width: Int) -> Int:
    """The first player's stones and the empty points that reach only those, less the second's."""
    first, second = _stones(state, 0), _stones(state, 1)
    empty = _without(board, _or(first, second))
    return _count(_flood(first, empty, width)) - _count(_flood(second, empty, width))
