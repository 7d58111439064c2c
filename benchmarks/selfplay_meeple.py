"""Our own self-play of Connect 4, with a network of random weights: int8 by onnxruntime, on one core.

Every move is searched in full, without playout caps, so that a position costs as many simulations as with the others.
"""

from __future__ import annotations

import threading
from itertools import count

import numpy as np
from peer import Peer, Progress

from meeple.games.registry import game as load_game
from meeple.learn.episodes import Episode
from meeple.learn.recipe import Search, SelfPlay
from meeple.learn.selfplay import Worker
from meeple.learn.starts import Start
from meeple.nets.architecture import Architecture
from meeple.nets.calibration import calibrated, random_planes
from meeple.nets.checkpoint import Checkpoint, card_of
from meeple.nets.layout import layout_of, weight_shapes
from meeple.nets.runtime import NetworkEvaluator
from meeple.search.cache import CachedEvaluator
from meeple.search.evaluator import Positions

GAMES = 512
"""Of one call; what is in flight when the last of them ends is not counted."""
EVALUATIONS = 4096
CACHE_MB = 256


def meeple_selfplay(
    name: str, simulations: int, channels: int, blocks: int, *, batch: int, is_cached: bool, precision: str = "int8"
) -> Peer:
    """So many games side by side, with the cache of evaluations or without."""
    game = load_game("connect4")
    checkpoint = random_network(channels, blocks)
    network = NetworkEvaluator(checkpoint, game, runtime="onnxruntime", precision=precision, batch=batch)
    evaluator = CachedEvaluator(game, network, memory_mb=CACHE_MB) if is_cached else network
    worker = Worker(game, Search(simulations=simulations), SelfPlay(parallel=batch), memory_mb=512)
    planes = random_planes(game, batch)
    alone = Positions(np.zeros((batch, game.num_words), np.uint64), planes)
    numbers = count()

    def play() -> Progress:
        stop, episodes, before = threading.Event(), list[Episode](), worker.evaluations

        def deliver(episode: Episode) -> None:
            episodes.append(episode)
            if len(episodes) >= GAMES:
                stop.set()

        worker.play((Start(number, number, 0) for number in numbers), evaluator, deliver, stop=stop)
        moves = sum(len(episode.actions) for episode in episodes)
        return Progress(moves, len(episodes), worker.evaluations - before)

    def evaluate() -> int:
        for _ in range(EVALUATIONS // batch):
            network.evaluate(alone)
        return EVALUATIONS // batch * batch

    evaluate()
    packages = ("numba", "onnxruntime")
    return Peer(name, batch, play, evaluate, f"{channels}x{blocks} on 6x7, {precision}", packages)


def random_network(channels: int, blocks: int) -> Checkpoint:
    """A network that knows nothing, as large as a trained one; small weights, so that its policies are not sharp."""
    game = load_game("connect4")
    architecture = Architecture(width=channels, depth=blocks)
    chance = np.random.default_rng(1)
    weights = {
        name: chance.normal(0, 1 / np.sqrt(max(np.prod(shape[1:]), 1)), shape).astype(np.float32)
        for name, shape in weight_shapes(architecture, layout_of(game)).items()
    }
    weights |= {name: np.abs(value) + 0.5 for name, value in weights.items() if name.endswith("running_var")}
    checkpoint = Checkpoint(card_of(game, architecture), weights)
    return calibrated(checkpoint, game, random_planes(game, 256))
