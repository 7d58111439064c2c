"""Giving up: who it is that gives up, and when it is wrong."""

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.games.rules import DRAWN, FIRST_WON, SECOND_WON
from meeple.learn.episodes import Episode
from meeple.learn.resignation import Resigned, resigned, share_wrong

GAME = game("mnk:3x3x3")


def episode(values, result, *, is_complete=True, first_row=0):
    """A game of five plies, or as many as there are values where it was given up."""
    plies = 5 if is_complete else first_row + len(values) - 1
    rows = np.arange(first_row, first_row + len(values), dtype=np.int32)
    return Episode(
        0, 1, 0, np.array([0, 3, 1, 4, 2][:plies], np.int32), 0, result, rows, np.zeros((len(rows), 9), np.float32),
        np.array(values, np.float32), is_complete,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("values", "result", "found"),
    [
        ([0.1, -0.2, 0.3, -0.4, 0.5], FIRST_WON, None),
        ([0.1, -0.9, 0.3, -0.95, 0.5], FIRST_WON, Resigned(1, is_wrong=False, ended=False)),
        ([0.1, 0.2, -0.9, 0.4, 0.5], FIRST_WON, Resigned(0, is_wrong=True, ended=False)),
        ([0.1, 0.2, -0.9, -0.9, 0.5], SECOND_WON, Resigned(0, is_wrong=False, ended=False)),
        ([0.1, -0.9, 0.3, 0.4, 0.5], DRAWN, Resigned(1, is_wrong=True, ended=False)),
        ([], FIRST_WON, None),
    ],
)
def test_a_game_that_was_played_on(values, result, found):
    assert resigned(GAME, episode(values, result), -0.8) == found


def test_a_game_that_was_given_up():
    given_up = episode([0.1, 0.2, 0.3, -0.9], FIRST_WON, is_complete=False)
    assert resigned(GAME, given_up, -0.8) == Resigned(1, is_wrong=False, ended=True)


def test_rows_are_plies():
    assert resigned(GAME, episode([0.2, -0.9], SECOND_WON, first_row=1), -0.8).player == 0


def test_a_player_may_move_twice():
    of = game("dots:1x1")
    closing = Episode(
        0, 1, 0, np.array([0, 1, 2], np.int32), 0, FIRST_WON, np.array([3], np.int32), np.zeros((1, 4), np.float32),
        np.array([-0.9], np.float32), False,
    )  # fmt: skip
    assert resigned(of, closing, -0.8).player == 1


def test_the_share_of_games_where_it_was_wrong():
    ended, right, wrong = Resigned(0, False, True), Resigned(1, False, False), Resigned(0, True, False)
    assert share_wrong([ended, right, wrong, right]) == pytest.approx(1 / 3)
    assert share_wrong([ended]) is None
