"""The rules contract: what a game is to everything else in the package, and a position of it as Python sees it.

Glossary, one word per concept, everywhere:

    game        the rules of one board game at one size
    state       a vector of uint64 words that holds everything the rules need to go on
    position    a state with its game, immutable, with moves by name
    player      0 (moves first) or 1; who moves next stands in the state and need not alternate
    action      a move as an integer, 0 to num_actions - 1
    move        a move as text
    ply         one move played, by either player
    result      how a game ended: in a state 0 going on, 1 first player won, 2 second player won, 3 drawn
    value       what a position is worth to the player to move, -1 to 1
    margin      the score difference, seen by the first player
    planes      what a network sees: float32, seen by the player to move
    cell        a place on the board, numbered by rows from the top left as it is drawn

Layout of a state:

    word    0          1        2              3 ...
          +----------+--------+--------------+----------------------------+
          | player   | result | plies played | the game's own: bitboards, |
          | to move  |        |              | or cells packed as it likes|
          +----------+--------+--------------+----------------------------+

The rules are four small functions that Numba compiles for fixed signatures, and three more that a game may have:

    setup(state)              write the starting position; the words arrive as zeros
    moves(state, actions)     write the legal actions, ascending; return how many
    play(state, action)       play a legal action and update the header
    observe(state, planes)    write every number of the planes, from the side of the player to move
    key(state)                a hash of all that matters for the rest of the game; else all words but the plies count
    margin(state)             the score difference, final or so far
    heuristic(state)          how good a position where the game goes on looks for the first player, between -10,000
                              and 10,000, which would be a sure win; else a hundred for each point of the margin, or 0

Engines see only the addresses of the compiled functions, so they are compiled once for all games.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meeple.errors import AmbiguousMoveError, IllegalMoveError, RulesError, UnreadableMoveError, nearest
from meeple.games.board import Board
from meeple.games.rules import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    HEADER,
    PLIES,
    RESULT,
    SECOND_WON,
    TO_MOVE,
    Addresses,
    Rules,
    addresses,
    compile_rules,
)
from meeple.games.symmetry import GROUPS, Symmetry, grid_symmetries

OUTCOMES = {GOING_ON: None, FIRST_WON: 1, SECOND_WON: -1, DRAWN: 0}

State = NDArray[np.uint64]


class Game:
    """A game at one size: its rules, and what they do not say (names, geometry, symmetries). It never changes.

    The defaults suit a placement game on a grid with one action for each cell, which needs only the four rules.

    name            as users type it, size included
    num_words       length of a state, header included
    shape           planes, rows and columns of what a network sees
    num_actions     one for each cell unless given
    max_plies       no game is longer; as many plies as actions unless given
    names           the move of each action; the cells' names, then `pass` for one action more, unless given
    compact         a regular expression of one move, where moves may be written without spaces
    skips           words for a turn that the rules skip by themselves: a reader may say them, nothing need
    board           geometry and style of the drawing
    pieces          what stands on each cell of a state: 0 nothing, 1 the first player's, 2 the second's;
                    the first plane holds the mover's and the second the opponent's unless given
    action_sites    for convolutional heads, where each action sits in a stack of boards of `shape`: an index
                    (channel, row, column) flattened, or -1 beside the board
    views           for each player, where each action stands in the policy of a network that sees that player's planes
    komi            what the second player gets on top of the margin when the game is scored
    is_filling      whether every action is legal from the start until either player has played it, as on a board that
                    fills up: random games then need the legal actions only once
    symmetries      the identity first; or the name of a group that moves planes and action sites alike
    """

    def __init__(
        self,
        name: str,
        *,
        setup: Callable[..., Any],
        moves: Callable[..., Any],
        play: Callable[..., Any],
        observe: Callable[..., Any],
        num_words: int,
        shape: tuple[int, int, int],
        key: Callable[..., Any] | None = None,
        margin: Callable[..., Any] | None = None,
        heuristic: Callable[..., Any] | None = None,
        num_actions: int | None = None,
        max_plies: int | None = None,
        names: Sequence[str] = (),
        compact: str = "",
        skips: Sequence[str] = (),
        board: Board | None = None,
        pieces: Callable[[State], ArrayLike] | None = None,
        action_sites: ArrayLike | None = None,
        views: Sequence[ArrayLike] | None = None,
        komi: float = 0.0,
        is_filling: bool = False,
        symmetries: Sequence[Symmetry] | str = "none",
    ) -> None:
        _check_sizes(name, num_words, shape, num_actions, max_plies)
        self.name = name
        self.num_words = num_words
        self.shape = shape
        self.board = board or Board(rows=shape[1], columns=shape[2])
        self.num_actions = num_actions or shape[1] * shape[2]
        self.max_plies = max_plies or self.num_actions
        self.names = tuple(names) or self._default_names()
        self.compact = re.compile(compact, re.IGNORECASE) if compact else None
        self._run = re.compile(f"(?:{compact})+", re.IGNORECASE)
        self.skips = frozenset(skips)
        self.komi = komi
        self.is_filling = is_filling
        self.action_sites = np.array(self._default_sites() if action_sites is None else action_sites, np.int32)
        self.views = np.array(views if views is not None else [range(self.num_actions)] * 2, np.int32)
        self.symmetries = self._find_symmetries(symmetries)
        self._functions = {
            "setup": setup, "moves": moves, "play": play, "observe": observe, "key": key, "margin": margin,
            "heuristic": heuristic,
        }  # fmt: skip
        self._pieces = pieces
        self._actions = self._index_names()
        for array in (self.action_sites, self.views, *(part for one in self.symmetries for part in one[1:])):
            array.setflags(write=False)

    def _default_names(self) -> tuple[str, ...]:
        cells = self.board.cell_names
        if self.num_actions == len(cells):
            return cells
        if self.num_actions == len(cells) + 1:
            return (*cells, "pass")
        return tuple(str(action) for action in range(self.num_actions))

    def _default_sites(self) -> list[int]:
        cells = self.shape[1] * self.shape[2]
        placing = self.num_actions in (cells, cells + 1)
        return [action if placing and action < cells else -1 for action in range(self.num_actions)]

    def _find_symmetries(self, symmetries: Sequence[Symmetry] | str) -> tuple[Symmetry, ...]:
        if not isinstance(symmetries, str):
            return tuple(symmetries)
        if symmetries not in GROUPS:
            raise RulesError(f"{self.name}: symmetries must be one of {', '.join(GROUPS)}, not {shown(symmetries)}")
        if symmetries != "none" and self.action_sites.max(initial=-1) < 0:
            raise RulesError(
                f"{self.name}: no action has a site for {symmetries} to move; give action_sites or symmetries"
            )
        return grid_symmetries(symmetries, self.shape, self.action_sites)

    def _index_names(self) -> dict[str, list[int]]:
        """The actions by name and by name in small letters."""
        if len(self.names) != self.num_actions or len(set(self.names)) != self.num_actions:
            raise RulesError(f"{self.name}: names must be {self.num_actions} different words, one for each action")
        if any(not name or name.split() != [name] for name in self.names):
            raise RulesError(f"{self.name}: names of moves must be words without spaces")
        found: dict[str, list[int]] = {}
        for action, name in enumerate(self.names):
            found.setdefault(name.casefold(), []).append(action)
        return found | {name: [action] for action, name in enumerate(self.names)}

    @cached_property
    def rules(self) -> Rules:
        """The compiled rules, to be called from Python; RulesError says which one is wrong and why."""
        return compile_rules(self.name, self._functions)

    @cached_property
    def addresses(self) -> Addresses:
        """Where the compiled rules are, for engines."""
        return addresses(self.rules)

    def start(self) -> Position:
        """The starting position."""
        state = np.zeros(self.num_words, np.uint64)
        self.call("setup", state)
        return Position(self, state)

    def call(self, rule: str, *arguments: Any) -> Any:
        """Call a rule; RulesError where a user's raises."""
        function = getattr(self.rules, rule)
        try:
            return function(*arguments)
        except Exception as error:
            raise RulesError(f"{self.name}: {rule} raised {type(error).__name__}: {error}") from error

    def read(self, text: str) -> Position:
        """The position after the moves of a text; a dash or nothing is the start."""
        return self.start().play_all(text)

    def split(self, text: str) -> list[str]:
        """A text of moves as single words: move numbers dropped, compact forms taken apart."""
        if text.strip() == "-":
            return []
        words = (re.sub(r"^\d+\.+", "", word) for word in text.split())
        moves: list[str] = []
        for word in filter(None, words):
            is_run = self.compact is not None and word not in self._actions and self._run.fullmatch(word)
            runs = self.compact.finditer(word) if self.compact and is_run else ()
            moves.extend([run.group() for run in runs] or [word])
        return moves

    def action(self, move: str) -> int:
        """The action that a text names; capitals do not matter where the name is clear without."""
        found = self._actions.get(move) or self._actions.get(move.casefold(), [])
        if len(found) > 1:
            choices = " or ".join(self.names[action] for action in found)
            raise AmbiguousMoveError(f"the move {shown(move)} could be {choices} in {self.name}")
        if not found:
            examples = f"{self.names[0]} or {self.names[-1]}"
            hint = nearest(move, self.names) or f"; moves look like {examples}"
            raise UnreadableMoveError(f"{shown(move)} is not a move of {self.name}{hint}")
        return found[0]

    def pieces(self, state: State) -> NDArray[np.int8]:
        """What stands on each cell of the board: 0 nothing, 1 the first player's, 2 the second player's."""
        if self._pieces is not None:
            return self._checked_pieces(state)
        if self.shape[0] < 2:
            raise RulesError(f"{self.name}: a game with one plane needs `pieces` to say what stands where")
        planes = np.empty(int(np.prod(self.shape)), np.float32)
        self.call("observe", state, planes)
        mover, opponent = planes.reshape(self.shape[0], -1)[:2] > 0.5
        player = int(state[TO_MOVE])
        return np.asarray(mover * (1 + player) + opponent * (2 - player), np.int8)

    def _checked_pieces(self, state: State) -> NDArray[np.int8]:
        assert self._pieces is not None
        try:
            found = np.asarray(self._pieces(state), np.int8)
        except Exception as error:
            raise RulesError(f"{self.name}: pieces raised {type(error).__name__}: {error}") from error
        cells = self.board.rows * self.board.columns
        if found.shape != (cells,) or not np.isin(found, (0, 1, 2)).all():
            raise RulesError(f"{self.name}: pieces must give {cells} numbers, each 0, 1 or 2")
        return found

    def __repr__(self) -> str:
        return f"<Game {self.name}>"


