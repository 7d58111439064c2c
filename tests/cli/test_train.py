"""`meeple train`: what it asks of a run, and what it says of one. Runs themselves are tested in `tests/learn`."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from meeple.cli import output, train, training
from meeple.errors import CheckpointError, RunError
from meeple.games.registry import game as meeple_game
from meeple.learn import recipes
from meeple.learn.events import Began, Progress, Saved, Warned
from meeple.learn.metrics import NAME, Table
from meeple.learn.storage import Folder, State
from reference.metrics import row, rows

FIELDS = {"run", "step", "games", "positions", "minutes", "checkpoint"}
TINY = (
    "--set", "network.width=8", "--set", "network.depth=1", "--set", "self_play.games=16", "--set",
    "self_play.first_games=16", "--set", "self_play.first_simulations=10", "--set", "search.simulations=12",
    "--set", "search.fast_simulations=4", "--threads", "1",
)  # fmt: skip


class Fake:
    """A run that does nothing but what it is told to."""

    def __init__(self):
        self.asked = None
        self.metrics = rows(2)
        self.during = lambda listen, stop: None

    def train(self, game, recipe, folder, *, listen, stop, resume, **asked):
        loaded = meeple_game(game or recipe.game)
        self.asked = SimpleNamespace(game=loaded, recipe=recipe, folder=folder, resume=resume, **asked)
        files = Folder(folder)
        if not resume:
            files.create(recipe)
            files.release()
        numbers = {"memory_mb": 1234.4, "disk_mb": 2000.0, "runtime": "torch fp32", "threads": 2}
        listen(Began(run=folder, recipe=recipe, iteration=3 if resume else 0, **numbers))
        self.during(listen, stop)
        for one in self.metrics:
            Table(folder / NAME).append(one)
            listen(one)
        return Done(folder, recipe, self.metrics)


class Done:
    """What is left of it."""

    def __init__(self, folder, recipe, metrics):
        self.folder, self.recipe = folder, recipe
        names = ("iteration", "step", "games", "positions", "minutes")
        self.state = State(**{name: getattr(metrics[-1], name) for name in names}) if metrics else State()

    @property
    def checkpoint(self):
        if not self.state.iteration:
            raise CheckpointError(f"{self.folder} has no checkpoints yet")
        return self.folder / "checkpoints" / f"{self.state.step:08d}.safetensors"


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Takes the place of a run; everything happens in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    fake = Fake()
    monkeypatch.setattr(train, "_train", lambda: fake.train)
    return fake


def progress(**changes):
    numbers = {
        "phase": "self-play", "iteration": 2, "done": 30, "total": 512, "share": 0.1, "games": 1500, "minutes": 1.0,
        "minutes_left": 9.5,
    }  # fmt: skip
    return Progress(**{**numbers, **changes})


def test_as_json(meeple, fake):
    code, out, _err = meeple("train", "hex:6", "--minutes", "10", "--json")
    found = json.loads(out)
    assert (code, out.count("\n")) == (0, 1)
    assert found.keys() >= FIELDS
    assert (found["run"], found["step"], found["games"]) == ("runs/hex-6-fast-1", 400, 1000)
    assert found["checkpoint"] == "runs/hex-6-fast-1/checkpoints/00000400.safetensors"
    assert found["metrics"]["policy_loss"] == row(2).policy_loss


def test_in_words(meeple, fake):
    code, out, err = meeple("train", "hex:6")
    assert code == 0
    assert out.splitlines() == [
        "runs/hex-6-fast-1: 2 iterations, 400 steps, 1,000 games, 20,000 positions, 1.0 minutes",
        "best network: runs/hex-6-fast-1/checkpoints/00000400.safetensors",
        "play it: meeple play hex:6 --against net:runs/hex-6-fast-1@best",
    ]
    lines = err.splitlines()
    assert lines[0].startswith("runs/hex-6-fast-1: hex:6, recipe fast, 2 threads, torch fp32")
    assert lines[1] == "takes at most 1,234 MB of memory and 2,000 MB of disk; Ctrl-C stops it"
    assert lines[2].startswith("iteration 1, step 200, 500 games, 0.5 min; loss 1.")
    assert len(lines) == 4


def test_options_reach_the_run(meeple, fake, tmp_path):
    words = "--minutes", "1.5", "--steps", "9", "--iterations", "3", "--threads", "2", "--seed", "7"
    changes = "--set", "search.simulations=64", "--set", "self_play.games=8"
    done = meeple("train", "connect4", *words, *changes, "--run", str(tmp_path / "here"))
    assert done.code == 0
    asked = fake.asked
    assert (asked.minutes, asked.steps, asked.iterations, asked.threads, asked.resume) == (1.5, 9, 3, 2, False)
    assert (asked.recipe.search.simulations, asked.recipe.self_play.games_of(0), asked.recipe.seed) == (64, 8, 7)
    assert (asked.game.name, asked.recipe.game, asked.folder) == ("connect4", "connect4", tmp_path / "here")


def test_the_run_decides_what_is_not_told(meeple, fake):
    meeple("train", "tictactoe")
    asked = fake.asked
    assert (asked.minutes, asked.steps, asked.iterations, asked.threads) == (None, None, None, None)


def test_every_run_has_a_folder_of_its_own(meeple, fake, tiny, tmp_path):
    places = ["hex:6", "hex", "hex:6", "hex:5?swap=1", "connect4:8x8", tiny(name="my game.py")]
    folders = [json.loads(meeple("train", game, "--json").out)["run"] for game in places]
    assert folders == [
        "runs/hex-6-fast-1", "runs/hex-11-fast-1", "runs/hex-6-fast-2", "runs/hex-5-swap-1-fast-1",
        "runs/connect4-8x8-fast-1", "runs/my-game-fast-1",
    ]  # fmt: skip


def test_a_game_of_ones_own_is_found_again(meeple, fake, tiny, monkeypatch, tmp_path):
    file = tiny()
    meeple("train", "mine.py", "--run", str(tmp_path / "run"))
    assert fake.asked.recipe.game == file
    monkeypatch.chdir(tmp_path.parent)
    assert meeple("train", "--run", str(tmp_path / "run"), "--resume").code == 0
    assert fake.asked.game.name == "tiny"


def test_a_recipe_may_know_its_game(meeple, fake, tmp_path):
    (tmp_path / "mine.toml").write_text(meeple("recipe", "show", "fast", "--game", "hex:4").out, encoding="utf-8")
    assert meeple("train", "--recipe", "mine.toml").code == 0
    assert (fake.asked.game.name, fake.asked.recipe.name) == ("hex:4", "fast")


def test_a_run_goes_on_as_it_began(meeple, fake):
    meeple("train", "hex:6", "--set", "search.simulations=64", "--seed", "3", "--run", "first")
    began = fake.asked
    code, _out, err = meeple("train", "--run", "first", "--resume", "--minutes", "5")
    assert code == 0
    assert (fake.asked.recipe, fake.asked.game, fake.asked.folder) == (began.recipe, began.game, began.folder)
    assert (fake.asked.resume, fake.asked.minutes) == (True, 5.0)
    assert err.splitlines()[0].endswith(", goes on after iteration 3")
    assert meeple("train", "hex:6", "--run", "first", "--resume").code == 0


def test_warnings_are_told(meeple, fake):
    fake.during = lambda listen, stop: listen(Warned(text="the window does not grow: play more games"))
    assert "warning: the window does not grow: play more games\n" in meeple("train", "tictactoe").err


def test_progress_is_plain_lines_on_stderr(meeple, fake, monkeypatch):
    monkeypatch.setattr(output, "PLAIN_EVERY_S", 0)

    def during(listen, stop):
        listen(progress())
        listen(row(1))
        listen(progress(minutes_left=75))
        listen(progress(phase="learning", minutes=61.5, minutes_left=None))
        listen(Saved(checkpoint=fake.asked.folder, step=3, is_best=True))

    fake.during, fake.metrics = during, []
    lines = meeple("train", "tictactoe", "--json").err.splitlines()[2:]
    assert [lines[0], lines[2], lines[3]] == [
        "iteration 2, self-play, 30 of 512; 1,500 games, 9:30 left",
        "iteration 2, self-play, 30 of 512; 1,500 games, 500 positions/s, loss 1.843 + 0.862, 1:15:00 left",
        "iteration 2, learning, 30 of 512; 1,500 games, 500 positions/s, loss 1.843 + 0.862, 1:01:30",
    ]
    assert len(lines) == 4


def test_not_every_step_is_a_line(meeple, fake):
    fake.during = lambda listen, stop: [listen(progress(done=done)) for done in range(100)]
    assert "of 512" not in meeple("train", "tictactoe").err


def test_progress_is_a_bar_on_a_terminal(meeple, fake, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    def during(listen, stop):
        listen(progress(done=511))
        listen(Warned(text="nothing is [red]marked up"))
        time.sleep(0.2)

    fake.during = during
    screen = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLUMNS", "120")
        done = meeple("train", "tictactoe", "--json")
    assert json.loads(done.out)["games"] == 1000
    shown = screen.getvalue()
    assert "511/512" in shown
    assert "\x1b[33mwarning: nothing is [red]marked up" in shown
    assert "iteration 2, step 400" in shown


def test_a_gate_is_told():
    (line,) = training.lines(row(1, gate_passed=True, gate_score=0.612))
    assert line.endswith("; gate passed with 0.61")
    (line,) = training.lines(row(1, gate_passed=False))
    assert line.endswith("; gate failed")


def test_without_any_network_yet(meeple, fake):
    fake.metrics = []
    found = json.loads(meeple("train", "tictactoe", "--json").out)
    assert (found["checkpoint"], found["metrics"], found["step"]) == (None, None, 0)
    assert "it has learned nothing yet" in meeple("train", "tictactoe").out


def test_control_c_stops_cleanly_and_says_how_to_go_on(meeple, fake):
    def during(listen, stop):
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(5)

    fake.during = during
    before = signal.getsignal(signal.SIGINT)
    code, out, err = meeple("train", "tictactoe", "--json")
    assert (code, json.loads(out)["step"]) == (130, 400)
    assert "stopped; meeple train --run runs/tictactoe-fast-1 --resume goes on\n" in err
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_control_c_stops_at_once(meeple, fake):
    def during(listen, stop):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
        pytest.fail("it went on")

    fake.during = during
    code, out, err = meeple("train", "tictactoe")
    assert (code, out) == (130, "")
    assert err.endswith("stopped; meeple train --run runs/tictactoe-fast-1 --resume goes on\nstopped\n")


def assert_mistake(done, fault):
    assert "Traceback" not in done.err
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert fault in done.err


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ((), "the recipe fast is for any game: which one?"),
        (("tictacto",), "'tictacto'; did you mean tictactoe?"),
        (("tictactoe", "--recipe", "fats"), "'fats'; did you mean fast?"),
        (("tictactoe", "--recipe", "no.toml"), "cannot read no.toml: "),
        (("tictactoe", "--set", "search.simulation=3"), "search.simulation; did you mean simulations?"),
        (("tictactoe", "--set", "search.simulations=few"), "search.simulations: "),
        (("tictactoe", "--set", "search"), "search.simulations=64, not 'search'"),
        (("tictactoe", "--minutes", "0"), "'0' is not a number above 0"),
        (("tictactoe", "--minutes", "nan"), "'nan' is not a number above 0"),
        (("tictactoe", "--minutes", "soon"), "'soon' is not a number above 0"),
        (("tictactoe", "--steps", "0"), "--steps"),
        (("tictactoe", "--iterations", "1.5"), "--iterations"),
        (("tictactoe", "--threads", "0"), "--threads"),
        (("tictactoe", "--seed", "x"), "--seed"),
        (("tictactoe", "--run", "file"), "cannot make file: "),
        (("tictactoe", "--run", "full"), "full is not empty"),
        (("tictactoe", "--run", "old"), "old is not empty; --resume goes on with it"),
        (("--resume",), "--run runs/connect4-fast-1"),
        (("--resume", "--run", "nowhere"), "there is no run in nowhere"),
        (("--resume", "--run", "full"), "there is no run in full"),
        (("--resume", "--run", "old", "--set", "gate.games=4"), "leave out --recipe, --set and --seed"),
        (("--resume", "--run", "old", "--recipe", "fast"), "leave out --recipe, --set and --seed"),
        (("--resume", "--run", "old", "--seed", "4"), "leave out --recipe, --set and --seed"),
        (("hex:5", "--resume", "--run", "old"), "the run in old learns hex:6, not hex:5"),
    ],
)
def test_mistakes(meeple, fake, monkeypatch, tmp_path, words, fault):
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    meeple("train", "hex:6", "--run", "old")
    pytest.importorskip("torch")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert_mistake(meeple("train", *words), fault)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("recipe", "show", "fats"), "'fats'; did you mean fast?"),
        (("recipe", "show"), "'NAME'"),
        (("recipe", "show", "fast", "--game", "tictacto"), "'tictacto'"),
        (("recipe", "show", "fast", "--set", "a=1"), "no field a"),
        (("recipe", "shwo"), "'shwo'"),
        (("runs", "nowhere"), "there is no folder nowhere"),
        (("doctor", "nowhere"), "there is no run in nowhere"),
        (("doctor",), "'RUN'"),
    ],
)
def test_mistakes_of_the_verbs_around_it(meeple, fake, words, fault):
    assert_mistake(meeple(*words), fault)


def test_an_error_of_a_run_is_one_line(meeple, fake):
    def during(listen, stop):
        raise RunError("cannot write metrics.csv: No space left on device; make room and go on with --resume")

    fake.during = during
    code, out, err = meeple("train", "tictactoe")
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("error: cannot write metrics.csv: No space left on device")


def test_without_pytorch_it_says_how_to_install(meeple, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "meeple.learn.run", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_mistake(meeple("train", "tictactoe"), "learning needs PyTorch, which is not installed: pip install 'meeple[")
    assert list(tmp_path.iterdir()) == []


def test_without_tensorboard_it_learns_all_the_same(meeple, fake, monkeypatch):
    for name in [*sys.modules]:
        if name == "meeple.learn.tensorboard" or name.startswith("tensorboardX."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    code, _out, err = meeple("train", "tictactoe")
    assert code == 0
    assert err.startswith("no TensorBoard events without tensorboardX: pip install 'meeple[learn]'\n")


# A real run, as short as can be.


def test_learns_and_goes_on(meeple_process, tmp_path):
    pytest.importorskip("torch")
    done = meeple_process("train", "mnk:3x3x3", *TINY, "--iterations", "2", "--run", "here", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert (found["iteration"], found["games"], found["metrics"]["iteration"]) == (2, 32, 2)
    assert (tmp_path / found["checkpoint"]).is_file()
    assert list((tmp_path / "here/events").iterdir())
    more = json.loads(meeple_process("train", "--run", "here", "--resume", "--iterations", "3", "--json").out)
    assert (more["iteration"], more["games"]) == (3, 48)
    assert more["minutes"] > found["minutes"]
    assert [one.iteration for one in Table(tmp_path / "here" / NAME).rows] == [1, 2, 3]
    (listed,) = json.loads(meeple_process("runs", ".", "--json").out)
    assert (listed["run"], listed["iteration"], listed["state"]) == ("here", 3, "stopped")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are otherwise there")
def test_control_c_leaves_a_run_that_goes_on(meeple_process, tmp_path):
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "meeple", "train", "mnk:3x3x3", *TINY, "--run", "here", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        for line in process.stderr:
            if line.startswith("iteration 1,"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; meeple train --run here --resume goes on" in err
    count = json.loads(out)["iteration"]
    more = meeple_process("train", "--run", "here", "--resume", "--iterations", str(count + 1), "--json")
    assert json.loads(more.out)["iteration"] == count + 1


def test_a_run_that_another_process_works_on_is_refused(meeple, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = Folder(tmp_path / "mine")
    files.create(recipes.load("fast", "tictactoe"))
    try:
        code, out, err = meeple("train", "--run", "mine", "--resume")
    finally:
        files.release()
    assert (code, out, err) == (2, "", "error: another process works on mine\n")
