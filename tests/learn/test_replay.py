"""The window: what stays in it, and that its examples are true positions, or true images of them."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from meeple.errors import MeepleError
from meeple.games.registry import game
from meeple.games.table import ENTRIES
from meeple.learn.episodes import Log
from meeple.learn.recipe import Replay
from meeple.learn.replay import Window
from reference.selfplay import random_episode

GAMES = (
    "tictactoe", "mnk:4x3x3", "gomoku:5", "connect4:4x5", "othello:4", "othello:6", "hex:3", "hex:4?swap=1", "go:3",
    "dots:1x2", "dots:2x2", "dots:3",
)  # fmt: skip
SCORED = ("go:3", "dots:1x2", "dots:2x2", "othello:4")


def replay(augment="none", **measure):
    return Replay(augment=augment, **(measure or {"positions": 10_000}))


def episodes(of, count, seed=1, share=1.0):
    chance = np.random.default_rng(seed)
    return [random_episode(of, chance, number=number, iteration=number // 2, share=share) for number in range(count)]


def filled(of, several, window=None, **options):
    found = Window(of, window or replay(), **options)
    for episode in several:
        found.add(episode)
    return found


def positions_of(of, episode):
    """The positions of an episode's rows, played in Python."""
    line = [of.start()]
    for action in episode.actions:
        line.append(line[-1].play_action(int(action)))
    return [line[row] for row in episode.rows], line[-1]


def image(position, symmetry):
    """The position that the images of its moves lead to."""
    found = position.game.start()
    for move in position.history:
        found = found.play_action(int(symmetry.actions[position.game.action(move)]))
    return found


def expected_policy(of, position, symmetry, policy):
    """A policy moved with a position, as the player to move of the image sees it."""
    seen = np.zeros(of.num_actions, np.float32)
    for action, chance in enumerate(policy):
        seen[of.views[position.to_move][symmetry.actions[action]]] = chance
    return seen


def held(window):
    """Every position of a window as it is, oldest first."""
    return window._examples_at(np.arange(len(window)), np.zeros(len(window), np.int32))


def row_numbers(window):
    """The root values in the order in which positions are held: every one is different."""
    return held(window).root_values


def test_all_games_are_tried():
    assert {name.partition(":")[0] for name in GAMES} == {entry.name for entry in ENTRIES}


@pytest.mark.parametrize("name", GAMES)
def test_examples_are_the_positions_or_true_images(name):
    of = game(name)
    several = episodes(of, 2, share=0.5)
    window = filled(of, several)
    index = 0
    for episode in several:
        positions, last = positions_of(of, episode)
        for position, policy, value in zip(positions, episode.policies, episode.root_values, strict=True):
            for number, symmetry in enumerate(of.symmetries):
                found = window._examples_at(np.array([index]), np.array([number], np.int32))
                other = image(position, symmetry)
                assert np.array_equal(found.planes[0], other.planes)
                assert found.policies[0] == pytest.approx(
                    expected_policy(of, other, symmetry, policy), abs=len(policy) / 60000
                )
                legal = np.zeros(of.num_actions, bool)
                legal[of.views[other.to_move][list(other.actions)]] = True
                assert np.array_equal(found.legal[0], legal)
                assert found.outcomes[0] == (last.result if other.to_move == 0 else -last.result)
                assert found.root_values[0] == value
                assert found.is_complete[0]
            index += 1
    assert index == len(window)


@pytest.mark.parametrize("name", SCORED)
def test_margins_and_owners_move_along(name):
    of = game(name)
    for episode in episodes(of, 4, seed=3):
        window = filled(of, [episode], has_owners=True)
        positions, last = positions_of(of, episode)
        for index, position in enumerate(positions):
            side = 1 if position.to_move == 0 else -1
            for number, symmetry in enumerate(of.symmetries):
                found = window._examples_at(np.array([index]), np.array([number], np.int32))
                other = image(last, symmetry)
                owners = np.array([0, 1, -1])[of.pieces(other.state)] * side
                assert np.array_equal(found.owners[0], owners)
                margin = 0 if last.margin is None else last.margin * side / owners.size
                assert found.margins[0] == pytest.approx(margin)


