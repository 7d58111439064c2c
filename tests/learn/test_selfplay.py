"""Self-play: legal games, right results, and games that do not depend on what is played beside them."""

import threading

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.games.rules import FIRST_WON, RESULT, SECOND_WON
from meeple.learn.recipe import Search, SelfPlay
from meeple.learn.selfplay import Worker, settings
from meeple.learn.starts import Start
from meeple.search.alphabeta import alphabeta
from meeple.search.cache import CachedEvaluator
from meeple.search.engine import Engine
from meeple.search.evaluator import Evaluation, RolloutEvaluator, UniformEvaluator

SMALL = ("tictactoe", "connect4:4x4", "dots:2x2", "hex:3", "othello:4", "go:3")


class Constant:
    """Every position is worth the same, and every move alike."""

    def __init__(self, of, value=0.0):
        self.of, self.value = of, value

    def evaluate(self, positions):
        count = len(positions.planes)
        return Evaluation(np.zeros((count, self.of.num_actions), np.float32), np.full(count, self.value, np.float32))


def play(of, search=None, plan=None, *, games=20, evaluator=None, starts=None, **options):
    worker = Worker(of, search or Search(simulations=12), plan or SelfPlay(), memory_mb=50)
    episodes = []
    starts = starts or [Start(number, 1000 + number, 3) for number in range(games)]
    worker.play(iter(starts), evaluator or RolloutEvaluator(of, seed=5), episodes.append, **options)
    return sorted(episodes, key=lambda episode: episode.number)


def end(of, episode):
    position = of.start()
    for action in episode.actions.tolist():
        assert action in position.actions
        position = position.play_action(action)
    return position


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("engine", ["gumbel", "puct"])
@pytest.mark.parametrize("stops", [True, False])
def test_games_are_legal_and_their_results_true(name, engine, stops):
    of = game(name)
    search = Search(engine=engine, simulations=16, fast_simulations=4, full_share=0.5)
    episodes = play(of, search, SelfPlay(temperature_plies=3, stop_when_proven=stops))
    assert [episode.number for episode in episodes] == list(range(20))
    for episode in episodes:
        last = end(of, episode)
        assert episode.is_complete == (last.result is not None)
        if episode.is_complete:
            assert episode.result == last.state[RESULT]
        else:
            assert stops
            value = round(alphabeta(last, depth=40).value) * (1 if last.to_move == 0 else -1)
            assert value == {FIRST_WON: 1, SECOND_WON: -1}.get(episode.result, 0)
    assert stops or all(episode.is_complete for episode in episodes)
    assert len({episode.actions.tobytes() for episode in episodes}) > 5


@pytest.mark.parametrize("engine", ["gumbel", "puct"])
def test_recorded_policies_are_over_legal_moves(engine):
    of = game("othello:4")
    search = Search(engine=engine, simulations=20, fast_simulations=4, full_share=0.4)
    recorded = moves = 0
    for episode in play(of, search, games=40):
        position, rows = of.start(), dict(zip(episode.rows.tolist(), episode.policies, strict=True))
        for ply, action in enumerate([*episode.actions.tolist(), None]):
            if ply in rows:
                assert rows[ply].sum() == pytest.approx(1, abs=1e-5)
                assert set(np.flatnonzero(rows[ply])) <= set(position.actions)
            if action is not None:
                position = position.play_action(action)
        recorded, moves = recorded + len(episode.rows), moves + len(episode.actions)
        assert (np.abs(episode.root_values) <= 1).all()
    assert 0.25 < recorded / moves < 0.6


@pytest.mark.parametrize("engine", ["gumbel", "puct"])
@pytest.mark.parametrize("is_cached", [True, False])
def test_a_game_does_not_depend_on_those_beside_it(engine, is_cached):
    of = game("connect4:5x5")
    search = Search(engine=engine, simulations=16, fast_simulations=4, full_share=0.5)

    def evaluator():
        plain = RolloutEvaluator(of, seed=5)
        return CachedEvaluator(of, Constant(of), memory_mb=1) if is_cached else plain

    one, many = (
        play(of, search, SelfPlay(parallel=parallel, temperature_plies=4), evaluator=evaluator())
        for parallel in (1, 16)
    )
    for left, right in zip(one, many, strict=True):
        assert left.actions.tolist() == right.actions.tolist()
        assert left.policies.tobytes() == right.policies.tobytes()
        assert left.root_values.tobytes() == right.root_values.tobytes()


