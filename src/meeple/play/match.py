"""Matches: two players, many games in pairs that share an opening and swap the colours."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from meeple.errors import MeepleError, PlayerError
from meeple.games.game import Game, Position, shown
from meeple.games.registry import game as load_game
from meeple.play.players import Player, begin, player
from meeple.play.score import elo, interval

OPENING_TRIES = 100


class Played(NamedTuple):
    """One game of a match."""

    number: int
    seed: int
    first_is_first: bool
    """Whether the first player of the match had the first move."""
    opening_plies: int
    end: Position
    points: float
    """What the first player of the match got: 1, 0.5 or 0."""


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
    as_first: Side
    as_second: Side
    seconds: float

    @property
    def both(self) -> Side:
        """Both colours together."""
        one, two = self.as_first, self.as_second
        return Side(one.wins + two.wins, one.draws + two.draws, one.losses + two.losses)

    @property
    def score(self) -> float:
        """The mean of 1 for a win, 0.5 for a draw, 0 for a loss."""
        return self.both.score

    @property
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

    @property
    def unique_games(self) -> int:
        """How many different games were played."""
        return len({played.end.history for played in self.games})


def match(
    first: Player | str,
    second: Player | str,
    game: Game | str,
    games: int = 100,
    *,
    opening_plies: int = 0,
    seed: int = 0,
    on_game: Callable[[Played], None] | None = None,
) -> Match:
    """Play a match; an even number of games, so that each opening is played with both colours."""
    if games < 2 or games % 2:
        raise MeepleError(f"a match has an even number of games, for colours are swapped; not {games}")
    game = load_game(game) if isinstance(game, str) else game
    players = [player(side, game, seed=seed) if isinstance(side, str) else side for side in (first, second)]
    began = time.perf_counter()
    chance = Random(seed)
    played: list[Played] = []
    for number in range(games):
        if number % 2 == 0:
            opening = random_opening(game, opening_plies, chance)
        played.append(_play(number, players, opening, chance.getrandbits(63)))
        if on_game is not None:
            on_game(played[-1])
    as_first, as_second = (
        [one.points for one in played if one.first_is_first is is_first] for is_first in (True, False)
    )
    return Match(tuple(played), _side(as_first), _side(as_second), time.perf_counter() - began)


def random_opening(game: Game, plies: int, chance: Random) -> Position:
    """A position after random moves where the game still goes on."""
    for _ in range(OPENING_TRIES):
        position = game.start()
        while position.result is None and position.plies < plies:
            position = position.play(chance.choice(position.moves))
        if position.result is None:
            return position
    raise MeepleError(f"{game.name} is nearly always over after {plies} random plies: take shorter openings")


def _play(number: int, players: list[Player], opening: Position, seed: int) -> Played:
    """One game; the players swap colours in every second."""
    first_is_first = number % 2 == 0
    seats = players if first_is_first else players[::-1]
    for seat, sitting in enumerate(seats):
        begin(sitting, seed + seat)
    position = opening
    while position.result is None:
        position = _move(seats[position.to_move], position)
    points = (1 + position.result * (1 if first_is_first else -1)) / 2
    return Played(number, seed, first_is_first, opening.plies, position, points)


def _move(player: Player, position: Position) -> Position:
    move = player.choose(position)
    if move not in position.moves:
        raise PlayerError(f"{type(player).__name__} chose {shown(str(move))} after {' '.join(position.history) or '-'}")
    return position.play(move)


def _side(points: list[float]) -> Side:
    counts = Counter(points)
    return Side(counts[1.0], counts[0.5], counts[0.0])
