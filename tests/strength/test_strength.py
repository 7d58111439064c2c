"""How well engines play: against chance, against themselves, and with the wrong rule for extra turns."""

import pytest

import meeple

OTHERS = ("connect4", "mnk", "dots:3", "othello", "gomoku:15", "hex:11", "go:9")


def test_uct_loses_no_quick_game_of_tic_tac_toe():
    assert meeple.match("mcts:2000", "random", "tictactoe", 60, seed=2).both.losses == 0


@pytest.mark.slow
def test_uct_never_loses_at_tic_tac_toe():
    assert meeple.match("mcts:2000", "random", "tictactoe", 1000, seed=1).both.losses == 0
    itself = meeple.match("mcts:2000", "mcts:2000", "tictactoe", 200, seed=1).both
    assert (itself.draws, itself.games) == (200, 200)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_uct_beats_chance(name):
    assert meeple.match("mcts:2000", "random", name, 100, seed=1).both.wins >= 99


# Equal simulations, random openings of four plies, both colours: the methods page has the figures.
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["mcts:1000", "puct:1000?evaluator=rollout", "gumbel:200?evaluator=rollout"])
def test_the_right_rule_for_extra_turns_beats_the_wrong_one(spec):
    wrong = f"{spec}{'&' if '?' in spec else '?'}turns=alternating"
    found = meeple.match(spec, wrong, "dots:3", 400, opening_plies=4, seed=1)
    assert found.interval[0] > 0.5
