"""Alpha-beta with iterative deepening, a transposition table, and exact values where the game ends (Knuth, Moore 1975).

Every value is the first player's: they maximise, the second player minimises, whoever moved before, so that extra turns
need no thought. A win is worth WIN less the plies to it: of two wins the quicker is better, of two losses the slower.

The search is one loop over a stack of positions that lie in arrays, and may stop between any two positions and go on
later: Python looks at the clock and at Ctrl-C there. A value is *sure* when no position behind it was judged by the
heuristic.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numba import types

from meeple.errors import MeepleError
from meeple.games.game import Game, Position
from meeple.games.rules import HEURISTIC_LIMIT, RESULT, TO_MOVE
from meeple.kernel import (
    ACTIONS,
    COUNTS,
    WORDS,
    Actions,
    Counts,
    Int,
    Words,
    as_heuristic,
    as_key,
    as_moves,
    as_play,
    borrow,
    copy,
    jit,
)
from meeple.search.transpositions import (
    EXACT,
    LOWER,
    UPPER,
    action_of,
    bound_of,
    is_sure_entry,
    new_table,
    plies_of,
    probe,
    store,
    table_key,
    value_of,
)

WIN = 1_000_000
MAX_DEPTH = 1000
SURE_WIN = WIN - MAX_DEPTH - 1
"""Values as far from 0 as that are won by force."""
INFINITE = WIN + 1
CHUNK = 100_000
"""So many moves are played between two looks at the clock."""

# A frame has what the search knows of one position on its stack; `registers` has the ply it stands at, its value,
# how many positions it looked at, and how many moves it only tried out.
ALPHA, BETA, LOW, HIGH, BEST, BEST_ACTION, COUNT, NEXT, UNSURE, FRAME = range(10)
PLY, NODES, VALUE, IS_UNSURE, TRIED, NUM_REGISTERS = range(6)
FROM_TABLE, KILLER = 1 << 40, 1 << 30
MAX_HISTORY = 1 << 12


class Work(NamedTuple):
    """The memory of a search; P is the deepest ply and one more."""

    states: Words
    """P * words of a state: the positions from the root to where the search stands."""
    frames: Counts
    """P * FRAME."""
    actions: Actions
    """P * num_actions: the moves of each position."""
    scores: Counts
    """P * num_actions: how promising they look."""
    killers: Actions
    """P * 2: the last two moves at a ply that made the rest needless."""
    history: Counts
    """2 * num_actions: how often a player's move did that anywhere, near the root counting more."""
    table: Words
    registers: Counts


WORK = types.NamedTuple((WORDS, COUNTS, ACTIONS, COUNTS, ACTIONS, COUNTS, WORDS, COUNTS), Work)


class MoveValue(NamedTuple):
    """What a move is worth to the player who makes it."""

    value: float
    """-1 to 1."""
    proven: bool
    plies: int | None
    """How many plies, this one included, to the end of a game that is won or lost by force; else None."""


class Verdict(NamedTuple):
    """What alpha-beta found out about a position; values are the player's to move."""

    move: str
    value: float
    """-1 to 1; exactly -1, 0 or 1 where it is proven."""
    proven: bool
    """Whether the value is the truth, whatever the heuristic thinks."""
    plies: int | None
    """How many plies to the end where the game is won or lost by force: the quickest win, the slowest loss."""
    depth: int
    """How many plies deep everything was searched."""
    line: tuple[str, ...]
    """The moves that both sides do best with, as far as the table remembers them."""
    nodes: int
    """How many positions were looked at."""
    seconds: float
    moves: Mapping[str, MoveValue]
    """The value of every move, where asked for."""


def alphabeta(
    position: Position,
    *,
    depth: int = MAX_DEPTH,
    time_limit_s: float | None = None,
    node_limit: int | None = None,
    table_mb: int = 64,
    all_moves: bool = False,
    chance: Random | None = None,
) -> Verdict:
    """The best move of a position, searched to a depth in plies, or less deep where a limit or a proof ends it.

    The first of equally good moves; with a `chance`, any of them. Depth 1 is always finished; a depth that a limit
    interrupts does not count. The table takes `table_mb` megabytes at most, and everything else a few.
    """
    if position.result is not None:
        raise MeepleError(f"there is nothing to search: the game of {position.game.name} is over")
    if depth < 1 or table_mb < 1:
        raise MeepleError(f"depth and table_mb must be at least 1, not {depth} and {table_mb}")
    limits = _Limits(None if time_limit_s is None else time.perf_counter() + time_limit_s, node_limit)
    depth = max(1, min(depth, MAX_DEPTH, position.game.max_plies - position.plies))
    return _Search(position, depth, limits, _work(position.game, depth, table_mb), all_moves, chance).run()


