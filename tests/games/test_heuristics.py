"""Heuristics keep within their bounds, leave the state alone, and say what they are said to."""

import heapq
from pathlib import Path
from random import Random

import numpy as np
import pytest

from meeple.games.game import Game
from meeple.games.lines import open_lines, split_starts
from meeple.games.registry import game
from meeple.kernel import jit

NAMES = (
    "tictactoe", "mnk:1x2x2", "mnk:7x1x3", "mnk:16x8x4", "gomoku:15", "gomoku:19?exact=1", "connect4", "connect4:2x2",
    "connect4:10x10", "othello:4", "othello", "othello:10", "hex:2", "hex:6", "hex:19", "hex:5?swap=1", "go:2", "go:9",
    "go:13?komi=-3", "dots:1", "dots", "dots:10", str(Path(__file__).parents[2] / "examples" / "breakthrough.py"),
)  # fmt: skip


def random_line(game, seed):
    chance, position = Random(seed), game.start()
    while position.result is None:
        yield position
        position = position.play_action(chance.choice(position.actions))


@pytest.mark.parametrize("name", NAMES)
def test_heuristics_are_bounded_and_change_nothing(name):
    this = game(name)
    for seed in range(5):
        for position in random_line(this, seed):
            state = position.state
            assert -10_000 < this.rules.heuristic(state) < 10_000
            assert (state == position.state).all()


def minimal(**more):
    def setup(state):
        pass

    def moves(state, actions):
        actions[0] = 0
        return 1

    def play(state, action):
        state[1], state[2] = 3, state[2] + np.uint64(1)

    def observe(state, planes):
        planes[0] = 0

    return Game("minimal", setup=setup, moves=moves, play=play, observe=observe, num_words=4, shape=(1, 1, 1), **more)


def test_without_a_heuristic_the_margin_counts_or_nothing():
    def margin(state):
        return np.int64(state[3]) - 500

    plain, scored = minimal(), minimal(margin=margin)
    assert plain.addresses.heuristic
    assert plain.rules.heuristic(plain.start().state) == 0
    found = []
    for score in (0, 500, 503, 1000):
        state = scored.start().state
        state[3] = score
        found.append(scored.rules.heuristic(state))
    assert found == [-9999, 0, 300, 9999]


def test_a_heuristic_of_ones_own():
    def heuristic(state):
        return 7

    assert minimal(heuristic=heuristic).rules.heuristic(minimal().start().state) == 7


@pytest.mark.parametrize("name", ["tictactoe", "mnk:9x7x4", "gomoku:15", "mnk:19x19x6", "mnk:1x19x4"])
def test_open_lines_are_counted_as_by_hand(name):
    this = game(name)
    rows, columns = this.board.rows, this.board.columns
    length = {"tictactoe": 3, "gomoku:15": 5}.get(this.name) or int(this.name.rpartition("x")[2])
    masks = [
        sum(
            1 << row * columns + column
            for row in range(rows)
            for column in range(columns)
            if row + (length - 1) * down < rows and 0 <= column + (length - 1) * right < columns
        )
        for down, right in ((0, 1), (1, -1), (1, 0), (1, 1))
    ]
    words = -(-rows * columns // 64)
    starts = split_starts(masks, words)

    @jit
    def count(state, player):
        return open_lines(state, player, words, starts, columns, length)

    for position in random_line(this, 3):
        if position.plies % 7 == 4:
            board = this.pieces(position.state).reshape(rows, columns)
            for player in range(2):
                assert tuple(count(position.state, player)) == lines_by_hand(board, length, player + 1)


def lines_by_hand(board, length, piece):
    found = {1: 0, 2: 0, 3: 0}
    rows, columns = board.shape
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
                cells = [(row + step * down, column + step * right) for step in range(length)]
                if all(0 <= r < rows and 0 <= c < columns for r, c in cells):
                    line = [board[cell] for cell in cells]
                    missing = line.count(0)
                    if missing in found and line.count(piece) == length - missing:
                        found[missing] += 1
    return tuple(found.values())


@pytest.mark.parametrize("size", [2, 5, 8, 11])
def test_hex_counts_missing_stones_and_cells_of_shortest_ways(size):
    this = game(f"hex:{size}")
    for seed in range(4):
        for position in random_line(this, seed):
            board = this.pieces(position.state).reshape(size, size)
            (stones, cells), (other_stones, other_cells) = ways(board, 1), ways(board.T, 2)
            expected = 300 * (other_stones - stones) + 10 * (cells - other_cells) + 150 - 300 * position.to_move
            assert this.rules.heuristic(position.state) == expected


def ways(board, piece):
    """Missing stones, and empty cells that lie on a way with no more, by Dijkstra from both edges."""
    size = len(board)
    down, up = distances(board, piece, 0), distances(board, piece, size - 1)
    best = min(down[size - 1, column] for column in range(size))
    empty = [(r, c) for r in range(size) for c in range(size) if board[r, c] == 0]
    return best, sum(down[cell] + up[cell] - 1 == best for cell in empty)


def distances(board, piece, from_row):
    size = len(board)
    price = {piece: 0, 0: 1}
    cost = {(row, column): price.get(board[row, column], 10**6) for row in range(size) for column in range(size)}
    found = {}
    queue = [(cost[from_row, column], (from_row, column)) for column in range(size)]
    heapq.heapify(queue)
    while queue:
        distance, (row, column) = heapq.heappop(queue)
        if (row, column) in found:
            continue
        found[row, column] = distance
        for r, c in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
            beside = row + r, column + c
            if beside in cost and beside not in found:
                heapq.heappush(queue, (distance + cost[beside], beside))
    return found
