"""Runs with small networks that have learned nothing."""

import pytest

import meeple
from meeple.nets import fastest
from meeple.nets.folder import Checkpoints
from reference.networks import ARCHITECTURES, kept, learned


@pytest.fixture
def new_run(tmp_path, monkeypatch):
    """Makes a run with a checkpoint for each step in the current folder; its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fastest, "user_folder", lambda: tmp_path / "meeple")

    def make(game="tictactoe", kind="residual", name="mine", steps=(1,), best=1):
        (tmp_path / name).mkdir()
        checkpoints, of = Checkpoints(tmp_path / name), meeple.game(game)
        for step in steps:
            made = kept(of, learned(of, ARCHITECTURES[kind], seed=step))
            checkpoints.add(made._replace(card=made.card.model_copy(update={"step": step})), is_best=step == best)
        return name

    return make
