"""Finished games of self-play, and the files that keep them: one for each iteration, appended game by game.

A file opens with one line of JSON, `{"format": "meeple-episodes/1", "game": "connect4"}`. Frames follow, one a game:

      +--------+-------------------------+-----------------------------------------------------------------+
      | length | CRC32, begun with length| body, compressed: numbers, actions, rows, root values, policies |
      | uint32 | uint32                  | `length` bytes                                                  |
      +--------+-------------------------+-----------------------------------------------------------------+

A crash or a full disk costs the last game at most: whatever follows the last whole frame is left out and cut off.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meeple import files
from meeple.errors import RecordError
from meeple.games.game import Game, shown
from meeple.games.rules import DRAWN, FIRST_WON

FORMAT = "meeple-episodes/1"
MAX_HEADER = 4096
FRAME = struct.Struct("<II")
NUMBERS = struct.Struct("<qQqIIIIBB")
OPENS = b'{"format": "meeple-episodes/'
SHARES = 65535
"""A chance of 1 in a packed policy."""

LOG = logging.getLogger(__name__)


class Episode(NamedTuple):
    """A finished game of self-play."""

    number: int
    """Its place in the run."""
    seed: int
    """What its chances were drawn from."""
    iteration: int
    """The version of the network that began it."""
    actions: NDArray[np.int32]
    """The whole game from the start."""
    opening_plies: int
    """How many of the actions nobody chose."""
    result: int
    """As a state has it; perhaps a proven one of a game that was not played to the end."""
    rows: NDArray[np.int32]
    """The plies, ascending, whose positions are to be learned: row 3 is the position after three actions."""
    policies: NDArray[np.float32]
    """For each row the chance of each action, or of none: `[rows, 0]`, where no policy is learned."""
    root_values: NDArray[np.float32]
    """For each row what its search thought it worth for the player to move."""
    is_complete: bool
    """Whether it was played to its real end, so that margin and owners are known."""


class Reading(NamedTuple):
    """What a file has."""

    episodes: list[Episode]
    torn_bytes: int
    """How many bytes after the last whole game were left out."""


class Log:
    """A file of episodes of one game, with one writer at a time."""

    def __init__(self, path: Path, game: Game) -> None:
        self._path = path
        self._game = game
        self._length: int | None = None

    def read(self) -> Reading:
        """The episodes up to the first that is not whole; RecordError where the file is none of this game's."""
        try:
            content = self._path.read_bytes()
        except OSError as error:
            raise RecordError(f"cannot read {self._path}: {error.strerror}") from error
        length, episodes = self._header_length(content), []
        for body in _bodies(content, length):
            episode = _unpack(body, self._game.num_actions)
            if episode is None:
                break
            episodes.append(episode)
            length += FRAME.size + len(body)
        return Reading(episodes, len(content) - length)

    def append(self, episodes: Iterable[Episode]) -> None:
        """Add episodes; RecordError, and none of them added, where the disk is full."""
        frames = b"".join(_frame(_pack(episode)) for episode in episodes)
        try:
            self._path.touch()
            length = self._whole_length() if self._length is None else self._length
            content = frames if length else self._header() + frames
            self._write(length, content)
        except OSError as error:
            raise RecordError(f"{files.unwritable(self._path, error)}; nothing was added to it") from error
        self._length = length + len(content)

    def _write(self, length: int, content: bytes) -> None:
        """Write after the first `length` bytes, or leave only those."""
        with self._path.open("r+b", buffering=0) as file:
            file.truncate(length)
            file.seek(length)
            try:
                while content:
                    content = content[file.write(content) :]
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(length)
                raise

    def _whole_length(self) -> int:
        torn_bytes = self.read().torn_bytes
        if torn_bytes:
            LOG.warning("%s: %d bytes at the end are no whole game and are cut off", self._path, torn_bytes)
        return self._path.stat().st_size - torn_bytes

    def _header(self) -> bytes:
        return json.dumps({"format": FORMAT, "game": self._game.name}).encode() + b"\n"

    def _header_length(self, content: bytes) -> int:
        """0 for a file whose header was cut off; RecordError for a header of something else."""
        header = self._header()
        if content.startswith(header):
            return len(header)
        if header.startswith(content):
            return 0
        line = content[:MAX_HEADER].partition(b"\n")[0]
        if not line.startswith(OPENS):
            raise RecordError(f"{self._path} is not a file of episodes")
        raise RecordError(f"{self._path} is of {shown(line.decode(errors='replace'), 120)}, not {self._game.name}")


def packed_policies(policies: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Chances in steps of one in 65,535, as files and replay keep them."""
    return np.rint(np.asarray(policies, np.float32) * np.float32(SHARES)).astype(np.uint16)


def _frame(body: bytes) -> bytes:
    return FRAME.pack(len(body), _checksum(body)) + body


def _checksum(body: bytes) -> int:
    return zlib.crc32(body, len(body))


def _bodies(content: bytes, start: int) -> Iterator[bytes]:
    """The bodies of whole frames, up to the first that is not."""
    while start and len(content) - start >= FRAME.size:
        length, checksum = FRAME.unpack_from(content, start)
        start += FRAME.size
        body = content[start : start + length]
        if len(body) < length or _checksum(body) != checksum:
            return
        yield body
        start += length


def _pack(episode: Episode) -> bytes:
    policies = packed_policies(episode.policies)
    numbers = NUMBERS.pack(
        episode.number, episode.seed, episode.iteration, len(episode.actions), episode.opening_plies,
        len(episode.rows), policies.shape[1], episode.result, episode.is_complete,
    )  # fmt: skip
    arrays = (
        episode.actions.astype("<i4"), episode.rows.astype("<i4"), episode.root_values.astype("<f4"),
        policies.astype("<u2"),
    )  # fmt: skip
    return zlib.compress(numbers + b"".join(array.tobytes() for array in arrays), 1)


def _unpack(body: bytes, num_actions: int) -> Episode | None:
    """The episode, or None where the body is none of a game with so many actions."""
    try:
        content = zlib.decompress(body)
        number, seed, iteration, plies, opening_plies, rows, width, result, is_complete = NUMBERS.unpack_from(content)
    except (zlib.error, struct.error):
        return None
    size = NUMBERS.size + 4 * plies + 8 * rows + 2 * rows * width
    if len(content) != size or width not in (0, num_actions) or not FIRST_WON <= result <= DRAWN:
        return None
    actions, indices, values, policies = np.split(
        np.frombuffer(content, np.uint8, offset=NUMBERS.size), np.cumsum([4 * plies, 4 * rows, 4 * rows])
    )
    return Episode(
        number=number,
        seed=seed,
        iteration=iteration,
        actions=actions.view("<i4").astype(np.int32),
        opening_plies=opening_plies,
        result=result,
        rows=indices.view("<i4").astype(np.int32),
        policies=policies.view("<u2").astype(np.float32).reshape(rows, width) / np.float32(SHARES),
        root_values=values.view("<f4").astype(np.float32),
        is_complete=bool(is_complete),
    )
