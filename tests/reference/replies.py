"""Every game against a player, one after the other by plain recursion: nothing is merged, nothing is batched."""

from typing import NamedTuple


class Replies(NamedTuple):
    results: list[int]
    """Of each game, 1, 0 or -1 for the player."""
    lines: list[tuple[str, ...]]
    """The moves of each game."""
    positions: set[tuple[int, bytes]]
    """Plies and state of all that was met."""


def replies(choose, position, seat):
    found = Replies([], [], set())
    follow(choose, position, seat, found)
    return found


def follow(choose, position, seat, found):
    found.positions.add((position.plies, position.state.tobytes()))
    if position.result is not None:
        found.results.append(position.result if seat == 0 else -position.result)
        found.lines.append(position.history)
        return
    moves = [choose(position)] if position.to_move == seat else position.moves
    for move in moves:
        follow(choose, position.play(move), seat, found)
