"""Forced openings: where games of self-play begin, drawn uniformly from a database of all there are (Daliri 2022).

A database is one SQLite file. A row is a position by the moves to it: the last move, and the row of the position
before. Two orders of the same moves are two rows. Rows are numbered from 1, shorter openings first, so that a number
drawn is an opening drawn.

    about       format 'meeple-openings/1', game 'hex:6', moves 'all' or 'winning'
    openings    id   parent   ply   player   move   action   wins
                 1   NULL      1      0       a6       0     NULL
                37      1      2      1       b6       1     NULL

`parent` is NULL after the first move. `wins` says whether the move is proven to win for the player who made it, and is
NULL in a database of all moves, where nobody asked. Where only winning moves are played, a player who has none plays
any: nobody gives a win away. Positions where the game is over are no openings.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from meeple.errors import MeepleError, MoveError, RecordError
from meeple.games.game import Game, Position, shown
from meeple.search.alphabeta import alphabeta

FORMAT = "meeple-openings/1"
MAX_OPENINGS = 10_000_000
TABLE_MB = 16

SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE openings (
    id INTEGER PRIMARY KEY,
    parent INTEGER REFERENCES openings (id),
    ply INTEGER NOT NULL CHECK (ply > 0),
    player INTEGER NOT NULL CHECK (player IN (0, 1)),
    move TEXT NOT NULL,
    action INTEGER NOT NULL,
    wins INTEGER CHECK (wins IN (0, 1))
) STRICT;
"""

INSERT = "INSERT INTO openings VALUES (?, ?, ?, ?, ?, ?, ?)"
ROWS = "SELECT id, coalesce(parent, 0), ply, action FROM openings ORDER BY id"
ROW = np.dtype([("id", np.int64), ("parent", np.int64), ("ply", np.int64), ("action", np.int64)])


class _Parent(NamedTuple):
    """A position whose next moves are still to be written, and its row; the start has none."""

    id: int | None
    position: Position


