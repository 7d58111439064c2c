"""mctx's Gumbel search over pgx's games, for the speed bench: both compiled by JAX for the processor.

I. Babuschkin et al., "The DeepMind JAX ecosystem", 2020 (mctx); S. Koyamada et al., "Pgx: Hardware-accelerated parallel
game simulators for reinforcement learning", NeurIPS 2023.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from meeple.errors import PlayerError

NAMES = {"connect4": "connect_four", "othello": "othello", "hex:11?swap=1": "hex"}
"""What pgx calls our games; it has them at one size, and its Hex always with the swap."""
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def gumbel_search(game: str, trees: int, simulations: int) -> Callable[[], int]:
    """A function that searches so many trees from the start, at once; it gives the number of simulations in all.

    The evaluator knows nothing: every legal move alike, every value 0.
    """
    os.environ.setdefault("XLA_FLAGS", ONE_THREAD)  # read when JAX starts
    try:
        import jax
        import mctx
        import pgx
    except ImportError as error:
        raise PlayerError("jax, mctx and pgx are not all installed; pip install jax mctx pgx") from error
    jax.config.update("jax_platforms", "cpu")
    rules, rows = pgx.make(NAMES[game]), jax.numpy.arange(trees)
    play, nothing = jax.vmap(rules.step), jax.numpy.zeros(trees)

    def logits(state: Any) -> Any:
        return jax.numpy.where(state.legal_action_mask, 0.0, jax.numpy.finfo(nothing.dtype).min)

    def step(_parameters: Any, _key: Any, action: Any, state: Any) -> Any:
        after = play(state, action).replace(observation=state.observation)
        sign = jax.numpy.where(after.current_player == state.current_player, 1.0, -1.0)
        output = mctx.RecurrentFnOutput(
            reward=after.rewards[rows, state.current_player],
            discount=jax.numpy.where(after.terminated, 0.0, sign),
            prior_logits=logits(after),
            value=nothing,
        )
        return output, after

    @jax.jit
    def search(key: Any, state: Any) -> Any:
        root = mctx.RootFnOutput(prior_logits=logits(state), value=nothing, embedding=state)
        output = mctx.gumbel_muzero_policy((), key, root, step, simulations, invalid_actions=~state.legal_action_mask)
        return output.action, output.action_weights

    keys = jax.random.split(jax.random.PRNGKey(0), trees)
    start = jax.jit(jax.vmap(rules.init))(keys).replace(observation=nothing)  # what a network would see costs nothing

    def run() -> int:
        jax.block_until_ready(search(keys[0], start))
        return trees * simulations

    return run


@contextmanager
def one_core() -> Iterator[None]:
    """Stay on one core, where the system can be told so; threads that start meanwhile stay there for good."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
