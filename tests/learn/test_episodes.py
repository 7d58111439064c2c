"""Files of episodes: what is written is read, whatever happens to the end of the file."""

import logging
import resource
import zlib
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeple.errors import RecordError
from meeple.games.registry import game
from meeple.learn.episodes import SHARES, Episode, Log, packed_policies
from meeple.learn.episodes import _frame as frame
from reference.selfplay import random_episode


@cache
def some_episodes():
    of, chance = game("tictactoe"), np.random.default_rng(1)
    return [random_episode(of, chance, number=number) for number in range(4)]


@cache
def some_content(folder):
    path = folder / "whole.log"
    path.unlink(missing_ok=True)
    Log(path, game("tictactoe")).append(some_episodes())
    return path.read_bytes()


def same(one, other):
    """Whether two episodes are equal, but for the rounding of policies."""
    plain = [name for name in Episode._fields if name != "policies"]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in plain) and np.array_equal(
        packed_policies(one.policies), packed_policies(other.policies)
    )


def is_beginning(found, whole):
    return len(found) <= len(whole) and all(map(same, found, whole))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "dots:2x2", "go:3", "hex:4?swap=1"])
@pytest.mark.parametrize("has_policy", [True, False])
def test_what_is_written_is_read(tmp_path, name, has_policy):
    of, chance = game(name), np.random.default_rng(2)
    log, written = Log(tmp_path / "000000.log", of), []
    for number in range(6):
        episode = random_episode(of, chance, number=number, share=0.5)
        if not has_policy:
            episode = episode._replace(policies=np.zeros((len(episode.rows), 0), np.float32))
        written.append(episode)
        log.append([episode])
    found = Log(tmp_path / "000000.log", of).read()
    assert found.torn_bytes == 0
    assert len(found.episodes) == 6
    assert all(map(same, found.episodes, written))
    for one, other in zip(found.episodes, written, strict=True):
        assert one.policies.shape == other.policies.shape
        assert one.policies == pytest.approx(other.policies, abs=1e-5)
        assert [column.dtype for column in (one.actions, one.rows, one.policies, one.root_values)] == [
            np.int32, np.int32, np.float32, np.float32,
        ]  # fmt: skip


def test_numbers_as_large_as_they_get(tmp_path):
    largest = some_episodes()[0]._replace(number=2**62, seed=2**64 - 1, iteration=2**40, is_complete=False)
    log = Log(tmp_path / "a.log", game("tictactoe"))
    log.append([largest])
    assert same(log.read().episodes[0], largest)


def test_a_policy_that_was_packed_stays_as_it_is():
    every = np.arange(SHARES + 1, dtype=np.uint16)
    assert np.array_equal(packed_policies(every.astype(np.float32) / np.float32(SHARES)), every)


def test_no_episodes(tmp_path):
    log = Log(tmp_path / "a.log", game("tictactoe"))
    log.append([])
    assert log.read() == ([], 0)


@given(data=st.data())
def test_a_file_that_was_cut_off(folder, data):
    whole = some_content(folder)
    length = data.draw(st.integers(0, len(whole)))
    path = folder / "cut.log"
    path.write_bytes(whole[:length])
    found = Log(path, game("tictactoe")).read()
    assert is_beginning(found.episodes, some_episodes())
    assert found.torn_bytes < len(whole) // len(some_episodes()) + 40
    Log(path, game("tictactoe")).append(some_episodes()[:1])
    again = Log(path, game("tictactoe")).read()
    assert again.torn_bytes == 0
    assert is_beginning(again.episodes, [*some_episodes()[: len(found.episodes)], some_episodes()[0]])
    assert len(again.episodes) == len(found.episodes) + 1


@given(data=st.data())
def test_a_file_with_wrong_bytes(folder, data):
    content = bytearray(some_content(folder))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    content = content[: data.draw(st.integers(0, len(content)))] + data.draw(st.binary(max_size=40))
    path = folder / "wrong.log"
    path.write_bytes(content)
    try:
        found = Log(path, game("tictactoe")).read()
    except RecordError:
        return
    assert is_beginning(found.episodes, some_episodes())


@given(content=st.binary(max_size=200))
def test_any_bytes_in_whole_frames(folder, content):
    """A checksum that fits does not make an episode."""
    path = folder / "framed.log"
    for body in (content, zlib.compress(content)):
        path.write_bytes(Log(path, game("tictactoe"))._header() + frame(body))
        assert len(Log(path, game("tictactoe")).read().episodes) in (0, 1)


def test_a_torn_end_is_told_and_cut_off(tmp_path, caplog):
    path = tmp_path / "a.log"
    Log(path, game("tictactoe")).append(some_episodes())
    length = path.stat().st_size
    path.write_bytes(path.read_bytes() + b"torn")
    assert Log(path, game("tictactoe")).read().torn_bytes == 4
    with caplog.at_level(logging.WARNING):
        Log(path, game("tictactoe")).append([])
    assert "4 bytes at the end are no whole game" in caplog.text
    assert path.stat().st_size == length


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a letter to a friend\n", "is not a file of episodes"),
        (b'{"format": "meeple-record/1", "game": "tictactoe"}\n', "is not a file of episodes"),
        (b"\x00" * 5000, "is not a file of episodes"),
        (b'{"format": "meeple-episodes/1", "game": "hex:4"}\n', "hex:4"),
    ],
)
def test_a_foreign_file_is_left_alone(tmp_path, content, told):
    path = tmp_path / "a.log"
    path.write_bytes(content)
    for use in (Log(path, game("tictactoe")).read, lambda: Log(path, game("tictactoe")).append(some_episodes())):
        with pytest.raises(RecordError, match=told):
            use()
    assert path.read_bytes() == content


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(RecordError, match="cannot read"):
        Log(tmp_path / "none.log", game("tictactoe")).read()
    with pytest.raises(RecordError, match="cannot write"):
        Log(tmp_path / "no" / "folder.log", game("tictactoe")).append([])


@pytest.mark.parametrize("is_new", [False, True])
def test_a_full_disk_leaves_what_was_there(tmp_path, is_new):
    path = tmp_path / "a.log"
    log = Log(path, game("tictactoe"))
    if not is_new:
        log.append(some_episodes()[:2])
    before = path.read_bytes() if path.exists() else b""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, limits[1]))
    try:
        with pytest.raises(RecordError, match="nothing was added to it"):
            log.append(some_episodes())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    log.append(some_episodes()[2:])
    found = Log(path, game("tictactoe")).read()
    assert found.torn_bytes == 0
    assert all(map(same, found.episodes, some_episodes()[2 if is_new else 0 :]))
