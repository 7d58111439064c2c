"""The evaluator that is a network: its answers, its threads, its refusals, and the choice of the fastest way."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import meeple
from meeple import CheckpointError
from meeple.nets import fastest as choosing
from meeple.nets.calibration import random_planes
from meeple.nets.fastest import Speed, choose, fastest, measure
from meeple.nets.runtime import NetworkEvaluator
from meeple.nets.torch_runtime import TorchEvaluator
from meeple.nets.ways import Way, ways
from meeple.search.evaluator import Positions
from reference.networks import ARCHITECTURES, kept, learned

EXACT, WHOLE = Way("onnxruntime", "fp32"), Way("onnxruntime", "int8")
BFLOAT = Way("openvino", "bf16")


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(choosing, "user_folder", lambda: tmp_path / "meeple")
    return tmp_path / "meeple"


def made(name="connect4:4x5", kind="residual"):
    game = meeple.game(name)
    return game, kept(game, learned(game, ARCHITECTURES[kind]))


def positions(game, count=32):
    return Positions(np.zeros((count, game.num_words), np.uint64), random_planes(game, count))


@pytest.mark.parametrize("kind", ["residual", "conv value", "any size"])
def test_it_answers_as_pytorch_does(kind):
    game, checkpoint = made("go:5", kind)
    asked = positions(game)
    expected = TorchEvaluator(checkpoint, game).evaluate(asked)
    found = NetworkEvaluator(checkpoint, game, precision="fp32", runtime="onnxruntime").evaluate(asked)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_a_network_without_a_policy_likes_every_move_alike():
    game, checkpoint = made("go:5", "conv value")
    evaluator = NetworkEvaluator(checkpoint, game, runtime="onnxruntime", precision="fp32")
    assert not evaluator.evaluate(positions(game)).logits.any()


def test_no_positions_have_no_answers():
    game, checkpoint = made()
    evaluator = NetworkEvaluator(checkpoint, game, runtime="onnxruntime", precision="fp32")
    none = Positions(np.zeros((0, game.num_words), np.uint64), np.zeros((0, *game.shape), np.float32))
    found = evaluator.evaluate(none)
    assert (found.logits.shape, found.values.shape) == ((0, game.num_actions), (0,))


@pytest.mark.parametrize("way", ways(), ids=lambda way: f"{way.runtime} {way.precision}")
def test_threads_may_share_it(way):
    game, checkpoint = made()
    evaluator = NetworkEvaluator(checkpoint, game, runtime=way.runtime, precision=way.precision)
    asked = positions(game, 64)
    alone = evaluator.evaluate(asked)

    def ask(first):
        part = slice(first, first + 16)
        return all(
            np.array_equal(found, known[part])
            for _ in range(20)
            for found, known in zip(evaluator.evaluate(Positions(*(rows[part] for rows in asked))), alone, strict=True)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(0, 48, 4)))


def test_a_network_of_any_size_answers_on_another_board():
    _, checkpoint = made("go:5", "any size")
    game = meeple.game("go:7")
    evaluator = NetworkEvaluator(checkpoint, game, runtime="onnxruntime", precision="fp32")
    asked = positions(game)
    expected = TorchEvaluator(checkpoint, game).evaluate(asked)
    np.testing.assert_allclose(evaluator.evaluate(asked).logits, expected.logits, atol=1e-4)


def test_another_game_is_refused():
    _, checkpoint = made()
    with pytest.raises(CheckpointError, match="plays connect4:4x5 at no other size"):
        NetworkEvaluator(checkpoint, meeple.game("connect4"))
    with pytest.raises(CheckpointError, match="plays connect4:4x5, not go:5"):
        NetworkEvaluator(checkpoint, meeple.game("go:5"))


def test_an_unknown_way_is_refused():
    game, checkpoint = made()
    with pytest.raises(CheckpointError, match="no network runs by onnxruntime in bf16 on this computer; there are"):
        NetworkEvaluator(checkpoint, game, runtime="onnxruntime", precision="bf16")


def test_fewer_bits_must_gain():
    assert choose([Speed(EXACT, 100, 0), Speed(WHOLE, 105, 0.01)]) == EXACT
    assert choose([Speed(EXACT, 100, 0), Speed(WHOLE, 300, 0.01)]) == WHOLE
    assert choose([Speed(EXACT, 100, 0), Speed(WHOLE, 300, 0.01), Speed(BFLOAT, 310, 0.001)]) == BFLOAT
    assert choose([Speed(EXACT, 100, 0), Speed(WHOLE, 300, 0.2)]) == EXACT
    assert choose([Speed(WHOLE, 300, 0.2)]) == WHOLE


def test_every_way_is_measured():
    game, checkpoint = made()
    speeds = measure(checkpoint, game, ways(), 16)
    assert [speed.way for speed in speeds] == ways()
    assert all(speed.rate > 0 and speed.error < choosing.MAX_ERROR for speed in speeds)


def test_the_choice_is_remembered(own_folder, monkeypatch):
    game, checkpoint = made()
    calls = []
    monkeypatch.setattr(choosing, "measure", lambda *_: calls.append(1) or [Speed(EXACT, 1, 0), Speed(WHOLE, 3, 0)])
    for batch in (60, 64, 33):
        assert fastest(checkpoint, game, runtime="auto", precision="auto", batch=batch) == WHOLE
    assert len(calls) == 1
    fastest(checkpoint, game, runtime="auto", precision="auto", batch=1)
    assert len(calls) == 2
    assert list(json.loads((own_folder / "runtimes.json").read_text()).values()) == [list(WHOLE)] * 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 3}'])
def test_a_damaged_memory_is_forgotten(own_folder, monkeypatch, text):
    own_folder.mkdir()
    (own_folder / "runtimes.json").write_text(text)
    monkeypatch.setattr(choosing, "measure", lambda *_: [Speed(EXACT, 1, 0)])
    game, checkpoint = made()
    assert fastest(checkpoint, game, runtime="auto", precision="auto", batch=64) == EXACT


def test_where_nothing_can_be_written_it_works_all_the_same(own_folder, monkeypatch):
    own_folder.write_text("a file where the folder should be")
    monkeypatch.setattr(choosing, "measure", lambda *_: [Speed(EXACT, 1, 0)])
    game, checkpoint = made()
    assert fastest(checkpoint, game, runtime="auto", precision="auto", batch=64) == EXACT
