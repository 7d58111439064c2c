"""The door of the package: its public names, and how little opening it costs."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import meeple

# What users may rely on. A name that is added here stays.
NAMES = {
    "AmbiguousMoveError", "Board", "CheckpointError", "Game", "GameNameError", "IllegalMoveError", "MeepleError",
    "MoveError", "Player", "PlayerError", "Position", "RecipeError", "RecordError", "RulesError", "Run", "RunError",
    "Symmetry", "UnreadableMoveError", "check", "count_bits", "game", "get_byte", "jit", "list_bits", "lowest_bit",
    "match", "perft", "player", "prove", "set_byte", "svg", "text", "train",
}  # fmt: skip

HEAVY = {"numba", "numpy", "rich", "torch", "typer"}

LOADED = "import sys, meeple; print(*{name.partition('.')[0] for name in sys.modules})"


def test_the_public_names():
    assert set(meeple.__all__) == NAMES
    assert list(meeple.__all__) == sorted(meeple.__all__)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_opens(name):
    value = getattr(meeple, name)
    assert getattr(meeple, name) is value
    assert callable(value)
    assert value.__doc__


def test_a_star_import_has_them_all():
    names = {}
    exec("from meeple import *", names)
    assert names.keys() >= NAMES


def test_dir_lists_the_names_and_the_version():
    assert set(dir(meeple)) == {*NAMES, "__version__"}


def test_an_unknown_name_is_named():
    with pytest.raises(AttributeError, match="'meeple' has no attribute 'gaem'"):
        _ = meeple.gaem


def test_every_error_is_a_meeple_error():
    errors = [getattr(meeple, name) for name in NAMES if name.endswith("Error")]
    assert all(issubclass(error, meeple.MeepleError) for error in errors)
    assert issubclass(meeple.MeepleError, ValueError)


def test_importing_it_loads_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert "meeple" in done.stdout.split()
    assert HEAVY.isdisjoint(done.stdout.split())


def test_the_program_is_installed():
    (program,) = entry_points(group="console_scripts", name="meeple")
    assert program.value == "meeple.cli.app:main"
