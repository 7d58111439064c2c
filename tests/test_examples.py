"""The examples: a user's own game, from its file."""

import runpy
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from meeple.search.playouts import random_games

EXAMPLES = Path(__file__).parents[1] / "examples"

# Counted with OpenSpiel 2.0.2.
PERFT = (1, 22, 484, 11132)


@pytest.fixture(scope="module")
def breakthrough():
    return runpy.run_path(str(EXAMPLES / "breakthrough.py"))["game"]


def perft(position, depth):
    """How many sequences of that many moves the position allows."""
    return sum(perft(position.play_action(action), depth - 1) for action in position.actions) if depth else 1


def random_line(game, seed):
    """The positions of a random game."""
    generator, position = np.random.default_rng(seed), game.start()
    line = [position]
    while position.result is None:
        position = position.play_action(int(generator.choice(position.actions)))
        line.append(position)
    return line


@pytest.mark.parametrize(("depth", "sequences"), list(enumerate(PERFT)))
def test_counts_as_many_move_sequences_as_openspiel(breakthrough, depth, sequences):
    assert perft(breakthrough.start(), depth) == sequences


def test_random_games_end(breakthrough):
    found = random_games(breakthrough, 10_000, seed=1)
    assert found.first_won + found.second_won == 10_000
    assert 0.45 < found.first_won / 10_000 < 0.55
    assert max(len(random_line(breakthrough, seed)) for seed in range(50)) <= breakthrough.max_plies


def test_a_piece_steps_ahead_and_captures_diagonally(breakthrough):
    position = breakthrough.read("a2a3 b7b6 a3a4 b6b5")
    assert {"a4a5", "a4b5"} <= set(position.moves)
    after = position.play("a4b5")
    assert np.count_nonzero(breakthrough.pieces(after.state) == 2) == 15
    assert "a2a3" not in after.moves
    assert "b5b4" not in breakthrough.read("a2a3 b7b6 a3a4 b6b5 h2h3 b5b4 h3h4 b4b3").moves


def test_the_last_row_wins(breakthrough):
    position = breakthrough.read("a2a3 h7h6 a3a4 h6h5 a4a5 h5h4 a5b6 h4h3 b6a7 h3g2 a7b8")
    assert (position.result, position.actions) == (1, ())


def test_the_second_player_sees_the_board_turned(breakthrough):
    position = breakthrough.read("a2b3")
    own, other = position.planes
    assert own.sum() == own[6:].sum() == 16
    assert other.sum() == 16
    assert other[2, 6] == 1  # b3
    assert other[1, 7] == 0  # a2
    assert np.count_nonzero(breakthrough.pieces(position.state)[:16] == 2) == 16


def test_symmetries_keep_moves_and_planes(breakthrough):
    for symmetry in breakthrough.symmetries:
        for seed in range(20):
            image = breakthrough.start()
            for before, after in pairwise(random_line(breakthrough, seed)):
                assert set(symmetry.actions[list(before.actions)]) == set(image.actions)
                assert np.array_equal(image.planes.ravel(), before.planes.ravel()[symmetry.planes])
                image = image.play_action(int(symmetry.actions[after.action]))
            assert image.result == after.result


def test_each_policy_entry_has_its_place_on_a_board(breakthrough):
    assert len(set(breakthrough.action_sites.tolist())) == breakthrough.num_actions
    for view in breakthrough.views:
        assert sorted(view) == list(range(breakthrough.num_actions))
    # The step straight ahead from one's own left corner, as either player sees it.
    first, second = (
        breakthrough.views[player][breakthrough.action(move)] for player, move in enumerate(("a2a3", "h7h6"))
    )
    assert breakthrough.action_sites[first] == breakthrough.action_sites[second] == (1 * 8 + 6) * 8
