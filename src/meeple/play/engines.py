"""Players that search: specs such as `mcts:1000?c=1.4&time=2s` made into engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.play.chooser import Chooser, Temperature, Watch
from meeple.play.options import Reader, choice, count, flag, number, read_options, seconds, share
from meeple.play.spec import Spec
from meeple.search.alphabeta import MAX_DEPTH, MoveValue, alphabeta
from meeple.search.analysis import Analysis, Candidate
from meeple.search.engine import Engine
from meeple.search.evaluator import Evaluator, RolloutEvaluator, UniformEvaluator
from meeple.search.settings import Settings
from meeple.search.uct import EXPLORATION, MEMORY_MB, Uct

COLD = Temperature()
TABLE_MB = 64
BATCH = 64
"""How many positions are searched at once."""


class Searcher(Protocol):
    """What searches a position within a budget."""

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        ...

    def analyse(self, position: Position, *, simulations: int | None, time_limit_s: float | None) -> Analysis:
        """Search a position."""
        ...


class SearchPlayer:
    """Plays what a search thinks best, or early in a game by chance what it thinks good."""

    def __init__(
        self,
        searcher: Searcher,
        simulations: int | None,
        time_limit_s: float | None,
        *,
        temperature: Temperature = COLD,
        seed: int = 0,
    ) -> None:
        self._searcher = searcher
        self._simulations = simulations
        self._time_limit_s = time_limit_s
        self._chooser = Chooser(temperature, seed)

    def watch(self, watch: Watch) -> None:
        """Let somebody see every search and the move that was chosen after it."""
        self._chooser.watch(watch)

    def begin(self, seed: int) -> None:
        """Forget the last game; draw chances from a seed."""
        self._searcher.begin(seed)
        self._chooser.begin(seed)

    def choose(self, position: Position) -> str:
        """The move that the search thinks best, or one of the good ones."""
        return self._chooser.choose(self.analyse(position))

    def analyse(self, position: Position) -> Analysis:
        """What the search found out."""
        return self._searcher.analyse(position, simulations=self._simulations, time_limit_s=self._time_limit_s)


class BatchSearchPlayer(SearchPlayer):
    """Also searches many positions at once, so that a batch of them goes through one evaluation."""

    def __init__(self, new_engine: Callable[[int], Engine], simulations: int, **chances: Any) -> None:
        super().__init__(new_engine(1), simulations, None, **chances)
        self._new_engine = new_engine
        self._many: Engine | None = None

    def choose_many(self, positions: Sequence[Position], seeds: Sequence[int]) -> list[str]:
        """A move for each position, by chances that come from its seed alone."""
        self._many = self._many or self._new_engine(BATCH)
        moves: list[str] = []
        for first in range(0, len(positions), BATCH):
            some = positions[first : first + BATCH]
            some_seeds = seeds[first : first + BATCH]
            self._many.forget()
            done = self._many.grow(some, self._simulations or 0, seeds=some_seeds)
            best = self._many.best_moves(len(some))
            for tree, seed in enumerate(some_seeds):
                if self._chooser.takes_best(some[tree]):
                    moves.append(best[tree])
                else:
                    analysis = self._many.analysis(tree, int(done[tree]), 0.0)
                    moves.append(self._chooser.choose(analysis, seed))
        return moves


class AlphaBetaPlayer:
    """Searches every position afresh, so that its move depends on nothing else; unless it chooses among equals."""

    def __init__(
        self, depth: int | None, time_limit_s: float | None, *, table_mb: int, is_random: bool, seed: int
    ) -> None:
        self._depth = depth or MAX_DEPTH
        self._time_limit_s = time_limit_s
        self._table_mb = table_mb
        self._chance = Random(seed) if is_random else None
        self._watch: Watch | None = None

    def watch(self, watch: Watch) -> None:
        """Let somebody see every search and the move that was chosen after it."""
        self._watch = watch

    def begin(self, seed: int) -> None:
        """Choose among equally good moves by the seed, if at all by chance."""
        if self._chance is not None:
            self._chance = Random(seed)

    def choose(self, position: Position) -> str:
        """The best move."""
        analysis = self.analyse(position, all_moves=self._watch is not None)
        if self._watch is not None:
            self._watch(analysis, analysis.move)
        return analysis.move

    def analyse(self, position: Position, *, all_moves: bool = True) -> Analysis:
        """What the search found out, about every move unless only the best is wanted."""
        verdict = alphabeta(
            position,
            depth=self._depth,
            time_limit_s=self._time_limit_s,
            table_mb=self._table_mb,
            all_moves=all_moves,
            chance=self._chance,
        )
        best = MoveValue(verdict.value, verdict.proven, verdict.plies)
        known = {verdict.move: best, **verdict.moves}
        return Analysis(
            position=position,
            move=verdict.move,
            value=verdict.value,
            candidates=tuple(_candidate(move, known.get(move), position, verdict.move) for move in position.moves),
            line=verdict.line,
            simulations=verdict.nodes,
            seconds=verdict.seconds,
            proven=round(verdict.value) if verdict.proven else None,
        )


def _candidate(move: str, found: MoveValue | None, position: Position, best: str) -> Candidate:
    """A move as alpha-beta sees it; of those it did not ask about it knows nothing."""
    return Candidate(
        move=move,
        visits=0,
        value=found.value if found else 0.0,
        prior=1 / len(position.moves),
        policy=float(move == best),
        proven=round(found.value) if found and found.proven else None,
        plies=found.plies if found and found.proven else None,
    )


SEARCH_OPTIONS: dict[str, Callable[[str], object]] = {
    "c": number,
    "time": seconds,
    "solve": flag,
    "rollouts": count,
    "memory": count,
    "turns": choice("true", "alternating"),
}
MCTS_OPTIONS = SEARCH_OPTIONS | {"threads": count}
EVALUATOR_OPTIONS = SEARCH_OPTIONS | {
    "evaluator": choice("uniform", "rollout"),
    "temperature": number,
    "temperature_plies": count,
}
PUCT_OPTIONS = EVALUATOR_OPTIONS | {"fpu": number, "leaves": count, "noise": share}
GUMBEL_OPTIONS = {name: reader for name, reader in EVALUATOR_OPTIONS.items() if name != "c"} | {"considered": count}


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


def alpha_beta(spec: Spec, game: Game, seed: int | None) -> AlphaBetaPlayer:
    """`alphabeta:DEPTH`: exact where it sees the end, by the game's heuristic where it does not."""
    options = read_options(spec.text, spec.options, {"time": seconds, "table": count, "random": flag})
    depth = _whole(spec, options.get("time"), "plies", "alphabeta:6")
    return AlphaBetaPlayer(
        depth,
        options.get("time"),
        table_mb=options.get("table", TABLE_MB),
        is_random=options.get("random", False),
        seed=seed or 0,
    )


