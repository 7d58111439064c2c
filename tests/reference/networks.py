"""Small networks of every kind, with weights that are not those of the beginning."""

import torch

from meeple.nets.architecture import Architecture
from meeple.nets.checkpoint import Checkpoint, card_of
from meeple.nets.layout import layout_of
from meeple.nets.network import Network

GAMES = ("connect4:4x5", "dots:2", "go:5", "hex:4", "tictactoe")

ARCHITECTURES = {
    "mlp": Architecture(body="mlp", policy_head="dense", width=24, depth=2),
    "mlp layers": Architecture(body="mlp", policy_head="none", layers=(16, 24), batch_norm=False, value_head="wdl"),
    "mlp leaky": Architecture(
        body="mlp", policy_head="dense", width=16, depth=1, activation="leaky_relu", margin_head=True
    ),
    "mlp straight": Architecture(body="mlp", policy_head="dense", width=16, depth=1, value_units=0, margin_head=True),
    "conv": Architecture(body="conv", width=8, depth=2, dropout=0.3, owners_head=True),
    "conv dense": Architecture(
        body="conv", width=8, depth=1, policy_head="dense", batch_norm=False, activation="leaky_relu"
    ),
    "conv value": Architecture(body="conv", width=8, depth=2, policy_head="none", value_head="wdl"),
    "conv whole": Architecture(
        body="conv", width=8, depth=1, policy_head="none", value_channels=0, activation="leaky_relu", leak=0.3
    ),
    "conv straight": Architecture(body="conv", width=8, depth=1, value_channels=0, value_units=0, margin_head=True),
    "residual": Architecture(width=16, depth=2),
    "residual wdl": Architecture(width=8, depth=1, value_head="wdl", margin_head=True, owners_head=True),
    "residual leaky": Architecture(width=8, depth=2, activation="leaky_relu", batch_norm=False, dropout=0.1),
    "residual normed": Architecture(width=8, depth=1, policy_head="dense", head_norm=True),
    "residual dense": Architecture(width=8, depth=1, policy_head="dense"),
    "any size": Architecture(width=16, depth=2, any_size=True, value_head="wdl", margin_head=True, owners_head=True),
    "any size conv": Architecture(body="conv", width=8, depth=2, any_size=True, policy_head="none"),
}


def learned(game, architecture, *, steps=5, seed=0):
    """A network after a few steps towards random targets, so that no weight or mean is still 0 or 1."""
    torch.manual_seed(seed)
    network = Network(architecture, layout_of(game))
    optimizer = torch.optim.AdamW(network.parameters(), 0.01)
    for _ in range(steps):
        outputs = network(torch.rand(32, *game.shape).round())
        parts = [part for part in outputs if part is not None]
        loss = sum((part - torch.randn(part.shape)).square().mean() for part in parts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval()


def kept(game, network):
    """The network as a checkpoint."""
    return Checkpoint(card_of(game, network.architecture), network.weights())
