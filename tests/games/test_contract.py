"""The contract checker: it accepts every game of the package, and finds every fault that it promises to find."""

import numpy as np
import pytest

from meeple.errors import RulesError
from meeple.games.check import check
from meeple.games.game import Game
from meeple.games.registry import game
from meeple.games.symmetry import Symmetry
from meeple.kernel import jit

SOUND = (
    "tictactoe", "mnk:1x2x2", "mnk:4x7x3?exact=1", "mnk:9x8x4", "gomoku:5", "connect4", "connect4:2x2", "connect4:4x5",
    "connect4:9x7", "connect4:10x10", "othello:4", "othello:6", "hex:2", "hex:3?swap=1", "hex:7", "hex:9?swap=1",
    "go:2", "go:3?suicide=1", "go:5", "dots:1", "dots:1x10", "dots:2x3", "dots:3", "dots:5x6",
)  # fmt: skip
SOUND_AND_LONG = (
    "gomoku:15", "gomoku:19?exact=1", "othello:8", "othello:10", "hex:11", "hex:19", "go:9?komi=0", "go:13", "dots:10",
)  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_every_game_keeps_the_contract(name):
    found = check(game(name), games=50, max_plies=1500)
    assert found.games == 50
    assert found.symmetries == len(game(name).symmetries)
    assert 50 <= found.plies <= 50 * game(name).max_plies
    assert 1 < found.positions <= found.plies + 50


@pytest.mark.slow
@pytest.mark.parametrize("name", SOUND_AND_LONG)
def test_every_long_game_keeps_the_contract(name):
    assert check(game(name), games=50).plies > 50


def test_the_same_seed_checks_the_same_games():
    first, second = (check(game("hex:3"), games=60, seed=5)[:3] for _ in range(2))
    assert first == second
    assert first != check(game("hex:3"), games=60, seed=6)[:3]


def test_long_games_are_checked_fewer_times():
    assert check(game("othello:4"), games=10_000, max_plies=300).games == 50
    assert check(game("tictactoe"), games=70).games == 70


# A sound game, of which each broken one changes one rule: five cells in a row, and whoever takes the last one wins.

CELLS = 5
PLANES = 2 * CELLS


def setup(state):
    pass


@jit
def moves(state, actions):
    count = 0
    for cell in range(CELLS):
        if not (state[3] | state[4]) >> np.uint64(cell) & np.uint64(1):
            actions[count] = cell
            count += 1
    return count


@jit
def play(state, action):
    state[3 + np.int64(state[0])] |= np.uint64(1) << np.uint64(action)
    state[2] += np.uint64(1)
    if state[2] == np.uint64(CELLS):
        state[1] = state[0] + np.uint64(1)
    state[0] ^= np.uint64(1)


@jit
def observe(state, planes):
    for plane in range(2):
        for cell in range(CELLS):
            planes[plane * CELLS + cell] = state[3 + (np.int64(state[0]) ^ plane)] >> np.uint64(cell) & np.uint64(1)


def row(**changes):
    """The sound game with other rules or tables."""
    rules = {"setup": setup, "moves": moves, "play": play, "observe": observe}
    return Game("row", **{**rules, "num_words": 5, "shape": (2, 1, CELLS), "symmetries": "mirror", **changes})


def test_the_sound_game_is_sound():
    assert check(row(), games=60).positions > 80


def setup_result(state):
    state[1] = np.uint64(1)


def setup_plies(state):
    state[2] = np.uint64(3)


def setup_beyond(state):
    state[state.size] = np.uint64(1)


