"""Every recipe that comes with the package, with all its counts shrunk: the whole loop, once around."""

import pytest

from meeple.learn.recipes import load, names
from meeple.learn.run import train

FEW = (
    "self_play.parallel=4", "self_play.random_plies=2", "search.simulations=4", "search.fast_simulations=0",
    "search.cache_mb=16", "gate.games=2", "precision=fp32", "network.value_units=8",
)  # fmt: skip


def shrunk(name, game):
    """The recipe with small numbers."""
    whole = load(name, game)
    changes = [*FEW, "self_play.games=4"]
    if whole.self_play.first_games:
        changes += ["self_play.first_games=4", "self_play.first_simulations=4"]
    if whole.self_play.opening_plies:
        changes.append("self_play.opening_plies=[1]")
    if whole.network.layers:
        changes.append(f"network.layers={[8] * len(whole.network.layers)}")
    else:
        changes += ["network.width=8", "network.depth=1"]
    if whole.gate.simulations:
        changes.append("gate.simulations=4")
    if whole.learner.epochs:
        changes.append("learner.epochs=1")
    return load(name, whole.game, changes)


@pytest.mark.parametrize(
    ("name", "game"),
    [*((name, "connect4:4x5" if name == "fast" else None) for name in names()),
     ("hongcharoen2018", "connect4:8x8"), ("hongcharoen2018", "gomoku:8")],
)  # fmt: skip
def test_the_whole_loop(name, game, tmp_path):
    run = train(recipe=shrunk(name, game), folder=tmp_path / "run", iterations=1, threads=1)
    assert (run.state.iteration, run.state.games) == (1, 4)
    assert run.state.step
