"""Players: whatever chooses a move in a position, made from a spec such as `mcts:1000?c=1.4`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Protocol, TypeAlias, runtime_checkable

from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.games.registry import game as load_game
from meeple.play.chooser import Watch
from meeple.play.engines import alpha_beta, gumbel, mcts, puct
from meeple.play.spec import Spec, parse


@runtime_checkable
class Player(Protocol):
    """Anything with a `choose`. What also has `begin(seed)` is told that a new game starts, and its chances."""

    def choose(self, position: Position) -> str:
        """A legal move of a position where the game goes on."""
        ...


Maker: TypeAlias = Callable[[Spec, Game, int | None], Player]


def watch(player: Player, watcher: Watch) -> None:
    """Let somebody see the searches of a player that searches."""
    tell = getattr(player, "watch", None)
    if tell is not None:
        tell(watcher)


def begin(player: Player, seed: int) -> None:
    """Tell a player that a new game starts; it forgets the last one and draws its chances from the seed."""
    tell = getattr(player, "begin", None)
    if tell is not None:
        tell(seed)


def player(spec: str, game: Game | str, *, seed: int | None = None) -> Player:
    """The player of a spec for a game; with a seed it chooses the same moves every time."""
    if isinstance(game, str):
        game = load_game(game)
    parsed = parse(spec, MAKERS)
    return MAKERS[parsed.kind](parsed, game, None if seed is None else seed % 2**63)


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


def _late(module: str, function: str) -> Maker:
    """A maker whose module is imported when a spec first asks for it: networks take a sixth of a second to import."""

    def make(spec: Spec, game: Game, seed: int | None) -> Player:
        made: Player = getattr(import_module(module), function)(spec, game, seed)
        return made

    return make


MAKERS: dict[str, Maker] = {
    "random": _random,
    "alphabeta": alpha_beta,
    "mcts": mcts,
    "puct": puct,
    "gumbel": gumbel,
    "net": _late("meeple.play.networks", "net"),
    "zoo": _late("meeple.play.networks", "zoo_player"),
    "lookahead": _late("meeple.play.networks", "lookahead"),
}
"""What makes the players of each kind; higher rooms add theirs."""
