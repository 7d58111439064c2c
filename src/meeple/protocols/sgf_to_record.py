"""SGF of the games that it has, read: the main line of a tree as a record of a game.

    GM   game             moves          special
    1    Go               aa             empty or tt for a pass
    2    Othello          f5 or fe       PA or empty for a pass, which may be left out; the usual start may be set up
    4    Gomoku, Renju    aa
    11   Hex              a1 or aa       swap-pieces, swap-sides

In points of two letters the second counts rows from the top. Any game may end with `resign` or `forfeit`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from meeple.errors import MeepleError, RecordError
from meeple.games.board import ALL_LETTERS
from meeple.games.game import Position, shown
from meeple.games.registry import game as load_game
from meeple.play.records import Record
from meeple.protocols import sgf
from meeple.protocols.sgf import Node, Tree, simple_text

GO, OTHELLO, GOMOKU, HEX = 1, 2, 4, 11
USUAL_SIZES = {GO: 19, OTHELLO: 8, GOMOKU: 15, HEX: 11}
SETUP = ("AB", "AW", "AE")

PASSES = {GO: ("", "tt", "pass"), OTHELLO: ("", "tt", "pa", "ps", "pass", "--")}
GIVING_UP = ("resign", "forfeit")
SWAPS = ("swap", "swap-pieces", "swap-sides")

OLD_HEXGUI = re.compile(r"HexGui:0\.[0-9](?![0-9])")
"""Versions that wrote swap-pieces and meant swap-sides."""

LOG = logging.getLogger(__name__)


def load(path: Path) -> Iterator[Record]:
    """The main lines of a file's games; RecordError says where one cannot be read."""
    for tree in sgf.load(path):
        yield read(tree, str(path))


def read(tree: Tree, name: str = "SGF") -> Record:
    """The main line as a record, whose game and moves are those of the package."""
    return _Reader(tree, name).read()


