"""Writes gumbel.json again: `python tests/golden/make_gumbel.py`, where jax and mctx are installed.

What `mctx.gumbel_muzero_policy` finds on random small trees. A tree is a graph of a few nodes, walked from node 0 as if
every way to a node led to another one: so no tree ends by its size. Each node has a player to move, a value for that
player, and for each action a logit and the node it leads to, or -1 where the action is not allowed. A node with a
result, for the first player, ends the game.

mctx has a matrix for all actions. Those that are not allowed it takes for unvisited ones when it stretches values from
the lowest to the highest, so that its answer depends on how many there are. A search of legal actions alone cannot know
that. Trees with such actions are therefore searched with a transform that leaves them out, and `is_plain` says whether
mctx's own one finds the same.

Where all visited children of the root are worth the same, mctx stretches what rounding left between them. Such trees
are left out.
"""

import json
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import mctx
import numpy as np
from mctx._src import qtransforms

PATH = Path(__file__).with_name("gumbel.json")
NOWHERE = -1
NUM_NODES = 9
TREES = 8

# Actions, all of them allowed or not, simulations, actions considered at most.
SEARCHES = (
    (2, True, 1, 2),
    (2, True, 16, 2),
    (3, True, 8, 2),
    (4, True, 2, 4),
    (4, True, 16, 3),
    (5, True, 32, 16),
    (6, True, 24, 4),
    (6, True, 50, 6),
    (6, True, 9, 1),
    (4, False, 12, 4),
    (6, False, 16, 16),
    (6, False, 32, 4),
    (6, False, 50, 5),
)


def random_tree(random, actions, is_full, has_extra_turns, has_ends):
    """A graph as lists, one entry a node."""
    players, results, children, logits = [], [], [], []
    for node in range(NUM_NODES):
        ends = has_ends and node > 0 and random.random() < 0.3
        allowed = actions if is_full else int(random.integers(1, actions + 1))
        legal = sorted(random.choice(actions, allowed, replace=False).tolist())
        leads_to = dict(zip(legal, random.choice(NUM_NODES, allowed, replace=False).tolist(), strict=True))
        results.append(int(random.integers(-1, 2)) if ends else None)
        players.append(int(random.integers(2)))
        children.append([leads_to.get(action, NOWHERE) for action in range(actions)])
        logits.append(np.round(random.normal(0, 1.2, actions), 2).tolist())
    if not has_extra_turns:  # players alternate: from either half of the nodes all ways lead to the other
        players = [node % 2 for node in range(NUM_NODES)]
        children = [
            [to if to == NOWHERE else other_half(node, to, place) for place, to in enumerate(row)]
            for node, row in enumerate(children)
        ]
    values = np.round(random.uniform(-1, 1, NUM_NODES), 5).tolist()
    return {"players": players, "results": results, "children": children, "logits": logits, "values": values}


def other_half(node, to, place):
    """A node of the other player; which one matters little."""
    half = [other for other in range(NUM_NODES) if (other - node) % 2]
    return half[(to + place) % len(half)]


def legal_transform(tree, node_index):
    """`mctx.qtransform_completed_by_mix_value` without the actions that are not allowed."""
    logits, visits = tree.children_prior_logits[node_index], tree.children_visits[node_index]
    values = tree.qvalues(node_index)
    mixed = qtransforms._compute_mixed_value(
        tree.raw_values[node_index], qvalues=values, visit_counts=visits, prior_probs=jax.nn.softmax(logits)
    )
    completed = qtransforms._complete_qvalues(values, visit_counts=visits, value=mixed)
    is_legal = logits > -1e30
    low = jnp.min(completed, where=is_legal, initial=jnp.inf)
    high = jnp.max(completed, where=is_legal, initial=-jnp.inf)
    return (50.0 + jnp.max(visits)) * 0.1 * (completed - low) / jnp.maximum(high - low, 1e-8)


