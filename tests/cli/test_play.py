"""`meeple play`: scripted games through stdin."""

import json
from pathlib import Path

import pytest

BREAKTHROUGH = Path(__file__).parents[2] / "examples" / "breakthrough.py"


def play(meeple, *words, script=""):
    """What a session says, and its outcome: the same session with and without --json."""
    plain = meeple("play", *words, "--seed", "1", stdin=script)
    code, out, err = meeple("play", *words, "--seed", "1", "--json", stdin=script)
    assert (plain.code, code, plain.err, out.count("\n")) == (0, 0, "", 1)
    assert err == plain.out
    return err, json.loads(out)


def test_the_end_of_input_leaves_the_game(meeple):
    screen, found = play(meeple, "tictactoe")
    assert "left the game" in screen
    assert found == {
        "game": "tictactoe",
        "against": "random",
        "side": "first",
        "moves": [],
        "result": None,
        "resigned": False,
    }


@pytest.mark.parametrize("word", ["quit", "exit"])
def test_quit(meeple, word):
    screen, found = play(meeple, "tictactoe", script=f"b2\n{word}\nmoves\n")
    assert screen.endswith("left the game\n")
    assert (found["moves"][0], len(found["moves"]), found["result"]) == ("b2", 2, None)


def test_a_whole_game(meeple):
    cells = [column + row for row in "123" for column in "abc"]
    screen, found = play(meeple, "tictactoe", script="\n".join(cells) + "\n")
    assert found["result"] in (1, 0, -1)
    assert len(found["moves"]) >= 5
    assert found["resigned"] is False
    assert screen.count("the other side plays") == len(found["moves"]) // 2


def test_the_second_side_is_moved_to(meeple):
    screen, found = play(meeple, "tictactoe", "--side", "second", script="quit\n")
    assert (len(found["moves"]), found["side"]) == (1, "second")
    assert f"the other side plays {found['moves'][0]}" in screen


def test_starts_after_given_moves(meeple):
    _, found = play(meeple, "connect4", "4453", script="4\nquit\n")
    assert found["moves"][:5] == ["4", "4", "5", "3", "4"]


def test_a_finished_position_is_only_drawn(meeple):
    screen, found = play(meeple, "tictactoe", "a1 b1 a2 b2 a3", script="quit\n")
    assert (found["result"], "> " in screen) == (1, False)


def test_moves(meeple):
    screen, _ = play(meeple, "tictactoe", script="moves\n")
    assert "> a3 b3 c3 a2 b2 c2 a1 b1 c1\n" in screen


def test_an_empty_line_asks_again(meeple):
    screen, found = play(meeple, "tictactoe", script="\n  \nquit\n")
    assert (screen.count("> "), screen.count("error"), found["moves"]) == (3, 0, [])


def test_help(meeple):
    screen, _ = play(meeple, "tictactoe", script="help\n?\n")
    assert screen.count("Type a move") == 3
    for word in ("moves", "undo", "resign", "save", "help", "quit"):
        assert word in screen


def test_an_illegal_move_changes_nothing(meeple):
    screen, found = play(meeple, "tictactoe", script="b2\nb2\nz9\nquit\n")
    assert found["moves"][0] == "b2"
    assert len(found["moves"]) == 2
    assert "> error: b2 is illegal after 2 plies" in screen
    assert "> error: 'z9' is not a move of tictactoe" in screen
    assert screen.count("\nX to move\n") == 2


def test_a_legal_move_after_an_illegal_one_is_played(meeple):
    _, found = play(meeple, "tictactoe", script="b2\nb2\na1\na2\na3\nc3\nquit\n")
    assert found["moves"][0] == "b2"
    assert len(found["moves"]) >= 4


def test_undo_takes_back_ones_own_move_and_the_reply(meeple):
    screen, found = play(meeple, "tictactoe", script="b2\nundo\na1\nundo\nquit\n")
    assert found["moves"] == []
    assert screen.count("the other side plays") == 2
    start = screen.partition("\nX to move")[0].partition("\n\n")[2]
    assert screen.count(start) == 3


def test_undo_at_the_start(meeple):
    screen, found = play(meeple, "tictactoe", script="undo\nquit\n")
    assert "there is no move of yours to take back" in screen
    assert found["moves"] == []


