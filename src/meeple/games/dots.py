"""Dots and Boxes on boards of 1 to 10 rows and columns of boxes: who closes a box owns it and moves again.

Lines are numbered as in OpenSpiel, first the horizontal ones by rows, then the vertical ones by rows, and named as in
the thesis of G. Costa (2022): `aA` is horizontal, in column a on row line A; `Ba` is vertical, in row B on column
line a.

      a   b                 o-0-o-1-o
    o   o   o A             6   7   8        words 3, 4    how many boxes the first and the second player own
                 A          o-2-o-3-o        words 5 ...   the drawn lines, a bit each
    o   o   o B             9   10  11       then          the first player's boxes, a bit each
                 B          o-4-o-5-o        then          the second player's boxes
    o   o   o C
    a   b   c
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from meeple.errors import MeepleError
from meeple.games.board import ALL_LETTERS, Board
from meeple.games.game import Game, Position, State, shown
from meeple.games.rules import RESULT, TO_MOVE, bounded
from meeple.games.symmetry import Symmetry, grid_maps
from meeple.kernel import Actions, Int, Planes, Word, Words, jit, list_dense_bits, mix

ONE = np.uint64(1)
WORD = 64
SCORES, LINES = 3, 5
NUM_PLANES = 5


def dots(rows: int, columns: int) -> Game:
    """The game on that many rows and columns of boxes."""
    boxes, horizontal = rows * columns, (rows + 1) * columns
    lines = horizontal + rows * (columns + 1)
    num_line_words, num_box_words = -(-lines // WORD), -(-boxes // WORD)
    owners = LINES + num_line_words
    last_lines = lines - (num_line_words - 1) * WORD
    last_mask = np.uint64((1 << last_lines) - 1)
    width, sites = columns + 1, (rows + 1) * (columns + 1)

    def setup(state: Words) -> None:
        pass

    def moves(state: Words, actions: Actions) -> Int:
        count = 0
        for word in range(num_line_words - 1):
            count = list_dense_bits(~state[LINES + word], word * WORD, WORD, actions, count)
        free = ~state[LINES + num_line_words - 1] & last_mask
        return list_dense_bits(free, lines - last_lines, last_lines, actions, count)

    def play(state: Words, action: Int) -> None:
        state[LINES + action // WORD] |= ONE << np.uint64(action % WORD)
        state[2] += ONE
        closed = 0
        if action < horizontal:
            if action >= columns:
                closed += close(state, action - columns)
            if action < horizontal - columns:
                closed += close(state, action)
        else:
            row, column = (action - horizontal) // width, (action - horizontal) % width
            if column > 0:
                closed += close(state, row * columns + column - 1)
            if column < columns:
                closed += close(state, row * columns + column)
        if closed == 0:
            state[0] ^= ONE
        elif state[SCORES] + state[SCORES + 1] == np.uint64(boxes):
            first, second = state[SCORES], state[SCORES + 1]
            state[1] = np.uint64(3) if first == second else np.uint64(1) if first > second else np.uint64(2)

    @jit
    def is_drawn(state: Words, line: Int) -> Word:
        return (state[LINES + line // WORD] >> np.uint64(line % WORD)) & ONE

    @jit
    def is_closed(state: Words, box: Int) -> Word:
        left = horizontal + box + box // columns
        across = is_drawn(state, box) & is_drawn(state, box + columns)
        return across & is_drawn(state, left) & is_drawn(state, left + 1)

    @jit
    def close(state: Words, box: Int) -> Int:
        """Give the box to the player to move if its four lines are drawn; how many boxes that are."""
        closed, player = is_closed(state, box), np.int64(state[0])
        state[SCORES + player] += closed
        state[owners + num_box_words * player + box // WORD] |= closed << np.uint64(box % WORD)
        return np.int64(closed)

    def observe(state: Words, planes: Planes) -> None:
        player = np.int64(state[0])
        lead = np.float32(np.int64(state[SCORES + player] - state[SCORES + 1 - player])) / np.float32(boxes)
        for row in range(rows + 1):
            for column in range(width):
                site = row * width + column
                is_box = row < rows and column < columns
                planes[site] = is_drawn(state, row * columns + column) if column < columns else 0
                planes[sites + site] = is_drawn(state, horizontal + site) if row < rows else 0
                planes[2 * sites + site] = is_closed(state, row * columns + column) if is_box else 0
                planes[3 * sites + site] = is_box
                planes[4 * sites + site] = lead

    def key(state: Words) -> Word:
        """Not of who owns which box."""
        found = ONE << np.uint64(24) | state[0] | state[SCORES] << np.uint64(8) | state[SCORES + 1] << np.uint64(16)
        for word in range(num_line_words):
            found = mix(found) ^ state[LINES + word]
        return mix(found)

    def margin(state: Words) -> Int:
        return margin_of(state)

    def heuristic(state: Words) -> Int:
        """The boxes closed, and half of those that the player to move can close at once."""
        found, ready = 90 * margin_of(state), 0
        for box in range(boxes):
            left = horizontal + box + box // columns
            drawn = is_drawn(state, box) + is_drawn(state, box + columns)
            ready += drawn + is_drawn(state, left) + is_drawn(state, left + 1) == np.uint64(3)
        return bounded(found + (45 - 90 * np.int64(state[0])) * ready)

    @jit
    def margin_of(state: Words) -> Int:
        return np.int64(state[SCORES]) - np.int64(state[SCORES + 1])

    def pieces(state: State) -> NDArray[np.int8]:
        bits = np.unpackbits(state[owners:].view(np.uint8), bitorder="little").reshape(2, -1)[:, :boxes]
        return (bits[0] + 2 * bits[1]).astype(np.int8)

    return Game(
        f"dots:{rows}" if rows == columns else f"dots:{rows}x{columns}",
        setup=setup,
        moves=moves,
        play=play,
        observe=observe,
        key=key,
        margin=margin,
        heuristic=heuristic,
        num_words=owners + 2 * num_box_words,
        shape=(NUM_PLANES, rows + 1, width),
        num_actions=lines,
        names=_names(rows, columns),
        compact="[a-k][A-K]|[A-K][a-k]",
        board=Board(rows=rows, columns=columns, style="lines", first_row="top"),
        pieces=pieces,
        action_sites=_sites(rows, columns),
        is_filling=True,
        symmetries=_symmetries(rows, columns),
    )


def thesis_state(position: Position) -> str:
    """The position as in the thesis: a 1 for a drawn line in rows of horizontal and of vertical lines by turns.

    Rows of horizontal lines are one shorter and end in a 0; who owns a box and who is to move is not told.
    """
    _check_lines(position.game)
    lines = position.planes[:2] > 0
    rows = position.game.board.rows
    matrix = [lines[row % 2, row // 2] for row in range(2 * rows + 1)]
    return "\n".join(" ".join(str(int(is_drawn)) for is_drawn in row) for row in matrix)


def from_thesis_state(game: Game, text: str, *, to_move: int = 0, first_score: int = 0) -> Position:
    """The position of a state as in the thesis, in any layout of its digits.

    What the state does not tell is given: the player to move, and how many of the closed boxes, counted from the top
    left, are the first player's.
    """
    _check_lines(game)
    if to_move not in (0, 1):
        raise MeepleError(f"the player to move is 0 or 1, not {to_move}")
    rows, columns = game.board.rows, game.board.columns
    digits = "".join(text.split())
    expected = (2 * rows + 1) * (columns + 1)
    if len(digits) != expected or set(digits) - {"0", "1"}:
        raise MeepleError(f"{shown(text)} is not a state of {game.name}: it has {expected} digits, each 0 or 1")
    matrix = np.array([digit == "1" for digit in digits]).reshape(-1, columns + 1)
    if matrix[::2, -1].any():
        raise MeepleError(f"{shown(text)} is not a state of {game.name}: rows of horizontal lines end in a 0")
    drawn = [*matrix[::2, :-1].ravel(), *matrix[1::2].ravel()]
    state = game.start().state
    for action in np.flatnonzero(drawn):
        state[TO_MOVE] = 0
        game.rules.play(state, action)
    if not 0 <= first_score <= int(state[SCORES]):
        raise MeepleError(f"the first player cannot own {first_score} of {state[SCORES]} closed boxes")
    second_boxes = np.flatnonzero(game.pieces(state))[first_score:]
    first, second = state[LINES + -(-game.num_actions // WORD) :].reshape(2, -1)
    for box in second_boxes:
        first[box // WORD] ^= ONE << np.uint64(box % WORD)
        second[box // WORD] ^= ONE << np.uint64(box % WORD)
    state[SCORES], state[SCORES + 1] = first_score, len(second_boxes)
    state[TO_MOVE] = to_move
    if state[RESULT]:
        state[RESULT] = 1 if 2 * first_score > rows * columns else 2 if 2 * first_score < rows * columns else 3
    return Position(game, state)


def _check_lines(game: Game) -> None:
    if game.board.style != "lines":
        raise MeepleError(f"{game.name} is not Dots and Boxes")


def _names(rows: int, columns: int) -> list[str]:
    capitals, letters = ALL_LETTERS.upper()[: rows + 1], ALL_LETTERS[: columns + 1]
    across = [letter + capital for capital in capitals for letter in letters[:columns]]
    return across + [capital + letter for capital in capitals[:rows] for letter in letters]


def _sites(rows: int, columns: int) -> list[int]:
    """Horizontal lines on the first of two boards of dots, vertical ones on the second."""
    width, sites = columns + 1, (rows + 1) * (columns + 1)
    across = [row * width + column for row in range(rows + 1) for column in range(columns)]
    return across + list(range(sites, sites + rows * width))


def _symmetries(rows: int, columns: int) -> list[Symmetry]:
    """Those of a grid with cells for lines and boxes: boxes at odd rows and columns, lines between."""
    height, width = 2 * rows + 1, 2 * columns + 1
    place = np.arange(height * width).reshape(height, width)
    across, down, boxes = place[::2, 1::2], place[1::2, ::2], place[1::2, 1::2]
    action_places = np.concatenate([across.ravel(), down.ravel()])
    # Where each number of the planes lies on the grid; -1 for what stays.
    plane_places = np.full((NUM_PLANES, rows + 1, columns + 1), -1)
    for plane, places in ((0, across), (1, down), (2, boxes), (3, boxes)):
        plane_places[plane, : places.shape[0], : places.shape[1]] = places
    action_at = {int(where): action for action, where in enumerate(action_places)}
    line_at = {int(where): index for index, where in enumerate(plane_places[:2].ravel()) if where >= 0}
    found = []
    for name, source in grid_maps("dihedral", height, width).items():
        target = np.argsort(source)
        actions = [action_at[int(target[where])] for where in action_places]
        planes = np.arange(plane_places.size).reshape(plane_places.shape)
        for plane in range(4):
            box_at = {
                int(where): plane * plane_places[0].size + i for i, where in enumerate(plane_places[plane].ravel())
            }
            at = line_at if plane < 2 else box_at
            real = plane_places[plane] >= 0
            planes[plane][real] = [at[int(source[where])] for where in plane_places[plane][real]]
        found.append(Symmetry(name, np.array(actions, np.int32), planes.ravel().astype(np.int32)))
    return found
