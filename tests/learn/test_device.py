"""Where a run calculates."""

import numpy as np
import pytest
import torch

from meeple.errors import RunError
from meeple.games.registry import game
from meeple.learn.device import device_of, is_bf16
from meeple.learn.recipes import load
from meeple.learn.workers import Workers
from meeple.nets.checkpoint import Checkpoint, card_of
from meeple.nets.layout import layout_of
from meeple.nets.network import Network
from meeple.nets.torch_runtime import TorchEvaluator
from meeple.search.evaluator import Positions


@pytest.mark.parametrize(
    ("asked", "is_there", "found"),
    [("auto", False, "cpu"), ("auto", True, "cuda"), ("cpu", True, "cpu"), ("cuda", True, "cuda")],
)
def test_device(monkeypatch, asked, is_there, found):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: is_there)
    assert device_of(load("fast", "tictactoe", [f"device={asked}"])) == found


def test_a_card_that_is_not_there(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(RunError, match="finds no graphics card"):
        device_of(load("fast", "tictactoe", ["device=cuda"]))


def test_whether_bfloat16_pays_is_known():
    assert is_bf16("cpu") in (True, False)


def test_beside_the_processor_pytorch_evaluates():
    of = game("tictactoe")
    recipe = load("fast", "tictactoe", ["search.cache_mb=0"])
    checkpoint = Checkpoint(card_of(of, recipe.network), Network(recipe.network, layout_of(of)).weights())
    workers = Workers(of, recipe, 1, runtime="", precision="", device="meta")
    workers.use(checkpoint)
    assert isinstance(workers.evaluator(checkpoint), TorchEvaluator)
    assert workers.runtime == "PyTorch on meta"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch finds no graphics card")
def test_a_card_says_what_the_processor_says():
    of = game("connect4")
    recipe = load("fast", "connect4")
    checkpoint = Checkpoint(card_of(of, recipe.network), Network(recipe.network, layout_of(of)).weights())
    positions = Positions(of.start().state[np.newaxis], of.start().planes[np.newaxis])
    card, processor = (TorchEvaluator(checkpoint, of, device=device).evaluate(positions) for device in ("cuda", "cpu"))
    assert card.logits == pytest.approx(processor.logits, abs=1e-3)
    assert card.values == pytest.approx(processor.values, abs=1e-3)
