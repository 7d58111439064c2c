"""A player against every reply an opponent can make, from both sides.

It grew from a course project of 2017 that let a network for Tic-tac-toe play against all replies at once, on one board
for each sequence of nine cells. Here equal positions are merged instead, ply by ply as in perft: the player is asked
once in each, and the games that lead there are added up.

    ply 0        ply 1            ply 2
                                                   the player moves first: one move where it is to move,
    start  --->  b2  ---+--->  b2 a1  --->  ...    all of them where the opponent is
                        +--->  b2 a2  --->  ...

Two move orders that lead to one state get one answer, which the player gives after the order met first. Positions are
merged by every word of their states and not by keys: a key leaves out what does not matter for the rest of the game
(who owns which box in Dots and Boxes), yet a player may look at it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from meeple.errors import MeepleError
from meeple.games.game import Game, Position
from meeple.games.registry import game as load_game
from meeple.games.rules import GOING_ON, RESULT, TO_MOVE
from meeple.play.arena import BatchPlayer, check_count, ply_seed, position_after
from meeple.play.players import Player, begin, player

MAX_POSITIONS = 1_000_000
BATCH = 256
"""Between two looks at the clock: so many positions; of a player that takes no batches only one question."""

Stopped = Literal["positions", "time", "interrupted"]
OnWalked = Callable[[int, int], None]
"""Is told how many more positions have had their moves tried, and at which ply."""
Spent = Callable[[int, int, int], Stopped | None]
"""Hears how many more positions were walked, how many the next ply has so far, and the ply; what is used up by then."""


@dataclass(frozen=True)
class Side:
    """The games that the player can get into from one side: all that end within the plies walked."""

    wins: int
    draws: int
    losses: int
    positions: int
    """Distinct states; one that comes up again at another ply counts again."""
    plies: int
    """So many plies were walked, with every reply in them."""
    complete: bool
    """Whether every game has come to its end."""
    lost_line: tuple[str, ...] | None
    """The moves of one of the shortest games that the player lost."""

    @property
    def games(self) -> int:
        """How many different games, that is sequences of moves, came to their end."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class Proof:
    """How a player did against every reply."""

    as_first: Side
    as_second: Side
    seconds: float
    stopped: Stopped | None = None
    """What ended the walk before all games were over."""

    @property
    def complete(self) -> bool:
        """Whether the counts are all there is, on both sides."""
        return self.as_first.complete and self.as_second.complete

    @property
    def losses(self) -> int:
        """The games lost on both sides."""
        return self.as_first.losses + self.as_second.losses


def prove(
    given: Player | str,
    game: Game | str,
    *,
    seed: int = 0,
    max_positions: int = MAX_POSITIONS,
    time_limit_s: float | None = None,
    on_walked: OnWalked | None = None,
) -> Proof:
    """Play a player, or the player of a spec, against every possible reply, on both sides.

    The player's chances come from the seed and the position alone, so that its answer is the same whenever it is asked;
    an object without `begin` and `choose_many` must see to that itself. The walk stops at so many positions on both
    sides together, or after so many seconds; what it has counted by then is true of all games that end within the
    plies it walked.
    """
    return Prover(
        given, game, seed=seed, max_positions=max_positions, time_limit_s=time_limit_s, on_walked=on_walked
    ).run()


class Prover:
    """Walks both sides in turn, ply by ply; a walk that is interrupted can still be summed up."""

    def __init__(
        self,
        given: Player | str,
        game: Game | str,
        *,
        seed: int = 0,
        max_positions: int = MAX_POSITIONS,
        time_limit_s: float | None = None,
        on_walked: OnWalked | None = None,
    ) -> None:
        if max_positions < 2:
            raise MeepleError(f"two starting positions, one for each side, are the least to walk; not {max_positions}")
        game = load_game(game) if isinstance(game, str) else game
        self._began = time.perf_counter()
        self._deadline = None if time_limit_s is None else self._began + time_limit_s
        self._max_positions = max_positions
        self._on_walked = on_walked
        respondent = Respondent(given, game, seed)
        self._walks = tuple(Walk(game, respondent, seat) for seat in (0, 1))
        self._stopped: Stopped | None = None

    def run(self) -> Proof:
        """Walk until every game is over or the budget is spent, the smaller side first."""
        waiting = list(self._walks)
        while waiting:
            walk = min(waiting, key=lambda walk: walk.side.positions)
            spent = walk.step(self._spent)
            self._stopped = spent or self._stopped
            if spent or walk.side.complete:
                waiting.remove(walk)
        return self.proof(self._stopped)

    def proof(self, stopped: Stopped | None) -> Proof:
        """What is counted so far."""
        as_first, as_second = (walk.side for walk in self._walks)
        return Proof(as_first, as_second, time.perf_counter() - self._began, stopped)

    def _spent(self, walked: int, found: int, ply: int) -> Stopped | None:
        """What of the budget is used up, when so many positions of the next ply are found."""
        if self._on_walked is not None:
            self._on_walked(walked, ply)
        if sum(walk.side.positions for walk in self._walks) + found > self._max_positions:
            return "positions"
        is_late = self._deadline is not None and time.perf_counter() >= self._deadline
        return "time" if is_late else None


