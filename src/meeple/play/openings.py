"""Where the games of a match begin: random positions, or those of a file; a pair of games shares one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from meeple.errors import MeepleError, MoveError, RecordError
from meeple.games.game import Game, Position
from meeple.play import records

TRIES = 100


def random_openings(game: Game, plies: int, chance: Random) -> Iterator[Position]:
    """Positions after random moves, without end; all different while there are enough of them."""
    drawn: set[Position] = set()
    while True:
        position = random_opening(game, plies, chance)
        for _ in range(TRIES if plies else 0):
            if position not in drawn:
                break
            position = random_opening(game, plies, chance)
        else:
            drawn.clear()  # there seem to be no others: each of them once more
        drawn.add(position)
        yield position


def random_opening(game: Game, plies: int, chance: Random) -> Position:
    """A position after random moves where the game still goes on."""
    for _ in range(TRIES):
        position = game.start()
        while position.result is None and position.plies < plies:
            position = position.play_action(chance.choice(position.actions))
        if position.result is None:
            return position
    raise MeepleError(f"{game.name} is nearly always over after {plies} random plies: take shorter openings")


def read_openings(path: Path, game: Game) -> list[Position]:
    """The different positions of a file, in its order.

    A line has the moves of one opening, and may be empty or a comment after `#`; or the file has records of games,
    and the openings are theirs.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise RecordError(f"cannot read {path}: {reason}") from error
    is_records = next((line for line in lines if line.strip()), "").startswith("{")
    found = _from_records(path, game) if is_records else _from_lines(path, game, lines)
    openings: dict[Position, None] = {}
    for where, position in found:
        if position.result is not None:
            raise RecordError(f"{where}: the game is over after these moves")
        openings.setdefault(position)
    if not openings:
        raise RecordError(f"{path}: there are no openings in it")
    return list(openings)


def _from_lines(path: Path, game: Game, lines: list[str]) -> Iterator[tuple[str, Position]]:
    for number, line in enumerate(lines, 1):
        moves = line.partition("#")[0].strip()
        if not moves:
            continue
        where = f"{path}:{number}"
        try:
            yield where, game.read(moves)
        except MoveError as error:
            raise RecordError(f"{where}: {error}") from error


def _from_records(path: Path, game: Game) -> Iterator[tuple[str, Position]]:
    for record in records.read(path):
        yield record.where, record.opening(record.load_game(game))
