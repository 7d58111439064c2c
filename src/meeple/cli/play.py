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
    from meeple.play.dump import Dump
    from meeple.play.players import Player
    from meeple.search.analysis import Analysis

HELP = "Type a move, or: moves, hint, why, undo, resign, save [FILE], help, quit."
SHOWN = 5
"""How many moves `hint` and `why` list."""


def run(
    game: GameName,
    moves: Moves = None,
    against: Annotated[str, typer.Option(metavar="SPEC", help="Who plays the other side.")] = "random",
    side: Annotated[Literal["first", "second"], typer.Option(help="Which side you play.")] = "first",
    adviser: Annotated[str, typer.Option(metavar="SPEC", help="Who answers `hint`.")] = "mcts:5000",
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with plain characters only.")] = False,
    dump: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what every search saw, as text, or as JSON lines for .jsonl."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(parser=FROM_0, metavar="N", help="Makes the other side repeat its choices.")
    ] = None,
    json: Json = False,
) -> None:
    """Play a game against a player; the board goes to stderr with --json, and the outcome to stdout."""
    import meeple
    from meeple.play.dump import Dump

    start = meeple.game(game).read(" ".join(moves or ()))
    opponent, helper = (meeple.player(spec, start.game, seed=seed) for spec in (against, adviser))
    table = Table(start, opponent, helper, int(side == "second"), ascii_only=ascii, to_stderr=json)
    table.dump = None if dump is None else Dump(dump)
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

    def __init__(
        self,
        position: Position,
        opponent: Player,
        adviser: Player,
        person: int,
        *,
        ascii_only: bool = False,
        to_stderr: bool = False,
    ) -> None:
        from meeple.play.players import watch

        self.position = position
        self.opponent = opponent
        self.adviser = adviser
        self.person = person
        self.ascii_only = ascii_only or not can_draw(sys.stdout)
        self.resigned = False
        self.dump: Dump | None = None
        self._screen = sys.stderr if to_stderr else sys.stdout
        self._last: Analysis | None = None
        watch(opponent, self._see)

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
                self._let_opponent_move()
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

    def _let_opponent_move(self) -> None:
        move = self.opponent.choose(self.position)
        self.position = self.position.play(move)
        self._say(f"\nthe other side plays {move}")
        self._draw_for_person()

    def _obey(self, word: str, rest: str) -> None:
        if word == "moves":
            self._say(" ".join(self.position.moves))
        elif word == "hint":
            self._hint()
        elif word == "why":
            self._why()
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

    def _hint(self) -> None:
        """What the adviser would play, and what else it looked at."""
        analyse = getattr(self.adviser, "analyse", None)
        if analyse is None:
            self._say(f"try {self.adviser.choose(self.position)}")
            return
        found = analyse(self.position)
        self._say(f"try {found.move}\n{_explained(found)}")

    def _why(self) -> None:
        """What the other side saw before its last move."""
        if self._last is None:
            self._say("the other side has not searched yet")
        else:
            self._say(_explained(self._last))

    def _see(self, analysis: Analysis, move: str) -> None:
        self._last = analysis
        if self.dump is not None:
            self.dump.add(analysis, move)

    def _undo(self) -> None:
        """Back to before the person's last move."""
        position = self.position.previous
        while position is not None and position.to_move != self.person:
            position = position.previous
        if position is None:
            self._say("there is no move of yours to take back")
        else:
            self.position, self._last = position, None
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


def _explained(analysis: Analysis) -> str:
    """The moves a search liked most, with what it thinks of them."""
    best = sorted(analysis.candidates, key=lambda candidate: (candidate.policy, candidate.value), reverse=True)[:SHOWN]
    rows = [
        f"  {candidate.move:<6} {candidate.policy:>4.0%}  value {candidate.value:+.2f}"
        + ("" if candidate.proven is None else f"  {('drawn', 'wins', 'loses')[candidate.proven]} in {candidate.plies}")
        for candidate in best
    ]
    line = " ".join(analysis.line[:10])
    return "\n".join([f"{analysis.simulations:,} simulations; expects {line}", *rows])
