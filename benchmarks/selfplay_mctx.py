"""Self-play by mctx over pgx's Connect 4, as in pgx's own AlphaZero example, compiled by JAX as one function.

Everything follows examples/alphazero of pgx: its network (the one inside the package, of which its baseline models are
made), Gumbel with the default transformation of values, `auto_reset`, a `lax.scan` over moves. Only sizes differ.

S. Koyamada et al., "Pgx: Hardware-accelerated parallel game simulators for reinforcement learning", NeurIPS 2023.
"""

from __future__ import annotations

from typing import Any

import haiku as hk
import jax
import jax.numpy as jnp
import mctx
import pgx
from peer import Peer, Progress
from pgx._src.baseline import _create_az_model_v0 as pgx_network
from pgx.experimental import auto_reset

POSITIONS = 256
"""About so many in one call: two seconds. That the example plays more moves in one call makes none of them faster."""
EVALUATIONS = 1024


def mctx_selfplay(batch: int, simulations: int, channels: int, blocks: int) -> Peer:
    """So many games side by side; a call plays the next moves of all of them, and a finished game starts anew."""
    rules, steps = pgx.make("connect_four"), max(1, POSITIONS // batch)
    network = _network(rules.num_actions, channels, blocks)
    start_key, weights_key, key = jax.random.split(jax.random.PRNGKey(0), 3)
    state = jax.jit(jax.vmap(rules.init))(jax.random.split(start_key, batch))
    model = network.init(weights_key, state.observation)
    play_moves = _play_moves(rules, network, simulations)

    @jax.jit
    def network_alone(model: Any, planes: Any) -> Any:
        return network.apply(*model, planes, is_eval=True)[0]

    def play() -> Progress:
        nonlocal state, key
        key, moves_key = jax.random.split(key)
        state, data = play_moves(model, state, jax.random.split(moves_key, steps))
        games = int(jax.block_until_ready(data)["terminated"].sum())
        positions = steps * batch
        return Progress(positions, games, positions * (simulations + 1))  # the root, and one more each simulation

    def evaluate() -> int:
        calls = max(1, EVALUATIONS // batch)
        for _ in range(calls):
            jax.block_until_ready(network_alone(model, state.observation))
        return calls * batch

    play()
    evaluate()
    packages = ("mctx", "pgx", "jax", "jaxlib", "dm-haiku")
    return Peer(f"mctx+pgx/{batch}", batch, play, evaluate, f"{channels}x{blocks} on 6x7, float32", packages)


def _network(actions: int, channels: int, blocks: int) -> Any:
    """pgx's residual network, `resnet_v2` as by its default; batch norm is not folded into the convolutions there."""

    def forward(planes: Any, is_eval: bool = False) -> Any:
        return pgx_network(actions, channels, blocks)(planes, is_training=not is_eval, test_local_stats=False)

    return hk.without_apply_rng(hk.transform_with_state(forward))


def _play_moves(rules: Any, network: Any, simulations: int) -> Any:
    """The compiled function that plays a move in all games for each key, and gives what a learner needs."""
    step, step_or_restart = jax.vmap(rules.step), jax.vmap(auto_reset(rules.step, rules.init))

    def after_move(model: Any, _key: Any, action: Any, state: Any) -> Any:
        player = state.current_player
        state = step(state, action)
        logits, value = network.apply(*model, state.observation, is_eval=True)[0]
        logits = logits - jnp.max(logits, axis=-1, keepdims=True)
        output = mctx.RecurrentFnOutput(
            reward=state.rewards[jnp.arange(len(player)), player],
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min),
            value=jnp.where(state.terminated, 0.0, value),
        )
        return output, state

    @jax.jit
    def play_moves(model: Any, state: Any, keys: Any) -> Any:
        def play_one(state: Any, key: Any) -> Any:
            search_key, restart_key = jax.random.split(key)
            logits, value = network.apply(*model, state.observation, is_eval=True)[0]
            root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
            answer = mctx.gumbel_muzero_policy(
                model, search_key, root, after_move, simulations, invalid_actions=~state.legal_action_mask
            )
            player = state.current_player
            after = step_or_restart(state, answer.action, jax.random.split(restart_key, len(player)))
            data = {
                "observation": state.observation,
                "action_weights": answer.action_weights,
                "reward": after.rewards[jnp.arange(len(player)), player],
                "terminated": after.terminated,
            }
            return after, data

        return jax.lax.scan(play_one, state, keys)

    return play_moves
