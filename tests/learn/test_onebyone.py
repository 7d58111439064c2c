"""Games one after the other: what is learned from where moves are random, and how the first games explore."""

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.games.rules import FIRST_WON
from meeple.learn.onebyone import Soloist
from meeple.learn.players import Players
from meeple.learn.recipe import SelfPlay
from meeple.learn.recipes import load
from meeple.learn.starts import Start
from meeple.search.evaluator import UniformEvaluator
from meeple.search.lookahead import Lookahead


class Analyser:
    """A lookahead that begins anew for every game."""

    def __init__(self, of):
        self.analyse = Lookahead(of, UniformEvaluator(of), 1).analyse

    def begin(self, seed):
        pass


def play(of, randomness, *, has_policy=False, opening=()):
    soloist = Soloist(of, Analyser(of), SelfPlay(stop_when_proven=False), has_policy=has_policy)
    episodes = []
    starts = (Start(number, 100 + number, 0, opening=opening) for number in range(20))
    soloist.play(starts, episodes.append, randomness=randomness)
    return episodes


@pytest.mark.parametrize("name", ["tictactoe", "dots:2x2"])
@pytest.mark.parametrize("randomness", [0.0, 0.5, 1.0])
def test_without_a_policy_every_position_is_learned_from(name, randomness):
    for episode in play(game(name), randomness, opening=(0, 1)):
        assert episode.rows.tolist() == list(range(2, len(episode.actions)))


def test_where_nothing_was_searched_the_end_is_the_root_value():
    of, won = game("dots:2x2"), 0
    for episode in play(of, 1.0):
        position, movers = of.start(), []
        for action in episode.actions.tolist():
            movers.append(position.to_move)
            position = position.play_action(action)
        sides = [1 if episode.result == FIRST_WON + mover else -1 for mover in movers]
        assert episode.root_values.tolist() == (sides if position.result else [0] * len(sides))
        won += position.result != 0
    assert won


def test_with_a_policy_only_searches_are_learned_from():
    rows = [len(episode.rows) / len(episode.actions) for episode in play(game("tictactoe"), 0.5, has_policy=True)]
    assert 0.3 < np.mean(rows) < 0.7
    assert not any(len(episode.rows) for episode in play(game("tictactoe"), 1.0, has_policy=True))


def visits(first_c):
    recipe = load("fast", "connect4", [f"self_play.first_c={first_c}", "self_play.first_simulations=400"])
    players = Players(game("connect4"), recipe, 1, runtime="onnxruntime", precision="fp32")
    episodes = []
    players.first(0.0)[0](iter([Start(0, 1, 0)]), episodes.append, None)
    return episodes[0].policies[0]


def test_first_games_explore_as_told():
    assert visits(0.2).max() > visits(1.4).max() > visits(50).max()
    assert visits(50).max() < 0.2