class Position:
    """A state of a game, and how it was reached. It never changes: `play` gives a new one."""

    __slots__ = ("_actions", "_state", "action", "game", "previous")

    def __init__(self, game: Game, state: State, previous: Position | None = None, action: int | None = None) -> None:
        self.game = game
        self.previous = previous
        """The position before the last move; None at the start."""
        self.action = action
        """The action that led here; None at the start."""
        self._state = state
        self._actions: tuple[int, ...] | None = None

    @property
    def state(self) -> State:
        """The words of the state, as a copy."""
        return self._state.copy()

    @property
    def to_move(self) -> int:
        """The player to move, 0 or 1."""
        return int(self._state[TO_MOVE])

    @property
    def result(self) -> int | None:
        """None while the game goes on; then 1, -1 or 0 from the first player's view."""
        code = int(self._state[RESULT])
        if code not in OUTCOMES:
            raise RulesError(f"{self.game.name}: state[{RESULT}], the result, must be 0 to {DRAWN}, not {code}")
        return OUTCOMES[code]

    @property
    def plies(self) -> int:
        """How many moves were played."""
        return int(self._state[PLIES])

    @property
    def actions(self) -> tuple[int, ...]:
        """The legal actions, ascending; none when the game is over."""
        if self._actions is None:
            buffer = np.empty(self.game.num_actions, np.int32)
            count = 0 if self.result is not None else self.game.call("moves", self._state, buffer)
            if count == 0 and self.result is None:
                raise RulesError(f"{self.game.name}: moves gives no action after {_plies(self.plies)}, and no result")
            self._actions = tuple(buffer[:count].tolist())
        return self._actions

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves by name."""
        return tuple(self.game.names[action] for action in self.actions)

    @property
    def margin(self) -> int | None:
        """The score difference so far, seen by the first player; None in a game without scores."""
        return None if self.game.rules.margin is None else int(self.game.call("margin", self._state))

    @property
    def key(self) -> int:
        """A 64-bit hash of all that matters for the rest of the game."""
        return int(self.game.call("key", self._state))

    @property
    def planes(self) -> NDArray[np.float32]:
        """What a network sees, in the game's shape, from the side of the player to move."""
        planes = np.empty(int(np.prod(self.game.shape)), np.float32)
        self.game.call("observe", self._state, planes)
        return planes.reshape(self.game.shape)

    @property
    def history(self) -> tuple[str, ...]:
        """The moves that led here."""
        moves: list[str] = []
        position: Position | None = self
        while position is not None and position.action is not None:
            moves.append(self.game.names[position.action])
            position = position.previous
        return tuple(reversed(moves))

    def play(self, move: str) -> Position:
        """The position after a move by name."""
        return self.play_action(self.game.action(move))

    def play_action(self, action: int) -> Position:
        """The position after a legal action."""
        if action not in self.actions:
            raise IllegalMoveError(self._why_illegal(action))
        if self.plies >= self.game.max_plies:
            raise RulesError(f"{self.game.name} goes on after its max_plies, {self.game.max_plies}")
        state = self._state.copy()
        self.game.call("play", state, action)
        return Position(self.game, state, self, action)

    def play_all(self, text: str) -> Position:
        """The position after the moves of a text, separated by spaces or in the game's compact form."""
        position, is_told = self, False
        for move in self.game.split(text):
            is_told = position._is_skip(move, is_told)
            position = position if is_told else position.play(move)
        return position

    def _is_skip(self, word: str, is_told: bool) -> bool:
        """Whether the word only tells, for the first time, that the rules had skipped the opponent's turn."""
        if word.casefold() not in self.game.skips:
            return False
        was_skipped = self.previous is not None and self.previous.to_move == self.to_move and self.result is None
        if is_told or not was_skipped:
            raise IllegalMoveError(f"{shown(word)} is illegal after {_plies(self.plies)}: nobody has to pass")
        return True

    def _why_illegal(self, action: int) -> str:
        name = self.game.names[action] if 0 <= action < self.game.num_actions else str(action)
        where = f"after {_plies(self.plies)} of {self.game.name}"
        if self.result is not None:
            return f"{name} is illegal {where}: the game is over"
        legal = self.moves if len(self.moves) <= 12 else (*self.moves[:11], "…")
        return f"{name} is illegal {where}; legal are {' '.join(legal)}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game is other.game and np.array_equal(self._state, other._state)

    def __hash__(self) -> int:
        return hash(self._state.tobytes())

    def __str__(self) -> str:
        return str(_drawings("drawing").text(self))

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return str(_drawings("svg").svg(self))

    def __repr__(self) -> str:
        return f"<Position of {self.game.name} after {' '.join(self.history) or 'no move'}>"


def _drawings(module: str) -> Any:
    """A module that draws; those stand above this one and are asked for by name."""
    return import_module(f"meeple.games.{module}")


def shown(text: str, length: int = 32) -> str:
    """A stranger's text in an error: quoted, on one line, and short."""
    return repr(text if len(text) <= length else text[: length - 1] + "…")


def _plies(number: int) -> str:
    return f"{number} {'ply' if number == 1 else 'plies'}"


def _check_sizes(
    name: str, num_words: int, shape: tuple[int, int, int], num_actions: int | None, max_plies: int | None
) -> None:
    if len(shape) != 3 or min(shape) < 1:
        raise RulesError(f"{name}: shape must be (planes, rows, columns), all at least 1, not {shape}")
    if num_words <= HEADER:
        raise RulesError(f"{name}: num_words must be more than the header's {HEADER}, not {num_words}")
    if num_actions is not None and num_actions < 1:
        raise RulesError(f"{name}: num_actions must be at least 1, not {num_actions}")
    if max_plies is not None and max_plies < 1:
        raise RulesError(f"{name}: max_plies must be at least 1, not {max_plies}")
