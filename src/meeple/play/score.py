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
    """The 95 % interval of the mean score, given the mean of every pair (A. Agresti, B. Coull, 1998).

    As if there were one more pair that was won and one that was lost, of a weight a little below one: so the interval
    has a width where all pairs ended alike, and the error of the mean follows the scatter of the others.
    """
    if not pair_scores:
        return 0.0, 1.0
    weight = z * z / 4
    total = len(pair_scores) + 2 * weight
    mean = (sum(pair_scores) + weight) / total
    scatter = sum((score - mean) ** 2 for score in pair_scores) + weight * (mean**2 + (1 - mean) ** 2)
    half = z * math.sqrt(scatter) / total
    return max(mean - half, 0.0), min(mean + half, 1.0)
