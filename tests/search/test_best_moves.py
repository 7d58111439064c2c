"""The move to play after a search with an evaluator, beside plain Python."""

from random import Random

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search.analysis import best_candidate
from meeple.search.engine import Engine
from meeple.search.evaluator import RolloutEvaluator
from meeple.search.gumbel import scaled_values
from meeple.search.settings import Settings


def best_by_score(engine, analysis, tree):
    """The most visited move that is not lost with the highest noise, logit and value, in plain Python."""
    trees, candidates = engine._trees, {candidate.move: candidate for candidate in analysis.candidates}
    first, row = int(trees.forest.first_child[tree * trees.capacity]), tree * engine.game.num_actions
    ordered = [
        candidates[engine.game.names[trees.forest.action[first + index]]] for index in range(len(analysis.candidates))
    ]
    visits, values, priors = (
        np.array([getattr(one, name) for one in ordered]) for name in ("visits", "value", "prior")
    )
    raw = float(trees.forest.raw[tree * trees.capacity])
    scaled = scaled_values(priors, values, visits, raw, value_scale=0.1, visit_offset=50.0)
    scores = trees.roots.scores[row : row + len(ordered)] + scaled
    hopeful = [index for index, one in enumerate(ordered) if one.proven != -1]
    most = max(visits[index] for index in hopeful)
    return ordered[max((index for index in hopeful if visits[index] == most), key=lambda index: scores[index])].move


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x5", "dots:2x2", "othello:4", "hex:3?swap=1", "go:3"])
def test_the_best_moves_are_those_that_plain_python_finds(name, kind):
    of, chance = game(name), Random(5)
    chosen = Settings(engine=kind, max_considered=min(8, of.num_actions))
    engine = Engine(of, RolloutEvaluator(of), chosen, trees=16, seed=2)
    for simulations in (1, 2, 7, 20, 90):
        positions = [random_opening(of, chance.randrange(of.max_plies - 2), chance) for _ in range(16)]
        positions = [position for position in positions if position.result is None]
        done = engine.grow(positions, simulations)
        found = engine.best_moves(len(positions))
        for tree in range(len(positions)):
            analysis = engine.analysis(tree, int(done[tree]), 0.0)
            is_plain = kind == "puct" or analysis.proven is not None or not any(analysis.visits.values())
            expected = best_candidate(analysis.candidates).move if is_plain else best_by_score(engine, analysis, tree)
            assert found[tree] == analysis.move == expected
