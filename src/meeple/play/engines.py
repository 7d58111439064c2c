"""Players that search: specs such as `mcts:1000?c=1.4&time=2s` made into engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.play.options import choice, count, flag, number, read_options, seconds
from meeple.play.spec import Spec
from meeple.search.analysis import Analysis
from meeple.search.uct import EXPLORATION, MEMORY_MB, Uct


class Engine(Protocol):
    """What searches a position within a budget."""

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        ...

    def analyse(self, position: Position, *, simulations: int | None, time_limit_s: float | None) -> Analysis:
        """Search a position."""
        ...


class SearchPlayer:
    """Plays what its engine thinks best."""

    def __init__(self, engine: Engine, simulations: int | None, time_limit_s: float | None) -> None:
        self._engine = engine
        self._simulations = simulations
        self._time_limit_s = time_limit_s

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        self._engine.begin(seed)

    def choose(self, position: Position) -> str:
        """The move that the engine thinks best."""
        return self.analyse(position).move

    def analyse(self, position: Position) -> Analysis:
        """What the engine found out."""
        return self._engine.analyse(position, simulations=self._simulations, time_limit_s=self._time_limit_s)


MCTS_OPTIONS: dict[str, Callable[[str], object]] = {
    "c": number,
    "time": seconds,
    "solve": flag,
    "rollouts": count,
    "threads": count,
    "memory": count,
    "turns": choice("true", "alternating"),
}


def mcts(spec: Spec, game: Game, seed: int | None) -> SearchPlayer:
    """`mcts:SIMS`: UCT with random rollouts."""
    options = read_options(spec.text, spec.options, MCTS_OPTIONS)
    simulations = simulations_of(spec, options.get("time"))
    engine = Uct(
        game,
        seed=seed or 0,
        exploration=options.get("c", EXPLORATION),
        rollouts=options.get("rollouts", 1),
        threads=options.get("threads", 1),
        memory_mb=options.get("memory", MEMORY_MB),
        turns=options.get("turns", "true"),
        solve=options.get("solve", True),
    )
    return SearchPlayer(engine, simulations, options.get("time"))


def simulations_of(spec: Spec, time_limit_s: float | None) -> int | None:
    """How many simulations a spec asks for; none where it gives a time instead."""
    if not spec.argument:
        if time_limit_s is None:
            raise PlayerError(
                f"{shown(spec.text)} needs a number of simulations or a time: {spec.kind}:1000, {spec.kind}?time=2s"
            )
        return None
    try:
        return count(spec.argument)
    except ValueError as error:
        raise PlayerError(f"{shown(spec.text)}: the number of simulations is {error}") from None
