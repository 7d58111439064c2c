"""Games by name: the table against the games, sizes and options at their limits, hints, and users' files."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeple.errors import GameNameError, MeepleError, RulesError
from meeple.games.check import check
from meeple.games.game import Game
from meeple.games.perft import perft
from meeple.games.registry import game
from meeple.games.table import ENTRIES, TABLE
from meeple.search.playouts import random_games

EXAMPLES = Path(__file__).parents[2] / "examples"


def entry_id(entry):
    return entry.name


def at_limits(entry):
    """Names with every number of the size at an end of its limits, as far as they are games."""
    low, high = entry.limits[0], entry.limits[-1]
    names = {f"{entry.name}:{low}", f"{entry.name}:{high}"} if entry.usual else {entry.name}
    if len(entry.usual) == 2:
        names |= {f"{entry.name}:{low}x{high}", f"{entry.name}:{high}x{low}"}
    if entry.name == "mnk":
        names = {"mnk:1x2x2", "mnk:2x1x2", "mnk:1x19x19", "mnk:19x1x2", "mnk:19x19x2", "mnk:19x19x19"}
    return names


def outside(entry):
    """Names just outside the limits, and sizes that are none."""
    step = entry.limits.step
    below, above = entry.limits[0] - step, entry.limits[-1] + step
    usual = entry.usual or (3,)
    sizes = {"x".join(map(str, (*usual[:-1], wrong))) for wrong in (below, above)}
    sizes |= {"x".join(map(str, (wrong, *usual[1:]))) for wrong in (below, above)}
    return {f"{entry.name}:{size}" for size in sizes | {"", "x", "big", "-3", "3.5", "1x2x3x4", "9999"}}


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_id)
def test_the_table_agrees_with_the_games(entry):
    found = game(entry.name)
    assert (found.num_actions, found.shape[0], len(found.symmetries)) == (
        entry.actions,
        entry.planes,
        entry.symmetries,
    )
    assert found.name.partition(":")[0] == entry.name


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_id)
def test_the_notation_in_the_table_is_readable(entry):
    move = entry.notation.partition(":")[0]
    assert move in game(entry.name).names
    assert game(entry.name).read(move).history == (move,)
    several = re.search(r"(\S+) for several moves", entry.notation)
    if several:
        assert game(entry.name).read(several.group(1)).plies > 1


@pytest.mark.parametrize("entry", ENTRIES, ids=entry_id)
def test_the_usual_size_is_what_the_name_alone_means(entry):
    if entry.usual:
        assert game(f"{entry.name}:{'x'.join(map(str, entry.usual))}").name == game(entry.name).name


@pytest.mark.parametrize("name", sorted(name for entry in ENTRIES for name in at_limits(entry)))
def test_sizes_at_the_limits_are_played(name):
    found = random_games(game(name), 1, seed=1)
    assert 0 < found.plies <= game(name).max_plies
    assert found.first_won + found.second_won + found.drawn == 1


@pytest.mark.parametrize("name", sorted(name for entry in ENTRIES for name in outside(entry)))
def test_sizes_outside_the_limits_are_refused(name):
    entry = TABLE[name.partition(":")[0]]
    assert_one_line(name, f"takes {re.escape(entry.sizes)}, as in {entry.name}")


@pytest.mark.parametrize(
    "name",
    [
        "tictactoe", "mnk:7x4x3", "mnk:7x4x3?exact=1", "gomoku:9?exact=1", "connect4", "connect4:8", "othello",
        "othello:10", "hex:5", "hex:5?swap=1", "go:9", "go:9?komi=5.5", "go:9?komi=-0.5&suicide=1", "dots:4x5",
        "dots:4",
    ],
)  # fmt: skip
def test_a_game_tells_a_name_that_means_it(name):
    found = game(name)
    assert game(found.name).name == found.name
    assert (game(found.name).shape, game(found.name).num_actions) == (found.shape, found.num_actions)
    assert found.name == {"connect4:8": "connect4:8x8"}.get(name, name)


def test_one_number_means_a_square():
    assert game("dots:4").shape == game("dots:4x4").shape
    assert game("connect4:8").shape == game("connect4:8x8").shape


def test_a_name_gives_the_same_game_each_time():
    assert game("hex:5") is game(" hex:5 ")


def test_options_change_the_rules():
    assert game("hex:5?swap=1").num_actions == game("hex:5").num_actions + 1
    assert game("hex:5?swap=0").num_actions == game("hex:5").num_actions
    assert game("go:3?komi=9").read("B2 pass pass").result == 0
    assert game("go:3?komi=8.5").read("B2 pass pass").result == 1
    six = "a1 a3 b1 b3 c1 c3 e1 e3 f1 f3 d1"
    assert game("gomoku:7").read(six).result == 1
    assert game("gomoku:7?exact=1").read(six).result is None
    suicide = "pass A2 pass B1 A1 pass C1 pass"
    assert game("go:2?suicide=1").read("A1 pass A2 pass B1 pass").moves == ("B2", "pass")
    assert game("go:2").read("A1 pass A2 pass B1 pass").moves == ("pass",)
    with pytest.raises(MeepleError):
        game("go:2").read(suicide)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hexx", "no game is called 'hexx'; did you mean hex?"),
        ("conect4", "did you mean connect4?"),
        ("Othelo:8", "did you mean othello?"),
        ("tic-tac-toe", "did you mean tictactoe?"),
        ("chess", "no game is called 'chess'; there are tictactoe, .*, or the path of a .py file"),
        ("", "no game is called ''"),
        ("   ", "no game is called ''"),
        (":5", "no game is called ''"),
        ("hex:5?swop=1", "hex has no option 'swop'; did you mean swap?"),
        ("hex:5?swap", "the option swap of hex is 1 or 0, not ''"),
        ("hex:5?swap=yes", "the option swap of hex is 1 or 0, not 'yes'"),
        ("hex:5?komi=3", "hex has no option 'komi'; it has swap"),
        ("othello?fast=1", "othello has no option 'fast'; it has none"),
        ("go:9?komi=7.3", r"the option komi of go is a multiple of 0.5 up to 400, not '7.3'"),
        ("go:9?komi=many", "a multiple of 0.5"),
        ("go:9?komi=nan", "a multiple of 0.5"),
        ("go:9?komi=inf", "a multiple of 0.5"),
        ("go:9?komi=400.5", "a multiple of 0.5"),
        ("mnk:5x5x6", "mnk:5x5x6: a line must be of at least 2 and fit on the board, not of 6"),
        ("mnk:5x5x1", "mnk:5x5x1: a line must be of at least 2 and fit on the board, not of 1"),
        ("othello:7", "takes 4, 6, 8 or 10, as in othello:8"),
        ("tictactoe:3", "tictactoe takes 3x3, as in tictactoe$"),
        ("no\nwhere.py", "there is no file "),
        ("x" * 5000 + ".py", "there is no file "),
        ("\0.py", "there is no file "),
        ("nowhere.py", "there is no file .?nowhere.py"),
        ("some/where", "there is no file .?some.where"),
    ],
)
def test_a_name_that_is_none_is_refused_with_a_hint(name, message):
    assert_one_line(name, message)


def assert_one_line(name, message, error=GameNameError):
    with pytest.raises(error, match=message) as caught:
        game(name)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 600


NAMES = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"(hex|go|dots|mnk|connect4|othello|gomoku|tictactoe)?:?[0-9x?&=. a-z-]{0,12}", fullmatch=True),
)


@given(NAMES)
def test_any_text_is_a_game_or_an_error_of_ours(text):
    try:
        found, told = game(text), ""
    except MeepleError as error:
        found, told = None, str(error)
    assert isinstance(found, Game) or len(told.splitlines()) == 1


# Users' files.

RULES = """
import numpy as np
from meeple.games.game import Game

