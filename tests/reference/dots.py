"""Dots and Boxes as a set of drawn lines; a line is the pair of dots it joins."""

import numpy as np


class Dots:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        across = [((row, column), (row, column + 1)) for row in range(rows + 1) for column in range(columns)]
        down = [((row, column), (row + 1, column)) for row in range(rows) for column in range(columns + 1)]
        self.lines = across + down
        self.drawn, self.owners = set(), {}
        self.to_move, self.result, self.plies = 0, None, 0

    def moves(self):
        return [action for action, line in enumerate(self.lines) if line not in self.drawn]

    def is_closed(self, row, column):
        top, bottom = ((row, column), (row, column + 1)), ((row + 1, column), (row + 1, column + 1))
        left, right = ((row, column), (row + 1, column)), ((row, column + 1), (row + 1, column + 1))
        return {top, bottom, left, right} <= self.drawn

    def play(self, action):
        self.drawn.add(self.lines[action])
        self.plies += 1
        boxes = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        closed = [box for box in boxes if box not in self.owners and self.is_closed(*box)]
        self.owners |= dict.fromkeys(closed, self.to_move)
        if len(self.drawn) == len(self.lines):
            self.result = (self.margin > 0) - (self.margin < 0)
        elif not closed:
            self.to_move = 1 - self.to_move

    @property
    def margin(self):
        owners = list(self.owners.values())
        return owners.count(0) - owners.count(1)

    def planes(self):
        """Horizontal lines, vertical lines, closed boxes, where boxes are, and the mover's lead."""
        planes = np.zeros((5, self.rows + 1, self.columns + 1), np.float32)
        for (row, column), (end_row, _) in self.drawn:
            planes[int(end_row > row), row, column] = 1
        for box in self.owners:
            planes[(2, *box)] = 1
        planes[3, : self.rows, : self.columns] = 1
        planes[4] = np.float32(self.margin * (1 - 2 * self.to_move)) / np.float32(self.rows * self.columns)
        return planes
