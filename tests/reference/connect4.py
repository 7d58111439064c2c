"""Connect 4 as a list of stacks, one for each column, the lowest disc first."""

import numpy as np


class Connect4:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.stacks = [[] for _ in range(columns)]
        self.to_move, self.result, self.plies, self.margin = 0, None, 0, None

    def moves(self):
        return [column for column, stack in enumerate(self.stacks) if len(stack) < self.rows]

    def play(self, action):
        self.stacks[action].append(self.to_move)
        self.plies += 1
        if self.has_four(self.to_move):
            self.result = 1 if self.to_move == 0 else -1
        elif not self.moves():
            self.result = 0
        self.to_move = 1 - self.to_move

    def disc(self, column, height):
        """Whose disc is that high above the bottom; None for nobody's."""
        inside = 0 <= column < self.columns and 0 <= height < len(self.stacks[column])
        return self.stacks[column][height] if inside else None

    def has_four(self, player):
        return any(
            all(self.disc(column + step * right, height + step * up) == player for step in range(4))
            for column in range(self.columns)
            for height in range(self.rows)
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
        )

    def planes(self):
        return np.array(
            [
                [
                    [self.disc(column, height) == player for column in range(self.columns)]
                    for height in reversed(range(self.rows))
                ]
                for player in (self.to_move, 1 - self.to_move)
            ],
            np.float32,
        )
