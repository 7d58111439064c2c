"""The networks that come with the package: one file a game, named after it with a dash for the colon."""

from __future__ import annotations

from pathlib import Path

from meeple.errors import CheckpointError, nearest
from meeple.games.game import Game, shown
from meeple.nets.folder import SUFFIX

FOLDER = Path(__file__).parents[1] / "zoo"


def names() -> list[str]:
    """What the networks are called."""
    return sorted(path.stem for path in FOLDER.glob(f"*{SUFFIX}"))


def path(name: str) -> Path:
    """The file of a network; CheckpointError where there is none."""
    known = names()
    if _as_file(name) not in known:
        hint = nearest(name, known) or _there_are(known)
        raise CheckpointError(f"no network comes with the package as {shown(name)}{hint}")
    return FOLDER / f"{_as_file(name)}{SUFFIX}"


def for_game(game: Game) -> Path:
    """The file of a game's network; CheckpointError where there is none."""
    known = names()
    if _as_file(game.name) not in known:
        raise CheckpointError(f"no network for {game.name} comes with the package{_there_are(known)}")
    return path(game.name)


def _as_file(name: str) -> str:
    return name.replace(":", "-")


def _there_are(known: list[str]) -> str:
    return f"; there are {', '.join(known) or 'none'}"
