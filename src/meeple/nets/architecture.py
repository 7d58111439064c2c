"""What a network is made of; the same words in recipes and in the cards of checkpoints."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from meeple.settings import Part

Positive = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]


class Architecture(Part):
    """A body that sees planes, and the heads on it."""

    body: Literal["mlp", "conv", "residual"] = "residual"
    """Fully connected layers, plain convolutions, or residual blocks of two convolutions each."""
    width: Positive = 64
    """Channels of every convolution, or units of every fully connected layer."""
    depth: Positive = 5
    """How many layers, or residual blocks after a first convolution."""
    layers: tuple[Positive, ...] = ()
    """For `mlp` and `conv`: the units or channels of each layer, in place of width and depth."""
    activation: Literal["relu", "leaky_relu"] = "relu"
    """What follows every layer but the last ones of the heads."""
    leak: Annotated[float, Field(gt=0, lt=1)] = 0.01
    """`leaky_relu`: the slope below 0."""
    batch_norm: bool = True
    """Whether layers of the body are normalised over the batch."""
    head_norm: bool = False
    """Whether the 1x1 convolutions that begin heads are normalised too."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Which share of the body's outputs is dropped while learning."""
    policy_head: Literal["cell", "dense", "none"] = "cell"
    """A logit from each cell by 1x1 convolutions, placed by the game's action sites; fully connected; or no policy."""
    policy_width: Positive = 32
    """Channels of the 1x1 convolution that begins the policy head."""
    value_head: Literal["tanh", "wdl"] = "tanh"
    """One number, or the chances of a win, a draw and a loss."""
    value_channels: Natural = 4
    """Channels of the 1x1 convolution that begins the value head; 0 for none, so that it sees all of the body's."""
    value_units: Natural = 64
    """Units of the value head's hidden layer; 0 for none."""
    margin_head: bool = False
    """Whether the network also learns the final margin, in games that have one."""
    owners_head: bool = False
    """Whether the network also learns who owns each cell at the end."""
    any_size: bool = False
    """Fully convolutional, with heads on global means and maxima: one network plays every size of its game."""

    @property
    def has_policy(self) -> bool:
        """Whether it says anything of moves."""
        return self.policy_head != "none"

    @model_validator(mode="after")
    def _agree(self) -> Self:
        faults = []
        if self.layers and self.body == "residual":
            faults.append("layers are for body = mlp or conv: residual blocks are all of one width")
        if self.body == "mlp" and self.policy_head == "cell":
            faults.append("body = mlp has no cells: policy_head must be dense or none")
        if self.any_size and (self.body == "mlp" or self.policy_head == "dense"):
            faults.append("any_size needs convolutions and policy_head = cell")
        if self.head_norm and self.body == "mlp":
            faults.append("head_norm needs a convolutional body: with body = mlp no head begins with a convolution")
        if self.owners_head and self.body == "mlp":
            faults.append("owners_head needs a convolutional body")
        if faults:
            raise ValueError("; ".join(faults))
        return self
