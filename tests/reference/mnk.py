"""K in a line on M columns and N rows, as a dictionary of stones."""

import numpy as np


class Mnk:
    def __init__(self, columns, rows, length, *, exact=False):
        self.rows, self.columns, self.length, self.exact = rows, columns, length, exact
        self.stones = {}
        self.to_move, self.result, self.plies, self.margin = 0, None, 0, None

    def moves(self):
        cells = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        return [index for index, cell in enumerate(cells) if cell not in self.stones]

    def play(self, action):
        self.stones[divmod(action, self.columns)] = self.to_move
        self.plies += 1
        if self.has_line(self.to_move):
            self.result = 1 if self.to_move == 0 else -1
        elif len(self.stones) == self.rows * self.columns:
            self.result = 0
        self.to_move = 1 - self.to_move

    def has_line(self, player):
        own = {cell for cell, owner in self.stones.items() if owner == player}
        return any(
            self.wins(own, row, column, down, right)
            for row, column in own
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )

    def wins(self, own, row, column, down, right):
        """Whether a line that wins starts at a stone, with no stone before it."""
        if (row - down, column - right) in own:
            return False
        stones = 0
        while (row + stones * down, column + stones * right) in own:
            stones += 1
        return stones == self.length if self.exact else stones >= self.length

    def planes(self):
        return np.array(
            [
                [
                    [self.stones.get((row, column)) == player for column in range(self.columns)]
                    for row in range(self.rows)
                ]
                for player in (self.to_move, 1 - self.to_move)
            ],
            np.float32,
        )
