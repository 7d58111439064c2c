"""What an engine found out about a position: the same fields from every engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from meeple.errors import PlayerError
from meeple.games.game import Game, Position


class Candidate(NamedTuple):
    """A legal move as an engine sees it."""

    move: str
    visits: int
    value: float
    """For the player to move, -1 to 1."""
    prior: float
    """What the evaluator thought before the search."""
    policy: float
    """Its share of the visits, or what the engine makes of them; they add up to 1."""
    proven: int | None = None
    """1, 0 or -1 for the player to move where the search is certain."""
    plies: int | None = None
    """To the end of the game where it is certain."""


@dataclass(frozen=True)
class Analysis:
    """The outcome of one search."""

    position: Position = field(repr=False)
    move: str
    value: float
    """For the player to move, -1 to 1."""
    candidates: tuple[Candidate, ...] = field(repr=False)
    """In the order of the actions."""
    line: tuple[str, ...]
    """What both sides are expected to play, the chosen move first."""
    simulations: int
    seconds: float
    proven: int | None = None
    """1, 0 or -1 for the player to move where the search is certain."""
    is_full: bool = False
    """Whether memory ran out, so that the search went on without growing its tree."""

    @property
    def visits(self) -> dict[str, int]:
        """Visits by move."""
        return {candidate.move: candidate.visits for candidate in self.candidates}

    @property
    def policy(self) -> dict[str, float]:
        """Shares by move; they add up to 1."""
        return {candidate.move: candidate.policy for candidate in self.candidates}


def check_position(game: Game, position: Position) -> None:
    """PlayerError where a position cannot be searched by an engine of that game."""
    if position.game is not game:
        raise PlayerError(f"a player of {game.name} was asked about a position of {position.game.name}")
    if position.result is not None:
        raise PlayerError(f"the game of {game.name} is over: there is nothing to search")


def actions_since(root: Position | None, position: Position) -> list[int] | None:
    """The actions that lead from a root to a position; None where it was not reached from there."""
    if root is None:
        return None
    actions: list[int] = []
    before = position
    while before.plies > root.plies and before.previous is not None and before.action is not None:
        actions.append(before.action)
        before = before.previous
    return actions[::-1] if before == root else None


def certain_value(candidates: tuple[Candidate, ...]) -> int | None:
    """What is certain for the player to move: a win as soon as one move wins, else only once every move is certain."""
    outcomes = [candidate.proven for candidate in candidates]
    if 1 in outcomes:
        return 1
    certain = [outcome for outcome in outcomes if outcome is not None]
    return max(certain) if len(certain) == len(outcomes) else None


def best_candidate(candidates: tuple[Candidate, ...]) -> Candidate:
    """The one to play: the quickest proven win, else the most visited that is not lost, else the slowest loss.

    A proven draw is better than a most visited move of negative value.
    """
    won = [candidate for candidate in candidates if candidate.proven == 1]
    if won:
        return min(won, key=lambda candidate: candidate.plies or 0)
    hopeful = [candidate for candidate in candidates if candidate.proven != -1]
    if not hopeful:
        return max(candidates, key=lambda candidate: candidate.plies or 0)
    best = max(hopeful, key=lambda candidate: (candidate.visits, candidate.value))
    drawn = [candidate for candidate in hopeful if candidate.proven == 0]
    return max(drawn, key=lambda candidate: candidate.visits) if drawn and best.value < 0 else best
