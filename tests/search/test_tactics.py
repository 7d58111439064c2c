"""Forty positions in which exactly one move wins, proven afresh; tests/golden/make_tactics.py found them."""

import json
from pathlib import Path

import pytest

from meeple.games.registry import game
from meeple.search.alphabeta import alphabeta

POSITIONS = json.loads((Path(__file__).parents[1] / "golden" / "tactics.json").read_text(encoding="utf-8"))
DEPTHS = {"gomoku:15": 6}
"""By then every other move has lost; other games are searched to their ends."""


@pytest.mark.parametrize(
    "known", POSITIONS, ids=lambda known: f"{known['game']}-{known['moves'].replace(' ', '')[:16]}"
)
def test_exactly_one_move_wins(known):
    position = game(known["game"]).read(known["moves"])
    assert position.result is None
    this = position.game
    proof = alphabeta(position, depth=DEPTHS.get(this.name, this.max_plies), all_moves=True)
    assert (proof.move, proof.value, proof.proven, proof.plies) == (known["best"], 1.0, True, known["plies"])
    others = [value for move, value in proof.moves.items() if move != known["best"]]
    assert len(others) == len(position.moves) - 1
    assert others
    assert all(value.proven and value.value <= 0 for value in others)
    # The line of best play wins in as many plies.
    end = position
    for move in proof.line:
        end = end.play(move)
    assert len(proof.line) == known["plies"]
    assert end.result == 1 - 2 * position.to_move


def test_there_are_ten_positions_of_each_game_and_few_are_won_at_once():
    for name in ("connect4", "gomoku:15", "hex:6", "dots:3"):
        lengths = [known["plies"] for known in POSITIONS if known["game"] == name]
        assert len(lengths) == 10
        assert sum(plies >= 3 for plies in lengths) >= 7
        assert name in ("hex:6", "dots:3") or max(lengths) <= 9
    assert len({(known["game"], known["moves"]) for known in POSITIONS}) == 40
