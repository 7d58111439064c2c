"""The compiled tools against plain Python, and that code from the cache is the function's own."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import types

from meeple.kernel import (
    ACTIONS,
    WORDS,
    borrow,
    copy,
    count_bits,
    get_byte,
    jit,
    list_bits,
    list_dense_bits,
    lowest_bit,
    random_below,
    set_byte,
)

WORD = st.integers(0, 2**64 - 1)
GUARD = -7


@jit(types.int64(types.uint64, types.int64, ACTIONS, types.int64))
def bits(word, first, actions, count):
    return list_bits(word, first, actions, count)


@jit(types.int64(types.uint64, types.int64, types.int64, ACTIONS, types.int64))
def dense_bits(word, first, length, actions, count):
    return list_dense_bits(word, first, length, actions, count)


@jit(types.int64(types.uint64))
def population(word):
    return count_bits(word)


@jit(types.int64(types.uint64))
def lowest(word):
    return lowest_bit(word)


@jit(types.int64(WORDS, types.int64))
def read_byte(state, index):
    return get_byte(state, index)


@jit(types.void(WORDS, types.int64, types.int64))
def write_byte(state, index, value):
    set_byte(state, index, value)


@jit(types.void(WORDS, types.int64, WORDS, types.int64, types.int64))
def copy_words(target, target_start, source, source_start, length):
    copy(target, target_start, source, source_start, length)


@jit(types.void(ACTIONS, types.int64, ACTIONS, types.int64, types.int64))
def copy_actions(target, target_start, source, source_start, length):
    copy(target, target_start, source, source_start, length)


@jit(types.int64(ACTIONS, types.int64, types.int64))
def negate_view(actions, start, length):
    view = borrow(actions, start, length)
    for index in range(view.size):
        view[index] = -view[index]
    return view.size


@jit(types.int64(WORDS, types.int64))
def below(generator, bound):
    return random_below(generator, bound)


def bits_of(word):
    return [bit for bit in range(64) if word >> bit & 1]


@given(WORD, st.integers(0, 300), st.integers(0, 5))
def test_lists_the_set_bits(word, first, count):
    actions = np.full(count + 64, GUARD, np.int32)
    assert bits(np.uint64(word), first, actions, count) == count + len(bits_of(word))
    listed = [first + bit for bit in bits_of(word)]
    assert actions.tolist() == [GUARD] * count + listed + [GUARD] * (64 - len(listed))


@given(WORD, st.integers(0, 64), st.integers(0, 300), st.integers(0, 5))
def test_lists_dense_bits_and_writes_nothing_beyond_their_places(word, length, first, count):
    word &= (1 << length) - 1
    actions = np.full(count + length + 8, GUARD, np.int32)
    found = dense_bits(np.uint64(word), first, length, actions, count)
    assert actions[count:found].tolist() == [first + bit for bit in bits_of(word)]
    assert (actions[:count] == GUARD).all()
    assert (actions[count + length :] == GUARD).all()


def test_dense_bits_of_many_words_stay_inside_the_buffer():
    # As games use it: every word's list begins where the list before ended, never beyond its first action.
    for cells in (65, 81, 121, 128, 361):
        actions, count = np.full(cells + 8, GUARD, np.int32), 0
        for first in range(0, cells, 64):
            length = min(64, cells - first)
            count = dense_bits(np.uint64((1 << length) - 1), first, length, actions, count)
        assert actions.tolist() == [*range(cells), *[GUARD] * 8]


@given(WORD)
def test_counts_bits_and_finds_the_lowest(word):
    assert population(np.uint64(word)) == word.bit_count()
    if word:
        assert lowest(np.uint64(word)) == bits_of(word)[0]


@given(st.lists(WORD, min_size=1, max_size=4), st.data())
def test_reads_and_writes_bytes(words, data):
    state = np.array(words, np.uint64)
    plain = bytearray(b"".join(word.to_bytes(8, "little") for word in words))
    index, value = data.draw(st.integers(0, len(plain) - 1)), data.draw(st.integers(-(2**63), 2**63 - 1))
    assert read_byte(state, index) == plain[index]
    write_byte(state, index, value)
    plain[index] = value & 255
    assert state.astype("<u8").tobytes() == bytes(plain)


@given(st.data())
def test_copies_words_and_actions(data):
    target_size, source_size = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    length = data.draw(st.integers(0, min(target_size, source_size)))
    to, come = data.draw(st.integers(0, target_size - length)), data.draw(st.integers(0, source_size - length))
    for copied, dtype in ((copy_words, np.uint64), (copy_actions, np.int32)):
        target, source = np.arange(100, 100 + target_size, dtype=dtype), np.arange(source_size, dtype=dtype)
        expected = target.tolist()
        expected[to : to + length] = source.tolist()[come : come + length]
        copied(target, to, source, come, length)
        assert target.tolist() == expected
        assert source.tolist() == list(range(source_size))


@given(st.data())
def test_borrows_a_view_that_writes_through(data):
    size = data.draw(st.integers(0, 12))
    start = data.draw(st.integers(0, size))
    length = data.draw(st.integers(0, size - start))
    actions = np.arange(1, size + 1, dtype=np.int32)
    expected = actions.tolist()
    expected[start : start + length] = [-number for number in expected[start : start + length]]
    assert negate_view(actions, start, length) == length
    assert actions.tolist() == expected


def splitmix(seed):
    """Sebastiano Vigna's splitmix64, https://prng.di.unimi.it/splitmix64.c, in plain integers."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        mixed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % 2**64
        yield mixed ^ mixed >> 31


