"""Meeple learns board games from nothing but their rules, proves what it has learned, and plays with people.

Everything public is here, and is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from meeple.errors import (
        AmbiguousMoveError,
        CheckpointError,
        GameNameError,
        IllegalMoveError,
        MeepleError,
        MoveError,
        PlayerError,
        RecipeError,
        RecordError,
        RulesError,
        RunError,
        UnreadableMoveError,
    )
    from meeple.games.board import Board
    from meeple.games.check import check
    from meeple.games.drawing import text
    from meeple.games.game import Game, Position
    from meeple.games.perft import perft
    from meeple.games.registry import game
    from meeple.games.svg import svg
    from meeple.games.symmetry import Symmetry
    from meeple.judge.prove import prove
    from meeple.kernel import count_bits, get_byte, jit, list_bits, lowest_bit, set_byte
    from meeple.learn.run import Run, train
    from meeple.play.match import match
    from meeple.play.players import Player, player

__version__ = "0.1.0"

_HOMES = {
    "errors": (
        "AmbiguousMoveError", "CheckpointError", "GameNameError", "IllegalMoveError", "MeepleError", "MoveError",
        "PlayerError", "RecipeError", "RecordError", "RulesError", "RunError", "UnreadableMoveError",
    ),
    "games.board": ("Board",),
    "games.check": ("check",),
    "games.drawing": ("text",),
    "games.game": ("Game", "Position"),
    "games.perft": ("perft",),
    "games.registry": ("game",),
    "games.svg": ("svg",),
    "games.symmetry": ("Symmetry",),
    "judge.prove": ("prove",),
    "kernel": ("count_bits", "get_byte", "jit", "list_bits", "lowest_bit", "set_byte"),
    "learn.run": ("Run", "train"),
    "play.match": ("match",),
    "play.players": ("Player", "player"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AmbiguousMoveError",
    "Board",
    "CheckpointError",
    "Game",
    "GameNameError",
    "IllegalMoveError",
    "MeepleError",
    "MoveError",
    "Player",
    "PlayerError",
    "Position",
    "RecipeError",
    "RecordError",
    "RulesError",
    "Run",
    "RunError",
    "Symmetry",
    "UnreadableMoveError",
    "check",
    "count_bits",
    "game",
    "get_byte",
    "jit",
    "list_bits",
    "lowest_bit",
    "match",
    "perft",
    "player",
    "prove",
    "set_byte",
    "svg",
    "text",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'meeple' has no attribute {name!r}")
    if name in ("match", "player", "prove"):
        import_module("meeple.bridges.players")  # adds its kinds of players
    value = globals()[name] = getattr(import_module(f"meeple.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
