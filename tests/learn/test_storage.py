"""The folder of a run: made once, held by one process, and every file in it whole."""

import os

import numpy as np
import pytest

from meeple.errors import RunError
from meeple.learn.storage import GAMES, LOCK, RECIPE, STATE, Folder, State, new_folder
from reference.runs import tiny

TENSORS = {"weight": np.arange(6, dtype=np.float32).reshape(2, 3), "step": np.array([7])}


@pytest.fixture
def files(tmp_path):
    made = Folder(tmp_path / "run")
    made.create(tiny())
    yield made
    made.release()


def test_a_new_run(files):
    assert files.is_run
    assert files.is_busy
    assert files.recipe() == tiny()
    assert files.load() is None
    assert files.state() == State()
    assert files.logs == []


def test_the_state_is_read_as_it_was_written(files):
    state = State(iteration=3, step=40, best=20, minutes=0.1, may_resign=False, runtime="onnxruntime")
    files.save(state, TENSORS)
    found, tensors = files.load()
    assert found == state
    assert tensors.keys() == TENSORS.keys()
    assert all(np.array_equal(tensors[name], value) for name, value in TENSORS.items())


def test_minutes_of_an_unfinished_iteration_are_kept(files):
    files.note_minutes(1.0)
    assert files.load() is None
    files.save(State(iteration=3, minutes=1.0), TENSORS)
    files.note_minutes(2.5)
    found, tensors = files.load()
    assert found == State(iteration=3, minutes=2.5)
    assert np.array_equal(tensors["weight"], TENSORS["weight"])


@pytest.mark.parametrize("length", [0, 7, 50, -1])
def test_a_damaged_state_is_told(files, length):
    files.save(State(iteration=3), TENSORS)
    content = (files.path / STATE).read_bytes()
    (files.path / STATE).write_bytes(content[:length])
    with pytest.raises(RunError, match=r"state.safetensors is damaged: .+"):
        files.load()


def test_only_one_holds_a_run(files):
    other = Folder(files.path)
    with pytest.raises(RunError, match="another process works on"):
        other.lock()
    files.release()
    assert not other.is_busy
    other.lock()
    assert files.is_busy
    other.release()


def test_asking_whether_a_run_is_busy_makes_no_file(tmp_path):
    assert not Folder(tmp_path).is_busy
    assert not list(tmp_path.iterdir())


def test_drafts_of_a_killed_process_are_removed(files):
    (files.path / "checkpoints").mkdir()
    drafts = [files.path / ".state.safetensors.123.part", files.path / "checkpoints" / ".best.9.part"]
    for draft in drafts:
        draft.write_bytes(b"half")
    kept = files.path / ".hidden"
    kept.write_bytes(b"somebody's")
    files.release()
    files.lock()
    assert not any(draft.exists() for draft in drafts)
    assert kept.exists()


def test_a_run_that_was_killed_before_it_had_a_recipe_can_begin(tmp_path):
    (tmp_path / LOCK).touch()
    (tmp_path / GAMES).mkdir()
    (tmp_path / f".{RECIPE}.12.part").write_bytes(b"half")
    files = Folder(tmp_path)
    files.create(tiny())
    assert files.recipe() == tiny()
    files.release()


@pytest.mark.parametrize("name", ["notes.txt", "games/000000.log", ".git/config"])
def test_a_folder_with_something_else_is_left_alone(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RunError, match=r"is not empty$"):
        Folder(tmp_path).create(tiny())
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_is_not_begun_twice(files):
    files.release()
    with pytest.raises(RunError, match=r"is not empty; --resume goes on with it$"):
        Folder(files.path).create(tiny())
    assert not files.is_busy


def test_a_full_disk_lets_go_of_the_lock(tmp_path, monkeypatch):
    def full(number):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"cannot write .*recipe.toml: No space left on device; make room$"):
        Folder(tmp_path / "run").create(tiny())
    monkeypatch.undo()
    assert not Folder(tmp_path / "run").is_busy
    Folder(tmp_path / "run").create(tiny())


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot make"):
        Folder(tmp_path / "file").create(tiny())


@pytest.mark.parametrize("content", [b"", b"name = 1", b"\xff", b"name = "])
def test_a_recipe_that_cannot_be_read(files, content):
    (files.path / RECIPE).write_bytes(content)
    with pytest.raises(ValueError, match=r"recipe.toml"):
        files.recipe()


def test_new_folders_are_numbered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = new_folder(tiny(game="hex:6"))
    assert first.as_posix() == "runs/hex-6-tiny-1"
    first.mkdir(parents=True)
    assert new_folder(tiny(game="hex:6")).as_posix() == "runs/hex-6-tiny-2"
    assert new_folder(tiny(game="./games/My own.py")).as_posix() == "runs/My-own-tiny-1"
