"""UCT as a tree of plain nodes that grows by the book, with the random numbers of the engine."""

import math

import numpy as np

MASK = (1 << 64) - 1


class Chance:
    """SplitMix64, and a number below a bound from its upper half."""

    def __init__(self, seed):
        self.word = seed & MASK

    def below(self, bound):
        self.word = (self.word + 0x9E3779B97F4A7C15) & MASK
        mixed = self.word
        mixed = ((mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & MASK
        return ((mixed ^ mixed >> 31) >> 32) * bound >> 32


class Node:
    """A position; what it is worth, and what is proven, is seen by the first player."""

    def __init__(self, position, mover=None):
        self.position = position
        self.mover = position.to_move if mover is None else mover
        self.visits, self.points = 0, 0
        self.proven, self.plies = None, None
        self.tried, self.untried = {}, None

    def child(self, action, is_alternating=False):
        position = self.position.play_action(action)
        return Node(position, 1 - self.mover if is_alternating else position.to_move)

    @property
    def sign(self):
        """Of the player to move, to whom the first player's points are turned."""
        return -1 if self.mover else 1

    @property
    def is_complete(self):
        return self.untried is not None and not self.untried

    def prove(self):
        """Whether the outcome is certain: at the end, with one winning move, or when every move is certain."""
        if self.position.result is not None:
            self.proven, self.plies = self.position.result, 0
        for outcome in (self.sign, 0, -self.sign):
            found = [child.plies for child in self.tried.values() if child.proven == outcome]
            is_known = self.is_complete and all(child.proven is not None for child in self.tried.values())
            if self.proven is None and found and (outcome == self.sign or is_known):
                self.proven, self.plies = outcome, 1 + (min(found) if outcome == self.sign else max(found))


class Uct:
    """A tree, one simulation at a time until the root is proven."""

    def __init__(self, position, *, seed, exploration=1.4, rollouts=1, is_alternating=False, is_proving=True):
        self.root = Node(position)
        self.chance = Chance(seed)
        self.exploration, self.rollouts = np.float32(exploration), rollouts
        self.is_alternating, self.is_proving = is_alternating, is_proving

    def grow(self, simulations):
        for done in range(simulations):
            if self.root.proven is not None:
                return done
            self.simulate()
        return simulations

    def simulate(self):
        path = [self.root]
        while path[-1].untried is not None and path[-1].proven is None:
            path.append(self.choose(path[-1]))
        leaf = path[-1]
        if leaf.proven is None and leaf.position.result is None and (leaf.visits or leaf is self.root):
            leaf.untried = list(leaf.position.actions)
            path.append(self.choose(leaf))
        if self.is_proving:
            for node in reversed(path):
                if node.proven is None:
                    node.prove()
        points = self.points(path[-1])
        for node in path:
            node.visits += self.rollouts
            node.points += points

    def choose(self, node):
        if node.untried:
            # Drawn as the engine draws: the chosen one and the first of the rest change places.
            chosen = self.chance.below(len(node.untried))
            node.untried[0], node.untried[chosen] = node.untried[chosen], node.untried[0]
            action = node.untried.pop(0)
            node.tried[action] = node.child(action, self.is_alternating)
            return node.tried[action]
        hopeful = [child for child in node.tried.values() if child.proven != -node.sign]
        return max(hopeful or node.tried.values(), key=lambda child: self.bound(node, child))

    def bound(self, node, child):
        visits = np.float32(child.visits)
        scale = self.exploration * np.sqrt(np.float32(math.log(node.visits)))
        return np.float32(node.sign * child.points) / visits + scale / np.sqrt(visits)

    def points(self, leaf):
        if leaf.proven is not None:
            return self.rollouts * leaf.proven
        return sum(self.play_out(leaf.position) for _ in range(self.rollouts))

    def play_out(self, position):
        """The result of a random game; where a board fills up, the last legal action takes the place of the played."""
        actions = list(position.actions)
        while position.result is None:
            chosen = self.chance.below(len(actions))
            position = position.play_action(actions[chosen])
            if position.game.is_filling:
                actions[chosen] = actions[-1]
                actions.pop()
            else:
                actions = list(position.actions)
        return position.result


def solve(position, known=None):
    """The result of perfect play by trying everything, and how many plies a win lasts: won fast and lost slowly."""
    known = {} if known is None else known
    if position.result is not None:
        return position.result, 0
    if position not in known:
        if len(known) > 30_000:
            raise OverflowError("there is too much to try")
        sign = -1 if position.to_move else 1
        found = [solve(position.play_action(action), known) for action in position.actions]
        best = max(sign * result for result, _ in found)
        lengths = [plies for result, plies in found if sign * result == best]
        known[position] = sign * best, 1 + (min(lengths) if best == 1 else max(lengths))
    return known[position]
