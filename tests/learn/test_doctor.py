"""The doctor finds every fault in numbers that have it, and nothing in those of healthy runs."""

import math

import pytest

from meeple.learn.doctor import LOOKS, findings
from meeple.learn.recipes import load
from reference.metrics import row, rows

PLAIN = load("fast", "connect4", ["self_play.random_plies=0"])
RESIGNING = load("fast", "connect4", ["self_play.resign_below=-0.9"])
LOOKAHEAD = load("fast", "connect4", ["search.engine=lookahead", "network.policy_head=none"])

ILL = {
    "loss-not-finite": (1, {"value_loss": math.nan}),
    "window-not-filling": (6, {"window_share": 0.4, "window_positions": lambda number: 12_000 + 100 * number}),
    "few-distinct-games": (4, {"distinct_games": 0.1}),
    "policy-collapsed": (4, {"policy_entropy": 0.03, "target_entropy": 0.05}),
    "policy-not-falling": (15, {"policy_entropy": 1.9, "target_entropy": 1.2}),
    "value-saturated": (4, {"value_saturation": 0.99, "value_correlation": 0.1}),
    "one-result": (4, {"first_won": 0.0, "second_won": 0.002, "drawn": 0.998}),
    "gate-never-passed": (6, {"gate_score": 0.48, "gate_passed": False}),
    "learning-slow": (5, {"learning_s": 300.0}),
    "evaluation-slow": (5, {"learning_s": 0.01}),
    "gate-slow": (5, {"gate_s": 100.0}),
    "resigns-wrongly": (7, {"resigned": 0.5, "resigned_wrongly": lambda number: 0.2 * (number % 2)}),
}
"""For each fault how many iterations with which numbers have it."""

WELL = {
    "a window that is full": {"window_share": 1.0, "window_positions": 30_000},
    "a window of games, full while games grow shorter": {
        "window_share": 1.0,
        "window_positions": lambda number: 30_000 - 100 * number,
    },
    "a large window that fills slowly": {
        "window_share": lambda number: 0.001 * number,
        "window_positions": lambda number: 2_000 * number,
    },
    "a game that is understood": {
        "value_saturation": 0.97,
        "value_correlation": 0.95,
        "policy_entropy": lambda number: max(1.8 - 0.1 * number, 0.05),
        "target_entropy": lambda number: max(1.7 - 0.1 * number, 0.04),
    },
    "short games that repeat themselves": {"plies": 8.0, "distinct_games": 0.1},
    "a gate that is passed now and then": {"gate_score": 0.5, "gate_passed": lambda number: number % 7 == 3},
    "a gate that was passed once": {"gate_score": 0.5, "gate_passed": lambda number: number == 2},
    "a gate that was not asked yet": {"gate_passed": lambda number: False if number < 4 else None},
    "giving up that was once wrong": {"resigned_wrongly": lambda number: 0.5 if number == 9 else 0.01},
    "little time": {"self_play_s": 0.1, "learning_s": 5.0},
    "much time for the first games only": {"self_play_s": lambda number: 5_000.0 if number == 1 else 20.0},
    "many simulations": {"self_play_s": 900.0},
    "a first player who wins nearly always": {"first_won": 0.97, "second_won": 0.03, "drawn": 0.0},
    "policies of searches that are sharper": {"target_entropy": lambda number: 1.3 - 0.01 * number},
}


def names(metrics, recipe):
    return [finding.name for finding in findings(metrics, recipe)]


@pytest.mark.parametrize("fault", ILL)
def test_finds_a_fault(fault):
    count, changes = ILL[fault]
    (found,) = findings(rows(count, **changes), RESIGNING)
    assert found.name == fault
    assert found.line == f"{found.text}: {found.remedy}"
    assert "\n" not in found.line
    assert len(found.line) < 200
    assert found.evidence
    assert all(isinstance(number, float | int) for number in found.evidence.values())


def test_there_is_a_fault_for_every_look():
    assert len(ILL) == len(LOOKS)


@pytest.mark.parametrize("fault", ILL)
def test_a_young_run_has_no_fault_that_takes_time_to_show(fault):
    _, changes = ILL[fault]
    for count in (1, 2):
        assert names(rows(count, **changes), RESIGNING) == (["loss-not-finite"] if fault == "loss-not-finite" else [])


@pytest.mark.parametrize("fault", sorted(ILL.keys() - {"loss-not-finite", "gate-never-passed", "resigns-wrongly"}))
def test_one_odd_iteration_is_no_fault(fault):
    count, changes = ILL[fault]
    odd = rows(count, **changes)[-1]
    healthy = rows(20)
    assert names([*healthy[: count - 1], odd, *healthy[count:]], RESIGNING) == []


@pytest.mark.parametrize("length", [0, 1, 2, 5, 20, 60, 300])
@pytest.mark.parametrize("recipe", [PLAIN, RESIGNING, LOOKAHEAD])
def test_a_healthy_run_has_no_fault(recipe, length):
    assert names(rows(length), recipe) == []


@pytest.mark.parametrize("what", WELL)
@pytest.mark.parametrize("length", [1, 3, 12, 40])
def test_what_only_looks_like_a_fault_is_none(what, length):
    assert names(rows(length, **WELL[what]), RESIGNING) == []


def test_a_policy_may_be_sure_later_if_searches_are():
    sure = rows(30, policy_entropy=lambda number: 1.5 if number < 20 else 0.05)
    assert names([one.__class__(**{**vars(one), "target_entropy": 0.06}) for one in sure], PLAIN) == []
    assert "policy-collapsed" in names(sure, PLAIN)


def test_without_a_policy_there_is_nothing_wrong_with_it():
    numbers = {"policy_loss": math.nan, "policy_entropy": 0.0, "target_entropy": 0.0}
    assert names(rows(20, **numbers), LOOKAHEAD) == []
    assert "loss-not-finite" in names(rows(20, **numbers), PLAIN)


@pytest.mark.parametrize("result", ["first_won", "second_won", "drawn"])
def test_a_run_that_once_had_other_results_may_have_learned_so(result):
    others = {"first_won": 0.0, "second_won": 0.0, "drawn": 0.0}
    late = [row(number, **{**others, result: 1.0}) for number in range(11, 15)]
    assert names([*rows(10), *late], PLAIN) == []
    late.append(row(15, **{**others, result: 1.0}))
    assert names([*rows(10), *late], PLAIN) == ["one-result"]
    varied = load("fast", "connect4", ["self_play.random_plies=4"])
    assert names([*rows(10), *late], varied) == []


def test_the_amount_of_learning_is_named_as_in_the_recipe():
    for change, name in (("reuse=8", "reuse"), ("steps=900", "steps"), ("epochs=10", "epochs")):
        recipe = load("fast", "connect4", ["learner.reuse=none", f"learner.{change}"])
        (found,) = findings(rows(5, learning_s=300.0), recipe)
        assert f"lower learner.{name} " in found.remedy
