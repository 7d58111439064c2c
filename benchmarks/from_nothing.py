"""Learn a game from nothing for some minutes, then play what came of it against UCT: a line of JSON.

    python benchmarks/from_nothing.py connect4 --minutes 60
    python benchmarks/from_nothing.py dots:3 --minutes 30 --recipe costa2022 --against ...

A run that is there already is not learned again, only measured. Matches are over paired random openings.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import meeple
from meeple.learn import recipes
from meeple.learn.events import Event, Metrics, Warned
from meeple.learn.run import train
from meeple.learn.storage import Folder

OPPONENTS = ("mcts:1000", "mcts:5000")


def main() -> None:
    """Read the arguments, learn unless that was done before, play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--recipe", default="fast")
    parser.add_argument("--set", action="append", default=[], metavar="K=V", help="a change to the recipe")
    parser.add_argument("--run", type=Path, help="the folder; runs/GAME-RECIPE unless given")
    parser.add_argument("--against", nargs="*", default=OPPONENTS, metavar="SPEC")
    parser.add_argument("--sims", type=int, default=64, help="simulations of the network's moves")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--opening-plies", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of the matches")
    chosen = parser.parse_args()
    folder = chosen.run or Path("runs") / f"{chosen.game.replace(':', '-')}-{chosen.recipe}"
    if not Folder(folder).is_run:
        recipe = recipes.load(chosen.recipe, chosen.game, chosen.set)
        train(None, recipe, folder, minutes=chosen.minutes, listen=tell)
    spec = f"net:{folder}@best?sims={chosen.sims}"
    matches = [measure(spec, opponent, chosen) for opponent in chosen.against]
    state = Folder(folder).state()
    print(json.dumps({"game": chosen.game, "recipe": chosen.recipe, **state.model_dump(), "matches": matches}))


def tell(event: Event) -> None:
    """A line for each iteration, and for each warning."""
    if isinstance(event, Metrics):
        rates = f"{event.positions_per_s:.0f} positions/s, {event.cache_hits:.0%} known"
        losses = f"policy {event.policy_loss:.3f}, value {event.value_loss:.3f}"
        print(f"{event.minutes:6.2f} min  {event.games} games  step {event.step}  {rates}  {losses}", file=sys.stderr)
    elif isinstance(event, Warned):
        print(event.text, file=sys.stderr)


def measure(spec: str, opponent: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """A match, as the score of the network with its interval."""
    found = meeple.match(
        spec, opponent, chosen.game, chosen.games, opening_plies=chosen.opening_plies, seed=chosen.seed
    )
    low, high = found.interval
    print(f"{opponent}: {found.score:.1%}, {low:.1%} to {high:.1%}", file=sys.stderr)
    both = found.both
    return {
        "against": opponent,
        "score": round(found.score, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "wins": both.wins,
        "draws": both.draws,
        "losses": both.losses,
        "different_games": found.unique_games,
    }


if __name__ == "__main__":
    main()
