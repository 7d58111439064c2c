"""Every field of a recipe is read somewhere: one that nothing reads is a promise that nobody keeps."""

import ast
from collections.abc import Iterator
from pathlib import Path

import meeple
from meeple.learn.recipe import Recipe
from meeple.settings import Part

OWNERS = {
    "": {"recipe", "_recipe"},
    "network": {"architecture"},
    "search": {"search"},
    "self_play": {"self_play", "plan", "_plan"},
    "replay": {"replay", "_replay"},
    "learner": {"settings", "_settings"},
    "gate": {"gate"},
    "limits": {"limits"},
}
"""What the parts of a recipe are called where they are read."""
ONLY_SHOWN = {"about"}
BY_ITERATION = {"self_play.games"}
"""Read by a method of its part, which tests/learn/test_recipe.py asks."""


def fields(part: type[Part], path: str = "") -> Iterator[str]:
    """The fields of a part and of those below it, as `--set` takes them."""
    for name, field in part.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, Part):
            yield from fields(field.annotation, f"{name}.")
        else:
            yield path + name


def reads() -> set[tuple[str, str]]:
    """Attributes that learning and networks read, each with the name of its owner."""
    package = Path(meeple.__file__).parent
    files = [*package.glob("learn/*.py"), *package.glob("nets/*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    found = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {(ast.unparse(node.value).rpartition(".")[2], node.attr) for node in found}


def unread(names: Iterator[str]) -> list[str]:
    known = reads()
    parts = [(name, *name.rpartition(".")[::2]) for name in names]
    return [name for name, part, field in parts if not known & {(owner, field) for owner in OWNERS[part]}]


def test_every_field_of_a_recipe_is_read():
    assert set(unread(fields(Recipe))) == ONLY_SHOWN | BY_ITERATION


def test_a_field_that_nothing_reads_is_found():
    assert unread(iter(["search.simulations", "search.a_field_of_nothing"])) == ["search.a_field_of_nothing"]
