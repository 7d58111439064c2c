"""Self-play: one worker that plays many games at once, each from a seed of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import numpy as np

from meeple.games.game import Game
from meeple.learn.boards import IDLE, OVER, Habits, advance, new_boards, sit_down
from meeple.learn.episodes import Episode
from meeple.learn.recipe import Search, SelfPlay
from meeple.learn.starts import Start, after
from meeple.search.evaluator import Evaluator
from meeple.search.gumbel import plans
from meeple.search.settings import Settings
from meeple.search.trees import Trees


class Worker:
    """Plays games against itself; between games it may be given another evaluator and other habits."""

    def __init__(self, game: Game, search: Search, self_play: SelfPlay, *, memory_mb: int) -> None:
        self.game = game
        self.search = search
        self.self_play = self_play
        self._trees = Trees(game, settings(search, memory_mb), self_play.parallel)
        self._trees.reserve(search.simulations)
        self._trees.table, starts = plans(search.max_considered, (search.simulations, search.fast_simulations))
        self._fast_start = int(starts[1])
        self._boards = new_boards(self_play.parallel, game.max_plies, game.num_actions)
        self._starts: list[Start | None] = [None] * self_play.parallel
        self.evaluations = 0
        """Positions that were given to the evaluator so far."""

    @property
    def memory_mb(self) -> float:
        """What its arrays take."""
        return (self._trees.num_bytes + sum(array.nbytes for array in self._boards)) / 2**20

    def play(
        self,
        starts: Iterator[Start],
        evaluator: Evaluator,
        deliver: Callable[[Episode], None],
        *,
        randomness: float = 0.0,
        stop: threading.Event | None = None,
    ) -> None:
        """Play games until there are no more to start; when told to stop, those in flight are lost."""
        habits = self._habits(randomness)
        self._clear()
        while stop is None or not stop.is_set():
            self._seat(starts, habits)
            if self._advance(habits):
                self._collect(deliver)
            elif not self._step(evaluator):
                return
        self._clear()

    def _clear(self) -> None:
        self._boards.stage[:] = IDLE
        self._trees.roots.simulations[:] = 0

    def _seat(self, starts: Iterator[Start], habits: Habits) -> None:
        """Let games begin at the boards that are free."""
        for board in np.flatnonzero(self._boards.stage == IDLE).tolist():
            start = next(starts, None)
            if start is None:
                return
            self._begin(board, start, habits)

    def _begin(self, board: int, start: Start, habits: Habits) -> None:
        position = after(self.game, start.opening)
        words, rules, trees = self.game.num_words, self.game.addresses, self._trees
        trees.roots.states[board * words : (board + 1) * words] = position.state
        first = board * self.game.max_plies
        self._boards.actions[first : first + len(start.opening)] = start.opening
        self._boards.num_plies[board] = len(start.opening)
        self._boards.may_resign[board] = start.may_resign
        self._starts[board] = start
        sit_down(
            rules.moves, rules.play, trees.forest, trees.roots, self._boards, trees.actions, trees.new_index, habits,
            board, start.seed,
        )  # fmt: skip

    def _advance(self, habits: Habits) -> int:
        """Take all games as far as they go without an evaluation; how many are over."""
        rules, trees = self.game.addresses, self._trees
        over: int = advance(
            rules.moves, rules.play, trees.forest, trees.roots, self._boards, trees.actions, trees.scratch, trees.path,
            trees.weights, trees.new_index, habits, trees.knobs,
        )  # fmt: skip
        return over

    def _step(self, evaluator: Evaluator) -> bool:
        """One evaluation for every game; whether any game is being played."""
        self.evaluations += self._trees.step(evaluator)
        return bool((self._boards.stage != IDLE).any())

    def _collect(self, deliver: Callable[[Episode], None]) -> None:
        for board in np.flatnonzero(self._boards.stage == OVER).tolist():
            self._boards.stage[board] = IDLE
            deliver(self._episode(board))

    def _episode(self, board: int) -> Episode:
        boards, start = self._boards, self._starts[board]
        assert start is not None
        first = board * self.game.max_plies
        plies, rows = int(boards.num_plies[board]), int(boards.num_rows[board])
        policies = boards.policies.reshape(-1, self.game.num_actions)
        return Episode(
            number=start.number,
            seed=start.seed,
            iteration=start.iteration,
            actions=boards.actions[first : first + plies].copy(),
            opening_plies=len(start.opening),
            result=int(boards.result[board]),
            rows=boards.rows[first : first + rows].copy(),
            policies=policies[first : first + rows].copy(),
            root_values=boards.root_values[first : first + rows].copy(),
            is_complete=bool(boards.is_complete[board]),
        )

    def _habits(self, randomness: float) -> Habits:
        search, plan = self.search, self.self_play
        is_gumbel = search.engine == "gumbel"
        return Habits(
            simulations=search.simulations,
            fast_simulations=max(search.fast_simulations, 1),
            full_share=search.full_share if search.fast_simulations else 1.0,
            fast_start=self._fast_start,
            noise=search.gumbel_noise if is_gumbel else search.noise,
            noise_alpha=search.noise_alpha or 10 / self.game.num_actions,
            temperature=plan.temperature,
            temperature_plies=plan.temperature_plies,
            late_temperature=plan.late_temperature,
            randomness=randomness,
            resign_below=-2.0 if plan.resign_below is None else plan.resign_below,
            is_stopping=plan.stop_when_proven,
        )


def settings(search: Search, memory_mb: int) -> Settings:
    """A recipe's search as the engines take it; the noise is the worker's."""
    return Settings(
        engine="puct" if search.engine == "puct" else "gumbel",
        c_init=search.c_init,
        c_base=search.c_base,
        fpu=search.fpu,
        max_considered=search.max_considered,
        value_scale=search.value_scale,
        visit_offset=search.visit_offset,
        solve=search.solve,
        peek=search.peek,
        turns=search.turns,
        gumbel_noise=0.0,
        memory_mb=memory_mb,
    )
