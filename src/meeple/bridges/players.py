"""Players that are other programs: `openspiel:mcts?sims=1000` is OpenSpiel's own tree search, in C++ with rollouts."""

from __future__ import annotations

from meeple.bridges.openspiel import Twin, best_action
from meeple.errors import PlayerError
from meeple.games.game import Game, Position, shown
from meeple.play.options import count, number, read_options
from meeple.play.players import MAKERS
from meeple.play.spec import Spec
from meeple.search.uct import EXPLORATION

SIMULATIONS = 1000


class OpenSpielPlayer:
    """Walks along in OpenSpiel's game and asks its search."""

    def __init__(self, game: Game, simulations: int, exploration: float, seed: int) -> None:
        self._twin = Twin(game)
        self._simulations = simulations
        self._exploration = exploration
        self._seed = seed

    def begin(self, seed: int) -> None:
        """Draw chances from a seed."""
        self._seed = seed

    def choose(self, position: Position) -> str:
        """What OpenSpiel would play."""
        self._twin.start()
        for move in position.history:
            self._twin.play(position.game.action(move))
        seed = (self._seed + position.plies) % 2**31
        return position.game.names[best_action(self._twin, self._simulations, self._exploration, seed)]


def openspiel(spec: Spec, game: Game, seed: int | None) -> OpenSpielPlayer:
    """`openspiel:mcts`: options `sims` and `c`."""
    if spec.argument != "mcts":
        raise PlayerError(f"{shown(spec.text)}: of OpenSpiel there is openspiel:mcts, as in openspiel:mcts?sims=1000")
    options = read_options(spec.text, spec.options, {"sims": count, "c": number})
    return OpenSpielPlayer(game, options.get("sims", SIMULATIONS), options.get("c", EXPLORATION), seed or 0)


MAKERS["openspiel"] = openspiel
