import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from golden.make_drawings import POSITIONS, walkers
from meeple.games.board import Board
from meeple.games.connect4 import connect4
from meeple.games.dots import dots
from meeple.games.drawing import drawn_lines, status
from meeple.games.go import go
from meeple.games.hex import hex_game
from meeple.games.layout import star_points
from meeple.games.mnk import gomoku, tictactoe
from meeple.games.othello import othello
from meeple.games.svg import GRADIENTS, STYLE_SHEET, svg

ROOT = Path(__file__).parents[2]

WITH_A_PLACE_FOR_EVERY_MOVE = [
    (tictactoe(), "b2 c3"),
    (connect4(6, 7), "444444"),
    (connect4(4, 10), "10 1"),
    (hex_game(5), "b2 c3"),
    (othello(8), "f5"),
    (gomoku(15), "h8 h9"),
    (dots(2, 3), "aA Ba"),
]


def parse(position, **options):
    return ElementTree.fromstring(svg(position, **options))


def with_class(root, name):
    return [element for element in root.iter() if name in element.get("class", "").split()]


def targets(root):
    return {int(found.get("data-action")): found.get("data-move") for found in with_class(root, "mp-target")}


def outline(target):
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", target.get("d"))]


@pytest.fixture(params=POSITIONS)
def position(request):
    game, moves, _ = POSITIONS[request.param]
    return game.read(moves)


def test_is_one_picture_with_a_label(position):
    root = parse(position)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label").startswith(f"{position.game.name}: {status(position)}")
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"


def test_the_label_says_the_last_move():
    assert parse(hex_game(5).read("b2 c3")).get("aria-label").endswith("; last move c3")


