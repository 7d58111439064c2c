"""`meeple recipe`."""

import json
import tomllib

import pytest

from meeple.learn import recipes
from meeple.learn.recipe import Recipe


def test_lists_every_recipe(meeple):
    code, out, err = meeple("recipe", "list")
    assert (code, err) == (0, "")
    for name in recipes.names():
        assert any(line.startswith(f"{name} ") for line in out.splitlines())


def test_a_recipe_is_listed_on_one_line(meeple):
    lines = meeple("recipe", "list").out.splitlines()
    assert len(lines) == 1 + len(recipes.names()) + 3
    assert any(line.startswith("costa2022 ") and line.endswith("by UCT, then versions") for line in lines)


def test_lists_them_as_json(meeple):
    found = json.loads(meeple("recipe", "list", "--json").out)
    assert [one["name"] for one in found] == recipes.names()
    assert {one["name"]: one["game"] for one in found}["fast"] is None
    assert all(one["about"] for one in found)


@pytest.mark.parametrize("name", recipes.names())
def test_a_recipe_reads_as_itself(meeple, name):
    code, out, err = meeple("recipe", "show", name, "--game", "hex:6")
    assert (code, err) == (0, "")
    assert recipes.check(tomllib.loads(out), name) == recipes.load(name, "hex:6")
    shown = json.loads(meeple("recipe", "show", name, "--game", "hex:6", "--json").out)
    assert Recipe.model_validate(shown) == recipes.load(name, "hex:6")


def test_every_field_is_explained(meeple):
    lines = meeple("recipe", "show", "fast").out.splitlines()
    recipe = recipes.load("fast", "any")
    parts = [recipe, *(getattr(recipe, name) for name in Recipe.model_fields)]
    for part in parts:
        for name, field in getattr(type(part), "model_fields", {}).items():
            starts = (f"{name} = ", f"[{name}]", f"# {name} is not set")
            explained = [
                number for number, line in enumerate(lines) if line == f"# {' '.join(field.description.split())}"
            ]
            assert any(lines[number + 1].startswith(starts) for number in explained), name


def test_a_recipe_for_any_game_says_so(meeple):
    assert 'game = "any"\n' in meeple("recipe", "show", "fast").out
    assert 'game = "hex:11"\n' in meeple("recipe", "show", "fast", "--game", "hex").out


def test_a_game_of_ones_own_is_named_by_its_file(meeple, tiny):
    file = tiny()
    assert json.loads(meeple("recipe", "show", "fast", "--game", file, "--json").out)["game"] == file


def test_settings_can_be_changed(meeple):
    words = "--set", "search.simulations=70", "--set", "gate.test=wins", "--set", "self_play.resign_below=-0.9"
    found = json.loads(meeple("recipe", "show", "fast", *words, "--json").out)
    assert found["search"]["simulations"] == 70
    assert found["gate"]["test"] == "wins"
    assert found["self_play"]["resign_below"] == -0.9


def test_none_is_a_value_or_no_value(meeple):
    words = "--set", "gate.test=none", "--set", "replay.augment=none", "--set", "replay.positions=none"
    found = json.loads(meeple("recipe", "show", "fast", *words, "--set", "replay.games=9", "--json").out)
    assert found["gate"]["test"] == "none"
    assert found["replay"] == {"positions": None, "games": 9, "iterations": None, "augment": "none"}


def test_a_recipe_of_ones_own(meeple, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(meeple("recipe", "show", "fast", "--set", "search.simulations=70").out, encoding="utf-8")
    found = json.loads(meeple("recipe", "show", str(file), "--game", "tictactoe", "--json").out)
    assert (found["search"]["simulations"], found["game"]) == (70, "tictactoe")


def test_tells_which_games_have_settings_of_their_own(meeple, tmp_path):
    file = tmp_path / "mine.toml"
    own = "[for.hex.search]\nsimulations = 90\n"
    file.write_text(meeple("recipe", "show", "fast").out + own, encoding="utf-8")
    plain = meeple("recipe", "show", str(file)).out
    assert plain.endswith("# Some settings are others for hex: see them with --game.\n")
    of_hex = meeple("recipe", "show", str(file), "--game", "hex:6").out
    assert "simulations = 90\n" in of_hex
    assert "others for" not in of_hex


def test_says_what_there_is(meeple):
    code, out, err = meeple("recipe", "--help")
    assert (code, err) == (0, "")
    assert "list" in out
    assert "show" in out
