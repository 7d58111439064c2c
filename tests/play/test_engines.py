"""Players that search: their specs, their chances, many positions at once, and the moves they choose by chance."""

from collections import Counter
from random import Random

import pytest

import meeple
from meeple.errors import PlayerError
from meeple.play.engines import BATCH, BatchSearchPlayer
from meeple.play.openings import random_opening

SPECS = (
    "mcts:50", "mcts:50?c=0.7&rollouts=2", "mcts:50?threads=2&memory=8", "mcts:20?turns=alternating&solve=0",
    "puct:30", "puct:30?evaluator=rollout", "puct:30?noise=0.25&leaves=4&temperature=1",
    "puct:20?fpu=0&c=3&turns=alternating&solve=0", "gumbel:16", "gumbel:16?evaluator=rollout&rollouts=3&considered=4",
)  # fmt: skip
GAMES = ("tictactoe", "connect4:4x5", "othello:4", "hex:3?swap=1", "go:3", "dots:2x2")


def positions_of(name, count, seed=1):
    chance = Random(seed)
    return [random_opening(meeple.game(name), chance.randrange(5), chance) for _ in range(count)]


@pytest.mark.parametrize("spec", SPECS)
def test_every_spec_plays_legal_games_that_repeat(spec):
    for name in GAMES:
        found = []
        for _ in range(2):
            player = meeple.player(spec, name, seed=3)
            player.begin(4)
            position = meeple.game(name).start()
            while position.result is None:
                move = player.choose(position)
                assert move in position.moves
                position = position.play(move)
            found.append(position.history)
        assert found[0] == found[1]


@pytest.mark.parametrize("spec", SPECS)
def test_a_game_does_not_depend_on_those_before(spec):
    start = meeple.game("dots:2x2").start()
    used, fresh = (meeple.player(spec, "dots:2x2", seed=seed) for seed in (1, 2))
    used.choose(start)
    found = []
    for player in (used, fresh):
        player.begin(7)
        position = start
        while position.result is None:
            position = position.play(player.choose(position))
        found.append(position.history)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("mcts", "'mcts' needs a number of simulations or a time, as in mcts:1000 or mcts.time=2s"),
        ("puct?c=1", "needs a number of simulations or a time"),
        ("mcts:0", "the number of simulations is a whole number from 1"),
        ("mcts:many", "the number of simulations is"),
        ("mcts:-5", "the number of simulations is"),
        ("mcts:9?threads=0", "threads is a whole number from 1 to"),
        ("mcts:9?noise=1", "has no option 'noise'"),
        ("puct:9?threads=2", "has no option 'threads'"),
        ("puct:9?evaluator=oracle", "evaluator is uniform or rollout, not 'oracle'"),
        ("gumbel:9?temprature=1", "did you mean temperature"),
    ],
)
def test_says_what_is_wrong_with_a_spec(spec, fault):
    with pytest.raises(PlayerError, match=fault):
        meeple.player(spec, "tictactoe")


def test_a_time_and_a_number_end_a_search_by_whichever_is_first():
    start = meeple.game("connect4").start()
    assert meeple.player("mcts:100?time=60s", "connect4").analyse(start).simulations == 100
    assert meeple.player("mcts:1M?time=50ms", "connect4").analyse(start).simulations < 10**6
    assert meeple.player("puct:100?time=60s", "connect4").analyse(start).simulations == 100
    assert meeple.player("puct?time=50ms&memory=8", "connect4").analyse(start).simulations > 0


def test_a_gumbel_player_without_a_number_says_so():
    player = meeple.player("gumbel?time=1s", "connect4")
    with pytest.raises(PlayerError, match="needs a number of simulations"):
        player.choose(meeple.game("connect4").start())


@pytest.mark.parametrize(
    "spec", ["puct:20", "puct:20?noise=0.3&temperature=1", "gumbel:16", "gumbel:16?temperature=0.5"]
)
@pytest.mark.parametrize("name", ["connect4:4x5", "dots:2x2", "othello:4"])
def test_many_at_once_choose_as_one_by_one(spec, name):
    positions, seeds = positions_of(name, BATCH + 7), list(range(BATCH + 7))
    player = meeple.player(spec, name, seed=1)
    together = player.choose_many(positions, seeds)
    assert together == player.choose_many(positions, seeds)
    other = meeple.player(spec, name, seed=2)
    apart = [other.choose_many([position], [seed])[0] for position, seed in zip(positions, seeds, strict=True)]
    assert together == apart
    backwards = other.choose_many(positions[::-1], seeds[::-1])
    assert together == backwards[::-1]
    assert all(move in position.moves for move, position in zip(together, positions, strict=True))


@pytest.mark.parametrize("spec", ["puct:20?evaluator=rollout", "gumbel:16?evaluator=rollout"])
def test_random_games_depend_on_the_seed_of_a_position_alone(spec):
    positions, seeds = positions_of("dots:2x2", 12), list(range(12))
    player = meeple.player(spec, "dots:2x2", seed=1)
    together = player.choose_many(positions, seeds)
    assert together == player.choose_many(positions, seeds)
    assert together == [player.choose_many([one], [seed])[0] for one, seed in zip(positions, seeds, strict=True)]


def test_no_positions_need_no_moves():
    assert meeple.player("puct:20", "hex:3").choose_many([], []) == []


def test_a_temperature_spreads_the_moves_and_drops():
    start = meeple.game("connect4").start()
    warm = meeple.player("puct:60?temperature=1", "connect4")
    assert isinstance(warm, BatchSearchPlayer)
    chosen = Counter(warm.choose_many([start] * 60, range(60)))
    assert len(chosen) > 3
    late = meeple.player("puct:60?temperature=1&temperature_plies=2", "connect4")
    assert len(set(late.choose_many([start] * 30, range(30)))) > 2
    assert len(set(late.choose_many([start.play_all("44")] * 30, range(30)))) == 1


@pytest.mark.parametrize("spec", ["mcts:400", "puct:400?temperature=1", "gumbel:200?temperature=1"])
def test_a_proven_win_is_played_whatever_the_temperature(spec):
    position = meeple.game("connect4").read("112233")
    for seed in range(6):
        player = meeple.player(spec, "connect4", seed=seed)
        assert player.choose(position) == "4"


def test_an_analysis_tells_visits_values_policy_and_line():
    position = meeple.game("tictactoe").read("b2 a1")
    analysis = meeple.player("mcts:3000", "tictactoe", seed=1).analyse(position)
    assert set(analysis.visits) == set(analysis.policy) == set(position.moves)
    assert sum(analysis.policy.values()) == pytest.approx(1)
    assert analysis.move == analysis.line[0]
