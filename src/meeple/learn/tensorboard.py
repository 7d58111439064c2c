"""TensorBoard events of a run: the columns of `metrics.csv` as scalars by the same names, iteration by iteration."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from tensorboardX.proto import event_pb2  # type: ignore[import-untyped]  # it has no types
from tensorboardX.record_writer import RecordWriter  # type: ignore[import-untyped]  # as above
from tensorboardX.summary import scalar  # type: ignore[import-untyped]  # as above

from meeple import files
from meeple.errors import RunError
from meeple.learn.events import Began, Event, Metrics

FOLDER = "events"
GROUPS = {
    "games": ("plies", "distinct_games", "first_won", "second_won", "drawn", "resigned", "resigned_wrongly"),
    "learning": (
        "policy_loss", "value_loss", "policy_entropy", "target_entropy", "value_correlation", "value_saturation",
        "learning_rate", "step",
    ),
    "speed": ("positions_per_s", "evaluations_per_s", "cache_hits", "self_play_s", "learning_s", "gate_s"),
    "gate": ("gate_score", "gate_passed"),
}  # fmt: skip
"""Where a scalar is shown; the others are under `run`."""
GROUP = {name: group for group, names in GROUPS.items() for name in names}


class TensorBoard:
    """A listener that writes to the folder `events` of the run it hears of; RunError where it cannot."""

    def __init__(self) -> None:
        self._writer: RecordWriter | None = None
        self._folder = Path()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Began):
            self._folder = event.run / FOLDER
            with self._told():
                self._folder.mkdir(exist_ok=True)
                name = f"events.out.tfevents.{time.time_ns()}.{os.getpid()}"
                self._writer = RecordWriter(str(self._folder / name))
                # What an earlier process wrote of iterations that are done again is hidden.
                start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
                version = event_pb2.Event(file_version="brain.Event:2")
                self._write([version, event_pb2.Event(step=event.iteration + 1, session_log=start)])
        elif isinstance(event, Metrics) and self._writer is not None:
            with self._told():
                self._write(_scalars(event))

    def close(self) -> None:
        """No more is to come."""
        if self._writer is not None:
            with self._told():
                self._writer.close()
            self._writer = None

    def _write(self, found: Iterable[event_pb2.Event]) -> None:
        """Write in this thread: SummaryWriter has one of its own, and waits for ever when that ends on a full disk."""
        assert self._writer is not None
        for one in found:
            one.wall_time = time.time()
            self._writer.write(one.SerializeToString())
        self._writer.flush()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            writer, self._writer = self._writer, None
            with suppress(OSError):
                if writer is not None:
                    writer.close()
            raise RunError(files.unwritable(self._folder, error)) from error


def _scalars(row: Metrics) -> Iterator[event_pb2.Event]:
    for name, value in asdict(row).items():
        if value is not None and name != "iteration":
            found = scalar(f"{GROUP.get(name, 'run')}/{name}", float(value))
            yield event_pb2.Event(step=row.iteration, summary=found)
