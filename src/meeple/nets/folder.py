"""Where a run keeps its checkpoints: `checkpoints/00001200.safetensors`, named by step, and which of them is best."""

from __future__ import annotations

from pathlib import Path

from meeple import files
from meeple.errors import CheckpointError, nearest
from meeple.games.game import shown
from meeple.nets.checkpoint import Checkpoint, load, save

RUNS = Path("runs")
"""Where runs are kept unless told otherwise."""
SUFFIX = ".safetensors"


class Checkpoints:
    """The checkpoints of one run."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._folder = run / "checkpoints"
        self._best = self._folder / "best"

    @property
    def steps(self) -> list[int]:
        """The steps there are checkpoints of, ascending."""
        return sorted(int(path.stem) for path in self._folder.glob(f"*{SUFFIX}") if path.stem.isdigit())

    @property
    def best(self) -> int | None:
        """The step of the best one: the last that passed its gate."""
        try:
            return int(self._best.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def path(self, step: int) -> Path:
        """The file of a step."""
        return self._folder / f"{step:08d}{SUFFIX}"

    def add(self, checkpoint: Checkpoint, *, is_best: bool) -> Path:
        """Save a checkpoint under its step."""
        path = self.path(checkpoint.card.step)
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as error:
            raise CheckpointError(files.unwritable(self._folder, error)) from error
        save(path, checkpoint)
        if is_best:
            self.mark_best(checkpoint.card.step)
        return path

    def mark_best(self, step: int) -> None:
        """Note that a step is the best one."""
        try:
            files.replace(self._best, f"{step}\n".encode())
        except OSError as error:
            raise CheckpointError(files.unwritable(self._best, error)) from error

    def cut(self, step: int) -> None:
        """Remove the checkpoints after a step."""
        for later in [other for other in self.steps if other > step]:
            self.path(later).unlink()

    def thin_out(self, count: int) -> None:
        """Remove all but so many checkpoints, evenly spread, beside the first and the latest; the best one stays."""
        steps = self.steps
        while len(steps) > count + 2:
            gaps = {
                steps[place + 1] - steps[place - 1]: steps[place]
                for place in range(len(steps) - 2, 0, -1)
                if steps[place] != self.best
            }
            if not gaps:
                return
            closest = gaps[min(gaps)]
            self.path(closest).unlink()
            steps.remove(closest)

    def find(self, which: str) -> Path:
        """The file of `best`, `latest` or a step; CheckpointError where there is none."""
        steps = self.steps
        if not steps:
            raise CheckpointError(f"{self._run} has no checkpoints yet")
        if which == "latest":
            return self.path(steps[-1])
        if which == "best":
            return self.path(self.best if self.best in steps else steps[-1])
        if not which.isdigit() or int(which) not in steps:
            few = ", ".join(map(str, steps[-3:]))
            raise CheckpointError(f"{self._run} has no checkpoint {shown(which)}: best, latest, or a step as {few}")
        return self.path(int(which))


def find(reference: str) -> Path:
    """The file that `RUN`, `RUN@best`, `RUN@latest`, `RUN@STEP` or the path of a checkpoint names."""
    if reference.endswith(SUFFIX):
        return Path(reference)
    run, _, which = reference.rpartition("@") if "@" in reference else (reference, "", "best")
    folder = Path(run)
    if not folder.is_dir() and (RUNS / run).is_dir():
        folder = RUNS / run
    if not folder.is_dir():
        raise CheckpointError(f"there is no run {shown(run)}{nearest(run, _runs_beside(Path(run)))}")
    return Checkpoints(folder).find(which)


def _runs_beside(folder: Path) -> list[str]:
    """What other runs are called, in the same folder and in `runs`."""
    beside = [str(found.parent) for found in folder.parent.glob("*/checkpoints")]
    return beside + [found.parent.name for found in RUNS.glob("*/checkpoints")]


def read(reference: str) -> Checkpoint:
    """The checkpoint that a reference names."""
    return load(find(reference))
