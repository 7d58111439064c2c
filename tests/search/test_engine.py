"""PUCT and Gumbel: the same tree as the slow twin, many trees at once, and what holds for every engine and game."""

import time
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meeple.errors import PlayerError
from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search.engine import Engine
from meeple.search.evaluator import FunctionEvaluator, RolloutEvaluator, UniformEvaluator
from meeple.search.forest import NODE_BYTES, UNEXPANDED
from meeple.search.settings import Settings
from meeple.search.uct import Uct
from reference.puct import Tree
from reference.scripted import scripted
from reference.uct import solve

BREAKTHROUGH = str(Path(__file__).parents[2] / "examples" / "breakthrough.py")
GAMES = (
    "tictactoe", "mnk:4x3x3", "gomoku:5", "connect4:4x5", "othello:4", "othello:6", "hex:3", "hex:3?swap=1", "go:3",
    "dots:1x2", "dots:2x2", BREAKTHROUGH,
)  # fmt: skip
OPTIONS = ({}, {"turns": "alternating"}, {"solve": False}, {"fpu": 0.5, "c_init": 3.0, "c_base": 50.0})
KINDS = ("uct", "puct", "gumbel")
ENDGAMES = (("mnk:4x4x3", 8), ("connect4:4x5", 11), ("othello:4", 4), ("hex:3", 1), ("dots:2x2", 6), ("go:2", 6))


def new_engine(kind, of, *, seed=1, trees=1, evaluator=None, **options):
    """An engine of some kind; an evaluator that knows something where none is given."""
    if kind == "uct":
        return Uct(of, seed=seed, **options)
    evaluator = evaluator or FunctionEvaluator(of, scripted(of))
    options = {"peek": False, **options}  # as the twins do
    return Engine(of, evaluator, Settings(engine=kind, **options), trees=trees, seed=seed)


def visited(analysis):
    return {move: visits for move, visits in analysis.visits.items() if visits}


def walk(engine, tree=0, node=None, came_in=None):
    """All that a tree knows below a node, seen by the first player, in nested tuples."""
    forest = engine._trees.forest
    if node is None:
        node = tree * engine._trees.capacity
        came_in = int(forest.mover[node])
    sign = -1 if came_in else 1
    outcome = {0: None, 1: sign, 2: -sign, 3: 0}[int(forest.proven[node])]
    own = int(forest.visits[node]), sign * float(forest.total[node]), outcome
    plies = None if outcome is None else int(forest.plies[node])
    tried = engine._tried(node)
    below = [
        (int(forest.action[child]), float(forest.prior[child]), walk(engine, tree, child, int(forest.mover[node])))
        for child in tried
    ]
    return *own, plies, tuple(sorted(below))


def assert_sound(analysis):
    """What holds for every analysis of any engine."""
    position = analysis.position
    assert tuple(candidate.move for candidate in analysis.candidates) == position.moves
    assert analysis.move in position.moves
    assert sum(analysis.policy.values()) == pytest.approx(1)
    assert -1 <= analysis.value <= 1
    for candidate in analysis.candidates:
        assert candidate.visits >= 0
        assert 0 <= candidate.policy <= 1
        assert 0 <= candidate.prior <= 1
        assert -1 - 1e-6 <= candidate.value <= 1 + 1e-6
        assert (candidate.proven is None) == (candidate.plies is None)
    assert sum(candidate.prior for candidate in analysis.candidates) == pytest.approx(1, abs=1e-5)
    assert analysis.line[0] == analysis.move
    for move in analysis.line:
        position = position.play(move)


def assert_twins(analysis, twin):
    """The children of the root have the visits, values and proofs of the twin's."""
    position, root = analysis.position, twin.root
    names = position.game.names
    assert visited(analysis) == {names[action]: child.visits for action, child in root.tried.items()}
    for candidate in analysis.candidates:
        action = position.game.action(candidate.move)
        assert candidate.prior == pytest.approx(root.priors[action], rel=1e-5)
        child = root.tried.get(action)
        if child is None:
            assert (candidate.value, candidate.proven) == (0, None)
            continue
        certain = None if child.proven is None else root.sign * child.proven
        mean = root.sign * child.points / child.visits
        assert candidate.proven == certain
        assert candidate.plies == (None if certain is None else child.plies + 1)
        assert candidate.value == pytest.approx(mean if certain is None else certain, abs=1e-5)


