"""The recipes of published systems, every value compared with what the documents say of them.

`tests/golden/recipes.toml` has the documents' values. Each is either a field of our recipe, in `FIELDS`, with what we
write for the document's words where these are not the same; or it is no field, in `BEYOND`, with the reason.
"""

import tomllib
from functools import reduce
from pathlib import Path

import pytest

import meeple
from meeple.learn.recipes import load, names

DOCUMENTS = tomllib.loads((Path(__file__).parents[1] / "golden" / "recipes.toml").read_text(encoding="utf-8"))

RESULTS = "what its author measured"
JUDGING = "how the trained network is judged"
GEOMETRY = "follows from the game"

HEX_FIELDS = {
    "network.nn_model": ("network.body", "residual"),
    "network.nn_width": "network.width",
    "network.nn_depth": "network.depth",
    "search.uct_c": "search.c_init",
    "search.max_simulations": "search.simulations",
    "search.policy_epsilon": "search.noise",
    "search.policy_alpha": "search.noise_alpha",
    "search.temperature": "self_play.temperature",
    "search.temperature_drop": "self_play.temperature_plies",
    "self_play.openings": ("self_play.opening_plies", (1, 2, 3)),
    "self_play.openings_moves": ("self_play.opening_moves", "all"),
    "training.train_batch_size": "learner.batch",
    "training.replay_buffer_size": "replay.positions",
    "training.replay_buffer_reuse": "learner.reuse",
    "training.learning_rate": "learner.learning_rate",
    "training.weight_decay": "learner.weight_decay",
    "training.checkpoint_freq": ("limits.checkpoints", "every step's"),
    "training.max_steps": "iterations",
}
HEX_BEYOND = {
    "self_play.actors": "how many processes play is no part of a recipe",
    "self_play.openings_draw": "openings are always drawn uniformly",
    "evaluation": JUDGING,
    "openings": "counts of the database, in test_forced_openings.py",
    "results": RESULTS,
}