def search(trees, simulations, max_considered, seed, qtransform):
    """mctx's answer for a batch of trees."""
    players, values = (jnp.array([tree[name] for tree in trees]) for name in ("players", "values"))
    children = jnp.array([tree["children"] for tree in trees])
    ends = jnp.array([[result is not None for result in tree["results"]] for tree in trees])
    results = jnp.array([[result or 0 for result in tree["results"]] for tree in trees], jnp.float32)
    least = jnp.finfo(jnp.float32).min
    logits = jnp.where(children == NOWHERE, least, jnp.array([tree["logits"] for tree in trees], jnp.float32))
    rows = jnp.arange(len(trees))

    def step(_parameters, _key, actions, nodes):
        was_over = ends[rows, nodes]
        target = jnp.where(was_over, nodes, children[rows, nodes, actions])
        is_over = ends[rows, target]
        mover = players[rows, nodes]
        sign = jnp.where(mover == players[rows, target], 1.0, -1.0)
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(is_over & ~was_over, results[rows, target] * (1.0 - 2 * mover), 0.0),
            discount=jnp.where(is_over, 0.0, sign),
            prior_logits=logits[rows, target],
            value=jnp.where(is_over, 0.0, values[rows, target]),
        )
        return output, target

    root = mctx.RootFnOutput(prior_logits=logits[:, 0], value=values[:, 0], embedding=jnp.zeros(len(trees), jnp.int32))
    policy = partial(
        mctx.gumbel_muzero_policy, recurrent_fn=step, num_simulations=simulations,
        max_num_considered_actions=max_considered, qtransform=qtransform,
    )  # fmt: skip
    output = jax.jit(policy)((), jax.random.PRNGKey(seed), root, invalid_actions=children[:, 0] == NOWHERE)
    summary = output.search_tree.summary()
    names = ("noise", "action", "policy", "child_visits", "child_values")
    found = (
        output.search_tree.extra_data.root_gumbel, output.action, output.action_weights,
        summary.visit_counts.astype(jnp.int32), summary.qvalues,
    )  # fmt: skip
    arrays = [np.asarray(array) for array in found]
    return [dict(zip(names, answer, strict=True)) for answer in zip(*arrays, strict=True)]


def cases():
    """Every tree with what was asked and what mctx found."""
    for seed, (actions, is_full, simulations, max_considered) in enumerate(SEARCHES):
        random = np.random.default_rng(seed)
        trees = [random_tree(random, actions, is_full, tree % 2 == 1, tree % 4 > 1) for tree in range(TREES)]
        plain = search(trees, simulations, max_considered, seed, mctx.qtransform_completed_by_mix_value)
        found = search(trees, simulations, max_considered, seed, legal_transform)
        for tree, answer, own in zip(trees, found, plain, strict=True):
            if is_tie(answer):
                continue
            is_plain = all(np.allclose(answer[name], own[name], atol=1e-5) for name in answer)
            yield {
                "simulations": simulations, "max_considered": max_considered, "is_plain": is_plain, **tree,
                **{name: rounded(value, 9 if name == "noise" else 6) for name, value in answer.items()},
            }  # fmt: skip


def is_tie(answer):
    """Whether several children were visited and are all worth the same."""
    values = answer["child_values"][answer["child_visits"] > 0]
    return len(values) > 1 and np.ptp(values) < 1e-5


def rounded(values, digits):
    """Numbers as JSON has them."""
    if values.dtype.kind == "i":
        return values.tolist()
    return [float(f"{value:.{digits}g}") for value in values]


def text(found):
    """JSON with a line for each field."""
    fields = [",\n".join(f'  "{name}": {json.dumps(value)}' for name, value in case.items()) for case in found]
    return "[\n" + ",\n".join(f" {{\n{lines}\n }}" for lines in fields) + "\n]\n"


if __name__ == "__main__":
    PATH.write_text(text(list(cases())), encoding="utf-8")
