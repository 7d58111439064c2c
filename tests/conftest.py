"""Settings and fixtures of all tests."""

import pytest
from hypothesis import HealthCheck, settings

# Compiling a game may take a second at its first example; every run tries the same examples.
settings.register_profile(
    "meeple",
    deadline=None,
    max_examples=60,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("meeple")


@pytest.fixture
def new_run(tmp_path, monkeypatch):
    """Makes a run in the current folder, with a small random network for each step; gives its name."""
    import meeple  # late, like PyTorch below: most tests need none of it
    from meeple.nets import fastest
    from meeple.nets.folder import Checkpoints
    from reference.networks import ARCHITECTURES, kept, learned

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
