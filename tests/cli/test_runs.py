"""`meeple runs` and `meeple doctor`."""

import json

import pytest

from meeple.learn import recipes
from meeple.learn.metrics import NAME, Table
from meeple.learn.storage import Folder, State
from reference.metrics import row, rows


@pytest.fixture
def make(tmp_path):
    """Makes the folder of a run after some iterations, with a file in place of a network."""

    def make(name="runs/first", metrics=(), game="connect4", *changes):
        folder = tmp_path / name
        files = Folder(folder)
        files.create(recipes.load("fast", game, changes))
        for one in metrics:
            Table(folder / NAME).append(one)
        if metrics:
            last = metrics[-1]
            counts = {name: getattr(last, name) for name in ("iteration", "step", "games", "positions", "minutes")}
            files.save(State(**counts), {})
            (folder / "checkpoints").mkdir()
            (folder / "checkpoints" / f"{last.step:08d}.safetensors").touch()
        files.release()
        return folder

    return make


def listed(meeple, folder):
    return json.loads(meeple("runs", str(folder), "--json").out)


def test_a_run_with_its_state(meeple, make, tmp_path):
    folder = make(metrics=rows(3))
    (found,) = listed(meeple, tmp_path / "runs")
    best = str(folder / "checkpoints/00000600.safetensors")
    assert found == {
        "run": str(folder), "game": "connect4", "recipe": "fast", "state": "stopped", "iteration": 3, "step": 600,
        "games": 1500, "positions": 30_000, "minutes": 1.5, "checkpoint": best, "policy_loss": row(3).policy_loss,
        "value_loss": row(3).value_loss, "fault": None,
    }  # fmt: skip
    code, out, err = meeple("runs", str(tmp_path / "runs"))
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split()[:8] == [str(folder), "connect4", "fast", "stopped", "3", "600", "1,500", "1.5"]
    assert out.splitlines()[1].endswith(" 00000600.safetensors")


def test_a_run_that_has_just_begun(meeple, make, tmp_path):
    make()
    (found,) = listed(meeple, tmp_path / "runs")
    assert (found["iteration"], found["checkpoint"], found["policy_loss"]) == (0, None, None)
    assert meeple("runs", str(tmp_path / "runs")).out.splitlines()[1].split()[-2:] == ["-", "-"]


def test_a_run_that_some_process_works_on(meeple, make, tmp_path):
    files = Folder(make())
    files.lock()
    assert [one["state"] for one in listed(meeple, tmp_path / "runs")] == ["running"]
    files.release()
    assert [one["state"] for one in listed(meeple, tmp_path / "runs")] == ["stopped"]


def test_runs_stand_in_order_and_nothing_else_is_one(meeple, make, tmp_path):
    make("runs/b")
    make("runs/a", (), "hex:6")
    (tmp_path / "runs/c").mkdir()
    (tmp_path / "runs/notes.txt").touch()
    assert [one["game"] for one in listed(meeple, tmp_path / "runs")] == ["hex:6", "connect4"]
    assert [one["game"] for one in listed(meeple, tmp_path / "runs/a")] == ["hex:6"]


def test_a_damaged_run_does_not_hide_the_others(meeple, make, tmp_path):
    make("runs/a", rows(1))
    (make("runs/b", rows(1)) / "state.safetensors").write_bytes(b"\0" * 100)
    (make("runs/c") / "recipe.toml").write_text("name = ")
    states = [one["state"] for one in listed(meeple, tmp_path / "runs")]
    assert states == ["stopped", "damaged", "damaged"]
    code, out, err = meeple("runs", str(tmp_path / "runs"))
    assert (code, err) == (0, "")
    assert "state.safetensors is damaged" in out
    assert "cannot read" in out


def test_without_runs(meeple, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert meeple("runs") == (0, "no runs in runs\n", "")
    assert meeple("runs", "--json") == (0, "[]\n", "")


def test_the_doctor_of_a_healthy_run(meeple, make):
    folder = str(make(metrics=rows(12)))
    assert meeple("doctor", folder) == (0, "nothing is wrong after 12 iterations\n", "")
    assert meeple("doctor", folder, "--json") == (0, "[]\n", "")
    assert meeple("doctor", str(make("runs/new"))).out == "nothing is wrong after 0 iterations\n"


def test_the_doctor_names_faults_and_remedies(meeple, make):
    folder = str(make(metrics=rows(6, gate_passed=False, gate_score=0.4, distinct_games=0.1)))
    code, out, err = meeple("doctor", folder)
    assert (code, err) == (1, "")
    first, second = out.splitlines()
    assert first.startswith("few-distinct-games: only 10% of the games ")
    assert second.startswith("gate-never-passed: none of 6 new networks passed the gate")
    code, out, err = meeple("doctor", folder, "--json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert [one["name"] for one in found] == ["few-distinct-games", "gate-never-passed"]
    assert found[1]["evidence"] == {"gates": 6, "best_score": 0.4}
    assert found[1]["line"] == f"{found[1]['text']}: {found[1]['remedy']}"
