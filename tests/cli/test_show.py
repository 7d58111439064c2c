"""`meeple show`."""

import json
from xml.etree import ElementTree

import pytest

import meeple as package


@pytest.mark.parametrize(
    "name", ["tictactoe", "gomoku:9", "mnk:4x3x3", "connect4", "othello", "hex:5", "go:5", "dots:2"]
)
def test_draws_the_start(meeple, name):
    code, out, err = meeple("show", name)
    assert (code, err) == (0, "")
    assert out == package.text(package.game(name).start()) + "\n"


def test_draws_after_moves(meeple):
    assert meeple("show", "tictactoe", "b2 a1").out == "3  . . .\n2  . X .\n1 (O). .\n   a b c\n\nX to move\n"


def test_a_dash_and_nothing_are_the_start(meeple):
    assert meeple("show", "hex:4", "-") == meeple("show", "hex:4", "") == meeple("show", "hex:4")


@pytest.mark.parametrize(
    ("name", "moves", "played"),
    [
        ("connect4", "4453", "4 4 5 3"),
        ("othello", "f5d6c3", "f5 d6 c3"),
        ("tictactoe", "1. b2 a1 2. c3", "B2 A1 C3"),
        ("dots:1", "aAAb", "aA Ab"),
    ],
)
def test_reads_every_customary_form(meeple, name, moves, played):
    assert meeple("show", name, moves) == meeple("show", name, played)
    assert meeple("show", name, moves).code == 0


def test_as_json(meeple):
    code, out, err = meeple("show", "tictactoe", "b2 a1", "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert found["text"] == meeple("show", "tictactoe", "b2 a1").out.removesuffix("\n")
    assert (found["to_move"], found["result"], found["plies"]) == (0, None, 2)
    assert found["moves"] == ["a3", "b3", "c3", "a2", "c2", "b1", "c1"]


@pytest.mark.parametrize(
    ("moves", "result"), [("a1 b1 a2 b2 a3", 1), ("a1 b1 a2 b2 c3 b3", -1), ("a1 b1 c1 b2 a2 c2 b3 a3 c3", 0)]
)
def test_as_json_when_the_game_is_over(meeple, moves, result):
    found = json.loads(meeple("show", "tictactoe", moves, "--json").out)
    assert (found["result"], found["moves"]) == (result, [])


def test_as_json_after_an_extra_turn(meeple):
    assert json.loads(meeple("show", "dots:2", "aA aB Aa Ab", "--json").out)["to_move"] == 1
    assert json.loads(meeple("show", "dots:2", "aA aB Aa bA", "--json").out)["to_move"] == 0


def test_plain_characters(meeple):
    assert meeple("show", "othello", "f5").out.isascii() is False
    assert meeple("show", "othello", "f5", "--ascii").out.isascii()
    assert json.loads(meeple("show", "othello", "f5", "--ascii", "--json").out)["text"].isascii()


def test_writes_svg(meeple, tmp_path):
    file = tmp_path / "board.svg"
    code, out, err = meeple("show", "hex:5", "c3", "--svg", str(file))
    assert (code, err) == (0, "")
    assert out == meeple("show", "hex:5", "c3").out
    assert file.read_text(encoding="utf-8") == package.svg(package.game("hex:5").read("c3"))
    assert ElementTree.parse(file).getroot().tag.endswith("svg")


def test_options_of_a_game(meeple):
    found = json.loads(meeple("show", "hex:5?swap=1", "a1", "--json").out)
    assert "swap-pieces" in found["moves"]
    assert "swap-pieces" not in json.loads(meeple("show", "hex:5", "a1", "--json").out)["moves"]
