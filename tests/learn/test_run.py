"""Runs from beginning to end, in moments: every kind of recipe, every kind of end, and what they may take."""

import threading
import time

import pytest

import meeple
from meeple.errors import RunError
from meeple.learn import run as module
from meeple.learn.events import Began, Metrics, Progress, Saved, Warned
from meeple.learn.metrics import NAME, Table
from meeple.learn.run import train
from meeple.learn.storage import Folder
from meeple.nets.checkpoint import load
from meeple.nets.folder import Checkpoints
from reference.runs import games, go, networks, rows, tiny

VALUES_ONLY = {
    "network": {"body": "mlp", "policy_head": "none", "value_head": "wdl", "width": 16, "depth": 1},
    "search": {"engine": "lookahead", "solve": False, "peek": False, "cache_mb": 0},
    "self_play": {"games": 8, "randomness": [1.0, 0.5], "random_plies": 3, "stop_when_proven": False},
    "replay": {"positions": None, "iterations": 1, "augment": "all"},
    "learner": {"steps": None, "epochs": 1, "batch": 64, "optimizer": "adam", "value_loss": "cross_entropy"},
}
"""Like the project of 2017."""
RECIPES = {
    "plain": {},
    "puct": {"search": {"engine": "puct"}, "self_play": {"temperature_plies": 9}},
    "values only": VALUES_ONLY,
    "convolutions in int8": {"precision": "int8", "network": {"body": "residual", "policy_head": "cell", "width": 4}},
    "reuse": {"learner": {"steps": None, "reuse": 2.0, "optimizer": "sgd", "restart": "weights"}},
    "epochs": {"learner": {"steps": None, "epochs": 2, "restart": "optimizer"}, "replay": {"augment": "all"}},
    "games": {"replay": {"positions": None, "games": 15}, "learner": {"average": 0.9, "clip": 1.0}},
    "iterations": {"replay": {"positions": None, "iterations": 2}, "search": {"cache_mb": 0}},
    "cosine": {"learner": {"schedule": "cosine", "warmup_steps": 5, "root_value_share": 0.5}},
    "two searches": {"search": {"fast_simulations": 4, "full_share": 0.5}},
    "first games": {"self_play": {"first_games": 7, "first_simulations": 20}},
    "random moves": {"self_play": {"randomness": [0.5, 0.25], "random_plies": 2, "random_share": 0.5}},
    "openings": {"self_play": {"opening_plies": [1, 3], "opening_moves": "all"}},
    "winning openings": {"self_play": {"opening_plies": [2], "opening_moves": "winning"}},
    "resigning": {"self_play": {"resign_below": -0.2, "resign_checked": 0.3, "resign_false": 0.3}},
    "gate by score": {"gate": {"test": "score", "at_least": 0.5, "games": 5, "simulations": 4}},
    "gate by wins": {"gate": {"test": "wins", "at_least": 1.2, "games": 6, "go_back": False}},
    "few checkpoints": {"limits": {"checkpoints": 1}},
}


class Listener:
    """Hears everything, and may stop the run at an event."""

    def __init__(self, stops_at=lambda event: False):
        self.events, self.stop, self._stops_at = [], threading.Event(), stops_at

    def __call__(self, event):
        self.events.append(event)
        if self._stops_at(event):
            self.stop.set()

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


@pytest.mark.parametrize("parts", RECIPES.values(), ids=RECIPES)
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(tmp_path, parts):
    recipe, listener = tiny(**parts), Listener(lambda event: isinstance(event, Metrics))
    go(tmp_path / "whole", recipe, 4)
    run = go(tmp_path / "stopped", recipe, 4, listen=listener, stop=listener.stop)
    assert run.state.iteration == 1
    for _ in range(2):
        listener.stop.clear()
        go(tmp_path / "stopped", None, 4, listen=listener, stop=listener.stop)
    run = go(tmp_path / "stopped", None, 4)
    assert run.state.iteration == 4
    assert networks(tmp_path / "stopped") == networks(tmp_path / "whole")
    assert games(tmp_path / "stopped") == games(tmp_path / "whole")
    assert rows(tmp_path / "stopped") == rows(tmp_path / "whole") == [1, 2, 3, 4]


def test_another_seed_gives_another_run(tmp_path):
    for seed in (1, 2):
        go(tmp_path / f"{seed}", tiny(seed=seed), 1)
    assert games(tmp_path / "1") != games(tmp_path / "2")


