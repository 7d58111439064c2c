"""The doctor: looks at the numbers of a run and names what is wrong, in one line each, with the remedy.

It would rather keep silent than cry wolf: every fault is looked for in several iterations, and a young run has none of
those that take time to show.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from meeple.learn.events import Metrics
from meeple.learn.recipe import Recipe

SETTLED = 3
"""So many iterations in a row show a fault, as one alone may be chance, or the first games by random playouts."""

FULL = 0.95
"""A window this full is not expected to grow: one that counts games or iterations is never filled to the position."""
STALLED = 0.1
"""A window stalls that gains less than this part of the positions that were searched to be learned."""

FEW_DISTINCT = 0.25
"""With a smaller share of different games an iteration learns from the same few again and again."""
SHORT_PLIES = 10
"""Games as short as Tic-tac-toe's repeat themselves in any healthy run: there are not enough different ones."""
FEW_DISTINCT_SHORT = 0.02
"""For those: nearly every game is a repetition."""

COLLAPSED_NATS = 0.1
"""A policy of this entropy puts 98 % on one of two moves, on average over all positions."""
EARLY = 10
"""Before so many iterations no policy has a reason to be so sure in every position."""
SURER_THAN_SEARCH_NATS = 0.3
"""Later it may be, but not while the searches that teach it are less sure by so much."""

FLAT_AFTER = 10
"""A policy may take so many iterations to begin to sharpen,"""
FLAT_STEPS = 1000
"""and so many steps of the learner."""
FLAT_SHARE = 0.99
"""Its entropy has not fallen if more than this part of it is left,"""
FLAT_GAP_NATS = 0.5
"""and searches are so much surer: it does not learn what they teach."""

SATURATED = 0.9
"""With more than this share of values at nearly 1 or -1 the network admits no doubt;"""
UNTRUE = 0.5
"""which is right in a game that is understood, but not at so low a correlation with results: one in four is wrong."""

ONE_RESULT = 0.99
"""With this share of one result there is hardly a game to learn the difference from."""
LONG_ONE_RESULT = 5
"""A run that once had others may have learned so well: it takes longer to be called a fault."""

GATES = 5
"""The first network is random and soon beaten: so many failures from the start on are no bad luck."""

LEAST_S = 60.0
"""Shares of less time say little: loading and exporting networks takes seconds."""
LEARNING_SHARE = 0.85
"""Above this self-play waits for the learner: the same positions are learned too often for what they tell."""
LEARNER_IDLE = 0.005
"""Below this share of the time the learner hardly works, and all waits for evaluations."""
GATE_SHARE = 0.6
"""Above this a run tests more than it learns."""

RESIGNED_WRONGLY_OF = 6
"""Among so many iterations in which giving up was checked"""
RESIGNED_WRONGLY = 3
"""this many were wrong more often than the recipe allows; one is forgiven, as it pauses giving up by itself."""


class Finding(NamedTuple):
    """Something that is wrong with a run."""

    name: str
    """Which fault; a run has each at most once."""
    text: str
    """What is wrong."""
    remedy: str
    """What to change."""
    evidence: dict[str, float]
    """The numbers that show it."""

    @property
    def line(self) -> str:
        """All of it but the evidence, in one line."""
        return f"{self.text}: {self.remedy}"


def findings(metrics: Sequence[Metrics], recipe: Recipe) -> list[Finding]:
    """What is wrong with a run after these iterations; nothing where it is healthy, or too young to tell."""
    found = (look(metrics, recipe) for look in LOOKS) if metrics else ()
    return [finding for finding in found if finding is not None]


