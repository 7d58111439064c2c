"""What a run tells whoever listens: progress, the end of each iteration, and messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from meeple.learn.recipe import Recipe

Phase = Literal["first games", "self-play", "learning", "gate"]


@dataclass(frozen=True, kw_only=True)
class Began:
    """A run begins, or goes on."""

    run: Path
    recipe: Recipe
    iteration: int
    """How many iterations are done."""
    memory_mb: float
    """What trees, window and cache may take together."""
    disk_mb: float
    """What the folder may take."""
    runtime: str
    """What evaluates the network, such as `onnxruntime int8`."""
    threads: int


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Something was done in a phase of an iteration; at most a few a second."""

    phase: Phase
    iteration: int
    done: int
    """Games, or steps of the learner."""
    total: int
    share: float
    """How much of the whole run is done, by its nearest end; 0 where it has none."""
    games: int
    """Of the whole run."""
    minutes: float
    """Of the whole run."""
    minutes_left: float | None
    """Until its nearest end, by what was done so far; none where it has no end."""


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """An iteration in numbers: one row of `metrics.csv`, and the scalars of TensorBoard by the same names."""

    iteration: int
    step: int
    """Of the learner."""
    games: int
    """Of the whole run."""
    positions: int
    """Moves that were searched for in the whole run."""
    minutes: float
    """Of the whole run."""
    window_positions: int
    window_share: float
    """How full the window is, in its own measure."""
    self_play_s: float
    learning_s: float
    gate_s: float
    positions_per_s: float
    """Moves searched for a second of self-play."""
    evaluations_per_s: float
    """Evaluations that searches asked for a second of self-play, known ones included."""
    cache_hits: float
    """The share of them that were known."""
    plies: float
    """Mean length of the games."""
    distinct_games: float
    """The share of games unlike all others of the iteration."""
    first_won: float
    second_won: float
    drawn: float
    """Shares of the games."""
    policy_loss: float
    value_loss: float
    policy_entropy: float
    """Of the network's policies, in nats."""
    target_entropy: float
    """Of the searches' policies, in nats."""
    value_correlation: float
    """Between the network's values and their targets."""
    value_saturation: float
    """The share of the network's values that are nearly 1 or -1."""
    learning_rate: float
    resigned: float
    """The share of games that were given up or would have been."""
    resigned_wrongly: float | None
    """Of the games that were played on, the share where giving up would have been wrong."""
    gate_score: float | None
    """The new network's score against the old one."""
    gate_passed: bool | None


@dataclass(frozen=True, kw_only=True)
class Saved:
    """There is a new checkpoint."""

    checkpoint: Path
    step: int
    is_best: bool


@dataclass(frozen=True, kw_only=True)
class Warned:
    """Something is wrong; one line, with the remedy."""

    text: str


Event = Began | Progress | Metrics | Saved | Warned
Listener = Callable[[Event], None]
