"""UCT: the same tree as the slow twin, proven values that are right, trees that live on, memory, threads."""

import signal
import threading
import time
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meeple.errors import PlayerError
from meeple.games.registry import game
from meeple.play.openings import random_opening
from meeple.search.tree import NODE_BYTES, ROOT, UNEXPANDED
from meeple.search.uct import Grower, Uct
from reference.uct import Uct as SlowUct
from reference.uct import solve

TWIN_GAMES = (
    "tictactoe", "mnk:4x3x3", "gomoku:5", "connect4:4x4", "othello:4", "hex:3", "hex:3?swap=1", "go:2", "dots:1x2",
    "dots:2x2",
)  # fmt: skip
OPTIONS = ({}, {"turns": "alternating"}, {"solve": False}, {"rollouts": 3}, {"exploration": 0.3})
SLOW_NAMES = {"solve": "is_proving", "turns": "is_alternating"}

# Games with few moves left, where everything can be tried; the number is how many plies are played at random.
ENDGAMES = (
    ("tictactoe", 2), ("mnk:4x4x3", 8), ("gomoku:5", 18), ("connect4:4x4", 7), ("connect4:4x5", 11), ("othello:4", 4),
    ("othello:6", 25), ("hex:3", 1), ("hex:3?swap=1", 2), ("hex:4", 7), ("dots:2x2", 4), ("dots:1x3", 2),
    ("dots:2x3", 9), ("dots:3", 16), ("go:2", 6),
)  # fmt: skip


def slow(position, seed, options):
    """The twin with the options of the engine."""
    found = {SLOW_NAMES.get(name, name): value for name, value in options.items()}
    if "is_alternating" in found:
        found["is_alternating"] = True
    return SlowUct(position, seed=seed, **found)


def grower(name, capacity=200_000, seed=1):
    return Grower(
        game(name), capacity, seed=seed, exploration=1.4, rollouts=1, is_alternating=False, is_proving=True
    )  # fmt: skip


def walk(one, node=ROOT, came_in=None):
    """All that a tree knows below a node, seen by the first player, in nested tuples."""
    tree = one.tree
    came_in = int(tree.player[node])
    proven, sign = int(tree.proven[node]), -1 if came_in else 1
    outcome = {0: None, 1: sign, 2: -sign, 3: 0}[proven]
    children = [walk(one, child) for child in one.children(node) if tree.visits[child]]
    plies = None if outcome is None else int(tree.plies[node])
    return int(tree.visits[node]), sign * int(tree.points[node]), outcome, plies, sorted_children(one, node, children)


def sorted_children(one, node, children):
    actions = [int(one.tree.action[child]) for child in one.children(node) if one.tree.visits[child]]
    return tuple(sorted(zip(actions, children, strict=True)))


def endgames(name, plies, count):
    """Positions with their results and the length of perfect play."""
    chance, found = Random(7), []
    while len(found) < count:
        position = random_opening(game(name), plies, chance)
        found.append((position, solve(position)))
    return found


def mover_view(position, result):
    return -result if position.to_move else result


@pytest.mark.parametrize("name", TWIN_GAMES)
def test_grows_the_tree_of_its_twin(name):
    chance = Random(5)
    for seed, options in enumerate(OPTIONS):
        position = random_opening(game(name), chance.randrange(min(5, game(name).max_plies - 1)), chance)
        twin = slow(position, seed, options)
        done = twin.grow(150)
        analysis = Uct(position.game, seed=seed, **options).analyse(position, simulations=150)
        names, root = position.game.names, twin.root
        assert analysis.simulations == done
        assert {move: visits for move, visits in analysis.visits.items() if visits} == {
            names[action]: child.visits for action, child in root.tried.items()
        }
        for candidate in analysis.candidates:
            child = root.tried.get(position.game.action(candidate.move))
            if child is None:
                continue
            certain = None if child.proven is None else root.sign * child.proven
            mean = root.sign * child.points / child.visits
            assert candidate.proven == certain
            assert candidate.plies == (None if certain is None else child.plies + 1)
            assert candidate.value == pytest.approx(mean if certain is None else certain)


