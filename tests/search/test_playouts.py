"""Random games inside one compiled loop."""

import math

import pytest

from meeple.games.registry import game
from meeple.search.playouts import random_games
from reference.mnk import Mnk

GAMES = 40_000


def exact_chances(twin, actions=()):
    """How likely a random game of tic-tac-toe is won by the first, won by the second, and drawn: all games counted."""
    position = twin()
    for action in actions:
        position.play(action)
    if position.result is not None:
        return [float(position.result == outcome) for outcome in (1, -1, 0)]
    key = frozenset(position.stones.items())
    if key not in exact_chances.known:
        moves = position.moves()
        replies = [exact_chances(twin, (*actions, action)) for action in moves]
        exact_chances.known[key] = [sum(column) / len(moves) for column in zip(*replies, strict=True)]
    return exact_chances.known[key]


exact_chances.known = {}


@pytest.mark.parametrize(
    "name", ["tictactoe", "mnk:9x9x4", "connect4:4x10", "othello:6", "hex:5", "go:3?komi=0", "dots:2x3"]
)
def test_every_game_has_one_outcome(name):
    found = random_games(game(name), 500, seed=3)
    assert found.first_won + found.second_won + found.drawn == 500
    assert 500 <= found.plies <= 500 * game(name).max_plies


def test_seeds_repeat():
    othello = game("othello")
    assert random_games(othello, 300, seed=7) == random_games(othello, 300, seed=7)
    assert random_games(othello, 300, seed=7) != random_games(othello, 300, seed=8)


def test_outcomes_of_tictactoe_are_as_likely_as_counted():
    expected = exact_chances(lambda: Mnk(3, 3, 3))
    assert [round(chance, 3) for chance in expected] == [0.585, 0.288, 0.127]
    found = random_games(game("tictactoe"), GAMES, seed=11)
    for chance, count in zip(expected, found[:3], strict=True):
        error = math.sqrt(chance * (1 - chance) / GAMES)
        assert abs(count / GAMES - chance) < 4 * error


def test_a_drawless_game_has_no_draws():
    assert random_games(game("hex:4"), 1000, seed=1).drawn == 0


def test_every_line_of_dots_is_drawn():
    assert random_games(game("dots"), 100, seed=1).plies == 100 * 24


def test_plies_are_counted_from_the_given_position():
    dots = game("dots")
    position = dots.read("aA bA Ba")
    assert random_games(dots, 100, seed=1, position=position).plies == 100 * 21


def test_the_given_position_is_left_alone():
    position = game("tictactoe").read("b2 a1")
    before = position.state
    random_games(position.game, 50, seed=5, position=position)
    assert (position.state == before).all()


def test_games_from_a_decided_position_are_decided():
    # Every reply loses at once or a move later: X holds two open lines.
    position = game("tictactoe").read("a1 a2 b1 b2 c1")
    assert random_games(position.game, 20, seed=1, position=position) == (20, 0, 0, 0)


def test_no_games_are_no_outcomes():
    assert random_games(game("tictactoe"), 0, seed=1) == (0, 0, 0, 0)
