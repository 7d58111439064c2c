"""Searches on positions where one move wins and every other does not; `tests/search/test_tactics.py` proves each."""

import json
from pathlib import Path

import pytest

import meeple

TACTICS = json.loads((Path(__file__).parents[1] / "golden" / "tactics.json").read_text(encoding="utf-8"))


def named(tactic):
    return f"{tactic['game']}-{tactic['moves'].replace(' ', '')[-12:]}"


@pytest.mark.parametrize("tactic", TACTICS, ids=named)
@pytest.mark.parametrize("spec", ["mcts:20000", "puct:50000"])
def test_finds_the_only_winning_move(spec, tactic):
    position = meeple.game(tactic["game"]).read(tactic["moves"])
    assert meeple.player(spec, position.game, seed=1).choose(position) == tactic["best"]
