"""What searches prove of nodes, seen by the player who moved into a node (the root: who is to move)."""

from __future__ import annotations

import numpy as np

from meeple.kernel import Counts, Int, jit

UNKNOWN, WON, LOST, DRAWN = 0, 1, 2, 3
OUTCOMES = {UNKNOWN: None, WON: 1, LOST: -1, DRAWN: 0}
RANK = {UNKNOWN: 1, WON: 2, LOST: 0, DRAWN: 1}
"""Which children the expected line goes through first."""
NEVER = np.float32(-1e30)
"""The score of a child that is not to be visited."""


@jit(forceinline=True)
def best_without_win(proven: Counts, plies: Counts, first: Int, count: Int) -> tuple[Int, Int]:
    """The best outcome of children that are all proven and none of which wins, and the most plies it can last."""
    outcome, longest = LOST, 0
    for child in range(first, first + count):
        if proven[child] == DRAWN and outcome == LOST:
            outcome, longest = DRAWN, 0
        if proven[child] == outcome:
            longest = max(longest, plies[child])
    return outcome, longest
