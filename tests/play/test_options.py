"""Options of specs: what each reader takes, and what it says of all else."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeple.errors import PlayerError
from meeple.play.options import choice, count, flag, number, read_options, seconds

READERS = {"sims": count, "c": number, "solve": flag, "time": seconds, "turns": choice("true", "alternating")}


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        (count, "1", 1),
        (count, "20k", 20_000),
        (count, "3M", 3_000_000),
        (count, "007", 7),
        (number, "0", 0.0),
        (number, "1.4", 1.4),
        (number, "1e3", 1000.0),
        (flag, "0", False),
        (flag, "1", True),
        (seconds, "2s", 2.0),
        (seconds, "500ms", 0.5),
        (seconds, "1m", 60.0),
        (seconds, "1.5", 1.5),
        (seconds, "1h", 3600.0),
        (choice("a", "b"), "b", "b"),
    ],
)
def test_reads_a_value(reader, text, value):
    assert reader(text) == value


@pytest.mark.parametrize(
    ("reader", "texts"),
    [
        (count, ("", "0", "-1", "1.5", "0k", "k", "1K", "1 k", "9" * 13, "٣x")),
        (number, ("", "-1", "nan", "inf", "-inf", "1,4", "1e9", "x")),
        (flag, ("", "2", "true", "yes", "01")),
        (seconds, ("", "0", "0s", "-1s", "s", "1d", "1e3s", "nan", "inf")),
        (choice("a", "b"), ("", "c", "A", "ab")),
    ],
)
def test_refuses_all_else(reader, texts):
    for text in texts:
        with pytest.raises(ValueError, match=r"\w"):
            reader(text)


@given(st.text(max_size=12))
def test_a_reader_gives_a_value_in_its_range_or_a_value_error(text):
    for reader in (count, number, seconds):
        with contextlib.suppress(ValueError):
            value = reader(text)
            assert math.isfinite(value)
            assert value >= (reader is count)


def test_reads_all_options():
    given_options = {"sims": "2k", "turns": "true", "solve": "0"}
    assert read_options("mcts:9", given_options, READERS) == {"sims": 2000, "turns": "true", "solve": False}
    assert read_options("mcts:9", {}, READERS) == {}


@pytest.mark.parametrize(
    ("given_options", "fault"),
    [
        ({"tim": "2s"}, "'mcts:9' has no option 'tim'; did you mean time"),
        ({"zzzzz": "2s"}, "has no option 'zzzzz'; there are sims, c, solve, time, turns"),
        ({"solve": "yes"}, "solve is 1 or 0, not 'yes'"),
        ({"turns": "x"}, "turns is true or alternating, not 'x'"),
        ({"c": "-1"}, "c is a number from 0, not '-1'"),
        ({"time": "soon"}, "time is a time such as 2s, 500ms or 1m, not 'soon'"),
    ],
)
def test_says_what_is_wrong_with_an_option(given_options, fault):
    with pytest.raises(PlayerError, match=fault):
        read_options("mcts:9", given_options, READERS)


def test_without_any_options_there_are_none():
    with pytest.raises(PlayerError, match="there are none"):
        read_options("random", {"x": "1"}, {})