def twin_of(position, options):
    options = {("is_alternating" if name == "turns" else name): value for name, value in options.items()}
    return Tree(position, scripted(position.game), **options)


@pytest.mark.parametrize("name", GAMES[:-1])
def test_grows_the_tree_of_its_twin(name):
    chance = Random(5)
    for options in OPTIONS:
        position = random_opening(game(name), chance.randrange(min(5, game(name).max_plies - 1)), chance)
        twin = twin_of(position, options)
        done = twin.grow(120)
        analysis = new_engine("puct", position.game, **options).analyse(position, simulations=120)
        assert analysis.simulations == done
        assert_twins(analysis, twin)


@pytest.mark.parametrize("name", ["connect4:4x5", "dots:2x2", "othello:4", "hex:3?swap=1"])
def test_many_trees_at_once_are_those_of_their_twins(name):
    chance = Random(8)
    positions = [random_opening(game(name), chance.randrange(5), chance) for _ in range(5)]
    wanted = np.array([40, 0, 1, 60, 25], np.int32)
    engine = new_engine("puct", game(name), trees=7)
    done = engine.grow(positions, wanted)
    assert not done[5:].any()
    for tree, position in enumerate(positions):
        if wanted[tree]:
            twin = twin_of(position, {})
            assert done[tree] == twin.grow(int(wanted[tree]))
            assert_twins(engine.analysis(tree, int(done[tree]), 0.0), twin)


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("name", GAMES)
def test_the_short_cut_around_the_uniform_evaluator_changes_nothing(name, kind):
    of = game(name)
    known = FunctionEvaluator(of, constant_value(of, 0))
    for seed in range(3):
        position = random_opening(of, seed, Random(seed))
        one, other = (
            new_engine(kind, of, evaluator=evaluator, noise=0.2).analyse(position, simulations=150)
            for evaluator in (known, UniformEvaluator(of))
        )
        assert visited(one) == visited(other)
        assert one.line == other.line


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("is_uniform", [True, False])
def test_trees_that_are_not_used_do_not_matter(kind, is_uniform, monkeypatch):
    """New memory holds whatever was there before."""
    of = game("connect4:4x5")
    evaluator = UniformEvaluator(of) if is_uniform else None
    found = []
    for number in (0, 2):
        engine = new_engine(kind, of, trees=4, noise=0.3, evaluator=evaluator)
        with monkeypatch.context() as patch:
            patch.setattr(np, "empty", lambda shape, dtype=float, number=number: np.full(shape, number, dtype))
            done = engine.grow([of.start()], 30)
        found.append((done.tolist(), engine.analysis(0, 30, 0.0).candidates))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_that_is_over_is_not_searched(kind):
    over = game("connect4").read("1212121")
    with pytest.raises(PlayerError, match="over"):
        new_engine(kind, over.game).analyse(over, simulations=10)


@settings(max_examples=40)
@given(
    st.sampled_from(("connect4:4x5", "dots:2x2", "othello:4", "go:3", "hex:3?swap=1")),
    st.sampled_from((("puct", 1), ("puct", 2), ("puct", 7), ("gumbel", 1))),
    st.booleans(),
    st.integers(0, 999),
)
def test_visits_add_up(name, kind_and_leaves, is_uniform, seed):
    kind, leaves = kind_and_leaves
    of = game(name)
    position = random_opening(of, seed % 5, Random(seed))
    evaluator = UniformEvaluator(of) if is_uniform else None
    engine = new_engine(kind, of, seed=seed, leaves=leaves, evaluator=evaluator)
    done = int(engine.grow([position], 200)[0])
    forest, used = engine._trees.forest, int(engine._trees.forest.num_nodes[0])
    assert done <= 200
    assert done == 200 or forest.proven[0]
    assert forest.visits[0] == done + 1
    todo = [0]
    while todo:
        node = todo.pop()
        tried = engine._tried(node)
        own = int(forest.visits[node]) - sum(int(forest.visits[child]) for child in tried)
        # Its own evaluation; a proven one, or an end of the game, is visited again and again.
        assert own >= 1 if forest.proven[node] else own == 1
        assert abs(float(forest.total[node])) <= forest.visits[node] * (1 + 1e-5)
        assert (forest.visits[tried.start : tried.stop] >= 1).all()
        assert forest.first_child[node] >= UNEXPANDED
        assert forest.first_child[node] + forest.num_children[node] <= used
        todo.extend(tried if len(tried) else ())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GAMES)
