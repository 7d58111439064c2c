"""Go as a dictionary of stones, by the rules of Tromp and Taylor.

A move must not bring back the board before the opponent's last move (the simple ko). Own chains that are left without
a liberty disappear; that is legal only with `suicide`, and never for a single stone.
"""

import numpy as np


class Go:
    def __init__(self, size, *, komi=7.5, suicide=False):
        self.size, self.komi, self.suicide = size, komi, suicide
        self.stones, self.before = {}, None
        self.to_move, self.result, self.plies, self.passes = 0, None, 0, 0

    def neighbours(self, point):
        row, column = point
        around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        return [(y, x) for y, x in around if 0 <= y < self.size and 0 <= x < self.size]

    def area(self, stones, point):
        """The points of the same colour, or the same emptiness, that hang together with one, and all their borders."""
        inside, borders, frontier = {point}, set(), [point]
        while frontier:
            for place in self.neighbours(frontier.pop()):
                if stones.get(place) != stones.get(point):
                    borders.add(stones.get(place))
                elif place not in inside:
                    inside.add(place)
                    frontier.append(place)
        return inside, borders

    def after(self, point):
        """The stones after a move, or None where it is illegal."""
        if point in self.stones:
            return None
        stones = {**self.stones, point: self.to_move}
        for place in self.neighbours(point):
            if stones.get(place) == 1 - self.to_move:
                self.remove_if_dead(stones, place)
        own = self.area(stones, point)[0]
        if self.remove_if_dead(stones, point) and (not self.suicide or len(own) == 1):
            return None
        return None if stones == self.before else stones

    def remove_if_dead(self, stones, point):
        chain, borders = self.area(stones, point)
        if None in borders:
            return False
        for place in chain:
            del stones[place]
        return True

    def moves(self):
        legal = [action for action in range(self.size**2) if self.after(divmod(action, self.size)) is not None]
        return [*legal, self.size**2]

    def play(self, action):
        stones, self.passes = (
            (self.stones, self.passes + 1) if action == self.size**2 else (self.after(divmod(action, self.size)), 0)
        )
        self.before, self.stones = self.stones, stones
        self.plies += 1
        self.to_move = 1 - self.to_move
        if self.passes == 2 or self.plies == 4 * self.size**2:
            score = self.margin - self.komi
            self.result = (score > 0) - (score < 0)

    @property
    def margin(self):
        """The first player's stones and the empty points that border on no others, less the second's."""
        score = 0
        for row in range(self.size):
            for column in range(self.size):
                owner = self.stones.get((row, column))
                owners = {owner} if owner is not None else self.area(self.stones, (row, column))[1]
                score += (owners == {0}) - (owners == {1})
        return score

    def ko_points(self):
        """The empty points where only the ko forbids a stone."""
        if self.before is None:
            return []
        before, self.before = self.before, None
        free = self.moves()
        self.before = before
        return sorted(set(free) - set(self.moves()))

    def planes(self):
        planes = np.zeros((5, self.size, self.size), np.float32)
        for point, owner in self.stones.items():
            planes[(int(owner != self.to_move), *point)] = 1
        for action in self.ko_points():
            planes[(2, *divmod(action, self.size))] = 1
        planes[3], planes[4] = self.passes, self.to_move
        return planes