class Respondent:
    """A player that answers by the position alone, as far as its chances go."""

    def __init__(self, given: Player | str, game: Game, seed: int) -> None:
        self._player = player(given, game, seed=seed) if isinstance(given, str) else given
        self._name = given if isinstance(given, str) else type(given).__name__
        self._seed = seed
        self._takes_batches = hasattr(self._player, "choose_many")
        self.batch = BATCH if self._takes_batches else 1

    def answers(self, positions: Sequence[Position]) -> list[Position]:
        """The positions after its moves; PlayerError where it chooses what cannot be played."""
        seeds = [ply_seed(self._seed + position.key, position.plies) for position in positions]
        moves = self._choose(positions, seeds)
        check_count(self._name, moves, positions)
        return [position_after(self._name, *asked) for asked in zip(positions, moves, strict=True)]

    def _choose(self, positions: Sequence[Position], seeds: Sequence[int]) -> Sequence[str]:
        if self._takes_batches:
            return cast(BatchPlayer, self._player).choose_many(positions, seeds)
        moves = []
        for position, seed in zip(positions, seeds, strict=True):
            begin(self._player, seed)
            moves.append(self._player.choose(position))
        return moves


class Level(NamedTuple):
    """The distinct positions at one ply."""

    states: NDArray[np.uint64]
    parents: NDArray[np.int32]
    """The row, one ply before, that each was met from first."""
    actions: NDArray[np.int32]
    """By which it was."""


class Gathering:
    """The positions of the next ply, merged as they come."""

    def __init__(self) -> None:
        self.paths: list[int] = []
        """How many sequences of moves lead to each; they outgrow 64 bits."""
        self._rows: dict[bytes, int] = {}
        self._parents: list[int] = []
        self._actions: list[int | None] = []

    def add(self, position: Position, parent: int, paths: int) -> None:
        """Take a position that so many sequences lead to through a row of the ply before."""
        row = self._rows.setdefault(position.state.tobytes(), len(self.paths))
        if row < len(self.paths):
            self.paths[row] += paths
            return
        self.paths.append(paths)
        self._parents.append(parent)
        self._actions.append(position.action)

    def level(self) -> Level:
        """All of them, in the order in which they were met."""
        states = np.frombuffer(bytearray().join(self._rows), np.uint64).reshape(len(self.paths), -1)
        return Level(states, np.array(self._parents, np.int32), np.array(self._actions, np.int32))


class Walk:
    """Every game that the player can get into from one seat, ply by ply."""

    def __init__(self, game: Game, respondent: Respondent, seat: int) -> None:
        self._game = game
        self._respondent = respondent
        self._seat = seat
        self._paths = [1]
        self._levels = [Level(game.start().state[np.newaxis], np.zeros(1, np.int32), np.zeros(1, np.int32))]
        self.side = Side(wins=0, draws=0, losses=0, positions=1, plies=0, complete=False, lost_line=None)
        """What is counted so far."""

    def step(self, spent: Spent) -> Stopped | None:
        """Walk one ply further; or not, where the budget does not reach to its end."""
        found = Gathering()
        for rows, children in self._batches():
            for row, after in zip(rows, children, strict=True):
                for position in after:
                    found.add(position, row, self._paths[row])
            stopped = spent(len(rows), len(found.paths), len(self._levels) - 1)
            if stopped:
                return stopped
        self._levels.append(found.level())
        self._paths = found.paths
        self.side = self._counted()  # last, so that whatever interrupts this leaves what was counted before
        return None

    def _batches(self) -> Iterator[tuple[list[int], Iterator[Sequence[Position]]]]:
        """Rows where the game goes on, with what may follow on each; first those where the player is to move."""
        states = self._levels[-1].states
        goes_on, is_own = states[:, RESULT] == GOING_ON, states[:, TO_MOVE] == self._seat
        for rows in _slices(np.flatnonzero(goes_on & is_own), self._respondent.batch):
            yield rows, ([answer] for answer in self._respondent.answers([self._position(row) for row in rows]))
        for rows in _slices(np.flatnonzero(goes_on & ~is_own), BATCH):
            yield rows, (_replies(Position(self._game, states[row])) for row in rows)

    def _position(self, row: int) -> Position:
        """A position of the last ply with the moves that led to it first."""
        rows = [row]
        for level in self._levels[:0:-1]:
            rows.append(int(level.parents[rows[-1]]))
        position = Position(self._game, self._levels[0].states[rows.pop()])
        for level in self._levels[1:]:
            row = rows.pop()
            position = Position(self._game, level.states[row], position, int(level.actions[row]))
        return position

    def _counted(self) -> Side:
        """What is counted with the last ply."""
        states, before, lost_line = self._levels[-1].states, self.side, self.side.lost_line
        finished = np.flatnonzero(states[:, RESULT] != GOING_ON).tolist()
        games: Counter[int] = Counter()
        for row in finished:
            outcome = (Position(self._game, states[row]).result or 0) * (1 - 2 * self._seat)
            games[outcome] += self._paths[row]
            if outcome == -1 and lost_line is None:
                lost_line = self._position(row).history
        return Side(
            wins=before.wins + games[1],
            draws=before.draws + games[0],
            losses=before.losses + games[-1],
            positions=before.positions + len(states),
            plies=before.plies + 1,
            complete=len(finished) == len(states),
            lost_line=lost_line,
        )


def _slices(rows: NDArray[np.int64], length: int) -> Iterator[list[int]]:
    for first in range(0, len(rows), length):
        yield rows[first : first + length].tolist()


def _replies(position: Position) -> list[Position]:
    return [position.play_action(action) for action in position.actions]
