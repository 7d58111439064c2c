"""What helps: the recipe `fast` with one thing changed, for the same minutes, against itself as it is. JSON lines.

    python benchmarks/ablations.py connect4 --minutes 4
    python benchmarks/ablations.py dots:3 --only no-cache puct

Runs that are there already are not learned again. Times of learning count, so nothing else may run beside.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import meeple
from meeple.learn import recipes
from meeple.learn.run import train
from meeple.learn.storage import Folder

CHANGES = {
    "no-cap": ["search.simulations=28", "search.fast_simulations=0"],
    "no-cache": ["search.cache_mb=0"],
    "fp32": ["precision=fp32"],
    "puct": ["search.engine=puct"],
    "no-first-games": ["self_play.first_games=0"],
    "outcomes-only": ["learner.root_value_share=0"],
    "root-values-only": ["learner.root_value_share=1"],
    "reuse-2": ["learner.reuse=2"],
    "reuse-8": ["learner.reuse=8"],
    "smaller": ["network.width=32", "network.depth=3"],
    "larger": ["network.width=64", "network.depth=6"],
    "played-out": ["self_play.stop_when_proven=false"],
    "chances": ["network.value_head=wdl", "learner.value_loss=cross_entropy"],
    "no-average": ["learner.average=0"],
    "no-symmetry": ["replay.augment=none"],
    "more-simulations": ["search.simulations=128", "search.fast_simulations=24"],
    "no-random-openings": ["self_play.random_plies=0"],
    "owners": ["network.owners_head=true", "self_play.stop_when_proven=false"],
    "margin": ["network.margin_head=true", "self_play.stop_when_proven=false"],
}


def main() -> None:
    """Read the arguments, learn, play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--minutes", type=float, default=4)
    parser.add_argument("--only", nargs="*", default=list(CHANGES), choices=CHANGES, metavar="NAME")
    parser.add_argument("--runs", type=Path, default=Path("runs/ablations"))
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--sims", type=int, default=64)
    chosen = parser.parse_args()
    learn(chosen, "fast", [])
    for name in chosen.only:
        learn(chosen, name, CHANGES[name])
        print(json.dumps(against_itself(chosen, name)), flush=True)


def learn(chosen: argparse.Namespace, name: str, changes: list[str]) -> None:
    """A run with changes, unless it was made before."""
    folder = chosen.runs / f"{chosen.game.replace(':', '-')}-{name}"
    if not Folder(folder).is_run:
        print(f"learning: {name}", file=sys.stderr)
        train(None, recipes.load("fast", chosen.game, changes), folder, minutes=chosen.minutes)


def against_itself(chosen: argparse.Namespace, name: str) -> dict[str, Any]:
    """The score of what was changed."""
    mine, base = (chosen.runs / f"{chosen.game.replace(':', '-')}-{which}" for which in (name, "fast"))
    specs = [f"net:{folder}@best?sims={chosen.sims}" for folder in (mine, base)]
    found = meeple.match(*specs, chosen.game, chosen.games, opening_plies=4, seed=1)
    state = Folder(mine).state()
    return {
        "game": chosen.game,
        "change": name,
        "settings": CHANGES[name],
        "minutes": round(state.minutes, 2),
        "games": state.games,
        "steps": state.step,
        "score": round(found.score, 4),
        "interval": [round(bound, 4) for bound in found.interval],
    }


if __name__ == "__main__":
    main()
