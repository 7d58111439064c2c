"""Which number of threads learning stays with."""

import pytest
import torch

from meeple.learn import pace
from meeple.learn.pace import TRIAL_STEPS, Pace


@pytest.fixture
def clock(monkeypatch):
    """A computer on which a step takes as long as is said for its number of threads."""

    class Clock:
        now, threads, taken = 1000.0, 1, {}

        def step(self, paced):
            self.now += self.taken[self.threads]
            paced.after_step()

    found = Clock()
    monkeypatch.setattr(pace.time, "perf_counter", lambda: found.now)
    monkeypatch.setattr(pace.time, "monotonic", lambda: found.now)
    monkeypatch.setattr(torch, "set_num_threads", lambda threads: setattr(found, "threads", threads))
    return found


@pytest.mark.parametrize(("taken", "stays"), [({1: 1.0, 4: 0.4}, 4), ({1: 1.0, 4: 2.5}, 1)])
def test_it_stays_with_the_faster(clock, taken, stays):
    clock.taken = taken
    paced = Pace(4)
    for _ in range(5):
        paced.begin()
        for _ in range(5):
            clock.step(paced)
    assert clock.threads == stays


def test_it_tries_again_after_a_while(clock):
    paced = Pace(2)
    clock.taken = {1: 1.0, 2: 3.0}
    paced.begin()
    for _ in range(2 * TRIAL_STEPS):
        clock.step(paced)
    assert clock.threads == 1
    clock.taken = {1: 1.0, 2: 0.5}
    clock.now += pace.TRIAL_EVERY_S
    paced.begin()
    for _ in range(2 * TRIAL_STEPS):
        clock.step(paced)
    assert clock.threads == 2


def test_with_one_thread_nothing_is_tried(clock):
    paced = Pace(1)
    clock.taken = {1: 1.0}
    paced.begin()
    for _ in range(20):
        clock.step(paced)
        assert clock.threads == 1
