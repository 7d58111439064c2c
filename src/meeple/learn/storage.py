"""The folder of a run: its recipe, its lock, the state it goes on from, and how much of the disk it takes.

recipe.toml          what decides how it learns
lock                 held by the process that works on it
state.safetensors    the learner and the counts after the last whole iteration; replaced as a whole
checkpoints/         networks by step, and which is best
games/000012.log     the games of iteration 12
metrics.csv          a row for each iteration
"""

from __future__ import annotations

import errno
import os
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

from meeple.errors import RunError
from meeple.learn import recipes
from meeple.learn.recipe import Recipe
from meeple.settings import Part

RECIPE, STATE, LOCK, GAMES = "recipe.toml", "state.safetensors", "lock", "games"


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

    def create(self, recipe: Recipe) -> None:
        """Begin a run in a new or empty folder."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            others = [entry.name for entry in self.path.iterdir() if entry.name != LOCK]
        except OSError as error:
            raise RunError(f"cannot make {self.path}: {error.strerror}") from error
        if others:
            hint = "; --resume goes on with it" if self.is_run else ""
            raise RunError(f"{self.path} is not empty{hint}")
        self.lock()
        (self.path / GAMES).mkdir()
        self.write(RECIPE, recipes.text(recipe).encode())

    def lock(self) -> None:
        """Hold the run until `release`, or the end of the process; RunError where another process does."""
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise RunError(f"another process works on {self.path}") from None
        except OSError as error:
            raise RunError(full(self.path / LOCK, error)) from error

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
        place = self.path / name
        draft = place.with_name(f".{place.name}.part")
        try:
            with draft.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(place)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise RunError(full(place, error)) from error

    def save(self, state: State, tensors: Mapping[str, NDArray[Any]]) -> None:
        """Keep what the run goes on from."""
        whole = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
        self.write(STATE, save(whole, {"state": state.model_dump_json()}))

    def load(self) -> tuple[State, dict[str, NDArray[Any]]] | None:
        """What the run goes on from; nothing before the first iteration."""
        path = self.path / STATE
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                state = State.model_validate_json((file.metadata() or {}).get("state", ""))
                return state, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 it is no dict
        except (SafetensorError, ValidationError, OSError) as error:
            raise RunError(f"{path} is damaged: {str(error).splitlines()[0]}") from None

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
    """A folder in `runs` that does not exist yet, named after game and recipe."""
    name = f"{Path(recipe.game).stem.replace(':', '-')}-{recipe.name}"
    return next(path for number in count(1) if not (path := Path("runs") / f"{name}-{number}").exists())


def available_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def full(place: Path, error: OSError) -> str:
    """What is said of a file that could not be written."""
    hint = "; make room and go on with --resume" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"cannot write {place}: {error.strerror}{hint}"
