"""Plays a recorded game again: players made from their specs and the seed of the game choose the same moves."""

from __future__ import annotations

from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.play.arena import Arena, Played, Start
from meeple.play.players import MAKERS
from meeple.play.records import Record
from meeple.play.spec import parse

RUNS_PROGRAMS = frozenset({"gtp", "gomocup"})
ASKS_PEOPLE = frozenset({"human"})


def replay(record: Record, game: Game, *, run_programs: bool = False) -> Position:
    """The last position when the players choose again from the record's opening.

    PlayerError where they cannot be made again. A file of games must not choose which programs run here, so players
    that are other programs are refused unless `run_programs` is true.
    """
    if record.seed is None:
        raise PlayerError("the game has no seed")
    for name in record.players:
        kind = parse(name, MAKERS).kind
        if kind in ASKS_PEOPLE or (kind in RUNS_PROGRAMS and not run_programs):
            raise PlayerError(f"{shown(name)} is {'a person' if kind in ASKS_PEOPLE else 'another program'}")
    first, second = record.players
    opening = record.opening(game)
    if opening.result is not None:
        return opening
    ends: list[Position] = []

    def deliver(played: Played) -> bool:
        ends.append(played.end)
        return True

    arena = Arena(first, second, game, seed=record.seed, parallel=1)
    arena.play(iter([Start(0, record.seed, opening)]), deliver)
    return ends[0]
