"""TensorBoard events of a run: the columns of `metrics.csv` as scalars by the same names, iteration by iteration."""

from __future__ import annotations

from dataclasses import asdict

from tensorboardX import SummaryWriter  # type: ignore[import-untyped]  # it has no types

from meeple.learn.events import Began, Event, Metrics

FOLDER = "events"
GROUPS = {
    "games": ("plies", "distinct_games", "first_won", "second_won", "drawn", "resigned", "resigned_wrongly"),
    "learning": (
        "policy_loss", "value_loss", "policy_entropy", "target_entropy", "value_correlation", "value_saturation",
        "learning_rate", "step",
    ),
    "speed": ("positions_per_s", "evaluations_per_s", "cache_hits", "self_play_s", "learning_s", "gate_s"),
    "gate": ("gate_score", "gate_passed"),
}  # fmt: skip
"""Where a scalar is shown; the others are under `run`."""
GROUP = {name: group for group, names in GROUPS.items() for name in names}


class TensorBoard:
    """A listener that writes to the folder `events` of the run it hears of."""

    def __init__(self) -> None:
        self._writer: SummaryWriter | None = None

    def __call__(self, event: Event) -> None:
        if isinstance(event, Began):
            # What an earlier process wrote of iterations that are done again is hidden.
            self._writer = SummaryWriter(str(event.run / FOLDER), purge_step=event.iteration + 1)
        elif isinstance(event, Metrics) and self._writer is not None:
            for name, value in asdict(event).items():
                if value is not None and name != "iteration":
                    self._writer.add_scalar(f"{GROUP.get(name, 'run')}/{name}", float(value), event.iteration)
            self._writer.flush()

    def close(self) -> None:
        """Write the rest."""
        if self._writer is not None:
            self._writer.close()
