"""Giving up: which games had a player whose root value fell so low, and whether that would have been wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from meeple.games.game import Game
from meeple.games.rules import FIRST_WON
from meeple.learn.episodes import Episode
from meeple.learn.starts import after


class Resigned(NamedTuple):
    """A player who gave up, or would have."""

    player: int
    is_wrong: bool
    """Whether he did not lose after all."""
    ended: bool
    """Whether the game ended with it."""


def resigned(game: Game, episode: Episode, below: float) -> Resigned | None:
    """The first player whose recorded root value fell below a number."""
    low = [int(ply) for ply, value in zip(episode.rows, episode.root_values, strict=True) if value < below]
    if not low:
        return None
    player = after(game, episode.actions[: low[0]].tolist()).to_move
    return Resigned(
        player,
        is_wrong=episode.result != FIRST_WON + 1 - player,
        ended=not episode.is_complete and low[0] == len(episode.actions),
    )


def share_wrong(resignations: Sequence[Resigned]) -> float | None:
    """Of the games that were played on, the share where giving up would have been wrong; none where there were none."""
    played_on = [one.is_wrong for one in resignations if not one.ended]
    return sum(played_on) / len(played_on) if played_on else None