def test_no_move_is_illegal_and_every_analysis_is_sound(name, kind):
    of, chance = game(name), Random(6)
    options = {"noise": 0.25, "leaves": 3} if kind == "puct" else {}
    engine = new_engine(kind, of, **options)
    for seed in range(3):
        engine.begin(seed)
        position = of.start()
        while position.result is None:
            analysis = engine.analyse(position, simulations=chance.choice((1, 2, 20, 40)))
            assert_sound(analysis)
            if position.plies % 2 or chance.random() < 0.5:
                position = position.play(analysis.move)
            else:
                position = position.play(chance.choice(position.moves))


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize(("name", "plies"), ENDGAMES)
def test_what_is_proven_is_true(name, plies, kind):
    chance, known, certain = Random(7), {}, 0
    for seed in range(5):
        position = random_opening(game(name), plies, chance)
        sign = -1 if position.to_move else 1
        engine = new_engine(kind, position.game, seed=seed, evaluator=UniformEvaluator(position.game))
        analysis = engine.analyse(position, simulations=20_000)
        assert_sound(analysis)
        assert analysis.proven in (None, sign * solve(position)[0])
        certain += analysis.proven is not None
        for candidate in analysis.candidates:
            if candidate.proven is not None:
                result, length = solve(position.play(candidate.move), known)
                assert candidate.proven == sign * result
                assert result == 0 or candidate.plies >= length + 1
        chosen = next(candidate for candidate in analysis.candidates if candidate.move == analysis.move)
        alike = [candidate.plies for candidate in analysis.candidates if candidate.proven == chosen.proven]
        assert analysis.proven in (None, chosen.proven)
        if analysis.proven:
            assert chosen.plies == (min(alike) if analysis.proven == 1 else max(alike))
    assert certain >= 2


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("name", ["gomoku:5", "connect4", "othello:6", "hex:5", "dots:3"])
def test_a_win_at_once_is_played_at_once(name, kind):
    chance, found = Random(4), 0
    while found < 5:
        position = game(name).start()
        while position.result is None:
            before, position = position, position.play(chance.choice(position.moves))
        winner = -1 if before.to_move else 1
        if position.result != winner:
            continue
        found += 1
        evaluator = UniformEvaluator(before.game)
        engine = new_engine(kind, before.game, evaluator=evaluator, max_considered=64)
        analysis = engine.analyse(before, simulations=20 * len(before.moves))
        assert before.play(analysis.move).result == winner
        assert analysis.proven == 1


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("evaluator", [UniformEvaluator, RolloutEvaluator, None])
def test_one_seed_gives_one_result_and_begin_starts_again(kind, evaluator):
    of = game("dots:2x2")
    position = of.start()

    def fresh(seed):
        return new_engine(kind, of, seed=seed, noise=0.25, evaluator=evaluator(of) if evaluator else None)

    one, other = fresh(3), fresh(3)
    first = one.analyse(position, simulations=200).candidates
    assert first == other.analyse(position, simulations=200).candidates
    found = []
    for engine in (one, other, one):
        engine.begin(8)
        found.append([engine.analyse(position, simulations=50).candidates for _ in range(2)])
        engine.analyse(position.play("aA"), simulations=50)
    assert found[0] == found[1] == found[2]
    one.begin(9)
    assert one.analyse(position, simulations=50).candidates != found[0][0]


