"""Plays games, many at once: positions of different games where one player is to move go to it as one batch.

A player may have `choose_many(positions, seeds)`, which gives a move for each position; its chances come from the
seeds alone, one for each position, made from the seed of the game and the ply. A player without it gets a table of its
own for each game, where it is told of the beginning of a game and its seed, and asked for one move at a time. So games
do not depend on how many are played at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Protocol, cast

from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.play.chooser import Watch
from meeple.play.players import Player, begin, player, watch
from meeple.play.records import Record

MASK = (1 << 64) - 1


class BatchPlayer(Protocol):
    """What also chooses in many positions at once."""

    def choose_many(self, positions: Sequence[Position], seeds: Sequence[int]) -> Sequence[str]:
        """A legal move for each position, which depends on nothing but the position and its seed."""
        ...


class Start(NamedTuple):
    """A game to be played; in every second one the players swap colours."""

    number: int
    seed: int
    opening: Position


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
    players: tuple[str, str]
    """Who they were, in the order of moving: their specs or the names of their classes."""

    @property
    def record(self) -> Record:
        """As files have it."""
        return Record(
            game=self.end.game.name,
            players=self.players,
            moves=self.end.history,
            result=self.end.result,
            opening_plies=self.opening_plies,
            seed=self.seed,
        )


Deliver = Callable[[Played], bool]
"""Takes a game that is over; whether the others need not be played any more."""


def ply_seed(seed: int, ply: int) -> int:
    """The seed for the move at a ply of a game (the mixer of SplitMix64, G. L. Steele et al., 2014)."""
    word = (seed + (ply + 1) * 0x9E3779B97F4A7C15) & MASK
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
    return (word ^ word >> 31) >> 1


def check_count(name: str, moves: Sequence[str], positions: Sequence[Position]) -> None:
    """PlayerError where a player did not choose a move for each position."""
    if len(moves) != len(positions):
        raise PlayerError(f"{name} chose {len(moves)} moves in {len(positions)} positions")


def position_after(name: str, position: Position, move: str) -> Position:
    """The position after a move that a player chose; PlayerError where it is illegal."""
    if move not in position.moves:
        moves = " ".join(position.history) or "-"
        raise PlayerError(f"{name} chose {shown(str(move))} after {moves}")
    return position.play(move)


class Side:
    """One player of a match, at as many tables as it needs."""

    def __init__(self, given: Player | str, game: Game, seed: int, watcher: Watch | None) -> None:
        self._watcher = watcher
        self.name = given if isinstance(given, str) else type(given).__name__
        self._given = given
        self._game = game
        self._seed = seed
        self._players: list[Player] = []
        self._add()
        self.takes_batches = hasattr(self._players[0], "choose_many")

    @property
    def max_tables(self) -> float:
        """At how many tables it can sit: an object that takes no batches only at one."""
        return float("inf") if self.takes_batches or isinstance(self._given, str) else 1

    def begin(self, table: int, seed: int) -> None:
        """A new game starts at a table."""
        if not self.takes_batches:
            begin(self._at(table), seed)

    def choose(self, tables: Sequence[Table]) -> Sequence[str]:
        """A move at each of the tables."""
        if not self.takes_batches:
            return [self._at(table.index).choose(table.position) for table in tables]
        positions = [table.position for table in tables]
        seeds = [ply_seed(table.start.seed, table.position.plies) for table in tables]
        moves = cast(BatchPlayer, self._players[0]).choose_many(positions, seeds)
        check_count(self.name, moves, positions)
        return moves

    def _add(self) -> None:
        given = self._given
        self._players.append(player(given, self._game, seed=self._seed) if isinstance(given, str) else given)
        if self._watcher is not None:
            watch(self._players[-1], self._watcher)

    def _at(self, table: int) -> Player:
        while isinstance(self._given, str) and table >= len(self._players):
            self._add()
        return self._players[table if isinstance(self._given, str) else 0]


class Table:
    """A game that is being played."""

    def __init__(self, index: int, start: Start, sides: Sequence[Side]) -> None:
        self.index = index
        self.start = start
        self.first_is_first = start.number % 2 == 0
        self.seats = tuple(sides if self.first_is_first else reversed(sides))
        self.position = start.opening
        for seat, side in enumerate(self.seats):
            side.begin(index, start.seed + seat)

    @property
    def mover(self) -> Side:
        """The player to move."""
        return self.seats[self.position.to_move]

    def play(self, move: str) -> None:
        """Play a move that a player chose."""
        self.position = position_after(self.mover.name, self.position, move)

    def played(self) -> Played:
        """The game, which is over."""
        points = (1 + (self.position.result or 0) * (1 if self.first_is_first else -1)) / 2
        names = self.seats[0].name, self.seats[1].name
        start = self.start
        return Played(start.number, start.seed, self.first_is_first, start.opening.plies, self.position, points, names)


class Arena:
    """Two players, and the games they play; games are delivered in the order of their numbers, from 0 on."""

    def __init__(
        self,
        first: Player | str,
        second: Player | str,
        game: Game,
        *,
        seed: int,
        parallel: int,
        watcher: Watch | None = None,
    ) -> None:
        self._sides = tuple(Side(side, game, seed, watcher) for side in (first, second))
        is_batched = any(side.takes_batches for side in self._sides)
        self.num_tables = int(min(parallel if is_batched else 1, *(side.max_tables for side in self._sides)))
        self._waiting: dict[int, Played] = {}
        self._delivered = 0

    def play(self, starts: Iterator[Start], deliver: Deliver) -> None:
        """Play games until there are no more or enough of them; when interrupted, deliver those that are over."""
        tables = self._sit(range(self.num_tables), starts)
        try:
            while tables:
                self._move(tables)
                over = [table for table in tables if table.position.result is not None]
                self._waiting |= {table.start.number: table.played() for table in over}
                if self._deliver(deliver):
                    return
                tables = [table for table in tables if table.position.result is None]
                tables += self._sit([table.index for table in over], starts)
        except KeyboardInterrupt:
            for number in sorted(self._waiting):
                deliver(self._waiting.pop(number))
            raise

    def _sit(self, free: Sequence[int], starts: Iterator[Start]) -> list[Table]:
        return [Table(index, start, self._sides) for index, start in zip(free, islice(starts, len(free)), strict=False)]

    def _move(self, tables: Sequence[Table]) -> None:
        """One ply in every game."""
        for side in self._sides:
            own = [table for table in tables if table.mover is side and table.position.result is None]
            moved = zip(own, side.choose(own) if own else (), strict=True)
            for table, move in moved:
                table.play(move)

    def _deliver(self, deliver: Deliver) -> bool:
        while self._delivered in self._waiting:
            self._delivered += 1
            if deliver(self._waiting.pop(self._delivered - 1)):
                return True
        return False
