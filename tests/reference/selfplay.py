"""Episodes of random play with random policies, for tests."""

import numpy as np

from meeple.games.rules import DRAWN, FIRST_WON, SECOND_WON
from meeple.learn.episodes import Episode

RESULTS = {1: FIRST_WON, -1: SECOND_WON, 0: DRAWN}


def random_episode(of, chance, *, number=0, iteration=0, share=1.0):
    """A game with a policy on the legal actions of about `share` of its plies."""
    position, actions, rows, policies = of.start(), [], [], []
    while position.result is None:
        if chance.random() < share:
            weights = chance.random(len(position.actions))
            policy = np.zeros(of.num_actions, np.float32)
            policy[list(position.actions)] = weights / weights.sum()
            rows.append(len(actions))
            policies.append(policy)
        actions.append(int(chance.choice(position.actions)))
        position = position.play_action(actions[-1])
    return Episode(
        number=number,
        seed=int(chance.integers(2**63)),
        iteration=iteration,
        actions=np.array(actions, np.int32),
        opening_plies=0,
        result=RESULTS[position.result],
        rows=np.array(rows, np.int32),
        policies=np.array(policies, np.float32).reshape(len(rows), of.num_actions),
        root_values=chance.uniform(-1, 1, len(rows)).astype(np.float32),
        is_complete=True,
    )