@pytest.mark.parametrize("name", ["connect4:4x5", "dots:2x2", "othello:4", "othello:6", "hex:4?swap=1", "go:3"])
def test_a_child_that_becomes_the_root_keeps_what_is_below_it(name):
    of, chance = game(name), Random(3)
    engine = new_engine("puct", of, trees=3)
    for _ in range(4):
        positions = [random_opening(of, chance.randrange(6), chance) for _ in range(3)]
        engine.forget()
        engine.grow(positions, 300)
        after, before = [], []
        for tree, position in enumerate(positions):
            root = tree * engine._trees.capacity
            grown = [child for child in engine._tried(root) if engine._trees.forest.first_child[child] != UNEXPANDED]
            best = max(grown, key=lambda child: int(engine._trees.forest.visits[child]))
            before.append(walk(engine, tree, best, int(engine._trees.forest.mover[root])))
            after.append(position.play_action(int(engine._trees.forest.action[best])))
        for tree, position in enumerate(after):
            engine._plant(tree, position)
        assert [walk(engine, tree) for tree in range(3)] == before
        done = engine.grow(after, 20)
        assert [walk(engine, tree)[0] for tree in range(3)] == [
            one[0] + more for one, more in zip(before, done, strict=True)
        ]


def test_extra_turns_and_skips_keep_the_tree():
    closing = game("dots:2x2").read("aA Aa Ab aB")
    chance, skipped = Random(1), None
    while skipped is None:
        position = random_opening(game("othello:4"), 7, chance)
        if position.to_move == position.previous.to_move:
            skipped = position
    for position in (closing, skipped):
        assert position.to_move == position.previous.to_move
        engine = new_engine("puct", position.game, solve=False)
        before = engine.analyse(position.previous, simulations=400)
        kept = before.visits[position.game.names[position.action]]
        after = engine.analyse(position, simulations=50)
        assert sum(after.visits.values()) == kept - 1 + 50


def test_a_position_that_was_not_reached_from_the_root_starts_anew():
    of = game("connect4")
    engine = new_engine("puct", of)
    for moves, visits in (("44", 200), ("443", None), ("44", 200), ("45", 200), ("-", 200), ("-", 400)):
        analysis = engine.analyse(of.read(moves), simulations=200)
        assert sum(analysis.visits.values()) > 200 if visits is None else sum(analysis.visits.values()) == visits


def test_gumbel_always_starts_anew():
    position = game("connect4").start()
    engine = new_engine("gumbel", position.game)
    for _ in range(2):
        assert sum(engine.analyse(position, simulations=64).visits.values()) == 64


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("is_uniform", [True, False])
@pytest.mark.parametrize("name", ["go:7", "dots:5"])
def test_a_full_tree_goes_on(name, is_uniform, kind):
    of = game(name)
    evaluator = UniformEvaluator(of) if is_uniform else RolloutEvaluator(of)
    engine = new_engine(kind, of, evaluator=evaluator, memory_mb=0, leaves=2)
    position = of.start()
    for _ in range(5):
        analysis = engine.analyse(position, simulations=300)
        assert engine._trees.capacity == of.num_actions + 1
        assert (analysis.is_full, analysis.simulations) == (True, 300)
        assert_sound(analysis)
        position = position.play(analysis.move)


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_memory_is_bounded(kind):
    of = game("hex:11")
    engine = new_engine(kind, of, trees=4, memory_mb=4, evaluator=UniformEvaluator(of))
    done = engine.grow([of.start()] * 4, 3000)
    assert done.tolist() == [3000] * 4
    assert sum(array.nbytes for array in engine._trees.forest) <= 4 * 2**20 + 4 * (NODE_BYTES + 4)
    assert all(engine.analysis(tree, 3000, 0.0).is_full for tree in range(4))


@pytest.mark.parametrize("evaluator", [UniformEvaluator, RolloutEvaluator])
def test_a_time_limit_is_kept(evaluator):
    of = game("gomoku")
    engine = new_engine("puct", of, evaluator=evaluator(of), memory_mb=8)
    began = time.perf_counter()
    analysis = engine.analyse(of.start(), time_limit_s=0.3)
    assert 0.3 <= analysis.seconds <= time.perf_counter() - began < 10
    assert analysis.simulations > 50


