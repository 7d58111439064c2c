"""Hex as a dictionary of stones; whether a player has won is searched anew after each move."""

import numpy as np

NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


class Hex:
    def __init__(self, size, *, swap=False):
        self.size, self.swap = size, swap
        self.stones = {}
        self.to_move, self.result, self.plies, self.margin = 0, None, 0, None

    def moves(self):
        free = [action for action in range(self.size**2) if divmod(action, self.size) not in self.stones]
        return free + [self.size**2] * self.may_swap()

    def may_swap(self):
        return self.swap and self.plies == 1

    def play(self, action):
        if action == self.size**2:
            (((row, column), _),) = self.stones.items()
            self.stones = {(column, row): 1}
        else:
            self.stones[divmod(action, self.size)] = self.to_move
        self.plies += 1
        if self.has_joined(self.to_move):
            self.result = 1 if self.to_move == 0 else -1
        self.to_move = 1 - self.to_move

    def has_joined(self, player):
        """Whether the first player's stones join top and bottom, the second's left and right."""
        own = {cell for cell, owner in self.stones.items() if owner == player}
        reached = {cell for cell in own if cell[player] == 0}
        frontier = list(reached)
        while frontier:
            row, column = frontier.pop()
            for down, right in NEIGHBOURS:
                place = (row + down, column + right)
                if place in own and place not in reached:
                    reached.add(place)
                    frontier.append(place)
        return any(cell[player] == self.size - 1 for cell in reached)

    def planes(self):
        """The second player sees rows and columns exchanged, so that whoever looks joins top and bottom."""
        planes = np.zeros((2 + self.swap, self.size, self.size), np.float32)
        for (row, column), owner in self.stones.items():
            seen = (row, column) if self.to_move == 0 else (column, row)
            planes[(int(owner != self.to_move), *seen)] = 1
        if self.swap:
            planes[2] = self.may_swap()
        return planes
