"""Random games, played from start to end inside one compiled loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from meeple.games.game import Game, Position
from meeple.kernel import (
    ACTIONS,
    COUNTS,
    WORDS,
    Actions,
    Counts,
    Int,
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
    _random_games(game.addresses.moves, game.addresses.play, start, start.copy(), actions, generator, games, counts)
    return Playouts(int(counts[1]), int(counts[2]), int(counts[3]), int(counts[0]))


@jit(types.void(types.int64, types.int64, WORDS, WORDS, ACTIONS, WORDS, types.int64, COUNTS))
def _random_games(
    moves_address: Int,
    play_address: Int,
    start: Words,
    state: Words,
    actions: Actions,
    generator: Words,
    games: Int,
    counts: Counts,
) -> None:
    moves = as_moves(moves_address)
    play = as_play(play_address)
    for _ in range(games):
        copy(state, 0, start, 0, start.size)
        while state[1] == 0:
            count = moves(state, actions)
            play(state, np.int64(actions[random_below(generator, count)]))
        counts[np.int64(state[1])] += 1
        counts[0] += np.int64(state[2] - start[2])
