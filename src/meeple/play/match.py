"""Matches: two players, many games in pairs that share an opening and swap the colours."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Literal

from meeple.errors import MeepleError
from meeple.games.game import Game, Position
from meeple.games.registry import game as load_game
from meeple.play.arena import Arena, Played, Start
from meeple.play.chooser import Watch
from meeple.play.openings import random_openings
from meeple.play.players import Player
from meeple.play.records import Writer
from meeple.play.score import elo, interval
from meeple.play.sprt import PAIR_SCORES, Outcome, Sprt

PARALLEL = 64

Stopped = Literal["sprt", "interrupted"]


@dataclass(frozen=True)
class Side:
    """How one player of a match did with one colour, or in all."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """All of them."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The mean of 1 for a win, 0.5 for a draw, 0 for a loss."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5


@dataclass(frozen=True)
class Match:
    """The result of a match, from the side of its first player."""

    games: tuple[Played, ...] = field(repr=False)
    seconds: float
    sprt: Outcome | None = None
    stopped: Stopped | None = None
    """Why there are fewer games than were asked for."""

    @cached_property
    def as_first(self) -> Side:
        """The games in which it had the first move."""
        return _side([played.points for played in self.games if played.first_is_first])

    @cached_property
    def as_second(self) -> Side:
        """The games in which the other player had the first move."""
        return _side([played.points for played in self.games if not played.first_is_first])

    @property
    def both(self) -> Side:
        """Both colours together."""
        one, two = self.as_first, self.as_second
        return Side(one.wins + two.wins, one.draws + two.draws, one.losses + two.losses)

    @property
    def score(self) -> float:
        """The mean of 1 for a win, 0.5 for a draw, 0 for a loss."""
        return self.both.score

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Where the true score is, with 95 % confidence, over pairs of games."""
        pairs: dict[int, list[float]] = {}
        for played in self.games:
            pairs.setdefault(played.number // 2, []).append(played.points)
        return interval([sum(points) / len(points) for points in pairs.values()])

    @property
    def elo(self) -> float:
        """The Elo difference; infinite where every game was won or lost."""
        return elo(self.score)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """Where the Elo difference is, with 95 % confidence."""
        low, high = self.interval
        return elo(low), elo(high)

    @cached_property
    def unique_games(self) -> int:
        """How many different games were played."""
        return len({played.end.history for played in self.games})


class Tally:
    """Collects the games of a match as they end; a match that is interrupted can still be summed up."""

    def __init__(self, sprt: Sprt | None = None) -> None:
        self.games: list[Played] = []
        self._sprt = sprt
        self._pairs = [0] * len(PAIR_SCORES)
        self._began = time.perf_counter()

    def add(self, played: Played) -> bool:
        """Take a game; whether the test has come to an end with it."""
        previous = self.games[-1] if self.games else None
        self.games.append(played)
        if self._sprt is None or previous is None or played.number % 2 == 0 or previous.number + 1 != played.number:
            return False
        self._pairs[round(2 * (previous.points + played.points))] += 1
        return self._sprt.outcome(self._pairs).verdict != "undecided"

    def match(self, stopped: Stopped | None = None) -> Match:
        """The match so far."""
        outcome = self._sprt.outcome(self._pairs) if self._sprt else None
        return Match(tuple(self.games), time.perf_counter() - self._began, outcome, stopped)


def match(
    first: Player | str,
    second: Player | str,
    game: Game | str,
    games: int = 100,
    *,
    opening_plies: int = 0,
    openings: Iterable[Position] | None = None,
    seed: int = 0,
    parallel: int = PARALLEL,
    sprt: Sprt | None = None,
    save: Path | str | None = None,
    tally: Tally | None = None,
    on_game: Callable[[Played], None] | None = None,
    on_search: Watch | None = None,
) -> Match:
    """Play a match; an even number of games, so that each opening is played with both colours.

    Openings are random moves, or positions that are taken in turn and over again. With `parallel` greater than 1 and a
    player that takes batches, so many games are played at once; they are the same games whatever it is. With `sprt`,
    the match ends when the test does. Records of the games are appended to the file `save`. `on_search` sees every
    search of the players that search.
    """
    if games < 2 or games % 2:
        raise MeepleError(f"a match has an even number of games, for colours are swapped; not {games}")
    if parallel < 1:
        raise MeepleError(f"at least one game is played at once, not {parallel}")
    if openings is not None and opening_plies:
        raise MeepleError("a match takes openings or random plies, not both")
    game = load_game(game) if isinstance(game, str) else game
    arena = Arena(first, second, game, seed=seed, parallel=parallel, watcher=on_search)
    tally = tally or Tally(sprt)
    with ExitStack() as stack:
        writer = stack.enter_context(Writer(Path(save))) if save is not None else None

        def deliver(played: Played) -> bool:
            is_enough = tally.add(played)
            if writer is not None:
                writer.add(played.record)
            if on_game is not None:
                on_game(played)
            return is_enough

        arena.play(_starts(game, games, opening_plies, openings, seed), deliver)
    return tally.match("sprt" if len(tally.games) < games else None)


def _starts(game: Game, games: int, plies: int, openings: Iterable[Position] | None, seed: int) -> Iterator[Start]:
    """The games to be played; both of a pair share their opening."""
    chance = Random(seed)
    drawn = random_openings(game, plies, chance) if openings is None else cycle(openings)
    opening = game.start()
    for number in range(games):
        if number % 2 == 0:
            opening = _opening(drawn, game)
        yield Start(number, chance.getrandbits(63), opening)


def _opening(drawn: Iterator[Position], game: Game) -> Position:
    opening = next(drawn, None)
    if opening is None:
        raise MeepleError("there are no openings to play")
    if opening.game is not game or opening.result is not None:
        raise MeepleError(f"{opening!r} is no opening of {game.name}: it must be a position where the game goes on")
    return opening


def _side(points: Sequence[float]) -> Side:
    counts = Counter(points)
    return Side(counts[1.0], counts[0.5], counts[0.0])
