"""Self-play by OpenSpiel's AlphaZero in Python: its own actor's functions, over its own model.

Nothing of it is written anew: `_init_bot` makes the bots and `_play_game` plays a game, as its `actor` does between two
checkpoints. Its connect_four observations are planes first, which its model takes for rows: it convolves a board of 3x6
with 7 channels, at half the cost of 6x7. As it ships, it is measured so; `board` turns the planes to the real board.
"""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
from open_spiel.python.algorithms.alpha_zero import alpha_zero
from open_spiel.python.algorithms.alpha_zero.evaluator import AlphaZeroEvaluator
from open_spiel.python.utils.file_logger import FileLogger
from peer import Peer, Progress

Inference = Literal["own", "jitted", "tuned"]
View = Callable[[Any], Any]
"""From an observation in a row to what the network is to see."""

PLAY = {
    "uct_c": 2,
    "policy_alpha": 1,
    "policy_epsilon": 0.25,
    "temperature": 1,
    "temperature_drop": 10,
    "learning_rate": 0.001,
    "weight_decay": 0.0001,
}
"""What its example had while it was for connect_four; since 2.0 it is for tic-tac-toe."""
LEARNING = (
    "train_batch_size", "replay_buffer_size", "replay_buffer_reuse", "max_steps", "checkpoint_freq", "actors",
    "evaluators", "evaluation_window", "eval_levels",
)  # fmt: skip
"""Must be given, and no actor reads them."""
EVALUATIONS = {"own": 8, "jitted": 512, "tuned": 512}
"""In one call of the network alone."""


class Jitted:
    """Its linen model, `inference` compiled and its answers turned to NumPy's: a change of four lines."""

    def __init__(self, model: Any, view: View) -> None:
        """Of the weights that the model has now."""
        state = model._state
        self._weights = {"params": state.params, "batch_stats": state.batch_stats}

        def predict(weights: Any, planes: Any, legal: Any) -> Any:
            logits, value = state.apply_fn(weights, view(planes), training=False, mutable=False)
            return value, jax.nn.softmax(jnp.where(legal, logits, jnp.finfo(jnp.float32).min))

        self._predict = jax.jit(predict)

    def inference(self, planes: Any, legal: Any) -> tuple[Any, Any]:
        """Value and policy, as its own gives them."""
        planes, legal = jnp.asarray(planes, dtype=jnp.float32), jnp.asarray(legal, dtype=bool)
        value, policy = self._predict(self._weights, planes, legal)
        return np.asarray(value), np.asarray(policy)


class Tuned(Jitted):
    """The fastest that we could make it without touching its search.

    The weights are constants of the compiled function, which spares handing them over (a checkpoint would be compiled
    anew), and the answers are Python's own numbers, with which its search reckons fastest.
    """

    def __init__(self, model: Any, view: View) -> None:
        """Of the weights that the model has now."""
        super().__init__(model, view)
        weights, predict = self._weights, self._predict
        self._constant = jax.jit(lambda planes, legal: predict(weights, planes, legal))

    def inference(self, planes: Any, legal: Any) -> tuple[Any, Any]:
        """Value and policy, as its own gives them."""
        value, policy = jax.device_get(self._constant(planes.astype(np.float32), legal.astype(bool)))
        return float(value), policy.tolist()


def openspiel_selfplay(
    name: str, simulations: int, channels: int, blocks: int, *, api: str, inference: Inference, board: bool
) -> Peer:
    """One game after the other; a call plays one. `api` is which of its two models; only linen's is compiled here."""
    game = pyspiel.load_game("connect_four")
    planes, rows, columns = game.observation_tensor_shape()
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    config = alpha_zero.Config(
        game="connect_four",
        path=folder.name,
        max_simulations=simulations,
        decouple_weight_decay=False,
        nn_model="resnet",
        nn_width=channels,
        nn_depth=blocks,
        observation_shape=[rows, columns, planes] if board else [planes, rows, columns],
        output_size=game.num_distinct_actions(),
        verbose=False,
        quiet=True,
        nn_api_version=api,
        **PLAY,
        **dict.fromkeys(LEARNING, 1),
    )

    def view(flat: Any) -> Any:
        return flat.reshape(planes, rows, columns).transpose(1, 2, 0) if board else flat

    own = alpha_zero._init_model_from_config(config)
    start = game.new_initial_state()
    seen, legal = np.asarray(start.observation_tensor()), np.asarray(start.legal_actions_mask())
    model = (
        own if inference == "own" else _agreeing({"jitted": Jitted, "tuned": Tuned}[inference], own, view, seen, legal)
    )
    evaluator, logger = AlphaZeroEvaluator(game, model), FileLogger(folder.name, name.replace("/", "-"), quiet=True)
    bots = [alpha_zero._init_bot(config, game, evaluator, False) for _ in range(2)]
    games = 0

    def play() -> Progress:
        nonlocal games
        games += 1
        before = evaluator.cache_info().misses
        trajectory = alpha_zero._play_game(logger, games, game, bots, config.temperature, config.temperature_drop)
        return Progress(len(trajectory.states), 1, evaluator.cache_info().misses - before)

    def evaluate() -> int:
        for _ in range(EVALUATIONS[inference]):
            jax.block_until_ready(model.inference(seen, legal))
        return EVALUATIONS[inference]

    evaluate()
    bots[0].mcts_search(start)  # compiles the small functions that a search without jit is made of
    size = f"{rows}x{columns}" if board else f"{planes}x{rows}"
    packages = ("open_spiel", "jax", "jaxlib", "flax")
    return Peer(name, 1, play, evaluate, f"{channels}x{blocks} on {size}, float32", packages)


def _agreeing(kind: type[Jitted], own: Any, view: View, seen: Any, legal: Any) -> Jitted:
    """The compiled model, after it has answered as its own does."""
    compiled = kind(own, view)
    for ours, theirs in zip(compiled.inference(seen, legal), own.inference(view(seen), legal), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    return compiled
