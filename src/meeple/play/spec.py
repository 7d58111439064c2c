"""A player as text, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from meeple.errors import PlayerError, nearest
from meeple.games.game import shown


class Spec(NamedTuple):
    """A player as text, taken apart: `kind:argument?option=value&option=value`."""

    text: str
    kind: str
    argument: str
    options: Mapping[str, str]


def parse(text: str, kinds: Iterable[str]) -> Spec:
    """A spec taken apart; PlayerError where its kind is unknown or it is garbled."""
    known = list(kinds)
    found = re.fullmatch(r"([a-z]+)(?::([^?]*))?(?:\?(.*))?", text.strip())
    kind = found.group(1) if found else text.partition(":")[0]
    if found is None or kind not in known:
        hint = nearest(kind, known) or f"; there are {', '.join(known)}"
        raise PlayerError(f"no player is called {shown(text)}{hint}")
    options = {}
    for part in filter(None, (found.group(3) or "").split("&")):
        option, equals, value = part.partition("=")
        if not equals:
            raise PlayerError(f"{shown(text)}: options are written option=value, not {shown(part)}")
        if option in options:
            raise PlayerError(f"{shown(text)} has the option {option} twice")
        options[option] = value
    return Spec(text.strip(), kind, found.group(2) or "", options)
