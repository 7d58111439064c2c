"""Players with networks: `net`, `zoo` and `lookahead`."""

import json
import os
import subprocess
import sys
from random import Random

import numpy as np
import pytest

import meeple
from meeple import CheckpointError, PlayerError
from meeple.nets import zoo
from meeple.nets.folder import find, read
from meeple.nets.runtime import NetworkEvaluator
from meeple.play.engines import BATCH
from meeple.play.networks import AnalystPlayer, shared_evaluator
from meeple.play.openings import random_opening
from meeple.search.evaluator import Positions
from reference.networks import GAMES

PLAIN = "runtime=onnxruntime&precision=fp32"
ENGINES = (
    f"net:mine@best?sims=12&{PLAIN}",
    f"net:mine?sims=12&{PLAIN}&engine=puct&noise=0.25&c=1.5&temperature=1&temperature_plies=4",
    f"net:mine?engine=policy&{PLAIN}",
    f"net:mine?engine=policy&{PLAIN}&temperature=1",
    f"lookahead:mine@best?plies=2&{PLAIN}",
)


def positions_of(of, count, seed=1):
    chance = Random(seed)
    most = min(5, of.max_plies - 2)
    return [random_opening(of, chance.randrange(most), chance) for _ in range(count)]


@pytest.mark.parametrize("spec", ENGINES)
@pytest.mark.parametrize("name", GAMES)
def test_every_spec_plays_legal_games_that_repeat(new_run, spec, name):
    new_run(name)
    found = []
    for _ in range(2):
        player, position = meeple.player(spec, name, seed=3), meeple.game(name).start()
        player.begin(4)
        while position.result is None:
            position = position.play(player.choose(position))
        found.append(position.history)
    assert found[0] == found[1]


@pytest.mark.parametrize("spec", ENGINES)
@pytest.mark.parametrize("name", ["go:5", "dots:2"])
def test_many_at_once_choose_as_one_by_one(new_run, spec, name):
    new_run(name)
    positions, seeds = positions_of(meeple.game(name), BATCH + 7), list(range(BATCH + 7))
    player, other = (meeple.player(spec + end, name, seed=1) for end in ("", "&cache=1"))
    together = player.choose_many(positions, seeds)
    apart = [other.choose_many([position], [seed])[0] for position, seed in zip(positions, seeds, strict=True)]
    assert together == apart == other.choose_many(positions[::-1], seeds[::-1])[::-1]
    assert player.choose_many([], []) == []


@pytest.mark.parametrize("spec", ENGINES)
def test_watching_changes_no_move(new_run, spec):
    new_run("connect4:4x5")
    positions, seeds = positions_of(meeple.game("connect4:4x5"), 40), list(range(40))
    unseen, seen = (meeple.player(spec, "connect4:4x5", seed=1) for _ in range(2))
    found = []
    seen.watch(lambda analysis, move: found.append((analysis.position, move)))
    moves = seen.choose_many(positions, seeds)
    assert moves == unseen.choose_many(positions, seeds)
    assert found == list(zip(positions, moves, strict=True))


def test_the_policy_is_that_of_the_network(new_run):
    for name in ("go:5", "connect4:4x5", "hex:4"):
        run, of = new_run(name, name=name.replace(":", "-")), meeple.game(name)
        player = meeple.player(f"net:{run}?engine=policy&cache=0&{PLAIN}", of)
        evaluator = NetworkEvaluator(read(run), of, runtime="onnxruntime", precision="fp32")
        for position in positions_of(of, 6):
            logits, values = evaluator.evaluate(Positions(position.state[np.newaxis], position.planes[np.newaxis]))
            seen = {move: logits[0][of.views[position.to_move][of.action(move)]] for move in position.moves}
            analysis = player.analyse(position)
            assert analysis.value == pytest.approx(values[0])
            assert analysis.move == player.choose(position) == max(seen, key=seen.get)
            total = sum(np.exp(logit) for logit in seen.values())
            assert analysis.policy == pytest.approx({move: np.exp(seen[move]) / total for move in seen}, rel=1e-4)


def test_best_latest_a_step_and_a_file(new_run):
    run = new_run("tictactoe", steps=(1, 2, 5), best=2)
    start = meeple.game("tictactoe").start()

    def policy(reference):
        return meeple.player(f"net:{reference}?engine=policy&{PLAIN}", "tictactoe").analyse(start).policy

    assert policy(run) == policy(f"{run}@best") == policy(f"{run}@2") == policy(find(f"{run}@2"))
    assert policy(f"{run}@latest") == policy(f"{run}@5") != policy(f"{run}@1")


def test_a_network_without_policy_searches_all_the_same(new_run):
    run = new_run("connect4:4x5", "conv value")
    for spec in (f"net:{run}?sims=8&{PLAIN}", f"net:{run}?sims=8&engine=puct&{PLAIN}", f"lookahead:{run}?{PLAIN}"):
        analysis = meeple.player(spec, "connect4:4x5").analyse(meeple.game("connect4:4x5").start())
        assert [candidate.prior for candidate in analysis.candidates] == pytest.approx([0.2] * 5)
    with pytest.raises(PlayerError, match="has values only, no policy; try engine=puct"):
        meeple.player(f"net:{run}?engine=policy&{PLAIN}", "connect4:4x5")


def test_players_share_what_they_know(new_run):
    run, of = new_run("tictactoe"), meeple.game("tictactoe")
    shared = shared_evaluator(find(run), of, runtime="onnxruntime", precision="fp32")
    spec = f"net:{run}?sims=16&{PLAIN}"
    meeple.player(spec, of).choose(of.start())
    assert shared.asked > shared.found
    missed = shared.asked - shared.found
    again = meeple.player(spec, of)
    again.begin(7)
    again.choose(of.start())
    assert shared.asked - shared.found == missed
    assert 0 < shared.found < shared.asked