def test_a_seed_may_be_of_any_size(tmp_path):
    assert go(tmp_path / "run", tiny(seed=2**70), 1).state.iteration == 1


def test_two_threads_play_the_same_games_in_the_first_iteration(tmp_path):
    for threads in (1, 2):
        go(tmp_path / f"{threads}", tiny(), 1, threads=threads)
    assert games(tmp_path / "1") == games(tmp_path / "2")


def test_what_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PROGRESS_S", 0)
    listener = Listener()
    go(tmp_path / "run", tiny(**RECIPES["gate by score"]), 2, listen=listener)
    assert [type(event) for event in listener.events if not isinstance(event, Progress | Warned)] == [
        Began, Saved, Metrics, Saved, Metrics,
    ]  # fmt: skip
    assert {event.phase for event in listener.of(Progress)} == {"self-play", "learning", "gate"}
    assert all(0 <= event.share <= 1 and event.done <= event.total for event in listener.of(Progress))
    assert listener.of(Metrics) == Table(tmp_path / "run" / NAME).rows
    for saved in listener.of(Saved):
        assert load(saved.checkpoint).card.step == saved.step
    (began,) = listener.of(Began)
    assert began.runtime in ("onnxruntime fp32", "openvino fp32")
    assert began.memory_mb <= 64


ENDLESS = {
    "first games": {"self_play": {"first_games": 10**6, "first_simulations": 100}},
    "self-play": {"self_play": {"games": 10**6}},
    "learning": {"learner": {"steps": 10**6}},
    "gate": {"gate": {"test": "score", "games": 10**5, "simulations": 100, "at_least": 0.1}},
}


@pytest.mark.parametrize("phase", ENDLESS)
def test_it_stops_soon_when_told_in_any_phase(tmp_path, monkeypatch, phase):
    monkeypatch.setattr(module, "PROGRESS_S", 0)
    told = []

    def is_time(event):
        if isinstance(event, Progress) and event.phase == phase:
            told.append(time.monotonic())
        return bool(told)

    listener = Listener(is_time)
    if phase == "gate":  # its games end together, long after they begin
        threading.Timer(0.5, lambda: (told.append(time.monotonic()), listener.stop.set())).start()
    run = go(tmp_path / "run", tiny(**ENDLESS[phase]), listen=listener, stop=listener.stop)
    assert time.monotonic() - told[0] < 1.5
    assert rows(tmp_path / "run") == []
    assert run.state.iteration == 0
    assert Folder(tmp_path / "run").state().minutes == pytest.approx(run.minutes, abs=0.02)


def test_it_stops_soon_while_it_builds_openings(tmp_path):
    stop = threading.Event()
    stop.set()
    recipe = tiny(game="hex:6", self_play={"opening_plies": [4]})
    began = time.monotonic()
    run = go(tmp_path / "run", recipe, stop=stop)
    assert time.monotonic() - began < 5
    assert run.state.iteration == 0
    assert not (tmp_path / "run" / "openings.sqlite").exists()


def test_it_ends_with_its_time(tmp_path):
    run = go(tmp_path / "run", tiny(), None, minutes=0.02)
    assert 0.01 < run.minutes < 0.05
    again = go(tmp_path / "run", None, None, minutes=0.02)
    assert again.state.iteration <= run.state.iteration + 1
    assert again.minutes < 0.06


def test_it_ends_with_its_steps(tmp_path):
    assert go(tmp_path / "run", tiny(), None, steps=13).state.step == 18


def test_the_recipe_says_after_how_many_iterations(tmp_path):
    assert go(tmp_path / "run", tiny(iterations=2), None).state.iteration == 2


def test_another_game_is_refused(tmp_path):
    go(tmp_path / "run", tiny(), 1)
    with pytest.raises(RunError, match="learns mnk:3x3x3, not connect4"):
        train("connect4", folder=tmp_path / "run", resume=True)
    with pytest.raises(RunError, match="its folder is missing"):
        train("connect4", resume=True)
    with pytest.raises(RunError, match="there is no run in"):
        train("connect4", folder=tmp_path / "none", resume=True)


def test_nothing_to_learn_from(tmp_path):
    with pytest.raises(RunError, match=r"less randomness"):
        go(tmp_path / "run", tiny(self_play={"randomness": [0.999999]}))