def test_a_gumbel_search_plans_its_simulations():
    with pytest.raises(PlayerError, match="needs a number of simulations"):
        new_engine("gumbel", game("hex:3")).analyse(game("hex:3").start(), time_limit_s=1)


@pytest.mark.parametrize("name", ["connect4", "hex:4?swap=1"])
@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_where_players_take_turns_the_wrong_rule_is_right(name, kind):
    position = game(name).start()
    right, wrong = (
        new_engine(kind, position.game, turns=turns).analyse(position, simulations=300)
        for turns in ("true", "alternating")
    )
    assert right.candidates == wrong.candidates


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_where_a_player_moves_again_the_wrong_rule_is_wrong(kind):
    position = game("dots:2x2").read("aA Aa Ab")
    right, wrong = (
        new_engine(kind, position.game, turns=turns).analyse(position, simulations=300)
        for turns in ("true", "alternating")
    )
    assert right.candidates != wrong.candidates


@pytest.mark.parametrize(("name", "moves"), [("hex:4", "b1"), ("hex:4", "b1 c3"), ("go:3", "A1"), ("dots:1x2", "aA")])
def test_priors_follow_the_views_of_the_player_to_move(name, moves):
    of = game(name)
    position = of.read(moves)

    def one_favourite(planes):
        logits = np.zeros((len(planes), of.num_actions))
        logits[:, 2] = 5
        return logits, np.zeros(len(planes))

    analysis = new_engine("puct", of, evaluator=FunctionEvaluator(of, one_favourite)).analyse(position, simulations=20)
    favourite = max(analysis.candidates, key=lambda candidate: candidate.prior)
    assert of.views[position.to_move][of.action(favourite.move)] == 2


def test_a_white_hex_player_sees_the_board_transposed():
    of = game("hex:4")
    board = of.read("c3")
    cell = of.views[1][of.action("b4")]
    assert of.names[cell] == "d2"
    assert board.planes.shape == of.shape


def test_virtual_loss_is_taken_back():
    """Values are means of what the evaluator said again, once all leaves have come back."""
    of = game("connect4")
    engine = new_engine("puct", of, leaves=8, solve=False, evaluator=FunctionEvaluator(of, constant_value(of, 0.25)))
    analysis = engine.analyse(of.start(), simulations=100)
    assert analysis.simulations == 100
    assert abs(engine._trees.forest.total[:8]).max() <= 0.25 * 101
    assert all(abs(candidate.value) <= 0.25 + 1e-6 for candidate in analysis.candidates)


def constant_value(of, value):
    return lambda planes: (np.zeros((len(planes), of.num_actions)), np.full(len(planes), value))


@pytest.mark.parametrize("is_uniform", [False, True])
@pytest.mark.parametrize("kind", ["puct", "gumbel"])
def test_with_a_peek_a_win_at_once_needs_no_simulation(kind, is_uniform):
    position = game("connect4").read("1212 12")
    evaluator = UniformEvaluator(position.game) if is_uniform else None
    analysis = new_engine(kind, position.game, evaluator=evaluator, peek=True).analyse(position, simulations=1)
    assert (analysis.move, analysis.proven, analysis.policy["1"]) == ("1", 1, 1.0)


@pytest.mark.parametrize("kind", ["puct", "gumbel"])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "dots:1x2", "hex:3", "othello:4", "go:2"])
def test_what_is_proven_with_a_peek_is_true(name, kind):
    of = game(name)
    for seed in range(12):
        position = random_opening(of, max(of.max_plies // 2, 3) if name != "go:2" else 9, Random(seed))
        try:
            result, _ = solve(position)
        except OverflowError:
            continue
        analysis = new_engine(kind, of, peek=True, seed=seed).analyse(position, simulations=400)
        sign = -1 if position.to_move else 1
        assert analysis.proven in (None, sign * result)
        assert_sound(analysis)
