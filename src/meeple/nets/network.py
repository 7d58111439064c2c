"""The network as PyTorch learns it; its weights have the names and shapes of `layout.weight_shapes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from meeple.nets.architecture import Architecture
from meeple.nets.layout import (
    Layout,
    body_widths,
    has_margin,
    has_value_channels,
    value_inputs,
    value_units,
    weight_shapes,
)

SMALL = 0.1
"""How small last layers begin, next to the usual: a new network then finds every move and every result possible."""


class Outputs(NamedTuple):
    """What a network says of a batch of positions, for the player to move."""

    logits: Tensor | None
    """`[n, actions]` as that player sees the board; None without a policy head."""
    value: Tensor
    """`[n]`, -1 to 1."""
    wdl_logits: Tensor | None
    """`[n, 3]`, of a win, a draw and a loss; None where the value is one number."""
    margin: Tensor | None
    """`[n]`, the final margin by the board's number of cells; None without that head."""
    owners: Tensor | None
    """`[n, cells]`, -1 to 1: who owns each cell at the end; None without that head."""


class Network(nn.Module):
    """A body and its heads. `forward` takes planes `[n, planes, rows, columns]`."""

    def __init__(self, architecture: Architecture, layout: Layout) -> None:
        super().__init__()
        self.architecture = architecture
        self.layout = layout
        self.body = _body(architecture, layout)
        width = body_widths(architecture)[-1]
        self.policy = Policy(architecture, layout, width) if architecture.has_policy else None
        self.value = Value(architecture, layout, width)
        units = value_units(architecture, layout)
        self.margin = Last(_small(nn.Linear(units, 1))) if has_margin(architecture, layout) else None
        self.owners = Owners(layout, width) if architecture.owners_head else None
        self._activation = _activation(architecture)
        self._dropout = nn.Dropout(architecture.dropout)

    def forward(self, planes: Tensor) -> Outputs:
        return self.heads(self.features(planes))

    def heads(self, features: Tensor) -> Outputs:
        """What the heads make of the body's features."""
        hidden = self.value.units(features)
        value, wdl_logits = self.value(hidden)
        return Outputs(
            self.policy(features) if self.policy is not None else None,
            value,
            wdl_logits,
            self.margin(hidden).squeeze(1) if self.margin is not None else None,
            self.owners(features) if self.owners is not None else None,
        )

    def features(self, planes: Tensor) -> Tensor:
        """What the body makes of planes."""
        activation, (stem, *layers) = self._activation, self.body
        features = activation(stem(planes.flatten(1) if self.architecture.body == "mlp" else planes))
        if self.architecture.body == "residual":
            for first, second in zip(layers[0::2], layers[1::2], strict=True):
                features = activation(features + second(activation(first(features))))
        else:
            for layer in layers:
                features = activation(layer(features))
        return self._dropout(features)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """A copy of every weight by name."""
        found = self.state_dict()
        return {name: found[name].cpu().numpy().copy() for name in weight_shapes(self.architecture, self.layout)}

    def load(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Take over weights by name."""
        counts = {name: value for name, value in self.state_dict().items() if name.endswith("num_batches_tracked")}
        self.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()} | counts)


class Layer(nn.Module):
    """A convolution or a fully connected layer, normalised if so wished; the activation comes after it."""

    def __init__(self, inputs: int, outputs: int, *, is_conv: bool, batch_norm: bool, size: int = 3) -> None:
        super().__init__()
        bias = not batch_norm
        self.linear = (
            nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=bias)
            if is_conv
            else nn.Linear(inputs, outputs, bias=bias)
        )
        norm = nn.BatchNorm2d if is_conv else nn.BatchNorm1d
        self.norm = norm(outputs) if batch_norm else None
        nn.init.kaiming_normal_(self.linear.weight, nonlinearity="relu")
        if self.linear.bias is not None:
            nn.init.zeros_(self.linear.bias)

    def forward(self, features: Tensor) -> Tensor:
        features = self.linear(features)
        return features if self.norm is None else self.norm(features)

    def silence(self) -> None:
        """Begin with nothing but zeros."""
        nn.init.zeros_(self.linear.weight if self.norm is None else self.norm.weight)


class Policy(nn.Module):
    """Logits from the cells that the actions sit on, or from everything at once."""

    def __init__(self, architecture: Architecture, layout: Layout, width: int) -> None:
        super().__init__()
        policy = architecture.policy_width
        self._activation = _activation(architecture)
        self._is_dense = architecture.policy_head == "dense"
        self.first = _head_conv(architecture, width, policy) if architecture.body != "mlp" else None
        if self._is_dense:
            flat = width if self.first is None else policy * layout.grid
            self.last = _small(nn.Linear(flat, layout.num_actions))
            return
        self.sites = _small(nn.Conv2d(policy, layout.site_channels, 1)) if layout.site_channels else None
        self.beside = _small(nn.Linear(2 * policy, layout.num_beside)) if layout.num_beside else None
        self.register_buffer("gathered", torch.tensor(layout.gathered), persistent=False)

    def forward(self, features: Tensor) -> Tensor:
        if self.first is not None:
            features = self._activation(self.first(features))
        if self._is_dense:
            return self.last(features.flatten(1))
        parts = [self.sites(features).flatten(1)] if self.sites is not None else []
        if self.beside is not None:
            parts.append(self.beside(_pooled(features)))
        return torch.cat(parts, 1).index_select(1, self.get_buffer("gathered"))


class Value(nn.Module):
    """The value, from a hidden layer of units if there is one."""

    def __init__(self, architecture: Architecture, layout: Layout, width: int) -> None:
        super().__init__()
        channels, units = architecture.value_channels, value_units(architecture, layout)
        self._activation = _activation(architecture)
        self._is_pooling = architecture.any_size
        self.first = _head_conv(architecture, width, channels) if has_value_channels(architecture) else None
        self.hidden = nn.Linear(value_inputs(architecture, layout), units) if architecture.value_units else None
        self.last = _small(nn.Linear(units, 3 if architecture.value_head == "wdl" else 1))

    def units(self, features: Tensor) -> Tensor:
        """What the value is read from, and the margin."""
        if self.first is not None:
            features = self._activation(self.first(features))
        features = _pooled(features) if self._is_pooling else features.flatten(1)
        return features if self.hidden is None else self._activation(self.hidden(features))

    def forward(self, hidden: Tensor) -> tuple[Tensor, Tensor | None]:
        last = self.last(hidden)
        if last.shape[1] == 1:
            return torch.tanh(last.squeeze(1)), None
        chances = torch.softmax(last, 1)
        return chances[:, 0] - chances[:, 2], last


class Last(nn.Module):
    """A last layer by that name."""

    def __init__(self, last: nn.Module) -> None:
        super().__init__()
        self.last = last

    def forward(self, hidden: Tensor) -> Tensor:
        return self.last(hidden)


class Owners(nn.Module):
    """Who owns each cell: read off the cell where the planes have it, else from everything at once."""

    def __init__(self, layout: Layout, width: int) -> None:
        super().__init__()
        self._board = (layout.board_rows, layout.board_columns) if layout.holds_board else None
        self.last = _small(nn.Conv2d(width, 1, 1) if self._board else nn.Linear(width * layout.grid, layout.num_cells))

    def forward(self, features: Tensor) -> Tensor:
        if self._board is None:
            return torch.tanh(self.last(features.flatten(1)))
        rows, columns = self._board
        return torch.tanh(self.last(features)[:, 0, :rows, :columns].flatten(1))


def _body(architecture: Architecture, layout: Layout) -> nn.ModuleList:
    """The layers of the body in a row; the two of a residual block begin as the identity."""
    is_mlp, widths = architecture.body == "mlp", body_widths(architecture)
    inputs = (layout.planes * layout.grid if is_mlp else layout.planes, *widths)
    layers = [
        Layer(before, after, is_conv=not is_mlp, batch_norm=architecture.batch_norm)
        for before, after in zip(inputs, widths, strict=False)
    ]
    if architecture.body == "residual":
        for layer in layers[2::2]:
            layer.silence()
    return nn.ModuleList(layers)


def _head_conv(architecture: Architecture, width: int, channels: int) -> nn.Module:
    """The convolution that begins a head."""
    return (
        Layer(width, channels, is_conv=True, batch_norm=True, size=1)
        if architecture.head_norm
        else nn.Conv2d(width, channels, 1)
    )


def _activation(architecture: Architecture) -> nn.Module:
    return nn.ReLU() if architecture.activation == "relu" else nn.LeakyReLU(architecture.leak)


def _pooled(features: Tensor) -> Tensor:
    """The mean and the maximum of every channel."""
    return torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1)


def _small(layer: nn.Conv2d | nn.Linear) -> nn.Conv2d | nn.Linear:
    with torch.no_grad():
        layer.weight.mul_(SMALL)
        if layer.bias is not None:
            layer.bias.zero_()
    return layer
