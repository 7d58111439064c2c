"""An iteration in numbers."""

from __future__ import annotations

from collections.abc import Sequence

from meeple.games.rules import DRAWN, FIRST_WON, SECOND_WON
from meeple.learn.episodes import Episode
from meeple.learn.events import Metrics
from meeple.learn.gate import Verdict
from meeple.learn.play import Production
from meeple.learn.players import Counts
from meeple.learn.recipe import Replay
from meeple.learn.replay import Window
from meeple.learn.resignation import Resigned
from meeple.learn.storage import State
from meeple.learn.tally import Losses


def measure(
    state: State,
    window: Window,
    production: Production,
    counts: Counts,
    losses: Losses,
    resignations: Sequence[Resigned],
    verdict: Verdict | None,
    *,
    learning_s: float,
    gate_s: float,
    replay: Replay,
) -> Metrics:
    """The row of an iteration; `state` is the one after it."""
    episodes, seconds = production.episodes, max(production.seconds, 1e-9)
    played_on = [one for one in resignations if not one.ended]
    return Metrics(
        iteration=state.iteration,
        step=state.step,
        games=state.games,
        positions=state.positions,
        minutes=state.minutes,
        window_positions=len(window),
        window_share=_fullness(window, replay, state.iteration),
        self_play_s=production.seconds,
        learning_s=learning_s,
        gate_s=gate_s,
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
        resigned=len(resignations) / len(episodes),
        resigned_wrongly=sum(one.is_wrong for one in played_on) / len(played_on) if played_on else None,
        gate_score=verdict.score if verdict else None,
        gate_passed=verdict.passed if verdict else None,
    )


def _share(episodes: Sequence[Episode], result: int) -> float:
    return sum(one.result == result for one in episodes) / len(episodes)


def _fullness(window: Window, replay: Replay, iterations: int) -> float:
    """How full a window is, in its own measure."""
    if replay.positions:
        return len(window) / replay.positions
    return window.games / replay.games if replay.games else min(iterations / (replay.iterations or 1), 1.0)
