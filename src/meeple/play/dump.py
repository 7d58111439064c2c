"""Search dumps: for every move of a searching player what it saw, in the style of G. Costa's thesis (2022).

As text, each legal move with its visits N, mean value Q, sum of values W and prior P, then the board and the move:

    tictactoe, 4 plies, O to move, 1000 simulations
    a1(N 12, Q -0.750, W -9.0, P 0.200) b1(N 604, Q 0.010, W 6.0, P 0.200) ...

or, in a file that ends in .jsonl, one JSON object a move.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from meeple.errors import RecordError
from meeple.games.drawing import text
from meeple.search.analysis import Analysis, Candidate

PER_LINE = 3


class Dump:
    """A file that takes one entry for each search; it is complete after every entry."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_json = path.suffix == ".jsonl"
        self._is_begun = False

    def add(self, analysis: Analysis, move: str) -> None:
        """Write what a search found, and the move that was chosen after it."""
        entry = json.dumps(document(analysis, move)) if self._is_json else page(analysis, move)
        self._write(entry + "\n", "a" if self._is_begun else "w")
        self._is_begun = True

    def _write(self, entry: str, mode: str) -> None:
        try:
            with self._path.open(mode, encoding="utf-8") as file:
                file.write(entry)
        except OSError as error:
            raise RecordError(f"cannot write {self._path}: {error.strerror}") from error


def document(analysis: Analysis, move: str) -> dict[str, Any]:
    """A search as JSON has it."""
    position = analysis.position
    return {
        "game": position.game.name,
        "moves": position.history,
        "to_move": position.to_move,
        "move": move,
        "value": analysis.value,
        "proven": analysis.proven,
        "simulations": analysis.simulations,
        "seconds": analysis.seconds,
        "line": analysis.line,
        "candidates": [
            {
                "move": candidate.move,
                "n": candidate.visits,
                "q": candidate.value,
                "w": candidate.value * candidate.visits,
                "p": candidate.prior,
                "policy": candidate.policy,
                "proven": candidate.proven,
                "plies": candidate.plies,
            }
            for candidate in analysis.candidates
        ],
    }


def page(analysis: Analysis, move: str) -> str:
    """A search as a person reads it."""
    position = analysis.position
    drawing, status = text(position).rsplit("\n\n", 1)
    plies = f"{position.plies} {'ply' if position.plies == 1 else 'plies'}"
    entries = [entry(candidate) for candidate in analysis.candidates]
    rows = [" ".join(entries[first : first + PER_LINE]) for first in range(0, len(entries), PER_LINE)]
    certain = "" if analysis.proven is None else f", certain: {('a draw', 'a win', 'a loss')[analysis.proven]}"
    return "\n".join(
        [
            f"{position.game.name}, {plies}, {status}, {analysis.simulations} simulations",
            *rows,
            "",
            drawing,
            "",
            f"plays {move}, value {analysis.value:+.3f}{certain}, line {' '.join(analysis.line)}",
            "",
        ]
    )


def entry(candidate: Candidate) -> str:
    """A move with its numbers."""
    total = candidate.value * candidate.visits
    return f"{candidate.move}(N {candidate.visits}, Q {candidate.value:.3f}, W {total:.1f}, P {candidate.prior:.3f})"
