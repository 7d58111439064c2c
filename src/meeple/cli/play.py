"""`meeple play`: a game in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from meeple.cli.output import can_draw, print_json
from meeple.cli.parameters import FROM_0, GameName, Json, Moves
from meeple.cli.show import write

if TYPE_CHECKING:
    from meeple.games.game import Position
    from meeple.play.players import Player

HELP = "Type a move, or: moves, undo, resign, save [FILE], help, quit."


def run(
    game: GameName,
    moves: Moves = None,
    against: Annotated[str, typer.Option(metavar="SPEC", help="Who plays the other side.")] = "random",
    side: Annotated[Literal["first", "second"], typer.Option(help="Which side you play.")] = "first",
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with plain characters only.")] = False,
    seed: Annotated[
        int | None, typer.Option(parser=FROM_0, metavar="N", help="Makes the other side repeat its choices.")
    ] = None,
    json: Json = False,
) -> None:
    """Play a game against a player; the board goes to stderr with --json, and the outcome to stdout."""
    import meeple

    start = meeple.game(game).read(" ".join(moves or ()))
    table = Table(start, meeple.player(against, start.game, seed=seed), int(side == "second"), ascii, json)
    table.play()
    if json:
        print_json(
            {
                "game": start.game.name,
                "against": against,
                "side": side,
                "moves": table.position.history,
                "result": table.result,
                "resigned": table.resigned,
            }
        )


class Table:
    """A person and a player at a board."""

    def __init__(self, position: Position, opponent: Player, person: int, ascii_only: bool, json: bool) -> None:
        self.position = position
        self.opponent = opponent
        self.person = person
        self.ascii_only = ascii_only or not can_draw(sys.stdout)
        self.resigned = False
        self._screen = sys.stderr if json else sys.stdout

    @property
    def result(self) -> int | None:
        """The result from the first player's view; the person's loss after giving up."""
        return (1 if self.person else -1) if self.resigned else self.position.result

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        from meeple.errors import MeepleError

        self._say(HELP)
        self._draw()
        while self.result is None:
            if self.position.to_move != self.person:
                move = self.opponent.choose(self.position)
                self.position = self.position.play(move)
                self._say(f"\nthe other side plays {move}")
                self._draw_for_person()
                continue
            print("> ", end="", flush=True, file=self._screen)
            line = sys.stdin.readline()
            word, _, rest = line.strip().partition(" ")
            if not line or word in ("quit", "exit"):
                self._say("left the game")
                return
            try:
                self._obey(word, rest.strip())
            except MeepleError as error:
                self._say(f"error: {error}")

    def _obey(self, word: str, rest: str) -> None:
        if word == "moves":
            self._say(" ".join(self.position.moves))
        elif word == "undo":
            self._undo()
        elif word == "resign":
            self.resigned = True
            self._say("you resign")
        elif word == "save":
            file = Path(rest or "game.txt")
            write(file, " ".join(self.position.history) + "\n", mode="a")
            self._say(f"saved in {file}")
        elif word in ("help", "?"):
            self._say(HELP)
        elif word:
            self.position = self.position.play_all(f"{word} {rest}")
            self._draw_for_person()

    def _undo(self) -> None:
        """Back to before the person's last move."""
        position = self.position.previous
        while position is not None and position.to_move != self.person:
            position = position.previous
        if position is None:
            self._say("there is no move of yours to take back")
        else:
            self.position = position
            self._draw()

    def _draw_for_person(self) -> None:
        """The board, once it is the person's turn again or the game is over."""
        if self.position.to_move == self.person or self.position.result is not None:
            self._draw()

    def _draw(self) -> None:
        from meeple.games.drawing import text

        self._say("\n" + text(self.position, ascii_only=self.ascii_only))

    def _say(self, text: str) -> None:
        print(text, file=self._screen)
