"""Open lines: how near each player is to a line of a length on a board of bits, counted for all places at once.

A line can start at a cell in four directions. The masks say where; shifting the stones onto the starts tells for 64
starts at a time how many of a line's cells are still missing. A state keeps a pair of words, first and second player,
for each 64 cells, from word 3 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meeple.kernel import Int, Word, Words, count_bits, jit

WORD = 64
FIRST = 3
NONE = np.uint64(0)


class Open(NamedTuple):
    """How many lines without a stone of the other player miss one, two, and three stones."""

    one: Int
    two: Int
    three: Int


def split_starts(starts: Sequence[int], words: int) -> NDArray[np.uint64]:
    """Four masks of any length as one array, four for each word."""
    return np.array([mask >> WORD * word & (1 << WORD) - 1 for word in range(words) for mask in starts], np.uint64)


@jit(forceinline=True)
def open_lines(state: Words, player: Int, words: Int, starts: Words, width: Int, length: Int) -> Open:
    """The open lines of a player; `starts` has four masks a word, for the steps 1, width - 1, width, width + 1."""
    one, two, three = 0, 0, 0
    for word in range(words):
        for direction in range(4):
            step = 1 if direction == 0 else width - 2 + direction
            alive = starts[4 * word + direction]
            missing0, missing1, missing2, missing3 = alive, NONE, NONE, NONE
            for place in range(length):
                start = word * WORD + place * step
                own = bits_from(state, player, words, start)
                alive &= ~bits_from(state, 1 - player, words, start)
                missing3 = (missing3 & own) | (missing2 & ~own)
                missing2 = (missing2 & own) | (missing1 & ~own)
                missing1 = (missing1 & own) | (missing0 & ~own)
                missing0 &= own
            one += count_bits(missing1 & alive)
            two += count_bits(missing2 & alive)
            three += count_bits(missing3 & alive)
    return Open(one, two, three)


@jit(forceinline=True)
def bits_from(state: Words, player: Int, words: Int, start: Int) -> Word:
    """The player's stones on the 64 cells from a start on."""
    word, bit = start // WORD, start % WORD
    if word >= words:
        return NONE
    found = state[FIRST + 2 * word + player] >> np.uint64(bit)
    if bit and word + 1 < words:
        found |= state[FIRST + 2 * word + 2 + player] << np.uint64(WORD - bit)
    return found
