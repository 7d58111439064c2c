"""Tic-tac-toe learned from nothing: the result never loses, against any reply, on either side."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import meeple
from meeple.learn import recipes

DEMO = Path(__file__).parents[2] / "examples/demo.py"
SMALL = (
    "network.width=16", "network.depth=2", "self_play.games=256", "self_play.first_games=256",
    "self_play.first_simulations=100", "learner.reuse=8", "learner.learning_rate=0.005", "learner.schedule=constant",
    "learner.warmup_steps=10", "learner.average=0.9", "precision=fp32",
)  # fmt: skip


def losses(run, which, options=""):
    proof = meeple.prove(f"net:{run.folder}@{which}?precision=fp32{options}", "tictactoe")
    assert proof.complete
    return proof.losses


def test_a_small_network_learns_it_in_a_few_iterations(tmp_path):
    recipe = recipes.load("fast", "tictactoe", [*SMALL, "seed=1"])
    run = meeple.train("tictactoe", recipe, tmp_path / "run", iterations=12, threads=1)
    assert losses(run, "0") > 0
    assert losses(run, "best") == 0
    assert losses(run, "0", "&engine=policy") > 400
    assert losses(run, "best", "&engine=policy") < 50


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_after_a_minute_it_never_loses(seed, tmp_path):
    recipe = recipes.load("fast", "tictactoe", [f"seed={seed}"])
    run = meeple.train("tictactoe", recipe, tmp_path / "run", minutes=1)
    proof = meeple.prove(f"net:{run.folder}@best", "tictactoe")
    assert proof.complete
    assert (proof.as_first.losses, proof.as_second.losses) == (0, 0), run.state


@pytest.mark.slow
def test_the_demo_shows_it(tmp_path):
    done = subprocess.run(
        [sys.executable, str(DEMO)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "It never loses." in done.stdout
    assert "Drawn." in done.stdout
    assert (tmp_path / "runs/tictactoe-fast-1/checkpoints/best").exists()
