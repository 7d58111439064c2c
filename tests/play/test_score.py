"""What a score says about strength: by hand, by a formula for proportions, and by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeple.play.score import elo, interval

Z = 1.959964
PAIRS = 50
MATCHES = 2000

# By hand: 400 times the decimal logarithm of score / (1 - score).
ELO = [(0.5, 0.0), (0.75, 190.848502), (10 / 11, 400.0), (0.64, 99.950939), (1 / 3, -120.412), (0.01, -798.254)]

pair_scores = st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1]), min_size=1, max_size=200)


def agresti_coull(wins, losses):
    """The adjusted interval of a proportion, for pairs that were won or lost as a whole."""
    trials = wins + losses + Z * Z / 2
    share = (wins + Z * Z / 4) / trials
    half = Z * math.sqrt(share * (1 - share) / trials)
    return max(share - half, 0), min(share + half, 1)


@pytest.mark.parametrize(("score", "expected"), ELO)
def test_elo_by_hand(score, expected):
    assert elo(score) == pytest.approx(expected, abs=1e-3)


@given(st.floats(0.001, 0.999))
def test_elo_is_the_inverse_of_the_expected_score(score):
    assert 1 / (1 + 10 ** (-elo(score) / 400)) == pytest.approx(score)
    assert elo(1 - score) == pytest.approx(-elo(score), abs=1e-9)


def test_elo_is_infinite_at_the_ends():
    assert (elo(0), elo(1)) == (-math.inf, math.inf)


def test_no_pairs_say_nothing():
    assert interval([]) == (0.0, 1.0)


@pytest.mark.parametrize(("wins", "losses"), [(10, 0), (0, 10), (1, 0), (8, 2), (50, 50)])
def test_interval_of_whole_pairs_is_that_of_a_proportion(wins, losses):
    assert interval([1.0] * wins + [0.0] * losses) == pytest.approx(agresti_coull(wins, losses))


def test_interval_by_hand():
    # Weight 0.960365: mean 0.5, scatter 2 * 0.960365 * 0.25 over 11.920730 pairs, half 1.959964 * 0.692952 / 11.920730.
    assert interval([0.5] * 10) == pytest.approx((0.386067, 0.613933), abs=2e-5)


def test_a_draw_less_than_all_won_proves_less():
    assert interval([1.0] * 49 + [0.75])[0] < interval([1.0] * 50)[0]
    assert interval([1.0] * 49 + [0.5])[0] < interval([1.0] * 49 + [0.75])[0]


@given(pair_scores)
def test_interval_holds_the_mean(scores):
    low, high = interval(scores)
    assert 0 <= low <= sum(scores) / len(scores) + 1e-9
    assert sum(scores) / len(scores) - 1e-9 <= high <= 1
    assert low < high


@given(pair_scores)
def test_interval_of_the_other_side_is_the_mirror_image(scores):
    low, high = interval(scores)
    assert interval([1 - score for score in scores]) == pytest.approx((1 - high, 1 - low))


@given(pair_scores)
def test_more_of_the_same_says_more(scores):
    low, high = interval(scores)
    four_low, four_high = interval(scores * 4)
    assert four_high - four_low < high - low


@pytest.mark.parametrize(
    ("wins", "draws"), [(0.5, 0.0), (0.4, 0.2), (0.2, 0.6), (0.6, 0.1), (0.7, 0.2), (0.85, 0.05), (0.3, 0.0)]
)
def test_interval_covers_the_truth_as_often_as_it_says(wins, draws):
    generator = np.random.default_rng(7)
    points = generator.choice([1.0, 0.5, 0.0], size=(MATCHES, PAIRS, 2), p=[wins, draws, 1 - wins - draws])
    intervals = [interval(pairs) for pairs in points.mean(axis=2).tolist()]
    covered = sum(low <= wins + draws / 2 <= high for low, high in intervals) / MATCHES
    assert 0.93 < covered < 0.985


def test_interval_covers_the_truth_where_the_first_move_matters():
    # Whoever moves first wins nine in ten: the games of a pair cancel out, and the mean scatters less.
    generator = np.random.default_rng(8)
    first = generator.random((MATCHES, PAIRS)) < 0.9
    second = generator.random((MATCHES, PAIRS)) < 0.1
    intervals = [interval(pairs) for pairs in ((first.astype(float) + second) / 2).tolist()]
    assert sum(low <= 0.5 <= high for low, high in intervals) / MATCHES > 0.93


def test_interval_is_wider_where_both_games_of_a_pair_end_alike():
    assert interval([1, 0] * 25)[1] > interval([0.5, 1, 0.5, 0, 0.5] * 10)[1]
