"""Options of player specs: `name=value`, each with the function that reads its value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from meeple.errors import PlayerError, nearest
from meeple.games.game import shown

Reader = Callable[[str], Any]
MAX_COUNT = 10**9
SECONDS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def read_options(spec: str, given: Mapping[str, str], readers: Mapping[str, Reader]) -> dict[str, Any]:
    """The values of the options; PlayerError for one that does not exist or cannot be read."""
    found = {}
    for option, value in given.items():
        if option not in readers:
            hint = nearest(option, readers) or f"; there are {', '.join(readers) or 'none'}"
            raise PlayerError(f"{shown(spec)} has no option {shown(option)}{hint}")
        try:
            found[option] = readers[option](value)
        except ValueError as error:
            raise PlayerError(f"{shown(spec)}: {option} is {error}, not {shown(value)}") from None
    return found


def count(text: str) -> int:
    """A positive whole number; 20k and 1M are short for thousands and millions."""
    found = re.fullmatch(r"(\d{1,12})([kM]?)", text)
    number = int(found.group(1)) * {"": 1, "k": 1000, "M": 10**6}[found.group(2)] if found else 0
    if not 1 <= number <= MAX_COUNT:
        raise ValueError(f"a whole number from 1 to {MAX_COUNT}")
    return number


def number(text: str) -> float:
    """A number from 0 on."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ValueError("a number from 0")
    return value


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = number(text)
    if value > 1:
        raise ValueError("a number from 0 to 1")
    return value


def flag(text: str) -> bool:
    """1 or 0."""
    if text not in ("0", "1"):
        raise ValueError("1 or 0")
    return text == "1"


def seconds(text: str) -> float:
    """A time such as 2s, 500ms or 1m."""
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min|m|h|)", text)
    value = float(found.group(1)) * SECONDS[found.group(2)] if found else 0.0
    if value <= 0:
        raise ValueError("a time such as 2s, 500ms or 1m")
    return value


def choice(*words: str) -> Reader:
    """One of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(" or ".join(words))
        return text

    return read
