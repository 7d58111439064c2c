"""The program `meeple`: its verbs, and how a user's mistake ends."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from meeple import __version__
from meeple.cli import (
    bench,
    check,
    doctor,
    export,
    games,
    match,
    openings,
    perft,
    play,
    prove,
    recipe,
    replay,
    runs,
    show,
    train,
)
from meeple.errors import MeepleError

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""

app = typer.Typer(
    name="meeple",
    help="Learns board games from nothing but their rules, proves what it has learned, and plays with people.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"meeple {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


for module in (games, show, perft, check, play, match, replay, prove, train, runs, export, doctor, bench):
    app.command(name=module.__name__.rpartition(".")[2])(module.run)
app.add_typer(openings.app, name="openings")
app.add_typer(recipe.app, name="recipe")


def main() -> None:
    """Run the program; a mistake of the user's is one line on stderr and exit code 2."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except MeepleError as error:
        _fail(str(error), 2)
    except typer.TyperException as error:
        _fail(error.format_message() if hasattr(error, "format_message") else str(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped", STOPPED)
    except OSError as error:
        sys.stdout = None  # what is left cannot be written either
        _fail(f"cannot write the output: {error.strerror}", 1 if isinstance(error, BrokenPipeError) else 2)
    if code == STOPPED:
        _fail("stopped", STOPPED)
    sys.exit(code)


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    if line:  # without any words, the help has been printed
        print(f"error: {line}" if code == 2 else line, file=sys.stderr)
    sys.exit(code)