@settings(max_examples=30)
@given(st.sampled_from(("connect4:4x5", "dots:2x2", "othello:4", "go:3", "hex:3?swap=1")), st.integers(0, 999))
def test_visits_add_up(name, seed):
    one = grower(name, seed=seed)
    one.start(random_opening(one.game, seed % 5, Random(seed)))
    done = one.grow(300)
    used = int(one.tree.num_nodes[0])
    visits, points, first, proven = (
        getattr(one.tree, name)[:used] for name in ("visits", "points", "first_child", "proven")
    )
    assert visits[ROOT] == done
    assert (abs(points) <= visits).all()
    for node in np.flatnonzero(first != UNEXPANDED):
        own = visits[node] - visits[first[node] : first[node] + one.tree.num_children[node]].sum()
        # A node is visited once before it has children, the root never; a proven one again and again.
        assert own >= (node != ROOT) if proven[node] else own == (node != ROOT)


@pytest.mark.parametrize(("name", "plies"), ENDGAMES)
def test_what_is_proven_is_true(name, plies):
    known = {}
    for position, (result, _) in endgames(name, plies, 5):
        analysis = Uct(position.game, seed=3).analyse(position, simulations=20_000)
        assert analysis.proven in (mover_view(position, result), None)
        assert analysis.proven is not None or not result  # draws may take longer to prove than there is time
        assert analysis.proven in (None, analysis.value)
        for candidate in analysis.candidates:
            if candidate.proven is None:
                continue
            result, length = solve(position.play(candidate.move), known)
            assert candidate.proven == mover_view(position, result)
            if result:
                assert candidate.plies >= length + 1
                assert (candidate.plies == 1) == (length == 0)
        assert_best_is_played(analysis)


def assert_best_is_played(analysis):
    """A proven win is the quickest, a proven loss the slowest."""
    chosen = next(candidate for candidate in analysis.candidates if candidate.move == analysis.move)
    assert analysis.proven in (None, chosen.proven)
    if analysis.proven:
        alike = [candidate.plies for candidate in analysis.candidates if candidate.proven == analysis.proven]
        assert chosen.plies == (min(alike) if analysis.proven == 1 else max(alike))


@pytest.mark.parametrize("name", ["mnk:4x4x3", "connect4:4x5", "hex:4", "dots:2x2", "othello:4"])
def test_a_proven_win_is_won_in_time_against_any_defence(name):
    chance, engine, won = Random(2), Uct(game(name), seed=1), 0
    for _ in range(12):
        position = random_opening(game(name), 3 + chance.randrange(6), chance)
        analysis = engine.analyse(position, simulations=20_000)
        if analysis.proven != 1:
            continue
        winner = position.to_move
        limit = position.plies + min(one.plies for one in analysis.candidates if one.proven == 1)
        while position.result is None:
            if position.to_move == winner:
                position = position.play(engine.analyse(position, simulations=20_000).move)
            else:
                position = position.play(chance.choice(position.moves))
        assert position.result == (-1 if winner else 1)
        assert position.plies <= limit
        won += 1
    assert won


@pytest.mark.parametrize("name", ["gomoku:7", "connect4", "othello:6", "hex:5", "dots:3"])
def test_a_win_at_once_is_played_at_once(name):
    chance, found = Random(4), 0
    while found < 8:
        position = game(name).start()
        while position.result is None:
            before, position = position, position.play(chance.choice(position.moves))
        if position.result != mover_view(before, 1):
            continue
        found += 1
        analysis = Uct(before.game, seed=found).analyse(before, simulations=len(before.moves))
        assert before.play(analysis.move).result == mover_view(before, 1)
        assert (analysis.proven, analysis.line) == (1, (analysis.move,))


def test_one_seed_gives_one_result():
    position = game("dots:3").start()
    one, other = (Uct(position.game, seed=4).analyse(position, simulations=500).candidates for _ in range(2))
    assert one == other
    assert one != Uct(position.game, seed=5).analyse(position, simulations=500).candidates


def test_begin_forgets_the_last_game():
    position = game("connect4").start()
    engine = Uct(position.game, seed=0, threads=2)
    found = []
    for _ in range(2):
        engine.begin(9)
        found.append(engine.analyse(position, simulations=600).candidates)
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["connect4:4x5", "dots:2x2", "othello:4", "othello:6", "hex:4?swap=1", "go:3"])
def test_a_child_that_becomes_the_root_keeps_what_is_below_it(name):
    chance = Random(3)
    for seed in range(10):
        one = grower(name, seed=seed)
        position = random_opening(one.game, chance.randrange(6), chance)
        one.start(position)
        one.grow(2000)
        node, plies = ROOT, chance.randrange(1, 4)
        for _ in range(plies):
            children = [child for child in one.children(node) if one.tree.visits[child]]
            if not children or position.play_action(int(one.tree.action[children[0]])).result is not None:
                break
            node = max(children, key=lambda child: (int(one.tree.visits[child]), child))
            position = position.play_action(int(one.tree.action[node]))
        if position.result is not None:
            continue
        before = walk(one, node)
        one.start(position)
        assert walk(one) == before
        assert one.tree.player[ROOT] == position.to_move
        one.grow(100)
        assert one.tree.visits[ROOT] >= before[0]


