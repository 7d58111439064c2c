"""How soon the program answers, and what it loads to do so."""

import re
import subprocess
import sys
import time

import pytest

from meeple.games.table import ENTRIES

HEAVY = {"llvmlite", "numba", "scipy", "torch"}
COLD_LIMIT_S = 10
OFTEN = ("tictactoe", "connect4")
TRIES = 3


def loaded(words):
    """The packages that the program imports to answer."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-m", "meeple", *words], capture_output=True, text=True)
    assert done.returncode == 0
    return {name.partition(".")[0] for name in re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)}


@pytest.mark.parametrize(("words", "limit_s"), [(("--help",), 0.5), (("games",), 1.0), (("games", "--json"), 1.0)])
def test_answers_at_once(meeple_process, words, limit_s):
    seconds = []
    for _ in range(TRIES):
        began = time.perf_counter()
        assert meeple_process(*words).code == 0
        seconds.append(time.perf_counter() - began)
    assert min(seconds) < limit_s, f"meeple {' '.join(words)} took {', '.join(f'{took:.2f}' for took in seconds)} s"


@pytest.mark.parametrize(
    "words", [("--help",), ("games",), ("show", "--help"), ("match", "--help"), ("train", "--help")]
)
def test_loads_nothing_heavy(words):
    found = loaded(words)
    assert "meeple" in found
    assert HEAVY.isdisjoint(found)


@pytest.mark.parametrize(
    "name", [pytest.param(entry.name, marks=[] if entry.name in OFTEN else pytest.mark.slow) for entry in ENTRIES]
)
def test_draws_every_game_soon_after_installing(meeple_process, tmp_path, name):
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        done = meeple_process("show", name, MEEPLE_CACHE_DIR=str(tmp_path / "kernels"))
        seconds.append(time.perf_counter() - began)
        assert (done.code, done.err) == (0, "")
    cold, warm = seconds
    assert cold < COLD_LIMIT_S, f"{name} took {cold:.1f} s from cold"
    assert warm < cold, f"{name} took {cold:.1f} s from cold and {warm:.1f} s from the cache"
