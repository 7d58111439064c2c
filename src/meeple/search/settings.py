"""How a search with an evaluator goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Turns = Literal["true", "alternating"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a search with an evaluator goes; the same names in specs and recipes."""

    engine: Literal["puct", "gumbel"] = "gumbel"
    c_init: float = 1.25
    """PUCT: how much priors count."""
    c_base: float = 19652.0
    """PUCT: after how many visits they count more."""
    fpu: float = 0.2
    """PUCT: how much less than its parent an unvisited child is thought to be worth once all others were visited."""
    noise: float = 0.0
    """PUCT: the share of Dirichlet noise in the priors at the root."""
    noise_alpha: float | None = None
    """PUCT: the noise's parameter; 10 by the number of moves unless given."""
    max_considered: int = 16
    """Gumbel: how many moves the root considers."""
    value_scale: float = 0.1
    """Gumbel: how much values count beside logits."""
    visit_offset: float = 50.0
    """Gumbel: how much they count before there are visits."""
    gumbel_noise: float = 1.0
    """Gumbel: the noise's scale at the root; 0 always considers the moves with the highest priors."""
    leaves: int = 1
    """PUCT: leaves of one tree that are evaluated at a time, apart by virtual loss."""
    solve: bool = True
    """Whether proven wins and losses are backed up."""
    peek: bool = True
    """Whether every new node's moves are tried for one that wins at once; only where wins are backed up."""
    turns: Turns = "true"
    """`alternating` is the wrong rule that flips sides at every ply, kept to measure what it costs."""
    memory_mb: int = 512
    """What all trees together may take; where one is full, the search goes on without growing it."""
