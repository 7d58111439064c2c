"""Random games, played from start to end inside one compiled loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from meeple.games.game import Game, Position
from meeple.games.rules import RESULT
from meeple.kernel import (
    ACTIONS,
    COUNTS,
    WORDS,
    Actions,
    Counts,
    Int,
    Rule,
    Words,
    as_moves,
    as_play,
    copy,
    jit,
    random_below,
)


class Playouts(NamedTuple):
    """How many random games ended in which way, and how many plies they took in all."""

    first_won: int
    second_won: int
    drawn: int
    plies: int


def random_games(game: Game, games: int, seed: int, position: Position | None = None) -> Playouts:
    """Play random games to the end from a position (the start unless given)."""
    start = (position or game.start()).state
    counts = np.zeros(4, np.int64)
    generator = np.array([seed % 2**64], np.uint64)
    actions = np.empty(game.num_actions, np.int32)
    rules = game.addresses
    _random_games(
        rules.moves, rules.play, game.is_filling, start, start.copy(), actions, generator, games, counts
    )  # fmt: skip
    return Playouts(int(counts[1]), int(counts[2]), int(counts[3]), int(counts[0]))


@jit(forceinline=True)
def play_out(moves: Rule, play: Rule, is_filling: bool, state: Words, actions: Actions, generator: Words) -> None:
    """Play random moves to the end of the game.

    Where a board fills up, the legal actions are listed once and each played one is replaced by the last.
    """
    if state[RESULT]:
        return
    count = moves(state, actions)
    while True:
        choice = random_below(generator, count)
        play(state, np.int64(actions[choice]))
        if state[RESULT]:
            return
        if is_filling:
            count -= 1
            actions[choice] = actions[count]
        else:
            count = moves(state, actions)


@jit(types.void(types.int64, types.int64, types.boolean, WORDS, WORDS, ACTIONS, WORDS, types.int64, COUNTS))
def _random_games(
    moves_address: Int,
    play_address: Int,
    is_filling: bool,
    start: Words,
    state: Words,
    actions: Actions,
    generator: Words,
    games: Int,
    counts: Counts,
) -> None:
    moves, play = as_moves(moves_address), as_play(play_address)
    for _ in range(games):
        copy(state, 0, start, 0, start.size)
        play_out(moves, play, is_filling, state, actions, generator)
        counts[np.int64(state[RESULT])] += 1
        counts[0] += np.int64(state[2] - start[2])
