"""`meeple match`: two players against each other, many times."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.output import print_json, progress
from meeple.cli.parameters import FROM_0, FROM_1, FROM_2, Json, Seed
from meeple.cli.show import write

if TYPE_CHECKING:
    from meeple.games.game import Game
    from meeple.play.arena import Played
    from meeple.play.match import Match, Side
    from meeple.play.sprt import Outcome, Sprt

INTERRUPTED = 130

PlayerSpec = Annotated[str, typer.Argument(metavar="SPEC", help="A player, such as random or mcts:1000.")]


def run(
    first: PlayerSpec,
    second: PlayerSpec,
    game: Annotated[str, typer.Option(metavar="GAME", help="The game; see `meeple games`.")],
    games: Annotated[int, typer.Option(parser=FROM_2, metavar="N", help="How many games, an even number.")] = 100,
    opening_plies: Annotated[
        int, typer.Option(parser=FROM_0, metavar="K", help="Random plies before each pair of games.")
    ] = 0,
    openings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Openings, one a line or as records of games, taken in turn."),
    ] = None,
    sprt: Annotated[
        str,
        typer.Option(metavar="ELO0,ELO1", help="Stop when it is clear which Elo difference is nearer, as in 0,20."),
    ] = "",
    parallel: Annotated[
        int,
        typer.Option(parser=FROM_1, metavar="N", help="How many games at once, where a player evaluates in batches."),
    ] = 64,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append the games as JSON lines, for `meeple replay`.")
    ] = None,
    dump: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what every search saw, as text, or as JSON lines for .jsonl."),
    ] = None,
    sgf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the games as SGF: Hex, Go, Othello and Gomoku.")
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two players play a match; every opening is played with both colours."""
    import meeple
    from meeple.play.dump import Dump
    from meeple.play.match import Tally
    from meeple.play.openings import read_openings

    loaded = meeple.game(game)
    tally = Tally(_test(sprt) if sprt else None)
    if sgf is not None:
        _check_sgf(loaded, sgf)
    points = 0.0
    with progress(games, "games") as advance:

        def on_game(played: Played) -> None:
            nonlocal points
            points += played.points
            advance(f"score {points / len(tally.games):.3f}")

        try:
            found = meeple.match(
                first,
                second,
                loaded,
                games,
                opening_plies=opening_plies,
                openings=None if openings is None else read_openings(openings, loaded),
                seed=seed,
                parallel=parallel,
                save=save,
                tally=tally,
                on_game=on_game,
                on_search=None if dump is None else Dump(dump).add,
            )
        except KeyboardInterrupt:
            found = tally.match("interrupted")
    if sgf is not None:
        _write_sgf(loaded, sgf, found)
    if json:
        print_json(document(found))
    elif found.games:
        _print(found, first, second)
    if found.stopped == "interrupted":
        print(f"stopped after {len(found.games)} of {games} games", file=sys.stderr)
        raise SystemExit(INTERRUPTED)


def document(match: Match) -> dict[str, object]:
    """A match as JSON has it."""
    (score_low, score_high), (elo_low, elo_high) = match.interval, match.elo_interval
    sides = {"as_first": match.as_first, "as_second": match.as_second}
    return {
        "games": len(match.games),
        **asdict(match.both),
        "score": match.score,
        "score_low": score_low,
        "score_high": score_high,
        "elo": match.elo,
        "elo_low": elo_low,
        "elo_high": elo_high,
        "unique_games": match.unique_games,
        **{name: {**asdict(side), "score": side.score} for name, side in sides.items()},
        "sprt": match.sprt and match.sprt._asdict(),
        "stopped": match.stopped,
        "seconds": match.seconds,
    }


def _test(text: str) -> Sprt:
    """The test of two Elo differences such as `0,20`."""
    from meeple.errors import MeepleError
    from meeple.games.game import shown
    from meeple.play.sprt import Sprt

    try:
        elo0, elo1 = map(float, text.split(","))
    except ValueError:
        raise MeepleError(f"--sprt takes two Elo differences, as in 0,20; not {shown(text)}") from None
    return Sprt(elo0, elo1)


def _check_sgf(game: Game, file: Path) -> None:
    """Say before the match what would be wrong after it."""
    from meeple.errors import MeepleError
    from meeple.protocols import record_to_sgf

    if not record_to_sgf.is_known(game):
        raise MeepleError(f"SGF has no {game.name}: it is for Hex, Go, Othello and Gomoku; use --save")
    try:
        file.open("a", encoding="utf-8").close()
    except OSError as error:
        raise MeepleError(f"cannot write {file}: {error.strerror}") from error


def _write_sgf(game: Game, file: Path, match: Match) -> None:
    from meeple.protocols import record_to_sgf

    write(file, record_to_sgf.write((played.record for played in match.games), game))


def _print(match: Match, first: str, second: str) -> None:
    (low, high), (elo_low, elo_high) = match.interval, match.elo_interval
    print(f"{first} against {second}: {_counts(match.both)} in {match.both.games} games")
    print(f"score {match.score:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    print(f"Elo difference {match.elo:+.0f}, 95 % interval {elo_low:+.0f} to {elo_high:+.0f}")
    print(f"moving first: {_counts(match.as_first)}; moving second: {_counts(match.as_second)}")
    if match.sprt is not None:
        print(_told(match.sprt))
    print(f"{match.unique_games} different games, {match.seconds:.1f} s")


def _told(test: Outcome) -> str:
    claim = {
        "accepted": f"stronger by {test.elo1:g} Elo rather than {test.elo0:g}",
        "rejected": f"stronger by {test.elo0:g} Elo rather than {test.elo1:g}",
        "undecided": f"undecided between {test.elo0:g} and {test.elo1:g} Elo",
    }[test.verdict]
    return f"SPRT: {claim}; log-likelihood ratio {test.llr:.2f}, bounds {test.low:.2f} and {test.high:.2f}"


def _counts(side: Side) -> str:
    return f"{side.wins} won, {side.draws} drawn, {side.losses} lost"
