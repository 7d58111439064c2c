"""Speed beside other systems, measured in one process so that only ratios matter.

Ours and the peer take turns for several rounds, and each one's best round counts: on a noisy machine that is what it
can do. benchmarks/README.md says how each peer is made comparable.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Literal, NamedTuple

from meeple.bridges import pgx
from meeple.bridges.openspiel import Twin, random_games
from meeple.bridges.openspiel_search import python_search, rollout_search
from meeple.bridges.signature import count_nodes
from meeple.errors import MeepleError, PlayerError, nearest
from meeple.games.game import Game
from meeple.games.registry import game as load_game
from meeple.search import playouts
from meeple.search.engine import Engine
from meeple.search.evaluator import UniformEvaluator
from meeple.search.settings import Settings
from meeple.search.uct import Uct

ROUNDS = 5
ROUND_S = 0.25

PLAYOUT_GAMES = (
    "tictactoe", "gomoku:15", "connect4", "othello", "hex:6", "hex:8", "hex:11", "go:5", "go:9", "dots:2", "dots:3",
)  # fmt: skip
ROLLOUT_GAMES = ("tictactoe", "connect4", "hex:6", "hex:8", "dots:3", "othello", "gomoku:15", "mnk:15x15x5")
THREAD_GAMES = ("connect4", "hex:8", "othello")
PYTHON_GAMES = ("connect4", "othello", "hex:11")

SIMULATIONS = 20_000
"""Of a search with rollouts."""
FEWER_SIMULATIONS = {"mnk:15x15x5": 500}
"""For OpenSpiel where it is so slow that more would take minutes."""
THREAD_SIMULATIONS = 400_000
ENOUGH_PROCESSORS = 1.8
"""With less than that, two threads cannot show what they can do, and a note says so."""
TREES, TREE_SIMULATIONS, MCTX_SIMULATIONS = 64, 64, 32

Side = Callable[[int], int]
"""Does a job so many times; gives how many simulations or games that were."""


class Row(NamedTuple):
    """One measurement."""

    name: str
    ours: float
    peer: float | None
    ratio: float | None
    unit: str
    peer_name: str
    note: str


def measure(names: list[str]) -> Iterator[Row]:
    """Measure what is named, everything unless something is; `playouts`, `tree/puct` or `playouts/connect4`."""
    known = _known()
    chosen = []
    for name in names or known:
        found = [full for full in known if full == name or full.startswith(f"{name}/")]
        if not found:
            groups = dict.fromkeys(full.partition("/")[0] for full in known)
            raise MeepleError(f"nothing to measure is called {name!r}{nearest(name, [*known, *groups])}")
        chosen += found
    for name in chosen:
        yield known[name](name)


def rates(ours: Side, peer: Side | None) -> tuple[float, float | None]:
    """How many a second each does, best of several rounds in turns."""
    sides = [side for side in (ours, peer) if side is not None]
    counts, best = [_fitting(side) for side in sides], [0.0] * len(sides)
    for _ in range(ROUNDS):
        for index, side in enumerate(sides):
            began = time.perf_counter()
            done = side(counts[index])
            best[index] = max(best[index], done / (time.perf_counter() - began))
    return best[0], best[1] if len(best) > 1 else None


def _fitting(side: Side) -> int:
    """How many fill a round; the first call also compiles."""
    side(1)
    count = 1
    while True:
        began = time.perf_counter()
        side(count)
        seconds = time.perf_counter() - began
        if seconds > ROUND_S / 4:
            return max(1, round(count * ROUND_S / seconds))
        count *= 4


def _known() -> dict[str, Callable[[str], Row]]:
    """What can be measured, in the order of the table."""
    return {
        **{f"playouts/{game}": partial(_playouts, game) for game in PLAYOUT_GAMES},
        **{f"rollouts/{game}": partial(_rollouts, game) for game in ROLLOUT_GAMES},
        **{f"threads/{game}": partial(_threads, game) for game in THREAD_GAMES},
        **{f"tree/gumbel/{game}": partial(_tree, "gumbel", game) for game in pgx.NAMES},
        **{f"tree/puct/{game}": partial(_tree, "puct", game) for game in pgx.NAMES},
        **{f"tree/python/{game}": partial(_python, game) for game in PYTHON_GAMES},
        "signature": _signature,
    }


def _playouts(game_name: str, name: str) -> Row:
    """Random games a second from the start, one thread."""
    game = load_game(game_name)

    def ours(games: int) -> int:
        playouts.random_games(game, games, seed=1)
        return games

    def theirs(twin: Twin, games: int) -> int:
        random_games(twin, games, seed=1)
        return games

    peer, note = _with_twin(theirs, game)
    return _row(name, rates(ours, peer), "games/s", "OpenSpiel's random rollouts", note)


def _rollouts(game_name: str, name: str) -> Row:
    """Simulations of UCT with random rollouts, one thread."""
    game = load_game(game_name)
    simulations = FEWER_SIMULATIONS.get(game_name, SIMULATIONS)

    def theirs(twin: Twin, searches: int) -> int:
        return sum(rollout_search(twin, simulations, seed) for seed in range(searches))

    peer, note = _with_twin(theirs, game)
    return _row(name, rates(_uct(game, 1, SIMULATIONS), peer), "rollouts/s", "OpenSpiel's C++ MCTSBot", note)


def _threads(game_name: str, name: str) -> Row:
    """The same search by two threads and by one."""
    game = load_game(game_name)
    both, processors = _uct(game, 2, THREAD_SIMULATIONS), 0.0

    def two(searches: int) -> int:
        nonlocal processors
        began, used = time.perf_counter(), time.process_time()
        done = both(searches)
        processors = max(processors, (time.process_time() - used) / (time.perf_counter() - began))
        return done

    pair = rates(two, _uct(game, 1, THREAD_SIMULATIONS))
    note = "" if processors > ENOUGH_PROCESSORS else f"{name}: both threads together had {processors:.1f} processors"
    return _row(name, pair, "rollouts/s", "one thread", note)


def _tree(engine: Literal["gumbel", "puct"], game_name: str, name: str) -> Row:
    """Simulations with an evaluator that knows nothing, many trees at once, one core."""
    with pgx.one_core():
        peer, note = None, ""
        try:
            search = _mctx(game_name)
            peer = lambda searches: sum(search() for _ in range(searches))  # noqa: E731  a name would say no more
        except PlayerError as error:
            note = str(error)
        pair = rates(_forest(game_name, engine), peer)
    return _row(name, pair, "simulations/s", "mctx + pgx, Gumbel", note)


def _python(game_name: str, name: str) -> Row:
    """The same beside a search in Python over states in C++."""

    def theirs(twin: Twin, searches: int) -> int:
        return sum(python_search(twin, TREE_SIMULATIONS) for _ in range(searches))

    peer, note = _with_twin(theirs, load_game(game_name))
    return _row(name, rates(_forest(game_name, "puct"), peer), "simulations/s", "OpenSpiel's Python MCTS", note)


def _signature(name: str) -> Row:
    """How many nodes fixed searches make: no speed, but a number that moves with what a search does."""
    return _row(name, (count_nodes(), None), "nodes", "", "")


def _row(name: str, pair: tuple[float, float | None], unit: str, peer_name: str, note: str) -> Row:
    ours, theirs = pair
    return Row(name, ours, theirs, theirs and ours / theirs, unit, peer_name, note)


def _with_twin(search: Callable[[Twin, int], int], game: Game) -> tuple[Side | None, str]:
    """A peer that needs OpenSpiel's twin of a game, or what to say where there is none."""
    try:
        return partial(search, Twin(game)), ""
    except PlayerError as error:
        return None, str(error)


def _uct(game: Game, threads: int, simulations: int) -> Side:
    engine, start = Uct(game, threads=threads), game.start()

    def search(searches: int) -> int:
        done = 0
        for seed in range(searches):
            engine.begin(seed)
            done += engine.analyse(start, simulations=simulations).simulations
        return done

    return search


def _forest(game_name: str, engine: Literal["gumbel", "puct"]) -> Side:
    game = load_game(game_name)
    settings = Settings(engine=engine, solve=False)
    searched, starts = Engine(game, UniformEvaluator(game), settings, trees=TREES), [game.start()] * TREES

    def search(searches: int) -> int:
        done = 0
        for _ in range(searches):
            searched.forget()
            done += int(searched.grow(starts, TREE_SIMULATIONS).sum())
        return done

    return search


@lru_cache
def _mctx(game_name: str) -> Callable[[], int]:
    return pgx.gumbel_search(game_name, TREES, MCTX_SIMULATIONS)
