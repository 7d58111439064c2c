"""Players: whatever chooses a move in a position, made from a spec such as `mcts:1000?c=1.4`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple, Protocol, runtime_checkable

from meeple.errors import PlayerError, nearest
from meeple.games.game import Game, Position, shown
from meeple.games.registry import game as load_game
from meeple.search.alphabeta import MAX_DEPTH, AlphaBetaPlayer


@runtime_checkable
class Player(Protocol):
    """Anything with a `choose`. What also has `begin(seed)` is told that a new game starts, and its chances."""

    def choose(self, position: Position) -> str:
        """A legal move of a position where the game goes on."""
        ...


def begin(player: Player, seed: int) -> None:
    """Tell a player that a new game starts; it forgets the last one and draws its chances from the seed."""
    tell = getattr(player, "begin", None)
    if tell is not None:
        tell(seed)


class Spec(NamedTuple):
    """A player as text, taken apart: `kind:argument?option=value&option=value`."""

    text: str
    kind: str
    argument: str
    options: Mapping[str, str]


def parse(text: str) -> Spec:
    """A spec taken apart; PlayerError where its kind is unknown or it is garbled."""
    found = re.fullmatch(r"([a-z]+)(?::([^?]*))?(?:\?(.*))?", text.strip())
    kind = found.group(1) if found else text.partition(":")[0]
    if found is None or kind not in MAKERS:
        hint = nearest(kind, MAKERS) or f"; there are {', '.join(MAKERS)}"
        raise PlayerError(f"no player is called {shown(text)}{hint}")
    options = {}
    for part in filter(None, (found.group(3) or "").split("&")):
        option, equals, value = part.partition("=")
        if not equals:
            raise PlayerError(f"{shown(text)}: options are written option=value, not {shown(part)}")
        options[option] = value
    return Spec(text.strip(), kind, found.group(2) or "", options)


def player(spec: str, game: Game | str, *, seed: int | None = None) -> Player:
    """The player of a spec for a game; with a seed it chooses the same moves every time."""
    if isinstance(game, str):
        game = load_game(game)
    parsed = parse(spec)
    return MAKERS[parsed.kind](parsed, game, seed)


class RandomPlayer:
    """Chooses among the legal moves, all alike."""

    def __init__(self, seed: int | None) -> None:
        self._random = Random(seed)

    def begin(self, seed: int) -> None:
        """Start again from a seed."""
        self._random = Random(seed)

    def choose(self, position: Position) -> str:
        """Any legal move."""
        return self._random.choice(position.moves)


def _random(spec: Spec, game: Game, seed: int | None) -> Player:
    if spec.argument or spec.options:
        raise PlayerError(f"{shown(spec.text)}: random takes no argument and no options")
    return RandomPlayer(seed)


def _alphabeta(spec: Spec, game: Game, seed: int | None) -> Player:
    known_options(spec, "time", "table", "random")
    if not spec.argument and "time" not in spec.options:
        raise PlayerError(
            f"{shown(spec.text)}: alphabeta needs a depth or a time, as in alphabeta:6 or alphabeta?time=2s"
        )
    return AlphaBetaPlayer(
        whole(spec, "the depth", spec.argument, MAX_DEPTH) if spec.argument else MAX_DEPTH,
        time_limit_s=seconds(spec, "time"),
        table_mb=whole(spec, "table", spec.options.get("table", "64"), 2**20),
        is_random=switch(spec, "random"),
        seed=seed,
    )


def known_options(spec: Spec, *known: str) -> None:
    """PlayerError where a spec has an option that its kind of player has not."""
    for option in spec.options:
        if option not in known:
            hint = nearest(option, known) or f"; it has {', '.join(known)}"
            raise PlayerError(f"{shown(spec.text)}: {spec.kind} has no option {shown(option)}{hint}")


def whole(spec: Spec, what: str, text: str, most: int = 10**12) -> int:
    """A whole number of at least 1 from a spec."""
    if not re.fullmatch(r"[0-9]{1,12}", text) or not 1 <= int(text) <= most:
        raise PlayerError(f"{shown(spec.text)}: {what} must be a whole number from 1 to {most}, not {shown(text)}")
    return int(text)


def switch(spec: Spec, option: str) -> bool:
    """An option of a spec that is 1 or 0; 0 unless given."""
    text = spec.options.get(option, "0")
    if text not in ("0", "1"):
        raise PlayerError(f"{shown(spec.text)}: {option} must be 0 or 1, not {shown(text)}")
    return text == "1"


def seconds(spec: Spec, option: str) -> float | None:
    """An option of a spec that is a length of time, such as 500ms, 2s or 1.5m; None unless given."""
    text = spec.options.get(option)
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|s|m|h)", text)
    length = float(found.group(1)) * SECONDS[found.group(2)] if found else 0.0
    if length <= 0:
        raise PlayerError(f"{shown(spec.text)}: {option} must be a time such as 500ms, 2s or 1m, not {shown(text)}")
    return length


SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

MAKERS: dict[str, Callable[[Spec, Game, int | None], Player]] = {"random": _random, "alphabeta": _alphabeta}
"""What makes the players of each kind; higher rooms add theirs."""