def test_a_file_that_changed_is_read_again(new_run):
    run, of = new_run("tictactoe", steps=(1, 2)), meeple.game("tictactoe")
    spec, start = f"net:{find(run)}?engine=policy&{PLAIN}", of.start()
    before = meeple.player(spec, of).analyse(start).policy
    find(f"{run}@2").replace(find(f"{run}@1"))
    os.utime(find(f"{run}@1"), ns=(1, 1))
    assert meeple.player(spec, of).analyse(start).policy != before


def test_a_search_may_be_limited_by_time(new_run):
    run, of = new_run("connect4:4x5"), meeple.game("connect4:4x5")
    found = meeple.player(f"net:{run}?engine=puct&time=30ms&memory=16&{PLAIN}", of).analyse(of.start())
    assert found.simulations > 0


def test_the_usual_runtime_is_the_fastest(new_run):
    run, of = new_run("tictactoe"), meeple.game("tictactoe")
    assert meeple.player(f"net:{run}?sims=4", of).choose(of.start()) in of.start().moves


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("net", "'net' needs a run or a file, as in net:runs/mine@best"),
        ("lookahead:?plies=2", "needs a run or a file, as in lookahead:runs/mine@best"),
        ("net:mina@best", "there is no run 'mina'; did you mean mine.$"),
        ("net:mine@7", "mine has no checkpoint '7': best, latest, or a step as 1$"),
        ("net:empty", "empty has no checkpoints yet"),
        ("net:gone.safetensors", "cannot read gone.safetensors: No such file"),
        ("net:mine?simms=3", "has no option 'simms'; did you mean sims"),
        ("net:mine?sims=0", "sims is a whole number from 1"),
        ("net:mine?engine=uct", "engine is gumbel or puct or policy, not 'uct'"),
        ("net:mine?noise=0.25", "noise is for engine=puct, not gumbel"),
        ("net:mine?time=1s", "time is for engine=puct, not gumbel"),
        ("net:mine?engine=puct&considered=4", "considered is for engine=gumbel, not puct"),
        ("net:mine?engine=policy&sims=4", "sims is for engine=gumbel or puct, not policy"),
        ("net:mine?precision=int4", "precision is auto or fp32 or bf16 or int8"),
        ("lookahead:mine?plies=4", "a lookahead is of 1 to 3 plies, not 4"),
        ("lookahead:mine?sims=4", "has no option 'sims'"),
    ],
)
def test_says_what_is_wrong_with_a_spec(new_run, spec, fault):
    new_run("tictactoe")
    new_run("tictactoe", name="empty", steps=())
    with pytest.raises((PlayerError, CheckpointError), match=fault):
        meeple.player(spec, "tictactoe")


@pytest.mark.parametrize("kind", ["net", "lookahead"])
def test_a_network_of_another_game_is_refused(new_run, kind):
    run = new_run("hex:4")
    with pytest.raises(CheckpointError, match="this network plays hex:4, not tictactoe"):
        meeple.player(f"{kind}:{run}?{PLAIN}", "tictactoe")
    with pytest.raises(CheckpointError, match="plays hex:4 at no other size, so not hex:5"):
        meeple.player(f"{kind}:{run}?{PLAIN}", "hex:5")


def test_the_zoo(new_run, tmp_path, monkeypatch):
    monkeypatch.setattr(zoo, "FOLDER", tmp_path / "zoo")
    with pytest.raises(CheckpointError, match="no network for hex:4 comes with the package; there are none"):
        meeple.player("zoo", "hex:4")
    run = new_run("hex:4")
    (tmp_path / "zoo").mkdir()
    find(run).rename(tmp_path / "zoo" / "hex-4.safetensors")
    assert zoo.names() == ["hex-4"]
    start = meeple.game("hex:4").start()
    moves = {meeple.player(f"{spec}?{PLAIN}", "hex:4").choose(start) for spec in ("zoo", "zoo:hex-4", "zoo:hex:4")}
    assert len(moves) == 1
    for spec, game, fault in (
        ("zoo", "tictactoe", "no network for tictactoe comes with the package; there are hex-4"),
        ("zoo:hex-5", "hex:4", "comes with the package as 'hex-5'; did you mean hex-4"),
        ("zoo:go", "hex:4", "comes with the package as 'go'; there are hex-4"),
        ("zoo:hex-4", "go:5", "this network plays hex:4, not go:5"),
    ):
        with pytest.raises(CheckpointError, match=fault):
            meeple.player(spec, game)


def test_matches_proofs_and_replays(new_run):
    run, of = new_run("tictactoe"), meeple.game("tictactoe")
    specs = f"net:{run}?sims=8&temperature=1&{PLAIN}", f"lookahead:{run}?plies=2&{PLAIN}"
    many, few = (meeple.match(*specs, of, 12, opening_plies=1, parallel=parallel) for parallel in (64, 3))
    assert [played.end.history for played in many.games] == [played.end.history for played in few.games]
    proof = meeple.prove(specs[0], of)
    assert proof.complete


def test_networks_are_loaded_only_when_they_are_asked_for():
    """They take longer to import than searches."""
    program = "import sys, json, meeple.play.players; print(json.dumps([*sys.modules]))"
    loaded = set(json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout))
    assert loaded.isdisjoint({"pydantic", "onnx", "safetensors", "meeple.play.networks"})


def test_a_lookahead_is_a_player_like_others(new_run):
    run = new_run("dots:2")
    player = meeple.player(f"lookahead:{run}?{PLAIN}", "dots:2", seed=1)
    assert isinstance(player, AnalystPlayer)
    player.begin(3)
    assert player.analyse(meeple.game("dots:2").start()).move in meeple.game("dots:2").start().moves
