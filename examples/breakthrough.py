"""Breakthrough (Dan Troyka, 2000), as a model for a game of your own: `meeple play examples/breakthrough.py`.

A piece steps one row ahead, straight or diagonally, and captures diagonally. Who reaches the last row wins, and so does
who takes every piece. The first player starts at the bottom. Words 3 and 4 of a state have a bit for each piece of the
first and the second player; cells are numbered by rows from the top left.
"""

import numpy as np

from meeple.games.board import Board
from meeple.games.game import Game
from meeple.games.symmetry import Symmetry

ROWS, COLUMNS = 8, 8  # any size of up to 64 cells
CELLS = ROWS * COLUMNS
FILLED = COLUMNS * (2 if ROWS >= 6 else 1)
PIECES, ONE = 3, np.uint64(1)

# A step is (from, to). Each one of the first player is, with the board turned around, one of the second's.
ASIDE = [(cell, aside) for cell in range(COLUMNS, CELLS) for aside in (-1, 0, 1)]
FIRST_STEPS = [(cell, cell - COLUMNS + aside) for cell, aside in ASIDE if 0 <= cell % COLUMNS + aside < COLUMNS]
STEPS = FIRST_STEPS + [(CELLS - 1 - start, CELLS - 1 - end) for start, end in FIRST_STEPS]
HALF = len(FIRST_STEPS)
FROM, TO = (ONE << np.array(cells, np.uint64) for cells in zip(*STEPS, strict=True))
IS_STRAIGHT = np.array([start % COLUMNS == end % COLUMNS for start, end in STEPS])
LAST_ROWS = np.uint64(sum(1 << cell for cell in (*range(COLUMNS), *range(CELLS - COLUMNS, CELLS))))


def setup(state):
    for cell in range(FILLED):
        state[PIECES] |= ONE << np.uint64(CELLS - 1 - cell)
        state[PIECES + 1] |= ONE << np.uint64(cell)


def moves(state, actions):
    player = np.int64(state[0])
    own, other = state[PIECES + player], state[PIECES + 1 - player]
    count = 0
    for action in range(player * HALF, (player + 1) * HALF):
        blocked = own | other if IS_STRAIGHT[action] else own
        if FROM[action] & own and not TO[action] & blocked:
            actions[count] = action
            count += 1
    return count


def play(state, action):
    player = np.int64(state[0])
    state[PIECES + player] ^= FROM[action] | TO[action]
    state[PIECES + 1 - player] &= ~TO[action]
    if TO[action] & LAST_ROWS or state[PIECES + 1 - player] == 0:
        state[1] = state[0] + ONE  # 1: the first player won, 2: the second
    state[0] ^= ONE
    state[2] += ONE


def observe(state, planes):
    player = np.int64(state[0])
    for cell in range(CELLS):
        seen = np.uint64(CELLS - 1 - cell if player else cell)
        planes[cell] = state[PIECES + player] >> seen & ONE
        planes[CELLS + cell] = state[PIECES + 1 - player] >> seen & ONE


def pieces(state):
    first, second = state[PIECES:, None] >> np.arange(CELLS, dtype=np.uint64) & ONE
    return first + 2 * second


def symmetry(name, planes):
    """A symmetry of left and right: its planes say where each cell of the image comes from."""
    planes = planes.ravel().astype(np.int32)
    actions = [STEPS.index((planes[start], planes[end])) for start, end in STEPS]
    return Symmetry(name, np.array(actions, np.int32), planes)


planes = np.arange(2 * CELLS).reshape(2, ROWS, COLUMNS)
sites = [(end - start + COLUMNS + 1) * CELLS + start for start, end in FIRST_STEPS]
board = Board(rows=ROWS, columns=COLUMNS)
game = Game(
    f"breakthrough:{ROWS}x{COLUMNS}",
    setup=setup,
    moves=moves,
    play=play,
    observe=observe,
    num_words=PIECES + 2,
    shape=(2, ROWS, COLUMNS),
    num_actions=2 * HALF,
    max_plies=2 * FILLED * (ROWS - 1),  # every step leads ahead
    names=[board.cell_names[start] + board.cell_names[end] for start, end in STEPS],
    board=board,
    pieces=pieces,
    # In the policy, each direction is a board, and the steps of the player to move come first.
    action_sites=[*sites, *(3 * CELLS + site for site in sites)],
    views=[[*range(2 * HALF)], [*range(HALF, 2 * HALF), *range(HALF)]],
    symmetries=[symmetry("identity", planes), symmetry("mirror", planes[:, :, ::-1])],
)
