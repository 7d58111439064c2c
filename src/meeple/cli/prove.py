"""`meeple prove`: a player against every reply an opponent can make."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from meeple.cli.match import INTERRUPTED, PlayerSpec
from meeple.cli.output import print_json, progress
from meeple.cli.parameters import FROM_2, Json, Seed

if TYPE_CHECKING:
    from meeple.judge.prove import Proof, Side

REASONS = {"positions": "too many positions", "time": "time was up", "interrupted": "interrupted"}
MAX_POSITIONS = 1_000_000
LOST = 1
"""The exit code where a game was lost."""


def run(
    spec: PlayerSpec,
    game: Annotated[str, typer.Option(metavar="GAME", help="The game; see `meeple games`.")],
    positions: Annotated[
        int, typer.Option(parser=FROM_2, metavar="N", help="Stop at so many positions, both sides together.")
    ] = MAX_POSITIONS,
    limit: Annotated[str, typer.Option(metavar="TIME", help="Stop after a time such as 60s or 10m.")] = "",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Play against every reply an opponent can make, on both sides; exits 1 if a single game is lost.

    A walk that its budget or Ctrl-C ends early is not complete: it has tried every reply in the plies it tells, and its
    counts are of the games that end within them. Without a loss among them it exits 0.
    """
    import meeple.bridges.players  # adds its kinds of players
    from meeple.judge.prove import Prover

    loaded = meeple.game(game)
    time_limit_s = _seconds(limit) if limit else None
    with progress(None, "positions") as advance:

        def on_walked(walked: int, ply: int) -> None:
            advance(f"ply {ply}", walked)

        prover = Prover(
            spec, loaded, seed=seed, max_positions=positions, time_limit_s=time_limit_s, on_walked=on_walked
        )
        try:
            found = prover.run()
        except KeyboardInterrupt:
            found = prover.proof("interrupted")
    if json:
        print_json(document(found))
    else:
        _print(found, spec, loaded.name)
    if found.stopped == "interrupted":
        print("stopped before every reply was tried", file=sys.stderr)
        raise SystemExit(INTERRUPTED)
    if found.losses:
        raise SystemExit(LOST)


def document(proof: Proof) -> dict[str, object]:
    """A proof as JSON has it."""
    return {
        "as_first": _side(proof.as_first),
        "as_second": _side(proof.as_second),
        "complete": proof.complete,
        "stopped": proof.stopped,
        "seconds": proof.seconds,
    }


def _side(side: Side) -> dict[str, object]:
    return {
        "games": side.games,
        "positions": side.positions,
        "wins": side.wins,
        "draws": side.draws,
        "losses": side.losses,
        "plies": side.plies,
        "complete": side.complete,
        "lost_line": side.lost_line,
    }


def _seconds(text: str) -> float:
    from meeple.errors import MeepleError
    from meeple.games.game import shown
    from meeple.play.options import seconds

    try:
        return seconds(text)
    except ValueError as error:
        raise MeepleError(f"--limit takes {error}, not {shown(text)}") from None


def _print(proof: Proof, spec: str, game: str) -> None:
    print(f"{spec} against every reply in {game}, {proof.seconds:.1f} s")
    sides = {"moving first": proof.as_first, "moving second": proof.as_second}
    for name, side in sides.items():
        print(f"{name}: {_counts(side)}")
    for name, side in sides.items():
        if side.lost_line is not None:
            print(f"lost {name}: {' '.join(side.lost_line)}")
    print(_verdict(proof))
    if proof.stopped is not None:
        print(f"not complete ({REASONS[proof.stopped]}): longer games were not followed to their end")


def _counts(side: Side) -> str:
    counts = f"{side.wins:,} won, {side.draws:,} drawn, {side.losses:,} lost"
    within = "" if side.complete else f" that end within {side.plies} plies"
    return f"{side.games:,} games{within}: {counts}; {side.positions:,} positions"


def _verdict(proof: Proof) -> str:
    if proof.losses:
        return "it can be beaten"
    return "it never loses: every reply was tried" if proof.complete else "no loss so far"
