"""The recipes that come with the package, files of them, and changes to them from the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, get_args

from pydantic import ValidationError

from meeple.errors import RecipeError, nearest
from meeple.games import registry
from meeple.games.game import shown
from meeple.learn.recipe import Recipe
from meeple.settings import Part

PACKAGED = files("meeple") / "recipes"
DEFAULT = "fast"


class Summary(NamedTuple):
    """What a recipe is for."""

    name: str
    game: str | None
    """The game it was made for; none is for any game."""
    about: str
    games_of_their_own: list[str]
    """For which games it has other settings."""


def names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(entry.name.removesuffix(".toml") for entry in PACKAGED.iterdir() if entry.name.endswith(".toml"))


def summary(name: str) -> Summary:
    """What a recipe of this name, or in this file, is for."""
    document = _read(name)
    return Summary(document["name"], document.get("game"), document.get("about", ""), [*document.get("for", {})])


def game_name(game: str) -> str:
    """A game as recipes have it: its full name, or the path of its file from wherever a run goes on."""
    name = registry.game(game).name
    return str(Path(game).resolve()) if game.strip().endswith(".py") else name


def load(name: str, game: str | None = None, changes: Sequence[str] = ()) -> Recipe:
    """A recipe by its name or the path of a TOML file, for a game, with changes such as `search.simulations=64`.

    Its table `for` may have other settings for a game, or for a game at one size.
    """
    document = _read(name)
    special = document.pop("for", {})
    game = game or document.get("game")
    if game is None:
        raise RecipeError(f"the recipe {name} is for any game: which one?")
    document["game"] = game
    for key in dict.fromkeys((game.partition(":")[0], game)):
        document = _merge(document, special.get(key, {}))
    for change in changes:
        document = _merge(document, _change(change))
    return check(document, name)


def check(document: Mapping[str, Any], name: str) -> Recipe:
    """A recipe from plain values; RecipeError lists all that is wrong with them."""
    try:
        return Recipe.model_validate(document)
    except ValidationError as error:
        faults = "; ".join(_fault(one) for one in error.errors())
        raise RecipeError(f"the recipe {name}: {faults}") from None


def text(recipe: Recipe) -> str:
    """A recipe as TOML that reads as the same recipe."""
    return _tables(recipe.model_dump(mode="json", exclude_none=True), "")


def explained(recipe: Recipe) -> str:
    """The same TOML with the sentence of every field above it; a field without a value is a comment."""
    return _explained(recipe, "").lstrip("\n")


def _read(name: str) -> dict[str, Any]:
    source = Path(name) if name.endswith(".toml") else PACKAGED / f"{name}.toml"
    if name not in names() and not name.endswith(".toml"):
        hint = nearest(name, names()) or f"; there are {', '.join(names())}"
        raise RecipeError(f"there is no recipe {shown(name)}{hint}")
    try:
        document = tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeError(f"cannot read {name}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{name} is not TOML: {error}") from None
    return {"name": Path(name).stem, **document}


def _merge(document: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A document with other values; a table is changed entry by entry."""
    merged = dict(document)
    for key, value in changes.items():
        both_tables = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merge(merged[key], value) if both_tables else value
    return merged


def _change(text: str) -> dict[str, Any]:
    """`a.b=1` as nested tables; what is not TOML is taken as text."""
    path, equals, value = text.partition("=")
    if not equals or not all(part.isidentifier() for part in path.strip().split(".")):
        raise RecipeError(f"a change looks like search.simulations=64, not {shown(text)}")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value.strip()
    parts = path.strip().split(".")
    if parsed == "none" and _may_be_unset(parts):
        parsed = None
    for part in reversed(parts):
        parsed = {part: parsed}
    return parsed


def _may_be_unset(path: Sequence[str]) -> bool:
    """Whether `none` stands for no value in this field; in some it is a value like others."""
    part: Any = Recipe
    for name in path[:-1]:
        part = getattr(part, "model_fields", {}).get(name)
        part = None if part is None else part.annotation
    field = getattr(part, "model_fields", {}).get(path[-1])
    return field is not None and type(None) in get_args(field.annotation)


def _fault(error: Any) -> str:
    """One fault in plain words, with the nearest right name of a field."""
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        part: Any = Recipe
        for name in error["loc"][:-1]:
            part = part.model_fields[name].annotation
        return f"no field {where}{nearest(str(error['loc'][-1]), part.model_fields)}"
    said = error["msg"].removeprefix("Value error, ")
    return f"{where}: {said}" if where else said


def _tables(document: Mapping[str, Any], path: str) -> str:
    """TOML of plain values first, tables after them."""
    plain = {key: value for key, value in document.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {_value(value)}" for key, value in plain.items()]
    blocks = ["\n".join([f"[{path}]", *lines] if path else lines)]
    for key, value in document.items():
        if isinstance(value, Mapping):
            blocks.append(_tables(value, f"{path}.{key}" if path else key))
    return "\n\n".join(block for block in blocks if block).rstrip("\n") + ("" if path else "\n")


def _explained(part: Part, path: str) -> str:
    plain, tables = [], []
    for name, field in type(part).model_fields.items():
        value, comment = getattr(part, name), f"# {' '.join((field.description or '').split())}"
        if isinstance(value, Part):
            inner = f"{path}.{name}" if path else name
            tables.append(f"\n\n{comment}\n[{inner}]\n{_explained(value, inner)}")
        else:
            known = part.model_dump(mode="json")[name]
            plain.append(f"{comment}\n" + (f"# {name} is not set" if known is None else f"{name} = {_value(known)}"))
    return "\n".join(plain) + "".join(tables) + ("" if path else "\n")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return repr(value)
