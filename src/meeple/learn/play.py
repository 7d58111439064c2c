"""The games of an iteration: workers in threads, each with a batch of games, and one log that all of them go to."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from meeple.learn.episodes import Episode, Log
from meeple.learn.starts import Start

WAIT_S = 0.2
"""How often the log is written and listeners hear of progress."""


class Player(Protocol):
    """Plays games until there are no more to start or it is told to stop."""

    def __call__(self, starts: Iterator[Start], deliver: Callable[[Episode], None], stop: threading.Event) -> None: ...


class Shared:
    """An iterator that several threads take from."""

    def __init__(self, starts: Iterator[Start]) -> None:
        self._starts = starts
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Start]:
        return self

    def __next__(self) -> Start:
        with self._lock:
            return next(self._starts)


class End(NamedTuple):
    """A player is done."""

    error: BaseException | None


class Production(NamedTuple):
    """What was played."""

    episodes: list[Episode]
    """In the order of their numbers."""
    new_moves: int
    """Moves of the games that were not known before."""
    seconds: float


def produce(
    players: Sequence[Player],
    starts: Iterator[Start],
    log: Log,
    known: Sequence[Episode],
    *,
    is_over: Callable[[], bool],
    on_progress: Callable[[int], None],
) -> Production:
    """Play games with a thread for each player until there are no more or it `is_over`.

    Every game is in the log soon after its end; those in flight when it is over are lost. The first error of a player
    stops all.
    """
    began = time.perf_counter()
    done: queue.Queue[Episode | End] = queue.Queue()
    stop, shared = threading.Event(), Shared(starts)
    threads = [threading.Thread(target=_work, args=(player, shared, done, stop), daemon=True) for player in players]
    for thread in threads:
        thread.start()
    episodes, working = list(known), len(threads)
    try:
        while working:
            finished, end = _collect(done)
            if finished:
                log.append(finished)
                episodes.extend(finished)
            if end is not None:
                working -= 1
                if end.error is not None:
                    raise end.error
            on_progress(len(episodes))
            if is_over():
                stop.set()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    moves = sum(len(episode.actions) - episode.opening_plies for episode in episodes[len(known) :])
    in_order = sorted(episodes, key=lambda episode: episode.number)
    return Production(in_order, moves, time.perf_counter() - began)


def _work(player: Player, starts: Iterator[Start], done: queue.Queue[Episode | End], stop: threading.Event) -> None:
    error = None
    try:
        player(starts, done.put, stop)
    except BaseException as raised:
        error = raised
    done.put(End(error))


def _collect(done: queue.Queue[Episode | End]) -> tuple[list[Episode], End | None]:
    """The games that end within a short time, or until a player is done."""
    finished: list[Episode] = []
    until = time.monotonic() + WAIT_S
    while True:
        try:
            item = done.get(timeout=max(until - time.monotonic(), 0.001))
        except queue.Empty:
            return finished, None
        if isinstance(item, End):
            return finished, item
        finished.append(item)
