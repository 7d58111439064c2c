"""How fast other systems play Connect 4 against themselves: a line of JSON each, measured in turns on one core.

benchmarks/README.md says what to install and why each peer is set up as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple

from peer import Peer, Progress

from meeple.bridges.pgx import ONE_THREAD, one_core


class Round(NamedTuple):
    """One turn of one peer."""

    progress: Progress
    seconds: float
    processor_seconds: float


def main() -> None:
    """Read the arguments, bind to one core, measure."""
    known = builders()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(known)}; all unless given")
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--seconds", type=float, default=10, help="of one round; a game or a call that began is finished"
    )
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - known.keys():
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    os.environ.setdefault("XLA_FLAGS", ONE_THREAD)  # read when JAX starts
    with one_core():
        peers = []
        for name in chosen.names or known:
            print(f"{name}: compiling", file=sys.stderr)
            peers.append(known[name](chosen.simulations, chosen.channels, chosen.blocks))
        rounds: dict[str, list[Round]] = {peer.name: [] for peer in peers}
        for number in range(chosen.rounds):
            for peer in peers:
                rounds[peer.name].append(play_round(peer, chosen.seconds))
                print(
                    f"{peer.name}: round {number + 1}: {speed(rounds[peer.name][-1]):.1f} positions/s", file=sys.stderr
                )
        for peer in peers:
            print(json.dumps(report(peer, rounds[peer.name], chosen.simulations)), flush=True)


def builders() -> dict[str, Callable[[int, int, int], Peer]]:
    """What makes each peer from simulations, channels and blocks, in the order of the report."""
    return {
        **{f"mctx+pgx/{batch}": partial(_mctx, batch) for batch in (16, 64, 256)},
        "openspiel": partial(_openspiel, "openspiel", "linen", "own", False),
        "openspiel/nnx": partial(_openspiel, "openspiel/nnx", "nnx", "own", False),
        "openspiel/jit": partial(_openspiel, "openspiel/jit", "linen", "jitted", False),
        "openspiel/jit/6x7": partial(_openspiel, "openspiel/jit/6x7", "linen", "jitted", True),
        "openspiel/tuned": partial(_openspiel, "openspiel/tuned", "linen", "tuned", False),
        "openspiel/tuned/6x7": partial(_openspiel, "openspiel/tuned/6x7", "linen", "tuned", True),
    }


def play_round(peer: Peer, seconds: float) -> Round:
    """Play for at least so long."""
    progress, began, used = Progress(), time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        progress = progress.plus(peer.play())
    return Round(progress, time.perf_counter() - began, time.process_time() - used)


def speed(round_: Round) -> float:
    """Positions a second."""
    return round_.progress.positions / round_.seconds


def report(peer: Peer, rounds: list[Round], simulations: int) -> dict[str, Any]:
    """What is printed of a peer; its best round counts, as in `meeple bench`."""
    best, alone = max(rounds, key=speed), evaluations_per_s(peer)
    positions, games, evaluations = best.progress
    return {
        "name": peer.name,
        "positions_per_s": round(speed(best), 2),
        "simulations": simulations,
        "batch": peer.batch,
        "seconds": round(best.seconds, 1),
        "positions": positions,
        "games": games,
        "rounds": [round(speed(each), 2) for each in rounds],
        "processors": round(best.processor_seconds / best.seconds, 2),
        "evaluations_per_position": round(evaluations / positions, 1),
        "network_evaluations_per_s": round(alone),
        "network_share": round(evaluations / alone / best.seconds, 2),
        "network": peer.network,
        "versions": {package: version(package) for package in peer.packages},
    }


def evaluations_per_s(peer: Peer) -> float:
    """Of the network alone, best of five."""
    best = 0.0
    for _ in range(5):
        began = time.perf_counter()
        best = max(best, peer.evaluate() / (time.perf_counter() - began))
    return best


def _mctx(batch: int, simulations: int, channels: int, blocks: int) -> Peer:
    from selfplay_mctx import mctx_selfplay

    return mctx_selfplay(batch, simulations, channels, blocks)


def _openspiel(name: str, api: str, inference: Any, board: bool, simulations: int, channels: int, blocks: int) -> Peer:
    from selfplay_openspiel import openspiel_selfplay

    return openspiel_selfplay(name, simulations, channels, blocks, api=api, inference=inference, board=board)


if __name__ == "__main__":
    main()
