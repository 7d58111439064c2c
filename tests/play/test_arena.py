"""Many games at once, openings, the stopping rule, and interruptions."""

import random
from itertools import islice
from math import log
from random import Random

import pytest

import meeple
from meeple.errors import MeepleError, PlayerError, RecordError
from meeple.play.arena import ply_seed
from meeple.play.match import Tally
from meeple.play.openings import random_openings, read_openings
from meeple.play.players import MAKERS
from meeple.play.score import expected_score
from meeple.play.sprt import PAIR_SCORES, Sprt


class Batched:
    """Chooses many moves at once, by their seeds alone, and remembers how many."""

    def __init__(self):
        self.sizes = []

    def choose(self, position):
        raise AssertionError("it is asked in batches")

    def choose_many(self, positions, seeds):
        self.sizes.append(len(positions))
        return [position.moves[seed % len(position.moves)] for position, seed in zip(positions, seeds, strict=True)]


class Single:
    """Draws from the chances that its game began with."""

    def begin(self, seed):
        self.random = Random(seed)

    def choose(self, position):
        return self.random.choice(position.moves)


class Impatient(Single):
    """Stops the program at some move."""

    def __init__(self, moves):
        self.left = moves

    def choose(self, position):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return super().choose(position)


def games(match):
    return [played._replace(end=played.end.history) for played in match.games]


@pytest.mark.parametrize("name", ["tictactoe", "dots:2", "hex:4?swap=1"])
@pytest.mark.parametrize("second", [Batched, Single, lambda: "random"])
def test_games_do_not_depend_on_how_many_are_played_at_once(name, second):
    def play(parallel):
        return games(meeple.match(Batched(), second(), name, 40, opening_plies=1, seed=5, parallel=parallel))

    one = play(1)
    assert play(3) == play(64) == play(1000) == one
    assert [game.number for game in one] == list(range(40))


def test_a_batch_has_a_position_of_every_game():
    first, second = Batched(), Batched()
    meeple.match(first, second, "connect4:4x4", 100, parallel=64)
    assert max(first.sizes + second.sizes) == 64
    assert sum(first.sizes) / len(first.sizes) > 16


def test_an_object_that_takes_no_batches_plays_one_game_after_the_other():
    first = Batched()
    meeple.match(first, Single(), "tictactoe", 10)
    assert set(first.sizes) == {1}


def test_a_spec_gets_a_player_for_every_table(monkeypatch):
    made = []
    monkeypatch.setitem(MAKERS, "counted", lambda spec, game, seed: made.append(seed) or Single())
    meeple.match(Batched(), "counted", "tictactoe", 20, seed=3, parallel=8)
    assert made == [3] * 8
    made.clear()
    meeple.match("counted", "random", "tictactoe", 20, parallel=8)
    assert len(made) == 1


def test_every_move_has_a_seed_of_its_own():
    seeds = {ply_seed(game, ply) for game in range(200) for ply in range(200)}
    assert len(seeds) == 40_000
    assert all(0 <= seed < 1 << 63 for seed in seeds)


class Wrong(Batched):
    def choose_many(self, positions, seeds):
        return ["a1"] * (len(positions) + 1)


def test_too_many_moves_are_the_players_fault():
    with pytest.raises(PlayerError, match="Wrong chose 9 moves in 8 positions"):
        meeple.match(Wrong(), Batched(), "tictactoe", 16, parallel=16)


# Openings.


def test_random_openings_differ_while_there_are_enough():
    game = meeple.game("tictactoe")
    drawn = list(islice(random_openings(game, 2, Random(1)), 72 * 3))
    assert len(set(drawn[:60])) == 60
    assert all(drawn.count(opening) >= 2 for opening in set(drawn))
    assert set(islice(random_openings(game, 0, Random(1)), 9)) == {game.start()}


def test_openings_of_a_file_are_played_in_turn(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# two and the start\na1 b2\n\nc3   # a corner\n-\na1 b2\n", encoding="utf-8")
    game = meeple.game("tictactoe")
    openings = read_openings(file, game)
    assert [opening.history for opening in openings] == [("a1", "b2"), ("c3",), ()]
    found = meeple.match("random", "random", game, 8, openings=openings)
    assert [played.opening_plies for played in found.games] == [2, 2, 1, 1, 0, 0, 2, 2]
    assert all(played.end.history[:2] == ("a1", "b2") for played in found.games[:2])


def test_openings_of_records(tmp_path):
    file = tmp_path / "games.jsonl"
    meeple.match("random", "random", "hex:4", 12, opening_plies=3, seed=2, save=file)
    openings = read_openings(file, meeple.game("hex:4"))
    assert len(openings) == 6
    assert {opening.plies for opening in openings} == {3}
    with pytest.raises(RecordError, match=r"games.jsonl:1: a game of 'hex:4', not of hex:5"):
        read_openings(file, meeple.game("hex:5"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a1\nz9\n", r"openings.txt:2: 'z9' is not a move of tictactoe"),
        ("a1 a1\n", r"openings.txt:1: a1 is illegal"),
        ("a1 b1 a2 b2 a3", r"openings.txt:1: the game is over"),
        ("# none\n\n", "there are no openings in it"),
    ],
)
def test_a_file_of_openings_that_is_wrong(tmp_path, text, fault):
    file = tmp_path / "openings.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match=fault):
        read_openings(file, meeple.game("tictactoe"))


def test_a_file_of_openings_that_is_no_text(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name in ("binary", "nothing"):
        with pytest.raises(RecordError, match=f"cannot read .*{name}"):
            read_openings(tmp_path / name, meeple.game("tictactoe"))


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"openings": []}, "there are no openings"),
        ({"openings": [], "opening_plies": 1}, "not both"),
        ({"openings": [meeple.game("hex:4").start()]}, "is no opening of tictactoe"),
        ({"parallel": 0}, "at least one game"),
    ],
)
def test_what_a_match_refuses(options, fault):
    with pytest.raises(MeepleError, match=fault):
        meeple.match("random", "random", "tictactoe", 4, **options)


