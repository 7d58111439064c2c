"""A run: iterations of self-play, learning and a gate, in a folder that can be gone on with after any interruption.

An iteration is a function of the recipe, its number and what the iteration before left behind. Its games are logged one
by one; everything else is written when the iteration is over, the state last. So after a crash the games that are in
the log are kept, the rest of the iteration is done again, and with one thread it gives the same networks.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from meeple.errors import RunError
from meeple.games.game import Game
from meeple.games.registry import game as load_game
from meeple.learn import doctor, recipes
from meeple.learn.device import device_of, is_bf16
from meeple.learn.episodes import Episode, Log
from meeple.learn.events import Began, Listener, Phase, Progress, Saved, Warned
from meeple.learn.gate import Verdict, Watched, compare, memory_mb, num_games
from meeple.learn.learner import Learner
from meeple.learn.limits import Memory, make_room
from meeple.learn.measure import Iteration, measure
from meeple.learn.metrics import Table
from meeple.learn.pace import Pace
from meeple.learn.production import Production, produce
from meeple.learn.recipe import Recipe
from meeple.learn.replay import Window
from meeple.learn.resignation import Resigned, resigned, share_wrong
from meeple.learn.starts import Starts
from meeple.learn.storage import Folder, State, available_cores, new_folder
from meeple.learn.tally import Losses
from meeple.learn.workers import Workers
from meeple.nets.calibration import POSITIONS, calibrated
from meeple.nets.checkpoint import Checkpoint, card_of, load
from meeple.nets.folder import Checkpoints
from meeple.nets.layout import layout_of
from meeple.nets.network import Network

FIRST_SHARE = 0.2
"""Games by rollouts take at most this share of a run's minutes; they are played one by one, so none is favoured."""
PROGRESS_S = 0.25
LEARN, CALIBRATE, GATE = 1, 2, 3
"""What chances of an iteration are for."""


class End(NamedTuple):
    """When a run ends: by whichever comes first."""

    minutes: float | None = None
    steps: int | None = None
    iterations: int | None = None

    def share(self, state: State, minutes: float) -> float:
        """How much of the run is done, by its nearest end; 0 where it has none."""
        parts = ((minutes, self.minutes), (state.step, self.steps), (state.iteration, self.iterations))
        return max((done / whole for done, whole in parts if whole), default=0.0)


class InterruptError(Exception):
    """The run is told to stop in the middle of an iteration."""


def train(
    game: Game | str | None = None,
    recipe: Recipe | str = recipes.DEFAULT,
    folder: Path | str | None = None,
    *,
    minutes: float | None = None,
    steps: int | None = None,
    iterations: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    listen: Listener = lambda event: None,
    stop: threading.Event | None = None,
) -> Run:
    """Learn a game until an end is reached or `stop` is set, in a new folder unless one is given.

    With `resume` go on with the run in the folder, by its own recipe. Minutes are those of all calls together.
    """
    if resume:
        if folder is None:
            raise RunError("which run is to go on? its folder is missing")
        recipe = Folder(Path(folder)).recipe()
        if isinstance(game, str) and load_game(game).name != load_game(recipe.game).name:
            raise RunError(f"the run in {folder} learns {recipe.game}, not {game}")
    elif isinstance(recipe, str):
        name = game.name if isinstance(game, Game) else game
        recipe = recipes.load(recipe, name if name is None else recipes.game_name(name))
    run = Run(
        Path(folder) if folder is not None else new_folder(recipe),
        recipe,
        game,
        threads=threads or available_cores(),
        listen=listen,
        stop=stop or threading.Event(),
        resume=resume,
    )
    with suppress(InterruptError), run:
        run.go(End(minutes, steps, iterations or recipe.iterations))
    return run


