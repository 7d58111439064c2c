"""Othello as a dictionary of discs, turned over one by one."""

import numpy as np

DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


class Othello:
    def __init__(self, size):
        self.size, middle = size, size // 2
        self.discs = {
            (middle - 1, middle): 0,
            (middle, middle - 1): 0,
            (middle - 1, middle - 1): 1,
            (middle, middle): 1,
        }
        self.to_move, self.result, self.plies = 0, None, 0

    def moves(self):
        return self.moves_of(self.to_move)

    def moves_of(self, player):
        return [action for action in range(self.size**2) if self.turned(divmod(action, self.size), player)]

    def turned(self, cell, player):
        """The discs that a new disc of the player turns over; none where it cannot be put."""
        if cell in self.discs:
            return []
        found = []
        for down, right in DIRECTIONS:
            run, place = [], (cell[0] + down, cell[1] + right)
            while self.discs.get(place) == 1 - player:
                run.append(place)
                place = (place[0] + down, place[1] + right)
            if self.discs.get(place) == player:
                found += run
        return found

    def play(self, action):
        cell, player = divmod(action, self.size), self.to_move
        for place in self.turned(cell, player):
            self.discs[place] = player
        self.discs[cell] = player
        self.plies += 1
        self.to_move = 1 - player
        if not self.moves_of(1 - player):
            if self.moves_of(player):
                self.to_move = player
            else:
                first, second = self.counts()
                self.result = (first > second) - (first < second)

    def counts(self):
        owners = list(self.discs.values())
        return owners.count(0), owners.count(1)

    @property
    def margin(self):
        """The difference in discs; at the end the empty cells are the winner's."""
        first, second = self.counts()
        return first - second + (self.result or 0) * (self.size**2 - first - second)

    def planes(self):
        cells = [[(row, column) for column in range(self.size)] for row in range(self.size)]
        return np.array(
            [
                [[self.discs.get(cell) == player for cell in row] for row in cells]
                for player in (self.to_move, 1 - self.to_move)
            ],
            np.float32,
        )
