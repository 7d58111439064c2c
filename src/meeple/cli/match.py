"""`meeple match`: two players against each other, many times."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.output import print_json, progress
from meeple.cli.parameters import FROM_0, FROM_2, Json, Seed

if TYPE_CHECKING:
    from meeple.play.match import Match, Played, Side

PlayerSpec = Annotated[str, typer.Argument(metavar="SPEC", help="A player, such as random or mcts:1000.")]


def run(
    first: PlayerSpec,
    second: PlayerSpec,
    game: Annotated[str, typer.Option(metavar="GAME", help="The game; see `meeple games`.")],
    games: Annotated[int, typer.Option(parser=FROM_2, metavar="N", help="How many games, an even number.")] = 100,
    opening_plies: Annotated[
        int, typer.Option(parser=FROM_0, metavar="K", help="Random plies before each pair of games.")
    ] = 0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Let two players play a match; every opening is played with both colours."""
    import meeple

    points = 0.0
    with progress(games, "games") as advance:

        def on_game(played: Played) -> None:
            nonlocal points
            points += played.points
            advance(f"score {points / (played.number + 1):.3f}")

        found = meeple.match(first, second, game, games, opening_plies=opening_plies, seed=seed, on_game=on_game)
    if json:
        print_json(document(found))
    else:
        _print(found, first, second)


def document(match: Match) -> dict[str, object]:
    """A match as JSON has it."""
    low, high = match.elo_interval
    sides = {"as_first": match.as_first, "as_second": match.as_second}
    return {
        **asdict(match.both),
        "score": match.score,
        "elo": match.elo,
        "elo_low": low,
        "elo_high": high,
        "unique_games": match.unique_games,
        **{name: {**asdict(side), "score": side.score} for name, side in sides.items()},
        "seconds": match.seconds,
    }


def _print(match: Match, first: str, second: str) -> None:
    (low, high), (elo_low, elo_high) = match.interval, match.elo_interval
    print(f"{first} against {second}: {_counts(match.both)} in {match.both.games} games")
    print(f"score {match.score:.3f}, 95 % interval {low:.3f} to {high:.3f}")
    print(f"Elo difference {match.elo:+.0f}, 95 % interval {elo_low:+.0f} to {elo_high:+.0f}")
    print(f"moving first: {_counts(match.as_first)}; moving second: {_counts(match.as_second)}")
    print(f"{match.unique_games} different games, {match.seconds:.1f} s")


def _counts(side: Side) -> str:
    return f"{side.wins} won, {side.draws} drawn, {side.losses} lost"