# The sequential test.


def test_the_ratio_is_that_of_two_binomials_where_pairs_are_won_or_lost():
    """Then the likeliest distributions are known: the mean is the chance of a won pair."""
    won, lost = 70, 50
    s0, s1 = expected_score(-20), expected_score(40)
    exact = won * log(s1 / s0) + lost * log((1 - s1) / (1 - s0))
    assert Sprt(-20, 40).llr([lost, 0, 0, 0, won]) == pytest.approx(exact, abs=0.02)


def test_the_ratio_of_many_pairs_is_near_the_normal_approximation():
    counts = [120, 480, 900, 520, 140]
    pairs = sum(counts)
    mean = sum(count * score for count, score in zip(counts, PAIR_SCORES, strict=True)) / pairs
    variance = sum(count * (score - mean) ** 2 for count, score in zip(counts, PAIR_SCORES, strict=True)) / pairs
    s0, s1 = expected_score(0), expected_score(10)
    normal = pairs * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt(0, 10).llr(counts) == pytest.approx(normal, rel=0.02)


def test_a_few_pairs_that_end_alike_prove_nothing():
    assert Sprt(0, 50).outcome([0, 0, 0, 0, 3]).verdict == "undecided"
    assert Sprt(0, 50).outcome([0, 0, 0, 0, 0]).llr == 0
    assert Sprt(0, 50).outcome([0, 0, 0, 0, 200]).verdict == "accepted"
    assert Sprt(0, 50).outcome([0, 0, 200, 0, 0]).verdict == "rejected"


@pytest.mark.parametrize(("elo", "error"), [(0, "accepted"), (80, "rejected")])
def test_error_rates_are_nominal(elo, error):
    """Pairs are drawn with a mean that one hypothesis claims; the test errs in about one run of twenty."""
    chance = random.Random(7)
    test = Sprt(0, 80)
    mean = expected_score(elo)
    side = [0.15, 0.2]  # chances of 0 and 1/4, and of their mirror images before the mean is moved
    shift = (mean - 0.5) / (0.5 * 2 + 0.25 * 2)
    chances = [side[0] - shift, side[1] - shift, 0.3, side[1] + shift, side[0] + shift]
    verdicts = []
    for _ in range(400):
        counts = [0] * 5
        verdict = "undecided"
        while verdict == "undecided":
            counts[chance.choices(range(5), chances)[0]] += 1
            verdict = test.outcome(counts).verdict
        verdicts.append(verdict)
    assert 0.02 < verdicts.count(error) / 400 < 0.08


@pytest.mark.parametrize("bounds", [(10, 10), (20, 0), (0, 5000), (float("nan"), 1)])
def test_bounds_that_are_none(bounds):
    with pytest.raises(MeepleError, match="the lower first"):
        Sprt(*bounds)


def test_a_match_stops_when_the_test_does():
    def play(parallel):
        return meeple.match(Batched(), Single(), "tictactoe", 2000, parallel=parallel, tally=Tally(Sprt(200, 400)))

    found = play(1)
    assert found.stopped == "sprt"
    assert found.sprt.verdict == "rejected"
    assert found.sprt.llr <= found.sprt.low
    assert 2 < len(found.games) < 2000
    assert len(found.games) % 2 == 0
    assert games(play(64)) == games(found)
    undecided = meeple.match("random", "random", "tictactoe", 4, sprt=Sprt(0, 10))
    assert (undecided.stopped, undecided.sprt.verdict) == (None, "undecided")


# Interruptions.


@pytest.mark.parametrize("parallel", [1, 8])
def test_an_interrupted_match_can_be_summed_up(parallel, tmp_path, monkeypatch):
    monkeypatch.setitem(MAKERS, "impatient", lambda spec, game, seed: Impatient(25))
    tally, told = Tally(), []
    options = {"tally": tally, "save": tmp_path / "games.jsonl", "on_game": told.append, "parallel": parallel}
    with pytest.raises(KeyboardInterrupt):
        meeple.match(Batched(), "impatient", "tictactoe", 200, **options)
    found = tally.match("interrupted")
    assert 0 < len(found.games) < 200
    assert found.games == tuple(told)
    assert found.both.games == len((tmp_path / "games.jsonl").read_text(encoding="utf-8").splitlines())
    numbers = [played.number for played in found.games]
    assert numbers == sorted(set(numbers))
    low, high = found.interval
    assert 0 <= low < found.score < high <= 1