# The document's name of a value: our field, or our field and what we write there.
FIELDS = {
    "costa2022": {
        "game.name": ("game", "dots:3"),
        "game.symmetries": ("replay.augment", "all"),
        "network.kind": ("network.body", "mlp"),
        "network.hidden": "network.layers",
        "network.activation": "network.activation",
        "network.batch_normalisation": "network.batch_norm",
        "network.dropout": "network.dropout",
        "network.policy_head": ("network.policy_head", "dense"),
        "network.value_head": ("network.value_units", 0),
        "search.simulations": "search.simulations",
        "search.puct": "search.c_init",
        "search.uct": "self_play.first_c",
        "search.extra_turn_rule": ("search.turns", "true"),
        "self_play.first_games": "self_play.first_games",
        "self_play.games": "self_play.games",
        "training.learning_rate": "learner.learning_rate",
        "training.batch": "learner.batch",
        "training.epochs": "learner.epochs",
        "training.window": "replay.iterations",
        "training.policy_loss": ("learner.policy_loss", "cross_entropy"),
        "training.value_loss": ("learner.value_loss", "squared"),
        "training.versions": "iterations",
        "gate.games": "gate.games",
        "gate.passes": ("gate.more", True),
    },
    "wandhoven2022": {
        "game.name": ("game", "connect4:6x7"),
        "network.kind": ("network.body", "residual"),
        "network.filters": "network.width",
        "network.blocks": "network.depth",
        "network.activation": ("network.activation", "leaky_relu"),
        "network.leaky_slope": "network.leak",
        "network.batch_normalisation": "network.batch_norm",
        "network.value_head_filters": "network.value_channels",
        "network.value_head_hidden": "network.value_units",
        "network.value_head_output": "network.value_head",
        "network.policy_head_filters": "network.policy_width",
        "search.simulations": "search.simulations",
        "search.formula": ("search.engine", "puct"),
        "search.probabilistic_moves": ("self_play.temperature", 1),
        "self_play.until_memory_exceeds": ("self_play.games", 1000),
        "training.memory": "replay.positions",
        "training.batch": "learner.batch",
        "training.value_loss": ("learner.value_loss", "squared"),
        "training.policy_loss": ("learner.policy_loss", "masked_squared"),
        "gate.games": "gate.games",
        "gate.wins_factor": "gate.at_least",
    },
    "daliri2022-6x6": HEX_FIELDS | {
        "game.name": ("game", "hex:6"),
        "training.checkpoint_freq": ("limits.checkpoints", 100),
    },
    "daliri2022-8x8": HEX_FIELDS | {
        "game.name": ("game", "hex:8"),
        "training.checkpoint_freq": ("limits.checkpoints", 200),
    },
    "project3-2017": {
        "game.name": ("game", "tictactoe"),
        "network.kind": ("network.body", "conv"),
        "network.filters": "network.layers",
        "network.hidden": ("network.value_units", 100),
        "network.activation": "network.activation",
        "network.batch_normalisation": "network.batch_norm",
        "network.outputs": ("network.value_head", "wdl"),
        "network.policy_head": ("network.policy_head", "none"),
        "search.lookahead": "search.plies",
        "self_play.generations": "iterations",
        "self_play.games": "self_play.games",
        "self_play.first_randomness": ("self_play.randomness", (1.0, 0.5, 0.25, 0.1667)),
        "self_play.later_randomness": ("self_play.randomness", (1.0, 0.5, 0.25, 0.1667)),
        "self_play.random_first_moves": ("self_play.random_plies", 4),
        "training.optimiser": "learner.optimizer",
        "training.learning_rate": "learner.learning_rate",
        "training.batch": "learner.batch",
        "training.epochs": "learner.epochs",
        "training.l2": "learner.weight_decay",
        "training.loss": ("learner.value_loss", "cross_entropy"),
        "training.window": "replay.iterations",
        "training.augmentation": ("replay.augment", "all"),
        "training.weights": ("learner.restart", "nothing"),
    },
    "hongcharoen2018": {
        "game.name": ("game", "othello:8"),
        "network.kind": ("network.body", "residual"),
        "network.filters": "network.width",
        "network.blocks": "network.depth",
        "network.activation": "network.activation",
        "network.batch_normalisation": "network.batch_norm",
        "network.heads_batch_normalisation": "network.head_norm",
        "network.policy_head_filters": "network.policy_width",
        "network.value_head_filters": "network.value_channels",
        "network.value_head_hidden": "network.value_units",
        "network.value_head_output": "network.value_head",
        "search.simulations": "search.simulations",
        "search.temperature": "self_play.temperature",
        "search.temperature_drop": "self_play.temperature_plies",
        "search.noise": ("search.noise", 0),
        "self_play.games": "self_play.games",
        "self_play.iterations": "iterations",
        "training.optimiser": "learner.optimizer",
        "training.learning_rate": "learner.learning_rate",
        "training.beta_1": ("learner.betas", (0.99, 0.9)),
        "training.beta_2": ("learner.betas", (0.99, 0.9)),
        "training.batch": "learner.batch",
        "training.window_iterations": "replay.iterations",
        "training.policy_loss": ("learner.policy_loss", "cross_entropy"),
        "training.value_loss": ("learner.value_loss", "squared"),
        "gate.games": "gate.games",
        "gate.simulations": "gate.simulations",
        "gate.temperature": ("gate.temperature_plies", 0),
        "gate.score": "gate.at_least",
    },
}  # fmt: skip

