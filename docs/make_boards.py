"""Draws boards.svg, the picture of all games in the README: `python docs/make_boards.py`."""

from __future__ import annotations

import re
from pathlib import Path

from meeple.games.connect4 import connect4
from meeple.games.dots import dots
from meeple.games.game import Game
from meeple.games.go import go
from meeple.games.hex import hex_game
from meeple.games.mnk import gomoku, tictactoe
from meeple.games.othello import othello
from meeple.games.svg import GRADIENTS, STYLE_SHEET, svg

PICTURE = Path(__file__).with_name("boards.svg")
WIDTH, GAP, MARGIN, CAPTION = 1200, 36, 36, 40

Board = tuple[str, Game, str]

ROWS: tuple[tuple[Board, ...], ...] = (
    (
        ("Go", go(9), "e5 c3 g3 g7 c7 e3 f4 e7 d7 d8 c8 f6 e6 e8 c4 d4 c5 b4 b5 h4 g5"),
        ("Connect 4", connect4(6, 7), "44443352235526621"),
        ("Othello", othello(8), "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6"),
        ("Gomoku", gomoku(15), "h8 i9 i7 g9 h9 h7 j8 g8 g7 i8 h6 h10 i6 j7 g6 f6 f5 i10 h5 h4"),
    ),
    (
        ("Tic-tac-toe", tictactoe(), "b2 a1 c1 a3 a2"),
        ("Hex", hex_game(7), "d4 c5 c4 b5 b4 e3 d3 d5 f2 e4 e5 d6 f4"),
        ("Dots and Boxes", dots(4, 5), "aA cC Aa eE bB Bd aB Ab bC dB Db cD Ad cB Cc bA Ac cA eC Bc Bb De"),
    ),
)

STYLE = """<style>
.page { fill: #faf8f4 }
.mp-board .caption { font-size: 17px; letter-spacing: .02em }
@media (prefers-color-scheme: dark) { .page { fill: #1a1c1f } }
</style>"""


def picture() -> str:
    """All boards, in rows that are as wide as the picture."""
    parts, top = [], float(MARGIN)
    for row in ROWS:
        boards, height = row_of_boards(row, top)
        parts += boards
        top += height + CAPTION + GAP / 2
    height = round(top - GAP / 2 + MARGIN / 2)
    title = ", ".join(caption for row in ROWS for caption, _, _ in row)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            f' class="mp-board" role="img" aria-label="Boards: {title}">',
            f"<style>\n{STYLE_SHEET}</style>",
            STYLE,
            f"<defs>{GRADIENTS['stones']}</defs>",
            f'<rect class="page" width="{WIDTH}" height="{height}" rx="18"/>',
            *parts,
            "</svg>\n",
        ]
    )


def row_of_boards(row: tuple[Board, ...], top: float) -> tuple[list[str], float]:
    """The boards of a row with their captions, all of the same height; and that height."""
    boards = [svg(game.read(moves), coordinates=False) for _, game, moves in row]
    ratios = [ratio(board) for board in boards]
    height = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / sum(ratios)
    parts, left = [], float(MARGIN)
    for (caption, _, _), board, board_ratio in zip(row, boards, ratios, strict=True):
        width = height * board_ratio
        parts.append(placed(board, left, top, width, height))
        parts.append(f'<text class="caption" x="{left + width / 2:.1f}" y="{top + height + 24:.1f}">{caption}</text>')
        left += width + GAP
    return parts, height


def ratio(board: str) -> float:
    """The width of a drawing by its height."""
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', board)
    assert found
    return float(found[1]) / float(found[2])


def placed(board: str, left: float, top: float, width: float, height: float) -> str:
    """A drawing to stand within another: at its place, without what all of them share and what a mouse would need."""
    board = re.sub(
        r"<style>.*?</style>\n|<defs>.*?</defs>\n|<path class=\"mp-target\".*?/>\n", "", board, flags=re.DOTALL
    )
    size = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return (
        re.sub(r'width="[\d.]+" height="[\d.]+"', size, board, count=1)
        .replace(' xmlns="http://www.w3.org/2000/svg"', "")
        .strip()
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
