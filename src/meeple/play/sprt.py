"""Whether one player is stronger than another, asked after every pair of games until the answer is sure enough.

The generalised sequential probability ratio test of M. Van den Bergh ("A practical introduction to the GSPRT", used by
Stockfish's Fishtest). A pair of games with one opening scores 0, 1/4, 1/2, 3/4 or 1. Among all distributions over these
five, take the likeliest with the mean that each hypothesis claims; the test adds up the logarithm of their ratio. This
is exact where the usual normal approximation fails: after a few pairs that all ended alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from meeple.errors import MeepleError
from meeple.play.score import expected_score

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
UNSEEN = 1e-3
"""How often a pair score counts that was never seen, as in Fishtest: no distribution excludes it."""

HALVINGS = 60
MAX_ELO = 1000.0

Verdict = Literal["accepted", "rejected", "undecided"]


class Outcome(NamedTuple):
    """Where a test stands: the log-likelihood ratio, the bounds at which it ends, and what it says."""

    elo0: float
    elo1: float
    llr: float
    low: float
    high: float
    verdict: Verdict
    """`accepted`: stronger by `elo1`; `rejected`: by no more than `elo0`; `undecided` between the bounds."""


@dataclass(frozen=True)
class Sprt:
    """A test of "stronger by `elo1`" against "stronger by `elo0`"."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How often `elo1` is accepted where `elo0` is true."""
    beta: float = 0.05
    """How often `elo1` is rejected where it is true."""

    def __post_init__(self) -> None:
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise MeepleError(
                f"a test compares two Elo differences, the lower first, within {MAX_ELO:g}; "
                f"not {self.elo0:g} and {self.elo1:g}"
            )

    @property
    def low(self) -> float:
        """At this log-likelihood ratio or below, `elo1` is rejected (A. Wald, 1945)."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """At this log-likelihood ratio or above, `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def outcome(self, counts: Sequence[int]) -> Outcome:
        """Where the test stands, given how many pairs scored each of `PAIR_SCORES`."""
        llr = self.llr(counts)
        verdict: Verdict = "accepted" if llr >= self.high else "rejected" if llr <= self.low else "undecided"
        return Outcome(self.elo0, self.elo1, llr, self.low, self.high, verdict)

    def llr(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of `elo1` to `elo0`."""
        if not any(counts):
            return 0.0
        weights = [count or UNSEEN for count in counts]
        null, other = (_likeliest(weights, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return sum(weight * math.log(q / p) for weight, p, q in zip(weights, null, other, strict=True))


def _likeliest(weights: Sequence[float], mean: float) -> list[float]:
    """The likeliest distribution over the pair scores that has a mean, given how often each was seen.

    It is weight / (1 + x * (score - mean)), normalised, with the one x that gives the mean.
    """
    offsets = [score - mean for score in PAIR_SCORES]
    total = sum(weights)
    low, high = -1 / offsets[-1], -1 / offsets[0]
    for _ in range(HALVINGS):
        x = (low + high) / 2
        slope = sum(weight * offset / (1 + x * offset) for weight, offset in zip(weights, offsets, strict=True))
        low, high = (x, high) if slope > 0 else (low, x)
    x = (low + high) / 2
    return [weight / total / (1 + x * offset) for weight, offset in zip(weights, offsets, strict=True)]