# The document's values, single ones or whole tables of them, that are no field of a recipe.
BEYOND = {
    "costa2022": {
        "game.input": GEOMETRY,
        "game.policy_outputs": GEOMETRY,
        "network.parameters": "other planes, and no outputs for places that are never played",
        "search.bonus": "it is not told what the bonus is added to",
        "search.milliseconds": "self-play counts simulations",
        "search.temperature_competitive": "contradicts its own formula, and the scores that it measured",
        "self_play.first_player": "the first games are always UCT's",
        "self_play.player": "the best always plays where there is a gate",
        "self_play.boards_first": "games times plies times symmetries",
        "self_play.boards": "games times plies times symmetries",
        "training.training_share": "all positions are learned from",
        "variants": "changes by --set, named in the recipe",
        "results": RESULTS,
    },
    "wandhoven2022": {
        "game.input": GEOMETRY,
        "network.kernel": "always 3",
        "network.policy_illegal": "illegal actions are never considered",
        "self_play.player": "the best always plays where there is a gate",
        "training.policy_target": "always so with PUCT",
        "rating": JUDGING,
        "results": RESULTS,
    },
    "daliri2022-6x6": HEX_BEYOND,
    "daliri2022-8x8": HEX_BEYOND,
    "project3-2017": {
        "game.input": "our planes do not tell who moved first; in Tic-tac-toe the stones do",
        "network.kernel": "always 3",
        "network.initial_weights": "no matter after the first steps",
        "search.value": "always so with chances of win, draw and loss",
        "evaluation": JUDGING,
        "results": RESULTS,
    },
    "hongcharoen2018": {
        "game.input": GEOMETRY,
        "network.kernel": "always 3",
        "network.policy_outputs": GEOMETRY,
        "search.tree_reuse": "always so",
        "self_play.player": "the best always plays where there is a gate",
        "training.window_games": "the same window as its iterations",
        "training.sampling": "always so",
        "transfer": "begins from another network, and is no run of its own",
        "results": RESULTS,
    },
}


def said(document):
    """The values of a document by name, without what it leaves open."""
    tables = {part: values for part, values in DOCUMENTS[document].items() if part != "open"}
    return {f"{part}.{name}": entry["value"] for part, values in tables.items() for name, entry in values.items()}


def plain(value):
    """A list of one number is that number."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(value) if len(value) > 1 else value[0]


CASES = [(name, said_name) for name, fields in FIELDS.items() for said_name in fields]


@pytest.mark.parametrize(("name", "said_name"), CASES)
def test_a_field_is_what_the_document_says(name, said_name):
    mapped = FIELDS[name][said_name]
    field, expected = (mapped, said(name)[said_name]) if isinstance(mapped, str) else mapped
    assert plain(reduce(getattr, field.split("."), load(name))) == plain(expected)


@pytest.mark.parametrize("name", FIELDS)
def test_nothing_is_forgotten(name):
    beyond = {value for value in said(name) for entry in BEYOND[name] if f"{value}.".startswith(f"{entry}.")}
    assert beyond.isdisjoint(FIELDS[name])
    assert beyond | FIELDS[name].keys() == said(name).keys()
    assert all(any(f"{value}.".startswith(f"{entry}.") for value in said(name)) for entry in BEYOND[name])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_value_has_its_place(name):
    entries = [entry for part, values in DOCUMENTS[name].items() if part != "open" for entry in values.values()]
    assert all(entry.keys() == {"value", "where"} and entry["where"] for entry in entries)
    assert all(DOCUMENTS[name]["open"]["settings"])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_it_comes_with_a_small_twin(name):
    assert {name, f"{name}-small"} <= set(names())
    whole, small = load(name), load(f"{name}-small")
    assert small.game.partition(":")[0] == whole.game.partition(":")[0]
    assert (small.network.body, small.network.value_head) == (whole.network.body, whole.network.value_head)
    assert (small.search.engine, small.gate.test) == (whole.search.engine, whole.gate.test)
    assert small.learner.optimizer == whole.learner.optimizer
    games = sum(map(small.self_play.games_of, range(small.iterations)))
    assert games * (small.search.simulations if small.search.engine == "puct" else 1) <= 200_000


@pytest.mark.parametrize("name", [twin for name in DOCUMENTS for twin in (name, f"{name}-small")])
def test_it_says_what_to_expect_of_a_game_there_is(name):
    recipe = load(name)
    assert "Expect " in recipe.about
    assert meeple.game(recipe.game).num_actions


@pytest.mark.parametrize("game", ["connect4:8x8", "gomoku:8"])
def test_the_other_games_of_a_thesis(game):
    othello, other = load("hongcharoen2018"), load("hongcharoen2018", game)
    assert other == othello.model_copy(update={"game": game})
    assert meeple.game(game).shape == meeple.game("othello:8").shape
