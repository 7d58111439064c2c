"""What verbs print: JSON documents, tables, and the progress of long work."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

PLAIN_EVERY_S = 5.0


def can_draw(stream: TextIO) -> bool:
    """Whether a stream takes the characters of drawings."""
    try:
        "·●○".encode(stream.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def print_json(document: Any) -> None:
    """One JSON document; what is infinite or unknown is null."""
    print(json.dumps(_finite(document), ensure_ascii=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: str = "") -> None:
    """Rows in columns; those columns are right-aligned that have an `r` in `numbers`."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.rjust(width) if numbers[column : column + 1] == "r" else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


class Advance(Protocol):
    """Tells that more is done, and what to show beside the count."""

    def __call__(self, note: str = "", steps: int = 1) -> None: ...


@contextmanager
def progress(total: int | None, unit: str) -> Iterator[Advance]:
    """A bar with rate and time left on a terminal, a line every few seconds otherwise; always on stderr.

    Where nobody knows the total, neither is the time left.
    """
    with _bar(total, unit) if sys.stderr.isatty() else _lines(total, unit) as advance:
        yield advance


@contextmanager
def _bar(total: int | None, unit: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(unit, total=total, note="")
        yield lambda note="", steps=1: bar.update(task, advance=steps, note=note)


@contextmanager
def _lines(total: int | None, unit: str) -> Iterator[Advance]:
    began = said = time.monotonic()
    done = 0

    def advance(note: str = "", steps: int = 1) -> None:
        nonlocal done, said
        done += steps
        now = time.monotonic()
        if now - said >= PLAIN_EVERY_S:
            said, rate = now, done / (now - began)
            count = f"{done} {unit}" if total is None else f"{done} of {total} {unit}"
            left = "" if total is None else f", {(total - done) / rate:.0f} s left"
            print(f"{count}, {rate:.1f} a second{left}  {note}".rstrip(), file=sys.stderr)

    yield advance
