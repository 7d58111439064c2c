"""Players against every reply, beside the same by plain recursion."""

import itertools
from functools import cache

import numpy as np
import pytest

import meeple
from meeple.errors import MeepleError, PlayerError
from meeple.games.rules import GOING_ON, RESULT
from meeple.judge.prove import BATCH, Gathering, Prover
from meeple.play.arena import ply_seed
from reference.replies import replies

GAMES = ("tictactoe", "connect4:4x4", "dots:1x2", "dots:2x2", "mnk:4x3x3", "mnk:1x2x2", "othello:4", "hex:2?swap=1")


def lowest(position):
    return position.moves[0]


def scattered(position):
    return position.moves[position.key % len(position.moves)]


@cache
def twin(choose, name, seat):
    return replies(choose, meeple.game(name).start(), seat)


class By:
    """Chooses by a function of the position."""

    def __init__(self, function):
        self.choose = function


class Asked:
    """Remembers the positions that it is asked about."""

    def __init__(self):
        self.positions = []

    def choose(self, position):
        self.positions.append(position)
        return lowest(position)


class Batched:
    """Chooses by the seeds alone, and remembers how many at once."""

    def __init__(self):
        self.sizes = []

    def choose(self, position):
        raise AssertionError("it is asked in batches")

    def choose_many(self, positions, seeds):
        self.sizes.append(len(positions))
        return [position.moves[seed % len(position.moves)] for position, seed in zip(positions, seeds, strict=True)]


def sides(proof):
    return proof.as_first, proof.as_second


def within(side, found):
    """Of what plain recursion found, the counts of games and positions within the plies walked."""
    short = [result for line, result in zip(found.lines, found.results, strict=True) if len(line) <= side.plies]
    positions = [plies for plies, _ in found.positions if plies <= side.plies]
    return *(short.count(result) for result in (1, 0, -1)), len(short), len(positions)


def assert_same(side, found):
    assert (side.wins, side.draws, side.losses, side.games, side.positions) == within(side, found)
    lost = [line for line, result in zip(found.lines, found.results, strict=True) if result == -1]
    if lost:
        assert side.lost_line in lost
        assert len(side.lost_line) == min(map(len, lost))
    else:
        assert side.lost_line is None


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("choose", [lowest, scattered])
def test_counts_what_plain_recursion_counts(name, choose):
    proof = meeple.prove(By(choose), name)
    assert (proof.complete, proof.stopped) == (True, None)
    for seat, side in enumerate(sides(proof)):
        found = twin(choose, name, seat)
        assert_same(side, found)
        assert side.complete
        assert side.plies == max(map(len, found.lines))


@pytest.mark.parametrize("name", ["tictactoe", "dots:1x3"])
@pytest.mark.parametrize("spec", ["random", "mcts:20", "gumbel:8", "puct:8?evaluator=rollout"])
def test_a_spec_answers_by_the_position_and_the_seed(name, spec):
    game = meeple.game(name)
    asked = meeple.player(spec, game, seed=3)

    def choose(position):
        seed = ply_seed(3 + position.key, position.plies)
        if hasattr(asked, "choose_many"):
            return asked.choose_many([position], [seed])[0]
        asked.begin(seed)
        return asked.choose(position)

    proof = meeple.prove(spec, name, seed=3)
    for seat, side in enumerate(sides(proof)):
        assert_same(side, twin(choose, name, seat))


def test_another_seed_plays_other_games():
    one, again, other = (sides(meeple.prove("random", "tictactoe", seed=seed)) for seed in (1, 1, 2))
    assert one == again != other


def test_batches_of_one_ply():
    player = Batched()
    proof = meeple.prove(player, "connect4:4x4", seed=5)
    assert proof.complete
    assert 10 < max(player.sizes) <= BATCH
    assert len(player.sizes) < 60 < sum(player.sizes)

    def choose(position):
        return position.moves[ply_seed(5 + position.key, position.plies) % len(position.moves)]

    assert_same(proof.as_second, twin(choose, "connect4:4x4", 1))


def test_more_than_a_batch_at_a_ply(monkeypatch):
    whole = meeple.prove(Batched(), "connect4:4x4", seed=5)
    monkeypatch.setattr("meeple.judge.prove.BATCH", 3)
    small = meeple.prove(Batched(), "connect4:4x4", seed=5)
    assert sides(small) == sides(whole)


def test_a_position_is_asked_about_once_and_knows_its_moves():
    player, game = Asked(), meeple.game("dots:2x2")
    meeple.prove(player, game)
    for seat in (0, 1):
        own = [position for position in player.positions if position.to_move == seat]
        assert len({position.state.tobytes() for position in own}) == len(own)
    for position in player.positions:
        assert game.read(" ".join(position.history)) == position