def _not_finite(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    last = metrics[-1]
    losses = {"value_loss": last.value_loss} | ({"policy_loss": last.policy_loss} if _has_policy(recipe) else {})
    if all(map(math.isfinite, losses.values())):
        return None
    return Finding(
        "loss-not-finite",
        "the loss is not a finite number any more, so the network is ruined",
        "begin again with a lower learner.learning_rate, or with learner.clip = 1",
        losses,
    )


def _window_stalls(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    recent = metrics[-SETTLED:]
    searched = recent[-1].positions - recent[0].positions
    gained = recent[-1].window_positions - recent[0].window_positions
    share = recipe.search.full_share if recipe.search.fast_simulations else 1.0
    if len(recent) < SETTLED or max(row.window_share for row in recent) >= FULL or gained > STALLED * share * searched:
        return None
    return Finding(
        "window-not-filling",
        f"the window is {recent[-1].window_share:.0%} full and does not grow",
        "raise self_play.games or search.full_share, so that iterations bring new positions",
        {"window_positions": recent[-1].window_positions, "gained": gained, "searched": searched},
    )


def _few_distinct(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    recent = metrics[-SETTLED:]
    are_few = [row.distinct_games < (FEW_DISTINCT_SHORT if row.plies < SHORT_PLIES else FEW_DISTINCT) for row in recent]
    if len(recent) < SETTLED or not all(are_few):
        return None
    return Finding(
        "few-distinct-games",
        f"only {recent[-1].distinct_games:.0%} of the games of an iteration are different ones",
        "raise self_play.temperature_plies, or begin games with self_play.random_plies or opening_plies",
        {"distinct_games": recent[-1].distinct_games, "plies": recent[-1].plies},
    )


def _policy_collapsed(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    recent = metrics[-SETTLED:]
    if not _has_policy(recipe) or len(recent) < SETTLED or not all(map(_is_too_sure, recent)):
        return None
    last = recent[-1]
    return Finding(
        "policy-collapsed",
        f"the policy is sure of one move everywhere (entropy {last.policy_entropy:.2f} nats)",
        "lower learner.learning_rate, raise the noise at the root or self_play.temperature, or learn with fewer epochs",
        {"policy_entropy": last.policy_entropy, "target_entropy": last.target_entropy, "iteration": last.iteration},
    )


def _is_too_sure(row: Metrics) -> bool:
    is_early = row.iteration <= EARLY
    return row.policy_entropy < COLLAPSED_NATS and (
        is_early or row.target_entropy - row.policy_entropy > SURER_THAN_SEARCH_NATS
    )


def _policy_flat(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    last = metrics[-1]
    if not _has_policy(recipe) or len(metrics) < FLAT_AFTER or last.step < FLAT_STEPS:
        return None
    first_entropy = _mean([row.policy_entropy for row in metrics[:SETTLED]])
    entropy = _mean([row.policy_entropy for row in metrics[-SETTLED:]])
    target_entropy = _mean([row.target_entropy for row in metrics[-SETTLED:]])
    if not (entropy >= FLAT_SHARE * first_entropy and entropy - target_entropy >= FLAT_GAP_NATS):
        return None
    return Finding(
        "policy-not-falling",
        f"the policy is as undecided as at first (entropy {entropy:.2f} nats; searches have {target_entropy:.2f})",
        "raise learner.learning_rate, learner.policy_weight or the amount of learning, or use a larger network",
        {"policy_entropy": entropy, "first_policy_entropy": first_entropy, "target_entropy": target_entropy},
    )


def _value_saturated(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    recent = metrics[-SETTLED:]
    if len(recent) < SETTLED or not all(
        row.value_saturation >= SATURATED and row.value_correlation <= UNTRUE for row in recent
    ):
        return None
    last = recent[-1]
    return Finding(
        "value-saturated",
        f"{last.value_saturation:.0%} of values are sure, but often wrong (correlation {last.value_correlation:.1f})",
        "lower learner.learning_rate, or raise learner.weight_decay or learner.root_value_share",
        {"saturation": last.value_saturation, "correlation": last.value_correlation, "value_loss": last.value_loss},
    )


def _one_result(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    names = {"first_won": "won by the first player", "second_won": "won by the second player", "drawn": "drawn"}
    for name, words in names.items():
        if not _is_only_result([getattr(row, name) for row in metrics], recipe):
            continue
        share = getattr(metrics[-1], name)
        return Finding(
            "one-result",
            f"{share:.0%} of the games are {words}, iteration after iteration, so values learn nothing",
            "begin games with self_play.random_plies or opening_plies; if they do already, check the game's rules",
            {name: share},
        )
    return None


def _is_only_result(shares: Sequence[float], recipe: Recipe) -> bool:
    """Whether a result was the only one from the start, or is by now although nothing varies the games' starts."""
    if min(shares) >= ONE_RESULT:
        return len(shares) >= SETTLED
    return (
        not _has_varied_starts(recipe)
        and len(shares) >= LONG_ONE_RESULT
        and min(shares[-LONG_ONE_RESULT:]) >= ONE_RESULT
    )


def _gate_never_passed(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    gates = [row for row in metrics if row.gate_passed is not None]
    if len(gates) < GATES or any(row.gate_passed for row in gates):
        return None
    best = max((row.gate_score for row in gates if row.gate_score is not None), default=math.nan)
    return Finding(
        "gate-never-passed",
        f"none of {len(gates)} new networks passed the gate (the best scored {best:.2f})",
        "lower gate.at_least, raise gate.games, or set gate.go_back = false so that learning adds up",
        {"gates": len(gates), "best_score": best},
    )


def _time_shares(metrics: Sequence[Metrics]) -> dict[str, float]:
    """Shares of the time of recent iterations; nothing where it was too short. The first one has games of its own."""
    recent = metrics[1:][-SETTLED:]
    seconds = {name: sum(getattr(row, name) for row in recent) for name in ("self_play_s", "learning_s", "gate_s")}
    whole = sum(seconds.values())
    if len(recent) < SETTLED or whole < LEAST_S:
        return {}
    return {name.removesuffix("_s"): spent / whole for name, spent in seconds.items()}


def _learning_slow(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    shares = _time_shares(metrics)
    if shares.get("learning", 0) <= LEARNING_SHARE:
        return None
    amount = next(name for name in ("steps", "epochs", "reuse") if getattr(recipe.learner, name) is not None)
    return Finding(
        "learning-slow",
        f"learning takes {shares['learning']:.0%} of the time, self-play {shares['self_play']:.0%}",
        f"lower learner.{amount} or raise self_play.games",
        shares,
    )


def _self_play_slow(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    shares = _time_shares(metrics)
    if not shares or shares["learning"] >= LEARNER_IDLE or shares["gate"] > GATE_SHARE:
        return None
    return Finding(
        "evaluation-slow",
        f"self-play takes {shares['self_play']:.0%} of the time and the learner waits",
        "lower search.simulations, use a smaller network or precision = int8, or learn more from each position",
        shares,
    )


def _gate_slow(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    shares = _time_shares(metrics)
    if shares.get("gate", 0) <= GATE_SHARE:
        return None
    return Finding(
        "gate-slow",
        f"the gate takes {shares['gate']:.0%} of the time",
        "lower gate.games or gate.simulations, or raise self_play.games",
        shares,
    )


def _resigns_wrongly(metrics: Sequence[Metrics], recipe: Recipe) -> Finding | None:
    allowed, below = recipe.self_play.resign_false, recipe.self_play.resign_below
    checked = [row.resigned_wrongly for row in metrics if row.resigned_wrongly is not None][-RESIGNED_WRONGLY_OF:]
    wrong = [share for share in checked if share > allowed]
    if below is None or len(wrong) < RESIGNED_WRONGLY:
        return None
    return Finding(
        "resigns-wrongly",
        f"{max(wrong):.0%} of those who would have given up did not lose (the recipe allows {allowed:.0%})",
        f"lower self_play.resign_below from {below:g} towards -1, or set it to none",
        {"worst": max(wrong), "iterations": len(wrong), "allowed": allowed},
    )


LOOKS: tuple[Callable[[Sequence[Metrics], Recipe], Finding | None], ...] = (
    _not_finite,
    _window_stalls,
    _few_distinct,
    _policy_collapsed,
    _policy_flat,
    _value_saturated,
    _one_result,
    _gate_never_passed,
    _learning_slow,
    _self_play_slow,
    _gate_slow,
    _resigns_wrongly,
)
"""Every fault there is."""


def _has_policy(recipe: Recipe) -> bool:
    return recipe.network.has_policy


def _has_varied_starts(recipe: Recipe) -> bool:
    plan = recipe.self_play
    return bool(plan.random_plies or plan.opening_plies or any(plan.randomness))


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
