"""`meeple replay`, and what `meeple match` saves for it."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from meeple.cli import app
from meeple.play.players import MAKERS

MATCH = ("match", "random", "random", "--game")


class Done(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the program in this process."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["meeple", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            app.main()
        return Done(ended.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def saved(run, tmp_path):
    """A file of ten games of Tic-tac-toe."""
    assert run(*MATCH, "tictactoe", "--games", 10, "--save", tmp_path / "games.jsonl").code == 0
    return tmp_path / "games.jsonl"


def test_a_saved_game_is_played_again(run, saved):
    code, out, err = run("replay", saved)
    assert (code, err) == (0, "")
    assert out.startswith("game 1 of 10: tictactoe, random against random, ")
    assert out.endswith("played again: the same moves\n")
    for index in range(1, 11):
        found = json.loads(run("replay", saved, "--index", index, "--json").out)
        assert (found["same"], found["difference"], found["index"], found["games"]) == (True, None, index, 10)
        assert found["moves"] == found["replayed"]


def test_other_moves_are_a_failure(run, saved):
    record = json.loads(saved.read_text(encoding="utf-8").splitlines()[0])
    moves = run("replay", saved, "--json").out
    saved.write_text(json.dumps({**record, "seed": record["seed"] + 1}) + "\n", encoding="utf-8")
    code, out, err = run("replay", saved, "--json")
    found = json.loads(out)
    assert (code, err, found["same"]) == (1, "", False)
    ply = found["difference"]
    assert found["moves"] == json.loads(moves)["moves"]
    assert found["moves"][:ply] == found["replayed"][:ply]
    assert f"played again: move {ply + 1} was " in run("replay", saved).out


def test_players_that_cannot_be_made_again_are_one_line(run, saved):
    saved.write_text(saved.read_text(encoding="utf-8").replace('["random"', '["Scripted"'), encoding="utf-8")
    code, _, err = run("replay", saved)
    assert (code, err.count("\n")) == (0, 1)
    assert err.startswith("the moves are legal, but the game cannot be played again: ")
    assert json.loads(run("replay", saved, "--json").out)["same"] is None


def test_drawings(run, saved):
    last, every = run("replay", saved, "--show", "--ascii").out, run("replay", saved, "--each", "--ascii").out
    moves = json.loads(run("replay", saved, "--show", "--json").out)["moves"]
    assert last.count("a b c") * (len(moves) + 1) == every.count("a b c") > 1
    assert len(json.loads(run("replay", saved, "--each", "--json").out)["drawings"]) == len(moves) + 1


def test_a_game_of_ones_own_must_be_given(run, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("from meeple.games.mnk import mnk\ngame = mnk(3, 3, 2)\ngame.name = 'mine'\n", encoding="utf-8")
    run(*MATCH, mine, "--games", 2, "--save", tmp_path / "games.jsonl")
    code, _, err = run("replay", tmp_path / "games.jsonl")
    assert (code, err.count("\n")) == (2, 1)
    assert run("replay", tmp_path / "games.jsonl", "--game", mine).code == 0
    code, _, err = run("replay", tmp_path / "games.jsonl", "--game", "tictactoe")
    assert code == 2
    assert "a game of 'mine', not of tictactoe" in err


@pytest.mark.parametrize(
    ("content", "options", "fault"),
    [
        ("nonsense", (), ":1: not a line of JSON"),
        ("", (), "has 0 games; there is no game 1"),
        (None, ("--index", 11), "has 10 games; there is no game 11"),
    ],
)
def test_mistakes_are_one_line(run, saved, content, options, fault):
    if content is not None:
        saved.write_text(content, encoding="utf-8")
    code, out, err = run("replay", saved, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert fault in err


def test_sgf(run, tmp_path):
    file = tmp_path / "games.sgf"
    found = json.loads(run(*MATCH, "hex:4?swap=1", "--games", 6, "--sgf", file, "--json").out)
    shown = [json.loads(run("replay", file, "--show", "--index", index, "--json").out) for index in range(1, 7)]
    assert sum(game["result"] == 1 for game in shown[::2]) == found["as_first"]["wins"]
    code, out, err = run("replay", file)
    assert (code, out.splitlines()[0][:32]) == (0, "game 1 of 6: hex:4?swap=1, rando")
    assert "the game has no seed" in err


def test_sgf_of_other_games_is_refused_before_the_match(run, tmp_path):
    code, _, err = run(*MATCH, "dots:2", "--games", 2, "--sgf", tmp_path / "games.sgf")
    assert code == 2
    assert "SGF has no dots:2" in err
    assert not (tmp_path / "games.sgf").exists()


def test_the_sequential_test(run):
    found = json.loads(run(*MATCH, "tictactoe", "--games", 1000, "--sprt", "200,400", "--json").out)
    assert found["stopped"] == "sprt"
    assert found["sprt"].keys() == {"elo0", "elo1", "llr", "low", "high", "verdict"}
    assert found["sprt"]["verdict"] == "rejected"
    assert found["games"] == found["wins"] + found["draws"] + found["losses"] < 1000
    assert found["score_low"] < found["score"] < found["score_high"]
    assert (
        "SPRT: stronger by 200 Elo rather than 400;"
        in run(*MATCH, "tictactoe", "--games", 1000, "--sprt", "200,400").out
    )
    for wrong in ("1", "a,b", "2,1", "1,2,3"):
        code, _, err = run(*MATCH, "tictactoe", "--sprt", wrong)
        assert (code, err.count("\n")) == (2, 1)


def test_openings_of_a_file(run, tmp_path):
    (tmp_path / "openings.txt").write_text("a1\nb2\n", encoding="utf-8")
    options = ("--games", 4, "--openings", tmp_path / "openings.txt", "--save", tmp_path / "games.jsonl")
    assert run(*MATCH, "tictactoe", *options).code == 0
    lines = (tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["moves"][0] for line in lines] == ["a1", "a1", "b2", "b2"]


class Impatient:
    """Stops the program at some move."""

    def __init__(self, moves):
        self.left = moves

    def choose(self, position):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return position.moves[0]


@pytest.mark.parametrize("moves", [1, 20])
def test_an_interrupted_match_reports_what_was_played(run, tmp_path, monkeypatch, moves):
    monkeypatch.setitem(MAKERS, "impatient", lambda spec, game, seed: Impatient(moves))
    file = tmp_path / "games.jsonl"
    code, out, err = run("match", "impatient", "random", "--game", "tictactoe", "--save", file, "--json")
    found = json.loads(out)
    assert (code, found["stopped"]) == (130, "interrupted")
    assert err == f"stopped after {found['games']} of 100 games\n"
    assert len(file.read_text(encoding="utf-8").splitlines()) == found["games"]
    assert (found["games"] > 0) == (moves > 1)


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_control_c(tmp_path):
    file = tmp_path / "games.jsonl"
    command = [sys.executable, "-m", "meeple", *MATCH, "tictactoe", "--games", "1000000", "--save", str(file)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    began = time.monotonic()
    while time.monotonic() < began + 60 and not (file.exists() and file.stat().st_size):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "different games" in out
    assert "of 1000000 games" in err.splitlines()[-1]
    assert "Traceback" not in err
