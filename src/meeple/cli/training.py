"""What a terminal shows of a run while it learns: a bar and a line for each iteration, or lines only; on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from meeple.cli import output

if TYPE_CHECKING:
    from meeple.learn.events import Began, Event, Listener, Metrics, Progress


@contextmanager
def watch() -> Iterator[Listener]:
    """A listener that shows what it hears."""
    with _bar() if sys.stderr.isatty() else _lines() as listen:
        yield listen


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from meeple.learn import events

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=16), MofNCompleteColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starts", total=None, note="")
        last: Metrics | None = None

        def listen(event: Event) -> None:
            nonlocal last
            if isinstance(event, events.Progress):
                note = _note(event, last)
                bar.update(task, description=_phase(event), completed=event.done, total=event.total, note=note)
            elif isinstance(event, events.Metrics):
                last = event
            for line in lines(event):
                console.print(line, style="yellow" if isinstance(event, events.Warned) else None)

        yield listen


@contextmanager
def _lines() -> Iterator[Listener]:
    from meeple.learn import events

    said, last = time.monotonic(), None

    def listen(event: Event) -> None:
        nonlocal said, last
        if isinstance(event, events.Progress) and time.monotonic() - said >= output.PLAIN_EVERY_S:
            said = time.monotonic()
            print(f"{_phase(event)}, {event.done:,} of {event.total:,}; {_note(event, last)}", file=sys.stderr)
        elif isinstance(event, events.Metrics):
            last = event
        for line in lines(event):
            print(line, file=sys.stderr)

    yield listen


def lines(event: Event) -> list[str]:
    """What is said of an event for good."""
    from meeple.learn import events

    if isinstance(event, events.Began):
        return _beginning(event)
    if isinstance(event, events.Metrics):
        return [_iteration(event)]
    return [f"warning: {event.text}"] if isinstance(event, events.Warned) else []


def _beginning(event: Began) -> list[str]:
    threads = "1 thread" if event.threads == 1 else f"{event.threads} threads"
    on = f", goes on after iteration {event.iteration}" if event.iteration else ""
    return [
        f"{event.run}: {event.recipe.game}, recipe {event.recipe.name}, {threads}, {event.runtime}{on}",
        f"takes at most {event.memory_mb:,.0f} MB of memory and {event.disk_mb:,.0f} MB of disk; Ctrl-C stops it",
    ]


def _iteration(row: Metrics) -> str:
    parts = [
        f"iteration {row.iteration}, step {row.step:,}, {row.games:,} games, {row.minutes:.1f} min",
        f"loss {row.policy_loss:.3f} + {row.value_loss:.3f}",
        f"first won {row.first_won:.0%}, second {row.second_won:.0%}, drawn {row.drawn:.0%}",
        f"{row.positions_per_s:,.0f} positions/s, {row.evaluations_per_s:,.0f} evaluations/s",
    ]
    if row.cache_hits:
        parts[-1] += f", {row.cache_hits:.0%} known"
    if row.gate_passed is not None:
        score = "" if row.gate_score is None else f" with {row.gate_score:.2f}"
        parts.append(f"gate {'passed' if row.gate_passed else 'failed'}{score}")
    return "; ".join(parts)


def _phase(event: Progress) -> str:
    return f"iteration {event.iteration}, {event.phase}"


def _note(event: Progress, last: Metrics | None) -> str:
    """What stands beside the count; speeds and losses are those of the last whole iteration."""
    parts = [f"{event.games:,} games"]
    if last is not None:
        parts.append(f"{last.positions_per_s:,.0f} positions/s")
        parts.append(f"loss {last.policy_loss:.3f} + {last.value_loss:.3f}")
    left = event.minutes_left
    parts.append(_clock(60 * event.minutes) if left is None else f"{_clock(60 * left)} left")
    return ", ".join(parts)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(max(round(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
