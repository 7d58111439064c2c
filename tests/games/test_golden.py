"""Perft against published counts, and against counts that can be had on paper."""

import math
from copy import deepcopy

import pytest

from meeple.errors import MeepleError
from meeple.games.perft import levels, perft
from meeple.games.registry import game
from reference.dots import Dots
from reference.go import Go
from reference.mnk import Mnk
from reference.othello import Othello

# Aart Bik, "Perft for Reversi", http://www.aartbik.com/MISC/reversi.html; a pass is a ply, which starts to matter at 9.
OTHELLO_PATHS = (1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288)
# John Tromp, https://oeis.org/A212693: legal positions after so many plies.
CONNECT4_POSITIONS = (1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186)
# https://en.wikipedia.org/wiki/Tic-tac-toe: games by the ply they end at, and positions that can be reached.
TICTACTOE_FINISHED = (0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872)
TICTACTOE_GAMES, TICTACTOE_POSITIONS = 255_168, 5478
# John Tromp and Gunnar Farnebäck, "Combinatorics of Go", 2006: legal positions of stones on n x n, by n.
GO_LEGAL = {2: 57, 3: 12_675}


def counts(name, depth):
    return list(levels(game(name), depth))


def test_othello():
    assert tuple(count.paths for count in counts("othello", 9)) == OTHELLO_PATHS


def test_connect4():
    assert tuple(count.positions for count in counts("connect4", 9)) == CONNECT4_POSITIONS


def test_tictactoe():
    found = counts("tictactoe", 9)
    assert tuple(count.finished for count in found) == TICTACTOE_FINISHED
    assert sum(TICTACTOE_FINISHED) == TICTACTOE_GAMES
    assert sum(count.positions for count in found) == TICTACTOE_POSITIONS


@pytest.mark.parametrize("size", range(2, 20))
def test_hex_begins_on_any_cell(size):
    assert perft(game(f"hex:{size}"), 1)[:3] == (size**2, 0, size**2)


@pytest.mark.parametrize("size", [3, 4])
def test_hex_before_anyone_can_win_is_a_choice_of_cells(size):
    cells = size**2
    found = perft(game(f"hex:{size}"), 2 * size - 2)
    assert found.finished == 0
    assert found.paths == math.perm(cells, 2 * size - 2)
    assert found.positions == math.comb(cells, size - 1) * math.comb(cells - size + 1, size - 1)


def test_the_swap_adds_a_move_and_as_many_replies():
    # After the 9 first stones 8 cells and the swap; the swap, too, leaves one stone.
    assert [perft(game("hex:3?swap=1"), depth).paths for depth in (1, 2, 3)] == [9, 9 * 9, 9 * 8 * 7 + 9 * 8]


@pytest.mark.parametrize(("name", "lines"), [("dots:1", 4), ("dots:1x2", 7), ("dots:2", 12)])
def test_dots_and_boxes_ends_when_all_lines_are_drawn(name, lines):
    found = counts(name, lines)
    assert [count.paths for count in found] == [math.perm(lines, depth) for depth in range(lines + 1)]
    assert [count.finished for count in found] == [0] * lines + [math.factorial(lines)]
    assert perft(game(name), lines + 1)[:3] == (0, 0, 0)


@pytest.mark.parametrize(("size", "legal"), GO_LEGAL.items())
def test_every_legal_position_of_go_can_be_reached_and_no_other(size, legal):
    boards, seen, frontier = set(), set(), [game(f"go:{size}").start()]
    while frontier:
        reached = []
        for position in frontier:
            boards.add(tuple(position.game.pieces(position.state).tolist()))
            for action in position.actions:
                after = position.play_action(action)
                if after.key not in seen:
                    seen.add(after.key)
                    reached.append(after)
        frontier = reached
    assert len(boards) == legal


# The others are counted by the slow twins.
@pytest.mark.parametrize(
    ("name", "twin", "depth"),
    [
        ("go:2", lambda: Go(2), 6),
        ("go:2?suicide=1", lambda: Go(2, suicide=True), 6),
        ("go:3", lambda: Go(3), 4),
        ("dots:1x2", lambda: Dots(1, 2), 5),
        ("mnk:3x2x2", lambda: Mnk(3, 2, 2), 6),
        ("mnk:3x3x2?exact=1", lambda: Mnk(3, 3, 2, exact=True), 5),
    ],
)
def test_counts_as_many_paths_as_the_slow_twin(name, twin, depth):
    assert [count.paths for count in counts(name, depth)] == [slow_paths(twin, [], left) for left in range(depth + 1)]


def slow_paths(twin, actions, depth):
    """How many move sequences of a twin begin with these actions and have so many more."""
    played = twin()
    for action in actions:
        played.play(action)
    if depth == 0 or played.result is not None:
        return int(depth == 0)
    return sum(slow_paths(twin, [*actions, action], depth - 1) for action in played.moves())


def test_a_skipped_turn_counts_as_a_ply():
    # The first pass on 4 x 4 comes early, unlike on 8 x 8.
    assert [count.paths for count in counts("othello:4", 6)] == slow_othello_paths(6)


def slow_othello_paths(depth):
    level, found = [(Othello(4), False)], [1]
    for _ in range(depth):
        after = []
        for twin, waits in level:
            if waits:
                after.append((twin, False))
            for action in [] if waits or twin.result is not None else twin.moves():
                child = deepcopy(twin)
                child.play(action)
                after.append((child, child.to_move == twin.to_move and child.result is None))
        level = after
        found.append(len(level))
    return found


def test_depths_that_cannot_be_counted_are_refused_in_one_line():
    with pytest.raises(MeepleError, match="the depth must be 0 or more, not -1"):
        perft(game("tictactoe"), -1)
    with pytest.raises(MeepleError, match="go less deep") as caught:
        perft(game("gomoku:19"), 4)
    assert "\n" not in str(caught.value)


def test_depth_zero_is_the_start():
    assert perft(game("go"), 0)[:3] == (1, 0, 1)
