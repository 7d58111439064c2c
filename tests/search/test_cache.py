"""The evaluation cache: what it finds, that it finds the right thing, and that it stays small."""

import zlib
from random import Random

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search.cache import CachedEvaluator, seen_actions
from meeple.search.engine import Engine
from meeple.search.evaluator import FunctionEvaluator, Positions, RolloutEvaluator
from meeple.search.settings import Settings

SYMMETRIC = (
    "tictactoe", "mnk:4x3x3", "mnk:4x4x3", "gomoku:5", "connect4:4x5", "othello:4", "othello:6", "hex:3", "hex:4",
    "hex:3?swap=1", "go:3", "go:4", "dots:1x2", "dots:2x2", "dots:2x3",
)  # fmt: skip


def batch(*positions):
    return Positions(np.array([one.state for one in positions]), np.array([one.planes for one in positions]))


def positions_of(of, count, seed=1):
    chance = Random(seed)
    most = min(8, of.max_plies - 2)
    return [random_opening(of, chance.randrange(most), chance) for _ in range(count)]


def image(position, symmetry):
    """The position that the images of its moves lead to."""
    found = position.game.start()
    for move in position.history:
        found = found.play_action(int(symmetry.actions[position.game.action(move)]))
    return found


def equivariant(of):
    """A function that gives images of positions the images of its logits: the mean over all symmetries."""

    def raw(planes):
        chance = np.random.default_rng(zlib.crc32(planes.tobytes()))
        return chance.normal(size=of.num_actions), chance.uniform(-1, 1)

    def function(planes):
        logits, values = np.zeros((len(planes), of.num_actions)), np.zeros(len(planes))
        for row, one in enumerate(planes):
            for symmetry in of.symmetries:
                found, value = raw(np.ascontiguousarray(one.ravel()[symmetry.planes]))
                logits[row] += found[seen_actions(of, symmetry.actions)]
                values[row] += value / len(of.symmetries)
        return np.round(logits, 4), np.round(values, 4)

    return function


class Counting:
    """Counts the evaluations, and gives every one another value."""

    def __init__(self, of):
        self.of, self.count = of, 0

    def evaluate(self, positions):
        count = len(positions.states)
        numbers = self.count + np.arange(count)
        self.count += count
        logits = numbers[:, None] + np.arange(self.of.num_actions)[None] / 1000
        return FunctionEvaluator(self.of, lambda planes: (logits, numbers / 1e6)).evaluate(positions)


@pytest.mark.parametrize("name", [*SYMMETRIC, "othello", "hex", "hex?swap=1", "go", "dots", "connect4"])
def test_both_players_see_the_same_permutations(name):
    """What a cache keeps for one player's planes serves the other's."""
    of = game(name)
    for symmetry in of.symmetries:
        view = of.views[1]
        seen = np.empty_like(view)
        seen[view] = view[symmetry.actions]
        assert seen.tolist() == seen_actions(of, symmetry.actions).tolist()


@pytest.mark.parametrize("name", SYMMETRIC)
def test_images_of_a_position_are_found(name):
    of = game(name)
    for position in positions_of(of, 6):
        cache = CachedEvaluator(of, FunctionEvaluator(of, equivariant(of)), memory_mb=1)
        for symmetry in of.symmetries:
            other = image(position, symmetry)
            found = cache.evaluate(batch(other))
            logits, values = equivariant(of)(batch(other).planes)
            assert found.logits == pytest.approx(logits, abs=2e-4)
            assert found.values == pytest.approx(values, abs=2e-4)
        assert (cache.asked, cache.found) == (len(of.symmetries), len(of.symmetries) - 1)


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_a_search_is_the_same_with_and_without_a_cache(name, kind):
    of = game(name)
    plain = FunctionEvaluator(of, equivariant(of))
    cache = CachedEvaluator(of, plain, memory_mb=4)
    for position in positions_of(of, 2, seed=3):
        one, other = (
            Engine(of, evaluator, Settings(engine=kind, peek=False), seed=2).analyse(position, simulations=60)
            for evaluator in (plain, cache)
        )
        assert one.visits == other.visits
        assert [candidate.value for candidate in one.candidates] == pytest.approx(
            [candidate.value for candidate in other.candidates], abs=1e-4
        )
    assert cache.asked > 30


def test_what_was_asked_is_not_asked_again():
    of = game("connect4")
    counting = Counting(of)
    cache = CachedEvaluator(of, counting)
    some = batch(*{one.state.tobytes(): one for one in positions_of(of, 20)}.values())
    first = cache.evaluate(some)
    asked = counting.count
    again = cache.evaluate(some)
    assert counting.count == asked
    assert (cache.asked, cache.found) == (2 * len(some.states), len(some.states))
    assert len(np.unique(first.values)) == len(some.states)
    assert len(np.unique(again.values)) <= asked


def test_some_of_a_batch_may_be_known():
    of = game("othello:6")
    cache = CachedEvaluator(of, FunctionEvaluator(of, equivariant(of)))
    positions = positions_of(of, 9, seed=5)
    cache.evaluate(batch(*positions[:4]))
    found = cache.evaluate(batch(*positions))
    logits, values = equivariant(of)(batch(*positions).planes)
    assert found.logits == pytest.approx(logits, abs=2e-4)
    assert found.values == pytest.approx(values, abs=2e-4)
    assert cache.found >= 4


def test_forget_empties_it():
    of = game("hex:4")
    counting = Counting(of)
    cache = CachedEvaluator(of, counting)
    start = batch(of.start())
    values = []
    for _ in range(2):
        cache.evaluate(start)
        values.append(float(cache.evaluate(start).values[0]))
        cache.forget()
    assert counting.count == 2
    assert values[0] != values[1]


@pytest.mark.parametrize("memory_mb", [0.0001, 0.01, 1])
def test_it_does_not_grow(memory_mb):
    of = game("connect4")
    cache = CachedEvaluator(of, FunctionEvaluator(of, equivariant(of)), memory_mb=memory_mb)
    arrays = cache._table[:3]
    size = sum(array.nbytes for array in arrays)
    assert size <= max(memory_mb * 2**20, 16 * (4 * 7 + 12))
    for seed in range(5):
        positions = positions_of(of, 40, seed)
        found = cache.evaluate(batch(*positions))
        assert found.logits == pytest.approx(equivariant(of)(batch(*positions).planes)[0], abs=2e-4)
    assert sum(array.nbytes for array in cache._table[:3]) == size


def test_begin_reaches_what_is_behind_the_cache():
    """A game does not depend on what was searched before it."""
    of = game("connect4")
    used, fresh = (
        Engine(of, CachedEvaluator(of, RolloutEvaluator(of, seed=seed)), Settings(engine="puct")) for seed in (1, 2)
    )
    used.analyse(of.start(), simulations=100)
    found = []
    for engine in (used, fresh):
        engine.begin(5)
        found.append(engine.analyse(of.start(), simulations=100).candidates)
    assert found[0] == found[1]
