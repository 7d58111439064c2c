"""An iteration in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from meeple.games.rules import DRAWN, FIRST_WON, SECOND_WON
from meeple.learn.episodes import Episode
from meeple.learn.events import Metrics
from meeple.learn.gate import Verdict
from meeple.learn.production import Production
from meeple.learn.replay import Window
from meeple.learn.resignation import Resigned, share_wrong
from meeple.learn.storage import State
from meeple.learn.tally import Losses
from meeple.learn.workers import Counts


class Iteration(NamedTuple):
    """What an iteration came to."""

    production: Production
    counts: Counts
    """Of the evaluations in self-play."""
    losses: Losses
    resignations: Sequence[Resigned]
    verdict: Verdict | None
    """The gate's; none where there is no gate."""
    learning_s: float
    gate_s: float


def measure(found: Iteration, state: State, window: Window) -> Metrics:
    """The row of an iteration, with the state and the window as they are after it."""
    production, counts, losses, verdict = found.production, found.counts, found.losses, found.verdict
    episodes, seconds = production.episodes, max(production.seconds, 1e-9)
    return Metrics(
        iteration=state.iteration,
        step=state.step,
        games=state.games,
        positions=state.positions,
        minutes=state.minutes,
        window_positions=len(window),
        window_share=window.fullness,
        self_play_s=production.seconds,
        learning_s=found.learning_s,
        gate_s=found.gate_s,
        positions_per_s=production.new_moves / seconds,
        evaluations_per_s=counts.asked / seconds,
        cache_hits=counts.found / counts.asked if counts.asked else 0.0,
        plies=sum(len(one.actions) for one in episodes) / len(episodes),
        distinct_games=len({one.actions.tobytes() for one in episodes}) / len(episodes),
        first_won=_share(episodes, FIRST_WON),
        second_won=_share(episodes, SECOND_WON),
        drawn=_share(episodes, DRAWN),
        policy_loss=losses.policy,
        value_loss=losses.value,
        policy_entropy=losses.policy_entropy,
        target_entropy=losses.target_entropy,
        value_correlation=losses.value_correlation,
        value_saturation=losses.value_saturation,
        learning_rate=losses.learning_rate,
        resigned=len(found.resignations) / len(episodes),
        resigned_wrongly=share_wrong(found.resignations),
        gate_score=verdict.score if verdict else None,
        gate_passed=verdict.passed if verdict else None,
    )


def _share(episodes: Sequence[Episode], result: int) -> float:
    return sum(one.result == result for one in episodes) / len(episodes)