def test_values_are_learned_from_random_games(tmp_path):
    go(tmp_path / "run", tiny(**VALUES_ONLY), 1)
    (row,) = Table(tmp_path / "run" / NAME).rows
    assert row.window_positions > 30


def test_a_network_that_fails_the_gate_never_plays(tmp_path):
    for go_back in (True, False):
        recipe = tiny(gate={"test": "score", "at_least": 0.99, "games": 4, "go_back": go_back})
        run = go(tmp_path / f"{go_back}", recipe, 3)
        assert Checkpoints(run.folder).best == 0
        assert [row.gate_passed for row in Table(run.folder / NAME).rows] == [False] * 3
    assert networks(tmp_path / "True").keys() == networks(tmp_path / "False").keys()
    assert networks(tmp_path / "True") != networks(tmp_path / "False")


def test_giving_up_pauses_where_it_is_often_wrong(tmp_path):
    """With an untrained network it is nearly always wrong at -0.001."""
    recipe = tiny(self_play={"games": 40, "resign_below": -0.001, "resign_checked": 0.5, "resign_false": 0.0})
    run = go(tmp_path / "run", recipe, 1)
    assert not run.state.may_resign
    go(tmp_path / "run", None, 2)
    first, second = Table(run.folder / NAME).rows
    assert first.resigned_wrongly > 0
    played = games(run.folder)
    assert all(is_over_or_proven(episode) for episode in played[40:])
    assert second.resigned > 0


def is_over_or_proven(episode):
    """Whether nobody gave up: the game was played to its end, or somebody had an immediate win."""
    *_, root_values, is_complete = episode
    return is_complete or abs(root_values[-1]) == 1 or root_values[-1] == 0


def test_games_make_room_first_then_checkpoints(tmp_path):
    recipe = tiny(self_play={"games": 200, "parallel": 64}, replay={"positions": 500}, limits={"disk_mb": 1})
    run = go(tmp_path / "run", recipe, 30)
    assert Folder(run.folder).disk_mb <= 1
    assert 1 < len(Folder(run.folder).logs) < 30
    assert rows(run.folder) == list(range(1, 31))


def test_a_disk_limit_that_cannot_be_kept(tmp_path):
    recipe = tiny(network={"width": 200, "depth": 3}, limits={"disk_mb": 1})
    with pytest.raises(RunError, match=r"MB with nothing left to remove, more than limits.disk_mb = 1: raise it in"):
        go(tmp_path / "run", recipe)
    file = tmp_path / "run" / "recipe.toml"
    file.write_text(file.read_text().replace("disk_mb = 1", "disk_mb = 10"))
    assert go(tmp_path / "run").state.iteration == 3


@pytest.mark.parametrize("parts", [{"replay": {"positions": 10**7}}, {"search": {"cache_mb": 100}}])
def test_a_recipe_that_needs_too_much_memory(tmp_path, parts):
    with pytest.raises(RunError, match=r"takes [\d,]+ MB of memory.* more than limits.memory_mb = 64"):
        go(tmp_path / "run", tiny(**parts))


def test_a_window_that_grows_too_large(tmp_path):
    window = {"positions": None, "iterations": 50}
    with pytest.raises(RunError, match=r"takes [\d,]+ MB of memory.* more than limits.memory_mb = 4"):
        go(tmp_path / "run", tiny(game="hex:8", self_play={"games": 50}, replay=window, limits={"memory_mb": 4}), 40)
    assert 0 < Folder(tmp_path / "run").state().iteration < 40


def test_three_in_a_row_is_learned(tmp_path):
    """Within seconds: it hardly ever loses, and its policy alone is far better than before."""
    recipe = tiny(
        network={"width": 64, "depth": 2},
        search={"simulations": 16},
        self_play={"games": 64, "parallel": 32, "temperature_plies": 3},
        replay={"positions": 3000},
        learner={"steps": 40, "batch": 64, "learning_rate": 0.003},
    )
    run = go(tmp_path / "run", recipe, 24)

    def match(network, options, other):
        return meeple.match(f"net:{run.folder}@{network}?{options}", other, run.game, games=200, seed=1)

    assert match("best", "sims=32", "random").score > 0.92
    assert match("best", "sims=32", "mcts:100").score > 0.5
    assert match("best", "sims=32", "mcts:100").both.losses < 5
    assert match("best", "engine=policy", "mcts:100").score > match("0", "engine=policy", "mcts:100").score + 0.15
