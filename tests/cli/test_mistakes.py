"""A user's mistakes: exit code 2, nothing on stdout, and one line on stderr that names what is wrong."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BREAKTHROUGH = Path(__file__).parents[2] / "examples" / "breakthrough.py"

WITH_A_GAME = {
    "show": ("show", "GAME"),
    "perft": ("perft", "GAME", "2"),
    "check": ("check", "GAME", "--games", "2"),
    "play": ("play", "GAME"),
    "match": ("match", "random", "random", "--game", "GAME", "--games", "2"),
    "openings": ("openings", "build", "GAME", "--plies", "1"),
    "prove": ("prove", "random", "--game", "GAME"),
    "train": ("train", "GAME", "--iterations", "1"),
    "recipe": ("recipe", "show", "fast", "--game", "GAME"),
}
"""Every verb that takes a game."""

BAD_GAMES = {
    "tictacto": "'tictacto'; did you mean tictactoe?",
    "otello:8": "'otello'; did you mean othello?",
    "chess": "no game is called 'chess'; there are tictactoe, ",
    "": "no game is called ''",
    "hex:20": "'hex:20' has no such size: hex takes 2 to 19, as in hex:11",
    "hex:1": "'hex:1' has no such size",
    "hex:": "'hex:' has no such size",
    "hex:big": "'hex:big' has no such size",
    "hex:6x6": "'hex:6x6' has no such size",
    "hex:-6": "'hex:-6' has no such size",
    "gomoku:4": "'gomoku:4' has no such size",
    "connect4:11x7": "'connect4:11x7' has no such size",
    "connect4:4x": "'connect4:4x' has no such size",
    "othello:5": "'othello:5' has no such size: othello takes 4, 6, 8 or 10",
    "go:14": "'go:14' has no such size",
    "dots:0": "'dots:0' has no such size",
    "tictactoe:4": "'tictactoe:4' has no such size",
    "mnk:3x3x4": "of 4",
    "go:9?kom=1": "'kom'; did you mean komi?",
    "go:9?komi=lots": "not 'lots'",
    "go:9?komi=nan": "not 'nan'",
    "hex:5?swap=yes": "not 'yes'",
    "tictactoe?x=1": "no option 'x'",
    "missing.py": "no file 'missing.py'",
    "no/such/folder": "no/such/folder",
    "no\nsuch\ngame": "no game is called",
    "x" * 500: "no game is called 'xxx",
}

BAD_MOVES = [
    ("tictactoe", "b2 b2", "b2 is illegal after 1 ply of tictactoe; legal are a3 b3 c3"),
    ("tictactoe", "a1 b1 a2 b2 a3 b3", "b3 is illegal after 5 plies of tictactoe: the game is over"),
    ("tictactoe", "a1 b1 a2 b2 a3 zz", "'zz' is not a move of tictactoe"),
    ("tictactoe", "d4", "'d4' is not a move of tictactoe; moves look like a3 or c1"),
    ("tictactoe", "a1,b2", "'a1,b2'"),
    ("tictactoe", "a1 \x00\x1b[31m", "'\\x00\\x1b[31m'"),
    ("gomoku:9", "a10", "'a10' is not a move of gomoku:9; did you mean a1?"),
    ("connect4", "4444444", "4 is illegal after 6 plies of connect4; legal are 1 2 3 5 6 7"),
    ("connect4", "8", "'8' is not a move of connect4; moves look like 1 or 7"),
    ("connect4", "44x3", "'44x3'"),
    ("othello", "f5f5", "f5 is illegal after 1 ply of othello; legal are f4 d6 f6"),
    ("othello", "f5d6z9", "'f5d6z9'"),
    ("othello", "pass", "'pass' is illegal after 0 plies: nobody has to pass"),
    ("hex:5", "c3 swap-pieces", "'swap-pieces' is not a move of hex:5"),
    ("hex:5?swap=1", "swap-pieces", "swap-pieces is illegal after 0 plies"),
    ("go:5", "C3 C3", "C3 is illegal after 1 ply of go:5"),
    ("go:5", "pass pass C3", "C3 is illegal after 2 plies of go:5: the game is over"),
    ("go:5", "I1", "'I1' is not a move of go:5"),
    ("dots:2", "aA aA", "aA is illegal after 1 ply of dots:2"),
    ("dots:2", "aa", "the move 'aa' could be aA or Aa in dots:2"),
    ("hex:11", "x" * 10_000, "xxx…'"),
]

BAD_WORDS = [
    (("shwo",), "'shwo'"),
    (("shwo",), "Did you mean 'show'?"),
    (("show",), "'GAME'"),
    (("perft", "tictactoe"), "'DEPTH'"),
    (("match", "random"), "'SPEC'"),
    (("match", "random", "random"), "'--game'"),
    (("show", "tictactoe", "--svgg", "x"), "--svgg"),
    (("show", "tictactoe", "--svgg", "x"), "--svg)"),
    (("games", "--jsn"), "--jsn"),
    (("show", "tictactoe", "--svg"), "--svg"),
    (("show", "tictactoe", "--json=1"), "--json"),
    (("games", "extra"), "extra"),
    (("perft", "tictactoe", "deep"), "DEPTH"),
    (("perft", "tictactoe", "2.5"), "DEPTH"),
    (("perft", "tictactoe", "--", "-1"), "DEPTH"),
    (("perft", "tictactoe", "-1"), "-1"),
    (("check", "tictactoe", "--games", "0"), "--games"),
    (("check", "tictactoe", "--seed", "x"), "--seed"),
    (("play", "tictactoe", "--side", "third"), "'third'"),
    (("match", "random", "random", "--game", "hex:4", "--games", "3"), "even number of games, for colours are swapped"),
    (("match", "random", "random", "--game", "hex:4", "--games", "3"), "not 3"),
    (("match", "random", "random", "--game", "hex:4", "--games", "0"), "--games"),
    (("match", "random", "random", "--game", "hex:4", "--opening-plies", "-1"), "--opening-plies"),
    (("match", "random", "random", "--game", "tictactoe", "--opening-plies", "9"), "9 random plies"),
    (("prove", "random"), "'--game'"),
    (("prove", "random", "--game", "hex:2", "--positions", "1"), "--positions"),
    (
        ("prove", "random", "--game", "hex:2", "--limit", "soon"),
        "--limit takes a time such as 2s, 500ms or 1m, not 'soon'",
    ),
    (("prove", "random", "--game", "hex:2", "--limit", "0"), "--limit takes a time"),
    (("bench", "speed"), "'speed'"),
    (("bench", "playouts/conect4"), "'playouts/conect4'; did you mean playouts/connect4?"),
    (("bench", "playouts/tictactoe", "playout"), "'playout'; did you mean playouts?"),
]

BAD_PLAYERS = {
    "randm": "'randm'; did you mean random?",
    "Random": "'Random'; did you mean random?",
    "grandmaster_of_all": "no player is called 'grandmaster_of_all'",
    "": "no player is called ''",
    "random:3": "'random:3': random takes no argument",
    "random?strength=9": "'random?strength=9': random takes no argument and no options",
    "random?strength": "options are written option=value, not 'strength'",
}

BAD_FILES = {
    "raises": (
        "game = ",
        'raise ValueError("first line\\nsecond")\ngame = ',
        "mine.py, line 19: ValueError: first line",
    ),
    "divides by zero": ("    pass", "    pass\n\n1 / 0", "mine.py, line 7: ZeroDivisionError: division by zero"),
    "leaves": ("game = ", "raise SystemExit(3)\ngame = ", "mine.py, line 19: SystemExit"),
    "recurses": ("game = ", "def f(): f()\nf()\ngame = ", "RecursionError"),
    "imports what is not there": (
        "numpy as",
        "nunpy as",
        "mine.py, line 1: ModuleNotFoundError: No module named 'nunpy'",
    ),
    "syntax error": ("def play(state, action):", "def play(state, action)", "mine.py, line 11: SyntaxError"),
    "lacks a function": (" play=play,", "", "'play'"),
    "has no function there": ("play=play", "play=3", "play must be play(state, action), not int 3"),
    "has None there": ("play=play", "play=None", "the function play(state, action) is missing"),
    "too few arguments": ("moves(state, actions)", "moves(state)", "moves(state, actions) that returns how many"),
    "too many arguments": ("observe(state, planes)", "observe(state, planes, more)", "yours takes 3 arguments"),
    "does not compile": ("return 1", 'return "one"', "moves must be moves(state, actions)"),
    "knows no such name": ("actions[0] = 0", "actions[0] = zero", "'zero'"),
    "no game": ("game = ", "gaem = ", "mine.py does not define `game`"),
    "another game": ("game = Game(", "game = 3 or Game(", "mine.py defines `game` as int"),
    "unknown word": ("num_words=4", "num_words=4, colour=1", "'colour'"),
    "too few words": ("num_words=4", "num_words=2", "num_words must be more than the header's 3, not 2"),
    "names": ("num_words=4", 'num_words=4, names=["a", "b"]', "names must be 1 different words"),
    "symmetries": ("num_words=4", 'num_words=4, symmetries="all"', "not 'all'"),
}


def assert_mistake(done, fault):
    assert "Traceback" not in done.err
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert (done.err.count("\n"), done.err[-1]) == (1, "\n")
    assert fault in done.err


def with_game(verb, game):
    return [game if word == "GAME" else word for word in WITH_A_GAME[verb]]


@pytest.mark.parametrize("verb", WITH_A_GAME)
@pytest.mark.parametrize("game", BAD_GAMES)
def test_a_bad_name_of_a_game(meeple, verb, game):
    assert_mistake(meeple(*with_game(verb, game)), BAD_GAMES[game])


@pytest.mark.parametrize("verb", WITH_A_GAME)
def test_json_changes_nothing_about_a_mistake(meeple, verb):
    assert meeple(*with_game(verb, "tictacto"), "--json") == meeple(*with_game(verb, "tictacto"))


@pytest.mark.parametrize("verb", ["show", "play"])
@pytest.mark.parametrize(("game", "moves", "fault"), BAD_MOVES)
def test_bad_moves(meeple, verb, game, moves, fault):
    assert_mistake(meeple(verb, game, moves), fault)
    assert len(meeple(verb, game, moves).err) < 200


@pytest.mark.parametrize(("words", "fault"), BAD_WORDS)
def test_bad_words(meeple, words, fault):
    assert_mistake(meeple(*words), fault)


@pytest.mark.parametrize("spec", BAD_PLAYERS)
@pytest.mark.parametrize(
    "words",
    [
        ("play", "tictactoe", "--against", "SPEC"),
        ("match", "SPEC", "random", "--game", "tictactoe"),
        ("match", "random", "SPEC", "--game", "tictactoe"),
        ("prove", "SPEC", "--game", "tictactoe"),
    ],
)
def test_a_bad_player(meeple, words, spec):
    assert_mistake(meeple(*(spec if word == "SPEC" else word for word in words)), BAD_PLAYERS[spec])


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_game_file(meeple, tiny, what):
    old, new, fault = BAD_FILES[what]
    assert_mistake(meeple("show", tiny(old, new)), fault)


@pytest.mark.parametrize("verb", WITH_A_GAME)
@pytest.mark.parametrize("what", ["raises", "syntax error", "lacks a function", "too few arguments"])
def test_every_verb_tells_of_a_bad_game_file(meeple, tiny, verb, what):
    old, new, fault = BAD_FILES[what]
    assert_mistake(meeple(*with_game(verb, tiny(old, new))), fault)


@pytest.mark.parametrize("content", [b"", b"a\0b", b"x = '\xff'", b"\x89PNG\r\n"])
def test_a_file_that_is_no_game(meeple, tmp_path, content):
    (tmp_path / "mine.py").write_bytes(content)
    assert_mistake(meeple("show", str(tmp_path / "mine.py")), "mine.py")


def test_a_folder_is_no_game(meeple, tmp_path):
    assert_mistake(meeple("show", str(tmp_path)), str(tmp_path))


@pytest.mark.parametrize("file", ["nowhere/board.svg", "."])
def test_a_drawing_that_cannot_be_written(meeple, tmp_path, file):
    assert_mistake(meeple("show", "tictactoe", "--svg", str(tmp_path / file)), f"cannot write {tmp_path / file}: ")


def test_a_process_ends_the_same_way(meeple_process):
    assert_mistake(meeple_process("show", "hex:6", "c4 c4"), "c4 is illegal after 1 ply of hex:6")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are otherwise there")
def test_control_c_stops_without_a_traceback():
    command = [sys.executable, "-m", "meeple", "play", "tictactoe"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        while process.stdout.read(1) != b">":
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are otherwise there")
def test_a_closed_pipe_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "meeple", "games"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.stderr == b""


# What once was wrong.


def test_a_users_game_loads_again_from_the_cache(meeple_process, tmp_path):
    for _ in range(2):
        done = meeple_process("perft", str(BREAKTHROUGH), "1", MEEPLE_CACHE_DIR=str(tmp_path / "kernels"))
        assert (done.code, done.err) == (0, "")


def test_a_users_file_may_be_called_like_a_module(meeple, tiny):
    assert meeple("check", tiny(name="numpy.py"), "--games", "2").code == 0


def test_no_words_say_what_is_expected(meeple):
    code, _, err = meeple()
    assert code == 2
    assert err.strip() != "error:"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("perft", "tictactoe", "deep"), "'deep'"),
        (("check", "tictactoe", "--games", "-7"), "-7"),
        (("match", "random", "random", "--game", "hex:4", "--games", "-7"), "-7"),
        (("play", "tictactoe", "--seed", "soon"), "'soon'"),
    ],
)
def test_names_the_value(meeple, words, value):
    assert_mistake(meeple(*words), value)


def test_a_negative_seed_is_a_seed_or_a_mistake(meeple):
    done = meeple("check", "tictactoe", "--games", "2", "--seed", "-1")
    assert done.code == 0 or done.err.startswith("error: ")


def test_a_name_too_long_for_a_file(meeple):
    assert_mistake(meeple("show", "x" * 300 + ".py"), "xxx")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    pass", "    if state.size:\n        raise ValueError('oh')"),
        ("num_words=4", "num_words=4, pieces=lambda state: 1 / 0"),
        ("num_words=4", "num_words=4, pieces=lambda state: [7]"),
        ("shape=(2,", "shape=(1,"),
        ("    pass", "    state[1] = np.uint64(9)"),
    ],
    ids=["setup raises", "pieces raises", "pieces has too many players", "one plane, no pieces", "no such result"],
)
def test_a_game_that_goes_wrong_when_it_is_used(meeple, tiny, old, new):
    assert_mistake(meeple("show", tiny(old, new)), "tiny")


def test_a_file_that_prints(meeple, tiny):
    assert meeple("show", tiny("game = ", 'print("hello")\ngame = '), "--json").out.startswith("{")


def test_a_line_that_is_not_text(meeple_process):
    done = meeple_process("play", "tictactoe", stdin=b"a\xff\nquit\n", text=False, PYTHONIOENCODING="utf-8:strict")
    assert b"Traceback" not in done.err
    assert done.code in (0, 2)


def test_a_screen_without_the_letters(meeple_process):
    done = meeple_process("show", "othello", PYTHONIOENCODING="ascii")
    assert "Traceback" not in done.err
    assert done.code in (0, 2)
