"""`meeple export`, and the verbs that play with networks."""

import importlib.util
import json

import numpy as np
import onnx
import pytest

import meeple as package
from meeple.cli import export as verb
from meeple.nets import zoo
from meeple.nets.calibration import random_planes, session
from meeple.nets.checkpoint import Card
from meeple.nets.folder import find, read
from meeple.nets.torch_runtime import TorchEvaluator
from meeple.search.evaluator import Positions

NET = "net:mine@best?sims=4&runtime=onnxruntime&precision=fp32"


def test_as_json(meeple, new_run):
    new_run("connect4:4x5", name="mine")
    code, out, err = meeple("export", "mine@best", "--onnx", "four.onnx", "--json")
    found = json.loads(out)
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert found.keys() == {"file", "inputs", "outputs", "max_error"}
    assert found["file"] == "four.onnx"
    planes = package.game("connect4:4x5").shape
    assert found["inputs"] == [{"name": "planes", "shape": ["n", *planes]}]
    assert found["outputs"] == [{"name": "logits", "shape": ["n", 5]}, {"name": "value", "shape": ["n"]}]
    assert 0 <= found["max_error"] < 1e-4


def test_other_programs_can_run_the_file_and_read_its_card(meeple, new_run):
    new_run("tictactoe", name="mine")
    assert meeple("export", "mine", "--onnx", "three.onnx").code == 0
    model, of = onnx.load("three.onnx"), package.game("tictactoe")
    onnx.checker.check_model(model, full_check=True)
    card = next(entry.value for entry in model.metadata_props if entry.key == "meeple")
    assert Card.model_validate_json(card) == read("mine").card
    planes = random_planes(of, 7, seed=3)
    logits, values = session(model).run(["logits", "value"], {"planes": planes})
    expected = TorchEvaluator(read("mine"), of).evaluate(Positions(np.zeros((7, of.num_words), np.uint64), planes))
    np.testing.assert_allclose(logits, expected.logits, atol=1e-4)
    np.testing.assert_allclose(values, expected.values, atol=1e-4)


def test_in_words(meeple, new_run):
    new_run("tictactoe", kind="conv value", name="mine")
    code, out, err = meeple("export", "mine@1", "--onnx", "three.onnx")
    assert (code, err) == (0, "")
    assert out.startswith("three.onnx: planes [n, 2, 3, 3] -> value [n]\nits numbers are within ")
    assert out.endswith(" of the reference on 256 positions\n")


def test_without_pytorch(meeple, new_run, monkeypatch):
    new_run("tictactoe", name="mine")
    monkeypatch.setattr(verb, "find_spec", lambda name: None if name == "torch" else importlib.util.find_spec(name))
    found = json.loads(meeple("export", "mine", "--onnx", "three.onnx", "--json").out)
    assert found["max_error"] < 1e-4


def test_a_network_of_the_zoo_for_another_size(meeple, new_run, tmp_path, monkeypatch):
    monkeypatch.setattr(zoo, "FOLDER", tmp_path)
    find(new_run("hex:4", kind="any size", name="mine")).rename(tmp_path / "hex-4.safetensors")
    done = meeple("export", "zoo:hex-4", "--onnx", "hex.onnx", "--game", "hex:6", "--json")
    assert json.loads(done.out)["inputs"][0]["shape"][-2:] == [*package.game("hex:6").shape[1:]]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("export", "other", "--onnx", "a.onnx"), "error: there is no run 'other'"),
        (("export", "mine@3", "--onnx", "a.onnx"), "error: mine has no checkpoint '3'"),
        (("export", "mine", "--onnx", "no/folder/a.onnx"), "error: cannot write no/folder/a.onnx: No such file"),
        (("export", "mine", "--onnx", "a.onnx", "--game", "go:5"), "error: this network plays tictactoe, not go:5"),
        (("export", "zoo:none-such", "--onnx", "a.onnx"), "error: no network comes with the package as 'none-such'"),
        (("export", "mine"), "error: Missing option '--onnx'"),
        (("match", "net:other", "random", "--game", "tictactoe"), "error: there is no run 'other'"),
        (("play", "hex:4", "--against", NET), "error: this network plays tictactoe, not hex:4"),
    ],
)
def test_mistakes_are_one_line(meeple, new_run, words, fault):
    new_run("tictactoe", name="mine")
    code, out, err = meeple(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(fault)


def test_a_network_plays_a_match_that_can_be_replayed(meeple, new_run):
    new_run("tictactoe", name="mine")
    words = "match", NET, "lookahead:mine", "--game", "tictactoe", "--games", "6", "--opening-plies", "1"
    code, out, err = meeple(*words, "--save", "games.jsonl", "--dump", "searches.txt", "--json")
    assert (code, err, json.loads(out)["games"]) == (0, "", 6)
    assert meeple("replay", "games.jsonl").code == 0


def test_a_network_is_tried_against_every_reply(meeple, new_run):
    new_run("tictactoe", name="mine")
    done = meeple("prove", NET, "--game", "tictactoe", "--json")
    assert json.loads(done.out)["complete"] is True


def test_a_network_plays_a_person_and_says_why(meeple, new_run):
    new_run("tictactoe", name="mine")
    words = "play", "tictactoe", "--side", "second", "--against", NET, "--adviser", "net:mine?engine=policy"
    code, out, err = meeple(*words, stdin="why\nhint\nquit\n")
    assert (code, err) == (0, "")
    assert "4 simulations; expects" in out
    assert "1 simulations; expects" in out
