"""What a score over pairs of games says about strength.

Both games of a pair share their opening, so their results depend on each other: errors are taken over pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959964


def elo(score: float) -> float:
    """The Elo difference that a mean score of 0 to 1 stands for; infinite at the ends."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected_score(elo: float) -> float:
    """The mean score that an Elo difference stands for."""
    return 1 / (1 + 10 ** (-elo / 400))


def interval(pair_scores: Sequence[float], z: float = Z95) -> tuple[float, float]:
    """The 95 % interval of the mean score, given the mean of every pair (E. B. Wilson, 1927).

    Wilson's formula wants a number of independent trials: as many as would scatter like the pairs do, but never more
    than four a pair, so that pairs which all end alike (two deterministic players) prove little.
    """
    pairs = len(pair_scores)
    if pairs == 0:
        return 0.0, 1.0
    mean = sum(pair_scores) / pairs
    scatter = sum((score - mean) ** 2 for score in pair_scores) / max(pairs - 1, 1)
    spread = mean * (1 - mean)
    trials = pairs if spread == 0 else min(spread * pairs / scatter, 4 * pairs) if scatter else 4 * pairs
    centre = (mean + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(spread / trials + z * z / (4 * trials * trials))
    low, high = (0.0 if mean == 0 else centre - half), (1.0 if mean == 1 else centre + half)
    return max(low, 0.0), min(high, 1.0)
