"""Finds the positions of tactics.json again: `python tests/golden/make_tactics.py`, several minutes.

In each of them exactly one move wins. Games are played half at random until alpha-beta finds such a position and proves
the value of every move: all others draw or lose by force.
"""

import json
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from meeple.games.game import Game, Position
from meeple.games.registry import game as load_game
from meeple.games.rules import TO_MOVE
from meeple.search.alphabeta import Verdict, alphabeta

FILE = Path(__file__).with_name("tactics.json")
PER_GAME = 10
SHORT = {1: 2, 3: 5}
"""So many positions of a game may be won within so many plies."""


class Hunt(NamedTuple):
    """Where in a game to look, how deep, and how much of the play is random."""

    game: str
    first_ply: int
    last_ply: int
    depth: int
    """A win is at most that many plies long."""
    proof_depth: int
    """Here all other moves have drawn or lost."""
    random_share: float
    player_depth: int
    """Of the play that is not random."""
    max_nodes: int
    """Of a proof; it has taken less where it succeeded."""


HUNTS = (
    Hunt("connect4", 12, 32, 9, 42, 0.4, 4, 10_000_000),
    Hunt("gomoku", 10, 70, 5, 6, 0.35, 2, 150_000),
    Hunt("hex:6", 20, 24, 36, 36, 0.5, 1, 10_000_000),
    Hunt("dots:3", 16, 18, 24, 24, 1.0, 1, 10_000_000),
)


def main() -> None:
    found = [one for hunt in HUNTS for one in hunted(hunt, Random(hunt.game))]
    FILE.write_text("[\n" + ",\n".join(json.dumps(one) for one in found) + "\n]\n", encoding="utf-8")


def hunted(hunt: Hunt, chance: Random) -> list[dict[str, object]]:
    """Ten positions of different games, few of them won at once."""
    game = load_game(hunt.game)
    found: list[dict[str, object]] = []
    plies: list[int] = []
    while len(found) < PER_GAME:
        position, analysis = _next(game, hunt, chance)
        length = analysis.plies or 0
        if any(length <= short and sum(one <= short for one in plies) >= most for short, most in SHORT.items()):
            continue
        plies.append(length)
        found.append({"game": game.name, "moves": " ".join(position.history), "best": analysis.move, "plies": length})
        print(*found[-1].values(), f"{analysis.nodes:,} nodes {analysis.seconds:.1f} s", flush=True)
    return found


def _next(game: Game, hunt: Hunt, chance: Random) -> tuple[Position, Verdict]:
    while True:
        position = game.start()
        while position.result is None and position.plies <= hunt.last_ply:
            if position.plies >= hunt.first_ply and chance.random() < 0.5:
                analysis = _only_win(position, hunt)
                if analysis is not None:
                    return position, analysis
            position = position.play(_some_move(position, hunt, chance))


def _some_move(position: Position, hunt: Hunt, chance: Random) -> str:
    if position.plies < 2 or chance.random() < hunt.random_share:
        return chance.choice(_near(position))
    return alphabeta(position, depth=hunt.player_depth, table_mb=1, chance=chance).move


def _near(position: Position) -> tuple[str, ...]:
    """The moves beside a stone on a large board; all on another."""
    board = position.game.board
    if position.game.num_actions < 100:
        return position.moves
    pieces = position.game.pieces(position.state).reshape(board.rows, board.columns)
    near = []
    for action in position.actions:
        row, column = divmod(action, board.columns)
        if not position.plies or pieces[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2].any():
            near.append(position.game.names[action])
    return tuple(near)


def _only_win(position: Position, hunt: Hunt) -> Verdict | None:
    """The proof that exactly one move wins, within the depth; None where that is not so."""
    if position.game.name.startswith("gomoku") and not _is_threatened(position):
        return None  # where nothing is threatened, most moves are open to the end of time
    best = alphabeta(position, depth=hunt.depth, table_mb=16, node_limit=hunt.max_nodes)
    if not (best.proven and best.value > 0):
        return None
    proof = alphabeta(position, depth=hunt.proof_depth, all_moves=True, node_limit=hunt.max_nodes)
    others = [value for move, value in proof.moves.items() if move != best.move]
    return proof if all(value.proven and value.value <= 0 for value in others) else None


def _is_threatened(position: Position) -> bool:
    """Whether the opponent would win within three plies if it were their turn."""
    state = position.state
    state[TO_MOVE] ^= np.uint64(1)
    found = alphabeta(Position(position.game, state), depth=3, table_mb=1)
    return found.proven and found.value > 0


if __name__ == "__main__":
    main()
