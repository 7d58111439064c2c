"""The lookahead beside plain minimax over the same evaluator."""

import zlib
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from meeple.errors import PlayerError
from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search import lookahead
from meeple.search.evaluator import FunctionEvaluator, RolloutEvaluator
from meeple.search.lookahead import Lookahead


def opinion(planes):
    """Any number, the same for the same planes."""
    return zlib.crc32(np.ascontiguousarray(planes, np.float32).tobytes()) / 2**31 - 1


def minimax(position, plies):
    """What the first player gets."""
    if position.result is not None:
        return position.result
    if plies == 0:
        value = opinion(position.planes)
        return -value if position.to_move else value
    values = [minimax(position.play(move), plies - 1) for move in position.moves]
    return min(values) if position.to_move else max(values)


@pytest.mark.parametrize("plies", [1, 2, 3])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "dots:2", "othello:4", "hex:3?swap=1", "go:2"])
def test_is_minimax(name, plies):
    of = game(name)

    def function(planes):
        return np.zeros((len(planes), of.num_actions)), np.array([opinion(one) for one in planes])

    player, chance = Lookahead(of, FunctionEvaluator(of, function), plies), Random(plies)
    for _ in range(4):
        position = random_opening(of, chance.randrange(4), chance)
        analysis = player.analyse(position)
        sign = -1 if position.to_move else 1
        for candidate in analysis.candidates:
            expected = sign * minimax(position.play(candidate.move), plies - 1)
            assert candidate.value == pytest.approx(expected, abs=1e-6)
        assert analysis.value == max(candidate.value for candidate in analysis.candidates)
        assert analysis.move in position.moves


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("name", ["connect4:4x4", "dots:2"])
def test_many_together_are_analysed_as_one_by_one(name, plies, monkeypatch):
    of, chance = game(name), Random(plies)

    def function(planes):
        return np.zeros((len(planes), of.num_actions)), np.array([opinion(one) for one in planes])

    player = Lookahead(of, FunctionEvaluator(of, function), plies)
    positions = [random_opening(of, chance.randrange(5), chance) for _ in range(30)]
    apart = [replace(player.analyse(position), seconds=0) for position in positions]
    for most in (lookahead.MAX_TOGETHER, 1, 7 * of.num_actions**plies):
        monkeypatch.setattr(lookahead, "MAX_TOGETHER", most)
        assert [replace(analysis, seconds=0) for analysis in player.analyse_many(positions)] == apart


def test_sees_a_win_and_a_loss():
    of = game("tictactoe")
    player = Lookahead(of, RolloutEvaluator(of, rollouts=10), 3)
    assert player.choose(of.read("a1 b2 a2 b1")) == "a3"
    assert player.choose(of.read("a1 b2 a2")) == "a3"


@pytest.mark.parametrize("plies", [0, 4])
def test_other_lengths_are_refused(plies):
    of = game("tictactoe")
    with pytest.raises(PlayerError, match="1 to 3 plies"):
        Lookahead(of, RolloutEvaluator(of), plies)
