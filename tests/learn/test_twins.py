"""The small twins of the source documents' recipes learn: each beats its own first network."""

import pytest

import meeple
from meeple.learn.recipes import load, names
from meeple.learn.run import train

TWINS = [name for name in names() if name.endswith("-small")]
OPENING_PLIES = {"connect4": 4, "dots": 2, "hex": 2, "othello": 4, "tictactoe": 2}
GAMES = 200


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_a_twin_learns(name, tmp_path):
    run = train(recipe=load(name), folder=tmp_path / "run", threads=1)
    game, is_lookahead = run.recipe.game, run.recipe.search.engine == "lookahead"
    player = f"lookahead:{run.folder}@{{}}" if is_lookahead else f"net:{run.folder}@{{}}?sims=32"
    plies = OPENING_PLIES[game.partition(":")[0]]
    found = meeple.match(player.format("best"), player.format(0), game, GAMES, opening_plies=plies)
    assert found.interval[0] > 0.5
    if is_lookahead:
        assert meeple.prove(f"{player.format('best')}?plies=3", game).losses == 0