def setup(state):
    pass

def moves(state, actions):
    count = 0
    for cell in range(4):
        if not state[3] >> np.uint64(cell) & np.uint64(1):
            actions[count] = cell
            count += 1
    return count

def play(state, action):
    state[3] |= np.uint64(1) << np.uint64(action)
    state[2] += np.uint64(1)
    if state[2] == np.uint64(4):
        state[1] = np.uint64(3)
    state[0] ^= np.uint64(1)

def observe(state, planes):
    for cell in range(4):
        planes[cell] = state[3] >> np.uint64(cell) & np.uint64(1)

"""
BUILD = """
game = Game('mine', setup=setup, moves=moves, play=play, observe=observe, num_words=4, shape=(1, 2, 2),
            pieces=lambda state: [0] * 4)
"""


def write(folder, text):
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_is_a_game(tmp_path):
    found = game(write(tmp_path, RULES + BUILD))
    assert found.name == "mine"
    assert perft(found, 4)[:3] == (24, 24, 1)
    assert check(found, games=60).plies == 240


def test_the_example_is_a_game():
    assert game(str(EXAMPLES / "breakthrough.py")).name == "breakthrough:8x8"


def test_a_file_is_a_game_again_in_another_process(tmp_path):
    # Numba cannot load from its cache what was compiled in a module that cannot be imported.
    path = write(tmp_path, RULES + BUILD)
    script = "import sys; from meeple.games.registry import game; print(game(sys.argv[1]).start().moves)"
    environment = {**os.environ, "MEEPLE_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):
        command = [sys.executable, "-c", script, path]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.stdout.strip(), done.stderr) == ("('a2', 'b2', 'a1', 'b1')", "")


def test_a_changed_file_is_a_changed_game(tmp_path):
    path = write(tmp_path, RULES + BUILD)
    assert perft(game(path), 1).paths == 4
    shorter = RULES.replace("range(4)", "range(3)", 1).replace("np.uint64(4)", "np.uint64(3)")
    write(tmp_path, shorter + BUILD)
    assert perft(game(path), 1).paths == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not define `game`; it must be a meeple.Game"),
        ("game = None", "does not define `game`"),
        ("game = 'hex'", "defines `game` as str; it must be a meeple.Game"),
        ("def game(): pass", "defines `game` as function"),
        ("x = 1\ngame = (", "mine.py, line 2: SyntaxError: "),
        ("x = 1\n  y = 2", "mine.py, line 2: IndentationError: "),
        ("x = 1\n\ny = 1 / 0", "mine.py, line 3: ZeroDivisionError: division by zero"),
        ("import no_such_module_anywhere", "mine.py, line 1: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", "mine.py, line 1: SystemExit: 3"),
        ("raise ValueError", "mine.py, line 1: ValueError: no reason given"),
        ("raise ValueError('one\\ntwo')", "mine.py, line 1: ValueError: one$"),
        ("raise ValueError('x' * 5000)", "mine.py, line 1: ValueError: xxx"),
        ("def f():\n    raise KeyError('k')\nf()", "mine.py, line 2: KeyError: 'k'"),
        ("\0", "mine.py.*: (SyntaxError|ValueError): source code"),
    ],
)
def test_a_file_that_is_no_game_is_refused(tmp_path, text, message):
    assert_one_line(write(tmp_path, text), message, RulesError)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("play=play, ", "", "TypeError: .*'play'"),
        ("observe=observe", "observe=None", r"mine: the function observe\(state, planes\) is missing"),
        ("play=play", "play=3", r"mine: play must be play\(state, action\), not int 3"),
        ("play=play", "play=setup", r"mine: play must be play\(state, action\); yours takes 1 argument$"),
        ("setup=setup", "setup=play", r"mine: setup must be setup\(state\); yours takes 2 arguments"),
        ("shape=(1, 2, 2)", "shape=(2, 2)", r"shape must be \(planes, rows, columns\)"),
        ("num_words=4", "num_words=2", "num_words must be more than the header's 3, not 2"),
        ("'mine'", "'mine', names=['a', 'b']", "names must be 4 different words"),
        ("num_words=4", "num_words=4, symetries='mirror'", "TypeError: .*'symetries'"),
        ("num_words=4", "num_words=4, symmetries='mirrored'", "symmetries must be one of .*, not 'mirrored'"),
        ("num_words=4", "num_words=4, compact='['", "mine.py"),
        ("num_words=4", "num_words=4, key=lambda state: 'text'", "mine: key must be .* Numba cannot compile it: "),
        ("num_words=4", "num_words=4, margin=lambda state: None", "mine: margin must be .* Numba cannot compile it: "),
        ("    pass", "    state.no_such_thing()", r"mine: setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    pass", "    undefined_name(state)", r"setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    pass", "    state[0] = 'text'", r"setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    pass", "    import os", r"setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    pass", "    yield 1", r"setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    pass", "    with open('x') as f: pass", r"setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    pass", "    class A: pass", r"setup must be setup\(state\); Numba cannot compile it: .*"),
        ("    return count", "    return 'three'", "moves must be .*; Numba cannot compile it: "),
        ("    return count", "    return None", "moves must be .*; Numba cannot compile it: "),
    ],
)
def test_a_file_whose_rules_are_wrong_is_refused(tmp_path, old, new, message):
    text = RULES + BUILD
    assert old in text
    assert_one_line(write(tmp_path, text.replace(old, new)), message, RulesError)


@pytest.mark.parametrize("line", ["state.no_such_thing()", "state[0] = np.zeros('two')[0]", "state[0] = 'text'"])
def test_a_fault_in_the_rules_is_told_with_its_line(tmp_path, line):
    text = (RULES + BUILD).replace("    pass", f"    x = 1\n    {line}")
    assert_one_line(write(tmp_path, text), r"\(line 7\)", RulesError)


@pytest.mark.parametrize(
    "line", ["seen = np.zeros(4, np.int64)", "seen = np.array([1, 2])", "seen = state.copy()", "seen = [1, 2]"]
)
def test_rules_may_make_arrays(tmp_path, line):
    text = RULES.replace("    count = 0\n", f"    count = 0\n    {line}\n    seen[0] = 1\n")
    found = game(write(tmp_path, text + BUILD))
    assert check(found, games=60).plies == 240
    assert random_games(found, 100, seed=1).plies == 400


def test_rules_may_be_compiled_by_the_user(tmp_path):
    text = RULES.replace("def play", "import numba\n@numba.njit\ndef play") + BUILD
    assert perft(game(write(tmp_path, text)), 4).paths == 24


def test_rules_may_use_tables(tmp_path):
    text = RULES.replace("def setup", "TABLE = np.arange(4, dtype=np.uint64)\ndef setup")
    text = text.replace("np.uint64(cell)", "TABLE[cell]") + BUILD
    planes = game(write(tmp_path, text)).start().play_action(2).planes
    np.testing.assert_array_equal(planes, [[[0, 0], [1, 0]]])
