"""A recorded game of any kind of player is played again, move for move."""

import pytest

import meeple
from meeple.play.records import read
from meeple.play.replay import replay

SPECS = (
    "mcts:30", "puct:20?evaluator=rollout", "gumbel:16?evaluator=rollout", "puct:20?noise=0.25&temperature=1",
    "alphabeta:2?random=1",
)  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_replays(spec, tmp_path):
    file = tmp_path / "games.jsonl"
    meeple.match(spec, "random", "dots:2", 6, seed=5, opening_plies=2, save=file)
    for record in read(file):
        assert replay(record, meeple.game("dots:2")).history == tuple(record.moves)
