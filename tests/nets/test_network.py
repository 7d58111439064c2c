"""Networks in PyTorch: their heads, their first guesses, and weights that fit other sizes."""

import pytest
import torch

import meeple
from meeple.nets.architecture import Architecture
from meeple.nets.layout import layout_of, weight_shapes
from meeple.nets.network import Network
from reference.networks import learned


def test_heads_have_the_shapes_of_the_game(game, architecture):
    layout = layout_of(game)
    outputs = learned(game, architecture, steps=1)(torch.zeros(3, *game.shape))
    shapes = [None if part is None else tuple(part.shape) for part in outputs]
    wants_margin = architecture.margin_head and layout.has_margin
    assert shapes == [
        None if architecture.policy_head == "none" else (3, game.num_actions),
        (3,),
        (3, 3) if architecture.value_head == "wdl" else None,
        (3,) if wants_margin else None,
        (3, layout.num_cells) if architecture.owners_head else None,
    ]


def test_weights_have_the_promised_names_and_shapes(game, architecture):
    network = Network(architecture, layout_of(game))
    state = {name: tuple(value.shape) for name, value in network.state_dict().items() if value.ndim}
    assert state == weight_shapes(architecture, layout_of(game))
    assert {name: value.shape for name, value in network.weights().items()} == state


def test_a_new_network_has_no_strong_opinion(architecture):
    game = meeple.game("go:5")
    torch.manual_seed(1)
    outputs = Network(architecture, layout_of(game)).eval()(torch.rand(32, *game.shape).round())
    assert outputs.value.abs().max() < 0.6
    if outputs.logits is not None:
        assert outputs.logits.softmax(1).max() < 0.6


def test_leaks_are_the_recipes():
    network = Network(
        Architecture(width=4, depth=1, activation="leaky_relu", leak=0.3), layout_of(meeple.game("hex:4"))
    )
    leaks = {module.negative_slope for module in network.modules() if isinstance(module, torch.nn.LeakyReLU)}
    assert leaks == {0.3}


def test_loaded_weights_give_the_same_network(architecture):
    game = meeple.game("go:5")
    network, planes = learned(game, architecture), torch.rand(4, *game.shape)
    other = Network(architecture, layout_of(game)).eval()
    other.load(network.weights())
    for ours, theirs in zip(network(planes), other(planes), strict=True):
        assert (ours is None and theirs is None) or torch.equal(ours, theirs)


@pytest.mark.parametrize("sizes", [("go:5", "go:7"), ("hex:4", "hex:6"), ("dots:2", "dots:3x4")])
def test_a_network_of_any_size_plays_another_size(sizes):
    small, large = map(meeple.game, sizes)
    architecture = Architecture(width=8, depth=1, any_size=True, margin_head=True, owners_head=True)
    network = learned(small, architecture)
    other = Network(architecture, layout_of(large)).eval()
    other.load(network.weights())
    outputs = other(torch.rand(2, *large.shape))
    assert outputs.logits.shape == (2, large.num_actions)
    assert outputs.owners.shape == (2, large.board.rows * large.board.columns)


def test_a_logit_is_read_at_the_site_of_its_action():
    game = meeple.game("dots:2")
    network = Network(Architecture(width=8, depth=1), layout_of(game)).eval()
    seen = {}
    network.policy.sites.register_forward_hook(lambda _, __, sites: seen.update(sites=sites))
    logits = network(torch.rand(2, *game.shape)).logits
    assert torch.equal(logits, seen["sites"].flatten(1)[:, game.action_sites.tolist()])


def test_owners_are_dense_where_the_planes_do_not_hold_the_board():
    layout = layout_of(meeple.game("tictactoe")).model_copy(update={"board_rows": 5})
    network = Network(Architecture(width=8, depth=1, owners_head=True), layout).eval()
    assert network(torch.rand(2, 2, 3, 3)).owners.shape == (2, 15)
    state = {name: tuple(value.shape) for name, value in network.state_dict().items() if value.ndim}
    assert state == weight_shapes(network.architecture, layout)
