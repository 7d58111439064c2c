"""Notation both ways, the three errors of a move, and that a position never changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeple.errors import AmbiguousMoveError, IllegalMoveError, MeepleError, MoveError, UnreadableMoveError
from meeple.games.game import Position
from meeple.games.registry import game

NAMES = (
    "tictactoe", "gomoku:15", "mnk:19x3x3", "connect4", "connect4:10x10", "othello", "othello:10", "hex:11",
    "hex:5?swap=1", "go:9", "go:13", "dots:3", "dots:10",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_name_means_its_action(name):
    found = game(name)
    for action, move in enumerate(found.names):
        assert found.action(move) == action
        assert found.split(move) == [move]


@pytest.mark.parametrize(
    ("name", "move", "row", "column"),
    [
        ("tictactoe", "a1", 2, 0),
        ("tictactoe", "b2", 1, 1),
        ("gomoku:15", "h8", 7, 7),
        ("gomoku:15", "a15", 0, 0),
        ("gomoku:15", "i1", 14, 8),
        ("mnk:19x3x3", "s1", 2, 18),
        ("othello", "f5", 4, 5),
        ("othello", "a1", 0, 0),
        ("othello:10", "j10", 9, 9),
        ("hex:11", "a1", 0, 0),
        ("hex:11", "i1", 0, 8),
        ("hex:11", "k2", 1, 10),
        ("go:9", "A1", 8, 0),
        ("go:9", "H9", 0, 7),
        ("go:9", "J9", 0, 8),
        ("go:13", "N13", 0, 12),
    ],
)
def test_cells_are_called_as_is_customary(name, move, row, column):
    found = game(name)
    assert found.action(move) == row * found.board.columns + column
    assert found.action(move.swapcase()) == found.action(move)


def test_go_has_no_i():
    with pytest.raises(UnreadableMoveError):
        game("go:9").action("I5")
    assert game("go:9").names[-1] == "pass"
    assert game("go:9").action("PASS") == 81


def test_columns_and_lines_are_called_as_is_customary():
    assert game("connect4").names == tuple("1234567")
    assert game("connect4:10x10").names[-1] == "10"
    names = game("dots:3").names
    assert names[:4] == ("aA", "bA", "cA", "aB")
    assert names[12:17] == ("Aa", "Ab", "Ac", "Ad", "Ba")
    assert game("hex:5?swap=1").names[-1] == "swap-pieces"


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("tictactoe", "b2a1", "b2 a1"),
        ("tictactoe", "1. b2 a1 2. c3", "b2 a1 c3"),
        ("tictactoe", "1.b2 a1 2...c3", "b2 a1 c3"),
        ("gomoku:15", "h8i9h10", "h8 i9 h10"),
        ("connect4", "4453", "4 4 5 3"),
        ("connect4", "44 5 3", "4 4 5 3"),
        ("connect4:10x10", "10 1 10", "10 1 10"),
        ("othello", "f5d6c3", "f5 d6 c3"),
        ("othello", "F5D6C3", "f5 d6 c3"),
        ("othello", "f5 d6c3", "f5 d6 c3"),
        ("hex:11", "a1i11k2", "a1 i11 k2"),
        ("hex:5?swap=1", "a2 swap-pieces c3d4", "a2 swap-pieces c3 d4"),
        ("dots:3", "aABaAa", "aA Ba Aa"),
        ("go:9", "C3 pass A1", "C3 pass A1"),
        ("go:9", "c3 PASS a1", "C3 pass A1"),
        ("go:9", "-", ""),
        ("go:9", "", ""),
        ("go:9", "  \t\n ", ""),
    ],
)
def test_reads_moves(name, text, moves):
    position = game(name).read(text)
    assert " ".join(position.history) == moves
    assert position == game(name).read(" ".join(position.history))


def test_passes_of_othello_are_not_written_but_may_be():
    small = game("othello:4")
    line = skipping_line(small)
    before, after = line[-2], line[-1]
    assert after.to_move == before.to_move
    text = " ".join(after.history)
    for word in ("pass", "PASS", "pa", "ps", "--"):
        assert small.read(f"{text} {word}") == after
        assert small.read(f"{text} {word}").history == after.history
    reply = after.moves[0]
    assert small.read("".join(after.history) + reply) == small.read(f"{text} pass {reply}")


def skipping_line(small):
    """Positions up to the first skipped turn."""
    generator = np.random.default_rng(0)
    while True:
        line = [small.start()]
        while line[-1].result is None:
            line.append(line[-1].play_action(int(generator.choice(line[-1].actions))))
            if line[-1].to_move == line[-2].to_move and line[-1].result is None:
                return line


@pytest.mark.parametrize("text", ["pass", "f5 pass", "f5 -- d6"])
def test_nobody_passes_who_can_move(text):
    with pytest.raises(IllegalMoveError, match=r"'(pass|--)' is illegal after [01] pl(y|ies): nobody has to pass"):
        game("othello").read(text)


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("tictactoe", "d4", UnreadableMoveError, "'d4' is not a move of tictactoe; moves look like a3 or c1"),
        ("tictactoe", "b2 b2", IllegalMoveError, "b2 is illegal after 1 ply of tictactoe; legal are a3 b3 c3 a2 c2"),
        ("tictactoe", "a1 a2 b1 b2 c1 c2", IllegalMoveError, "c2 is illegal after 5 plies .*: the game is over"),
        ("connect4", "8", UnreadableMoveError, "'8' is not a move of connect4"),
        ("connect4", "4444444", IllegalMoveError, "4 is illegal after 6 plies of connect4; legal are 1 2 3 5 6 7"),
        ("connect4:10x10", "11", UnreadableMoveError, "'11' is not a move"),
        ("othello", "a1", IllegalMoveError, "a1 is illegal after 0 plies of othello; legal are d3 c4 f5 e6"),
        ("othello", "f5 i9", UnreadableMoveError, "'i9' is not a move of othello"),
        ("hex:5", "swap-pieces", UnreadableMoveError, "'swap-pieces' is not a move of hex:5"),
        ("hex:5?swap=1", "swap-pieces", IllegalMoveError, "swap-pieces is illegal after 0 plies"),
        ("hex:5?swap=1", "swap-piece", UnreadableMoveError, "did you mean swap-pieces?"),
        ("hex:5?swap=1", "a1 b1 swap-pieces", IllegalMoveError, "swap-pieces is illegal after 2 plies"),
        ("go:9", "A1 A1", IllegalMoveError, "A1 is illegal after 1 ply of go:9; legal are A9 .* …"),
        ("go:9", "pass pass A1", IllegalMoveError, "the game is over"),
        ("dots:3", "aa", AmbiguousMoveError, "the move 'aa' could be aA or Aa in dots:3"),
        ("dots:3", "AA", AmbiguousMoveError, "the move 'AA' could be aA or Aa"),
        ("dots:3", "aA aA", IllegalMoveError, "aA is illegal after 1 ply"),
        ("dots:3", "eA", UnreadableMoveError, "'eA' is not a move of dots:3"),
    ],
)
def test_unreadable_illegal_and_ambiguous_are_three_errors(name, text, error, message):
    with pytest.raises(MoveError, match=message) as caught:
        game(name).read(text)
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


def test_small_letters_do_where_they_are_clear():
    wide = game("dots:1x3")
    assert wide.action("CA") == wide.action("ca") == wide.action("cA")
    with pytest.raises(AmbiguousMoveError):
        wide.action("aa")


@pytest.mark.parametrize("action", [-1, 9, 10_000])
def test_an_action_that_is_none_is_illegal(action):
    with pytest.raises(IllegalMoveError, match=f"^{action} is illegal after 0 plies of tictactoe"):
        game("tictactoe").start().play_action(action)


def test_a_position_tells_how_it_stands():
    start = game("tictactoe").start()
    assert (start.to_move, start.result, start.plies, start.margin, start.history) == (0, None, 0, None, ())
    assert (start.previous, start.action) == (None, None)
    assert start.moves == ("a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1")
    won = start.play_all("a1 a2 b1 b2 c1")
    assert (won.to_move, won.result, won.plies, won.moves, won.actions) == (1, 1, 5, (), ())
    assert won.history == ("a1", "a2", "b1", "b2", "c1")
    assert (won.previous.plies, won.game.names[won.action]) == (4, "c1")
    assert start.play_all("a1 a2 b1 b2 c3 c2").result == -1
    assert start.play_all("a1 b1 c1 b2 a2 c2 b3 a3 c3").result == 0
    assert repr(start) == "<Position of tictactoe after no move>"
    assert repr(start.play("b2")) == "<Position of tictactoe after b2>"
    assert repr(start.game) == "<Game tictactoe>"


def test_pieces_are_the_players():
    position = game("tictactoe").read("a3 b2 c3")
    assert position.game.pieces(position.state).tolist() == [1, 0, 1, 0, 2, 0, 0, 0, 0]
    assert position.game.pieces(position.play("a1").state).tolist() == [1, 0, 1, 0, 2, 0, 2, 0, 0]


def test_positions_are_equal_that_are_the_same_however_reached():
    start = game("tictactoe").start()
    one, other = start.play_all("a1 b2 c3"), start.play_all("c3 b2 a1")
    assert one == other
    assert hash(one) == hash(other)
    assert one.key == other.key
    assert one.history != other.history
    assert len({one, other, start}) == 2
    assert one != start.play_all("a1 b2 c2")
    assert one != one.state.tolist()
    assert game("tictactoe").start() != game("connect4").start()


def test_a_state_is_a_copy():
    position = game("othello").start()
    position.state[:] = 0
    position.planes[:] = 7
    assert position.moves == ("d3", "c4", "f5", "e6")
    assert position == game("othello").start()


def test_a_position_takes_no_new_attributes():
    with pytest.raises(AttributeError):
        game("tictactoe").start().comment = "good"


# Any text, and any moves.

SMALL = (
    "tictactoe", "mnk:4x3x3?exact=1", "gomoku:9", "connect4", "connect4:9x8", "othello:4", "othello:6", "hex:4",
    "hex:5?swap=1", "go:2", "go:4?suicide=1", "dots:1x2", "dots:3",
)  # fmt: skip
LIKE_MOVES = st.text(alphabet="abcdefghijstABCDEFGH0123456789 -.passw\n…é", max_size=40)


def refusal(read, text):
    """What our error says to a text; None where it is accepted."""
    try:
        read(text)
    except MeepleError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", SMALL)
@given(text=st.one_of(st.text(max_size=40), LIKE_MOVES))
def test_any_text_is_moves_or_an_error_of_ours(name, text):
    found = game(name)
    words = found.split(text)
    assert all(words)
    for read in (found.action, found.start().play, found.start().play_all):
        for told in (refusal(read, word) for word in (*words, text)):
            assert told is None or len(told.splitlines()) == 1


@pytest.mark.parametrize("name", SMALL)
@given(choices=st.lists(st.integers(0, 10**6), max_size=40))
def test_any_moves_keep_what_always_holds(name, choices):
    position = game(name).start()
    line, remembered = [position], [snapshot(position)]
    for choice in choices:
        if position.result is not None:
            break
        legal = position.actions
        assert list(legal) == sorted(set(legal))
        assert legal
        assert 0 <= legal[0] <= legal[-1] < position.game.num_actions
        assert position.to_move in (0, 1)
        position = position.play_action(legal[choice % len(legal)])
        line.append(position)
        remembered.append(snapshot(position))
        assert position.plies == len(line) - 1 <= position.game.max_plies
    assert all(before.result is None for before in line[:-1])
    assert (position.result is None) == bool(position.actions)
    assert position.result in (None, 1, -1, 0)
    assert [snapshot(earlier) for earlier in line] == remembered
    assert game(name).read(" ".join(position.history)) == position
    if position.result is not None:
        for action in range(position.game.num_actions):
            with pytest.raises(IllegalMoveError, match="the game is over"):
                position.play_action(action)


def snapshot(position: Position):
    return position.state.tobytes(), position.history, position.planes.tobytes(), position.moves, position.key
