"""The games of an iteration: producers in threads, and one log that all of their games go to."""

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


class Producer(Protocol):
    """Plays games in a thread of its own until there are no more to start or it is told to stop."""

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


class Done(NamedTuple):
    """A producer has ended."""

    error: BaseException | None


class Production(NamedTuple):
    """What was played."""

    episodes: list[Episode]
    """In the order of their numbers."""
    new_moves: int
    """Moves of the games that were not known before."""
    seconds: float


def produce(
    producers: Sequence[Producer],
    starts: Iterator[Start],
    log: Log,
    known: Sequence[Episode],
    *,
    is_over: Callable[[], bool],
    on_progress: Callable[[int], None],
) -> Production:
    """Play games with a thread for each producer until there are no more or it `is_over`.

    Every game is in the log soon after its end; those in flight when it is over are lost. The first error of a
    producer stops all.
    """
    began = time.perf_counter()
    games: queue.Queue[Episode | Done] = queue.Queue()
    stop, shared = threading.Event(), Shared(starts)
    threads = [threading.Thread(target=_work, args=(one, shared, games, stop), daemon=True) for one in producers]
    for thread in threads:
        thread.start()
    episodes, working = list(known), len(threads)
    try:
        while working:
            finished, done = _collect(games)
            if finished:
                log.append(finished)
                episodes.extend(finished)
            if done is not None:
                working -= 1
                if done.error is not None:
                    raise done.error
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


def _work(
    producer: Producer, starts: Iterator[Start], games: queue.Queue[Episode | Done], stop: threading.Event
) -> None:  # fmt: skip
    error = None
    try:
        producer(starts, games.put, stop)
    except BaseException as raised:
        error = raised
    games.put(Done(error))


def _collect(games: queue.Queue[Episode | Done]) -> tuple[list[Episode], Done | None]:
    """The games that end within a short time, or until a producer has ended."""
    finished: list[Episode] = []
    until = time.monotonic() + WAIT_S
    while (left := until - time.monotonic()) > 0:
        try:
            item = games.get(timeout=left)
        except queue.Empty:
            break
        if isinstance(item, Done):
            return finished, item
        finished.append(item)
    return finished, None
