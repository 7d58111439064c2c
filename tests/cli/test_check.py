"""`meeple check`."""

import json

import pytest


def test_says_what_was_played(meeple):
    code, out, err = meeple("check", "tictactoe", "--games", "30", "--seed", "4")
    assert (code, err) == (0, "")
    assert out.startswith("tictactoe: no fault in 30 random games")


def test_as_json(meeple):
    code, out, err = meeple("check", "connect4:4x5", "--games", "20", "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert (found["game"], found["games"], found["symmetries"]) == ("connect4:4x5", 20, 2)
    assert found["plies"] > found["games"]


def test_the_same_seed_plays_the_same_games(meeple):
    def plies(seed):
        return json.loads(meeple("check", "othello:6", "--games", "20", "--seed", seed, "--json").out)["plies"]

    assert plies("1") == plies("1") != plies("2")


def test_accepts_a_users_game(meeple, tiny):
    assert meeple("check", tiny(), "--games", "2").out.startswith("tiny: no fault in 2 random games, 2 plies")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("state[1] = np.uint64(3)", "pass", "max_plies"),
        ("np.uint64(3)", "np.uint64(9)", "the result, must be 0 to 3, not 9"),
        ("    state[2] += np.uint64(1)\n", "", "play must add 1"),
        ("return 1", "return 0", "moves returned 0"),
        ("actions[0] = 0", "actions[0] = 1", "actions must ascend"),
        ("range(planes.size)", "range(1)", "observe left number 1 of the planes unwritten"),
        ("    pass\n", "    state[2] = np.uint64(1)\n", "setup must leave"),
    ],
)
def test_finds_a_breach_of_the_contract(meeple, tiny, old, new, fault):
    code, out, err = meeple("check", tiny(old, new))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: tiny ")
    assert fault in err
