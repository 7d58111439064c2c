"""What a run may take of disk and memory, and how it keeps within."""

from __future__ import annotations

from typing import NamedTuple

from meeple.errors import RunError
from meeple.learn.recipe import Limits
from meeple.learn.storage import RECIPE, Folder
from meeple.nets.folder import Checkpoints


class Memory(NamedTuple):
    """What a run takes at the most, in megabytes."""

    search: float
    """Trees, games and cache."""
    gate: float
    window: float

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self)

    def check(self, limits: Limits) -> None:
        """RunError where it is more than a recipe allows."""
        if self.total > limits.memory_mb:
            raise RunError(
                f"the run takes {self.total:,.0f} MB of memory, {self.window:,.0f} of them for the window, "
                f"{self.search:,.0f} for trees and cache and {self.gate:,.0f} for the gate, more than "
                f"limits.memory_mb = {limits.memory_mb}: raise it, or lower search.cache_mb or the size of the window"
            )


def make_room(files: Folder, checkpoints: Checkpoints, limits: Limits, *, oldest_iteration: int) -> None:
    """Remove what is too much for the disk's limit; RunError where that is not enough.

    Games of iterations that left the window go first, then checkpoints.
    """
    checkpoints.thin_out(limits.checkpoints)
    for iteration in [number for number in files.logs if number < oldest_iteration]:
        if files.disk_mb <= limits.disk_mb:
            return
        files.log(iteration).unlink()
    for count in range(len(checkpoints.steps) - 3, -1, -1):
        if files.disk_mb <= limits.disk_mb:
            return
        checkpoints.thin_out(count)
    if files.disk_mb > limits.disk_mb:
        raise RunError(
            f"{files.path} takes {files.disk_mb:,.1f} MB with nothing left to remove, more than "
            f"limits.disk_mb = {limits.disk_mb}: raise it in {files.path / RECIPE}, then go on with --resume"
        )