class _Reader:
    """One game that is being read."""

    def __init__(self, tree: Tree, name: str) -> None:
        self._name = name
        self._line = tree.main_line()
        self._root = self._node = self._line[0]
        self._number = self._read_number()
        self._is_mirrored = False
        """After swap-sides the first player goes on as White; here as Black, on the mirrored board."""
        self._given_up: int | None = None
        self._swaps_sides = OLD_HEXGUI.match(self._root.get("AP")) is not None
        self._position = self._start()

    def read(self) -> Record:
        for node in self._line:
            self._node = node
            if any(name in node.properties for name in SETUP):
                self._check_setup()
            if node.get("PL") and self._side(node.get("PL")) != self._position.to_move:
                self._fail(f"PL{[node.get('PL')]}: it is the other player's turn")
            for colour in ("B", "W"):
                for move in node.properties.get(colour, ()):
                    self._play(colour, simple_text(move).strip().casefold())
        first, second = self._root.get("PB").strip() or "?", self._root.get("PW").strip() or "?"
        return Record(
            game=self._position.game.name,
            players=(first, second),
            moves=self._position.history,
            result=self._result(),
            where=self._place(self._root),
        )

    def _read_number(self) -> int:
        text = self._root.get("GM", "1").strip()
        if text not in map(str, USUAL_SIZES):
            self._fail(f"GM is {shown(text)}; known are 1 (Go), 2 (Othello), 4 (Gomoku) and 11 (Hex)")
        return int(text)

    def _start(self) -> Position:
        columns, rows = self._size()
        handicap = self._root.get("HA", "0").strip()
        if handicap not in ("", "0", "1"):
            self._fail(f"HA is {shown(handicap)}: games with a handicap are not read")
        if self._number != GOMOKU and columns != rows:
            self._fail(f"SZ is {columns}:{rows}: this game needs a square board")
        try:
            return load_game(self._game_name(columns, rows)).start()
        except MeepleError as error:
            self._fail(str(error))

    def _size(self) -> tuple[int, int]:
        text = self._root.get("SZ").strip() or str(USUAL_SIZES[self._number])
        found = re.fullmatch(r"([0-9]{1,3})(?:\s*:\s*([0-9]{1,3}))?", text)
        if found is None:
            self._fail(f"SZ must be a size such as 11 or 13:11, not {shown(text)}")
        return int(found[1]), int(found[2] or found[1])

    def _game_name(self, columns: int, rows: int) -> str:
        rules = self._root.get("RU").casefold()
        if self._number == HEX:
            moves = (
                simple_text(move) for node in self._line for name in "BW" for move in node.properties.get(name, ())
            )
            has_swap = "swap" in rules or any(move.strip().casefold() in SWAPS for move in moves)
            return f"hex:{columns}{'?swap=1' * has_swap}"
        if self._number == OTHELLO:
            return f"othello:{columns}"
        if self._number == GO:
            komi = self._root.get("KM").strip()
            allows_suicide = re.search(r"\b(?:nz|new zealand|goe|ing|tromp)", rules)
            options = [f"komi={komi}"] * bool(komi) + ["suicide=1"] * bool(allows_suicide)
            return f"go:{columns}?{'&'.join(options)}"
        exact = "?exact=1" * ("standard" in rules)
        return (f"gomoku:{columns}" if columns == rows else f"mnk:{columns}x{rows}x5") + exact

    def _check_setup(self) -> None:
        """Othello's usual start may be set up; nothing else."""
        pieces = self._position.game.pieces(self._position.state)
        cells = self._position.game.board.cell_names
        for name, player in (("AB", 1), ("AW", 2), ("AE", 0)):
            usual = {cell for cell, piece in zip(cells, pieces, strict=True) if piece == player and player}
            points = [simple_text(point).strip().casefold() for point in self._node.properties.get(name, ())]
            if self._number != OTHELLO or self._position.plies or {self._cell(point) for point in points} != usual:
                self._fail("stones are set up: only games from the usual start are read")

    def _play(self, colour: str, word: str) -> None:
        if self._given_up is not None:
            self._fail("there are moves after the game was given up")
        player = self._side(colour)
        if word in GIVING_UP:
            self._given_up = -1 if player == 0 else 1
            return
        is_pass = word in PASSES.get(self._number, ())
        if is_pass and (self._position.result is not None or self._number == OTHELLO):
            self._pass_over(player)
            return
        if self._position.result is None and player != self._position.to_move:
            self._fail(f"{colour}[{word[:16]}]: it is the other player's turn")
        if self._number == HEX and word in SWAPS:
            self._swap(word)
            return
        self._move("pass" if is_pass else self._cell(word))

    def _pass_over(self, player: int) -> None:
        """A pass that the rules of the package make by themselves."""
        position = self._position
        if position.result is not None:
            return
        if player == position.to_move or position.previous is None or position.previous.to_move != position.to_move:
            self._fail("a pass by a player who must move")

    def _swap(self, word: str) -> None:
        self._move("swap-pieces")
        self._is_mirrored = word == "swap-sides" or (word == "swap-pieces" and self._swaps_sides)

    def _move(self, move: str) -> None:
        try:
            self._position = self._position.play(move)
        except MeepleError as error:
            self._fail(str(error))

    def _cell(self, point: str) -> str:
        """The name of a cell in the package."""
        board = self._position.game.board
        algebraic = re.fullmatch(r"([a-z])([1-9][0-9]?)", point) if self._number in (HEX, OTHELLO) else None
        if algebraic:
            column, row = ALL_LETTERS.index(algebraic[1]), int(algebraic[2]) - 1
        elif re.fullmatch("[a-z]{2}", point):
            column, row = map(ALL_LETTERS.index, point)
        else:
            self._fail(f"{shown(point)} is not a point of the board")
        if self._is_mirrored:
            column, row = row, column
        if column >= board.columns or row >= board.rows:
            self._fail(f"{shown(point)} is beyond the board of {board.columns} columns and {board.rows} rows")
        return board.cell_names[row * board.columns + column]

    def _side(self, colour: str) -> int:
        """Who plays a colour, 0 or 1."""
        return int(colour.strip().casefold() not in ("b", "black")) ^ self._is_mirrored

    def _result(self) -> int | None:
        """Who won, as the moves say, or else as the file does."""
        said = self._root.get("RE").strip().casefold()
        winner = re.match(r"(b|w|black|white)(?:\+|$)", said)
        told = (-1 if self._side(winner[1]) else 1) if winner else 0 if said in ("0", "draw", "jigo") else None
        known = self._position.result if self._given_up is None else self._given_up
        if known is not None and told not in (None, known):
            LOG.warning("%s: RE is %s, but the moves say otherwise", self._place(self._root), shown(said))
        return told if known is None else known

    def _place(self, node: Node) -> str:
        return f"{self._name}:{node.line}:{node.column}"

    def _fail(self, message: str) -> NoReturn:
        raise RecordError(f"{self._place(self._node)}: {message}")
