"""`meeple train`: learns a game."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meeple.cli.match import INTERRUPTED
from meeple.cli.output import print_json
from meeple.cli.parameters import FROM_0, FROM_1, Changes, Json, above_0
from meeple.cli.training import watch

if TYPE_CHECKING:
    from meeple.learn.events import Event, Listener
    from meeple.learn.recipe import Recipe
    from meeple.learn.run import Run


def run(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="The game; see `meeple games`. A run that goes on knows it.")
    ] = None,
    recipe: Annotated[
        str | None, typer.Option(metavar="NAME", help="How to learn; see `meeple recipe list`. [default: fast]")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--run", metavar="DIR", help="Where the run is kept. [default: a new folder in runs]"),
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(parser=above_0, metavar="M", help="End after so many minutes of the whole run.")
    ] = None,
    steps: Annotated[
        int | None, typer.Option(parser=FROM_1, metavar="N", help="End after so many steps of the learner.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(parser=FROM_1, metavar="N", help="End after so many iterations.")
    ] = None,
    changes: Changes = None,
    threads: Annotated[
        int | None, typer.Option(parser=FROM_1, metavar="N", help="How many threads work. [default: all cores]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(parser=FROM_0, metavar="N", help="Where chance starts. [default: the recipe's]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --run.")] = False,
    json: Json = False,
) -> None:
    """Learn a game from nothing but its rules, until an end is reached or Ctrl-C stops it.

    A run can be stopped, or killed, at any moment: --run DIR --resume goes on with it.
    """
    if seed is not None:
        changes = [*(changes or ()), f"seed={seed}"]
    place, asked = _resumed(folder, recipe, changes) if resume else _begun(folder, game, recipe, changes)
    train, stop = _train(), threading.Event()
    try:
        with watch() as show, _tensorboard() as write, _stopping(stop):
            found = train(
                game,
                asked,
                place,
                minutes=minutes,
                steps=steps,
                iterations=iterations,
                threads=threads,
                resume=resume,
                listen=_both(show, write),
                stop=stop,
            )
    except KeyboardInterrupt:
        _say_how_to_resume(place)
        raise
    result = document(found)
    if json:
        print_json(result)
    else:
        _print(result, found.recipe.game)
    if stop.is_set():
        _say_how_to_resume(place)
        raise SystemExit(INTERRUPTED)


def document(run: Run) -> dict[str, Any]:
    """A run as JSON has it, with the numbers of its last iteration."""
    from dataclasses import asdict

    from meeple.errors import MeepleError
    from meeple.learn.metrics import NAME, Table

    checkpoint = None
    with suppress(MeepleError):  # it was stopped before there was one
        checkpoint = str(run.checkpoint)
    metrics = Table(run.folder / NAME).rows
    return {
        "run": str(run.folder),
        "iteration": run.state.iteration,
        "step": run.state.step,
        "games": run.state.games,
        "positions": run.state.positions,
        "minutes": run.state.minutes,
        "checkpoint": checkpoint,
        "metrics": asdict(metrics[-1]) if metrics else None,
    }


def _begun(
    folder: Path | None, game: str | None, recipe: str | None, changes: Sequence[str] | None
) -> tuple[Path, Recipe]:
    """Where a new run is kept, and how it learns."""
    from meeple.learn import recipes
    from meeple.learn.storage import new_folder

    found = recipes.load(recipe or recipes.DEFAULT, None if game is None else recipes.game_name(game), changes or ())
    return folder or new_folder(found), found


def _resumed(folder: Path | None, recipe: str | None, changes: Sequence[str] | None) -> tuple[Path, Recipe]:
    """The same of a run that goes on as it began."""
    from meeple.errors import RunError
    from meeple.learn.storage import Folder

    if folder is None:
        raise RunError("--resume needs to know the run, as in --run runs/connect4-fast-1; `meeple runs` lists them")
    if recipe or changes:
        raise RunError("a run goes on with the recipe it began with: leave out --recipe, --set and --seed")
    return folder, Folder(folder).recipe()


def _train() -> Callable[..., Run]:
    """What learns; it needs PyTorch, which nothing else does."""
    from meeple.kernel import is_compiled

    if sys.stderr.isatty() and not is_compiled("boards"):
        print("compiling the engines, once: about half a minute", file=sys.stderr)
    try:
        from meeple.learn.run import train
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        from meeple.errors import MeepleError

        raise MeepleError("learning needs PyTorch, which is not installed: pip install 'meeple[learn]'") from None
    return train


def _both(first: Listener, second: Listener) -> Listener:
    def listen(event: Event) -> None:
        first(event)
        second(event)

    return listen


@contextmanager
def _tensorboard() -> Iterator[Listener]:
    """A listener that writes TensorBoard's events, or says that it cannot."""
    try:
        from meeple.learn.tensorboard import TensorBoard
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        print(f"no TensorBoard events without {missing}: pip install 'meeple[learn]'", file=sys.stderr)
        yield lambda event: None
        return
    board = TensorBoard()
    try:
        yield board
    finally:
        board.close()


@contextmanager
def _stopping(stop: threading.Event) -> Iterator[None]:
    """The first Ctrl-C asks the run to stop, the second one ends it as usual."""

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.set()
        os.write(2, b"\nstopping; Ctrl-C again stops at once\n")  # print could be interrupted by itself

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _say_how_to_resume(folder: Path) -> None:
    if (folder / "recipe.toml").exists():
        print(f"stopped; meeple train --run {folder} --resume goes on", file=sys.stderr)


def _print(found: dict[str, Any], game: str) -> None:
    print(
        f"{found['run']}: {found['iteration']:,} iterations, {found['step']:,} steps, {found['games']:,} games, "
        f"{found['positions']:,} positions, {found['minutes']:.1f} minutes"
    )
    if not found["iteration"]:
        print("it has learned nothing yet, for its first iteration is not over; --resume with more --minutes goes on")
        return
    print(f"best network: {found['checkpoint']}")
    print(f"play it: meeple play {game} --against net:{found['run']}@best")
