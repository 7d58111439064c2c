"""How long a search goes on: a number of simulations, a time, or both."""

from __future__ import annotations

import math
import time

from meeple.errors import PlayerError


class Budget:
    """How long a search goes on."""

    def __init__(self, simulations: int | None, time_limit_s: float | None) -> None:
        if simulations is None and time_limit_s is None:
            raise PlayerError("a search needs a number of simulations or a time limit")
        self.simulations = simulations
        self._deadline = math.inf if time_limit_s is None else time.perf_counter() + time_limit_s
        self._is_stopped = False

    def stop(self) -> None:
        """Let every thread end soon."""
        self._is_stopped = True

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return self._is_stopped or time.perf_counter() >= self._deadline
