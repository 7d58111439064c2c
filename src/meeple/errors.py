"""Every error that Meeple raises on purpose: a user's mistake is one of these, and its text is one helpful line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class MeepleError(ValueError):
    """A mistake that its text explains in one line; the command line prints it and exits with 2."""


class GameNameError(MeepleError):
    """No game has this name, or its size or options are not among those it takes."""


class RulesError(MeepleError):
    """A user's game file cannot be loaded, or its game breaks the rules contract."""


class MoveError(MeepleError):
    """A move cannot be played; one of the three below says why."""


class UnreadableMoveError(MoveError):
    """The text is not the name of any action of the game."""


class IllegalMoveError(MoveError):
    """The text names an action that the position does not allow."""


class AmbiguousMoveError(MoveError):
    """The text could mean several actions."""


class PlayerError(MeepleError):
    """No player has this spec, or it cannot play this game."""


class RecordError(MeepleError):
    """A file of games cannot be read."""


class RecipeError(MeepleError):
    """A recipe does not exist, or some of its settings are wrong."""


class RunError(MeepleError):
    """A run cannot begin or go on: its folder is in use, damaged, full, or another's."""


class CheckpointError(MeepleError):
    """A file is no network, or its network does not play this game."""


def nearest(word: str, known: Iterable[str]) -> str:
    """A clause `; did you mean X?` with the closest known spelling, or nothing where none is close."""
    spelled = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), spelled, n=1)
    return f"; did you mean {spelled[found[0]]}?" if found else ""