class _Limits(NamedTuple):
    """When to stop: a reading of the clock, and a number of nodes."""

    deadline: float | None
    nodes: int | None

    def are_reached(self, nodes: int) -> bool:
        """Whether it is time to stop."""
        late = self.deadline is not None and time.perf_counter() >= self.deadline
        return late or (self.nodes is not None and nodes >= self.nodes)


class _Search:
    """One search from a root; values and windows are those of the player to move there."""

    def __init__(
        self, position: Position, depth: int, limits: _Limits, work: Work, all_moves: bool, chance: Random | None
    ) -> None:
        self.began = time.perf_counter()
        self.position, self.depth, self.limits, self.work = position, depth, limits, work
        self.all_moves, self.chance = all_moves, chance
        self.sign = 1 - 2 * position.to_move

    def run(self) -> Verdict:
        """Search deeper and deeper."""
        order, reached = list(self.position.actions), 0
        found: dict[int, tuple[int, bool]] = {}
        for depth in range(1, self.depth + 1):
            latest = self._search_root(order, depth, found if self.all_moves else {})
            if latest is None:
                break
            found, reached = latest, depth
            order.sort(key=lambda action: (-found[action][0], action))  # stays for the next depth
            if self._is_settled(found):
                break
            self.work.history[:] >>= 3
        return self._analysis(found, reached)

    def _search_root(
        self, order: list[int], depth: int, known: Mapping[int, tuple[int, bool]]
    ) -> dict[int, tuple[int, bool]] | None:
        """The value of every move and whether it is sure; None if a limit ended it before.

        Unless all are wanted, a move that cannot be best has a bound for its value.
        """
        found: dict[int, tuple[int, bool]] = {}
        best, best_action = -INFINITE, -1
        for action in order:
            alpha = -INFINITE
            if not self.all_moves and best_action >= 0:
                alpha = best - 1 if action < best_action or self.chance else best
            settled = known.get(action)
            latest = settled if settled and settled[1] else self._search_move(action, depth, alpha)
            if latest is None:
                return None
            found[action] = latest
            if latest[0] > best or (latest[0] == best and action < best_action):
                best, best_action = latest[0], action
        return found

    def _search_move(self, action: int, depth: int, alpha: int) -> tuple[int, bool] | None:
        work, game = self.work, self.position.game
        state = self.position.state
        game.rules.play(state, action)
        work.states[game.num_words : 2 * game.num_words] = state
        low, high = (alpha, INFINITE) if self.sign > 0 else (-INFINITE, -alpha)
        work.frames[FRAME + ALPHA], work.frames[FRAME + BETA] = low, high
        work.registers[PLY] = 1
        rules = game.addresses
        while not _search(rules.moves, rules.play, rules.key, rules.heuristic, depth, CHUNK, work):
            if depth > 1 and self._is_out():
                return None
        if depth > 1 and self._is_out():
            return None
        return self.sign * int(work.registers[VALUE]), not work.registers[IS_UNSURE]

    def _is_out(self) -> bool:
        return self.limits.are_reached(int(self.work.registers[NODES]))

    def _is_settled(self, found: Mapping[int, tuple[int, bool]]) -> bool:
        """Whether going deeper would change nothing: the win is found, or every value is sure."""
        if not self.all_moves and max(found.values())[0] >= SURE_WIN:
            return True
        return all(is_sure for _, is_sure in found.values())

    def _analysis(self, found: Mapping[int, tuple[int, bool]], depth: int) -> Verdict:
        game = self.position.game
        value = max(found.values())[0]
        best_actions = sorted(action for action in found if found[action][0] == value)
        action = self.chance.choice(best_actions) if self.chance else best_actions[0]
        is_proven = value >= SURE_WIN or all(is_sure for _, is_sure in found.values())
        best = _move_value(value, is_proven)
        moves = {}
        if self.all_moves:
            moves = {game.names[action]: _move_value(*found[action]) for action in sorted(found)}
        return Verdict(
            game.names[action],
            best.value,
            best.proven,
            best.plies,
            depth,
            self._line(action, depth, best.plies if best.proven else None),
            int(self.work.registers[NODES]),
            time.perf_counter() - self.began,
            MappingProxyType(moves),
        )

    def _line(self, action: int, depth: int, plies: int | None) -> tuple[str, ...]:
        """The best moves that the table knows from a first move on; each is checked to be legal."""
        position = self.position.play_action(action)
        line = [position.game.names[action]]
        while position.result is None and len(line) < (plies or depth):
            entry = int(probe(self.work.table, table_key(position.state, np.uint64(position.key))))
            action, value = action_of(entry), value_of(entry)
            is_best = bound_of(entry) == EXACT or abs(value) >= SURE_WIN
            if not entry or not is_best or action not in position.actions:
                break
            position = position.play_action(action)
            line.append(position.game.names[action])
        return tuple(line)


