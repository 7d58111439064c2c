"""Games by name: those of the table at any size they take, and a user's from a Python file."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from meeple.errors import GameNameError, RulesError, nearest
from meeple.games.check import check
from meeple.games.game import Game, shown
from meeple.games.table import EXPECTED, TABLE, Entry

TRIAL_GAMES = 5


def game(name: str) -> Game:
    """The game of a name such as `hex:6` or `go:9?komi=5.5`, or of a Python file that defines `game`."""
    name = name.strip()
    if re.search(r"\.py$|[/\\]", name):
        return load_file(Path(name))
    head, _, options = name.partition("?")
    base, _, size = head.partition(":")
    entry = TABLE.get(base)
    if entry is None:
        hint = nearest(base, TABLE) or f"; there are {', '.join(TABLE)}, or the path of a .py file"
        raise GameNameError(f"no game is called {base[:40]!r}{hint}")
    return _built_in(entry.factory, _size(entry, head, size), tuple(sorted(_options(entry, options).items())))


@lru_cache(maxsize=64)
def _built_in(factory: str, size: tuple[int, ...], options: tuple[tuple[str, Any], ...]) -> Game:
    """The one game of that size and those options: positions of it can be compared."""
    module, function = factory.split(".")
    build: Callable[..., Game] = getattr(import_module(f"meeple.games.{module}"), function)
    return build(*size, **dict(options))


def _size(entry: Entry, name: str, text: str) -> tuple[int, ...]:
    if not text and not name.endswith(":"):
        return entry.usual
    numbers = tuple(int(number) for number in text.split("x")) if re.fullmatch(r"\d{1,3}(x\d{1,3})*", text) else ()
    if len(numbers) == 1 and len(entry.usual) == 2:
        numbers *= 2
    if not numbers or len(numbers) != len(entry.usual) or any(number not in entry.limits for number in numbers):
        example = ":".join([entry.name, "x".join(map(str, entry.usual))]).rstrip(":")
        raise GameNameError(f"{name[:40]!r} has no such size: {entry.name} takes {entry.sizes}, as in {example}")
    return numbers


def _options(entry: Entry, text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in filter(None, text.split("&")):
        option, _, value = part.partition("=")
        if option in found:
            raise GameNameError(f"{entry.name} has its option {option} twice")
        if option not in entry.options:
            hint = nearest(option, entry.options) or f"; it has {', '.join(entry.options) or 'none'}"
            raise GameNameError(f"{entry.name} has no option {option[:40]!r}{hint}")
        parse = entry.options[option]
        try:
            found[option] = parse(value)
        except (KeyError, ValueError):
            raise GameNameError(
                f"the option {option} of {entry.name} is {EXPECTED[parse]}, not {value[:40]!r}"
            ) from None
    return found


def load_file(path: Path) -> Game:
    """The game that a user's Python file defines as `game`."""
    if not os.path.isfile(path):  # noqa: PTH113  Path.is_file raises where the name is too long
        name = shown(str(path), 200)
        raise GameNameError(f"{name} is a folder" if os.path.isdir(path) else f"there is no file {name}")  # noqa: PTH112  as above
    try:
        names = _run(path)
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from error
    except (Exception, SystemExit) as error:
        raise RulesError(f"{path}{_line(error, path)}: {type(error).__name__}: {_first_line(error)}") from error
    found = names.get("game")
    if not isinstance(found, Game):
        what = "does not define `game`" if found is None else f"defines `game` as {type(found).__name__}"
        raise RulesError(f"{path} {what}; it must be a meeple.Game")
    check(found, games=TRIAL_GAMES)  # rules that write where they must not could do any harm
    return found


def _run(path: Path) -> dict[str, Any]:
    """What a file defines; it stays a module, for by its name Numba finds it again when it loads compiled code."""
    name = f"meeple_game_{hashlib.sha256(str(path.resolve()).encode(errors='surrogateescape')).hexdigest()[:16]}"
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(path)
    sys.path.insert(0, str(path.parent.resolve()))  # it may import what is beside it
    try:
        with redirect_stdout(sys.stderr):
            exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    finally:
        sys.path.pop(0)
    return vars(module)


def _line(error: BaseException, path: Path) -> str:
    """Where in the file an error came from."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _first_line(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return (text.strip().splitlines() or ["no reason given"])[0][:200]
