"""Games of self-play one after the other, by a search that needs no batches: UCT with rollouts, or a lookahead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np

from meeple.errors import MeepleError
from meeple.games.game import Game, Position
from meeple.games.rules import DRAWN, FIRST_WON, RESULT
from meeple.learn.episodes import Episode
from meeple.learn.recipe import SelfPlay
from meeple.learn.starts import Start, after
from meeple.search.analysis import Analysis


class Analyser(Protocol):
    """What searches a position."""

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        ...

    def analyse(self, position: Position) -> Analysis:
        """Search a position."""
        ...


class Seen(NamedTuple):
    """A position that is learned from."""

    position: Position
    analysis: Analysis | None
    """What a search found; None where the move was random."""


class Soloist:
    """Plays games against itself, one at a time."""

    def __init__(self, game: Game, analyser: Analyser, self_play: SelfPlay, *, has_policy: bool) -> None:
        self._game = game
        self._analyser = analyser
        self._plan = self_play
        self._has_policy = has_policy

    def play(
        self,
        starts: Iterator[Start],
        deliver: Callable[[Episode], None],
        *,
        randomness: float = 0.0,
        stop: threading.Event | None = None,
    ) -> None:
        """Play games until there are no more to start; when told to stop, the one in flight is lost."""
        for start in starts:
            episode = self._play(start, randomness, stop)
            if episode is None:
                return
            deliver(episode)

    def _play(self, start: Start, randomness: float, stop: threading.Event | None) -> Episode | None:
        chance = np.random.default_rng(start.seed)
        self._analyser.begin(start.seed >> 1)
        position = after(self._game, start.opening)
        seen: list[Seen] = []
        while position.result is None:
            if stop is not None and stop.is_set():
                return None
            if randomness and chance.random() < randomness:
                if not self._has_policy:
                    seen.append(Seen(position, None))
                position = position.play_action(int(chance.choice(position.actions)))
                continue
            analysis = self._analyser.analyse(position)
            seen.append(Seen(position, analysis))
            if analysis.proven is not None and self._plan.stop_when_proven:
                break
            position = position.play(self._choose(analysis, chance))
        return self._episode(start, position, seen)

    def _choose(self, analysis: Analysis, chance: np.random.Generator) -> str:
        is_early = analysis.position.plies < self._plan.temperature_plies
        temperature = self._plan.temperature if is_early else self._plan.late_temperature
        if not temperature or analysis.proven is not None or not self._has_policy:
            return analysis.move
        weights = np.array([candidate.policy for candidate in analysis.candidates]) ** (1 / temperature)
        return analysis.candidates[int(chance.choice(len(weights), p=weights / weights.sum()))].move

    def _episode(self, start: Start, end: Position, seen: list[Seen]) -> Episode:
        is_complete = end.result is not None
        result = int(end.state[RESULT]) if is_complete else _proven_result(seen[-1].analysis)
        policies = np.zeros((len(seen), self._game.num_actions if self._has_policy else 0), np.float32)
        for row, (_, analysis) in enumerate(seen):
            for candidate in analysis.candidates if analysis is not None and self._has_policy else ():
                policies[row, self._game.action(candidate.move)] = candidate.policy
        return Episode(
            number=start.number,
            seed=start.seed,
            iteration=start.iteration,
            actions=np.array([self._game.action(move) for move in end.history], np.int32),
            opening_plies=len(start.opening),
            result=result,
            rows=np.array([one.position.plies for one in seen], np.int32),
            policies=policies,
            root_values=np.array([_root_value(one, result) for one in seen], np.float32),
            is_complete=is_complete,
        )


def _root_value(seen: Seen, result: int) -> float:
    """What the search found; where there was none, how the game ended, for the player to move."""
    if seen.analysis is not None:
        return seen.analysis.value
    return 0.0 if result == DRAWN else 1.0 if result == FIRST_WON + seen.position.to_move else -1.0


def _proven_result(analysis: Analysis | None) -> int:
    """How the game of a proven position ends."""
    if analysis is None or analysis.proven is None:
        raise MeepleError("a game cannot end before its result is known")
    mover = analysis.position.to_move
    return DRAWN if analysis.proven == 0 else FIRST_WON + (mover if analysis.proven > 0 else 1 - mover)
