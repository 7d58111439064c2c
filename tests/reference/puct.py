"""PUCT as a tree of plain nodes: the formulas of the methods page, single precision as in the engine."""

import math

import numpy as np

from reference.uct import Node

single = np.float32


class Tree:
    """A tree of one position, which asks for one evaluation at a time."""

    def __init__(self, position, function, *, c_init=1.25, c_base=19652.0, fpu=0.2, is_alternating=False, solve=True):
        self.root = Node(position)
        self.function = function
        self.c_init, self.c_base, self.fpu = c_init, c_base, single(fpu)
        self.is_alternating, self.solve = is_alternating, solve

    def grow(self, simulations):
        """Evaluate the root, then so many simulations; how many there were before it was proven."""
        if not self.root.visits:
            self.simulate()
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
        if self.solve:
            for node in reversed(path):
                if node.proven is None:
                    node.prove()
        known = leaf.proven if leaf.proven is not None else leaf.position.result
        value = self.expand(leaf) if known is None else single(known)
        for node in path:
            node.visits += 1
            node.points = single(node.points + value)

    def expand(self, node):
        """Give a node its moves with their priors; its value for the first player."""
        position = node.position
        logits, values = self.function(position.planes[None])
        seen = position.game.views[position.to_move]
        logits = [single(logits[0][seen[action]]) for action in position.actions]
        weights = [single(math.exp(logit - max(logits))) for logit in logits]
        total = single(0)
        for weight in weights:
            total += weight
        node.priors = {action: weight / total for action, weight in zip(position.actions, weights, strict=True)}
        node.untried = list(position.actions)
        self.bring_best(node)
        return node.sign * min(max(single(values[0]), single(-1)), single(1))

    def bring_best(self, node):
        """The move with the highest prior changes places with the first."""
        if node.untried:
            best = max(range(len(node.untried)), key=lambda index: node.priors[node.untried[index]])
            node.untried[0], node.untried[best] = node.untried[best], node.untried[0]

    def choose(self, node):
        visits = single(node.visits)
        scale = single(self.c_init + math.log((float(visits) + self.c_base + 1) / self.c_base)) * np.sqrt(visits)
        mass, scores = single(0), {}
        for action, child in node.tried.items():
            mass += node.priors[action]
            if child.proven != -node.sign:
                mean = single(child.points / single(child.visits)) if child.proven is None else single(child.proven)
                scores[action] = node.sign * mean + scale * node.priors[action] / single(1 + child.visits)
        if node.untried:
            first = node.untried[0]
            mean = node.sign * single(node.points / visits)
            scores[first] = mean - self.fpu * np.sqrt(mass) + scale * node.priors[first]
        action = max(scores, key=scores.get)
        if action not in node.tried:
            node.tried[action] = node.child(node.untried.pop(0), self.is_alternating)
            self.bring_best(node)
        return node.tried[action]