def _move_value(value: int, is_proven: bool) -> MoveValue:
    if abs(value) >= SURE_WIN:
        return MoveValue(1.0 if value > 0 else -1.0, True, WIN - abs(value))
    return MoveValue(0.0 if is_proven else value / HEURISTIC_LIMIT, is_proven, None)


def _work(game: Game, depth: int, table_mb: int) -> Work:
    plies = depth + 2
    return Work(
        np.zeros(plies * game.num_words, np.uint64),
        np.zeros(plies * FRAME, np.int64),
        np.zeros(plies * game.num_actions, np.int32),
        np.zeros(plies * game.num_actions, np.int64),
        np.full(plies * 2, -1, np.int32),
        np.zeros(2 * game.num_actions, np.int64),
        new_table(table_mb),
        np.zeros(NUM_REGISTERS, np.int64),
    )


@jit(forceinline=True)
def _is_forced(value: Int, bound: Int, ply: Int, remaining: Int) -> bool:
    """Whether a bound is the truth although positions behind it were judged by the heuristic.

    Who has a win of n plies in a search of n plies and more has it, and there is no quicker one.
    """
    if value >= SURE_WIN:
        return bound == LOWER or (bound == EXACT and WIN - value - ply <= remaining)
    if value <= -SURE_WIN:
        return bound == UPPER or (bound == EXACT and WIN + value - ply <= remaining)
    return False


@jit(forceinline=True)
def _bring_best(work: Any, number: Int, end: Int) -> None:
    """Swap the most promising of the moves from a number on into its place; the first of equals."""
    best = number
    for other in range(number + 1, end):
        if work.scores[other] > work.scores[best]:
            best = other
    action, score = work.actions[best], work.scores[best]
    for other in range(best, number, -1):  # the rest keep their order
        work.actions[other], work.scores[other] = work.actions[other - 1], work.scores[other - 1]
    work.actions[number], work.scores[number] = action, score


@jit(forceinline=True)
def _remember(work: Any, ply: Int, mover: Int, action: Int, remaining: Int, num_actions: Int) -> None:
    """A move that made the rest needless may do so again."""
    if work.killers[2 * ply] != action:
        work.killers[2 * ply + 1] = work.killers[2 * ply]
        work.killers[2 * ply] = action
    work.history[mover * num_actions + action] += remaining * remaining