@given(WORD, st.lists(st.integers(1, 2**31), min_size=1, max_size=8))
def test_random_numbers_are_those_of_splitmix(seed, bounds):
    generator = np.array([seed], np.uint64)
    found = [below(generator, bound) for bound in bounds]
    assert found == [(word >> 32) * bound >> 32 for word, bound in zip(splitmix(seed), bounds, strict=False)]
    assert all(0 <= number < bound for number, bound in zip(found, bounds, strict=True))


def test_splitmix_gives_its_published_numbers():
    generator = splitmix(1234567)
    assert [next(generator) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_random_numbers_below_are_even():
    generator, counts = np.array([1], np.uint64), np.zeros(7)
    for _ in range(14_000):
        counts[below(generator, 7)] += 1
    assert (np.abs(counts - 2000) < 4 * np.sqrt(2000)).all()


# Functions from the cache. Numba names machine code after the function and a counter of the process that compiled it.
# Two closures of one function, compiled in two processes, can share a name; loaded together, one runs the other's code.

COUNT = """
import json, sys
from meeple import kernel
if sys.argv[1] == "bypass":
    kernel._with_own_name = lambda function: function
from meeple.games.connect4 import connect4
from meeple.games.perft import levels
games = [connect4(*size) for size in json.loads(sys.argv[2])]
for game in games:
    game.rules  # all are loaded before any address is taken
print(json.dumps({game.name: [count.positions for count in levels(game, 4)] for game in games}))
"""
SIX_BY_SEVEN, TEN_BY_TEN = [1, 7, 49, 238, 1120], [1, 10, 100, 640, 4015]


def count_in_a_new_process(cache, naming, *sizes):
    """The distinct positions of games of connect 4, counted in a process of its own."""
    environment = {**os.environ, "MEEPLE_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", COUNT, naming, json.dumps(sizes)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def count_together(cache, naming):
    """Both games counted in one process, after each was compiled in a process of its own.

    A first process compiles what they share, so that the other two go through the same numbers in Numba's counter.
    """
    count_in_a_new_process(cache, naming, (4, 4))
    count_in_a_new_process(cache, naming, (6, 7))
    count_in_a_new_process(cache, naming, (10, 10))
    return count_in_a_new_process(cache, naming, (6, 7), (10, 10))


def test_closures_from_the_cache_run_their_own_code(tmp_path):
    assert count_together(tmp_path, "own names") == {"connect4": SIX_BY_SEVEN, "connect4:10x10": TEN_BY_TEN}


@pytest.mark.slow
def test_closures_that_share_a_name_still_run_the_wrong_code(tmp_path):
    # Without it the test above would prove nothing. Where Numba has mended this, `_with_own_name` can go.
    try:
        found = count_together(tmp_path, "bypass")
    except AssertionError:  # the process crashed
        return
    assert found != {"connect4": SIX_BY_SEVEN, "connect4:10x10": TEN_BY_TEN}
