"""Runs that take moments: tiny recipes, what is in a run's folder, and processes that may be killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from meeple.games.registry import game
from meeple.learn import recipes
from meeple.learn.episodes import Log
from meeple.learn.metrics import NAME, Table
from meeple.learn.run import train
from meeple.learn.storage import Folder
from meeple.nets.folder import Checkpoints

GAME = "mnk:3x3x3"
TINY = {
    "name": "tiny",
    "about": "For tests.",
    "game": GAME,
    "precision": "fp32",
    "network": {"body": "mlp", "policy_head": "dense", "width": 16, "depth": 1},
    "search": {"simulations": 8, "cache_mb": 1},
    "self_play": {"games": 12, "parallel": 4, "temperature_plies": 4},
    "replay": {"positions": 150},
    "learner": {"steps": 6, "batch": 32},
    "limits": {"memory_mb": 64},
}
"""An iteration takes a few hundredths of a second."""


def tiny(**parts):
    """The tiny recipe with other fields in its parts."""
    document = dict(TINY)
    for name, value in parts.items():
        document[name] = {**document.get(name, {}), **value} if isinstance(value, dict) else value
    return recipes.check(document, "tiny")


def go(folder, recipe=None, iterations=3, **options):
    """Train with one thread; without a recipe the run goes on."""
    options = {"threads": 1, "resume": recipe is None, **options}
    return train(None, recipe if recipe is not None else "", folder, iterations=iterations, **options)


def networks(folder):
    """The bytes of every checkpoint by its step, and which one plays."""
    found = Checkpoints(folder)
    return {step: found.path(step).read_bytes() for step in found.steps} | {"best": found.best}


def games(folder, name=GAME):
    """All games in the logs, in the order of their numbers, as comparable values."""
    files = Folder(folder)
    found = [episode for number in files.logs for episode in Log(files.log(number), game(name)).read().episodes]
    return sorted(tuple(part.tolist() if hasattr(part, "tolist") else part for part in episode) for episode in found)


def rows(folder):
    """The iterations that the table has rows of."""
    return [row.iteration for row in Table(folder / NAME).rows]


class Nursery:
    """A process that has imported everything and forks one that trains whenever it is asked to."""

    def __init__(self):
        paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "reference.runs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths},
        )  # fmt: skip
        assert self._process.stdout.readline() == "ready\n"

    def start(self, folder, iterations, recipe=None, *, dies_at=0):
        """Let a process begin a run, or go on with it, and perhaps die at a write to the disk; its number."""
        kept = recipe and recipe.model_dump(mode="json")
        words = {"folder": str(folder), "iterations": iterations, "recipe": kept, "dies_at": dies_at}
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def wait(self):
        """Wait for the process that was started last; its exit code."""
        return int(self._process.stdout.readline())

    def close(self):
        """End it; what it and its processes said."""
        return self._process.communicate()[1]


def die_at(count):
    """Let this process be killed at its so many'th write to the disk: odd before a sync, even after a rename."""
    left, sync, rename = count, os.fsync, os.replace

    def counted():
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def die_before(number):
        counted()
        sync(number)

    def die_after(*names, **options):
        rename(*names, **options)
        counted()

    os.fsync, os.replace = die_before, die_after


def nursery():
    """What a nursery does."""
    import onnxruntime  # noqa: F401  # for its processes, which need it at once
    import torch

    torch.use_deterministic_algorithms(True)
    assert game(GAME).rules
    print("ready", flush=True)
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            words = json.loads(line)
            recipe = words["recipe"] and recipes.check(words["recipe"], "tiny")
            die_at(words["dies_at"])
            go(Path(words["folder"]), recipe, words["iterations"])
            os._exit(0)
        print(number, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), flush=True)


if __name__ == "__main__":
    nursery()
