"""`metrics.csv`: a run in numbers, a row for each iteration under the names of `events.Metrics`.

An empty cell is a number that there is not. A row counts once its line is whole: what a crash or a full disk cut off is
never read, and gone before the next row is written.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import astuple, fields
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from meeple import files
from meeple.errors import RunError
from meeple.learn.events import Metrics

NAME = "metrics.csv"
COLUMNS = [field.name for field in fields(Metrics)]
READER = TypeAdapter(Metrics)


class Table:
    """The file of one run, with one writer at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def rows(self) -> list[Metrics]:
        """The rows up to the first that is not whole; RunError where the file is something else."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise RunError(f"cannot read {self._path}: {error.strerror}") from error
        head, end, rest = content.decode(errors="replace").partition("\n")
        if not end:  # the header was cut off, or there is nothing yet
            return []
        if head.rstrip("\r").split(",") != COLUMNS:
            raise RunError(f"{self._path} is no table of metrics, or one of another version of meeple")
        return list(_rows(rest))

    def append(self, row: Metrics) -> None:
        """Add a row that is there as a whole or not at all; RunError where it cannot be written."""
        try:
            with self._path.open("ab", buffering=0) as file:
                length = file.tell()
                try:
                    _write(file, _text([row]) if length else _head() + _text([row]))
                except OSError:
                    file.truncate(length)
                    raise
        except OSError as error:
            raise RunError(files.unwritable(self._path, error)) from error

    def cut(self, iterations: int) -> None:
        """Keep the rows of the first so many iterations; whatever follows them is gone."""
        rows = self.rows[:iterations]
        if not self._path.exists():
            return
        try:
            files.replace(self._path, (_head() + _text(rows)).encode())
        except OSError as error:
            raise RunError(files.unwritable(self._path, error)) from error


def _write(file: io.FileIO, text: str) -> None:
    """All of a text, and on the disk."""
    content = text.encode()
    while content:
        content = content[file.write(content) :]
    os.fsync(file.fileno())


def _head() -> str:
    return ",".join(COLUMNS) + "\n"


def _text(rows: Iterable[Metrics]) -> str:
    """Rows as lines; numbers are written so that they are read as the same numbers."""
    found = io.StringIO()
    csv.writer(found, lineterminator="\n").writerows(map(astuple, rows))
    return found.getvalue()


def _rows(text: str) -> Iterator[Metrics]:
    """The rows up to the first that is not whole."""
    for line in text.splitlines(keepends=True):
        cells = line.rstrip("\r\n").split(",")
        if not line.endswith("\n") or len(cells) != len(COLUMNS):
            return
        try:
            yield READER.validate_python({name: cell or None for name, cell in zip(COLUMNS, cells, strict=True)})
        except ValidationError:
            return
