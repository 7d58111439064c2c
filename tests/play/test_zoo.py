"""The networks that come with the package: small, whole, with cards that say how strong they are."""

import pytest

import meeple
from meeple.learn import recipes
from meeple.nets import zoo
from meeple.nets.checkpoint import fitted, load

MAX_BYTES = 2 * 2**20


@pytest.mark.parametrize("name", zoo.names())
def test_every_network(name):
    path = zoo.path(name)
    card = load(path).card
    of = meeple.game(card.game)
    assert name == card.game.replace(":", "-")
    assert path.stat().st_size <= MAX_BYTES
    assert fitted(load(path), of)
    assert card.made_by.startswith(f"meeple train {card.game} --recipe {card.recipe_name} --minutes ")
    assert recipes.check(card.recipe, "the card").game == card.game
    assert {one.against for one in card.measured} >= {"mcts:1000", "mcts:5000"}
    assert all(one.low <= one.score <= one.high for one in card.measured)


@pytest.mark.parametrize("name", zoo.names())
def test_every_network_knows_its_game(name):
    of = meeple.game(load(zoo.path(name)).card.game)
    found = meeple.match("zoo?sims=16", "random", of, 20, opening_plies=2)
    assert found.score > 0.85


def test_tic_tac_toe_never_loses():
    assert meeple.prove("zoo", "tictactoe").losses == 0
