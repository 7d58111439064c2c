"""`meeple recipe`: the recipes to learn by, every field explained."""

from __future__ import annotations

from typing import Annotated

import typer

from meeple.cli.output import print_json, print_table
from meeple.cli.parameters import Changes, Json

ANY_GAME = "any"
"""What stands for the game in a recipe that is for any game."""

app = typer.Typer(help="The recipes to learn by.", no_args_is_help=True)

RecipeName = Annotated[str, typer.Argument(metavar="NAME", help="A recipe's name, or the path of a .toml file.")]


@app.command("list")
def run_list(json: Json = False) -> None:
    """List the recipes that come with the package."""
    from meeple.learn import recipes

    found = [recipes.summary(name) for name in recipes.names()]
    if json:
        print_json([one._asdict() for one in found])
        return
    rows = [(one.name, one.game or ANY_GAME, _first_sentence(one.about)) for one in found]
    print_table(("name", "game", "about"), rows)
    print("\n`meeple recipe show NAME` explains every field; any of them can be changed by --set, as in")
    print("meeple train connect4 --recipe fast --set search.simulations=64")


def _first_sentence(text: str) -> str:
    """What a recipe is, on one line; what to expect of it is told by `show`."""
    return " ".join(text.split()).partition(". ")[0].rstrip(".")


@app.command("show")
def run_show(
    name: RecipeName,
    game: Annotated[str | None, typer.Option(metavar="GAME", help="For this game; see `meeple games`.")] = None,
    changes: Changes = None,
    json: Json = False,
) -> None:
    """Show a recipe as a TOML file with every field explained; change it and learn by `--recipe FILE.toml`."""
    from meeple.learn import recipes

    about = recipes.summary(name)
    wanted = about.game or ANY_GAME if game is None else recipes.game_name(game)
    recipe = recipes.load(name, wanted, changes or ())
    if json:
        print_json(recipe.model_dump(mode="json"))
        return
    print(recipes.explained(recipe), end="")
    others = [other for other in about.games_of_their_own if not recipe.game.startswith(other)]
    if others:
        print(f"\n# Some settings are others for {', '.join(others)}: see them with --game.")