def puct(spec: Spec, game: Game, seed: int | None) -> SearchPlayer:
    """`puct:SIMS`: PUCT with an evaluator that needs no network."""
    return _with_evaluator(spec, game, seed, PUCT_OPTIONS)


def gumbel(spec: Spec, game: Game, seed: int | None) -> SearchPlayer:
    """`gumbel:SIMS`: Gumbel AlphaZero with an evaluator that needs no network."""
    return _with_evaluator(spec, game, seed, GUMBEL_OPTIONS)


def _with_evaluator(spec: Spec, game: Game, seed: int | None, readers: Mapping[str, Reader]) -> SearchPlayer:
    options = read_options(spec.text, spec.options, readers)
    if "rollouts" in options and options.get("evaluator") != "rollout":
        raise PlayerError(f"{shown(spec.text)}: rollouts are for evaluator=rollout")
    simulations = simulations_of(spec, options.get("time"))
    if "considered" in options:
        options["considered"] = min(options["considered"], game.num_actions)
    given = {name: options[option] for option, name in SETTING_NAMES.items() if option in options}
    settings = Settings(engine="gumbel" if spec.kind == "gumbel" else "puct", **given)

    def new_engine(trees: int) -> Engine:
        return Engine(game, _evaluator(game, options), settings, trees=trees, seed=seed or 0)

    return searching(
        new_engine, simulations, options.get("time"), temperature=temperature_of(options, game), seed=seed or 0
    )


def searching(
    new_engine: Callable[[int], Engine],
    simulations: int | None,
    time_limit_s: float | None,
    *,
    temperature: Temperature,
    seed: int,
) -> SearchPlayer:
    """A player for engines that are made for so many trees; it takes batches unless its time is limited."""
    if simulations is None or time_limit_s is not None:
        return SearchPlayer(new_engine(1), simulations, time_limit_s, temperature=temperature, seed=seed)
    return BatchSearchPlayer(new_engine, simulations, temperature=temperature, seed=seed)


SETTING_NAMES = {
    "c": "c_init",
    "fpu": "fpu",
    "leaves": "leaves",
    "noise": "noise",
    "considered": "max_considered",
    "solve": "solve",
    "turns": "turns",
    "memory": "memory_mb",
}
"""What an option is called among the settings of a search."""


def temperature_of(options: Mapping[str, Any], game: Game) -> Temperature:
    """What the options say of chance: for a whole game unless they tell for how many plies."""
    return Temperature(options.get("temperature", 0.0), options.get("temperature_plies", game.max_plies))


def _evaluator(game: Game, options: dict[str, Any]) -> Evaluator:
    """The same in every game, so that a recorded game can be played again."""
    if options.get("evaluator", "uniform") == "uniform":
        return UniformEvaluator(game)
    return RolloutEvaluator(game, rollouts=options.get("rollouts", 1))


def simulations_of(spec: Spec, time_limit_s: float | None) -> int | None:
    """How many simulations a spec asks for; none where it gives a time instead."""
    return _whole(spec, time_limit_s, "simulations", f"{spec.kind}:1000")


def _whole(spec: Spec, time_limit_s: float | None, what: str, example: str) -> int | None:
    if not spec.argument:
        if time_limit_s is None:
            examples = f"{example} or {spec.kind}?time=2s"
            raise PlayerError(f"{shown(spec.text)} needs a number of {what} or a time, as in {examples}")
        return None
    try:
        return count(spec.argument)
    except ValueError as error:
        raise PlayerError(f"{shown(spec.text)}: the number of {what} is {error}") from None
