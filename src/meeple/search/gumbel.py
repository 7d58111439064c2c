"""The plan of Gumbel AlphaZero: how often the children that a root considers are visited, by sequential halving.

I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by planning with Gumbel", ICLR 2022.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


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
