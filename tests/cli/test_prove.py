"""`meeple prove`."""

import json

import pytest

from meeple.cli import output, prove
from meeple.judge.prove import MAX_POSITIONS

FIELDS = {"games", "positions", "wins", "draws", "losses"}
BLIND = ("prove", "random", "--game", "tictactoe")
SIGHTED = ("prove", "alphabeta:9", "--game", "tictactoe")


def test_as_json(meeple):
    code, out, err = meeple(*SIGHTED, "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (found["complete"], found["stopped"]) == (True, None)
    for name in ("as_first", "as_second"):
        side = found[name]
        assert side.keys() >= FIELDS
        assert side["games"] == side["wins"] + side["draws"] > side["losses"] == 0
        assert (side["complete"], side["plies"], side["lost_line"]) == (True, 9, None)


def test_in_words(meeple):
    code, out, err = meeple(*SIGHTED)
    found = json.loads(meeple(*SIGHTED, "--json").out)
    assert (code, err) == (0, "")
    for name, side in (("first", found["as_first"]), ("second", found["as_second"])):
        counts = f"{side['wins']} won, {side['draws']} drawn, 0 lost; {side['positions']} positions"
        assert f"moving {name}: {side['games']} games: {counts}\n" in out
    assert "it never loses: every reply was tried\n" in out


def test_a_game_that_is_lost_is_shown(meeple):
    code, out, err = meeple(*BLIND)
    found = json.loads(meeple(*BLIND, "--json").out)
    assert (code, err) == (1, "")
    assert meeple(*BLIND, "--json").code == 1
    assert "it can be beaten\n" in out
    for name, result in (("first", -1), ("second", 1)):
        line = " ".join(found[f"as_{name}"]["lost_line"])
        assert f"lost moving {name}: {line}\n" in out
        assert json.loads(meeple("show", "tictactoe", line, "--json").out)["result"] == result


def test_the_same_seed_repeats_it(meeple):
    def sides(seed):
        found = json.loads(meeple(*BLIND, "--seed", seed, "--json").out)
        return found["as_first"], found["as_second"]

    assert sides("1") == sides("1") != sides("2")


@pytest.mark.parametrize(
    ("options", "stopped", "reason"),
    [(("--positions", "40"), "positions", "too many positions"), (("--limit", "1ms"), "time", "time was up")],
)
def test_a_budget_is_told(meeple, options, stopped, reason):
    words = "prove", "alphabeta:1", "--game", "connect4", *options
    code, out, err = meeple(*words)
    found = json.loads(meeple(*words, "--json").out)
    assert (code, err) == (0, "")
    assert (found["complete"], found["stopped"], found["as_first"]["games"]) == (False, stopped, 0)
    assert f"0 games that end within {found['as_first']['plies']} plies: " in out
    assert out.endswith(f"no loss so far\nnot complete ({reason}): longer games were not followed to their end\n")


def test_a_loss_within_the_budget_is_a_loss(meeple):
    done = meeple(*BLIND, "--positions", "400")
    assert done.code == 1
    assert "it can be beaten\nnot complete (too many positions): " in done.out


def test_control_c_tells_what_is_known(meeple, monkeypatch):
    asked = 0

    def choose(self, position):
        nonlocal asked
        asked += 1
        if asked == 20:
            raise KeyboardInterrupt
        return position.moves[0]

    monkeypatch.setattr("meeple.play.players.RandomPlayer.choose", choose)
    code, out, err = meeple(*BLIND, "--json")
    found = json.loads(out)
    assert (code, err) == (130, "stopped before every reply was tried\n")
    assert (found["complete"], found["stopped"]) == (False, "interrupted")
    assert found["as_second"]["plies"] > 0


def test_progress_is_plain_lines_on_stderr(meeple, monkeypatch):
    monkeypatch.setattr(output, "PLAIN_EVERY_S", 0)
    lines = meeple(*BLIND, "--json").err.splitlines()
    counts = [int(line.split()[0]) for line in lines]
    assert counts == sorted(set(counts))
    assert all(" positions, " in line and " a second  ply " in line for line in lines)


def test_the_usual_budget_is_that_of_the_function():
    assert prove.MAX_POSITIONS == MAX_POSITIONS


def test_another_programs_player_is_known(meeple):
    assert "openspiel" in meeple("prove", "openspiel:uct", "--game", "tictactoe").err
