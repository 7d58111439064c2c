"""A game's rules as compiled functions: their signatures, their addresses, and what is wrong with a user's."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.core.errors import NumbaError

from meeple import kernel
from meeple.errors import RulesError
from meeple.kernel import Int, Word, Words

TO_MOVE, RESULT, PLIES, HEADER = 0, 1, 2, 3
GOING_ON, FIRST_WON, SECOND_WON, DRAWN = 0, 1, 2, 3

SIGNATURES = {
    "setup": kernel.SETUP,
    "moves": kernel.MOVES,
    "play": kernel.PLAY,
    "observe": kernel.OBSERVE,
    "key": kernel.KEY,
    "margin": kernel.MARGIN,
    "heuristic": kernel.HEURISTIC,
}
FORMS = {
    "setup": "setup(state)",
    "moves": "moves(state, actions) that returns how many it wrote",
    "play": "play(state, action)",
    "observe": "observe(state, planes)",
    "key": "key(state) that returns a uint64",
    "margin": "margin(state) that returns an integer",
    "heuristic": "heuristic(state) that returns an integer",
}
ALLOCATES = "NRT required", "Only accept returning of array"
"""What Numba says of functions that make arrays while it may not."""
HEURISTIC_LIMIT = 10_000
"""No heuristic comes as far as that from 0."""
MARGIN_WEIGHT = 100
REQUIRED = ("setup", "moves", "play", "observe")


class Addresses(NamedTuple):
    """Where a game's compiled rules are; `margin` is 0 for a game without one."""

    setup: int
    moves: int
    play: int
    observe: int
    key: int
    margin: int
    heuristic: int


class Rules(NamedTuple):
    """A game's compiled rules, to be called from Python; `margin` is None for a game without one."""

    setup: Callable[..., None]
    moves: Callable[..., int]
    play: Callable[..., None]
    observe: Callable[..., None]
    key: Callable[..., int]
    margin: Callable[..., int] | None
    heuristic: Callable[..., int]


def compile_rules(game: str, functions: dict[str, Any]) -> Rules:
    """The rules compiled, or a RulesError that says which function is missing or wrong."""
    for rule in REQUIRED:
        if functions.get(rule) is None:
            raise RulesError(f"{game}: the function {FORMS[rule]} is missing")
    compiled: dict[str, Any] = {"key": default_key, "margin": None, "heuristic": no_heuristic}
    for rule, function in functions.items():
        if function is not None:
            compiled[rule] = _compile(game, rule, function)
    if functions.get("heuristic") is None and compiled["margin"] is not None:
        compiled["heuristic"] = _margin_heuristic(compiled["margin"])
    return Rules(**compiled)


def addresses(rules: Rules) -> Addresses:
    """Where the compiled rules are, for engines."""
    found = {}
    for rule, function in rules._asdict().items():
        found[rule] = 0 if function is None else kernel.address(function, SIGNATURES[rule])
    return Addresses(**found)


@kernel.jit(kernel.KEY)
def default_key(state: Words) -> Word:
    """A hash of every word but the plies."""
    return kernel.mix(kernel.hash_words(state, HEADER) ^ state[TO_MOVE] ^ (state[RESULT] << np.uint64(1)))


@kernel.jit(kernel.HEURISTIC)
def no_heuristic(state: Words) -> Int:
    """Every position looks even."""
    return 0


@kernel.jit(types.int64(types.int64))
def bounded(heuristic: Int) -> Int:
    """A heuristic cut to what the contract allows."""
    return max(1 - HEURISTIC_LIMIT, min(HEURISTIC_LIMIT - 1, heuristic))


def _margin_heuristic(margin: Any) -> Any:
    """Who leads looks better."""

    def heuristic(state: Words) -> Int:
        return bounded(MARGIN_WEIGHT * margin(state))

    return _jit(kernel.HEURISTIC, heuristic)


def _compile(game: str, rule: str, function: Any) -> Any:
    wanted = f"{game}: {rule} must be {FORMS[rule]}"
    source = getattr(function, "py_func", function)
    if not inspect.isfunction(source):
        raise RulesError(f"{wanted}, not {type(function).__name__} {function!r}")
    if any(step.opname == "RAISE_VARARGS" for step in dis.get_instructions(source)):
        raise RulesError(f"{game}: {rule} must not raise: engines could not notice")
    count, signature = len(inspect.signature(source).parameters), SIGNATURES[rule]
    if count != len(signature.args):
        raise RulesError(f"{wanted}; yours takes {count} argument{'s' * (count != 1)}")
    try:
        compiled = function if source is not function else _jit(signature, function)
        kernel.address(compiled, signature)
    except Exception as error:  # not all that Numba raises are its own errors
        raise RulesError(f"{wanted}; Numba cannot compile it: {_reason(error, source)}") from error
    return compiled


def _jit(signature: Any, function: Any) -> Any:
    """Compiled; a function that makes arrays is allowed to, and is slower for it."""
    try:
        return kernel.jit(signature)(function)
    except NumbaError as error:
        if not any(sign in str(error) for sign in ALLOCATES):
            raise
        return kernel.jit(signature, _nrt=True)(function)


def _reason(error: Exception, source: FunctionType) -> str:
    """The first telling line of a Numba error, with the place in the source where it names one."""
    if "No conversion from none to" in str(error):
        return f"it returns nothing; the last line of {source.__name__} should be a return"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    dull = ("Failed in", "During:", "File ", "<source", "- Resolution", "There are", ">>>", "Overload of", "- Of which")
    telling = next((line for line in lines if not line.startswith(dull)), "no reason given")
    file = re.escape(Path(source.__code__.co_filename).name)
    place = re.search(rf'File "[^"]*{file}", line (\d+)', text)
    return telling[:200] + (f" (line {place.group(1)})" if place else "")