@pytest.mark.parametrize(
    ("name", "depth"), [("tictactoe", 9), pytest.param("connect4:4x4", 16, marks=pytest.mark.slow)]
)
def test_who_sees_the_end_never_loses_a_drawn_game(name, depth):
    proof = meeple.prove(f"alphabeta:{depth}", name)
    assert (proof.complete, proof.losses) == (True, 0)
    assert proof.as_first.draws > 0
    assert proof.as_second.draws > 0


def test_who_is_blind_is_found_out():
    proof = meeple.prove(By(lowest), "tictactoe")
    line = proof.as_second.lost_line
    assert meeple.game("tictactoe").read(" ".join(line)).result == 1
    assert len(line) == 5
    assert proof.losses == proof.as_first.losses + proof.as_second.losses > 0


def test_sequences_outgrow_64_bits():
    position, found = meeple.game("tictactoe").read("a1"), Gathering()
    for _ in range(4):
        found.add(position, 0, 2**63)
    assert found.paths == [2**65]
    assert found.level().states.tolist() == [position.state.tolist()]


def test_the_player_may_be_to_move_several_times_in_a_row():
    player = Asked()
    meeple.prove(player, "dots:1x2")
    assert any(
        position.previous is not None and position.previous.to_move == position.to_move for position in player.positions
    )


@pytest.mark.parametrize("max_positions", [2, 3, 10, 100, 500, 1000])
def test_a_budget_of_positions(max_positions):
    proof = meeple.prove(By(lowest), "connect4:4x4", max_positions=max_positions)
    assert (proof.complete, proof.stopped) == (False, "positions")
    assert proof.as_first.positions + proof.as_second.positions <= max_positions
    for seat, side in enumerate(sides(proof)):
        found = twin(lowest, "connect4:4x4", seat)
        assert (side.wins, side.draws, side.losses, side.games, side.positions) == within(side, found)
        assert side.complete == (side.plies == max(map(len, found.lines)))


def test_exactly_enough_positions_are_enough():
    whole = meeple.prove(By(lowest), "tictactoe")
    positions = sum(side.positions for side in sides(whole))
    assert meeple.prove(By(lowest), "tictactoe", max_positions=positions).complete
    assert not meeple.prove(By(lowest), "tictactoe", max_positions=positions - 1).complete


def test_one_side_may_be_complete_where_the_other_is_not():
    whole = meeple.prove(By(lowest), "dots:2x2")
    small, large = sorted(side.positions for side in sides(whole))
    part = meeple.prove(By(lowest), "dots:2x2", max_positions=small + large - 1)
    assert not part.complete
    assert sorted(side.complete for side in sides(part)) == [False, True]


def test_a_budget_of_time(monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr("meeple.judge.prove.time.perf_counter", lambda: float(next(ticks)))
    proof = meeple.prove(By(lowest), "connect4:4x4", time_limit_s=30)
    assert (proof.complete, proof.stopped) == (False, "time")
    assert 0 < proof.as_first.plies < 16


def test_progress_is_told():
    walked = []
    proof = meeple.prove(By(lowest), "tictactoe", on_walked=lambda positions, ply: walked.append((positions, ply)))
    states = [
        np.frombuffer(state, np.uint64) for seat in (0, 1) for _, state in twin(lowest, "tictactoe", seat).positions
    ]
    assert sum(positions for positions, _ in walked) == sum(int(state[RESULT] == GOING_ON) for state in states)
    assert {ply for _, ply in walked} == set(range(max(side.plies for side in sides(proof))))


def test_an_interrupted_walk_can_be_summed_up():
    left = 30

    def impatient(position):
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt
        return lowest(position)

    prover = Prover(By(impatient), "connect4:4x4")
    with pytest.raises(KeyboardInterrupt):
        prover.run()
    proof = prover.proof("interrupted")
    assert (proof.complete, proof.stopped) == (False, "interrupted")
    for seat, side in enumerate(sides(proof)):
        assert side.plies > 1
        assert within(side, twin(lowest, "connect4:4x4", seat))[4] == side.positions


def test_an_illegal_move_names_the_player():
    with pytest.raises(PlayerError, match="By chose 'z9' after -"):
        meeple.prove(By(lambda position: "z9"), "tictactoe")


def test_too_few_moves_name_the_player():
    class Short(Batched):
        def choose_many(self, positions, seeds):
            return []

    with pytest.raises(PlayerError, match="Short chose 0 moves in 1 positions"):
        meeple.prove(Short(), "tictactoe")


def test_no_positions_are_refused():
    with pytest.raises(MeepleError, match="not 1"):
        meeple.prove("random", "tictactoe", max_positions=1)
