"""The contract checker: plays random games of any game and verifies all that engines take for granted.

A user's own game is tested by one line: `def test_my_game(): meeple.check(game)`.
"""

from __future__ import annotations

import hashlib
import time
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from meeple.errors import RulesError
from meeple.games.game import Game, State
from meeple.games.rules import DRAWN, HEADER, HEURISTIC_LIMIT, PLIES, RESULT, TO_MOVE

GUARD = 64
"""Numbers behind every buffer that rules must leave alone."""
GUARD_WORD, GUARD_ACTION = np.uint64(0x5EED5EED5EED5EED), np.int32(-7)
SYMMETRIC_GAMES = 50


class Check(NamedTuple):
    """What was played without finding a fault."""

    games: int
    plies: int
    positions: int
    symmetries: int
    seconds: float


def check(game: Game, *, games: int = 2000, max_plies: int = 200_000, seed: int = 0) -> Check:
    """Play random games, fewer where they are long; RulesError at the first breach of the contract."""
    began = time.perf_counter()
    walker = _Walker(game, np.random.default_rng(seed))
    walker.check_tables()
    played = 0
    while played < games and (walker.plies < max_plies or played < SYMMETRIC_GAMES):
        actions = walker.play_one()
        if played < SYMMETRIC_GAMES:
            walker.check_symmetries(actions)
        played += 1
    return Check(played, walker.plies, len(walker.seen), len(game.symmetries), time.perf_counter() - began)


