"""Plays a game, draws it, and shows how fast random games go: what `make demo` runs."""

import time

import meeple
from meeple.games.table import ENTRIES
from meeple.search.playouts import random_games

game = meeple.game("hex:6")
players = [meeple.player("random", game, seed=seed) for seed in (1, 2)]
position = game.start()
while position.result is None:
    position = position.play(players[position.to_move].choose(position))
print(f"A game of {game.name} between two players that know nothing:\n")
print(meeple.text(position))
print(f"\n{' '.join(position.history)}\n")

print("Random games a second from the start, on one core:\n")
for entry in ENTRIES:
    game = meeple.game(entry.name)
    random_games(game, 1, seed=1)
    games, began = 0, time.perf_counter()
    while time.perf_counter() - began < 0.5:
        random_games(game, 500, seed=games)
        games += 500
    print(f"  {game.name:<12} {games / (time.perf_counter() - began):>12,.0f}")
