"""The games of an iteration: every one that is over is in the log, whatever ends it."""

import threading
import time
from itertools import count

import numpy as np
import pytest

from meeple.errors import MeepleError
from meeple.games.registry import game
from meeple.learn import production
from meeple.learn.episodes import Log
from meeple.learn.production import produce
from meeple.learn.starts import Start
from reference.selfplay import random_episode

GAME = game("mnk:3x3x3")


def starts(numbers):
    return (Start(number, number, 0) for number in numbers)


def deliver_random(starts, deliver, stop):
    for start in starts:
        if stop.is_set():
            return
        deliver(random_episode(GAME, np.random.default_rng(start.seed), number=start.number))


def made(folder, producers, numbers, known=(), is_over=lambda: False):
    log, told = Log(folder / "games.log", GAME), []
    made = produce(producers, starts(numbers), log, known, is_over=is_over, on_progress=told.append)
    return made, told


def logged(folder):
    return sorted(episode.number for episode in Log(folder / "games.log", GAME).read().episodes)


@pytest.mark.parametrize("producers", [1, 3])
def test_all_games_are_played_once(tmp_path, producers):
    played, told = made(tmp_path, [deliver_random] * producers, range(50))
    assert [episode.number for episode in played.episodes] == list(range(50))
    assert logged(tmp_path) == list(range(50))
    assert played.new_moves == sum(len(episode.actions) for episode in played.episodes)
    assert told == sorted(told)
    assert told[-1] == 50


def test_games_that_are_known_are_not_logged_again(tmp_path):
    known = made(tmp_path, [deliver_random], [0, 2, 4])[0].episodes
    played, told = made(tmp_path, [deliver_random], [1, 3], known)
    assert [episode.number for episode in played.episodes] == [0, 1, 2, 3, 4]
    assert logged(tmp_path) == [0, 1, 2, 3, 4]
    assert played.new_moves == sum(len(played.episodes[number].actions) for number in (1, 3))
    assert told[0] >= 3
    nothing, _ = made(tmp_path, [deliver_random], [], played.episodes)
    assert (len(nothing.episodes), nothing.new_moves) == (5, 0)


def test_it_ends_early_with_what_is_over(tmp_path):
    is_over = threading.Event()

    def play_on(starts, deliver, stop):
        for number in count():
            start = next(starts)
            deliver_random(iter([start]), deliver, threading.Event())
            if number == 5:
                is_over.set()
                assert stop.wait(5)
                return

    began = time.monotonic()
    played, _ = made(tmp_path, [play_on, deliver_random], range(10**6), is_over=is_over.is_set)
    assert time.monotonic() - began < 5
    assert len(played.episodes) >= 6
    assert logged(tmp_path) == [episode.number for episode in played.episodes]


def test_games_that_end_without_pause_are_no_reason_to_wait(monkeypatch):
    class Busy:
        """Has another game whenever it is asked."""

        def get(self, *, timeout):
            assert time.monotonic() < late
            return "a game"

    monkeypatch.setattr(production, "WAIT_S", 0.01)
    late = time.monotonic() + 5
    finished, done = production._collect(Busy())
    assert finished
    assert done is None


def test_the_first_error_stops_all_and_games_before_it_are_kept(tmp_path):
    def fail(starts, deliver, stop):
        deliver_random(iter([next(starts), next(starts)]), deliver, stop)
        raise MeepleError("broken")

    def wait(starts, deliver, stop):
        assert stop.wait(5)

    with pytest.raises(MeepleError, match="broken"):
        made(tmp_path, [fail, wait], range(10))
    assert logged(tmp_path) == [0, 1]


def test_an_error_while_it_is_watched_stops_all(tmp_path):
    def fail(done):
        raise KeyError

    log, before = Log(tmp_path / "games.log", GAME), threading.active_count()
    with pytest.raises(KeyError):
        produce([deliver_random], starts(range(10**6)), log, (), is_over=lambda: False, on_progress=fail)
    assert threading.active_count() == before