class _Walker:
    """Walks through random games on guarded buffers and remembers what each key stood for."""

    def __init__(self, game: Game, generator: np.random.Generator) -> None:
        self.game = game
        self.generator = generator
        self.plies = 0
        self.seen: dict[int, tuple[int, int, int, int | None, bytes]] = {}
        self._moves: list[str] = []
        self._state = np.full(game.num_words + GUARD, GUARD_WORD)
        self._actions = np.full(game.num_actions + GUARD, GUARD_ACTION)
        self._planes = np.full(int(np.prod(game.shape)) + GUARD, np.nan, np.float32)

    def fail(self, fault: str) -> NoReturn:
        """Say what is wrong and after which moves."""
        where = f" after {' '.join(self._moves)}" if self._moves else " at the start"
        raise RulesError(f"{self.game.name}{where}: {fault}")

    def check_tables(self) -> None:
        """The plain declarations: sites, views and symmetries have the right sizes and are permutations."""
        game, num_planes = self.game, int(np.prod(self.game.shape))
        for action, name in enumerate(game.names):
            if game.split(name) != [name] or game.action(name) != action or name.casefold() in game.skips:
                self.fail(f"the move {name!r} cannot be read back: a move is one word, and no word to skip a turn")
        sites = game.action_sites
        placed = sites[sites >= 0].tolist()
        fits = sites.shape == (game.num_actions,) and sites.min() >= -1
        if not fits or len(set(placed)) != len(placed):
            self.fail(f"action_sites must be {game.num_actions} different sites, or -1")
        if game.views.shape != (2, game.num_actions) or any(not _is_permutation(view) for view in game.views):
            self.fail(f"views must be two permutations of {game.num_actions} actions")
        for symmetry in game.symmetries:
            if len(symmetry.actions) != game.num_actions or not _is_permutation(symmetry.actions):
                self.fail(f"the symmetry {symmetry.name} is not a permutation of {game.num_actions} actions")
            if len(symmetry.planes) != num_planes or not _is_permutation(symmetry.planes):
                self.fail(f"the symmetry {symmetry.name} is not a permutation of {num_planes} numbers of the planes")
        if not game.symmetries or not all(_is_ascending(numbers) for numbers in game.symmetries[0][1:]):
            self.fail("the first symmetry must be the identity")

    def play_one(self) -> list[int]:
        """A random game to its end, checked at every ply; its actions."""
        state = self._start()
        played: list[int] = []
        while not state[RESULT]:
            legal = self._legal(state)
            if self.game.is_filling and set(legal) != set(range(self.game.num_actions)).difference(played):
                self.fail("is_filling promises that every action is legal until it is played")
            self._see(state, legal)
            self._check_heuristic(state)
            if len(played) == self.game.max_plies:
                self.fail(f"the game goes on after max_plies = {self.game.max_plies}")
            action = int(self.generator.choice(legal))
            played.append(action)
            self._play(state, action)
        self._see(state, ())
        self.game.pieces(state)
        self.plies += len(played)
        return played

    def check_symmetries(self, actions: list[int]) -> None:
        """Play the image of a game under every symmetry beside it: all that a player can see commutes."""
        for symmetry in self.game.symmetries[1:]:
            state, image = self._start().copy(), self._start().copy()
            for action in [*actions, None]:
                self._compare(symmetry.name, symmetry.actions, symmetry.planes, state, image)
                if action is not None:
                    self._play(state, action)
                    self.game.call("play", image, int(symmetry.actions[action]))

    def _compare(
        self, name: str, actions: NDArray[np.int32], planes: NDArray[np.int32], state: State, image: State
    ) -> None:
        fault = f"the symmetry {name} does not keep"
        if not np.array_equal(state[:HEADER], image[:HEADER]):
            self.fail(f"{fault} the player to move, the result and the plies: {state[:HEADER]}, {image[:HEADER]}")
        if not state[RESULT]:
            legal = sorted(int(actions[action]) for action in self._legal(state))
            if legal != list(self._legal(image)):
                self.fail(f"{fault} the legal moves: {self._names(legal)} should be {self._names(self._legal(image))}")
        margins = self._margin(state), self._margin(image)
        if margins[0] != margins[1]:
            self.fail(f"{fault} the margin: {margins[0]}, {margins[1]}")
        if not np.array_equal(self._observe(state)[planes], self._observe(image)):
            self.fail(f"{fault} what `observe` writes")

    def _start(self) -> State:
        self._moves = []
        state = self._state[: self.game.num_words]
        state[:] = 0
        self.game.call("setup", state)
        self._check_guard(self._state, GUARD_WORD, "setup", "state")
        if state[RESULT] or state[PLIES]:
            self.fail("setup must leave the result and the plies at 0")
        self._check_player(state)
        return state

    def _play(self, state: State, action: int) -> None:
        plies = int(state[PLIES])
        self.game.call("play", state, action)
        self._moves.append(self.game.names[action])
        self._check_guard(self._state, GUARD_WORD, "play", "state")
        self._check_player(state)
        if int(state[RESULT]) > DRAWN:
            self.fail(f"state[{RESULT}], the result, must be 0 to {DRAWN}, not {state[RESULT]}")
        if int(state[PLIES]) != plies + 1:
            self.fail(f"play must add 1 to state[{PLIES}], the plies: {plies} became {state[PLIES]}")

    def _check_player(self, state: State) -> None:
        if int(state[TO_MOVE]) > 1:
            self.fail(f"state[{TO_MOVE}], the player to move, must be 0 or 1, not {state[TO_MOVE]}")

    def _check_unchanged(self, rule: str, before: State, state: State) -> None:
        self._check_guard(self._state, GUARD_WORD, rule, "state")
        if not np.array_equal(before, state):
            self.fail(f"{rule} must not change the state")

    def _margin(self, state: State) -> int | None:
        if self.game.rules.margin is None:
            return None
        before = state.copy()
        margin = int(self.game.call("margin", state))
        self._check_unchanged("margin", before, state)
        return margin

    def _legal(self, state: State) -> tuple[int, ...]:
        before = state.copy()
        count = int(self.game.call("moves", state, self._actions[: self.game.num_actions]))
        self._check_guard(self._actions, GUARD_ACTION, "moves", "actions")
        legal = tuple(self._actions[: max(count, 0)].tolist())
        self._check_unchanged("moves", before, state)
        if not 1 <= count <= self.game.num_actions:
            self.fail(f"moves returned {count}; while the game goes on it must be 1 to {self.game.num_actions}")
        if legal[0] < 0 or legal[-1] >= self.game.num_actions or any(a >= b for a, b in pairwise(legal)):
            self.fail(f"actions must ascend from 0 to {self.game.num_actions - 1} at most: {list(legal)}")
        return legal

    def _observe(self, state: State) -> NDArray[np.float32]:
        planes = self._planes[: len(self._planes) - GUARD]
        planes[:] = np.nan
        before = state.copy()
        self.game.call("observe", state, planes)
        if not np.isnan(self._planes[-GUARD:]).all():
            self.fail("observe wrote beyond the end of the planes")
        self._check_unchanged("observe", before, state)
        unwritten = np.flatnonzero(~np.isfinite(planes))
        if len(unwritten):
            self.fail(f"observe left number {unwritten[0]} of the planes unwritten or not finite")
        return planes.copy()

    def _check_heuristic(self, state: State) -> None:
        before = state.copy()
        found = int(self.game.rules.heuristic(state))
        if abs(found) >= HEURISTIC_LIMIT:
            self.fail(f"heuristic must lie between -{HEURISTIC_LIMIT} and {HEURISTIC_LIMIT}, not be {found}")
        if not np.array_equal(before, state):
            self.fail("heuristic must not change the state")

    def _see(self, state: State, legal: tuple[int, ...]) -> None:
        """Compare with what the same key stood for before."""
        before = state.copy()
        key = int(self.game.call("key", state))
        if int(self.game.call("key", state.copy())) != key:
            self.fail("key gives different numbers for one state")
        self._check_unchanged("key", before, state)
        planes = hashlib.blake2b(self._observe(state).tobytes(), digest_size=16).digest()
        now = (int(state[TO_MOVE]), int(state[RESULT]), hash(legal), self._margin(state), planes)
        names = "player to move", "result", "legal moves", "margin", "planes"
        for what, old, new in zip(names, self.seen.setdefault(key, now), now, strict=True):
            if old != new:
                self.fail(f"the key {key:#x} had stood for a position with other {what}")

    def _check_guard(self, buffer: NDArray[np.generic], guard: np.generic, rule: str, what: str) -> None:
        if (buffer[-GUARD:] != guard).any():
            self.fail(f"{rule} wrote beyond the end of the {what}")

    def _names(self, actions: list[int] | tuple[int, ...]) -> str:
        return " ".join(self.game.names[action] for action in actions)


def _is_ascending(numbers: NDArray[np.int32]) -> bool:
    return np.array_equal(numbers, np.arange(len(numbers)))


def _is_permutation(numbers: NDArray[np.int32]) -> bool:
    return np.array_equal(np.sort(numbers), np.arange(len(numbers)))
