"""The gate: who passes, and that the better network does."""

from types import SimpleNamespace

import pytest

from meeple.games.registry import game
from meeple.learn.gate import Watched, compare, memory_mb, passes
from meeple.learn.recipe import Gate
from meeple.play.match import Side
from meeple.search.evaluator import RolloutEvaluator, UniformEvaluator
from reference.runs import tiny


@pytest.mark.parametrize("engine", ["gumbel", "puct"])
def test_the_better_one_passes(engine):
    of, heard = game("connect4:5x5"), []
    recipe = tiny(
        search={"engine": engine, "simulations": 16},
        gate={"test": "score", "at_least": 0.5, "games": 41},
    )
    good, bad = RolloutEvaluator(of, rollouts=20), UniformEvaluator(of)
    there = compare(of, recipe, good, bad, seed=1, on_game=lambda: heard.append(1))
    assert there.passed
    assert len(heard) == 42
    assert compare(of, recipe, good, bad, seed=1, on_game=lambda: None) == there
    assert not compare(of, recipe, bad, good, seed=1, on_game=lambda: None).passed


def test_a_lookahead_at_the_gate():
    of = game("tictactoe")
    recipe = tiny(network={"policy_head": "none"}, search={"engine": "lookahead"}, gate={"test": "wins", "games": 2})
    assert compare(of, recipe, RolloutEvaluator(of, rollouts=50), UniformEvaluator(of), seed=1, on_game=int).score > 0.5


def test_every_batch_is_told():
    of, heard = game("tictactoe"), []
    watched = Watched(RolloutEvaluator(of), lambda: heard.append(1))
    recipe = tiny(gate={"test": "score", "at_least": 0.5, "games": 2})
    compare(of, recipe, watched, watched, seed=1, on_game=int)
    assert len(heard) > 10

    def stop():
        raise InterruptedError

    stopped = Watched(RolloutEvaluator(of), stop)
    with pytest.raises(InterruptedError):
        compare(of, recipe, watched, stopped, seed=1, on_game=int)


def test_memory():
    assert memory_mb(tiny()) == 0
    assert memory_mb(tiny(gate={"test": "score", "at_least": 0.5}, limits={"memory_mb": 160})) == 20


@pytest.mark.parametrize(
    ("test", "at_least", "wins", "draws", "losses", "enough", "more"),
    [
        ("wins", 1.0, 26, 0, 24, True, True),
        ("wins", 1.0, 25, 0, 25, True, False),
        ("wins", 1.0, 24, 0, 26, False, False),
        ("wins", 1.3, 9, 4, 7, False, False),
        ("wins", 1.3, 1, 19, 0, True, True),
        ("wins", 1.3, 0, 20, 0, False, False),
        ("score", 0.55, 11, 0, 9, True, False),
        ("score", 0.55, 10, 3, 7, True, True),
        ("score", 0.55, 10, 0, 10, False, False),
    ],
)
def test_at_least_and_more(test, at_least, wins, draws, losses, enough, more):
    both = Side(wins, draws, losses)
    found = SimpleNamespace(both=both, score=both.score)
    assert passes(found, Gate(test=test, at_least=at_least)) == enough
    assert passes(found, Gate(test=test, at_least=at_least, more=True)) == more