@jit(types.boolean(types.int64, types.int64, types.int64, types.int64, types.int64, types.int64, WORK))
def _search(
    moves_address: Int,
    play_address: Int,
    key_address: Int,
    heuristic_address: Int,
    depth: Int,
    max_moves: Int,
    work: Any,
) -> bool:
    """Search the position at ply 1 within its frame's window, or go on; False when `max_moves` played did not suffice.

    When it is done, the value and whether it is unsure stand in the registers.
    """
    moves, play, key = as_moves(moves_address), as_play(play_address), as_key(key_address)
    heuristic = as_heuristic(heuristic_address)
    num_words, num_actions = work.states.size // (work.killers.size // 2), work.history.size // 2
    registers, frames = work.registers, work.frames
    last_move = registers[NODES] + registers[TRIED] + max_moves
    ply = registers[PLY]
    value, unsure = 0, False
    while True:
        if registers[NODES] + registers[TRIED] >= last_move:
            registers[PLY] = ply
            return False
        registers[NODES] += 1
        # Step 1. A position where the game is over, or the search.
        state = borrow(work.states, ply * num_words, num_words)
        frame = ply * FRAME
        remaining = depth - ply
        mover = np.int64(state[TO_MOVE])
        is_leaf = True
        unsure = False
        if state[RESULT]:
            value = WIN - ply if state[RESULT] == 1 else ply - WIN if state[RESULT] == 2 else 0
        elif remaining <= 0:
            value = max(1 - HEURISTIC_LIMIT, min(HEURISTIC_LIMIT - 1, heuristic(state)))
            unsure = True
        else:
            is_leaf = False
        if not is_leaf:
            # Step 2. No end is nearer than the next ply.
            quickest = WIN - ply - 1
            alpha, beta = max(frames[frame + ALPHA], -quickest), min(frames[frame + BETA], quickest)
            if alpha >= beta:
                value, is_leaf = quickest if alpha >= quickest else -quickest, True
        if not is_leaf:
            # Step 3. A value from the table.
            entry = probe(work.table, table_key(state, key(state)))
            known = action_of(entry)
            if entry:
                is_sure = is_sure_entry(entry)
                if is_sure or plies_of(entry) >= remaining:
                    found = value_of(entry)
                    found = found - ply if found >= SURE_WIN else found + ply if found <= -SURE_WIN else found
                    bound = bound_of(entry)
                    if bound == EXACT or (bound == LOWER and found >= beta) or (bound == UPPER and found <= alpha):
                        value, unsure, is_leaf = found, not is_sure, True
        if not is_leaf:
            # Step 4. The moves, and how promising each is; one that wins at once ends it.
            first = ply * num_actions
            count = moves(state, borrow(work.actions, first, num_actions))
            child = borrow(work.states, (ply + 1) * num_words, num_words)
            side = 1 - 2 * mover
            for number in range(first, first + count):
                action = np.int64(work.actions[number])
                score = min(work.history[mover * num_actions + action], MAX_HISTORY)
                if action == known:
                    score = FROM_TABLE
                elif action == work.killers[2 * ply]:
                    score = KILLER + 1
                elif action == work.killers[2 * ply + 1]:
                    score = KILLER
                if remaining > 1:
                    registers[TRIED] += 1
                    copy(child, 0, state, 0, num_words)
                    play(child, action)
                    if child[RESULT] == np.uint64(mover + 1):
                        value, is_leaf = side * quickest, True
                        store(
                            work.table, table_key(state, key(state)), EXACT, True, remaining, action, side * (WIN - 1)
                        )
                        break
                    if not child[RESULT] and score < KILLER:
                        score += side * 16 * heuristic(child)
                work.scores[number] = score
            frames[frame + ALPHA], frames[frame + BETA] = alpha, beta
            frames[frame + LOW], frames[frame + HIGH] = alpha, beta
            frames[frame + BEST], frames[frame + BEST_ACTION] = -side * INFINITE, -1
            frames[frame + COUNT], frames[frame + NEXT] = count, 0
            frames[frame + UNSURE] = False
        # Step 5. Hand a value back, to positions that it finishes too.
        while is_leaf:
            if ply == 1:
                registers[VALUE], registers[IS_UNSURE] = value, unsure
                return True
            ply -= 1
            state = borrow(work.states, ply * num_words, num_words)
            frame = ply * FRAME
            remaining = depth - ply
            mover = np.int64(state[TO_MOVE])
            action = np.int64(work.actions[ply * num_actions + frames[frame + NEXT] - 1])
            if (value > frames[frame + BEST]) if mover == 0 else (value < frames[frame + BEST]):
                frames[frame + BEST], frames[frame + BEST_ACTION] = value, action
                if mover == 0:
                    frames[frame + LOW] = max(frames[frame + LOW], value)
                else:
                    frames[frame + HIGH] = min(frames[frame + HIGH], value)
            is_cut = frames[frame + LOW] >= frames[frame + HIGH]
            if is_cut:  # only this move matters
                frames[frame + UNSURE] = unsure
                _remember(work, ply, mover, action, remaining, num_actions)
            elif unsure:
                frames[frame + UNSURE] = True
            is_leaf = is_cut or frames[frame + NEXT] == frames[frame + COUNT]
            if is_leaf:
                value, best = frames[frame + BEST], frames[frame + BEST_ACTION]
                bound = EXACT
                if value >= frames[frame + BETA]:
                    bound = LOWER
                elif value <= frames[frame + ALPHA]:
                    bound = UPPER
                unsure = frames[frame + UNSURE] != 0 and not _is_forced(value, bound, ply, remaining)
                stored = value + ply if value >= SURE_WIN else value - ply if value <= -SURE_WIN else value
                store(work.table, table_key(state, key(state)), bound, not unsure, remaining, best, stored)
        # Step 6. The most promising of the moves that are left.
        first = ply * num_actions
        number = first + frames[frame + NEXT]
        _bring_best(work, number, first + frames[frame + COUNT])
        frames[frame + NEXT] += 1
        state = borrow(work.states, ply * num_words, num_words)
        child = borrow(work.states, (ply + 1) * num_words, num_words)
        copy(child, 0, state, 0, num_words)
        play(child, np.int64(work.actions[number]))
        frames[frame + FRAME + ALPHA], frames[frame + FRAME + BETA] = frames[frame + LOW], frames[frame + HIGH]
        ply += 1
