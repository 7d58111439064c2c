"""A run that is killed goes on as if nothing had happened, however often and wherever; one process at a time works on
it; and a full disk ends it with one clear line."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from itertools import count
from random import Random

import pytest

from meeple.errors import MeepleError, RunError
from meeple.games.registry import game
from meeple.learn.episodes import Log
from meeple.learn.storage import Folder
from meeple.learn.tensorboard import TensorBoard
from reference.runs import GAME, Nursery, games, go, networks, rows, tiny

PLAIN = {}
GATED = {
    "gate": {"test": "score", "at_least": 0.5, "games": 4, "simulations": 4},
    "self_play": {"games": 6, "resign_below": -0.5, "resign_checked": 0.5, "first_games": 5, "first_simulations": 10},
    "learner": {"steps": 3, "batch": 16, "average": 0.5, "restart": "optimizer"},
    "replay": {"positions": None, "games": 20},
    "limits": {"memory_mb": 64, "checkpoints": 2},
}
"""A recipe with everything that a process has to remember."""


@pytest.fixture(scope="module")
def nursery():
    started = Nursery()
    yield started
    started.close()


def new_or_not(folder, recipe):
    """The recipe where there is no run yet, nothing where one goes on."""
    return None if Folder(folder).is_run else recipe


def check_killed(folder, before):
    """Every file can be read, and what was in a log is there still; the logs as they are now."""
    logs = {number: Folder(folder).log(number).read_bytes() for number in Folder(folder).logs}
    assert all(logs[number][: len(content)] == content for number, content in before.items() if number in logs)
    if not Folder(folder).is_run:
        return {}
    done = Folder(folder).state().iteration
    assert rows(folder) in (list(range(1, done + 1)), list(range(1, done + 2)))
    numbers = [episode[0] for episode in games(folder)]
    assert len(numbers) == len(set(numbers))
    return {number: whole(Folder(folder).log(number)) for number in logs}


def whole(log):
    """The part of a log that is whole games."""
    return log.read_bytes()[: log.stat().st_size - Log(log, game(GAME)).read().torn_bytes]


def assert_same(one, other):
    assert networks(one) == networks(other)
    assert games(one) == games(other)
    assert rows(one) == rows(other)


@pytest.mark.parametrize("parts", [PLAIN, GATED])
@pytest.mark.parametrize(("kills", "iterations"), [(3, 30), pytest.param(20, 80, marks=pytest.mark.slow)])
def test_killed_at_random_moments(tmp_path, nursery, parts, kills, iterations):
    recipe, chance = tiny(**parts), Random(kills)
    go(tmp_path / "whole", recipe, iterations)
    killed, before = tmp_path / "killed", {}
    for _ in range(kills):
        process = nursery.start(killed, iterations, new_or_not(killed, recipe))
        time.sleep(chance.uniform(0, 0.5))
        with suppress(ProcessLookupError):  # it was done
            os.kill(process, signal.SIGKILL)
        nursery.wait()
        before = check_killed(killed, before)
    nursery.start(killed, iterations, new_or_not(killed, recipe))
    assert nursery.wait() == 0
    check_killed(killed, before)
    assert_same(killed, tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("parts", [PLAIN, GATED])
def test_killed_at_every_write_to_the_disk(tmp_path, nursery, parts):
    recipe = tiny(**parts)
    go(tmp_path / "whole", recipe, 2)
    for write in count(1):
        killed = tmp_path / f"{write}"
        nursery.start(killed, 2, recipe, dies_at=write)
        code = nursery.wait()
        before = check_killed(killed, {})
        nursery.start(killed, 2, new_or_not(killed, recipe))
        assert nursery.wait() == 0
        check_killed(killed, before)
        assert_same(killed, tmp_path / "whole")
        assert not list(killed.rglob(".*"))
        if code == 0:
            assert write > 15
            return
        assert code == -signal.SIGKILL


def test_killed_at_every_write_of_one_run(tmp_path, nursery):
    """Every process gets somewhat farther than the one before it, and no process ends."""
    recipe, killed = tiny(**GATED), tmp_path / "killed"
    go(tmp_path / "whole", recipe, 3)
    for write in count(1):
        nursery.start(killed, 3, new_or_not(killed, recipe), dies_at=write)
        if nursery.wait() == 0:
            break
    assert_same(killed, tmp_path / "whole")


def test_two_processes_on_one_run(tmp_path, nursery):
    folder = tmp_path / "run"
    process = nursery.start(folder, 10_000, tiny())
    while not Folder(folder).is_run:
        time.sleep(0.01)
    assert Folder(folder).is_busy
    with pytest.raises(RunError, match=f"^another process works on {re.escape(str(folder))}$"):
        go(folder)
    with pytest.raises(RunError, match=r"is not empty; --resume goes on with it$"):
        go(folder, tiny())
    os.kill(process, signal.SIGKILL)
    assert nursery.wait() == -signal.SIGKILL
    assert not Folder(folder).is_busy
    go(folder, iterations=Folder(folder).state().iteration + 1)


def test_a_run_is_free_after_its_end_and_after_an_error(tmp_path):
    go(tmp_path / "run", tiny(), 1)
    assert not Folder(tmp_path / "run").is_busy

    def fail(event):
        raise KeyError

    for options in ({"listen": fail}, {}):
        with suppress(KeyError):
            go(tmp_path / "run", iterations=2, **options)
        assert not Folder(tmp_path / "run").is_busy


@pytest.mark.parametrize("parts", [PLAIN, GATED, {"self_play": {"games": 6, "opening_plies": [2]}}])
def test_a_disk_that_is_full_at_any_write(tmp_path, monkeypatch, parts):
    recipe, sync = tiny(**parts), os.fsync
    go(tmp_path / "whole", recipe, 2)
    for write in count(1):
        left, folder = write, tmp_path / f"{write}"

        def sync_or_fail(number):
            nonlocal left
            left -= 1
            if left == 0:
                raise OSError(28, os.strerror(28))
            sync(number)

        monkeypatch.setattr(os, "fsync", sync_or_fail)
        error = error_of(folder, recipe, 2)
        monkeypatch.undo()
        if error is None:
            assert write > 8
            return
        assert re.fullmatch(rf"cannot write {folder}\S*: No space left on device; make room.*", error)
        assert not list(folder.rglob(".*"))
        go(folder, new_or_not(folder, recipe), 2)
        assert_same(folder, tmp_path / "whole")


def error_of(folder, recipe, iterations, **options):
    """What a run ends with; nothing where it comes to its end."""
    try:
        go(folder, recipe, iterations, **options)
    except MeepleError as error:
        return str(error)


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of its own, of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small disk is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("parts", [PLAIN, {"self_play": {"opening_plies": [3]}}])
def test_a_small_disk(tmp_path, small_disk, parts):
    """It is filled up to some point, and filled up again wherever the run has come to."""
    recipe, folder, filler = tiny(**parts), small_disk / "run", small_disk / "filler"
    go(tmp_path / "whole", recipe, 6)
    errors = []
    for free in range(0, 150_000, 10_000):
        fill(filler, free)
        board = TensorBoard()
        errors.append(error_of(folder, new_or_not(folder, recipe), 6, listen=board))
        with suppress(RunError):
            board.close()
        filler.unlink()
    told = [error for error in errors if error is not None]
    assert len(told) > 3
    assert all(re.fullmatch("cannot .*(No space left on device|disk is full).*", error) for error in told)
    go(folder, new_or_not(folder, recipe), 6)
    assert_same(folder, tmp_path / "whole")


def fill(file, free):
    """Fill the disk of a file but for some bytes."""
    room = os.statvfs(file.parent)
    file.write_bytes(b"x" * max(room.f_bavail * room.f_frsize - free, 0))