def moves_descending(state, actions):
    count = moves(state, actions)
    for index in range(count // 2):
        actions[index], actions[count - 1 - index] = actions[count - 1 - index], actions[index]
    return count


def moves_twice(state, actions):
    actions[1] = actions[0] = 2
    return 2


def moves_outside(state, actions):
    actions[0] = CELLS
    return 1


def moves_negative(state, actions):
    actions[0] = -1
    return 1


def moves_none(state, actions):
    return 0


def moves_fewer_than_none(state, actions):
    return -3


def moves_too_many(state, actions):
    for cell in range(CELLS):
        actions[cell] = cell
    return CELLS + 1


def moves_beyond(state, actions):
    actions[actions.size] = 3
    return moves(state, actions)


def moves_change(state, actions):
    state[3] |= np.uint64(1) << np.uint64(40)
    return moves(state, actions)


def play_player(state, action):
    play(state, action)
    state[0] = np.uint64(2)


def play_result(state, action):
    play(state, action)
    state[1] = np.uint64(4)


def play_no_plies(state, action):
    play(state, action)
    state[2] -= np.uint64(1)


def play_two_plies(state, action):
    play(state, action)
    state[2] += np.uint64(1)


def play_beyond(state, action):
    play(state, action)
    state[state.size + 5] = np.uint64(1)


def play_endless(state, action):
    state[2] += np.uint64(1)
    state[0] ^= np.uint64(1)


def observe_unwritten(state, planes):
    for cell in range(PLANES - 3):
        planes[cell] = 0


def observe_nan(state, planes):
    observe(state, planes)
    planes[4] = np.nan


def observe_infinite(state, planes):
    observe(state, planes)
    planes[7] = np.inf


def observe_beyond(state, planes):
    observe(state, planes)
    planes[planes.size] = 0


def observe_change(state, planes):
    observe(state, planes)
    state[4] |= np.uint64(1) << np.uint64(40)


def observe_lopsided(state, planes):
    observe(state, planes)
    planes[0] = 0


def key_of_plies(state):
    return state[2]


def key_of_nothing(state):
    return np.uint64(1)


def key_without_owners(state):
    return state[3] | state[4]


def key_changing(state):
    state[4] += np.uint64(1) << np.uint64(40)
    return state[4]


def margin_lopsided(state):
    return np.int64(state[3] & np.uint64(1))


def key_that_forgets_the_result(state):
    return (
        np.uint64(7) if state[2] == 1 or state[1] else state[2] << np.uint64(40) | state[3] << np.uint64(8) | state[4]
    )


def moves_lopsided(state, actions):
    count = moves(state, actions)
    if count > 1 and actions[0] == 0:
        count -= 1
        for index in range(count):
            actions[index] = actions[index + 1]
    return count


def play_lopsided(state, action):
    play(state, action)
    if action == 0:
        state[1] = np.uint64(3)


FAULTS = {
    "setup that ends the game": ({"setup": setup_result}, "at the start: setup must leave the result and"),
    "setup that counts plies": ({"setup": setup_plies}, "setup must leave the result and the plies at 0"),
    "setup beyond the state": ({"setup": setup_beyond}, "setup wrote beyond the end of the state"),
    "actions that descend": ({"moves": moves_descending}, r"actions must ascend from 0 to 4 .*: \[4, 3, 2, 1, 0\]"),
    "an action twice": ({"moves": moves_twice}, r"actions must ascend .*: \[2, 2\]"),
    "an action too large": ({"moves": moves_outside}, r"actions must ascend from 0 to 4 at most: \[5\]"),
    "a negative action": ({"moves": moves_negative}, r"actions must ascend .*: \[-1\]"),
    "no move": ({"moves": moves_none}, "moves returned 0; while the game goes on it must be 1 to 5"),
    "fewer moves than none": ({"moves": moves_fewer_than_none}, "moves returned -3"),
    "more moves than actions": ({"moves": moves_too_many}, "moves returned 6"),
    "moves beyond the actions": ({"moves": moves_beyond}, "moves wrote beyond the end of the actions"),
    "moves that change the state": ({"moves": moves_change}, "moves must not change the state"),
    "a third player": ({"play": play_player}, "the player to move, must be 0 or 1, not 2"),
    "an unknown result": ({"play": play_result}, "the result, must be 0 to 3, not 4"),
    "plies that stand still": ({"play": play_no_plies}, "must add 1 to .* the plies: 0 became 0"),
    "plies that run ahead": ({"play": play_two_plies}, "must add 1 to .* the plies: 0 became 2"),
    "play beyond the state": ({"play": play_beyond}, "play wrote beyond the end of the state"),
    "an endless game": ({"play": play_endless}, "the game goes on after max_plies = 5"),
    "a limit of plies too low": ({"max_plies": 3}, "the game goes on after max_plies = 3"),
    "planes unwritten": ({"observe": observe_unwritten}, "observe left number 7 of the planes unwritten or not finite"),
    "a plane that is NaN": ({"observe": observe_nan}, "number 4 of the planes unwritten or not finite"),
    "a plane that is infinite": ({"observe": observe_infinite}, "number 7 of the planes unwritten or not finite"),
    "observe beyond the planes": ({"observe": observe_beyond}, "observe wrote beyond the end of the planes"),
    "observe that changes the state": ({"observe": observe_change}, "observe must not change the state"),
    "a key of too little": ({"key": key_of_plies}, "the key 0x1 had stood for a position with other legal moves"),
    "a key that forgets who moves": ({"key": key_of_nothing}, "the key 0x1 had .* other player to move"),
    "a key that forgets the owners": ({"key": key_without_owners}, "the key 0x.* other planes"),
    "a key that forgets the result": ({"key": key_that_forgets_the_result}, "the key 0x7 had .* other result"),
    "a key that changes": ({"key": key_changing}, "key gives different numbers for one state"),
    "symmetry of the moves": ({"moves": moves_lopsided}, "the symmetry mirror does not keep the legal moves"),
    "symmetry of the header": (
        {"play": play_lopsided}, "the symmetry mirror does not keep the player to move, the result and the plies",
    ),
    "symmetry of the margin": ({"margin": margin_lopsided}, "the symmetry mirror does not keep the margin"),
    "symmetry of the planes": ({"observe": observe_lopsided}, "symmetry mirror does not keep what `observe` writes"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_finds(fault):
    changes, message = FAULTS[fault]
    assert_refused(row(**changes), message)


def assert_refused(broken, message):
    with pytest.raises(RulesError, match=message) as caught:
        check(broken, games=60)
    assert str(caught.value).startswith("row ")
    assert "\n" not in str(caught.value)


def test_a_fault_is_told_with_the_moves_that_lead_to_it():
    with pytest.raises(RulesError, match=r"^row after( [a-e]1){3}: the game goes on"):
        check(row(max_plies=3))


def symmetries(actions=range(CELLS), planes=range(PLANES), *, name="wrong"):
    identity = Symmetry("identity", np.arange(CELLS, dtype=np.int32), np.arange(PLANES, dtype=np.int32))
    return [identity, Symmetry(name, np.array(actions, np.int32), np.array(planes, np.int32))]


TURNED = [4, 3, 2, 1, 0]
TABLES = {
    "sites too few": ({"action_sites": range(4)}, "action_sites must be 5 different sites, or -1"),
    "a site twice": ({"action_sites": [0, 1, 2, 3, 3]}, "action_sites must be 5 different sites"),
    "one view": ({"views": [range(5)]}, "views must be two permutations of 5 actions"),
    "a view too short": ({"views": [range(4), range(4)]}, "views must be two permutations"),
    "a view that repeats": ({"views": [range(5), [0, 1, 2, 3, 3]]}, "views must be two permutations"),
    "no symmetry": ({"symmetries": []}, "the first symmetry must be the identity"),
    "no identity": ({"symmetries": symmetries(TURNED)[1:]}, "the first symmetry must be the identity"),
    "actions too few": ({"symmetries": symmetries(range(4))}, "the symmetry wrong is not a permutation of 5 actions"),
    "an action twice": ({"symmetries": symmetries([0, 1, 2, 3, 3])}, "wrong is not a permutation of 5 actions"),
    "planes too few": ({"symmetries": symmetries(planes=range(9))}, "wrong is not a permutation of 10 numbers"),
    "a plane twice": ({"symmetries": symmetries(planes=[0] * 10)}, "wrong is not a permutation of 10 numbers"),
    "actions turned, planes not": ({"symmetries": symmetries(TURNED)}, "wrong does not keep what `observe` writes"),
    "planes turned, actions not": (
        {"symmetries": symmetries(planes=[*TURNED, 9, 8, 7, 6, 5])}, "wrong does not keep what `observe` writes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", TABLES)
def test_finds_in_the_tables(fault):
    changes, message = TABLES[fault]
    assert_refused(row(**{"symmetries": "none", **changes}), message)


def test_a_symmetry_that_is_one_passes():
    turned = symmetries(TURNED, [*TURNED, 9, 8, 7, 6, 5], name="mirror")
    assert check(row(symmetries=turned), games=60).symmetries == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": (2, 5)}, r"shape must be \(planes, rows, columns\), all at least 1, not \(2, 5\)"),
        ({"shape": (0, 1, 5)}, "shape must be"),
        ({"num_words": 3}, "num_words must be more than the header's 3, not 3"),
        ({"num_actions": 0}, "num_actions must be at least 1, not 0"),
        ({"max_plies": 0}, "max_plies must be at least 1, not 0"),
        ({"names": ["a", "b"]}, "names must be 5 different words, one for each action"),
        ({"names": ["a", "b", "c", "d", "d"]}, "names must be 5 different words"),
        ({"symmetries": "mirrors"}, "symmetries must be one of none, mirror, turn, .* not 'mirrors'"),
        ({"setup": None}, r"the function setup\(state\) is missing"),
        ({"moves": len}, r"moves must be moves\(state, actions\) that returns .*, not builtin_function_or_method"),
        ({"play": lambda state: None}, r"play must be play\(state, action\); yours takes 1 argument$"),
        ({"observe": lambda a, b, c: None}, r"observe must be observe\(state, planes\); yours takes 3 arguments"),
        ({"play": lambda state, action: state.nothing()}, "Numba cannot compile it"),
        ({"key": lambda state: "text"}, "key must be .* Numba cannot compile it"),
    ],
)
def test_a_game_that_cannot_be_built_is_refused(changes, message):
    with pytest.raises(RulesError, match=message) as caught:
        check(row(**changes))
    assert str(caught.value).startswith("row: ")
    assert "\n" not in str(caught.value)


def setup_player(state):
    state[0] = np.uint64(2)


def observe_beyond_the_state(state, planes):
    observe(state, planes)
    state[state.size] = np.uint64(1)


def moves_beyond_the_state(state, actions):
    state[state.size] = np.uint64(1)
    return moves(state, actions)


def key_change(state):
    state[4] |= np.uint64(1) << np.uint64(40)
    return state[3] << np.uint64(8) | state[4]


def margin_change(state):
    state[4] |= np.uint64(1) << np.uint64(40)
    return 0


def margin_of_a_player(state):
    return np.int64(state[3])


def key_without_margin(state):
    return state[3] | state[4] if state[1] else state[2] << np.uint64(40) | state[3] << np.uint64(8) | state[4]


TURNED_IDENTITY = [Symmetry("identity", np.arange(CELLS, dtype=np.int32), np.arange(PLANES, dtype=np.int32)[::-1])]
OVERLOOKED = {
    "setup that lets a third player begin": ({"setup": setup_player}, "setup .* player to move|must be 0 or 1, not 2"),
    "observe beyond the state": ({"observe": observe_beyond_the_state}, "observe wrote beyond the end of the state"),
    "moves beyond the state": ({"moves": moves_beyond_the_state}, "moves wrote beyond the end of the state"),
    "key that changes the state": ({"key": key_change}, "key must not change the state"),
    "margin that changes the state": ({"margin": margin_change}, "margin must not change the state"),
    "a key that forgets the margin": ({"key": key_without_margin, "margin": margin_of_a_player}, "with other margin"),
    "an identity of other planes": ({"symmetries": TURNED_IDENTITY}, "the first symmetry must be the identity"),
    "a site far below": ({"action_sites": [0, 1, 2, 3, -5]}, "action_sites must be"),
}


@pytest.mark.parametrize("fault", OVERLOOKED)
def test_finds_what_is_easily_overlooked(fault):
    changes, message = OVERLOOKED[fault]
    assert_refused(row(**{"symmetries": "none", **changes}), message)


def test_sites_that_no_symmetry_keeps_are_refused():
    with pytest.raises(RulesError, match=r"takes an action to a site|row: .*sites"):
        row(action_sites=[0, 1, -1, -1, -1], symmetries="mirror")
