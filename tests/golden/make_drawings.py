"""Draws the positions of drawings/*.txt again: `python tests/golden/make_drawings.py`.

Every file says the game and the moves and then how the position must look. All were checked by hand: read the
difference before you commit it.
"""

from pathlib import Path

import numpy as np

from meeple.games.board import Board
from meeple.games.connect4 import connect4
from meeple.games.dots import dots
from meeple.games.drawing import text
from meeple.games.game import Game
from meeple.games.go import go
from meeple.games.hex import hex_game
from meeple.games.mnk import gomoku, mnk, tictactoe
from meeple.games.othello import othello

FOLDER = Path(__file__).with_name("drawings")

CELLS = Board(rows=3, columns=3).cell_names


def walkers(name="walkers", names=None):
    """Two pieces on three by three that step forward; a move says from where to where."""

    def setup(state):
        state[3], state[4] = 6, 2

    def moves(state, actions):
        player = np.int64(state[0])
        start = np.int64(state[3 + player])
        target = start + 3 if player else start - 3
        actions[0] = 9 * start + target
        return 1 if 0 <= target < 9 else 0

    def play(state, action):
        state[3 + np.int64(state[0])] = action % 9
        state[0] ^= np.uint64(1)
        state[2] += np.uint64(1)
        if state[2] == np.uint64(4):
            state[1] = np.uint64(3)

    def observe(state, planes):
        planes[:] = 0
        planes[np.int64(state[3 + np.int64(state[0])])] = 1
        planes[9 + np.int64(state[4 - np.int64(state[0])])] = 1

    return Game(
        name,
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        num_words=5,
        shape=(2, 3, 3),
        num_actions=81,
        names=names or [start + end for start in CELLS for end in CELLS],
        board=Board(rows=3, columns=3),
    )


# File: game, moves, plain ASCII only.
POSITIONS = {
    "marks": (tictactoe(), "b2 c3", False),
    "marks-won": (tictactoe(), "b2 c3 b1 a3 b3", False),
    "marks-drawn": (tictactoe(), "b2 a1 c1 a3 a2 c2 b1 b3 c3", False),
    "marks-rectangle": (mnk(4, 3, 3), "-", False),
    "marks-steps": (walkers(), "a1a2 c3c2", False),
    "discs": (connect4(6, 7), "4453", False),
    "discs-won": (connect4(6, 7), "1212121", True),
    "discs-wide": (connect4(4, 10), "10 10 1", False),
    "reversi": (othello(6), "c2 b2 b3", False),
    "reversi-ascii": (othello(8), "f5", True),
    "stones": (gomoku(15), "h8 i9 o1", False),
    "stones-pass": (go(5, komi=0), "C3 D3 C2 D2 pass", False),
    "stones-captured": (go(5, komi=0), "A1 A2 E5 B1", True),
    "hexes": (hex_game(4), "b2 c3", False),
    "hexes-ascii": (hex_game(3), "b2 c3", True),
    "hexes-swapped": (hex_game(4, swap=True), "b3 swap-pieces", False),
    "hexes-large": (hex_game(11), "a11 k1", False),
    "lines": (dots(2, 3), "Ab Aa aB aA cC Bd", False),
    "lines-start": (dots(1, 2), "-", False),
    "lines-won": (dots(1, 1), "aA Aa aB Ab", False),
}


def drawing(name: str) -> str:
    """What the file of that name must contain."""
    game, moves, ascii_only = POSITIONS[name]
    return f"{game.name}\n{moves}\n\n{text(game.read(moves), ascii_only=ascii_only)}\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for name in POSITIONS:
        (FOLDER / f"{name}.txt").write_text(drawing(name), encoding="utf-8")
