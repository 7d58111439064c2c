"""Take a run's best network into the package, in half precision, with its measured strength in its card.

python benchmarks/from_nothing.py connect4 --minutes 60 --run runs/c4 > c4.json
python benchmarks/pack_zoo.py runs/c4 c4.json
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from meeple.nets import zoo
from meeple.nets.checkpoint import Measured, load, save
from meeple.nets.folder import find

MAX_MB = 2.0


def main() -> None:
    """Read the arguments, write the file, say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("result", type=Path, help="what from_nothing.py printed")
    chosen = parser.parse_args()
    result = json.loads(chosen.result.read_text(encoding="utf-8"))
    checkpoint = load(find(f"{chosen.run}@best"))
    card = checkpoint.card.model_copy(
        update={
            "made_by": result["command"],
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "measured": tuple(measured(match, result) for match in result["matches"]),
        }
    )
    path = zoo.FOLDER / f"{card.game.replace(':', '-')}.safetensors"
    zoo.FOLDER.mkdir(exist_ok=True)
    save(path, checkpoint._replace(card=card), half=True)
    size_mb = path.stat().st_size / 2**20
    if size_mb > MAX_MB:
        path.unlink()
        parser.error(f"{path.name} would have {size_mb:.1f} MB, more than {MAX_MB:g}")
    print(f"{path}: {size_mb:.2f} MB")


def measured(match: dict[str, Any], result: dict[str, Any]) -> Measured:
    """A match as cards have it."""
    return Measured(
        against=str(match["against"]),
        simulations=result["simulations"],
        games=int(match["wins"] + match["draws"] + match["losses"]),
        score=match["score"],
        low=match["low"],
        high=match["high"],
        note=f"paired random openings of {result['opening_plies']} plies",
    )


if __name__ == "__main__":
    main()
