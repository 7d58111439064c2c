"""The program `meeple`: its verbs, and how a user's mistake ends."""

from __future__ import annotations

import sys

import typer

from meeple.cli import bench, check, games, match, perft, play, replay, show
from meeple.errors import MeepleError

app = typer.Typer(
    name="meeple",
    help="Learns board games from nothing but their rules, proves what it has learned, and plays with people.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (games, show, perft, check, play, match, replay, bench):
    app.command(name=module.__name__.rpartition(".")[2])(module.run)


def main() -> None:
    """Run the program; a mistake of the user's is one line on stderr and exit code 2."""
    try:
        sys.exit(app(standalone_mode=False))
    except MeepleError as error:
        _fail(str(error), 2)
    except typer.TyperException as error:
        _fail(error.format_message() if hasattr(error, "format_message") else str(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped", 130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    print(f"error: {line}" if code == 2 else line, file=sys.stderr)
    sys.exit(code)
