"""Evaluators: shapes and numbers that are refused, and random games whose mean is right."""

from functools import cache
from random import Random

import numpy as np
import pytest

from meeple.errors import PlayerError
from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search.engine import Engine
from meeple.search.evaluator import FunctionEvaluator, Positions, RolloutEvaluator, UniformEvaluator


def batch(*positions):
    return Positions(np.array([one.state for one in positions]), np.array([one.planes for one in positions]))


@cache
def random_mean(position):
    """What random play comes to for the first player, all games counted."""
    if position.result is not None:
        return position.result
    return float(np.mean([random_mean(position.play_action(action)) for action in position.actions]))


def answer(logits, values):
    return FunctionEvaluator(game("tictactoe"), lambda planes: (logits, values))


@pytest.mark.parametrize(
    ("logits", "values"),
    [
        (np.zeros((1, 9)), np.zeros(2)),
        (np.zeros((2, 8)), np.zeros(2)),
        (np.zeros((2, 9)), np.zeros((2, 1))),
        (np.zeros((2, 9)), np.zeros(3)),
        (np.zeros(9), 0.0),
        ([], []),
    ],
)
def test_arrays_of_another_shape_are_refused(logits, values):
    start = game("tictactoe").start()
    with pytest.raises(PlayerError, match="gave arrays of shape"):
        answer(logits, values).evaluate(batch(start, start))


@pytest.mark.parametrize("fault", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(fault):
    start = game("tictactoe").start()
    for logits, value in ((np.full((1, 9), fault), 0.0), (np.zeros((1, 9)), fault)):
        with pytest.raises(PlayerError, match="not finite"):
            answer(logits, [value]).evaluate(batch(start))


def test_lists_and_double_precision_are_taken():
    start = game("tictactoe").start()
    found = answer([[0.5] * 9], [0.25]).evaluate(batch(start))
    assert found.logits.dtype == found.values.dtype == np.float32
    assert (found.logits == 0.5).all()
    assert found.values.tolist() == [0.25]


def test_a_function_sees_the_planes_and_a_search_passes_its_error_on():
    of, seen = game("hex:4"), []

    def function(planes):
        seen.append(planes.shape)
        return np.zeros((len(planes), 3)), np.zeros(len(planes))

    with pytest.raises(PlayerError, match="gave arrays of shape"):
        Engine(of, FunctionEvaluator(of, function)).analyse(of.start(), simulations=5)
    assert seen == [(1, *of.shape)]


def test_values_beyond_one_are_cut():
    of = game("connect4")

    def function(planes):
        return np.zeros((len(planes), 7)), np.full(len(planes), 3.0)

    analysis = Engine(of, FunctionEvaluator(of, function)).analyse(of.start(), simulations=50)
    assert all(-1 <= candidate.value <= 1 for candidate in analysis.candidates)


def test_uniform_knows_nothing():
    start = game("othello").start()
    found = UniformEvaluator(start.game).evaluate(batch(start, start))
    assert found.logits.shape == (2, 64)
    assert not found.logits.any()
    assert found.values.tolist() == [0, 0]


@pytest.mark.parametrize("plies", [3, 4, 5, 6])
def test_means_of_random_games_are_near_the_exact_ones(plies):
    of, chance = game("tictactoe"), Random(plies)
    positions = [random_opening(of, plies, chance) for _ in range(10)]
    found = RolloutEvaluator(of, rollouts=4000, seed=1).evaluate(batch(*positions))
    assert not found.logits.any()
    for position, value in zip(positions, found.values, strict=True):
        assert value == pytest.approx((-1 if position.to_move else 1) * random_mean(position), abs=0.08)


def test_random_games_repeat_with_a_seed():
    start = game("go:5").start()
    one, other = (RolloutEvaluator(start.game, rollouts=9, seed=4) for _ in range(2))
    first = one.evaluate(batch(start, start)).values.tolist()
    assert first == other.evaluate(batch(start, start)).values.tolist()
    one.begin(4)
    assert first == one.evaluate(batch(start, start)).values.tolist()


def test_evaluations_leave_the_positions_alone():
    start = game("othello:6").start()
    positions = batch(start)
    before = positions.states.copy()
    RolloutEvaluator(start.game, rollouts=5).evaluate(positions)
    assert (positions.states == before).all()