class Run:
    """A run that is being worked on, or was."""

    def __init__(
        self, folder: Path, recipe: Recipe, game: Game | str | None, *, threads: int, listen: Listener,
        stop: threading.Event, resume: bool,
    ) -> None:  # fmt: skip
        self.folder = folder
        self.recipe = recipe
        self.game = game if isinstance(game, Game) else load_game(game or recipe.game)
        self.state = State()
        self.end = End()
        self._files = Folder(folder)
        self._checkpoints = Checkpoints(folder)
        self._threads = threads
        self._listen = listen
        self._stop = stop
        self._resume = resume
        self._said: set[str] = set()
        self._last_progress = 0.0
        self._iteration_minutes = 0.0
        self._new_games = 0

    def __enter__(self) -> Run:
        if self._resume:
            self._files.lock()
        else:
            self._files.create(self.recipe)
        try:
            self._prepare()
        except BaseException:
            self._files.release()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._files.release()

    @property
    def checkpoint(self) -> Path:
        """Its best network."""
        return self._checkpoints.find("best")

    @property
    def minutes(self) -> float:
        """How long all processes together have worked on it."""
        return self._earlier_minutes + (time.monotonic() - self._began) / 60

    @property
    def share(self) -> float:
        """How much of it is done, by its nearest end; 0 where it has none."""
        return self.end.share(self.state, self.minutes)

    def go(self, end: End) -> None:
        """Run iterations until an end is reached, or it is told to stop."""
        self.end = end
        self._listen(
            Began(
                run=self.folder, recipe=self.recipe, iteration=self.state.iteration,
                memory_mb=self._memory().total, disk_mb=self.recipe.limits.disk_mb, threads=self._threads,
                runtime=self._workers.runtime,
            )
        )  # fmt: skip
        try:
            while self.share < 1 and self._has_time():
                began = self.minutes
                self._iterate()
                self._iteration_minutes = self.minutes - began
        except InterruptError:
            self.state = self.state.model_copy(update={"minutes": self.minutes})
            self._files.note_minutes(self.state.minutes)

    def _has_time(self) -> bool:
        """Whether another iteration like the last one would end in time, or nearly."""
        return self.end.minutes is None or self.minutes + self._iteration_minutes / 2 < self.end.minutes

    def _is_late(self, share: float = 1.0) -> bool:
        """Whether this share of the run's time is over."""
        return self.end.minutes is not None and self.minutes >= share * self.end.minutes

    def _prepare(self) -> None:
        recipe, game = self.recipe, self.game
        self._began = time.monotonic()
        self._pace = Pace(self._threads)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(recipe.seed % 2**63)
            network = Network(recipe.network, layout_of(game))
        device = device_of(recipe)
        self._learner = Learner(network, recipe.learner, seed=recipe.seed, is_bf16=is_bf16(device), device=device)
        architecture = recipe.network
        self._window = Window(
            game, recipe.replay, has_policy=architecture.has_policy, has_owners=architecture.owners_head
        )
        self._starts = Starts(game, recipe, self.folder, on_position=self._check_stop)
        self._table = Table(self.folder / "metrics.csv")
        self._restore()
        self._workers = Workers(
            game, recipe, self._threads, runtime=self.state.runtime, precision=self.state.precision, device=device
        )
        if self.state.best is None:
            self._begin()
        else:
            self._workers.use(self._best())
        self._make_room()
        self._memory().check(self.recipe.limits)

    def _restore(self) -> None:
        """Take up the learner, the counts and the window as the last whole iteration left them."""
        found = self._files.load()
        if found is not None:
            self.state, tensors = found
            self._learner.restore(tensors)
        self._earlier_minutes = self.state.minutes
        self._forget_unfinished()
        for iteration in [number for number in self._files.logs if number < self.state.iteration]:
            self._check_stop()
            for episode in self._read(iteration):
                self._window.add(episode)

    def _begin(self) -> None:
        """Make the first network, and choose for the whole run how networks are evaluated."""
        first = self._new_checkpoint()
        self._checkpoints.add(first, is_best=True)
        self._workers.use(first)
        runtime, precision = self._workers.way
        self.state = self.state.model_copy(update={"best": first.card.step, "runtime": runtime, "precision": precision})
        self._save()

    def _forget_unfinished(self) -> None:
        """Remove what an iteration left that was not finished, but for its games."""
        self._table.cut(self.state.iteration)
        self._metrics = self._table.rows
        self._checkpoints.cut(self.state.step)
        if self.state.best is not None:
            self._checkpoints.mark_best(self.state.best)

    def _best(self) -> Checkpoint:
        """The network that plays."""
        return load(self._checkpoints.path(self.state.best or 0))

    def _read(self, iteration: int) -> list[Episode]:
        """The games of an iteration that are in its log, in the order of their numbers."""
        path = self._files.log(iteration)
        found = Log(path, self.game).read().episodes if path.exists() else []
        return sorted(found, key=lambda episode: episode.number)

    def _chance(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.recipe.seed, purpose, self.state.iteration])

    def _iterate(self) -> None:
        """One iteration. InterruptError where it could not be finished; its games are kept."""
        before = self._workers.counts
        production = self._play()
        counts = self._workers.counts.since(before)
        began = time.perf_counter()
        losses = self._learn(production.episodes)
        learning_s = time.perf_counter() - began
        checkpoint = self._new_checkpoint()
        verdict = self._judge(checkpoint)
        gate_s = time.perf_counter() - began - learning_s
        found = Iteration(
            production, counts, losses, self._resignations(production.episodes), verdict, learning_s, gate_s
        )
        saved = self._keep(checkpoint, found)
        metrics = measure(found, self.state, self._window)
        self._table.append(metrics)
        self._metrics.append(metrics)
        self._save()
        if saved.is_best:
            self._checkpoints.mark_best(saved.step)
        self._listen(saved)
        self._listen(metrics)
        self._warn()
        self._make_room()

    def _play(self) -> Production:
        """The games of an iteration."""
        iteration, plan = self.state.iteration, self.recipe.self_play
        is_first = iteration == 0 and plan.first_games > 0
        count = plan.first_games if is_first else plan.games_of(iteration)
        known = self._read(iteration)
        missing = sorted(set(range(self.state.games, self.state.games + count)) - {one.number for one in known})
        randomness = plan.randomness_of(iteration)
        phase: Phase = "first games" if is_first else "self-play"
        production = produce(
            self._workers.first(randomness) if is_first else self._workers.usual(randomness),
            self._starts.of(missing, iteration, may_resign=self.state.may_resign),
            Log(self._files.log(iteration), self.game),
            known,
            is_over=lambda: self._stop.is_set() or self._is_late(FIRST_SHARE if is_first else 1.0),
            on_progress=lambda done: self._progress(phase, done, count),
        )
        self._new_games = len(production.episodes)
        is_enough = is_first and self._new_games > 0 and not self._is_late()
        if self._stop.is_set() or (self._new_games < count and not is_enough):
            raise InterruptError
        return production

    def _progress(self, phase: Phase, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._last_progress < PROGRESS_S:
            return
        self._last_progress = now
        minutes, share, is_playing = self.minutes, self.share, phase in ("first games", "self-play")
        self._listen(
            Progress(
                phase=phase, iteration=self.state.iteration + 1, done=done, total=total, share=min(share, 1.0),
                games=self.state.games + (done if is_playing else self._new_games),
                minutes=minutes, minutes_left=minutes / share - minutes if share else None,
            )
        )  # fmt: skip

    def _learn(self, episodes: list[Episode]) -> Losses:
        """Take the games into the window and fit the network to it."""
        new = sum(self._window.add(episode) for episode in episodes)
        if not len(self._window):
            raise RunError("no game has a position to learn from: take more self_play.games, or less randomness")
        self._memory().check(self.recipe.limits)
        self._pace.begin()
        return self._learner.train(
            self._window,
            self._chance(LEARN),
            new_positions=new,
            progress=self.share,
            on_step=self._after_step,
        )

    def _after_step(self, done: int, steps: int) -> bool:
        """Whether learning goes on: it ends early where the run's time is over."""
        self._check_stop()
        self._pace.after_step()
        self._progress("learning", done, steps)
        return not self._is_late()

    def _check_stop(self) -> None:
        if self._stop.is_set():
            raise InterruptError

    def _new_checkpoint(self) -> Checkpoint:
        """The network as it has been learned so far, ready to be quantised."""
        recipe, state = self.recipe, self.state
        card = card_of(
            self.game,
            recipe.network,
            recipe_name=recipe.name,
            recipe=recipe.model_dump(mode="json"),
            step=self._learner.step,
            games=state.games,
            seed=recipe.seed,
        ).model_copy(update={"created": ""})  # the same run gives the same bytes
        checkpoint = Checkpoint(card, self._learner.weights())
        if not len(self._window):
            return checkpoint
        return calibrated(checkpoint, self.game, self._window.positions(self._chance(CALIBRATE), POSITIONS))

    def _judge(self, checkpoint: Checkpoint) -> Verdict | None:
        """How the new network does at the gate; nothing where there is none."""
        if self.recipe.gate.test == "none":
            return None
        games = 0

        def count() -> None:
            nonlocal games
            games += 1
            self._progress("gate", games, num_games(self.recipe.gate))

        new, old = (Watched(self._workers.evaluator(one), self._check_stop) for one in (checkpoint, self._best()))
        seed = int(self._chance(GATE).integers(2**62))
        return compare(self.game, self.recipe, new, old, seed=seed, on_game=count)

    def _resignations(self, episodes: list[Episode]) -> list[Resigned]:
        """Who gave up, or would have."""
        below = self.recipe.self_play.resign_below
        found = [] if below is None else [resigned(self.game, episode, below) for episode in episodes]
        return [one for one in found if one is not None]

    def _keep(self, checkpoint: Checkpoint, found: Iteration) -> Saved:
        """Save the network, and count what was done."""
        is_best, episodes = found.verdict is None or found.verdict.passed, found.production.episodes
        path = self._checkpoints.add(checkpoint, is_best=False)  # not before the state is saved
        if is_best:
            self._workers.use(checkpoint)
        elif self.recipe.gate.go_back:
            self._learner.go_back(self._best().weights)
        wrong = share_wrong(found.resignations) or 0.0
        self.state = self.state.model_copy(
            update={
                "iteration": self.state.iteration + 1,
                "step": self._learner.step,
                "games": episodes[-1].number + 1,
                "best": checkpoint.card.step if is_best else self.state.best,
                "positions": self.state.positions + sum(len(one.actions) - one.opening_plies for one in episodes),
                "minutes": self.minutes,
                "may_resign": wrong <= self.recipe.self_play.resign_false,
            }
        )
        return Saved(checkpoint=path, step=checkpoint.card.step, is_best=is_best)

    def _save(self) -> None:
        self._files.save(self.state, self._learner.state())

    def _warn(self) -> None:
        """Say what the doctor finds, once each."""
        for finding in doctor.findings(self._metrics, self.recipe):
            if finding.name not in self._said:
                self._said.add(finding.name)
                self._listen(Warned(text=finding.line))

    def _make_room(self) -> None:
        oldest = self._window.oldest_iteration
        make_room(self._files, self._checkpoints, self.recipe.limits, oldest_iteration=oldest)

    def _memory(self) -> Memory:
        return Memory(self._workers.memory_mb, memory_mb(self.recipe), self._window.memory_mb)
