import pytest

from golden.make_drawings import FOLDER, POSITIONS, drawing, walkers
from meeple.games.connect4 import connect4
from meeple.games.dots import dots
from meeple.games.drawing import (
    cells_of_actions,
    columns_of_actions,
    drawn_lines,
    last_cell,
    last_cells,
    last_line,
    lines_of_actions,
    player_names,
    status,
    text,
)
from meeple.games.game import Position
from meeple.games.go import go
from meeple.games.hex import hex_game
from meeple.games.mnk import gomoku, mnk, tictactoe
from meeple.games.othello import othello


def cell_names(position: Position) -> list[str]:
    return [position.game.board.cell_names[cell] for cell in last_cells(position)]


@pytest.mark.parametrize("name", POSITIONS)
def test_looks_like_the_golden_drawing(name):
    assert drawing(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_every_golden_drawing_is_made():
    assert {path.stem for path in FOLDER.glob("*.txt")} == POSITIONS.keys()


@pytest.mark.parametrize("name", POSITIONS)
def test_ascii_drawings_are_ascii(name):
    game, moves, _ = POSITIONS[name]
    assert text(game.read(moves), ascii_only=True).isascii()


@pytest.mark.parametrize("name", POSITIONS)
def test_no_line_ends_in_a_space(name):
    game, moves, _ = POSITIONS[name]
    assert all(line == line.rstrip() for line in text(game.read(moves)).splitlines())


@pytest.mark.parametrize("game", [gomoku(9), gomoku(15), othello(8), go(9), tictactoe()], ids=repr)
def test_the_letter_and_number_in_line_with_the_brackets_are_the_move(game):
    for move in game.start().moves:
        lines = text(game.start().play(move), ascii_only=True).split("\n\n")[0].splitlines()
        row = next((line for line in lines if "(" in line), None)
        labels = lines[0] if game.board.first_row == "top" else lines[-1]
        assert move == "pass" or labels[row.index("(") + 1] + row.split()[0].split("(")[0] == move


def test_rows_of_hexes_are_slanted_and_so_are_their_columns():
    game = hex_game(11)
    for move in game.start().moves:
        lines = text(game.start().play(move)).split("\n\n")[0].splitlines()
        index, row = next((index, line) for index, line in enumerate(lines) if "(" in line)
        place = row.index("(") + 1
        assert lines[0][place - index] + row.split()[0] == move
        assert lines[-1][place - index + len(lines) - 1] + row.split()[-1] == move


def test_the_letters_beside_a_line_are_its_move():
    game = dots(2, 3)
    for move in game.start().moves:
        lines = text(game.start().play(move)).split("\n\n")[0].splitlines()
        row = next(line for line in lines if "(" in line)
        place = row.index("(") + 1
        is_horizontal = "(-)" in row
        assert move == (lines[0][place] + row[-1] if is_horizontal else row[0] + lines[-1][place])


def test_drawn_lines_are_those_of_the_moves_whoever_is_to_move():
    game = dots(3, 3)
    position, played = game.start(), set()
    while position.result is None:
        played.add(lines_of_actions(game)[position.actions[-1]])
        position = position.play_action(position.actions[-1])
        assert drawn_lines(position) == played


@pytest.mark.parametrize(
    ("game", "moves", "expected"),
    [
        (tictactoe(), "", "X to move"),
        (tictactoe(), "b2", "O to move"),
        (connect4(6, 7), "1", "Yellow to move"),
        (connect4(6, 7), "12121", "Yellow to move"),
        (connect4(6, 7), "1212121", "Red wins"),
        (gomoku(9), "a1", "White to move"),
        (hex_game(3), "", "Black to move, joining top and bottom"),
        (hex_game(3), "b2", "White to move, joining left and right"),
        (hex_game(2), "a1 b1 a2", "Black wins"),
        (othello(8), "", "Black to move, level"),
        (othello(8), "f5", "White to move, behind by 3"),
        (dots(1, 1), "", "Blue to move, level"),
        (dots(1, 1), "aA Aa aB Ab", "Gold wins by 1"),
        (dots(1, 2), "aA Aa aB Ab", "Gold to move, ahead by 1"),
    ],
    ids=str,
)
def test_status(game, moves, expected):
    assert status(game.read(moves)) == expected


def test_status_of_a_draw():
    assert status(tictactoe().read("b2 a1 c1 a3 a2 c2 b1 b3 c3")) == "drawn"


def test_status_with_names_of_players():
    assert status(tictactoe().read("b2"), ("Ann", "Ben")) == "Ben to move"
    assert player_names(go(5)) == ("Black", "White")


@pytest.mark.parametrize(
    ("game", "moves", "expected"),
    [
        (tictactoe(), "", []),
        (tictactoe(), "b2 c3", ["c3"]),
        (connect4(6, 7), "44", ["42"]),
        (othello(8), "f5 d6", ["d6"]),
        (go(5), "A1 pass", []),
        (go(5), "A1 A2 E5 B1", ["B1"]),
        (hex_game(4, swap=True), "b3 swap-pieces", ["c2", "b3"]),
        (dots(2, 2), "aA", []),
    ],
    ids=str,
)
def test_cells_of_the_last_move(game, moves, expected):
    assert cell_names(game.read(moves)) == expected


def test_a_move_that_names_no_single_cell_is_shown_on_all_cells_it_changed():
    position = walkers().read("a1a2 c3c2")
    assert cell_names(position) == ["c3", "c2"]
    assert position.game.board.cell_names[last_cell(position)] == "c2"
    assert "2  X .(O)" in text(position)
    assert cells_of_actions(position.game) == {}


def test_a_position_without_history_shows_no_last_move():
    state = walkers().read("a1a2").state
    assert last_cells(Position(walkers(), state)) == ()


def test_the_last_line():
    game = dots(2, 2)
    assert last_line(game.start()) is None
    assert last_line(game.read("Ab")) == (0, 1, False)
    assert last_line(game.read("bC")) == (2, 1, True)
    assert last_line(tictactoe().read("a1")) is None


def test_columns_are_not_taken_for_cells_where_both_have_the_same_name():
    game = connect4(4, 10)
    assert columns_of_actions(game) == {column: column for column in range(10)}
    assert cells_of_actions(game) == {}
    assert columns_of_actions(mnk(4, 4, 4)) == {}
