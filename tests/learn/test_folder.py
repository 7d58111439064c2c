"""Checkpoints of a run: which there are, which plays, and which make room."""

import itertools

import pytest

from meeple.errors import CheckpointError
from meeple.games.registry import game
from meeple.nets.architecture import Architecture
from meeple.nets.checkpoint import Checkpoint, card_of
from meeple.nets.folder import Checkpoints
from meeple.nets.layout import layout_of
from meeple.nets.network import Network

SMALL = Architecture(body="mlp", policy_head="dense", width=4, depth=1)


def filled(folder, steps, best):
    """Checkpoints of these steps."""
    of = game("tictactoe")
    weights, checkpoints = Network(SMALL, layout_of(of)).weights(), Checkpoints(folder)
    for step in steps:
        checkpoints.add(Checkpoint(card_of(of, SMALL, step=step), weights), is_best=step == best)
    return checkpoints


def test_which_there_are(tmp_path):
    checkpoints = filled(tmp_path, (100, 20, 3), best=20)
    (tmp_path / "checkpoints" / ".00000200.safetensors.7.part").write_bytes(b"half")
    assert checkpoints.steps == [3, 20, 100]
    assert checkpoints.best == 20
    assert checkpoints.find("best") == checkpoints.path(20)
    assert checkpoints.find("latest") == checkpoints.path(100)
    assert checkpoints.find("3") == checkpoints.path(3)
    with pytest.raises(CheckpointError, match="has no checkpoint '4': best, latest, or a step as 3, 20, 100"):
        checkpoints.find("4")


def test_before_the_first(tmp_path):
    assert Checkpoints(tmp_path).steps == []
    assert Checkpoints(tmp_path).best is None
    with pytest.raises(CheckpointError, match="has no checkpoints yet"):
        Checkpoints(tmp_path).find("best")


def test_what_comes_after_a_step_is_removed(tmp_path):
    checkpoints = filled(tmp_path, (1, 2, 3, 4), best=2)
    checkpoints.cut(2)
    assert checkpoints.steps == [1, 2]
    checkpoints.cut(0)
    assert checkpoints.steps == []


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_those_that_stay_are_spread_evenly(tmp_path, count):
    checkpoints = filled(tmp_path, (), best=None)
    for step in range(20):
        filled(tmp_path, (step,), best=7)
        checkpoints.thin_out(count)
    steps = checkpoints.steps
    assert {0, 7, 19} <= set(steps)
    assert len(steps) <= max(count, 1) + 2
    gaps = [after - before for before, after in itertools.pairwise(steps)]
    assert count < 5 or max(gaps) <= 6


def test_thinning_again_changes_nothing(tmp_path):
    checkpoints = filled(tmp_path, range(12), best=11)
    checkpoints.thin_out(3)
    steps = checkpoints.steps
    checkpoints.thin_out(3)
    assert checkpoints.steps == steps


@pytest.mark.parametrize("content", ["", "x", "12"])
def test_without_a_good_note_the_latest_is_taken_for_the_best(tmp_path, content):
    checkpoints = filled(tmp_path, (1, 2), best=1)
    (tmp_path / "checkpoints" / "best").write_text(content)
    assert checkpoints.find("best") == checkpoints.path(2)


def test_nowhere_to_write(tmp_path):
    with pytest.raises(CheckpointError, match="cannot write"):
        filled(tmp_path / "none", (1,), best=1)
    with pytest.raises(CheckpointError, match="cannot write"):
        Checkpoints(tmp_path / "none").mark_best(1)
