"""`meeple openings`."""

import json

import pytest


def test_build_as_json(meeple, tmp_path):
    code, out, err = meeple("openings", "build", "hex:3", "--plies", "3", "--file", str(tmp_path / "hex"), "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"file": str(tmp_path / "hex"), "counts": {"1": 9, "2": 72, "3": 504}}


def test_build_as_a_table(meeple, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = meeple("openings", "build", "hex:3", "--plies", "2", "--winning-only")
    assert (code, err) == (0, "")
    assert out.splitlines()[1:] == ["    1         5", "    2        40", "written to hex-3-2.openings"]


def test_a_game_in_a_file(meeple, tiny, tmp_path):
    code, _, err = meeple("openings", "build", tiny(), "--plies", "1", "--file", str(tmp_path / "x"))
    assert (code, err) == (2, "error: tiny has no openings: it is over after the first move\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("hex:3",), "'--plies'"),
        (("hex:3", "--plies", "0"), "'--plies': '0' is not a whole number from 1"),
        (("hex:3", "--plies", "x"), "'--plies'"),
        (("hxe:3", "--plies", "1"), "did you mean hex?"),
        (("hex:6", "--plies", "1", "--winning-only", "--time-limit", "1"), "cannot prove within 1 s which moves"),
    ],
)
def test_mistakes(meeple, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = meeple("openings", "build", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not list(tmp_path.iterdir())