def test_a_closed_box_gives_another_turn_and_the_outcome_is_its_owners():
    of = game("dots:2x2")
    chance = np.random.default_rng(2)
    while True:
        episode = random_episode(of, chance)
        positions, last = positions_of(of, episode)
        movers = [position.to_move for position in positions]
        if last.result and any(one == other for one, other in pairwise(movers)):
            break
    outcomes = held(filled(of, [episode])).outcomes
    assert outcomes.tolist() == [last.result * (1 - 2 * mover) for mover in movers]


def test_a_game_that_was_not_played_to_its_end():
    of = game("dots:2x2")
    whole = episodes(of, 1)[0]
    half = whole._replace(actions=whole.actions[:5], rows=whole.rows[:6], policies=whole.policies[:6])
    half = half._replace(root_values=whole.root_values[:6], result=2, is_complete=False)
    found = filled(of, [half], has_owners=True)
    assert len(found) == 6
    examples = found.draw(np.random.default_rng(1), 50)
    assert not examples.is_complete.any()
    assert not examples.margins.any()
    assert not examples.owners.any()
    assert examples.outcomes.all()


def test_positions_without_a_policy():
    of = game("connect4:4x5")
    bare = episodes(of, 1)[0]
    bare = bare._replace(policies=np.zeros((len(bare.rows), 0), np.float32))
    assert not filled(of, [bare]).draw(np.random.default_rng(1), 9).policies.any()
    lean = filled(of, [bare, *episodes(of, 2)], has_policy=False)
    examples = lean.draw(np.random.default_rng(1), 9)
    assert not examples.policies.any()
    assert examples.policies.shape == (9, of.num_actions)
    assert examples.legal.any(1).all()
    assert lean.bytes_per_position == filled(of, []).bytes_per_position - 2 * of.num_actions


@pytest.mark.parametrize("seed", range(6))
def test_the_newest_positions_stay(seed):
    of, chance = game("tictactoe"), Random(seed)
    most, several = chance.randrange(1, 60), episodes(game("tictactoe"), 30, seed, share=0.6)
    window, values = Window(of, replay(positions=most)), []
    for episode in several:
        assert window.add(episode) == len(episode.rows)
        values = [*values, *episode.root_values][-most:]
        assert row_numbers(window).tolist() == values
        assert len(window) == len(values)


@pytest.mark.parametrize("most", [1, 2, 7, 100])
def test_the_newest_games_stay(most):
    window, several = Window(game("tictactoe"), replay(games=most)), episodes(game("tictactoe"), 12)
    for count, episode in enumerate(several, 1):
        window.add(episode)
        kept = several[max(count - most, 0) : count]
        assert row_numbers(window).tolist() == [value for one in kept for value in one.root_values]
        assert window.games == len(kept)


@pytest.mark.parametrize("most", [1, 3, 100])
def test_the_newest_iterations_stay(most):
    window, several = Window(game("tictactoe"), replay(iterations=most)), episodes(game("tictactoe"), 12)
    for count, episode in enumerate(several, 1):
        window.add(episode)
        kept = [one for one in several[:count] if one.iteration > episode.iteration - most]
        assert row_numbers(window).tolist() == [value for one in kept for value in one.root_values]


def test_memory_stops_growing():
    of = game("connect4:4x5")
    window, sizes = Window(of, replay(positions=3000)), []
    for episode in episodes(of, 20) * 30:
        window.add(episode)
        sizes.append(len(window._rows.states))
    assert len(window) == 3000
    assert sizes[-1] == sizes[-300]
    assert sizes[-1] * window.bytes_per_position == sum(column.nbytes for column in window._rows)
    assert sizes[-1] <= 1.5 * (3000 + of.max_plies)


