"""OpenSpiel's twins of our games: the same game as an independent implementation plays it, asked in our terms.

Marc Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019, arXiv:1908.09453.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from meeple.errors import IllegalMoveError, PlayerError
from meeple.games.game import Game

MEMORY_MB = 256
NO_ACTION = -1
"""In a numbering, for an action of theirs that ours has not."""

Numbering = Callable[[Game, int], list[int]]
"""For each of their actions, given how many there are, the action that it is in our game."""


def _same(game: Game, count: int) -> list[int]:
    return [action if action < game.num_actions else NO_ACTION for action in range(count)]


def _rows_from_below(game: Game, count: int) -> list[int]:
    cells = np.arange(game.board.rows * game.board.columns).reshape(game.board.rows, -1)
    return [*cells[::-1].ravel().tolist(), *range(cells.size, count)]


def _steps(game: Game, count: int) -> list[int]:
    rows, columns = game.board.rows, game.board.columns
    names = np.array(game.board.cell_names).reshape(rows, columns)[::-1]
    actions = {name: action for action, name in enumerate(game.names)}
    numbering = []
    for theirs in range(count):
        row, column, direction, _is_capture = (int(part) for part in np.unravel_index(theirs, (rows, columns, 6, 2)))
        to_row, to_column = row + (1 if direction < 3 else -1), column + direction % 3 - 1
        is_inside = 0 <= to_row < rows and 0 <= to_column < columns
        move = names[row, column] + names[to_row, to_column] if is_inside else ""
        numbering.append(actions.get(move, NO_ACTION))
    return numbering


def _utility(twin: Twin) -> int | None:
    return int(twin.state.returns()[0]) if twin.result is not None else None


def _discs(twin: Twin) -> int | None:
    """The margin as ours has it: at the end, empty cells belong to the winner."""
    board = str(twin.state).partition("\n")[2]
    empty = board.count("-") * (twin.result or 0)
    return board.count("x") - board.count("o") + empty


def _area(twin: Twin) -> int | None:
    """The margin on the board: with less komi the first player would have won, with more the second."""
    if twin.result is None or twin.is_repetition:
        return None
    cells = twin.game.board.rows * twin.game.board.columns
    low, high = -cells, cells
    while low < high:
        middle = (low + high) // 2
        if _replay(twin, komi=middle + 0.5).returns()[0] > 0:
            low = middle + 1
        else:
            high = middle
    return low


def _replay(twin: Twin, **changed: float) -> Any:
    """Their state after the same moves with another komi or another limit of plies."""
    state = _load(_load_string(twin.game, **changed)).new_initial_state()
    for action in twin.state.history():
        state.apply_action(action)
    return state


@dataclass(frozen=True)
class Pairing:
    """What OpenSpiel calls one of our games, how it numbers the actions, and what it defines differently."""

    load: str
    """Its load string; the names in braces are those of `_fields`."""
    differs: str = "Nothing differs."
    numbering: Numbering = _same
    margin: Callable[[Twin], int | None] = lambda twin: None
    """The score difference where it can be had from their state, else None."""
    options: Mapping[str, bool | float] = field(default_factory=dict)
    """Those options of our name that theirs has too, with their values when they are left out."""
    size: tuple[int, int] | None = None
    """Rows and columns, where it knows only these."""
    has_repetition: bool = False
    """Whether a position that comes again ends its game."""


PAIRINGS = {
    "tictactoe": Pairing("tic_tac_toe"),
    "mnk": Pairing("mnk(m={columns},n={rows},k={length})", "Longer lines win too, so the exact game has no twin."),
    "gomoku": Pairing("gomoku(size={rows})", "Longer lines win too, so the exact game has no twin."),
    "connect4": Pairing("connect_four(rows={rows},columns={columns})"),
    "hex": Pairing("hex(board_size={rows},swap={swap})", options={"swap": False}),
    "othello": Pairing(
        "othello",
        "A player who cannot move passes by an action, 64, which ours leaves out; empty cells at the end count for "
        "nobody, where ours go to the winner; it plays on 8 x 8 alone.",
        margin=_discs,
        size=(8, 8),
    ),
    "dots": Pairing(
        "dots_and_boxes(num_rows={rows},num_cols={columns},utility_margin=True)",
        "The score is told at the end only.",
        margin=_utility,
    ),
    "go": Pairing(
        "go(board_size={rows},komi={komi},max_game_length={plies})",
        "Rows are counted from below; a stone that brings back an earlier position ends the game as a draw, where ours "
        "goes on; suicide is never allowed. The plies after which a game is scored as it stands are set to ours.",
        numbering=_rows_from_below,
        margin=_area,
        options={"komi": 7.5},
        has_repetition=True,
    ),
    "breakthrough": Pairing(
        "breakthrough(rows={rows},columns={columns})",
        "The first player starts at the top; a capture is another action than the same step to an empty cell.",
        numbering=_steps,
    ),
}


class Twin:
    """OpenSpiel's game beside one of ours: it walks along by our actions and answers in our terms."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.pairing = _pairing(game)
        self.peer = _load(_load_string(game))
        """The game as OpenSpiel has it."""
        self._numbering = self.pairing.numbering(game, self.peer.num_distinct_actions())
        self.start()

    def start(self) -> None:
        """Go back to the starting position."""
        self.state = self.peer.new_initial_state()
        self._find_actions()

    def play(self, action: int) -> None:
        """Play one of our actions."""
        if action not in self._legal:
            raise IllegalMoveError(f"OpenSpiel does not allow {self.game.names[action]} in {self.game.name}")
        self.state.apply_action(self._legal[action])
        self._find_actions()

    def _find_actions(self) -> None:
        """Match their legal actions with ours, after those turns that ours skips by itself."""
        legal = self.state.legal_actions()
        while len(legal) == 1 and self._numbering[legal[0]] == NO_ACTION:
            self.state.apply_action(legal[0])
            legal = self.state.legal_actions()
        self._legal = {self._numbering[theirs]: theirs for theirs in legal}

    def ours(self, theirs: int) -> int:
        """Our action for one of theirs."""
        return self._numbering[theirs]

    @property
    def actions(self) -> tuple[int, ...]:
        """The legal actions, ascending; none when the game is over."""
        return tuple(sorted(self._legal))

    @property
    def to_move(self) -> int:
        """The player to move, 0 or 1, while the game goes on."""
        return int(self.state.current_player())

    @property
    def result(self) -> int | None:
        """None while the game goes on; then 1, -1 or 0 from the first player's view."""
        return int(np.sign(self.state.returns()[0])) if self.state.is_terminal() else None

    @property
    def margin(self) -> int | None:
        """The score difference, seen by the first player; None where their state does not tell."""
        return self.pairing.margin(self)

    @property
    def is_repetition(self) -> bool:
        """Whether their game is over, and drawn, because a position came again; ours need not be."""
        if not self.pairing.has_repetition or not self.state.is_terminal():
            return False
        is_pass = self._numbering[self.state.history()[-1]] == self.game.num_actions - 1
        return not is_pass and bool(_replay(self, plies=self.game.max_plies + 1).is_terminal())


