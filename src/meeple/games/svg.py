"""Positions drawn as pictures: one standalone SVG, which the web pages show as it is.

Colours are custom properties, which a page may set (`--mp-felt: navy`): svg.css lists them. Over the board lie
invisible shapes of class `mp-target`, one for each legal action that has a place, with `data-action` and
`data-move`. Lengths are in units of which a cell is 50 wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from meeple.games.board import Board
from meeple.games.drawing import (
    cells_of_actions,
    columns_of_actions,
    drawn_lines,
    has_far_labels,
    last_cells,
    last_line,
    line_letters,
    lines_of_actions,
    player_names,
    status,
)
from meeple.games.game import Position
from meeple.games.layout import UNIT, Layout, Place, star_points

PIECES = "", "mp-first", "mp-second"

STYLE_SHEET = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def _gradient(name: str, light: str, dark: str, shape: str) -> str:
    kind = shape.split()[0]
    return (
        f'<{shape} id="mp-{name}"><stop style="stop-color:var(--_mp-{light})"/>'
        f'<stop offset="1" style="stop-color:var(--_mp-{dark})"/></{kind}>'
    )


BALL = 'radialGradient cx=".36" cy=".3" r=".72"'
STONES = _gradient("black", "black-light", "black", BALL) + _gradient("white", "white-light", "white", BALL)
WOOD = _gradient("wood", "wood-light", "wood", 'linearGradient x2="1" y2="1"')
GRADIENTS = {"stones": STONES + WOOD, "reversi": STONES, "hexes": STONES}


def svg(position: Position, *, coordinates: bool = True) -> str:
    """The position as an SVG document: the last move highlighted, coordinates in the margin unless told otherwise."""
    game = position.game
    scene = Scene(position, Layout(game.board, coordinates))
    last = "" if position.action is None else f"; last move {game.names[position.action]}"
    width, height = _number(scene.layout.width), _number(scene.layout.height)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' class="mp-board mp-{game.board.style}" role="img"'
        f" aria-label={_quoted(f'{game.name}: {status(position)}{last}')}>"
    )
    gradients = GRADIENTS.get(game.board.style)
    defs = [f"<defs>{gradients}</defs>"] if gradients else []
    parts = [
        opening,
        f"<style>\n{STYLE_SHEET}</style>",
        *defs,
        *PAINTERS[game.board.style](scene),
        *_targets(scene),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True)
class Scene:
    """A position and where its cells lie."""

    position: Position
    layout: Layout

    @property
    def board(self) -> Board:
        return self.layout.board

    @cached_property
    def pieces(self) -> list[tuple[int, float, float]]:
        """The owner, 1 or 2, and the place of every piece."""
        found = enumerate(self.position.game.pieces(self.position.state).tolist())
        return [(owner, *self.layout.centre(*divmod(cell, self.board.columns))) for cell, owner in found if owner]

    @cached_property
    def last(self) -> list[Place]:
        """The places that the last move is shown on."""
        return [self.layout.centre(*divmod(cell, self.board.columns)) for cell in last_cells(self.position)]


def _marks(scene: Scene) -> Iterator[str]:
    side, arm = UNIT - 4, 11
    for row, column in product(range(scene.board.rows), range(scene.board.columns)):
        x, y = scene.layout.centre(row, column)
        css = "mp-tile mp-last" if (x, y) in scene.last else "mp-tile"
        yield _tag("rect", css, x=x - side / 2, y=y - side / 2, width=side, height=side, rx=7)
    yield from _labels(scene, 0.82)
    for owner, x, y in scene.pieces:
        if owner == 1:
            cross = [f"M{_number(x - arm)} {_number(y + way)}l{2 * arm} {-2 * way}" for way in (-arm, arm)]
            yield _tag("path", "mp-mark mp-first", d="".join(cross))
        else:
            yield _tag("circle", "mp-mark mp-second", cx=x, cy=y, r=arm + 1.5)


def _discs(scene: Scene) -> Iterator[str]:
    """Discs stand behind the rack, which has holes: a page can let them fall."""
    layout, box = scene.layout, scene.layout.box
    left, top, width = box["x"] - 14, box["y"] - 12, box["width"] + 28
    bottom = box["y"] + box["height"]
    yield _tag("rect", "mp-back", x=left + 4, y=top + 4, width=width - 8, height=box["height"] + 16, rx=12)
    yield '<g class="mp-pieces">'
    for owner, x, y in scene.pieces:
        yield _tag("circle", PIECES[owner], cx=x, cy=y, r=22.5) + _tag("circle", "mp-rim", cx=x, cy=y, r=13)
    yield "</g>"
    outline = f"M{_number(left)} {_number(top + 14)}q0-14 14-14h{_number(width - 28)}q14 0 14 14V{_number(bottom + 16)}"
    cells = product(range(scene.board.rows), range(scene.board.columns))
    holes = [_circle_path(*layout.centre(row, column), 19.5) for row, column in cells]
    yield _tag("path", "mp-rack", d=f"{outline}H{_number(left)}z{''.join(holes)}", fill_rule="evenodd")
    foot = layout.height - bottom - 12
    yield _tag("rect", "mp-foot", x=left - 9, y=bottom + 10, width=width + 18, height=foot, rx=8)
    if layout.coordinates:
        for column, name in enumerate(scene.board.column_names):
            yield _text(name, layout.centre(0, column)[0], bottom + 10 + foot / 2)
    yield from _rings(scene, 21.5)


def _reversi(scene: Scene) -> Iterator[str]:
    layout, board = scene.layout, scene.board
    yield _tag("rect", "mp-frame", x=0, y=0, width=layout.width, height=layout.height, rx=10)
    yield _tag("rect", "mp-felt", **layout.box)
    yield _tag("path", "mp-grid", d=_grid_path(layout, -0.5))
    if min(board.rows, board.columns) >= 6:
        for row, column in product((1.5, board.rows - 2.5), (1.5, board.columns - 2.5)):
            yield _dot("mp-point", layout.centre(row, column), 4)
    yield from _labels(scene, 0.5 + 15 / UNIT)
    yield from _round_pieces(scene, 20.5)
    yield from _rings(scene, 10)


def _stones(scene: Scene) -> Iterator[str]:
    layout, board = scene.layout, scene.board
    yield _tag("rect", "mp-wood", x=0, y=0, width=layout.width, height=layout.height, rx=8)
    yield _tag("path", "mp-grid", d=_grid_path(layout, 0))
    (x, y), (right, bottom) = layout.centre(0, 0), layout.centre(board.rows - 1, board.columns - 1)
    yield _tag("rect", "mp-edge", x=x, y=y, width=right - x, height=bottom - y)
    for row, column in star_points(board.rows, board.columns):
        yield _dot("mp-point", layout.centre(row, column), 4.2)
    yield from _labels(scene, 0.5 + 11 / UNIT)
    yield from _round_pieces(scene, 23.5)
    yield from _rings(scene, 11.5)


def _hexes(scene: Scene) -> Iterator[str]:
    layout = scene.layout
    rows, columns = range(scene.board.rows), range(scene.board.columns)
    low, far = rows[-1], columns[-1]
    yield _tag("path", "mp-frame", d=_polygon(layout.frame))
    left = [corner for row in rows for corner in layout.corners(row, 0)[:3:-1]]
    right = [corner for row in rows for corner in layout.corners(row, far)[1:3]]
    top = [corner for column in columns for corner in [layout.corners(0, column)[index] for index in (5, 0, 1)]]
    bottom = [corner for column in columns for corner in [layout.corners(low, column)[index] for index in (4, 3, 2)]]
    for side, owner in ((left, "second"), (right, "second"), (top, "first"), (bottom, "first")):
        yield _tag("path", f"mp-edge mp-edge-{owner}", d=_polygon(side).rstrip("z"))
    cells = product(rows, columns)
    yield _tag("path", "mp-cells", d="".join(_polygon(layout.corners(row, column)) for row, column in cells))
    yield from _labels(scene, 1.06)
    yield from _round_pieces(scene, 18)
    yield from _rings(scene, 9)


def _lines(scene: Scene) -> Iterator[str]:
    layout, board = scene.layout, scene.board
    initials = [name[0] for name in player_names(scene.position.game)]
    for owner, x, y in scene.pieces:
        half = UNIT / 2
        yield _tag("rect", PIECES[owner], x=x - half, y=y - half, width=UNIT, height=UNIT)
        yield _text(initials[owner - 1], x, y, f"mp-initial {PIECES[owner]}")
    drawn, last = drawn_lines(scene.position), last_line(scene.position)
    for line in sorted(lines_of_actions(scene.position.game).values(), key=lambda line: (line in drawn, line == last)):
        (x1, y1), (x2, y2) = layout.ends(line)
        css = "mp-line mp-last" if line == last else "mp-line" if line in drawn else "mp-free"
        yield _tag("line", css, x1=x1, y1=y1, x2=x2, y2=y2)
    for row, column in product(range(board.rows + 1), range(board.columns + 1)):
        yield _dot("mp-dot", layout.centre(row - 0.5, column - 0.5), 6)
    if layout.coordinates:
        yield from _line_labels(layout, 0.95)


PAINTERS = {
    "marks": _marks, "discs": _discs, "reversi": _reversi, "stones": _stones, "hexes": _hexes, "lines": _lines,
}  # fmt: skip


def _labels(scene: Scene, reach: float) -> Iterator[str]:
    """The names of rows and columns, so many cells beyond the centres of the outermost ones."""
    layout, board = scene.layout, scene.board
    if not layout.coordinates:
        return
    low, far, is_first_above = board.rows - 1 + reach, board.columns - 1 + reach, board.first_row == "top"
    for column, name in enumerate(board.column_names):
        if is_first_above or has_far_labels(board):
            yield _text(name, *layout.centre(-reach, column))
        if not is_first_above or has_far_labels(board):
            yield _text(name, *layout.centre(low, column))
    for row, name in enumerate(board.row_names):
        yield _text(name, *layout.centre(row, -reach))
        if has_far_labels(board):
            yield _text(name, *layout.centre(row, far))


def _line_labels(layout: Layout, reach: float) -> Iterator[str]:
    """Beside the dots the letters of horizontal lines stand above and right, of vertical ones left and below."""
    board, letters = layout.board, line_letters(layout.board)
    for index, letter in enumerate(letters):
        if index < board.columns:
            yield _text(letter, *layout.centre(-reach, index))
        if index <= board.columns:
            yield _text(letter, *layout.centre(board.rows - 1 + reach, index - 0.5))
        if index < board.rows:
            yield _text(letter.upper(), *layout.centre(index, -reach))
        if index <= board.rows:
            yield _text(letter.upper(), *layout.centre(index - 0.5, board.columns - 1 + reach))


def _round_pieces(scene: Scene, radius: float) -> Iterator[str]:
    yield '<g class="mp-pieces">'
    for owner, x, y in scene.pieces:
        yield _dot(PIECES[owner], (x, y), radius)
    yield "</g>"


def _rings(scene: Scene, radius: float) -> Iterator[str]:
    """The last move: a ring on a piece, a spot where a piece was."""
    taken = {(x, y) for _, x, y in scene.pieces}
    for place in scene.last:
        yield _dot("mp-ring", place, radius) if place in taken else _dot("mp-spot", place, radius / 2)


def _targets(scene: Scene) -> Iterator[str]:
    layout, game = scene.layout, scene.position.game
    cells, columns, lines = cells_of_actions(game), columns_of_actions(game), lines_of_actions(game)
    for action in scene.position.actions:
        if action in cells:
            outline = layout.corners(*divmod(cells[action], layout.board.columns))
        elif action in columns:
            outline = layout.column(columns[action])
        elif action in lines:
            outline = layout.diamond(lines[action])
        else:
            continue
        yield _tag("path", "mp-target", d=_polygon(outline), data_action=action, data_move=game.names[action])


def _grid_path(layout: Layout, offset: float) -> str:
    """Lines along and across: through the centres of the cells, or half a cell before and after them."""
    rows, columns = layout.board.rows - 1 - offset, layout.board.columns - 1 - offset
    (left, top), (right, bottom) = layout.centre(offset, offset), layout.centre(rows, columns)
    across = [f"M{_number(left)} {_number(top + UNIT * row)}H{_number(right)}" for row in range(int(rows - offset) + 1)]
    down = [f"M{_number(left + UNIT * x)} {_number(top)}V{_number(bottom)}" for x in range(int(columns - offset) + 1)]
    return "".join(across + down)


def _polygon(points: list[Place]) -> str:
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points) + "z"


def _circle_path(x: float, y: float, radius: float) -> str:
    arc = f"a{_number(radius)} {_number(radius)} 0 1 0"
    return f"M{_number(x - radius)} {_number(y)}{arc} {_number(2 * radius)} 0{arc} {_number(-2 * radius)} 0z"


def _dot(css: str, place: Place, radius: float) -> str:
    return _tag("circle", css, cx=place[0], cy=place[1], r=radius)


def _text(text: str, x: float, y: float, css: str = "mp-label") -> str:
    return f'<text class="{css}" x="{_number(x)}" y="{_number(y)}">{escape(_printable(text))}</text>'


def _tag(name: str, css: str, **attributes: float | str) -> str:
    values = {key: value if isinstance(value, str) else _number(value) for key, value in attributes.items()}
    written = "".join(f" {key.replace('_', '-')}={_quoted(value)}" for key, value in values.items())
    return f'<{name} class="{css}"{written}/>'


def _number(value: float) -> str:
    return f"{round(value, 2):g}" if abs(value) < 1e4 else str(round(value))


def _quoted(text: str) -> str:
    return quoteattr(_printable(text))


def _printable(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
