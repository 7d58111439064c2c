"""Matches: colours, openings, seeds, counts, and players of all kinds."""

from collections import Counter
from itertools import pairwise

import pytest

import meeple
from meeple.errors import MeepleError, PlayerError


class FirstMove:
    """Chooses the first legal move, and remembers who was to move."""

    def __init__(self):
        self.asked = []

    def choose(self, position):
        self.asked.append(position)
        return position.moves[0]


class LastMove:
    def choose(self, position):
        return position.moves[-1]


class Seeded:
    """Remembers the seeds that games began with."""

    def __init__(self):
        self.seeds = []

    def begin(self, seed):
        self.seeds.append(seed)

    def choose(self, position):
        return position.moves[0]


class Stubborn:
    """Always chooses the same, legal or not."""

    def __init__(self, move):
        self.move = move

    def choose(self, position):
        return self.move


def histories(match):
    return [played.end.history for played in match.games]


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x5", "othello:6", "hex:4", "go:3", "dots:2"])
def test_counts_every_game_once(name):
    found = meeple.match("random", "random", name, 30, opening_plies=1, seed=3)
    assert found.both.games == len(found.games) == 30
    assert found.as_first.games == found.as_second.games == 15
    for count in ("wins", "draws", "losses"):
        assert getattr(found.both, count) == getattr(found.as_first, count) + getattr(found.as_second, count)
    assert found.score == sum(played.points for played in found.games) / 30
    assert found.seconds > 0


def test_points_are_those_of_the_first_player_of_the_match():
    found = meeple.match("random", "random", "tictactoe", 40, seed=1)
    for played in found.games:
        result = played.end.result if played.first_is_first else -played.end.result
        assert played.points == {1: 1, 0: 0.5, -1: 0}[result]
    assert found.as_first.wins == sum(played.points == 1 for played in found.games if played.first_is_first)
    assert found.as_second.losses == sum(played.points == 0 for played in found.games if not played.first_is_first)


def test_colours_swap_in_every_second_game():
    found = meeple.match("random", "random", "tictactoe", 10)
    assert [played.number for played in found.games] == list(range(10))
    assert [played.first_is_first for played in found.games] == [True, False] * 5


def test_each_player_is_asked_when_it_is_its_turn():
    first, second = FirstMove(), FirstMove()
    found = meeple.match(first, second, "dots:2", 2)
    assert histories(found)[0] == histories(found)[1]
    turns = [position.to_move for position in first.asked + second.asked]
    assert Counter(turns) == {0: len(first.asked), 1: len(second.asked)}
    to_move = [position.to_move for position in first.asked]
    assert to_move == sorted(to_move)  # its game as first player, then the one as second


def test_a_player_goes_on_where_it_closed_a_box():
    found = meeple.match("random", "random", "dots:2", 6, seed=2)
    for played in found.games:
        line = [played.end]
        while line[-1].previous is not None:
            line.append(line[-1].previous)
        turns = [position.to_move for position in reversed(line)]
        assert any(one == other for one, other in pairwise(turns[:-1]))
        assert played.end.plies == 12


def test_the_games_of_a_pair_share_their_opening():
    found = meeple.match("random", "random", "hex:5", 20, opening_plies=4, seed=6)
    openings = [history[:4] for history in histories(found)]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) > 8
    assert {played.opening_plies for played in found.games} == {4}
    assert histories(found)[::2] != histories(found)[1::2]


def test_players_are_not_asked_in_the_opening():
    first = FirstMove()
    meeple.match(first, LastMove(), "hex:5", 4, opening_plies=3)
    assert min(position.plies for position in first.asked) == 3


def test_openings_that_end_the_game_are_drawn_again():
    found = meeple.match("random", "random", "tictactoe", 60, opening_plies=6, seed=1)
    assert min(played.end.plies for played in found.games) > 6


def test_openings_that_always_end_the_game_are_refused():
    with pytest.raises(MeepleError, match="tictactoe is nearly always over after 9 random plies"):
        meeple.match("random", "random", "tictactoe", 2, opening_plies=9)


def test_seeds_repeat():
    def play(seed):
        return histories(meeple.match("random", "random", "tictactoe", 20, opening_plies=2, seed=seed))

    assert play(1) == play(1)
    assert play(1) != play(2)


def test_a_match_does_not_depend_on_what_its_players_did_before():
    player = meeple.player("random", "tictactoe", seed=9)
    matches = [histories(meeple.match(player, "random", "tictactoe", 10, seed=1)) for _ in range(2)]
    assert matches[0] == matches[1]


def test_every_game_begins_with_seeds_of_its_own():
    first, second = Seeded(), Seeded()
    found = meeple.match(first, second, "tictactoe", 10, seed=4)
    assert len(first.seeds) == len(second.seeds) == 10
    assert len({*first.seeds, *second.seeds}) == 20
    assert len({played.seed for played in found.games}) == 10


def test_unique_games():
    assert meeple.match(FirstMove(), FirstMove(), "tictactoe", 8).unique_games == 1
    assert meeple.match(FirstMove(), LastMove(), "tictactoe", 8).unique_games == 2
    found = meeple.match("random", "random", "tictactoe", 50, seed=1)
    assert found.unique_games == len(set(histories(found))) > 40


def test_the_other_sides_match_is_the_mirror_image():
    one = meeple.match(FirstMove(), LastMove(), "hex:4", 10, opening_plies=2, seed=1)
    other = meeple.match(LastMove(), FirstMove(), "hex:4", 10, opening_plies=2, seed=1)
    assert one.score == 1 - other.score
    assert (one.both.wins, one.both.losses) == (other.both.losses, other.both.wins)
    assert one.elo == pytest.approx(-other.elo)
    assert set(histories(one)) == set(histories(other))


def test_what_a_score_stands_for():
    found = meeple.match(FirstMove(), FirstMove(), "tictactoe", 10)
    assert (found.score, found.elo) == (0.5, 0.0)
    low, high = found.elo_interval
    assert low < 0 < high
    assert low == pytest.approx(-high)


def test_a_game_by_name_or_itself():
    game = meeple.game("tictactoe")
    by_name, by_game = (meeple.match("random", "random", which, 6, seed=1) for which in ("tictactoe", game))
    assert histories(by_name) == histories(by_game)


def test_tells_of_every_game_as_it_ends():
    told = []
    found = meeple.match("random", "random", "tictactoe", 6, on_game=told.append)
    assert tuple(told) == found.games


@pytest.mark.parametrize("games", [-2, 0, 1, 7])
def test_an_odd_number_of_games_is_refused(games):
    with pytest.raises(MeepleError, match=f"even number of games.* not {games}"):
        meeple.match("random", "random", "tictactoe", games)


@pytest.mark.parametrize(
    ("move", "fault"),
    [
        ("b2", "Stubborn chose 'b2' after a3 b2"),
        ("z9", "Stubborn chose 'z9' after a3"),
        (None, "Stubborn chose 'None'"),
    ],
)
def test_a_move_that_is_not_legal_is_the_players_fault(move, fault):
    with pytest.raises(PlayerError, match=fault):
        meeple.match(FirstMove(), Stubborn(move), "tictactoe", 2)


def test_an_unknown_player_is_refused_before_any_game():
    first = FirstMove()
    with pytest.raises(PlayerError, match="did you mean random"):
        meeple.match(first, "randum", "tictactoe", 2)
    assert first.asked == []
