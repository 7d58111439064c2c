"""Players: specs taken apart, what is wrong with them, and the random player."""

import contextlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import meeple
from meeple.errors import PlayerError
from meeple.play.players import MAKERS, Player
from meeple.play.spec import parse


@pytest.mark.parametrize(
    ("text", "kind", "argument", "options"),
    [
        ("random", "random", "", {}),
        ("  random\n", "random", "", {}),
        ("random:", "random", "", {}),
        ("random?", "random", "", {}),
        ("random:1000", "random", "1000", {}),
        ("random:run@best", "random", "run@best", {}),
        ("random:a/b:c --level 3", "random", "a/b:c --level 3", {}),
        ("random?c=1.4", "random", "", {"c": "1.4"}),
        ("random:9?c=1.4&time=2s&solve=1", "random", "9", {"c": "1.4", "time": "2s", "solve": "1"}),
        ("random?file=a=b&&x=", "random", "", {"file": "a=b", "x": ""}),
    ],
)
def test_takes_a_spec_apart(text, kind, argument, options):
    found = parse(text, MAKERS)
    assert (found.kind, found.argument, dict(found.options)) == (kind, argument, options)
    assert found.text == text.strip()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("randm", "'randm'; did you mean random"),
        ("Random", "'Random'; did you mean random"),
        ("random:1?c", "'random:1.c': options are written option=value, not 'c'"),
        ("", "no player is called ''; there are .*random"),
        ("?c=1", "no player is called"),
        (":1", "no player is called"),
        ("random 7", "no player is called 'random 7'"),
        ("x" * 1000, "no player is called 'x{31}…'"),
    ],
)
def test_says_what_is_wrong_with_a_spec(text, fault):
    with pytest.raises(PlayerError, match=fault) as raised:
        parse(text, MAKERS)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("spec", ["random:3", "random?x=1"])
def test_random_takes_nothing(spec):
    with pytest.raises(PlayerError, match="random takes no argument and no options"):
        meeple.player(spec, "tictactoe")


@given(st.text(max_size=40) | st.text("random:?=&1 \n", max_size=20).map("random".__add__))
def test_any_text_is_a_player_or_a_player_error(text):
    with contextlib.suppress(PlayerError):
        assert isinstance(meeple.player(text, "tictactoe", seed=1), Player)


def test_random_takes_a_game_or_its_name():
    game = meeple.game("hex:5")
    by_name, by_game = (meeple.player("random", which, seed=5) for which in ("hex:5", game))
    assert by_name.choose(game.start()) == by_game.choose(game.start())


def test_random_repeats_with_a_seed():
    position = meeple.game("go:5").start()
    one, other = (meeple.player("random", position.game, seed=2) for _ in range(2))
    chosen = [one.choose(position) for _ in range(30)]
    assert chosen == [other.choose(position) for _ in range(30)]
    assert len(set(chosen)) > 5
    assert chosen != [meeple.player("random", position.game, seed=3).choose(position) for _ in range(30)]


def test_random_chooses_among_the_legal_moves_all_alike():
    position = meeple.game("tictactoe").read("b2 a1 c3")
    player = meeple.player("random", position.game, seed=1)
    counts = Counter(player.choose(position) for _ in range(6000))
    assert set(counts) == set(position.moves)
    assert all(850 < count < 1150 for count in counts.values())
