"""An evaluator that answers at random, but always the same."""

import zlib

import numpy as np


def scripted(game):
    """An evaluator's function that answers at random, but always the same for the same planes."""

    def function(planes):
        logits, values = [], []
        for one in planes:
            chance = np.random.default_rng(zlib.crc32(one.tobytes()))
            logits.append(chance.normal(size=game.num_actions))
            values.append(chance.uniform(-1, 1))
        return np.array(logits), np.array(values)

    return function
