"""Recipes: what they take for an iteration, and what they refuse."""

import pytest

from meeple.errors import RecipeError
from meeple.learn.recipes import load


@pytest.mark.parametrize(("written", "expected"), [("7", [7, 7, 7]), ("[5, 9]", [5, 9, 9]), ("[1, 2, 3]", [1, 2, 3])])
def test_games_of_iterations(written, expected):
    plan = load("fast", "hex:4", [f"self_play.games={written}"]).self_play
    assert [plan.games_of(iteration) for iteration in range(3)] == expected


def test_randomness_of_iterations():
    plan = load("fast", "hex:4", ["self_play.randomness=[0.5, 0.25]"]).self_play
    assert [plan.randomness_of(iteration) for iteration in range(3)] == [0.5, 0.25, 0.25]
    assert load("fast", "hex:4").self_play.randomness_of(1) == 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["self_play.games=0"], "greater than or equal to 1"),
        (["self_play.games=[]"], "at least 1 item"),
        (["self_play.randomness=[1.0, 0.5]"], "leaves no searches"),
        (["gate.test=score", "gate.at_least=1", "gate.more=true"], "nobody's score exceeds 1"),
        (["network.body=mlp", "network.policy_head=dense", "network.head_norm=true"], "head_norm needs"),
        (["gate.test=score", "gate.at_least=1.1"], "nobody's score exceeds 1"),
    ],
)
def test_what_cannot_be(changes, said):
    with pytest.raises(RecipeError, match=said):
        load("fast", "hex:4", changes)
