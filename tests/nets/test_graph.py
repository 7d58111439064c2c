"""Graphs say what PyTorch says: in float32 to the last digits, in int8 nearly; whatever else is in the batch."""

import numpy as np
import onnx
import pytest

import meeple
from meeple import CheckpointError
from meeple.nets.calibration import calibrated, random_planes, session
from meeple.nets.graph import build
from meeple.nets.layout import layout_of
from meeple.nets.torch_runtime import TorchEvaluator
from meeple.nets.ways import Way, runner, ways
from meeple.search.evaluator import Positions
from reference.networks import ARCHITECTURES, kept, learned

COUNT = 64


def run(checkpoint, game, way, planes):
    found = runner(checkpoint, game, way)(planes)
    return found.get("logits"), found["value"]


def reference(checkpoint, game, planes):
    return TorchEvaluator(checkpoint, game).evaluate(Positions(np.zeros((len(planes), 4), np.uint64), planes))


def correlation(ours, theirs):
    return np.corrcoef(ours.ravel(), theirs.ravel())[0, 1]


def test_graphs_agree_with_pytorch(game, architecture):
    checkpoint, planes = kept(game, learned(game, architecture)), random_planes(game, COUNT)
    logits, values = reference(checkpoint, game, planes)
    exact = run(checkpoint, game, Way("onnxruntime", "fp32"), planes)
    np.testing.assert_allclose(exact[1], values, atol=1e-4)
    whole = run(checkpoint, game, Way("onnxruntime", "int8"), planes)
    assert np.abs(whole[1] - values).mean() < 0.02
    if architecture.policy_head == "none":
        assert exact[0] is None
        assert not logits.any()
        return
    np.testing.assert_allclose(exact[0], logits, atol=1e-4)
    assert np.abs(whole[0] - logits).mean() < 0.05 * logits.std() + 0.01


@pytest.mark.parametrize("name", ["mlp", "mlp leaky", "conv dense", "residual wdl", "any size"])
@pytest.mark.parametrize("way", ways("openvino"), ids=lambda way: way.precision)
def test_openvino_agrees_too(name, way):
    game = meeple.game("go:5")
    checkpoint, planes = kept(game, learned(game, ARCHITECTURES[name])), random_planes(game, COUNT)
    logits, values = reference(checkpoint, game, planes)
    found = run(checkpoint, game, way, planes)
    limit = 1e-4 if way.precision == "fp32" else 0.02
    assert np.abs(found[1] - values).mean() < limit
    assert np.abs(found[0] - logits).mean() < limit * max(1, logits.std())


@pytest.mark.parametrize("name", ["mlp", "conv dense", "residual wdl", "any size"])
@pytest.mark.parametrize("way", ways(), ids=lambda way: f"{way.runtime} {way.precision}")
def test_an_answer_does_not_depend_on_the_batch(name, way):
    game = meeple.game("go:5")
    checkpoint, planes = kept(game, learned(game, ARCHITECTURES[name])), random_planes(game, 2 * COUNT)
    function = runner(checkpoint, game, way)
    whole = function(planes)
    for size in range(1, COUNT + 1):
        part = function(planes[size : 2 * size].copy())
        for output, answers in part.items():
            np.testing.assert_array_equal(answers, whole[output][size : 2 * size], f"{output} in a batch of {size}")


def test_int8_graphs_become_layers_in_integers(tmp_path):
    import onnxruntime

    game = meeple.game("connect4:4x5")
    checkpoint = calibrated(kept(game, learned(game, ARCHITECTURES["residual"])), game)
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "graph.onnx")
    options.log_severity_level = 3
    model = build(checkpoint, layout_of(game), ranges=checkpoint.ranges)
    onnx.checker.check_model(model, full_check=True)
    onnxruntime.InferenceSession(model.SerializeToString(), options)
    kinds = [node.op_type for node in onnx.load(tmp_path / "graph.onnx").graph.node]
    assert kinds.count("QLinearConv") == 7  # five in the body, one for each head
    assert kinds.count("QLinearAdd") == 2
    assert kinds.count("QuantizeLinear") == 1


def test_a_missing_range_is_named():
    game = meeple.game("connect4:4x5")
    checkpoint = calibrated(kept(game, learned(game, ARCHITECTURES["residual"])), game)
    ranges = {name: value for name, value in checkpoint.ranges.items() if name != "body.3"}
    with pytest.raises(CheckpointError, match=r"the range of body\.3 is missing"):
        build(checkpoint, layout_of(game), ranges=ranges)


def test_a_calibrated_checkpoint_needs_no_more_positions():
    game = meeple.game("connect4:4x5")
    checkpoint = kept(game, learned(game, ARCHITECTURES["residual"]))
    planes = random_planes(game, COUNT)
    ready = calibrated(checkpoint, game, planes)
    assert ready.ranges["planes"].tolist() == [0, 1]
    outputs = session(build(checkpoint, layout_of(game), is_watched=True)).get_outputs()
    assert ready.ranges.keys() == {output.name for output in outputs} - {"logits", "value"} | {"planes"}