def test_a_window_filled_again_from_files_draws_the_same(tmp_path):
    of = game("othello:4")
    several = episodes(of, 40)
    log = Log(tmp_path / "a.log", of)
    log.append(several)
    settings = replay("random", positions=120)
    old, new = filled(of, several, settings), filled(of, log.read().episodes[-25:], settings)
    for one, other in zip(
        old.draw(np.random.default_rng(3), 200), new.draw(np.random.default_rng(3), 200), strict=True
    ):
        assert np.array_equal(one, other)


@pytest.mark.parametrize(("augment", "images"), [("none", 1), ("random", 1), ("all", 8)])
def test_an_epoch_has_every_example_once(augment, images):
    window = filled(game("tictactoe"), episodes(game("tictactoe"), 10), replay(augment))
    batches = list(window.epoch(np.random.default_rng(1), 16))
    sizes = [len(batch.outcomes) for batch in batches]
    assert sum(sizes) == window.num_examples == images * len(window)
    assert max(sizes) <= 16
    assert min(sizes) >= max(sizes) - 1
    values, counts = np.unique(np.concatenate([batch.root_values for batch in batches]), return_counts=True)
    assert len(values) == len(window)
    assert set(counts) == {images}


def test_random_images_are_all_drawn_evenly():
    of = game("tictactoe")
    whole = episodes(of, 1)[0]
    second = whole._replace(rows=whole.rows[1:2], policies=whole.policies[1:2], root_values=whole.root_values[1:2])
    window = filled(of, [second], replay("random"))
    planes = window.draw(np.random.default_rng(1), 8000).planes.reshape(8000, -1)
    kinds, counts = np.unique(planes, axis=0, return_counts=True)
    assert len(kinds) in (1, 4)
    assert counts.min() > 0.9 * 8000 / len(kinds)


def test_positions_are_different_ones():
    window = filled(game("gomoku:5"), episodes(game("gomoku:5"), 4)[1:], replay("random"))
    count = len(window)
    planes = window.positions(np.random.default_rng(1), 10_000)
    assert len(planes) == count
    assert window.positions(np.random.default_rng(1), 5).shape == (5, 2, 5, 5)
    assert len(window.positions(np.random.default_rng(1), 0)) == 0


def test_nothing_to_learn_from():
    window = filled(game("tictactoe"), [])
    with pytest.raises(MeepleError, match="no positions"):
        window.draw(np.random.default_rng(1), 5)
    assert list(window.epoch(np.random.default_rng(1), 5)) == []
    assert len(window.positions(np.random.default_rng(1), 5)) == 0


def test_owners_need_players_who_see_the_same_board():
    with pytest.raises(MeepleError, match="owners cannot be learned in hex:4"):
        Window(game("hex:4"), replay(), has_owners=True)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"actions": np.array([0, 0], np.int32), "is_complete": False}, "ply 1 breaks the rules"),
        ({"actions": np.array([99], np.int32), "is_complete": False}, "ply 0 breaks the rules"),
        ({"actions": np.array([-1], np.int32), "is_complete": False}, "ply 0 breaks the rules"),
        ({"rows": np.array([2, 1], np.int32)}, "ascending"),
        ({"rows": np.array([-1, 1], np.int32)}, "ascending"),
        ({"rows": np.array([1, 99], np.int32)}, "ascending"),
        ({"result": 3}, "ended with"),
    ],
)
def test_an_episode_that_breaks_the_rules(change, told):
    of = game("tictactoe")
    whole = next(one for one in episodes(of, 20) if one.result != 3)
    rows = np.array([0, 1], np.int32)
    wrong = whole._replace(rows=rows, policies=whole.policies[:2], root_values=whole.root_values[:2])
    wrong = wrong._replace(**change)
    window = filled(of, [])
    with pytest.raises(MeepleError, match=told):
        window.add(wrong)
    assert len(window) == 0


def test_the_end_of_a_game_is_not_learned():
    of = game("tictactoe")
    whole = episodes(of, 1)[0]
    with pytest.raises(MeepleError, match="breaks the rules"):
        filled(of, [whole._replace(rows=whole.rows + 1)])
