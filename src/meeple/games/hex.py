"""Hex on a board of 2 to 19 rows: Black joins top and bottom, White joins left and right, and one of them always does.

A bitboard of the empty cells gives the moves. Beside it each cell has a byte, in a frame of edge cells one wide, so
that the six neighbours of a cell are always there. Either player owns half of the byte; edge cells belong to no stone.

    bit     0        1          2         3        4           5
          +--------+----------+---------+--------+-----------+----------+
          | Black: | joined   | joined  | White: | joined to | joined   |
          | stone  | to top   | bottom  | stone  | left      | to right |
          +--------+----------+---------+--------+-----------+----------+

    word    3 ...         then
            empty cells   the framed cells, 8 to a word, by rows from the top left
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meeple.games.board import Board
from meeple.games.game import Game, State
from meeple.games.rules import bounded
from meeple.kernel import (
    Actions,
    Int,
    Planes,
    Word,
    Words,
    count_bits,
    get_byte,
    jit,
    list_dense_bits,
    scratch,
    set_byte,
)

ONE = np.uint64(1)
WORD = 64
EMPTY = 3
STONE, FIRST_EDGE, SECOND_EDGE, BOTH_EDGES, HALF = 1, 2, 4, 6, 3


def hex_game(size: int, *, swap: bool = False) -> Game:
    """The game on a board of that size; with `swap`, White may take over Black's first stone, mirrored."""
    cells = size * size
    width = size + 2
    num_empty_words = -(-cells // WORD)
    frame = 8 * (EMPTY + num_empty_words)
    corner = frame + width + 1
    num_planes = 2 + swap

    def setup(state: Words) -> None:
        for cell in range(cells):
            state[EMPTY + cell // WORD] |= ONE << np.uint64(cell % WORD)
        for place in range(1, size + 1):
            set_byte(state, frame + place, FIRST_EDGE)
            set_byte(state, frame + (width - 1) * width + place, SECOND_EDGE)
            set_byte(state, frame + place * width, FIRST_EDGE << HALF)
            set_byte(state, frame + place * width + width - 1, SECOND_EDGE << HALF)

    def moves(state: Words, actions: Actions) -> Int:
        count = 0
        for word in range(num_empty_words):
            length = min(cells - word * WORD, WORD)
            count = list_dense_bits(state[EMPTY + word], word * WORD, length, actions, count)
        if swap and state[2] == ONE:
            actions[count] = cells
            count += 1
        return count

    def play(state: Words, action: Int) -> None:
        if swap and action == cells:
            stone = 0
            while state[EMPTY + stone // WORD] >> np.uint64(stone % WORD) & ONE:
                stone += 1
            state[EMPTY + stone // WORD] |= ONE << np.uint64(stone % WORD)
            set_byte(state, corner + stone // size * width + stone % size, 0)
            action = stone % size * size + stone // size
        state[EMPTY + action // WORD] ^= ONE << np.uint64(action % WORD)
        if _joins(state, corner + action // size * width + action % size, width, HALF * np.int64(state[0])):
            state[1] = state[0] + ONE
        state[0] ^= ONE
        state[2] += ONE

    def observe(state: Words, planes: Planes) -> None:
        player = np.int64(state[0])
        right, down = (width, 1) if player else (1, width)
        for row in range(size):
            for column in range(size):
                cell = row * size + column
                byte = get_byte(state, corner + row * down + column * right)
                planes[cell] = byte >> (HALF * player) & STONE
                planes[cells + cell] = byte >> (HALF * (1 - player)) & STONE
        if swap:
            planes[2 * cells : 3 * cells] = state[2] == ONE

    def heuristic(state: Words) -> Int:
        """Who needs fewer stones to join the own edges, and has more cells to choose from on the shortest ways."""
        first = _ways(state, corner, size, width, 0)
        second = _ways(state, corner, size, width, 1)
        found = 300 * (second.stones - first.stones) + 10 * (first.cells - second.cells)
        return bounded(found + 150 - 300 * np.int64(state[0]))

    def pieces(state: State) -> NDArray[np.uint8]:
        framed = state.view(np.uint8)[frame : frame + width * width].reshape(width, width)
        inside = framed[1:-1, 1:-1].ravel()
        return (inside & STONE) + 2 * (inside >> HALF & STONE)

    board = Board(rows=size, columns=size, style="hexes", first_row="top")
    transposed = np.arange(cells).reshape(size, size).T.ravel()
    swap_action = [cells] * swap
    return Game(
        f"hex:{size}?swap=1" if swap else f"hex:{size}",
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        heuristic=heuristic,
        num_words=EMPTY + num_empty_words + -(-width * width // 8),
        shape=(num_planes, size, size),
        num_actions=cells + swap,
        names=(*board.cell_names, *["swap-pieces"] * swap),
        compact=r"[a-s]\d{1,2}",
        board=board,
        pieces=pieces,
        views=[[*range(cells), *swap_action], [*transposed, *swap_action]],
        is_filling=not swap,
        symmetries="turn",
    )


@jit
def _joins(state: Words, place: Int, width: Int, half: Int) -> bool:
    """Put a stone on a place and tell its chain which edges it joins now; whether it joins both."""
    around = get_byte(state, place - width) | get_byte(state, place - width + 1) | get_byte(state, place - 1)
    around |= get_byte(state, place + 1) | get_byte(state, place + width - 1) | get_byte(state, place + width)
    edges = around >> half & BOTH_EDGES
    set_byte(state, place, (STONE | edges) << half)
    if edges:
        _tell_chain(state, place, width, half, edges)
    return edges == BOTH_EDGES


@jit
def _tell_chain(state: Words, start: Int, width: Int, half: Int, edges: Int) -> None:
    """Mark all stones of a chain as joined to the edges that its stone at `start` is.

    A stone on the way keeps the direction it was reached from in the other player's half of its byte: no stack.
    """
    steps = (-width, 1 - width, -1, 1, width - 1, width)
    known = STONE | edges
    other = HALF - half
    place, direction = start, 0
    while True:
        if direction < 6:
            step = steps[direction]
            byte = get_byte(state, place + step)
            found = byte >> half & known
            if found & STONE and found != known:
                place += step
                set_byte(state, place, byte | edges << half | direction << other)
                direction = 0
            else:
                direction += 1
        elif place == start:
            return
        else:
            byte = get_byte(state, place)
            set_byte(state, place, byte & 7 << half)
            direction = byte >> other & 7
            place -= steps[direction]
            direction += 1


NONE, WHOLE_ROW = np.uint64(0), np.uint64(2**20 - 1)
EITHER_STONE = STONE | STONE << HALF
PADDED = 19 + 2
MAX_LAYERS = 20
"""Ways that lack more stones than that are as good as closed."""
LAYER_WORDS = (MAX_LAYERS + 1) * PADDED


class Ways(NamedTuple):
    """The shortest ways from edge to edge: how many stones they lack, and on how many cells those can stand."""

    stones: Int
    cells: Int


@jit
def _ways(state: Words, corner: Int, size: Int, width: Int, player: Int) -> Ways:
    """The shortest ways of a player, by two floods; rows are words, and the second player's board is transposed.

    A row for the edge lies above the board and below. Layer k of a flood has the cells where the k-th stone can stand.
    """
    stones, empty, reached, layers = scratch(PADDED), scratch(PADDED), scratch(PADDED), scratch(LAYER_WORDS)
    right, down = (width, 1) if player else (1, width)
    for row in range(size):
        own_row, empty_row = NONE, NONE
        for column in range(size):
            byte = get_byte(state, corner + row * down + column * right)
            bit = ONE << np.uint64(column)
            own_row |= bit if byte >> (HALF * player) & STONE else NONE
            empty_row |= NONE if byte & EITHER_STONE else bit
        stones[row + 1], empty[row + 1] = own_row, empty_row
    # Step 1. From the top down, keeping the layers.
    _begin(stones, reached, size, 0)
    num_layers = 0
    while not reached[size]:
        if num_layers == MAX_LAYERS or not _grow(stones, empty, reached, size, layers, num_layers * PADDED):
            return Ways(MAX_LAYERS, 0)
        num_layers += 1
    # Step 2. From the bottom up: the cells that are in layer k from below and in the one that fits it from above.
    _begin(stones, reached, size, size + 1)
    cells, layer = 0, MAX_LAYERS * PADDED
    for number in range(num_layers):
        _grow(stones, empty, reached, size, layers, layer)
        for row in range(1, size + 1):
            cells += count_bits(layers[layer + row] & layers[(num_layers - 1 - number) * PADDED + row])
    return Ways(num_layers, cells)


@jit(forceinline=True)
def _begin(stones: Words, reached: Words, size: Int, edge: Int) -> None:
    """Reach the edge, a row beside the board, and all stones that are joined to it."""
    for row in range(size + 2):
        reached[row] = NONE
    reached[edge] = WHOLE_ROW
    _flood(stones, reached, size)


@jit(forceinline=True)
def _grow(stones: Words, empty: Words, reached: Words, size: Int, layers: Words, layer: Int) -> bool:
    """Reach what one stone more can, and write down where it stands; False where nothing is left."""
    is_any = NONE
    for row in range(1, size + 1):
        found = _beside(reached, row) & empty[row] & ~reached[row]
        layers[layer + row] = found
        is_any |= found
    for row in range(1, size + 1):
        reached[row] |= layers[layer + row]
    _flood(stones, reached, size)
    return is_any != NONE


@jit(forceinline=True)
def _flood(stones: Words, reached: Words, size: Int) -> None:
    """Reach all stones that are joined to a reached cell, in sweeps down and up."""
    is_changed = True
    while is_changed:
        is_changed = False
        for number in range(2 * size):
            row = number + 1 if number < size else 2 * size - number
            found = _beside(reached, row) & stones[row] & ~reached[row]
            while found:
                reached[row] |= found
                is_changed = True
                found = (found << ONE | found >> ONE) & stones[row] & ~reached[row]


@jit(forceinline=True)
def _beside(reached: Words, row: Int) -> Word:
    """The neighbours in a row of all reached cells."""
    above, here, below = reached[row - 1], reached[row], reached[row + 1]
    return above | above >> ONE | here << ONE | here >> ONE | below | below << ONE
