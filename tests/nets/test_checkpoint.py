"""Files of networks: what is written is read again, and whatever else is read is refused in one line."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as write_tensors

import meeple
from meeple import CheckpointError
from meeple.nets import checkpoint as files
from meeple.nets.architecture import Architecture
from meeple.nets.checkpoint import Card, Checkpoint, Measured, card_of, fitted, from_bytes, load, save, to_bytes
from meeple.nets.layout import layout_of, weight_shapes


def made(name="tictactoe", **architecture):
    """A checkpoint with random weights, made without PyTorch."""
    game, random = meeple.game(name), np.random.default_rng(0)
    built = Architecture(**({"width": 4, "depth": 1, "value_units": 4} | architecture))
    shapes = weight_shapes(built, layout_of(game))
    weights = {key: random.standard_normal(shape).astype(np.float32) for key, shape in shapes.items()}
    card = card_of(
        game,
        built,
        recipe_name="fast",
        recipe={"name": "fast", "minutes": 3.5},
        step=100,
        games=20,
        seed=7,
        measured=(Measured(against="random", simulations=0, games=100, score=0.9, low=0.8, high=1.0),),
    )
    return Checkpoint(card, weights, {"body.0": np.array([0, 2.5], np.float32)})


WHOLE = to_bytes(made())


def same(one, other):
    assert one.card == other.card
    for ours, theirs in zip(one[1:], other[1:], strict=True):
        assert ours.keys() == theirs.keys()
        assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_what_is_written_is_read_again(tmp_path):
    save(tmp_path / "net.safetensors", made())
    same(load(tmp_path / "net.safetensors"), made())
    assert [path.name for path in tmp_path.iterdir()] == ["net.safetensors"]


def test_the_same_checkpoint_gives_the_same_bytes():
    assert {to_bytes(made()._replace(card=from_bytes(WHOLE).card)) for _ in range(20)} == {WHOLE}


def test_half_takes_half_the_space_and_is_float32_in_memory():
    whole = made(width=32)
    data = to_bytes(whole, half=True)
    assert len(data) < 0.6 * len(to_bytes(whole))
    half = from_bytes(data)
    assert {value.dtype for value in half.weights.values()} == {np.dtype(np.float32)}
    for name, value in whole.weights.items():
        np.testing.assert_allclose(half.weights[name], value, rtol=1e-3, atol=1e-6)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    save(tmp_path / "net", made())
    before = (tmp_path / "net").read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left"):
        save(tmp_path / "net", made(width=8))
    assert [path.name for path in tmp_path.iterdir()] == ["net"]
    assert (tmp_path / "net").read_bytes() == before


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 255))
@settings(max_examples=300, deadline=None)
def test_a_flipped_byte_is_noticed_or_changes_nothing(place, flip):
    data = bytearray(WHOLE)
    data[place] ^= flip
    with suppress(CheckpointError):
        same(from_bytes(bytes(data)), made())


@given(st.integers(0, len(WHOLE) - 1))
@settings(max_examples=100, deadline=None)
def test_a_truncated_file_is_noticed(length):
    with pytest.raises(CheckpointError):
        from_bytes(WHOLE[:length])


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_other_bytes_are_refused(data):
    with pytest.raises(CheckpointError, match="is not a network"):
        from_bytes(data)


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "other").write_bytes(write_tensors({"weight": np.zeros(3, np.float32)}, {"format": "pt"}))
    with pytest.raises(CheckpointError, match="other is not a network of meeple"):
        load(tmp_path / "other")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"cannot read .*nothing: No such file"):
        load(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights.pop("value.last.bias"), "lacks the weight value.last.bias"),
        (lambda weights: weights.update(more=np.zeros(1, np.float32)), "has no use for the weight more"),
        (lambda weights: weights.update({"value.last.bias": np.zeros(2, np.float32)}), r"shape \(2,\), not \(1,\)"),
        (lambda weights: weights.update({"value.last.bias": np.full(1, np.nan, np.float32)}), "not finite"),
    ],
)  # fmt: skip
def test_wrong_weights_are_refused(tmp_path, change, message):
    checkpoint = made()
    change(checkpoint.weights)
    with pytest.raises(CheckpointError, match=message):
        from_bytes(to_bytes(checkpoint))
    with pytest.raises(CheckpointError, match=message):
        save(tmp_path / "net", checkpoint)


def test_a_wrong_range_is_refused():
    with pytest.raises(CheckpointError, match=r"range body\.0 is not a pair"):
        from_bytes(to_bytes(made()._replace(ranges={"body.0": np.zeros(3, np.float32)})))


def test_a_card_of_another_format_is_refused():
    checkpoint = made()
    card = Card.model_construct(**(dict(checkpoint.card) | {"format": "meeple-network/2"}))
    with pytest.raises(CheckpointError, match="card that cannot be read: format"):
        from_bytes(write_with(card, checkpoint))


def write_with(card, checkpoint):
    text = card.model_dump_json(warnings=False)
    tensors = dict(checkpoint.weights)
    return write_tensors(tensors, {"meeple": text, "digest": files._digest(text, tensors)})


def test_another_game_or_size_is_refused():
    with pytest.raises(CheckpointError, match="plays tictactoe, not connect4"):
        fitted(made(), meeple.game("connect4"))
    with pytest.raises(CheckpointError, match="at no other size, so not hex:5"):
        fitted(made("hex:4"), meeple.game("hex:5"))
    with pytest.raises(CheckpointError, match="at no other size, so not hex:5"):
        fitted(made("hex:4", policy_head="none", body="mlp"), meeple.game("hex:5"))
    assert fitted(made("hex:4", any_size=True), meeple.game("hex:5")).rows == 5
    assert fitted(made("hex:4"), meeple.game("hex:4")).rows == 4
