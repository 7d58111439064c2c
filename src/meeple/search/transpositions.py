"""The transposition table: what a search knows of positions it has met, in memory that never grows.

    bucket     4 words: | key | entry | key | entry |; the first entry gives way to one as deep only
    entry      bits 0, 1   bit 2   bits 3 to 14     bits 15 to 35   bits 36 to 59
               bound       sure    plies searched   action + 1      value + OFFSET

A key counts the plies as part of a position: what ends by its length, as Go does, has other values there, and no
position of a line can come again.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.kernel import WORDS, Int, Word, Words, jit, mix

EXACT, LOWER, UPPER = 1, 2, 3
OFFSET = 1 << 23
SLOT, BUCKET = 2, 4


def new_table(megabytes: int) -> NDArray[np.uint64]:
    """An empty table of the largest power of two of buckets that fits."""
    buckets = 1 << ((megabytes << 20) // (8 * BUCKET)).bit_length() - 1
    return np.zeros(buckets * BUCKET, np.uint64)


@jit(types.uint64(WORDS, types.uint64))
def table_key(state: Words, key: Word) -> Word:
    """The key of a position that includes the plies; never 0."""
    return mix(key ^ (state[2] * np.uint64(0x9E3779B97F4A7C15))) | np.uint64(1)


@jit(types.uint64(WORDS, types.uint64))
def probe(table: Words, key: Word) -> Word:
    """What the table has for a key, or 0."""
    slot = np.int64(key >> np.uint64(1)) & (table.size // BUCKET - 1)
    slot *= BUCKET
    if table[slot] == key:
        return table[slot + 1]
    return table[slot + SLOT + 1] if table[slot + SLOT] == key else np.uint64(0)


@jit(types.int64(types.uint64))
def bound_of(entry: Word) -> Int:
    """EXACT, LOWER or UPPER; 0 of no entry."""
    return np.int64(entry) & 3


@jit(types.boolean(types.uint64))
def is_sure_entry(entry: Word) -> bool:
    """Whether the bound is the truth at any depth."""
    return np.int64(entry) & 4 != 0


@jit(types.int64(types.uint64))
def plies_of(entry: Word) -> Int:
    return np.int64(entry >> np.uint64(3)) & 0xFFF


@jit(types.int64(types.uint64))
def action_of(entry: Word) -> Int:
    return (np.int64(entry >> np.uint64(15)) & 0x1FFFFF) - 1


@jit(types.int64(types.uint64))
def value_of(entry: Word) -> Int:
    """A win or loss as if the position were at ply 0."""
    return np.int64(entry >> np.uint64(36)) - OFFSET


@jit(forceinline=True)
def _is_better(old: Word, bound: Int, is_sure: bool, plies: Int) -> bool:
    """Whether an entry says more than a new one: it is exact and as deep, and the new one is only a bound."""
    if bound == EXACT or bound_of(old) != EXACT:
        return False
    return is_sure_entry(old) or (not is_sure and plies_of(old) >= plies)


@jit(forceinline=True)
def store(table: Words, key: Word, bound: Int, is_sure: bool, plies: Int, action: Int, value: Int) -> None:
    """Put an entry into its bucket."""
    entry = np.uint64(bound | is_sure << 2 | plies << 3 | (action + 1) << 15 | (value + OFFSET) << 36)
    slot = (np.int64(key >> np.uint64(1)) & (table.size // BUCKET - 1)) * BUCKET
    if table[slot] != key and (table[slot + SLOT] == key or plies_of(table[slot + 1]) > plies):
        slot += SLOT
    if table[slot] == key and _is_better(table[slot + 1], bound, is_sure, plies):
        return
    table[slot], table[slot + 1] = key, entry
