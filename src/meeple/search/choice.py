"""Which child of a node to visit next: by PUCT, or by Gumbel AlphaZero at the root and below it."""

from __future__ import annotations

import math

import numpy as np

from meeple.kernel import (
    Float,
    Int,
    Planes,
    jit,
)
from meeple.search.forest import (
    LEAST_RANGE,
    TINY,
    Forest,
    Knobs,
)
from meeple.search.outcomes import DRAWN, LOST, NEVER, WON


@jit(forceinline=True)
def value_of_child(forest: Forest, child: Int) -> Float:
    """A visited child's worth to who moves into it."""
    proven = forest.proven[child]
    if proven:
        return np.float32(0) if proven == DRAWN else np.float32(1) if proven == WON else np.float32(-1)
    return forest.total[child] / np.float32(forest.visits[child])


@jit(forceinline=True)
def swap(forest: Forest, one: Int, other: Int) -> None:
    """Let two children that were not visited change places."""
    forest.action[one], forest.action[other] = forest.action[other], forest.action[one]
    forest.prior[one], forest.prior[other] = forest.prior[other], forest.prior[one]


@jit
def bring_best(forest: Forest, first: Int, last: Int) -> None:
    """Swap the child with the highest prior of some into the first place."""
    best = first
    for child in range(first + 1, last):
        if forest.prior[child] > forest.prior[best]:
            best = child
    swap(forest, first, best)


@jit(forceinline=True)
def puct(forest: Forest, node: Int, came_in: Int, knobs: Knobs) -> Int:
    """The child with the highest mean plus bonus; an unvisited one has its parent's mean, less a little.

    Less the more of the priors was visited, as in KataGo.
    """
    first, tried = forest.first_child[node], forest.num_tried[node]
    visits = np.float32(forest.visits[node])
    scale = np.float32(knobs.c_init + math.log((visits + knobs.c_base + 1) / knobs.c_base)) * math.sqrt(visits)
    best: Int = -1
    best_score, mass = NEVER, np.float32(0)
    for child in range(first, first + tried):
        mass += forest.prior[child]
        if forest.proven[child] == LOST:
            continue
        score = value_of_child(forest, child) + scale * forest.prior[child] / np.float32(1 + forest.visits[child])
        if score > best_score:
            best, best_score = child, score
    if tried < forest.num_children[node]:
        mean = forest.total[node] / visits
        if came_in != forest.mover[node]:
            mean = -mean
        unvisited = mean - np.float32(knobs.fpu) * math.sqrt(mass)
        if best < 0 or unvisited + scale * forest.prior[first + tried] > best_score:
            best = first + tried
    return best


@jit(forceinline=True)
def completed(forest: Forest, node: Int, knobs: Knobs) -> tuple[Float, Float, Float, Float]:
    """For Gumbel: the scale of values at a node, their low end, one over their range, and the value of the unvisited.

    The unvisited are worth a mean of the evaluator's word and the visited children's values, as in the paper's
    appendix D.
    """
    first, tried = forest.first_child[node], forest.num_tried[node]
    visits, most = 0, 0
    mass, weighted = np.float32(0), np.float32(0)
    low, high = np.float32(2), np.float32(-2)
    for child in range(first, first + tried):
        value, prior = value_of_child(forest, child), max(forest.prior[child], TINY)
        visits += forest.visits[child]
        most = max(most, forest.visits[child])
        mass += prior
        weighted += prior * value
        low, high = min(low, value), max(high, value)
    mixed: Float = forest.raw[node]
    if visits:
        mixed = (mixed + np.float32(visits) * weighted / mass) / np.float32(visits + 1)
    if tried < forest.num_children[node]:
        low, high = min(low, mixed), max(high, mixed)
    scale = np.float32((knobs.visit_offset + most) * knobs.value_scale)
    return scale, low, np.float32(1) / max(high - low, LEAST_RANGE), mixed


@jit
def gumbel_root(forest: Forest, node: Int, scores: Planes, considered: Int, knobs: Knobs) -> Int:
    """Of the children with so many visits the one with the highest noise, logit and value together."""
    first, tried = forest.first_child[node], forest.num_tried[node]
    scale, low, per_range, mixed = completed(forest, node, knobs)
    best: Int = -1
    best_score = NEVER
    fallback: Int = -1
    fallback_score = NEVER
    for index in range(tried):
        child = first + index
        if forest.proven[child] == LOST:
            continue
        score = scores[index] + scale * (value_of_child(forest, child) - low) * per_range
        if forest.visits[child] == considered and score > best_score:
            best, best_score = child, score
        if score > fallback_score:
            fallback, fallback_score = child, score
    if tried < forest.num_children[node]:
        score = scores[tried] + scale * (mixed - low) * per_range
        if fallback < 0 or (considered == 0 and score > best_score):
            return first + tried
    return best if best >= 0 else fallback


@jit
def gumbel_inner(forest: Forest, node: Int, weights: Planes, knobs: Knobs) -> Int:
    """The child whose share of the visits falls shortest of its share in the improved policy."""
    first, tried = forest.first_child[node], forest.num_tried[node]
    scale, low, per_range, mixed = completed(forest, node, knobs)
    rest: Float = np.float32(1)
    total: Float = np.float32(0)
    visits: Int = 1
    for index in range(tried):
        child = first + index
        weights[index] = forest.prior[child] * math.exp(scale * ((value_of_child(forest, child) - low) * per_range - 1))
        total += weights[index]
        rest -= forest.prior[child]
        visits += forest.visits[child]
    per_prior = math.exp(scale * ((mixed - low) * per_range - 1)) if tried < forest.num_children[node] else 0.0
    total = max(total + max(rest, np.float32(0)) * np.float32(per_prior), TINY)
    best: Int = -1
    best_score = NEVER
    for index in range(tried):
        if forest.proven[first + index] == LOST:
            continue
        score = weights[index] / total - np.float32(forest.visits[first + index]) / np.float32(visits)
        if score > best_score:
            best, best_score = first + index, score
    if tried == forest.num_children[node]:
        return best
    untried_score = forest.prior[first + tried] * np.float32(per_prior) / total
    return first + tried if best < 0 or untried_score > best_score else best
