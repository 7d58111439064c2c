"""The numbers of a run that goes well, as its metrics have them."""

import math

from meeple.learn.events import Metrics


def row(iteration=1, **changes):
    """An iteration of 500 games of a healthy run, somewhat better with every iteration."""
    age = 1 - math.exp(-iteration / 10)
    numbers = {
        "iteration": iteration,
        "step": 200 * iteration,
        "games": 500 * iteration,
        "positions": 10_000 * iteration,
        "minutes": 0.5 * iteration,
        "window_positions": min(3_000 * iteration, 30_000),
        "window_share": min(iteration / 10, 1.0),
        "self_play_s": 20.0,
        "learning_s": 10.0,
        "gate_s": 0.0,
        "positions_per_s": 500.0,
        "evaluations_per_s": 12_000.0,
        "cache_hits": 0.3,
        "plies": 20.0,
        "distinct_games": 0.97,
        "first_won": 0.55,
        "second_won": 0.35,
        "drawn": 0.1,
        "policy_loss": 1.9 - 0.6 * age,
        "value_loss": 0.9 - 0.4 * age,
        "policy_entropy": 1.85 - 0.6 * age,
        "target_entropy": 1.6 - 0.5 * age,
        "value_correlation": 0.8 * age,
        "value_saturation": 0.2 * age,
        "learning_rate": 0.003,
        "resigned": 0.0,
        "resigned_wrongly": None,
        "gate_score": None,
        "gate_passed": None,
    }
    return Metrics(**{**numbers, **changes})


def rows(count, **changes):
    """The first so many iterations; a change may be a function of the iteration."""
    return [
        row(number, **{name: change(number) if callable(change) else change for name, change in changes.items()})
        for number in range(1, count + 1)
    ]
