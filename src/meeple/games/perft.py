"""Perft: how many move sequences and how many distinct positions there are at a depth.

Level by level, with equal positions (by key) merged and their sequences added up; so twelve factorial sequences are
counted in the time of a few thousand positions. A turn that the rules skip (Othello) counts as a ply, as it does in
published counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from meeple.errors import MeepleError
from meeple.games.game import Game, Position
from meeple.games.registry import game as load_game
from meeple.games.rules import RESULT, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    COUNTS,
    WORDS,
    Actions,
    Counts,
    Int,
    Words,
    as_key,
    as_moves,
    as_play,
    borrow,
    copy,
    jit,
)

MAX_WORDS = 256 * 2**20
"""Two gigabytes of positions."""
MAX_PATHS = 2.0**63


class Perft(NamedTuple):
    """The counts at one depth."""

    paths: int
    """Sequences of that many moves."""
    finished: int
    """Those of them that ended the game."""
    positions: int
    """Distinct positions they lead to."""
    seconds: float


def perft(start: Game | Position | str, depth: int) -> Perft:
    """The counts at a depth from a position or the start; MeepleError where they outgrow memory or 64 bits."""
    if depth < 0:
        raise MeepleError(f"the depth must be 0 or more, not {depth}")
    *_, last = levels(start, depth)
    return last


def divide(start: Position, depth: int) -> dict[str, int]:
    """The move sequences of a length by their first move: what two programs compare to find where they differ."""
    return {move: perft(start.play(move), depth - 1).paths for move in start.moves} if depth > 0 else {}


def levels(start: Game | Position | str, depth: int) -> Iterator[Perft]:
    """The counts at every depth from 0 on."""
    if not isinstance(start, Position):
        start = (load_game(start) if isinstance(start, str) else start).start()
    began = time.perf_counter()
    level = Level(start.state[np.newaxis], np.zeros(1, np.int64), np.ones(1, np.int64))
    yield _count(level, began)
    for _ in range(depth):
        level = _next_level(start.game, level) if len(level.states) else level
        yield _count(level, began)


class Level(NamedTuple):
    """The distinct positions at one depth."""

    states: NDArray[np.uint64]
    waits: NDArray[np.int64]
    """1 where the opponent has still to be skipped."""
    paths: NDArray[np.int64]
    """How many sequences lead to each."""


def _count(level: Level, began: float) -> Perft:
    finished = int(level.paths[level.states[:, RESULT] != 0].sum())
    return Perft(int(level.paths.sum()), finished, len(level.states), time.perf_counter() - began)


def _next_level(game: Game, level: Level) -> Level:
    rules, states = game.addresses, level.states.ravel()
    num_moves = np.zeros(len(level.states), np.int64)
    actions = np.empty(game.num_actions, np.int32)
    _count_moves(rules.moves, states, level.waits, actions, num_moves)
    total = int(num_moves.sum())
    if total * (game.num_words + 3) > MAX_WORDS:
        raise MeepleError(f"{game.name} has too many positions there to hold in memory ({total:,}): go less deep")
    if float(np.dot(level.paths.astype(float), num_moves)) >= MAX_PATHS:
        raise MeepleError(f"{game.name} has more than 2^63 move sequences there: go less deep")
    children = np.empty((total, game.num_words), np.uint64)
    waits, keys = np.zeros(total, np.int64), np.empty(total, np.uint64)
    has_skips = len(game.skips) > 0
    _expand(
        rules.moves, rules.play, rules.key, has_skips, states, level.waits, actions, children.ravel(), waits, keys
    )  # fmt: skip
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    paths = np.zeros(len(first), np.int64)
    np.add.at(paths, inverse, np.repeat(level.paths, num_moves))
    return Level(children[first], waits[first], paths)


@jit(types.void(types.int64, WORDS, COUNTS, ACTIONS, COUNTS))
def _count_moves(moves_address: Int, states: Words, waits: Counts, actions: Actions, counts: Counts) -> None:
    moves = as_moves(moves_address)
    words = states.size // max(counts.size, 1)
    for index in range(counts.size):
        state = borrow(states, index * words, words)
        counts[index] = 1 if waits[index] else 0 if state[RESULT] else moves(state, actions)


@jit(types.void(types.int64, types.int64, types.int64, types.boolean, WORDS, COUNTS, ACTIONS, WORDS, COUNTS, WORDS))
def _expand(
    moves_address: Int,
    play_address: Int,
    key_address: Int,
    has_skips: bool,
    states: Words,
    waits: Counts,
    actions: Actions,
    children: Words,
    child_waits: Counts,
    keys: Words,
) -> None:
    moves, play, key = as_moves(moves_address), as_play(play_address), as_key(key_address)
    words = states.size // max(waits.size, 1)
    child = 0
    for index in range(waits.size):
        state = borrow(states, index * words, words)
        count = 1 if waits[index] else 0 if state[RESULT] else moves(state, actions)
        for number in range(count):
            after = borrow(children, child * words, words)
            copy(after, 0, state, 0, words)
            if not waits[index]:
                play(after, np.int64(actions[number]))
                child_waits[child] = has_skips and after[TO_MOVE] == state[TO_MOVE] and not after[RESULT]
            keys[child] = key(after) ^ np.uint64(child_waits[child])
            child += 1
