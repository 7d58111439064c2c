"""The folder of a run: its recipe, its lock, the state it goes on from, and how much of the disk it takes.

recipe.toml          what decides how it learns
lock                 held by the process that works on it
state.safetensors    the learner and the counts after the last whole iteration; replaced as a whole
checkpoints/         networks by step, and which is best
games/000012.log     the games of iteration 12
metrics.csv          a row for each iteration
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from pydantic import ValidationError
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from meeple import files
from meeple.errors import RunError
from meeple.learn import recipes
from meeple.learn.recipe import Recipe
from meeple.nets.folder import RUNS
from meeple.settings import Part

RECIPE, STATE, LOCK, GAMES = "recipe.toml", "state.safetensors", "lock", "games"
LOCK_WAIT_S = 0.5
"""Somebody who only asks whether a run is busy holds its lock for a moment."""


class State(Part):
    """Where a run stands after its last whole iteration."""

    iteration: int = 0
    """How many iterations are done."""
    step: int = 0
    """Steps of the learner."""
    games: int = 0
    """Games of whole iterations."""
    positions: int = 0
    """Moves that were searched for in them."""
    best: int | None = None
    """The step of the network that plays; none before there is one."""
    minutes: float = 0.0
    """Time that all processes together worked on it."""
    may_resign: bool = True
    """Whether giving up was right often enough."""
    runtime: str = ""
    """What evaluates its networks, chosen when it began."""
    precision: str = ""
    """With which numbers."""


class Folder:
    """A run's files; whoever changes them holds the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(path / LOCK)

    @property
    def is_run(self) -> bool:
        """Whether there is a run."""
        return (self.path / RECIPE).is_file()

    @property
    def is_busy(self) -> bool:
        """Whether some process works on it."""
        if not (self.path / LOCK).exists():
            return False
        try:
            with FileLock(self.path / LOCK, blocking=False):
                return False
        except Timeout:
            return True
        except OSError:  # somebody else's, or on a disk that is only read
            return False

    def create(self, recipe: Recipe) -> None:
        """Begin a run in a new or empty folder, or where another one was killed before it had its recipe."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"cannot make {self.path}: {error.strerror}") from error
        self._check_empty()
        self.lock()
        try:
            self._check_empty()  # another process may have been faster
            self.write(RECIPE, recipes.text(recipe).encode())
        except BaseException:
            self.release()
            raise

    def _check_empty(self) -> None:
        """RunError where there is anything but what a run has before its recipe."""
        others = [entry for entry in self.path.iterdir() if entry.name not in (LOCK, GAMES)]
        if self.logs or any(not entry.match(files.DRAFTS) for entry in others):
            hint = "; --resume goes on with it" if self.is_run else ""
            raise RunError(f"{self.path} is not empty{hint}")

    def lock(self) -> None:
        """Hold the run until `release`, or the end of the process; RunError where another process does."""
        try:
            self._lock.acquire(timeout=LOCK_WAIT_S)
        except Timeout:
            raise RunError(f"another process works on {self.path}") from None
        except OSError as error:
            raise RunError(files.unwritable(self.path / LOCK, error)) from error
        try:
            files.remove_drafts(self.path)
            (self.path / GAMES).mkdir(exist_ok=True)
        except OSError as error:
            self.release()
            raise RunError(files.unwritable(self.path, error)) from error

    def release(self) -> None:
        """Let others have it."""
        self._lock.release()

    def recipe(self) -> Recipe:
        """The run's recipe."""
        try:
            document = tomllib.loads((self.path / RECIPE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RunError(f"there is no run in {self.path}") from None
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise RunError(f"cannot read {self.path / RECIPE}: {error}") from None
        return recipes.check(document, str(self.path / RECIPE))

    def write(self, name: str, content: bytes) -> None:
        """A file that is there as a whole or not at all."""
        try:
            files.replace(self.path / name, content)
        except OSError as error:
            raise RunError(files.unwritable(self.path / name, error)) from error

    def save(self, state: State, tensors: Mapping[str, NDArray[Any]]) -> None:
        """Keep what the run goes on from."""
        whole = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
        self.write(STATE, save(whole, {"state": state.model_dump_json()}))

    def load(self) -> tuple[State, dict[str, NDArray[Any]]] | None:
        """What the run goes on from; nothing where it was killed while it began."""
        path = self.path / STATE
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                state = State.model_validate_json((file.metadata() or {}).get("state", ""))
                return state, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 it is no dict
        except (SafetensorError, ValidationError, OSError) as error:
            raise RunError(f"{path} is damaged: {str(error).splitlines()[0]}") from None

    def note_minutes(self, minutes: float) -> None:
        """Keep how long the run was worked on, where an iteration was not finished."""
        found = self.load()
        if found is not None:
            self.save(found[0].model_copy(update={"minutes": minutes}), found[1])

    def state(self) -> State:
        """Where it stands, without what the learner needs."""
        found = self.load()
        return State() if found is None else found[0]

    def log(self, iteration: int) -> Path:
        """The file of an iteration's games."""
        return self.path / GAMES / f"{iteration:06d}.log"

    @property
    def logs(self) -> list[int]:
        """The iterations there are games of, ascending."""
        return sorted(int(path.stem) for path in (self.path / GAMES).glob("*.log") if path.stem.isdigit())

    @property
    def disk_mb(self) -> float:
        """What all its files take."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file()) / 2**20


def new_folder(recipe: Recipe) -> Path:
    """The first of runs/hex-6-fast-1, runs/hex-6-fast-2, … that does not exist yet."""
    game = Path(recipe.game).stem if recipe.game.endswith(".py") else recipe.game
    name = re.sub(r"[^\w.-]+", "-", f"{game}-{recipe.name}")
    return next(path for number in count(1) if not (path := RUNS / f"{name}-{number}").exists())


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