def build(
    game: Game,
    path: Path,
    plies: int,
    *,
    winning_only: bool = False,
    time_limit_s: float = 10.0,
    on_position: Callable[[], object] = lambda: None,
) -> dict[int, int]:
    """Write the database of all openings of up to so many plies, and return how many there are of each.

    `winning_only` proves moves by alpha-beta, within the time limit for each position; MeepleError where that is too
    little. `on_position` hears of every position whose next moves were found. The file is complete or not there.
    """
    if plies < 1:
        raise MeepleError(f"an opening has at least 1 ply, not {plies}")
    unfinished = path.with_name(f"{path.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished)) as database:
            counts = _Builder(game, database, _Prover(time_limit_s) if winning_only else None, on_position).run(plies)
        unfinished.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise RecordError(f"cannot write {path}: {error}") from error
    finally:
        if unfinished.is_file():
            unfinished.unlink()
    return counts


class _Builder:
    """Writes openings ply by ply."""

    def __init__(
        self, game: Game, database: sqlite3.Connection, prover: _Prover | None, on_position: Callable[[], object]
    ) -> None:
        self.game, self.database, self.prover, self.on_position = game, database, prover, on_position
        self.num_openings = 0

    def run(self, plies: int) -> dict[int, int]:
        """Write openings of up to so many plies, and return how many there are of each."""
        self.database.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {SCHEMA}")
        about = {"format": FORMAT, "game": self.game.name, "moves": "all" if self.prover is None else "winning"}
        self.database.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        parents, counts = [_Parent(None, self.game.start())], {}
        for ply in range(1, plies + 1):
            before, children = self.num_openings, list[_Parent]()
            keep = children.append if ply < plies else None
            self.database.executemany(INSERT, self._rows(parents, ply, keep))
            if self.num_openings == before:
                break
            parents, counts[ply] = children, self.num_openings - before
        if not counts:
            raise MeepleError(f"{self.game.name} has no openings: it is over after the first move")
        self.database.commit()
        return counts

    def _rows(
        self, parents: Iterable[_Parent], ply: int, keep: Callable[[_Parent], None] | None
    ) -> Iterator[tuple[int, int | None, int, int, str, int, bool | None]]:
        """The rows of a ply, and its positions for `keep`."""
        for parent, position in parents:
            wins = None if self.prover is None else self.prover.winning_actions(position)
            for action in wins or position.actions:
                child = position.play_action(action)
                if child.result is not None:
                    continue
                self.num_openings += 1
                if self.num_openings > MAX_OPENINGS:
                    raise MeepleError(f"{self.game.name} has more than {MAX_OPENINGS:,} openings: take fewer plies")
                if keep is not None:
                    keep(_Parent(self.num_openings, child))
                is_win = None if wins is None else bool(wins)
                yield self.num_openings, parent, ply, position.to_move, self.game.names[action], action, is_win
            self.on_position()


class _Prover:
    """Finds winning moves, once for each position."""

    def __init__(self, time_limit_s: float) -> None:
        self.time_limit_s = time_limit_s
        self.known: dict[Position, tuple[int, ...]] = {}

    def winning_actions(self, position: Position) -> tuple[int, ...]:
        """All actions that are proven to win; MeepleError where one could not be proven either way."""
        if position not in self.known:
            self.known[position] = self._prove(position)
        return self.known[position]

    def _prove(self, position: Position) -> tuple[int, ...]:
        game = position.game
        verdict = alphabeta(position, time_limit_s=self.time_limit_s, table_mb=TABLE_MB, all_moves=True)
        if not all(move.proven for move in verdict.moves.values()):
            after = f"after {' '.join(position.history)}" if position.plies else "at the start"
            raise MeepleError(
                f"cannot prove within {self.time_limit_s:g} s which moves of {game.name} win {after}: "
                "take more time, fewer plies, a smaller board, or all moves"
            )
        return tuple(game.action(move) for move, found in verdict.moves.items() if found.value == 1)


class Openings:
    """A database of openings, read as a whole and checked; the file is closed again."""

    def __init__(self, path: Path, game: Game) -> None:
        self.path, self.game = path, game
        if not path.is_file():
            raise RecordError(f"cannot read {path}: there is no such file")
        try:
            # `immutable` leaves no files of its own beside a database that nobody writes.
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as database:
                about = dict(database.execute("SELECT name, value FROM about"))
                self._check_about(about)
                rows = np.fromiter(database.execute(ROWS), ROW)
        except (sqlite3.Error, TypeError, ValueError) as error:
            if isinstance(error, MeepleError):
                raise
            raise self._damaged(str(error)) from error
        self.winning_only = about.get("moves") == "winning"
        """Whether nobody gives a win away."""
        self._check_rows(rows)
        self._parents, self._actions = rows["parent"], rows["action"]
        lengths, firsts, counts = np.unique(rows["ply"], return_index=True, return_counts=True)
        self._firsts = dict(zip(lengths.tolist(), firsts.tolist(), strict=True))
        self.counts: dict[int, int] = dict(zip(lengths.tolist(), counts.tolist(), strict=True))
        """How many openings of each length there are."""

    def _check_about(self, about: dict[str, str]) -> None:
        if about.get("format") != FORMAT:
            raise RecordError(f"{self.path} has openings of the format {shown(str(about.get('format')))}, not {FORMAT}")
        if about.get("game") != self.game.name:
            raise RecordError(f"{self.path} has openings of {shown(str(about.get('game')))}, not of {self.game.name}")

    def _check_rows(self, rows: np.ndarray[tuple[int], np.dtype[np.void]]) -> None:
        """Every row follows its parent, one ply later, and the shorter openings come first."""
        ids, parents, plies = rows["id"], rows["parent"], rows["ply"]
        if not len(rows):
            raise RecordError(f"there are no openings in {self.path}")
        is_numbered = np.array_equal(ids, np.arange(1, len(rows) + 1)) and (np.diff(plies) >= 0).all()
        if not is_numbered or ((parents < 0) | (parents >= ids)).any():
            raise self._damaged("rows are missing")
        if (np.concatenate(([0], plies))[parents] != plies - 1).any():
            raise self._damaged("an opening does not follow from the one before it")
        if ((rows["action"] < 0) | (rows["action"] >= self.game.num_actions)).any():
            raise self._damaged("an action is none of the game's")

    def _damaged(self, reason: str) -> RecordError:
        return RecordError(f"{self.path} is not a database of openings, or damaged: {reason}")

    def draw(self, chance: np.random.Generator, plies: Sequence[int] = ()) -> tuple[int, ...]:
        """The actions of one of the openings of these lengths, or of any, all equally likely."""
        wanted = sorted(set(plies)) or list(self.counts)
        for length in wanted:
            if length not in self.counts:
                there = ", ".join(map(str, self.counts))
                raise MeepleError(f"{self.path} has no openings of {length} plies, only of {there}")
        number = int(chance.integers(sum(self.counts[length] for length in wanted)))
        for length in wanted:
            if number < self.counts[length]:
                break
            number -= self.counts[length]
        return self._opening(self._firsts[length] + number + 1)

    def _opening(self, row: int) -> tuple[int, ...]:
        """The actions of a row, which are legal."""
        actions: list[int] = []
        while row:
            actions.append(int(self._actions[row - 1]))
            row = int(self._parents[row - 1])
        actions.reverse()
        position = self.game.start()
        try:
            for action in actions:
                position = position.play_action(action)
        except MoveError as error:
            raise self._damaged(str(error)) from error
        return tuple(actions)
