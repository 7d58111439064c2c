"""Every game against its slow twin in tests/reference: the same random games, compared after every move."""

import numpy as np
import pytest

from meeple.games.registry import game
from reference.connect4 import Connect4
from reference.dots import Dots
from reference.go import Go
from reference.hex import Hex
from reference.mnk import Mnk
from reference.othello import Othello

# The sizes are the smallest and the largest, and those beside the borders where a state takes another word.
TWINS = {
    "tictactoe": lambda: Mnk(3, 3, 3),
    "mnk:1x2x2": lambda: Mnk(1, 2, 2),
    "mnk:7x1x3": lambda: Mnk(7, 1, 3),
    "mnk:1x19x4": lambda: Mnk(1, 19, 4),
    "mnk:19x3x2": lambda: Mnk(19, 3, 2),
    "mnk:5x4x4": lambda: Mnk(5, 4, 4),
    "mnk:5x7x3?exact=1": lambda: Mnk(5, 7, 3, exact=True),
    "mnk:8x8x4": lambda: Mnk(8, 8, 4),
    "mnk:8x8x3?exact=1": lambda: Mnk(8, 8, 3, exact=True),
    "mnk:9x7x4?exact=1": lambda: Mnk(9, 7, 4, exact=True),
    "mnk:9x8x4": lambda: Mnk(9, 8, 4),
    "mnk:8x9x3?exact=1": lambda: Mnk(8, 9, 3, exact=True),
    "mnk:16x8x4": lambda: Mnk(16, 8, 4),
    "mnk:13x5x5": lambda: Mnk(13, 5, 5),
    "mnk:19x19x4?exact=1": lambda: Mnk(19, 19, 4, exact=True),
    "gomoku:5": lambda: Mnk(5, 5, 5),
    "gomoku:8?exact=1": lambda: Mnk(8, 8, 5, exact=True),
    "gomoku": lambda: Mnk(15, 15, 5),
    "gomoku:19": lambda: Mnk(19, 19, 5),
    "connect4": lambda: Connect4(6, 7),
    "connect4:2x2": lambda: Connect4(2, 2),
    "connect4:2x10": lambda: Connect4(2, 10),
    "connect4:10x2": lambda: Connect4(10, 2),
    "connect4:7x8": lambda: Connect4(7, 8),
    "connect4:7x9": lambda: Connect4(7, 9),
    "connect4:8x7": lambda: Connect4(8, 7),
    "connect4:8x8": lambda: Connect4(8, 8),
    "connect4:9x6": lambda: Connect4(9, 6),
    "connect4:10x5": lambda: Connect4(10, 5),
    "connect4:10x6": lambda: Connect4(10, 6),
    "connect4:10x10": lambda: Connect4(10, 10),
    "othello:4": lambda: Othello(4),
    "othello:6": lambda: Othello(6),
    "othello": lambda: Othello(8),
    "othello:10": lambda: Othello(10),
    "hex:2": lambda: Hex(2),
    "hex:2?swap=1": lambda: Hex(2, swap=True),
    "hex:5?swap=1": lambda: Hex(5, swap=True),
    "hex:8": lambda: Hex(8),
    "hex:8?swap=1": lambda: Hex(8, swap=True),
    "hex:9": lambda: Hex(9),
    "hex": lambda: Hex(11),
    "hex:12?swap=1": lambda: Hex(12, swap=True),
    "hex:19": lambda: Hex(19),
    "go:2": lambda: Go(2),
    "go:2?komi=0.5&suicide=1": lambda: Go(2, komi=0.5, suicide=True),
    "go:3?komi=0": lambda: Go(3, komi=0),
    "go:3?suicide=1": lambda: Go(3, suicide=True),
    "go:5?komi=-3&suicide=1": lambda: Go(5, komi=-3, suicide=True),
    "go:7": lambda: Go(7),
    "go:8": lambda: Go(8),
    "go:11": lambda: Go(11),
    "go:13": lambda: Go(13),
    "go:13?suicide=1": lambda: Go(13, suicide=True),
    "dots:1": lambda: Dots(1, 1),
    "dots:1x10": lambda: Dots(1, 10),
    "dots:10x1": lambda: Dots(10, 1),
    "dots:2x3": lambda: Dots(2, 3),
    "dots": lambda: Dots(3, 3),
    "dots:5": lambda: Dots(5, 5),
    "dots:5x6": lambda: Dots(5, 6),
    "dots:7x9": lambda: Dots(7, 9),
    "dots:8": lambda: Dots(8, 8),
    "dots:8x9": lambda: Dots(8, 9),
    "dots:10": lambda: Dots(10, 10),
}

PLIES = 300
MAX_GAMES = 40
SLOW_PLIES = 10_000


@pytest.mark.parametrize("name", TWINS)
def test_plays_like_its_slow_twin(name):
    compare_random_games(name, PLIES, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_plays_like_its_slow_twin_in_many_games(name):
    compare_random_games(name, SLOW_PLIES, seed=2)


def compare_random_games(name, plies, seed):
    """Play random games until so many plies were compared."""
    generator, compared = np.random.default_rng(seed), 0
    for _ in range(MAX_GAMES * plies // PLIES):
        compared += compare_one(name, generator, plies - compared)
        if compared >= plies:
            break


def compare_one(name, generator, max_plies):
    position, twin = game(name).start(), TWINS[name]()
    for _ in range(max_plies):
        assert_same(position, twin)
        if position.result is not None:
            break
        action = choose(position, generator)
        position = position.play_action(action)
        twin.play(action)
    assert_same(position, twin)
    return position.plies


def choose(position, generator):
    """A random action; passes, which would end most games early, and swaps have their own chance."""
    *cells, last = position.actions
    is_special = cells and position.game.names[last] in ("pass", "swap-pieces")
    chance = 0.03 if is_special and position.game.names[last] == "pass" else 0.5
    if is_special:
        return last if generator.random() < chance else int(generator.choice(cells))
    return int(generator.choice(position.actions))


def assert_same(position, twin):
    where = f"{position.game.name} after {' '.join(position.history)}"
    assert position.result == twin.result, where
    assert position.plies == twin.plies, where
    assert position.to_move == twin.to_move or position.result is not None, where
    assert position.margin == twin.margin, where
    if position.result is None:
        assert list(position.actions) == twin.moves(), where
        np.testing.assert_array_equal(position.planes, twin.planes(), err_msg=where)


def capture_race(twin, generator, plies):
    """A game of few passes on a twin; the actions."""
    actions = []
    while twin.result is None and len(actions) < plies:
        cells = twin.moves()[:-1]
        actions.append(int(generator.choice(cells)) if cells else twin.size**2)
        twin.play(actions[-1])
    return actions


@pytest.mark.parametrize("name", ["go:2?komi=0", "go:3?suicide=1&komi=0"])
def test_the_longest_go_game_is_scored_as_it_stands(name):
    position, size = game(name).start(), game(name).shape[1]
    twin = Go(size, komi=0, suicide="suicide" in name)
    for action in capture_race(Go(size, komi=0, suicide="suicide" in name), np.random.default_rng(3), 4 * size**2):
        assert_same(position, twin)
        position = position.play_action(action)
        twin.play(action)
    assert position.plies == 4 * size**2 == position.game.max_plies
    assert position.result is not None
    assert_same(position, twin)
