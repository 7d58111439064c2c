"""A network as an ONNX graph, built from its weights without PyTorch: in float32, or in int8 from ranges.

Inputs and outputs, for any number n of positions:

    planes [n, planes, rows, columns]  ->  logits [n, actions] (where there is a policy), value [n]

Normalisation is folded into the layer before it. An int8 graph says by pairs of QuantizeLinear and DequantizeLinear
which numbers are kept in 8 bits: activations by one scale each, unsigned; weights by a scale for each output, with
sign. Runtimes turn a layer between such pairs into one in integers. The last layers of the heads, which are small, stay
in float32. A ReLU needs no node there: quantising to unsigned numbers with 0 as the least cuts off what is below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from meeple.errors import CheckpointError
from meeple.nets.checkpoint import Checkpoint, Tensors
from meeple.nets.layout import Layout, body_widths, has_value_channels

OPSET = 17
IR_VERSION = 8
EPSILON = 1e-5
"""What PyTorch adds to a variance before it divides by its root."""
MAX_WEIGHT = 127
MAX_ACTIVATION = 255

Floats = NDArray[np.float32]


def build(
    checkpoint: Checkpoint, layout: Layout, *, ranges: Tensors | None = None, is_watched: bool = False
) -> onnx.ModelProto:
    """The graph on a board of the layout: in int8 where there are ranges; watched, every activation is an output."""
    graph = _Graph(checkpoint, layout, ranges)
    features = _body(graph, len(body_widths(graph.architecture)))
    if graph.architecture.has_policy:
        _policy(graph, features)
    _value(graph, features)
    return graph.model(is_watched)


class _Graph:
    """Nodes and constants as they are added, each named after what it computes."""

    def __init__(self, checkpoint: Checkpoint, layout: Layout, ranges: Tensors | None) -> None:
        self.architecture = checkpoint.card.architecture
        self.layout = layout
        self._activations: list[str] = []  # what is kept in 8 bits when there are ranges
        self._scales: dict[str, np.float32] = {}
        self._is_relu = self.architecture.activation == "relu"
        self._weights = checkpoint.weights
        self._ranges = ranges
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, NDArray[Any]] = {}
        self._outputs: list[onnx.ValueInfoProto] = []

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node; gives its output."""
        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """Add a constant; gives its name."""
        self._constants[name] = value
        return name

    def output(self, name: str, *shape: int) -> None:
        """Make a tensor an output of the graph."""
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *shape]))

    def folded(self, name: str) -> tuple[Floats, Floats]:
        """Weight and bias of a layer, with its normalisation in them."""
        weight = self._weights[f"{name}.weight"]
        if f"{name}.bias" in self._weights:
            return weight, self._weights[f"{name}.bias"]
        norm = name.removesuffix("linear") + "norm"
        scale, shift, mean, variance = (
            self._weights[f"{norm}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        factor = scale / np.sqrt(variance + EPSILON)
        shaped = factor.reshape(-1, *(1 for _ in weight.shape[1:]))
        return (weight * shaped).astype(np.float32), (shift - mean * factor).astype(np.float32)

    def layer(self, name: str, source: str) -> str:
        """A convolution or a fully connected layer in float32."""
        weight, bias = self.folded(name)
        inputs = [source, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)]
        return self._linear(name, inputs, weight)

    def quantised_layer(self, name: str, source: str) -> str:
        """The same between activations in 8 bits, if there are ranges."""
        if self._ranges is None:
            return self.layer(name, source)
        weight, bias = self.folded(name)
        rows = weight.reshape(len(weight), -1)
        scales = np.maximum(np.abs(rows).max(1) / MAX_WEIGHT, np.finfo(np.float32).tiny).astype(np.float32)
        whole = np.rint(rows / scales[:, None]).astype(np.int8).reshape(weight.shape)
        bias_scales = scales * self._scales[source]
        counts = np.clip(np.rint(bias.astype(np.float64) / bias_scales), -(2**30), 2**30).astype(np.int32)
        inputs = [
            source,
            self._dequantised(f"{name}.weight", whole, scales),
            self._dequantised(f"{name}.bias", counts, bias_scales),
        ]
        return self._linear(name, inputs, weight)

    def _linear(self, name: str, inputs: list[str], weight: Floats) -> str:
        if weight.ndim == 2:
            return self.node("Gemm", inputs, name, transB=1)
        padding = weight.shape[2] // 2
        return self.node("Conv", inputs, name, kernel_shape=weight.shape[2:], pads=[padding] * 4)

    def active(self, source: str, name: str) -> str:
        """The activation function in float32."""
        kind, leak = ("Relu", {}) if self._is_relu else ("LeakyRelu", {"alpha": self.architecture.leak})
        return self.node(kind, [source], name, **leak)

    def quantised_active(self, source: str, name: str) -> str:
        """The activation function, and what it gives kept in 8 bits, if there are ranges."""
        is_cut_off = self._is_relu and self._ranges is not None
        return self.kept(source if is_cut_off else self.active(source, name), name)

    def kept(self, source: str, name: str) -> str:
        """An activation as it is read after it was kept in 8 bits, if there are ranges."""
        self._activations.append(name)
        if self._ranges is None:
            return source
        if name not in self._ranges:
            raise CheckpointError(f"the range of {name} is missing: calibrate the network again")
        low, high = (float(bound) for bound in self._ranges[name])
        low, high = min(low, 0.0), max(high, 0.0)
        scale = np.float32(max(high - low, 1e-6) / MAX_ACTIVATION)
        zero = np.clip(np.rint(-low / scale), 0, MAX_ACTIVATION)
        pair = [
            self.constant(f"{name}.scale", np.array(scale)),
            self.constant(f"{name}.zero", np.array(zero, np.uint8)),
        ]
        kept = self.node("QuantizeLinear", [source, *pair], f"{name}.kept")
        self._scales[f"{name}.read"] = scale
        return self.node("DequantizeLinear", [kept, *pair], f"{name}.read")

    def _dequantised(self, name: str, whole: NDArray[Any], scales: Floats) -> str:
        zeros = self.constant(f"{name}.zeros", np.zeros(len(scales), whole.dtype))
        inputs = [self.constant(f"{name}.kept", whole), self.constant(f"{name}.scales", scales), zeros]
        return self.node("DequantizeLinear", inputs, name, axis=0)

    def model(self, is_watched: bool) -> onnx.ModelProto:
        """Everything that was added, as a model."""
        shape = self.layout.planes, self.layout.rows, self.layout.columns
        planes = helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["n", *shape])
        watched = [name for name in self._activations if is_watched and name != "planes"]
        outputs = self._outputs + [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in watched]
        constants = [numpy_helper.from_array(value, name) for name, value in self._constants.items()]
        graph = helper.make_graph(self._nodes, "meeple", [planes], outputs, constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


def _body(graph: _Graph, count: int) -> str:
    """The layers of the body; a block ends with the sum of its second layer and what it began with."""
    if graph.architecture.body == "mlp":
        features = graph.kept(graph.node("Flatten", ["planes"], "planes.flat"), "planes.flat")
    else:
        features = graph.kept("planes", "planes")
    features = _layer(graph, 0, features)
    if graph.architecture.body != "residual":
        for index in range(1, count):
            features = _layer(graph, index, features)
        return features
    for index in range(1, count, 2):
        features = _block(graph, index, features)
    return features


def _block(graph: _Graph, index: int, source: str) -> str:
    second = f"body.{index + 1}"
    change = graph.quantised_layer(f"{second}.linear", _layer(graph, index, source))
    total = graph.node("Add", [graph.kept(change, f"{second}.linear"), source], f"{second}.sum")
    return graph.quantised_active(total, second)


def _layer(graph: _Graph, index: int, source: str) -> str:
    return graph.quantised_active(graph.quantised_layer(f"body.{index}.linear", source), f"body.{index}")


def _head_conv(graph: _Graph, head: str, features: str) -> str:
    """The convolution that begins a head."""
    name = f"{head}.first.linear" if graph.architecture.head_norm else f"{head}.first"
    return graph.quantised_active(graph.quantised_layer(name, features), f"{head}.active")


def _policy(graph: _Graph, features: str) -> None:
    layout, is_mlp = graph.layout, graph.architecture.body == "mlp"
    if not is_mlp:
        features = _head_conv(graph, "policy", features)
    if graph.architecture.policy_head == "dense":
        flat = features if is_mlp else graph.node("Flatten", [features], "policy.flat")
        logits = graph.layer("policy.last", flat)
    else:
        logits = _cell_logits(graph, features)
    graph.node("Identity", [logits], "logits")
    graph.output("logits", layout.num_actions)


def _cell_logits(graph: _Graph, features: str) -> str:
    layout, parts = graph.layout, []
    if layout.site_channels:
        parts.append(graph.node("Flatten", [graph.layer("policy.sites", features)], "policy.sites.flat"))
    if layout.num_beside:
        parts.append(graph.layer("policy.beside", _pooled(graph, features, "policy")))
    logits = parts[0] if len(parts) == 1 else graph.node("Concat", parts, "policy.parts", axis=1)
    gathered = np.array(layout.gathered)
    if gathered.tolist() == list(range(layout.site_channels * layout.grid + layout.num_beside)):
        return logits
    return graph.node("Gather", [logits, graph.constant("policy.gathered", gathered)], "policy.logits", axis=1)


def _value(graph: _Graph, features: str) -> None:
    architecture = graph.architecture
    if architecture.any_size:
        features = _pooled(graph, features, "value")
    elif architecture.body != "mlp":
        if has_value_channels(architecture):
            features = _head_conv(graph, "value", features)
        features = graph.node("Flatten", [features], "value.flat")
    if architecture.value_units:
        features = graph.active(graph.layer("value.hidden", features), "value.units")
    last = graph.layer("value.last", features)
    if architecture.value_head == "tanh":
        signed = graph.node("Tanh", [last], "value.signed")
    else:
        chances = graph.node("Softmax", [last], "value.chances", axis=1)
        points = graph.constant("value.points", np.array([[1], [0], [-1]], np.float32))
        signed = graph.node("MatMul", [chances, points], "value.signed")
    graph.node("Reshape", [signed, graph.constant("value.shape", np.array([-1]))], "value")
    graph.output("value")


def _pooled(graph: _Graph, features: str, name: str) -> str:
    """The mean and the maximum of every channel."""
    axes = {"axes": [2, 3], "keepdims": 0}
    parts = [
        graph.node("ReduceMean", [features], f"{name}.means", **axes),
        graph.node("ReduceMax", [features], f"{name}.maxima", **axes),
    ]
    return graph.node("Concat", parts, f"{name}.pooled", axis=1)
