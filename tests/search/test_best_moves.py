"""The policy of a search with an evaluator and the move to play after it, beside plain Python."""

from random import Random

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search.analysis import best_candidate
from meeple.search.engine import Engine
from meeple.search.evaluator import RolloutEvaluator
from meeple.search.settings import Settings
from reference.gumbel import improved_policy, scaled_values


class Root:
    """What the arrays of a Gumbel search and its analysis have of a root, in the order of its children."""

    def __init__(self, engine, analysis, tree):
        trees, candidates = engine._trees, {candidate.move: candidate for candidate in analysis.candidates}
        first, row = int(trees.forest.first_child[tree * trees.capacity]), tree * engine.game.num_actions
        actions = trees.forest.action[first : first + len(candidates)]
        self.children = [candidates[engine.game.names[action]] for action in actions]
        self.scores = trees.roots.scores[row : row + len(self.children)]
        visits, values, self.priors = (
            np.array([getattr(one, name) for one in self.children]) for name in ("visits", "value", "prior")
        )
        raw = float(trees.forest.raw[tree * trees.capacity])
        self.scaled = scaled_values(self.priors, values, visits, raw, value_scale=0.1, visit_offset=50.0)
        self.visits = visits

    def best(self):
        """The most visited move that is not lost with the highest noise, logit and value."""
        hopeful = [index for index, one in enumerate(self.children) if one.proven != -1]
        most = max(self.visits[index] for index in hopeful)
        scores = self.scores + self.scaled
        chosen = max((index for index in hopeful if self.visits[index] == most), key=lambda index: scores[index])
        return self.children[chosen].move

    def policy(self):
        """The share of each move: of those that win at once, if there are any."""
        wins = [one.proven == 1 for one in self.children]
        is_lost = np.array([one.proven == -1 for one in self.children])
        shares = np.array(wins) / sum(wins) if any(wins) else improved_policy(self.priors, self.scaled, is_lost)
        return {one.move: share for one, share in zip(self.children, shares.tolist(), strict=True)}


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
            expected = best_candidate(analysis.candidates).move if is_plain else Root(engine, analysis, tree).best()
            assert found[tree] == analysis.move == expected
            if kind == "gumbel":
                assert analysis.policy == pytest.approx(Root(engine, analysis, tree).policy(), abs=1e-4)
