"""Starts of games: each from its number alone."""

from collections import Counter

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.learn.forced_openings import build
from meeple.learn.starts import Starts, after
from reference.runs import tiny


def starts_of(folder, numbers, *, name="mnk:3x3x3", may_resign=True, **plan):
    recipe = tiny(game=name, self_play=plan)
    return list(Starts(game(name), recipe, folder).of(numbers, 4, may_resign=may_resign))


PLAN = {"random_plies": 3, "resign_checked": 0.25, "opening_plies": [1, 2]}


def test_a_start_comes_from_its_number_alone(tmp_path):
    many = starts_of(tmp_path, range(50), **PLAN)
    assert starts_of(tmp_path, [7, 30], **PLAN) == [many[7], many[30]]
    assert [start.number for start in many] == list(range(50))
    assert len({start.seed for start in many}) == 50
    assert {start.iteration for start in many} == {4}


def test_some_games_are_played_on(tmp_path):
    starts = starts_of(tmp_path, range(400), resign_checked=0.25)
    assert 0.68 < np.mean([start.may_resign for start in starts]) < 0.82
    assert not any(start.may_resign for start in starts_of(tmp_path, range(20), may_resign=False))
    assert not any(start.may_resign for start in starts_of(tmp_path, range(20), resign_checked=1.0))


def test_random_moves(tmp_path):
    starts = starts_of(tmp_path, range(600), random_plies=3, random_share=0.5)
    lengths = Counter(len(start.opening) for start in starts)
    assert lengths.keys() == {0, 1, 2, 3}
    assert abs(lengths[0] / 600 - 0.625) < 0.07
    assert all(abs(lengths[plies] / 600 - 0.125) < 0.05 for plies in (1, 2, 3))


@pytest.mark.parametrize("name", ["mnk:3x3x3", "dots:2x2", "othello:4"])
def test_a_game_is_never_over_when_it_starts(tmp_path, name):
    for start in starts_of(tmp_path, range(200), name=name, random_plies=200):
        assert after(game(name), start.opening).result is None


def test_forced_openings(tmp_path):
    lengths = Counter(len(start.opening) for start in starts_of(tmp_path, range(300), opening_plies=[1, 3]))
    assert lengths.keys() == {1, 3}
    assert (tmp_path / "openings.sqlite").exists()


def test_a_database_of_the_users(tmp_path):
    build(game("mnk:3x3x3"), tmp_path / "mine.sqlite", 2)
    (tmp_path / "run").mkdir()
    starts = starts_of(tmp_path / "run", range(20), opening_plies=[2], openings=str(tmp_path / "mine.sqlite"))
    assert {len(start.opening) for start in starts} == {2}
    assert not list((tmp_path / "run").iterdir())
    with pytest.raises(ValueError, match="there is no such file"):
        starts_of(tmp_path, range(1), opening_plies=[2], openings="none.sqlite")
