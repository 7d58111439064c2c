"""The table of metrics: what is written is read again, and what was cut off is not."""

import math
import os
import struct
import sys
from dataclasses import asdict

import pytest

from meeple.errors import RunError
from meeple.learn.events import Began
from meeple.learn.metrics import COLUMNS, NAME, Table
from meeple.learn.recipes import load
from reference.metrics import row, rows


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path / NAME)


def filled(table, count):
    written = rows(count)
    for one in written:
        table.append(one)
    return written


def test_a_file_that_is_not_there_has_no_rows(table, tmp_path):
    assert table.rows == []
    table.cut(3)
    assert list(tmp_path.iterdir()) == []


def test_rows_are_read_as_they_were_written(table):
    written = [
        row(1, policy_loss=1 / 3, learning_rate=1e-17, value_loss=123456789.123456789),
        row(2, resigned_wrongly=0.1, gate_score=0.55, gate_passed=True),
        row(3, resigned_wrongly=0.0, gate_score=0.0, gate_passed=False),
        row(4, policy_loss=math.inf),
    ]
    for count, one in enumerate(written, 1):
        table.append(one)
        assert table.rows == written[:count]
    table.append(row(5, policy_loss=math.nan))
    assert math.isnan(table.rows[4].policy_loss)


def test_other_programs_can_read_it(table, tmp_path):
    filled(table, 2)
    head, first, second = (tmp_path / NAME).read_text().splitlines()
    assert head.split(",") == COLUMNS == list(asdict(row()))
    assert (first.split(",")[0], second.split(",")[0]) == ("1", "2")
    assert first.endswith(",,,")


def test_a_row_that_was_cut_off_anywhere_is_not_read_and_cut_away(table, tmp_path):
    written = filled(table, 2)
    whole = (tmp_path / NAME).read_bytes()
    lines = whole.splitlines(keepends=True)
    for length in range(len(whole)):
        (tmp_path / NAME).write_bytes(whole[:length])
        count = sum(length >= len(b"".join(lines[: number + 1])) for number in (1, 2))
        assert table.rows == written[:count], length
    for length in (0, 1, len(lines[0]) - 1, len(lines[0]), len(whole) - 2):
        (tmp_path / NAME).write_bytes(whole[:length])
        table.cut(2)
        known = table.rows
        table.append(row(9))
        assert table.rows == [*known, row(9)]


@pytest.mark.parametrize("end", [b"\0" * 40, b"\xff\xfe,1\n", b"1,2,3\n", b"x" + b"," * (len(COLUMNS) - 1) + b"\n"])
def test_what_is_no_row_ends_the_table(table, tmp_path, end):
    written = filled(table, 2)
    with (tmp_path / NAME).open("ab") as file:
        file.write(end)
    assert table.rows == written
    table.cut(2)
    table.append(row(3))
    assert table.rows == [*written, row(3)]


def test_rows_of_iterations_that_are_done_again_are_dropped(table, tmp_path):
    written = filled(table, 5)
    table.cut(3)
    assert table.rows == written[:3]
    table.cut(0)
    assert table.rows == []
    filled(table, 2)
    assert table.rows == written[:2]
    assert [entry.name for entry in tmp_path.iterdir()] == [NAME]


def test_something_else_is_refused(table, tmp_path):
    (tmp_path / NAME).write_text("a,b\n1,2\n")
    for attempt in (lambda: table.rows, lambda: table.cut(1)):
        with pytest.raises(RunError, match="no table of metrics"):
            attempt()


@pytest.mark.skipif(sys.platform != "linux", reason="there is no file that is always full")
def test_a_full_disk_is_told(tmp_path, monkeypatch):
    full = OSError(28, os.strerror(28))
    table = Table(tmp_path / NAME)
    written = filled(table, 2)
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(full))
    for attempt in (lambda: table.append(row(3)), lambda: table.cut(1)):
        with pytest.raises(RunError, match="No space left on device; make room"):
            attempt()
    monkeypatch.undo()
    assert table.rows == written
    assert [entry.name for entry in tmp_path.iterdir()] == [NAME]


def began(folder, iteration):
    recipe, numbers = load("fast", "connect4"), {"memory_mb": 1, "disk_mb": 1, "threads": 1}
    return Began(run=folder, recipe=recipe, iteration=iteration, runtime="onnxruntime fp32", **numbers)


def test_tensorboard_gets_every_number(tmp_path):
    tensorboard = pytest.importorskip("meeple.learn.tensorboard")
    board = tensorboard.TensorBoard()
    board(began(tmp_path, 2))
    board(row(3, gate_passed=True))
    board.close()
    (file,) = (tmp_path / "events").iterdir()
    version, start, *scalars = events_in(file.read_bytes(), tensorboard.event_pb2.Event)
    assert version.file_version == "brain.Event:2"
    assert (start.step, start.session_log.status) == (3, start.session_log.START)
    heard = {one.summary.value[0].tag.rpartition("/")[2]: one.summary.value[0].simple_value for one in scalars}
    expected = {name: value for name, value in asdict(row(3, gate_passed=True)).items() if value is not None}
    del expected["iteration"]
    assert heard == pytest.approx({name: float(value) for name, value in expected.items()})
    assert {one.step for one in scalars} == {3}
    grouped = [name for names in tensorboard.GROUPS.values() for name in names]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) <= set(COLUMNS)


def events_in(content, kind):
    """The events of a file: each has its length and a checksum before it, and another checksum after it."""
    while content:
        (length,) = struct.unpack_from("<Q", content)
        yield kind.FromString(content[12 : 12 + length])
        content = content[16 + length :]


def test_tensorboard_on_a_full_disk(tmp_path, monkeypatch):
    """It tells, once, and neither waits for ever nor hides the error of the run."""
    tensorboard = pytest.importorskip("meeple.learn.tensorboard")
    board = tensorboard.TensorBoard()
    board(began(tmp_path, 0))
    full = OSError(28, os.strerror(28))
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(full))
    with pytest.raises(RunError, match=r"cannot write .*events: No space left on device; make room"):
        board(row(1))
    board(row(2))
    board.close()
    with pytest.raises(RunError, match="cannot write"):
        board(began(tmp_path / "none", 0))
