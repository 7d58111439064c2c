"""Games in files: one JSON object a line, appended and flushed game by game, so that a crash costs one line at most.

    {"format": "meeple-record/1", "game": "hex:6", "players": ["mcts:100", "random"], "opening_plies": 2,
     "moves": ["a1", "c4", ...], "result": 1, "seed": 8136743, "time": "2026-11-02T10:15:00+00:00"}

`players` are in the order of moving. `result` is from the first one's view, null where the game was left. The first
`opening_plies` moves were given; the players chose the others, and choose them again from the `seed`, null where there
is none. A reader ignores fields it does not know.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from meeple.errors import MoveError, RecordError
from meeple.games.game import Game, Position, shown
from meeple.games.registry import game as load_game

FORMAT = "meeple-record/1"
OPENS = f'{{"format": "{FORMAT}"'.encode()
MAX_LINE = 1 << 20
MAX_SEED = 1 << 63

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One game as a file has it."""

    game: str
    players: tuple[str, str]
    moves: tuple[str, ...]
    result: int | None
    opening_plies: int = 0
    seed: int | None = None
    time: str | None = None
    where: str = field(default="a record", compare=False)
    """File and line, for errors."""

    def line(self) -> str:
        """As one line of JSON."""
        fields = asdict(self)
        del fields["where"]
        return json.dumps({"format": FORMAT, **fields}, ensure_ascii=False)

    def load_game(self, given: Game | None = None) -> Game:
        """The game it was played in: a built-in one by its name, or one that is given and has this name."""
        if given is not None:
            if given.name != self.game:
                raise RecordError(f"{self.where}: a game of {shown(self.game)}, not of {given.name}")
            return given
        if re.search(r"\.py$|[/\\]", self.game.strip()):  # a file of games must not choose what code runs
            raise RecordError(f"{self.where}: {shown(self.game)} is not the name of a game")
        try:
            return load_game(self.game)
        except ValueError as error:
            raise RecordError(f"{self.where}: {error}; a game of your own must be given") from error

    def opening(self, game: Game) -> Position:
        """The position where the players began to choose."""
        return self._after(game, self.opening_plies)

    def end(self, game: Game) -> Position:
        """The last position; RecordError where a move is illegal or the result is another."""
        position = self._after(game, len(self.moves))
        if position.result is not None and position.result != self.result:
            raise RecordError(f"{self.where}: the moves end with result {position.result}, not {self.result}")
        return position

    def _after(self, game: Game, plies: int) -> Position:
        position = game.start()
        try:
            for move in self.moves[:plies]:
                position = position.play(move)
        except MoveError as error:
            raise RecordError(f"{self.where}: {error}") from error
        return position


def parse(line: str | bytes, where: str) -> Record:
    """The record of one line; RecordError says where it is and what is wrong."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where}: not a line of JSON ({' '.join(str(error).split())[:80]})") from error
    if not isinstance(fields, dict) or not str(fields.get("format")).startswith("meeple-record/"):
        raise RecordError(f"{where}: not a record of a game; it has no format {shown(FORMAT)}")
    if fields["format"] != FORMAT:
        raise RecordError(f"{where}: the format is {shown(str(fields['format']))}; this version reads {FORMAT}")
    if "result" not in fields:
        raise RecordError(f"{where}: there is no result")
    for name, (is_right, expected) in CHECKS.items():
        if not is_right(fields.get(name)):
            raise RecordError(f"{where}: {name} must be {expected}, not {_brief(fields.get(name))}")
    plies = fields.get("opening_plies") or 0
    if plies > len(fields["moves"]):
        raise RecordError(f"{where}: opening_plies is {plies}, but there are {len(fields['moves'])} moves")
    first, second = fields["players"]
    return Record(
        game=fields["game"],
        players=(first, second),
        moves=tuple(fields["moves"]),
        result=fields["result"],
        opening_plies=plies,
        seed=fields.get("seed"),
        time=fields.get("time"),
        where=where,
    )


def read(path: Path) -> Iterator[Record]:
    """The records of a file, one by one; a last line that was cut off is left out with a warning."""
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE):
                number += 1
                if len(line) == MAX_LINE:
                    raise RecordError(f"{path}:{number}: the line is longer than {MAX_LINE} bytes")
                if not line.strip():
                    continue
                try:
                    record = parse(line, f"{path}:{number}")
                except RecordError:
                    if not _is_torn(line):
                        raise
                    LOG.warning("%s:%d: the last game was cut off and is left out", path, number)
                    return
                yield record
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error


class Writer:
    """Appends records to a file; what was there stays, but for a last line that was cut off."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = _open_whole(path)
        except OSError as error:
            raise RecordError(f"cannot write {path}: {error.strerror}") from error

    def add(self, record: Record) -> None:
        """Append a record, with the time unless it has one."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._file.write((replace(record, time=record.time or now).line() + "\n").encode())
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _open_whole(path: Path) -> BinaryIO:
    """A file of records open at its end, after its last whole line; RecordError where it holds something else."""
    path.touch()
    file = path.open("r+b")
    try:
        first = file.readline(MAX_LINE)
        if first.endswith(b"\n"):
            parse(first, f"{path}:1")
        length = file.seek(0, 2)
        file.seek(max(length - MAX_LINE, 0))
        last = file.read().rpartition(b"\n")[2]
        if last and _is_torn(last) and not _is_record(last):
            LOG.warning("%s: the last game was cut off and is left out", path)
            file.truncate(length - len(last))
        elif last:
            parse(last, f"{path}: the last line")
            file.write(b"\n")
    finally:
        file.close()
    return path.open("ab", buffering=0)  # every line is one call, also beside another writer


def _is_torn(line: bytes) -> bool:
    """Whether a line without an end begins as a record does."""
    return not line.endswith(b"\n") and (line.startswith(OPENS) or OPENS.startswith(line))


def _is_record(line: bytes) -> bool:
    try:
        parse(line, "")
    except RecordError:
        return False
    return True


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _brief(value: Any) -> str:
    return f"a {type(value).__name__}" if isinstance(value, list | dict) else shown(json.dumps(value))


CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "game": (lambda value: isinstance(value, str), "the name of a game"),
    "players": (lambda value: _is_texts(value) and len(value) == 2, "two texts"),
    "opening_plies": (lambda value: value is None or (_is_int(value) and value >= 0), "a number of plies"),
    "moves": (_is_texts, "a list of moves"),
    "result": (lambda value: value is None or (_is_int(value) and -1 <= value <= 1), "1, 0, -1 or null"),
    "seed": (lambda value: value is None or (_is_int(value) and 0 <= value < MAX_SEED), "0 to 2^63 - 1, or null"),
    "time": (lambda value: value is None or isinstance(value, str), "a text or null"),
}
