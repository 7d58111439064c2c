"""`meeple match`."""

import io
import json
import sys

import pytest

from meeple.cli import output

FIELDS = {
    "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high", "unique_games", "as_first", "as_second",
    "seconds",
}  # fmt: skip
MATCH = ("match", "random", "random", "--game")


def without_time(found):
    return {name: value for name, value in found.items() if name != "seconds"}


def test_as_json(meeple):
    code, out, err = meeple(*MATCH, "tictactoe", "--games", "40", "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert found.keys() >= FIELDS
    assert found["wins"] + found["draws"] + found["losses"] == 40
    for count in ("wins", "draws", "losses"):
        assert found["as_first"][count] + found["as_second"][count] == found[count]
    assert sum(found["as_first"][count] for count in ("wins", "draws", "losses")) == 20
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 40
    assert found["elo_low"] < found["elo"] < found["elo_high"]
    assert 1 < found["unique_games"] <= 40


def test_in_words(meeple):
    code, out, err = meeple(*MATCH, "hex:4", "--games", "20")
    found = json.loads(meeple(*MATCH, "hex:4", "--games", "20", "--json").out)
    assert (code, err) == (0, "")
    assert f"{found['wins']} won, 0 drawn, {found['losses']} lost in 20 games" in out
    assert f"score {found['score']:.3f}" in out
    assert f"{found['unique_games']} different games" in out


def test_the_same_seed_repeats_the_match(meeple):
    def play(seed):
        options = "--games", "20", "--opening-plies", "3", "--seed", seed, "--json"
        return without_time(json.loads(meeple(*MATCH, "dots:2", *options).out))

    assert play("1") == play("1") != play("2")


def test_a_game_that_the_first_move_wins(meeple, tiny):
    always_first = tiny("np.uint64(3)", "state[0] + np.uint64(1)")
    found = json.loads(meeple(*MATCH, always_first, "--games", "4", "--json").out)
    assert (found["score"], found["elo"], found["unique_games"]) == (0.5, 0.0, 1)
    assert (found["as_first"]["wins"], found["as_second"]["losses"]) == (2, 2)


def test_infinity_is_written_as_null(capsys):
    output.print_json({"elo": float("-inf"), "both": [float("inf"), float("nan"), 1.5]})
    assert json.loads(capsys.readouterr().out) == {"elo": None, "both": [None, None, 1.5]}


def test_progress_is_plain_lines_on_stderr(meeple, monkeypatch):
    monkeypatch.setattr(output, "PLAIN_EVERY_S", 0)
    code, out, err = meeple(*MATCH, "tictactoe", "--games", "4", "--json")
    assert code == 0
    assert without_time(json.loads(out))["wins"] >= 0
    lines = err.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"{number} of 4 games" for number in (1, 2, 3, 4)]
    assert all("a second" in line and "left" in line for line in lines)


def test_progress_is_a_bar_on_a_terminal(meeple, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", screen)
        patch.setenv("TERM", "xterm-256color")
        done = meeple(*MATCH, "tictactoe", "--games", "4", "--json")
    assert done.code == 0
    assert json.loads(done.out)["wins"] >= 0
    assert "4/4" in screen.getvalue()


@pytest.mark.parametrize("games", ["1", "3", "101"])
def test_an_odd_number_of_games_is_refused(meeple, games):
    code, out, err = meeple(*MATCH, "tictactoe", "--games", games)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
