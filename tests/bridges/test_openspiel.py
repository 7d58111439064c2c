"""Our games against OpenSpiel's: the same random games, and what the adapter says when there is no twin."""

import sys
from pathlib import Path

import numpy as np
import pytest

from meeple.bridges import openspiel
from meeple.bridges.openspiel import PAIRINGS, Twin
from meeple.errors import IllegalMoveError, PlayerError
from meeple.games.connect4 import connect4
from meeple.games.dots import dots
from meeple.games.game import OUTCOMES
from meeple.games.go import go
from meeple.games.hex import hex_game
from meeple.games.mnk import gomoku, mnk, tictactoe
from meeple.games.othello import othello
from meeple.search import playouts

pytest.importorskip("pyspiel")

EXAMPLES = Path(__file__).parents[2] / "examples"
GAMES = 2000

# Games that theirs may end by a repetition; they are compared up to there.
MAX_REPETITIONS = {"go:2": 400, "go:5": 20, "go:5?komi=0": 20, "go:9": 20, "go:13": 20}


def breakthrough(rows, columns):
    """The game of the example at another size."""
    source = (EXAMPLES / "breakthrough.py").read_text(encoding="utf-8")
    resized = source.replace("ROWS, COLUMNS = 8, 8", f"ROWS, COLUMNS = {rows}, {columns}")
    names = {"__name__": "breakthrough"}
    exec(compile(resized, "<breakthrough>", "exec"), names)
    return names["game"]


TWINS = {
    "tictactoe": tictactoe,
    "mnk:7x4x3": lambda: mnk(7, 4, 3),
    "mnk:9x9x4": lambda: mnk(9, 9, 4),
    "gomoku:9": lambda: gomoku(9),
    "gomoku:15": lambda: gomoku(15),
    "connect4": lambda: connect4(6, 7),
    "connect4:5x4": lambda: connect4(5, 4),
    "connect4:8x10": lambda: connect4(8, 10),
    "othello": lambda: othello(8),
    "hex:3": lambda: hex_game(3),
    "hex:5": lambda: hex_game(5),
    "hex:8": lambda: hex_game(8),
    "hex:11": lambda: hex_game(11),
    "hex:5?swap=1": lambda: hex_game(5, swap=True),
    "dots:2x2": lambda: dots(2, 2),
    "dots:3x3": lambda: dots(3, 3),
    "dots:3x5": lambda: dots(3, 5),
    "go:2": lambda: go(2),
    "go:5": lambda: go(5),
    "go:9": lambda: go(9),
    "go:5?komi=0": lambda: go(5, komi=0),
    "breakthrough:8x8": lambda: breakthrough(8, 8),
    "breakthrough:5x4": lambda: breakthrough(5, 4),
}
WIDEST = {
    "gomoku:19": lambda: gomoku(19),
    "connect4:10x10": lambda: connect4(10, 10),
    "hex:19": lambda: hex_game(19),
    "dots:10x10": lambda: dots(10, 10),
    "go:13": lambda: go(13),
}


def same_game(twin, state, actions, seed):
    """Play one random game in both; how many plies were compared."""
    rules, generator, played = twin.game.rules, np.random.default_rng(seed), []

    def agree(what, ours, theirs):
        moves = " ".join(twin.game.names[action] for action in played) or "no move"
        assert ours == theirs, f"{twin.game.name} after {moves}: {what} {ours}, OpenSpiel has {theirs}"

    twin.start()
    state[:] = 0
    rules.setup(state)
    while not twin.is_repetition:
        result = OUTCOMES[int(state[1])]
        agree("result", result, twin.result)
        if rules.margin is not None and (result is not None or twin.margin is not None):
            agree("margin", rules.margin(state), twin.margin)
        if result is not None:
            break
        agree("player to move", int(state[0]), twin.to_move)
        legal = tuple(actions[: rules.moves(state, actions)].tolist())
        agree("moves", legal, twin.actions)
        action = legal[generator.integers(len(legal))]
        rules.play(state, action)
        twin.play(action)
        played.append(action)
    agree("plies", int(state[2]), len(played))
    return len(played)


def same_games(game, games, max_repetitions):
    """Play random games in both; no more than some may end by a repetition."""
    twin = Twin(game)
    state = np.zeros(game.num_words, np.uint64)
    actions = np.empty(game.num_actions, np.int32)
    repetitions = 0
    for seed in range(games):
        assert same_game(twin, state, actions, seed) > 0
        repetitions += twin.is_repetition
    assert repetitions <= max_repetitions


@pytest.mark.parametrize("name", TWINS)
def test_plays_the_same_random_games(name):
    same_games(TWINS[name](), GAMES, MAX_REPETITIONS.get(name, 0))


@pytest.mark.slow
@pytest.mark.parametrize("name", WIDEST)
def test_plays_the_same_random_games_on_the_widest_boards(name):
    same_games(WIDEST[name](), GAMES, MAX_REPETITIONS.get(name, 0))


def test_every_pairing_is_compared():
    assert PAIRINGS.keys() == {name.partition(":")[0] for name in TWINS}


@pytest.mark.parametrize("game", [tictactoe(), connect4(6, 7), othello(8), hex_game(5), dots(2, 2), go(5)])
def test_random_games_come_out_alike(game):
    games = 2000
    ours = playouts.random_games(game, games, seed=1)
    theirs = openspiel.random_games(Twin(game), games, seed=1)
    mean = (ours.first_won - ours.second_won) / games
    assert mean == pytest.approx(theirs, abs=0.15)


def test_othello_leaves_out_the_pass():
    twin = Twin(othello(8))
    passes = 0
    for seed in range(20):
        generator = np.random.default_rng(seed)
        twin.start()
        while twin.result is None:
            twin.play(int(generator.choice(twin.actions)))
        passes += twin.state.history().count(64)
    assert passes > 0


def test_a_position_that_comes_again_ends_their_go_only():
    twin = Twin(go(2))
    position = twin.game.read("B2 A2 B1 pass A1 A2 B2")
    for move in position.history:
        assert not twin.is_repetition
        twin.play(twin.game.action(move))
    assert twin.is_repetition
    assert (twin.result, twin.margin, position.result) == (0, None, None)


@pytest.mark.parametrize(("moves", "margin"), [("pass pass", 0), ("C3 pass pass", 25), ("pass C3 pass pass", -25)])
def test_finds_the_area_of_their_go(moves, margin):
    twin = Twin(go(5))
    for move in moves.split():
        assert twin.margin is None
        twin.play(twin.game.action(move))
    assert twin.margin == margin
    assert not twin.is_repetition


def test_an_action_that_theirs_does_not_allow():
    twin = Twin(tictactoe())
    twin.play(4)
    with pytest.raises(IllegalMoveError, match="OpenSpiel does not allow b2 in tictactoe"):
        twin.play(4)


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (othello(6), "no twin of othello:6: .* 8 x 8"),
        (gomoku(9, exact=True), "no twin of gomoku:9.exact=1; it has those of tictactoe"),
    ],
)
def test_says_when_there_is_no_twin(game, reason):
    with pytest.raises(PlayerError, match=reason):
        Twin(game)


def test_says_when_open_spiel_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    openspiel._load.cache_clear()
    with pytest.raises(PlayerError, match=r"open_spiel is not installed; pip install meeple\[bridges\]"):
        Twin(tictactoe())
