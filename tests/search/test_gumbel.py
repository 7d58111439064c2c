"""Gumbel search beside mctx: the answers in golden/gumbel.json, found again by our kernels."""

import json
from pathlib import Path

import numpy as np
import pytest

from meeple.games.game import Game, Position
from meeple.search.engine import Engine
from meeple.search.evaluator import FunctionEvaluator
from meeple.search.settings import Settings

CASES = json.loads((Path(__file__).parents[1] / "golden" / "gumbel.json").read_text(encoding="utf-8"))
NOWHERE = -1
NUM_NODES = len(CASES[0]["players"])
NUM_ACTIONS = max(len(case["noise"]) for case in CASES)
CODES = {None: 0, 1: 1, -1: 2, 0: 3}
NODE = 3


def column(name):
    """A field of all nodes of all trees, one after the other."""
    return [entry for case in CASES for entry in case[name]]


def matrix(name, fill, dtype):
    """The same where each node has a row of actions."""
    rows = [row + [fill] * (NUM_ACTIONS - len(row)) for row in column(name)]
    return np.array(rows, dtype)


def walk():
    """One game for all trees: a state is a node, and the trees stand one after the other."""
    starts = np.repeat(np.arange(len(CASES)) * NUM_NODES, NUM_NODES)[:, None]
    leads_to = matrix("children", NOWHERE, np.int64)
    children = np.where(leads_to == NOWHERE, NOWHERE, leads_to + starts)
    players = np.array(column("players"), np.uint64)
    results = np.array([CODES[result] for result in column("results")], np.uint64)

    def setup(state):
        state[0] = players[0]

    def moves(state, actions):
        count = 0
        for action in range(NUM_ACTIONS):
            if children[np.int64(state[NODE]), action] >= 0:
                actions[count] = action
                count += 1
        return count

    def play(state, action):
        node = children[np.int64(state[NODE]), action]
        state[0], state[1], state[NODE] = players[node], results[node], np.uint64(node)
        state[2] += np.uint64(1)

    def observe(state, planes):
        planes[0] = state[NODE]

    return Game(
        "walk", setup=setup, moves=moves, play=play, observe=observe, num_words=4, shape=(1, 1, 1),
        num_actions=NUM_ACTIONS, max_plies=64,
    )  # fmt: skip


class Noise(np.random.Generator):
    """Chance that is known beforehand: rows of Gumbel noise, one for each tree."""

    def __init__(self, rows):
        super().__init__(np.random.PCG64(0))
        self._rows = iter(rows)

    def gumbel(self, *, size):
        row = next(self._rows)
        return np.array(row + [0.0] * (size - len(row)))


@pytest.fixture(scope="module")
def game():
    return walk()


@pytest.fixture(scope="module")
def evaluator(game):
    logits, values = matrix("logits", 0.0, np.float32), np.array(column("values"), np.float32)

    def look_up(planes):
        nodes = planes.ravel().astype(np.int64)
        return logits[nodes], values[nodes]

    return FunctionEvaluator(game, look_up)


def engine(game, evaluator, cases):
    settings = Settings(engine="gumbel", max_considered=cases[0]["max_considered"], solve=False)
    return Engine(game, evaluator, settings, trees=len(cases), seed=Noise([case["noise"] for case in cases]))


def root(game, index):
    node = index * NUM_NODES
    return Position(game, np.array([CASES[index]["players"][0], 0, 0, node], np.uint64))


def assert_found(analysis, case):
    """What mctx found, for the legal actions."""
    legal = [action for action, to in enumerate(case["children"][0]) if to != NOWHERE]
    candidates = analysis.candidates
    assert [candidate.move for candidate in candidates] == [str(action) for action in legal]
    assert [candidate.visits for candidate in candidates] == [case["child_visits"][action] for action in legal]
    expected = [case["child_values"][action] if case["child_visits"][action] else 0.0 for action in legal]
    np.testing.assert_allclose([candidate.value for candidate in candidates], expected, atol=1e-5)
    expected = [case["policy"][action] for action in legal]
    np.testing.assert_allclose([candidate.policy for candidate in candidates], expected, atol=1e-4)
    assert analysis.move == str(case["action"])


@pytest.mark.parametrize("index", range(len(CASES)))
def test_one_tree(game, evaluator, index):
    case = CASES[index]
    found = engine(game, evaluator, [case]).analyse(root(game, index), simulations=case["simulations"])
    assert found.simulations == case["simulations"]
    assert_found(found, case)


def test_many_trees_at_once(game, evaluator):
    batch = [index for index, case in enumerate(CASES) if (case["simulations"], case["max_considered"]) == (50, 6)]
    cases = [CASES[index] for index in batch]
    searched = engine(game, evaluator, cases)
    done = searched.grow([root(game, index) for index in batch], 50)
    assert done.tolist() == [50] * len(batch) != []
    for tree, case in enumerate(cases):
        assert_found(searched.analysis(tree, 50, 0.0), case)


def test_the_trees_are_of_every_kind():
    turns = [
        any(
            case["players"][node] == case["players"][to]
            for node, row in enumerate(case["children"])
            for to in row
            if to != NOWHERE
        )
        for case in CASES
    ]
    assert sum(case["is_plain"] for case in CASES) >= 60
    assert {len(case["noise"]) for case in CASES} == {2, 3, 4, 5, 6}
    for kind in (
        turns,
        [any(result is not None for result in case["results"]) for case in CASES],
        [NOWHERE in case["children"][0] for case in CASES],
    ):
        assert min(sum(kind), len(kind) - sum(kind)) >= 20
