"""`meeple replay`: a saved game, played again or drawn."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.output import print_json
from meeple.cli.parameters import Json

if TYPE_CHECKING:
    from meeple.games.game import Game, Position
    from meeple.play.records import Record

RESULTS = {1: "the first player won", -1: "the second player won", 0: "drawn", None: "not finished"}


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Games from `meeple match --save`, or an SGF file.")],
    index: Annotated[int, typer.Option(min=1, help="Which game of the file.")] = 1,
    game: Annotated[
        str, typer.Option(metavar="GAME", help="The .py file of the game, where it is one of your own.")
    ] = "",
    show: Annotated[bool, typer.Option("--show", help="Draw the last position instead of playing again.")] = False,
    each: Annotated[bool, typer.Option("--each", help="Draw every position instead of playing again.")] = False,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with plain characters only.")] = False,
    run_programs: Annotated[
        bool, typer.Option("--run-programs", help="Let the file say which programs play; only if you trust it.")
    ] = False,
    json: Json = False,
) -> None:
    """Play a saved game again with the same players and seed: the moves should be the same."""
    import meeple

    record, count = _find(file, index)
    loaded = record.load_game(meeple.game(game) if game else None)
    end = record.end(loaded)
    found: dict[str, object] = {
        "file": str(file),
        "index": index,
        "games": count,
        "game": loaded.name,
        "players": record.players,
        "moves": end.history,
        "result": record.result,
    }
    drawings = [meeple.text(position, ascii_only=ascii) for position in _line(end)[0 if each else -1 :]]
    if not json:
        print(f"game {index} of {count}: {loaded.name}, {' against '.join(record.players)}, ", end="")
        print(f"{len(end.history)} moves, {RESULTS[record.result]}")
    if show or each:
        print_json({**found, "drawings": drawings}) if json else print("\n" + "\n\n".join(drawings))
        return
    again = _again(record, loaded, run_programs)
    difference = None if again is None else _difference(end.history, again)
    is_same = None if again is None else difference is None
    if json:
        print_json({**found, "replayed": again, "same": is_same, "difference": difference})
    elif again is not None:
        print(_told(end.history, again, difference))
    if is_same is False:
        raise typer.Exit(1)


def _find(file: Path, index: int) -> tuple[Record, int]:
    """A game of a file, counted from 1, and how many there are."""
    from meeple.errors import RecordError

    chosen, count = None, 0
    for record in _records(file):
        count += 1
        chosen = record if count == index else chosen
    if chosen is None:
        raise RecordError(f"{file} has {count} games; there is no game {index}")
    return chosen, count


def _records(file: Path) -> Iterator[Record]:
    from meeple.play import records
    from meeple.protocols import sgf_to_record

    return sgf_to_record.load(file) if file.suffix.lower() == ".sgf" else records.read(file)


def _line(end: Position) -> list[Position]:
    """Every position of a game, the start first."""
    line = [end]
    while line[-1].previous is not None:
        line.append(line[-1].previous)
    return line[::-1]


def _again(record: Record, game: Game, run_programs: bool) -> tuple[str, ...] | None:
    """The moves when the game is played again; None, with a note, where the players cannot be made again."""
    from meeple.errors import PlayerError
    from meeple.play.replay import replay

    try:
        return replay(record, game, run_programs=run_programs).history
    except PlayerError as error:
        print(f"the moves are legal, but the game cannot be played again: {error}", file=sys.stderr)
        return None


def _difference(moves: tuple[str, ...], again: tuple[str, ...]) -> int | None:
    """The first ply, from 0, at which two games differ."""
    if moves == again:
        return None
    return next((ply for ply, pair in enumerate(zip(moves, again, strict=False)) if pair[0] != pair[1]), len(again))


def _told(moves: tuple[str, ...], again: tuple[str, ...], difference: int | None) -> str:
    if difference is None:
        return "played again: the same moves"
    was, now = (line[difference] if difference < len(line) else "the end" for line in (moves, again))
    return f"played again: move {difference + 1} was {was}, now it is {now}"
