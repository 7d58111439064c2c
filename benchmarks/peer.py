"""What a system that plays against itself looks like to the speed comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """What some self-play came to."""

    positions: int = 0
    """Moves really played in games, each after a search of its own."""
    games: int = 0
    """Games that came to their end."""
    evaluations: int = 0
    """Positions that the network was asked about."""

    def plus(self, other: Progress) -> Progress:
        """Both together."""
        return Progress(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class Peer(NamedTuple):
    """One system, compiled and warm."""

    name: str
    batch: int
    """Positions that its network sees at once: as many as it plays games side by side."""
    play: Callable[[], Progress]
    """Go on playing for a little while."""
    evaluate: Callable[[], int]
    """Ask the network alone, as often as given back, at the same batch."""
    network: str
    packages: tuple[str, ...]
    """Whose versions matter."""
