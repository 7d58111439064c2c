"""SGF of the games that it has, written: a record of a game as a tree.

Moves are written as each game's own programs do: Hex and Othello with letter and number, the others with two letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from meeple.errors import RecordError
from meeple.games.board import ALL_LETTERS
from meeple.games.game import Game, Position
from meeple.play.records import Record
from meeple.protocols import sgf
from meeple.protocols.sgf import Node, Tree
from meeple.protocols.sgf_to_record import GO, GOMOKU, HEX, OTHELLO


def is_known(game: Game) -> bool:
    """Whether SGF has the game."""
    return _number(game) is not None


def write(records: Iterable[Record], game: Game) -> str:
    """Games as a collection, one tree each."""
    return sgf.write(tree(record, game) for record in records)


def tree(record: Record, game: Game) -> Tree:
    """A record of a game as a tree; RecordError where SGF does not have the game."""
    number = _number(game)
    if number is None:
        raise RecordError(f"SGF has no {game.name}: it is for Hex, Go, Othello and Gomoku")
    position, end = game.start(), record.end(game)
    nodes = [Node(_header(record, number, end))]
    for move in record.moves:
        after = position.play(move)
        nodes.append(Node({"BW"[position.to_move]: (_point(game, number, after.action or 0),)}, len(nodes) - 1))
        if number == OTHELLO and after.to_move == position.to_move and after.result is None:
            nodes.append(Node({"BW"[1 - position.to_move]: ("PA",)}, len(nodes) - 1))
        position = after
    return Tree(tuple(nodes))


def _header(record: Record, number: int, end: Position) -> dict[str, tuple[str, ...]]:
    game = end.game
    board = game.board
    size = str(board.columns) if board.columns == board.rows else f"{board.columns}:{board.rows}"
    header = {"FF": "4", "GM": str(number), "CA": "UTF-8", "AP": "meeple:1", "SZ": size}
    header |= {"RU": _rules(game, number)} if _rules(game, number) else {}
    header |= {"KM": f"{game.komi:g}"} if number == GO else {}
    header |= {"DT": sgf.escape(record.time[:10])} if record.time else {}
    for name, player in zip(("PB", "PW"), record.players, strict=True):
        header[name] = sgf.escape(" ".join(player.split()))
    header["RE"] = _outcome(record.result, number, end)
    start = _othello_start(game) if number == OTHELLO else {}
    return {name: (value,) for name, value in header.items()} | start


def _othello_start(game: Game) -> dict[str, tuple[str, ...]]:
    """Spelled out, as Edax does."""
    pieces = zip(game.board.cell_names, game.pieces(game.start().state), strict=True)
    found = list(pieces)
    black, white = (tuple(cell for cell, piece in found if piece == player) for player in (1, 2))
    return {"AB": black, "AW": white, "PL": ("B",)}


def _rules(game: Game, number: int) -> str:
    _, _, options = game.name.partition("?")
    if number == OTHELLO:
        return ""
    if number == HEX:
        return "swap" if "swap=1" in options else ""
    if number == GO:
        return "NZ" if "suicide=1" in options else "Chinese"
    return "Standard" if "exact=1" in options else "Freestyle"


def _outcome(result: int | None, number: int, end: Position) -> str:
    if not result:
        return "?" if result is None else "0"
    winner = "B+" if result > 0 else "W+"
    if end.result is None:
        return f"{winner}R"
    if number in (GO, OTHELLO) and end.margin is not None:
        return f"{winner}{abs(end.margin - end.game.komi):g}"
    return winner


def _point(game: Game, number: int, action: int) -> str:
    board = game.board
    if number in (HEX, OTHELLO):
        return game.names[action]
    if action == board.rows * board.columns:
        return ""
    row, column = divmod(action, board.columns)
    return ALL_LETTERS[column] + ALL_LETTERS[row]


def _number(game: Game) -> int | None:
    """The number that SGF has for a game."""
    kind = re.split("[:?]", game.name)[0]
    if kind == "mnk" and re.match(r"mnk:\d+x\d+x5(?!\d)", game.name):
        return GOMOKU
    return {"go": GO, "othello": OTHELLO, "gomoku": GOMOKU, "hex": HEX}.get(kind)