def test_is_the_same_each_time_and_needs_nothing_from_outside(position):
    picture = svg(position)
    assert picture == svg(position.game.read(" ".join(position.history)))
    assert re.findall(r"https?:[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in picture
    assert "href" not in picture


def test_shows_every_piece(position):
    root = parse(position)
    pieces = position.game.pieces(position.state).tolist()
    shapes = 2 if position.game.board.style == "lines" else 1  # a box is a tint and an initial
    assert len(with_class(root, "mp-first")) == shapes * pieces.count(1)
    assert len(with_class(root, "mp-second")) == shapes * pieces.count(2)


def test_stays_within_the_picture(position):
    for coordinates in (True, False):
        root = parse(position, coordinates=coordinates)
        width, height = float(root.get("width")), float(root.get("height"))
        for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
            x, y, radius = (float(circle.get(name)) for name in ("cx", "cy", "r"))
            assert radius <= x <= width - radius
            assert radius <= y <= height - radius
        for label in root.iter("{http://www.w3.org/2000/svg}text"):
            assert 8 <= float(label.get("x")) <= width - 8
            assert 8 <= float(label.get("y")) <= height - 8


@pytest.mark.parametrize(("game", "moves"), WITH_A_PLACE_FOR_EVERY_MOVE, ids=str)
def test_every_legal_move_has_a_target_of_its_own(game, moves):
    position = game.read(moves)
    root = parse(position)
    assert targets(root) == dict(zip(position.actions, position.moves, strict=True))
    assert len({target.get("d") for target in with_class(root, "mp-target")}) == len(position.actions)


def test_the_target_of_a_cell_lies_where_its_piece_will():
    for game in (tictactoe(), hex_game(4), gomoku(9), othello(6)):
        start = game.start()
        for target in with_class(parse(start), "mp-target"):
            after = start.play(target.get("data-move"))
            corners = outline(target)
            x, y = (sum(place[axis] for place in corners) / len(corners) for axis in (0, 1))
            if game.board.style == "marks":
                tile = with_class(parse(after), "mp-last")[0]
                place = tuple(float(tile.get(a)) + float(tile.get(b)) / 2 for a, b in (("x", "width"), ("y", "height")))
            else:
                ring = with_class(parse(after), "mp-ring")[0]
                place = float(ring.get("cx")), float(ring.get("cy"))
            assert place == pytest.approx((x, y), abs=0.02)


def test_the_target_of_a_line_lies_around_it():
    start = dots(2, 3).start()
    for target in with_class(parse(start), "mp-target"):
        line = with_class(parse(start.play(target.get("data-move"))), "mp-last")[0]
        ends = [(float(line.get("x1")), float(line.get("y1"))), (float(line.get("x2")), float(line.get("y2")))]
        assert outline(target)[::2] == ends


def test_a_move_without_a_place_has_no_target():
    position = go(5).start()
    assert targets(parse(position)).keys() == set(position.actions) - {position.game.action("pass")}
    assert targets(parse(walkers().start())) == {}


def test_no_targets_when_the_game_is_over():
    assert targets(parse(tictactoe().read("b2 c3 b1 a3 b3"))) == {}


@pytest.mark.parametrize(
    ("game", "moves", "rings", "spots"),
    [
        (gomoku(9), "", 0, 0),
        (gomoku(9), "e5", 1, 0),
        (connect4(6, 7), "44", 1, 0),
        (go(5), "A1 pass", 0, 0),
        (hex_game(4, swap=True), "b3 swap-pieces", 1, 1),
    ],
    ids=str,
)
def test_the_last_move_is_highlighted(game, moves, rings, spots):
    root = parse(game.read(moves))
    assert (len(with_class(root, "mp-ring")), len(with_class(root, "mp-spot"))) == (rings, spots)


def test_a_step_is_highlighted_where_it_began_and_where_it_ended():
    assert len(with_class(parse(walkers().read("a1a2 c3c2")), "mp-last")) == 2
    assert with_class(parse(walkers().start()), "mp-last") == []


def test_lines_between_dots():
    position = dots(2, 3).read("Ab Aa aB aA cC Bd")
    root = parse(position)
    assert len(with_class(root, "mp-line")) == len(drawn_lines(position)) == 6
    assert len(with_class(root, "mp-free")) == 17 - 6
    assert [initial.text for initial in with_class(root, "mp-initial")] == ["G"]


def test_coordinates_can_be_left_out(position):
    assert with_class(parse(position), "mp-label")
    assert with_class(parse(position, coordinates=False), "mp-label") == []


def test_texts_of_strangers_are_only_texts():
    name = "<script>\"'&]]>\x07\x00\ud800\uffff game"
    names = [f"\"'><x/>&amp;\x1b{action}" for action in range(81)]
    game = walkers(name, names)
    root = parse(game.start().play(names[9 * 6 + 3]))
    assert root.get("aria-label").startswith("<script>\"'&]]>\ufffd\ufffd\ufffd\ufffd game: O to move")
    assert {element.tag.rpartition("}")[2] for element in root} == {"style", "rect", "text", "path", "circle"}


def test_letters_and_moves_of_strangers_are_only_texts():
    game = tictactoe()
    game.board = Board(rows=3, columns=3, letters='<"&')
    game.names = game.board.cell_names
    root = parse(game.start())
    assert set(targets(root).values()) == set(game.names)
    assert [label.text for label in with_class(root, "mp-label")] == ["<", '"', "&", "3", "2", "1"]


def test_every_class_has_our_prefix(position):
    classes = {name for element in parse(position).iter() for name in element.get("class", "").split()}
    assert all(name.startswith("mp-") for name in classes)
    assert all(name.startswith("mp-") for name in re.findall(r"\.([a-z][\w-]*)(?=[\s,.{])", STYLE_SHEET))


def test_every_colour_is_a_property_that_a_page_can_set_in_both_schemes():
    light, _, dark = STYLE_SHEET.partition("prefers-color-scheme: dark")
    declared = [set(re.findall(r"--_mp-([\w-]+): var\(--mp-\1, #[0-9a-f]{6}\);", part)) for part in (light, dark)]
    used = set(re.findall(r"var\(--_mp-([\w-]+)\)", STYLE_SHEET + "".join(GRADIENTS.values())))
    assert declared[0] == declared[1] == used


def test_gradients_that_are_used_are_there(position):
    picture = svg(position)
    style = position.game.board.style
    rules = [line for line in STYLE_SHEET.splitlines() if f".mp-{style} " in line]
    used = set(re.findall(r"url\(#([\w-]+)\)", "\n".join(rules)))
    assert used <= set(re.findall(r'id="([\w-]+)"', picture))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (4, []),
        (5, [(2, 2)]),
        (8, [(2, 2), (2, 5), (5, 2), (5, 5)]),
        (9, [(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)]),
        (13, [(3, 3), (3, 9), (6, 6), (9, 3), (9, 9)]),
        (15, [(3, 3), (3, 11), (7, 7), (11, 3), (11, 11)]),
        (19, [(row, column) for row in (3, 9, 15) for column in (3, 9, 15)]),
    ],
)
def test_star_points(size, expected):
    assert star_points(size, size) == expected


def test_the_picture_of_all_boards_is_up_to_date():
    made = runpy.run_path(str(ROOT / "docs" / "make_boards.py"))
    assert made["picture"]() == (ROOT / "docs" / "boards.svg").read_text(encoding="utf-8")