def test_extra_turns_keep_the_tree():
    position = game("dots:2x2").read("aA Aa Ab")
    closing = position.play("aB")
    assert closing.to_move == position.to_move
    one = grower("dots:2x2")
    one.start(position)
    one.grow(1000)
    child = next(child for child in one.children(ROOT) if one.tree.action[child] == closing.action)
    before = walk(one, child)
    one.start(closing)
    assert walk(one) == before


@pytest.mark.parametrize(("moves", "is_kept"), [("1", False), ("-", False), ("4", False), ("45", False), ("443", True)])
def test_a_position_that_was_not_reached_from_the_root_starts_anew(moves, is_kept):
    one = grower("connect4")
    one.start(one.game.read("44"))
    one.grow(1000)
    one.start(one.game.read(moves))
    assert (one.tree.visits[ROOT] > 0) == is_kept


def test_another_analysis_of_one_position_goes_on():
    position = game("connect4").start()
    engine = Uct(position.game, seed=1)
    engine.analyse(position, simulations=500)
    analysis = engine.analyse(position, simulations=500)
    assert analysis.simulations == 500
    assert sum(analysis.visits.values()) == 1000


@pytest.mark.parametrize("name", ["go:7", "dots:10", "gomoku:19"])
def test_a_full_tree_goes_on(name):
    position = game(name).start()
    capacity = position.game.num_actions + 1
    one = grower(name, capacity=capacity)
    for _ in range(6):
        one.start(position)
        assert one.grow(600) == 600
        assert one.is_full
        assert one.tree.num_nodes[0] <= capacity
        best = max(one.children(ROOT), key=lambda child: int(one.tree.visits[child]))
        position = position.play_action(int(one.tree.action[best]))


def test_memory_is_bounded_and_a_full_engine_says_so():
    position = game("hex:11").start()
    engine = Uct(position.game, memory_mb=1, threads=2)
    assert sum(len(one.tree.action) for one in engine._growers) * NODE_BYTES <= 2**20
    assert not engine.analyse(position, simulations=50).is_full
    analysis = engine.analyse(position, simulations=60_000)
    assert analysis.is_full
    assert analysis.simulations == 60_000
    assert analysis.move in position.moves


def test_threads_share_the_work():
    position = game("othello:6").start()
    analysis = Uct(position.game, seed=1, threads=2).analyse(position, simulations=3000)
    assert sum(analysis.visits.values()) == analysis.simulations == 3000
    assert sum(analysis.policy.values()) == pytest.approx(1)


def test_a_time_limit_is_kept():
    position = game("gomoku").start()
    for threads in (1, 2):
        began = time.perf_counter()
        analysis = Uct(position.game, threads=threads, memory_mb=8).analyse(position, time_limit_s=0.3)
        assert 0.3 <= analysis.seconds <= time.perf_counter() - began < 10
        assert analysis.simulations > 100


def test_a_search_wants_to_know_how_long():
    with pytest.raises(PlayerError, match="a number of simulations or a time limit"):
        Uct(game("tictactoe")).analyse(game("tictactoe").start())


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_search_soon(threads):
    position = game("gomoku").start()
    engine = Uct(position.game, threads=threads, memory_mb=8)
    engine.analyse(position, simulations=10)
    before, began = threading.active_count(), time.perf_counter()
    main = threading.main_thread().ident
    alarm = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    alarm.start()
    with pytest.raises(KeyboardInterrupt):
        engine.analyse(position, time_limit_s=120)
    alarm.join()
    assert time.perf_counter() - began < 30
    assert threading.active_count() == before


@pytest.mark.parametrize("name", ["connect4", "hex:5", "hex:4?swap=1", "gomoku:7"])
def test_where_players_take_turns_the_wrong_rule_is_right(name):
    position = game(name).start()
    right, wrong = (
        Uct(position.game, seed=2, turns=turns).analyse(position, simulations=2000) for turns in ("true", "alternating")
    )
    assert right.candidates == wrong.candidates


def test_where_a_player_moves_again_the_wrong_rule_is_wrong():
    position = game("dots:2x2").read("aA Aa Ab")
    right, wrong = (
        Uct(position.game, seed=2, turns=turns).analyse(position, simulations=2000) for turns in ("true", "alternating")
    )
    assert right.candidates != wrong.candidates
