"""Symmetries, and in Hex the exchange of the players: the second one's view is the board transposed and recoloured."""

import numpy as np
import pytest

from meeple.games.registry import game
from meeple.games.symmetry import GROUPS, grid_maps, grid_symmetries

SIZES = (
    "tictactoe", "mnk:3x3x3", "mnk:5x4x3", "mnk:1x5x2", "gomoku:9", "connect4", "connect4:5x5", "othello:4", "othello",
    "hex:2", "hex:5", "hex:5?swap=1", "go:2", "go:5", "dots:1", "dots:3", "dots:2x4", "dots:6x6",
)  # fmt: skip
BOARD = np.arange(6).reshape(2, 3)
SQUARE = np.arange(9).reshape(3, 3)


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("identity", SQUARE),
        ("mirror", np.fliplr(SQUARE)),
        ("flip", np.flipud(SQUARE)),
        ("half turn", np.rot90(SQUARE, 2)),
        ("transpose", SQUARE.T),
        ("quarter turn", np.rot90(SQUARE)),
        ("three quarter turn", np.rot90(SQUARE, -1)),
        ("other transpose", np.rot90(SQUARE.T, 2)),
    ],
)
def test_maps_are_what_their_names_say(name, image):
    np.testing.assert_array_equal(grid_maps("dihedral", 3, 3)[name], image.ravel())


def test_a_rectangle_has_only_the_symmetries_that_keep_it():
    assert list(grid_maps("dihedral", 2, 3)) == ["identity", "mirror", "flip", "half turn"]
    assert list(grid_maps("diagonal", 2, 3)) == ["identity", "half turn"]
    np.testing.assert_array_equal(grid_maps("dihedral", 2, 3)["mirror"], BOARD[:, ::-1].ravel())


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("size", [(3, 3), (2, 4), (1, 5)])
def test_every_group_is_one(group, size):
    found = grid_symmetries(group, (2, *size), range(size[0] * size[1]))
    assert_group([tuple(symmetry.actions) for symmetry in found], degenerate=min(size) == 1)
    assert_group([tuple(symmetry.planes) for symmetry in found], degenerate=min(size) == 1)


def assert_group(permutations, *, degenerate=False):
    """The identity first, and closed under composition."""
    assert permutations[0] == tuple(range(len(permutations[0])))
    assert degenerate or len(set(permutations)) == len(permutations)
    products = {tuple(one[index] for index in other) for one in permutations for other in permutations}
    assert products == set(permutations)


@pytest.mark.parametrize("name", SIZES)
def test_the_symmetries_of_a_game_are_a_group(name):
    found = game(name)
    degenerate = 1 in (found.board.rows, found.board.columns)
    assert_group([tuple(symmetry.actions) for symmetry in found.symmetries], degenerate=degenerate)
    assert_group([tuple(symmetry.planes) for symmetry in found.symmetries], degenerate=degenerate)


@pytest.mark.parametrize("name", SIZES)
def test_the_image_of_a_game_is_the_game_of_the_images(name):
    generator, found = np.random.default_rng(6), game(name)
    for symmetry in found.symmetries:
        position, image = found.start(), found.start()
        while position.result is None:
            assert sorted(symmetry.actions[list(position.actions)]) == list(image.actions)
            action = int(generator.choice(position.actions))
            position, image = position.play_action(action), image.play_action(int(symmetry.actions[action]))
            np.testing.assert_array_equal(position.planes.ravel()[symmetry.planes], image.planes.ravel())
            assert (position.result, position.margin) == (image.result, image.margin)


# Not Dots and Boxes, whose lines change direction, nor Connect 4, whose columns stand for no cell.
@pytest.mark.parametrize("name", [name for name in SIZES if not name.startswith(("dots", "connect4"))])
def test_actions_move_with_their_sites(name):
    """A policy drawn on the planes' board is moved by the same permutation as the planes."""
    found = game(name)
    planes, rows, columns = found.shape
    for symmetry in found.symmetries:
        sites = np.full(planes * rows * columns, -1)
        placed = found.action_sites >= 0
        sites[found.action_sites[placed]] = np.flatnonzero(placed)
        moved = sites[symmetry.planes][: rows * columns]
        for site, action in enumerate(moved):
            assert found.action_sites[symmetry.actions[action]] == site


