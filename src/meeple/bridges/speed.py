"""Speed beside other systems, measured in one process so that only ratios matter.

Ours and the peer take turns for several rounds, and each one's best round counts: on a noisy machine that is what it
can do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from meeple.bridges.openspiel import Twin, random_games
from meeple.errors import MeepleError, PlayerError, nearest
from meeple.games.registry import game as load_game
from meeple.search import playouts

ROUNDS = 5
ROUND_S = 0.25

PLAYOUT_GAMES = (
    "tictactoe", "gomoku:15", "connect4", "othello", "hex:6", "hex:8", "hex:11", "go:5", "go:9", "dots:2", "dots:3",
)  # fmt: skip


class Row(NamedTuple):
    """One measurement."""

    name: str
    ours: float
    peer: float | None
    ratio: float | None
    unit: str
    peer_name: str
    note: str


def measure(names: list[str]) -> Iterator[Row]:
    """Measure what is named, everything unless something is; `playouts` or `playouts/connect4`."""
    known = {f"playouts/{game}": game for game in PLAYOUT_GAMES}
    chosen = []
    for name in names or ["playouts"]:
        found = [full for full in known if full == name or full.partition("/")[0] == name]
        if not found:
            raise MeepleError(f"nothing to measure is called {name!r}{nearest(name, [*known, 'playouts'])}")
        chosen += found
    for name in chosen:
        yield _playouts(name, known[name])


def _playouts(name: str, game_name: str) -> Row:
    """Random games a second from the start, one thread."""
    game = load_game(game_name)
    note, peer = "", None
    try:
        twin = Twin(game)
        peer = lambda games: random_games(twin, games, seed=1)  # noqa: E731  a name for it would say no more
    except PlayerError as error:
        note = str(error)
    ours, theirs = rates(lambda games: playouts.random_games(game, games, seed=1), peer)
    return Row(name, ours, theirs, theirs and ours / theirs, "games/s", "OpenSpiel's random rollouts", note)


def rates(ours: Callable[[int], object], peer: Callable[[int], object] | None) -> tuple[float, float | None]:
    """How many a second each does, best of several rounds in turns; each is called with how many to do."""
    sides = [side for side in (ours, peer) if side is not None]
    counts, best = [_fitting(side) for side in sides], [0.0] * len(sides)
    for _ in range(ROUNDS):
        for index, side in enumerate(sides):
            began = time.perf_counter()
            side(counts[index])
            best[index] = max(best[index], counts[index] / (time.perf_counter() - began))
    return best[0], best[1] if len(best) > 1 else None


def _fitting(side: Callable[[int], object]) -> int:
    """How many fill a round; the first call also compiles."""
    side(1)
    count = 1
    while True:
        began = time.perf_counter()
        side(count)
        seconds = time.perf_counter() - began
        if seconds > ROUND_S / 4:
            return max(1, round(count * ROUND_S / seconds))
        count *= 4