def best_action(twin: Twin, simulations: int, exploration: float, seed: int) -> int:
    """The action that OpenSpiel's C++ search with rollouts chooses where the twin stands."""
    pyspiel = _pyspiel()
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(twin.peer, evaluator, exploration, simulations, MEMORY_MB, True, seed, False)
    return twin.ours(bot.step(twin.state))


def random_games(twin: Twin, games: int, seed: int) -> float:
    """Play random games from the start in their C++; gives the mean of what the first player got.

    Their tree search evaluates the root by that many rollouts and, after its one simulation, does nothing else.
    """
    pyspiel = _pyspiel()
    evaluator = pyspiel.RandomRolloutEvaluator(games, seed)
    bot = pyspiel.MCTSBot(twin.peer, evaluator, 1.4, 1, 100, False, seed, False)
    return float(bot.mcts_search(twin.peer.new_initial_state()).total_reward)


def _pairing(game: Game) -> Pairing:
    family, _size, options = _name_parts(game)
    pairing = PAIRINGS.get(family)
    if pairing is None or not options.keys() <= pairing.options.keys():
        raise PlayerError(f"OpenSpiel has no twin of {game.name}; it has those of {', '.join(PAIRINGS)}")
    if pairing.size not in (None, (game.board.rows, game.board.columns)):
        raise PlayerError(f"OpenSpiel has no twin of {game.name}: {pairing.differs}")
    return pairing


def _name_parts(game: Game) -> tuple[str, str, dict[str, str]]:
    name, _, options = game.name.partition("?")
    family, _, size = name.partition(":")
    return family, size, dict(parse_qsl(options))


def _load_string(game: Game, **changed: float) -> str:
    pairing = _pairing(game)
    return pairing.load.format(**_fields(game, pairing) | changed)


def _fields(game: Game, pairing: Pairing) -> dict[str, Any]:
    """What a load string may name."""
    _family, size, given = _name_parts(game)
    # OpenSpiel tells apart 7 and 7.0, True and 1.
    options = {name: type(value)(float(given.get(name, value))) for name, value in pairing.options.items()}
    sizes = {"rows": game.board.rows, "columns": game.board.columns, "plies": game.max_plies}
    return {**sizes, "length": size.split("x")[-1], **options}


@lru_cache(maxsize=256)
def _load(name: str) -> Any:
    return _pyspiel().load_game(name)


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError as error:
        raise PlayerError("open_spiel is not installed; pip install meeple[bridges]") from error
    return pyspiel