def test_without_chance_all_games_are_one():
    of = game("connect4:4x4")
    episodes = play(of, Search(simulations=16, gumbel_noise=0.0), evaluator=Constant(of))
    assert len({episode.actions.tobytes() for episode in episodes}) == 1


@pytest.mark.parametrize("name", ["connect4", "dots:2x2", "hex:4"])
def test_the_policy_is_that_of_the_engine(name):
    assert_policies_of_engine(game(name), Search(simulations=24, gumbel_noise=0.0))


@pytest.mark.parametrize("name", ["dots:2x2", "othello:4"])
def test_by_the_wrong_rule_every_search_begins_with_the_right_player(name):
    search = Search(engine="puct", simulations=24, noise=0.0, turns="alternating", peek=False, solve=False)
    assert_policies_of_engine(game(name), search)


def assert_policies_of_engine(of, search):
    """A game's policies are those that an engine finds in its positions, each searched from nothing."""
    evaluator = RolloutEvaluator(of, seed=5)
    episode = play(of, search, games=1)[0]
    engine = Engine(of, evaluator, settings(search, 50))
    position, actions = of.start(), iter(episode.actions.tolist())
    for ply, policy in zip(episode.rows, episode.policies, strict=True):
        while position.plies < ply:
            position = position.play_action(next(actions))
        found = engine.analyse(position, simulations=24).policy
        expected = {of.action(move): share for move, share in found.items()}
        assert {action: policy[action] for action in expected} == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("may_resign", [True, False])
def test_giving_up(may_resign):
    of = game("hex:4")
    search = Search(simulations=8, solve=False, engine="puct", noise=0.0)
    plan = SelfPlay(resign_below=-0.9)
    starts = [Start(number, number, 0, may_resign=may_resign) for number in range(4)]
    for episode in play(of, search, plan, evaluator=Constant(of, -1.0), starts=starts):
        # to each player it looks lost, and so does every reply to the opponent: values cancel but for the root's own
        assert episode.is_complete == (len(episode.actions) > 0 and end(of, episode).result is not None)
        if not may_resign:
            assert episode.is_complete


def test_who_gives_up_loses():
    class Gloomy(Constant):
        """The second player is lost wherever he is."""

        def evaluate(self, positions):
            found = super().evaluate(positions)
            return found._replace(values=np.where(positions.states[:, 0] == 1, -1, 1).astype(np.float32))

    of = game("hex:4")
    plan = SelfPlay(resign_below=-0.9, stop_when_proven=False)
    for episode in play(of, plan=plan, evaluator=Gloomy(of), starts=[Start(1, 1, 0, may_resign=True)]):
        assert (episode.result, len(episode.actions), episode.is_complete) == (FIRST_WON, 1, False)


def test_nothing_but_random_moves():
    of = game("dots:2x2")
    episodes = play(of, games=60, randomness=1.0)
    assert all(len(episode.rows) == 0 and episode.is_complete for episode in episodes)
    assert len({episode.actions[0] for episode in episodes}) == of.num_actions


def test_openings_are_played():
    of = game("connect4")
    for episode in play(of, starts=[Start(1, 1, 0, opening=(3, 3, 2)), Start(2, 2, 0, opening=(0, 1))]):
        assert episode.actions[: episode.opening_plies].tolist() == [[3, 3, 2], [0, 1]][episode.number - 1]
        assert episode.rows[0] >= episode.opening_plies


def test_it_stops_when_told():
    stop = threading.Event()
    stop.set()
    assert play(game("connect4"), stop=stop) == []


def test_the_uniform_evaluator_takes_its_short_cut():
    of = game("connect4:4x4")
    for episode in play(of, evaluator=UniformEvaluator(of)):
        end(of, episode)


def test_early_moves_are_drawn_by_temperature():
    of = game("connect4")
    search = Search(simulations=8, gumbel_noise=0.0, max_considered=7)
    first = [play(of, search, SelfPlay(temperature=t, temperature_plies=1), evaluator=Constant(of)) for t in (0.0, 1.0)]
    distinct = [len({int(episode.actions[0]) for episode in episodes}) for episodes in first]
    assert distinct[0] == 1
    assert distinct[1] > 3


def test_noise_of_puct_differs_by_game():
    of = game("connect4")
    search = Search(engine="puct", simulations=20, noise=0.9, noise_alpha=0.3)
    episodes = play(of, search, SelfPlay(temperature=0.0), evaluator=Constant(of))
    assert len({episode.policies[0].tobytes() for episode in episodes}) > 10
