"""The gate's two tests at their borders."""

from types import SimpleNamespace

import pytest

from meeple.learn.gate import passes
from meeple.learn.recipe import Gate
from meeple.play.match import Side


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