def test_undo_keeps_a_first_move_that_is_not_ones_own(meeple):
    screen, found = play(meeple, "tictactoe", "--side", "second", script="undo\nquit\n")
    assert "there is no move of yours to take back" in screen
    assert len(found["moves"]) == 1


@pytest.mark.parametrize(("side", "result"), [("first", -1), ("second", 1)])
def test_resign(meeple, side, result):
    screen, found = play(meeple, "tictactoe", "--side", side, script="resign\nb2\n")
    assert screen.endswith("you resign\n")
    assert (found["result"], found["resigned"]) == (result, True)


def test_save_and_go_on_from_the_file(meeple, tmp_path):
    file = tmp_path / "my game.txt"
    screen, found = play(meeple, "connect4", script=f"4\nsave {file}\nquit\n")
    assert f"saved in {file}" in screen
    saved = file.read_text(encoding="utf-8").splitlines()[-1]  # each game is a line more
    assert saved.split() == found["moves"]
    _, again = play(meeple, "connect4", saved, script="quit\n")
    assert again["moves"] == found["moves"]


def test_save_without_a_name(meeple, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(meeple, "hex:4", script="c2\nsave\nquit\n")
    assert (tmp_path / "game.txt").read_text(encoding="utf-8").startswith("c2 ")


def test_save_where_it_cannot(meeple, tmp_path):
    screen, _ = play(meeple, "hex:4", script=f"save {tmp_path / 'nowhere' / 'x.txt'}\nsave {tmp_path}\nquit\n")
    assert screen.count("> error: cannot write ") == 2
    assert "left the game" in screen


def test_plain_characters(meeple):
    screen, _ = play(meeple, "othello", "--ascii", script="f5\nquit\n")
    assert screen.isascii()


def test_a_closed_box_moves_again(meeple):
    # The fourth line of the only box that is nearly closed: it is the same side's turn again, then the other's.
    screen, found = play(meeple, "dots:2", "aA aB Aa bA", script="Ab\nbB\nquit\n")
    assert found["moves"][4:6] == ["Ab", "bB"]
    closed, _, rest = screen.partition("> ")[2].partition("> ")
    assert "the other side plays" not in closed
    assert "the other side plays" in rest


def test_the_other_side_moves_again_too(meeple):
    # Only the upright lines of two boxes are left: after the middle one, each of the others closes a box.
    screen, found = play(meeple, "dots:1x2", "aA aB bA bB", script="Ab\n")
    assert (len(found["moves"]), found["result"]) == (7, -1)
    assert screen.count("the other side plays") == 2


def test_undo_within_ones_own_turns(meeple):
    _, found = play(meeple, "dots:2", "aA aB Aa bA", script="Ab\nundo\nquit\n")
    assert found["moves"] == ["aA", "aB", "Aa", "bA"]


def test_othello_skips_a_side_that_cannot_move(meeple):
    # The shortest wipe-out: after e7 no white disc is left, and nobody can move.
    script = ["f5", "d6", "c5", "f4", "e3", "f6", "g5", "e6", "e7"]
    screen, found = play(meeple, "othello", " ".join(script[:-1]), script="e7\nquit\n")
    assert found["moves"] == script
    assert found["result"] == 1
    assert "left the game" not in screen


def test_othello_skips_the_other_side(meeple):
    # After c1 the first player cannot move.
    screen, found = play(meeple, "othello", "d3 c3 e6 d2 d1 e1 b2", "--side", "second", script="c1\nmoves\na3\nquit\n")
    assert "> a3 b4 d6\n" in screen
    assert found["moves"][7:9] == ["c1", "a3"]


def test_a_pass_is_refused_where_nobody_has_to(meeple):
    screen, found = play(meeple, "othello", script="pass\nf5\nquit\n")
    assert "> error: 'pass' is illegal" in screen
    assert found["moves"][0] == "f5"


def test_a_users_game(meeple, tmp_path):
    mine = tmp_path / "breakthrough.py"
    mine.write_bytes(BREAKTHROUGH.read_bytes())
    code, out, err = meeple("play", str(mine), "--seed", "1", "--json", stdin="a2a9\na2a3\na2a3\nundo\nb2b3\nresign\n")
    found = json.loads(out)
    assert (code, found["game"], found["result"]) == (0, "breakthrough:8x8", -1)
    assert (found["moves"][0], len(found["moves"])) == ("b2b3", 2)
    assert err.count("error: ") == 2
