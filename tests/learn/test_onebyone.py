"""Games one by one: what they record, and that chance comes from the seed alone."""

import threading

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.games.rules import DRAWN, FIRST_WON, SECOND_WON
from meeple.learn.onebyone import Soloist
from meeple.learn.recipe import Replay, SelfPlay
from meeple.learn.recipes import load
from meeple.learn.replay import Window
from meeple.learn.starts import Start, after
from meeple.learn.workers import Workers
from meeple.search.evaluator import RolloutEvaluator
from meeple.search.lookahead import Lookahead
from meeple.search.uct import Uct


class Rollouts:
    def __init__(self, of):
        self.engine = Uct(of, memory_mb=1)
        self.begin = self.engine.begin

    def analyse(self, position):
        return self.engine.analyse(position, simulations=30)


class Ahead:
    def __init__(self, of):
        self.analyse = Lookahead(of, RolloutEvaluator(of, rollouts=3), 1).analyse

    def begin(self, seed):
        pass


def played(of, analyser, plan, *, has_policy, numbers=range(20), **options):
    found = []
    starts = iter([Start(number, 50 + number, 2, (0, 1)) for number in numbers])
    Soloist(of, analyser, plan, has_policy=has_policy).play(starts, found.append, **options)
    return found


@pytest.mark.parametrize("name", ["mnk:3x3x3", "dots:2x2", "connect4:4x4"])
@pytest.mark.parametrize("stops", [True, False])
def test_games_by_rollouts(name, stops):
    of = game(name)
    plan = SelfPlay(temperature_plies=4, stop_when_proven=stops)
    episodes = played(of, Rollouts(of), plan, has_policy=True)
    window = Window(of, Replay(positions=10_000))
    for number, episode in enumerate(episodes):
        assert (episode.number, episode.seed, episode.opening_plies) == (number, 50 + number, 2)
        assert episode.rows.tolist() == list(range(2, len(episode.actions) + (0 if episode.is_complete else 1)))
        assert np.allclose(episode.policies.sum(axis=1), 1, atol=1e-5)
        assert window.add(episode) == len(episode.rows)
    assert stops or all(episode.is_complete for episode in episodes)
    assert len({episode.actions.tobytes() for episode in episodes}) > 3
    again = played(of, Rollouts(of), plan, has_policy=True, numbers=[7])
    assert again[0].actions.tolist() == episodes[7].actions.tolist()
    assert again[0].policies.tobytes() == episodes[7].policies.tobytes()


def test_where_values_are_learned_every_position_is():
    """A position that nobody searched is worth what the game came to, to the player to move in it."""
    of = game("dots:2x2")
    plan = SelfPlay(stop_when_proven=False)
    for episode in played(of, Ahead(of), plan, has_policy=False, randomness=1.0):
        assert episode.rows.tolist() == list(range(2, len(episode.actions)))
        assert episode.policies.shape == (len(episode.rows), 0)
        for ply, value in zip(episode.rows.tolist(), episode.root_values.tolist(), strict=True):
            mover = after(of, episode.actions[:ply].tolist()).to_move
            winner = {FIRST_WON: 0, SECOND_WON: 1, DRAWN: None}[episode.result]
            assert value == (0 if winner is None else 1 if winner == mover else -1)
    for episode in played(of, Ahead(of), plan, has_policy=False, randomness=0.5):
        assert episode.rows.tolist() == list(range(2, len(episode.actions)))


def test_where_policies_are_learned_random_moves_are_not():
    of = game("mnk:3x3x3")
    for episode in played(of, Rollouts(of), SelfPlay(), has_policy=True, randomness=1.0):
        assert episode.is_complete
        assert len(episode.rows) == 0


def test_it_stops_when_told():
    of, stop = game("mnk:3x3x3"), threading.Event()
    stop.set()
    assert played(of, Rollouts(of), SelfPlay(), has_policy=True, stop=stop) == []


def visits(first_c):
    recipe = load("fast", "connect4", [f"self_play.first_c={first_c}", "self_play.first_simulations=400"])
    workers = Workers(game("connect4"), recipe, 1, runtime="onnxruntime", precision="fp32")
    episodes = []
    workers.first(0.0)[0](iter([Start(0, 1, 0)]), episodes.append, None)
    return episodes[0].policies[0]


def test_first_games_explore_as_told():
    assert visits(0.2).max() > visits(1.4).max() > visits(50).max()
    assert visits(50).max() < 0.2


def test_the_trees_of_first_games_count_as_memory():
    recipes = [load("fast", "connect4", [f"self_play.first_games={games}"]) for games in (0, 9)]
    without, with_trees = (Workers(game("connect4"), recipe, 2, runtime="", precision="") for recipe in recipes)
    assert with_trees.memory_mb == without.memory_mb + 2 * 64
