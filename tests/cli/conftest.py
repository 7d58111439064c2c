"""The program as tests run it: in this process, or in one of its own."""

import io
import os
import subprocess
import sys
from typing import NamedTuple

import pytest

from meeple.cli import app

# The smallest game that keeps the contract: one move, then it is drawn. Mistakes are made in copies of it.
TINY = """\
import numpy as np
from meeple import Game

def setup(state):
    pass

def moves(state, actions):
    actions[0] = 0
    return 1

def play(state, action):
    state[1] = np.uint64(3)
    state[2] += np.uint64(1)

def observe(state, planes):
    for number in range(planes.size):
        planes[number] = 0

game = Game("tiny", setup=setup, moves=moves, play=play, observe=observe, num_words=4, shape=(2, 1, 1))
"""


class Done(NamedTuple):
    """How the program ended and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def meeple(monkeypatch, capsys):
    """Runs the program in this process."""

    def run(*words, stdin=""):
        monkeypatch.setattr(sys, "argv", ["meeple", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            app.main()
        return Done(ended.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture
def meeple_process(tmp_path):
    """Runs the program in a process of its own."""

    def run(*words, stdin="", python=(), text=True, **environment):
        command = [sys.executable, *python, "-m", "meeple", *words]
        variables = {**os.environ, **environment}
        done = subprocess.run(command, input=stdin, capture_output=True, text=text, env=variables, cwd=tmp_path)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def tiny(tmp_path):
    """Writes a user's game file, the tiny game with something replaced in it."""

    def write(old="", new="", name="mine.py"):
        assert old in TINY
        (tmp_path / name).write_text(TINY.replace(old, new, 1) if old else TINY, encoding="utf-8")
        return str(tmp_path / name)

    return write
