"""Plain minimax to a depth: no bounds, no table, no order. Values are the first player's."""

from typing import NamedTuple

WIN = 1_000_000


class Value(NamedTuple):
    value: int
    is_sure: bool
    """Whether every line behind it was played to the end of the game."""


def minimax(position, depth, ply=0):
    if position.result is not None:
        return Value(position.result * (WIN - ply), True)
    if depth == 0:
        return Value(int(position.game.rules.heuristic(position.state)), False)
    values = list(move_values(position, depth, ply).values())
    best = (max if position.to_move == 0 else min)(value.value for value in values)
    return Value(best, all(value.is_sure for value in values))


def move_values(position, depth, ply=0):
    return {move: minimax(position.play(move), depth - 1, ply + 1) for move in position.moves}
