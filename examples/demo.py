"""Learns tic-tac-toe from its rules alone, proves that the result never loses, and plays: what `make demo` runs."""

import time

import meeple
from meeple.learn.events import Began, Event, Metrics

GAME, MINUTES, ROW_EVERY_S, BAR = "tictactoe", 0.75, 2.0, 32


class Curve:
    """Listens to a run, and every few seconds proves the network of that moment: how many games can it still lose?"""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Began):
            self.run = event.run
            print(f"seconds    games   {'games it can lose at first thought':<{BAR + 8}} after a search")
            self.row(0, 0)
        elif isinstance(event, Metrics) and time.monotonic() > self.next_row:
            self.row(60 * event.minutes, event.games)

    def row(self, seconds: float, games: int) -> None:
        hasty = meeple.prove(f"net:{self.run}@best?engine=policy", GAME)
        careful = meeple.prove(f"net:{self.run}@best", GAME)
        bar = "█" * round(BAR * hasty.losses / (hasty.as_first.games + hasty.as_second.games))
        print(f"{seconds:>7.0f} {games:>8,} {hasty.losses:>5} {bar:<{BAR + 2}} {careful.losses:>14}", flush=True)
        self.next_row = time.monotonic() + ROW_EVERY_S


def draw(positions: list[meeple.Position]) -> None:
    """Boards side by side, five in a row."""
    for first in range(0, len(positions), 5):
        boards = [meeple.text(position).splitlines()[:4] for position in positions[first : first + 5]]
        print("\n" + "\n".join("   ".join(f"{line:<10}" for line in lines) for lines in zip(*boards, strict=True)))


print(f"""Learning {GAME} from its rules alone, for {60 * MINUTES:.0f} seconds. The first time code is compiled before.
Every few seconds the network meets every reply: by its favourite moves, and after searches of 64 simulations.
""", flush=True)  # fmt: skip
run = meeple.train(GAME, minutes=MINUTES, listen=Curve())
player = f"net:{run.folder}@best"
proof = meeple.prove(player, GAME)
print("\nIs that so? Every game that anybody can play against it, on either side:\n")
for name, side in (("first", proof.as_first), ("second", proof.as_second)):
    print(f"  moving {name:<7} {side.games:>4} games: {side.wins} won, {side.draws} drawn, {side.losses} lost")
print(f"\nIt {'can be beaten' if proof.losses else 'never loses'}. A game against perfect play, alpha-beta to the end:")

players = [meeple.player(spec, GAME) for spec in (player, "alphabeta:9")]
positions = [meeple.game(GAME).start()]
while positions[-1].result is None:
    positions.append(positions[-1].play(players[positions[-1].to_move].choose(positions[-1])))
draw(positions[1:])
print({0: "\nDrawn.", 1: "\nX has won.", -1: "\nO has won."}[positions[-1].result])

print(f"""
Now you, after `source .venv/bin/activate`:

  meeple play {GAME} --against {player}
  meeple train connect4 --minutes 60                     a game for your lunch break
  meeple train examples/breakthrough.py --minutes 60     a game from a file, as yours could be""")
