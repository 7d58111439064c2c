"""How many threads PyTorch learns with: all, or one where others use the processor too.

Threads that wait for one another at every layer are slower than a single one on a busy computer, up to three times. So
both are tried from time to time. With one thread there is nothing to try, and a run gives the same bits again.
"""

from __future__ import annotations

import time
from statistics import fmean

import torch

TRIAL_STEPS = 4
TRIAL_EVERY_S = 60.0


class Pace:
    """Tries one thread and all of them over a few steps each, and stays with the faster."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._left: list[int] = []
        self._times: dict[int, list[float]] = {}
        self._last_trial = -TRIAL_EVERY_S
        self._last_step: float | None = None
        torch.set_num_threads(threads)

    def begin(self) -> None:
        """Learning begins, or goes on after something else."""
        self._last_step = None
        if self._threads > 1 and time.monotonic() - self._last_trial > TRIAL_EVERY_S:
            self._last_trial = time.monotonic()
            self._times = {}
            self._left = [self._threads] * TRIAL_STEPS + [1] * TRIAL_STEPS
            torch.set_num_threads(self._left[0])

    def after_step(self) -> None:
        """A step was made."""
        now = time.perf_counter()
        taken = None if self._last_step is None else now - self._last_step
        self._last_step = now
        if not self._left:
            return
        threads = self._left.pop(0)
        if taken is not None:
            self._times.setdefault(threads, []).append(taken)
        if self._left:
            torch.set_num_threads(self._left[0])
        else:
            torch.set_num_threads(min(self._times, key=lambda number: fmean(self._times[number])))
