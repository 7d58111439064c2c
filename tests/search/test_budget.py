"""Budgets: a number of simulations, a time, or both."""

import time

import pytest

from meeple.errors import PlayerError
from meeple.search.budget import Budget


def test_a_budget_wants_a_bound():
    with pytest.raises(PlayerError, match="a number of simulations or a time limit"):
        Budget(None, None)


def test_without_a_time_limit_it_is_never_over():
    budget = Budget(10, None)
    assert (budget.simulations, budget.is_over) == (10, False)


def test_it_is_over_when_time_is_up():
    budget = Budget(None, 0.05)
    assert not budget.is_over
    time.sleep(0.06)
    assert budget.is_over


def test_it_is_over_when_stopped():
    budget = Budget(10, 1000)
    budget.stop()
    assert budget.is_over