# Hex.


def exchanged(position):
    """The position with rows and columns and the players exchanged, and the other to move."""
    found = position.game
    size = found.board.rows
    pieces = found.pieces(position.state).reshape(size, size).T
    return np.where(pieces > 0, 3 - pieces, 0).astype(np.int8)


def position_of(found, pieces, to_move):
    """A position of Hex with these pieces, put down by turns."""
    first, second = ([int(cell) for cell in np.flatnonzero(pieces.ravel() == player)] for player in (1, 2))
    position = found.start()
    assert len(first) - len(second) == to_move
    while first or second:
        position = position.play_action((first if position.to_move == 0 else second).pop())
    return position


@pytest.mark.parametrize("size", [2, 3, 6, 9])
def test_the_second_player_sees_hex_transposed_and_recoloured(size):
    found, generator = game(f"hex:{size}"), np.random.default_rng(size)
    for _ in range(20):
        position = found.start()
        while position.result is None:
            own, other = position.planes
            pieces = found.pieces(position.state).reshape(size, size)
            if position.to_move == 1:
                pieces = exchanged(position)
            np.testing.assert_array_equal(own, pieces == 1)
            np.testing.assert_array_equal(other, pieces == 2)
            position = position.play_action(int(generator.choice(position.actions)))


def put(found, stones, to_move):
    """A state of Hex with stones of (cell, player), without the moves' order, and so without a winner."""
    state = found.start().state
    for cell, player in stones:
        state[0] = player
        found.rules.play(state, cell)
    state[0] = to_move
    return state


@pytest.mark.parametrize("name", ["hex:3", "hex:5", "hex:8", "hex:9", "hex:11"])
def test_a_position_of_hex_and_its_exchanged_twin_look_the_same_to_whoever_moves(name):
    found, generator = game(name), np.random.default_rng(2)
    size = found.board.rows
    cells = np.arange(size * size).reshape(size, size)
    for _ in range(20):
        number = int(generator.integers(0, size * size // 2))
        chosen = generator.permutation(size * size)[:number].tolist()
        stones = [(cell, int(generator.integers(2))) for cell in chosen]
        twins = [(int(cells.T.ravel()[cell]), 1 - player) for cell, player in stones]
        for to_move in (0, 1):
            one, other = put(found, stones, to_move), put(found, twins, 1 - to_move)
            planes = [np.empty(found.shape, np.float32) for _ in range(2)]
            for state, seen in zip((one, other), planes, strict=True):
                found.rules.observe(state, seen.ravel())
            np.testing.assert_array_equal(*planes)
            assert {0: 0, 1: 2, 2: 1}[int(one[1])] == int(other[1])


@pytest.mark.parametrize("name", ["hex:3", "hex:8", "hex:5?swap=1"])
def test_the_views_of_hex_put_a_move_where_its_player_sees_the_cell(name):
    found = game(name)
    size = found.board.rows
    first, second = found.views
    assert first.tolist() == list(range(found.num_actions))
    for action in range(size * size):
        row, column = divmod(action, size)
        assert second[action] == column * size + row
        # The cell of a move is empty in the mover's planes where the view puts it, and taken after the move.
        before = found.start().play_action(0 if action else 1)
        after = before.play_action(action).state
        after[0] = 1
        planes = np.empty(found.shape, np.float32)
        found.rules.observe(after, planes.ravel())
        assert before.planes[0].ravel()[second[action]] == 0
        assert planes[0].ravel()[second[action]] == 1
    assert second.tolist()[size * size :] == list(range(size * size, found.num_actions))


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "go:9", "dots:3"])
def test_both_players_of_other_games_see_the_board_the_same_way(name):
    for view in game(name).views:
        assert view.tolist() == list(range(game(name).num_actions))
