"""The plain parts of Gumbel AlphaZero: which children a root considers, and the policy that its search improves.

I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by planning with Gumbel", ICLR 2022.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from meeple.search.forest import LEAST_RANGE


@lru_cache(maxsize=256)
def visit_table(max_considered: int, simulations: int) -> NDArray[np.int32]:
    """How many visits the child must have that is visited next: a row for each number of children considered."""
    rows = [_visits(considered, simulations) for considered in range(max_considered + 1)]
    return np.array(rows, np.int32)


def plans(max_considered: int, simulations: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The tables for several numbers of simulations, one after the other and flat; and where each begins."""
    tables = [visit_table(max_considered, max(number, 1)).ravel() for number in simulations]
    starts = np.cumsum([0, *(len(table) for table in tables)])[:-1]
    return np.concatenate(tables), starts.astype(np.int32)


def _visits(considered: int, simulations: int) -> list[int]:
    """Sequential halving: all considered children get equally many visits, then the better half of them, and so on."""
    if considered <= 1:
        return list(range(simulations))
    phases = math.ceil(math.log2(considered))
    sequence: list[int] = []
    visits = [0] * considered
    left = considered
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (phases * left))):
            sequence.extend(visits[:left])
            for child in range(left):
                visits[child] += 1
        left = max(2, left // 2)
    return sequence[:simulations]


def improved_policy(priors: NDArray[np.float64], scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """The softmax of logits plus scaled values: what a search teaches."""
    scores = np.log(np.maximum(priors, 1e-30)) + scaled
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def scaled_values(
    priors: NDArray[np.float64],
    values: NDArray[np.float64],
    visits: NDArray[np.int64],
    raw_value: float,
    *,
    value_scale: float,
    visit_offset: float,
) -> NDArray[np.float64]:
    """Values from the lowest to the highest, stretched the further the more visits there are.

    What was not visited is worth a mean of the evaluator's word and of the visited values, weighted by priors.
    """
    tried = visits > 0
    mixed = raw_value
    if tried.any():
        weights = np.maximum(priors[tried], 1e-30)
        mean = float(np.sum(weights * values[tried]) / np.sum(weights))
        mixed = (raw_value + visits.sum() * mean) / (visits.sum() + 1)
    completed = np.where(tried, values, mixed)
    low, high = completed.min(), completed.max()
    return (visit_offset + visits.max()) * value_scale * (completed - low) / max(high - low, float(LEAST_RANGE))
