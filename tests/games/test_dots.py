"""The states of the thesis, and who owns which box."""

import numpy as np
import pytest

from meeple.errors import MeepleError
from meeple.games.dots import from_thesis_state, thesis_state
from meeple.games.registry import game

# G. P. da Costa, 2022, figure 4.1: the state A, and B, where every line is drawn.
STATE_A = """\
0 0 0 0
0 0 0 0
1 1 1 0
1 1 1 1
0 0 0 0
0 0 0 0
0 0 0 0"""
STATE_B = """\
1 1 1 0
1 1 1 1
1 1 1 0
1 1 1 1
1 1 1 0
1 1 1 1
1 1 1 0"""
LINES_A = "aB bB cB Ba Bb Bc Bd"


def test_writes_the_states_of_the_thesis():
    three = game("dots:3")
    assert thesis_state(three.read(LINES_A)) == STATE_A
    assert thesis_state(three.start()).split() == ["0"] * 28
    assert thesis_state(three.read(" ".join(three.names))) == STATE_B


def test_reads_the_states_of_the_thesis():
    three = game("dots:3")
    found = from_thesis_state(three, STATE_A, to_move=1)
    assert found == three.read(LINES_A)
    assert (found.to_move, found.plies, found.margin, found.result) == (1, 7, 0, None)
    assert from_thesis_state(three, "".join(STATE_A.split()), to_move=1) == found
    assert from_thesis_state(three, f"\n{STATE_A.replace(' ', '')}\n", to_move=1) == found


@pytest.mark.parametrize(("first_score", "margin", "result"), [(9, 9, 1), (5, 1, 1), (4, -1, -1), (0, -9, -1)])
def test_the_end_is_told_with_its_score(first_score, margin, result):
    found = from_thesis_state(game("dots:3"), STATE_B, first_score=first_score)
    assert (found.margin, found.result, found.plies, found.moves) == (margin, result, 24, ())
    pieces = found.game.pieces(found.state)
    assert pieces.tolist() == [1] * first_score + [2] * (9 - first_score)


@pytest.mark.parametrize(("first_score", "result"), [(3, 1), (2, 0), (1, -1)])
def test_an_even_number_of_boxes_may_be_shared(first_score, result):
    two = game("dots:2")
    full = thesis_state(two.read(" ".join(two.names)))
    assert from_thesis_state(two, full, first_score=first_score).result == result


@pytest.mark.parametrize("name", ["dots:1", "dots:2", "dots:3", "dots:2x4", "dots:4x2", "dots:6x5", "dots:10"])
def test_every_state_comes_back(name):
    generator = np.random.default_rng(4)
    for _ in range(5):
        position = game(name).start()
        while position.result is None:
            position = position.play_action(int(generator.choice(position.actions)))
            assert_comes_back(position)


def assert_comes_back(position):
    pieces = position.game.pieces(position.state)
    first_score = int((pieces == 1).sum())
    assert position.margin == first_score - int((pieces == 2).sum())
    back = from_thesis_state(position.game, thesis_state(position), to_move=position.to_move, first_score=first_score)
    assert back.key == position.key
    assert back.actions == position.actions
    assert (back.to_move, back.result, back.plies, back.margin) == (
        position.to_move,
        position.result,
        position.plies,
        position.margin,
    )
    np.testing.assert_array_equal(back.planes, position.planes)
    assert thesis_state(back) == thesis_state(position)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it has 28 digits, each 0 or 1"),
        ("0" * 27, "it has 28 digits"),
        ("0" * 29, "it has 28 digits"),
        ("0" * 27 + "2", "each 0 or 1"),
        ("0" * 27 + "٠", "each 0 or 1"),
        ("0001" + "0" * 24, "rows of horizontal lines end in a 0"),
    ],
)
def test_a_text_that_is_no_state_is_refused(text, message):
    with pytest.raises(MeepleError, match=message) as caught:
        from_thesis_state(game("dots:3"), text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("first_score", [1, -1])
def test_nobody_owns_boxes_that_are_open(first_score):
    with pytest.raises(MeepleError, match=f"the first player cannot own {first_score} of 0 closed boxes"):
        from_thesis_state(game("dots:3"), STATE_A, first_score=first_score)


def test_who_closes_a_box_moves_again():
    position = game("dots:2").read("aA Aa aB")
    assert position.to_move == 1
    closed = position.play("Ab")
    assert (closed.to_move, closed.margin) == (1, -1)
    assert closed.game.pieces(closed.state).tolist() == [2, 0, 0, 0]
    assert closed.play("Bb").to_move == 0


def test_one_line_may_close_two_boxes():
    position = game("dots:1x2").read("aA bA aB bB Aa Ac")
    done = position.play("Ab")
    assert (done.result, done.margin) == (1, 2)
    assert done.game.pieces(done.state).tolist() == [1, 1]


def test_the_key_does_not_tell_who_owns_which_box():
    one, other = (from_thesis_state(game("dots:3"), STATE_B, first_score=score) for score in (4, 5))
    assert one.key != other.key
    # Two boxes apart, closed by one player each: which of them closed which does not matter.
    orders = "aA cC aB Ab Cc Aa Cd cD", "Aa cD Cc Cd aA cC aB Ab"
    left, right = (game("dots:3").read(order) for order in orders)
    assert left.game.pieces(left.state).tolist() != right.game.pieces(right.state).tolist()
    assert (left.margin, left.to_move) == (right.margin, right.to_move)
    assert left.key == right.key
