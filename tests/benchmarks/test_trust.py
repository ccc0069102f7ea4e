"""The trust benchmark on a generated problem: learners that keep and break the promise."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from benchmarks.study.problems import Problem
from benchmarks.trust import running
from benchmarks.trust.cells import Cell, cell, paired_z, significant
from benchmarks.trust.learners import TRIED, Learner
from benchmarks.trust.report import area_ratios, must_reach, page_of, worse_cells
from benchmarks.trust.running import run
from benchmarks.trust.trials import Caps, trials_of
from scrimp import BudgetedBoostingClassifier, SequencedClassifier

CAPS = Caps(train=300, test=600, failing=40)


def generated() -> Problem:
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((3_200, 5))
    signal = numbers[:, 0] + 0.7 * numbers[:, 1] + rng.standard_normal(3_200)
    y = (signal > np.quantile(signal, 0.85)).astype(np.int64)
    return Problem("heart", "generated", pl.DataFrame(numbers), y, "binary")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    work = tmp_path_factory.mktemp("trust")
    patch = pytest.MonkeyPatch()
    patch.setitem(running.PROBLEMS, "heart", generated)
    messages: list[str] = []
    sound = Learner("linear", _linear, lambda p: "", answers_without=True)
    vote = Learner("vote", _vote, lambda p: "")
    result = run(["heart"], [sound, vote], CAPS, work, tell=messages.append)
    yield result, work, [sound, vote]
    patch.undo()


def _linear(trial, budget):
    return SequencedClassifier(trial.costs)


def _vote(trial, budget):
    return BudgetedBoostingClassifier(trial.costs, budget, n_rounds=60, combine="vote")


def test_z_is_the_mean_over_its_standard_error():
    differences = np.array([1.0, 0.0, 2.0, 1.0])
    expected = differences.mean() / (differences.std(ddof=1) / 2.0)
    assert paired_z(differences) == pytest.approx(expected)
    assert paired_z(differences, np.arange(4)) == pytest.approx(expected)
    assert paired_z(np.zeros(4)) == 0.0
    repeated, groups = np.repeat(differences, 3), np.repeat(np.arange(4), 3)
    assert paired_z(repeated, groups) == pytest.approx(expected)


def test_equal_answers_that_are_rounded_otherwise_are_equal():
    losses = np.full(100, 0.3)
    assert cell("budget", "", "log loss", losses * (1 + 1e-15), losses).z == 0.0
    assert cell("budget", "", "log loss", losses * 1.01, losses).z > 100.0


def test_significance_is_corrected_for_the_number_of_cells():
    noise = [Cell("budget", "", "wrong", 0.0, 0.0, z) for z in [2.0] * 99]
    assert significant(noise) == []
    defect = Cell("budget", "", "wrong", 1.0, 0.0, 4.0)
    assert significant([*noise, defect]) == [defect]


def test_the_vote_is_found_out_and_the_linear_model_is_not(done):
    results = done[0].results
    assert not done[0].failed
    assert {r.learner for r, _ in worse_cells(results, "owned", "failed")} == {"vote"}
    rows = {row.what: row for row in must_reach(results, {"budget": []})}
    assert rows["random owned sets and failures: worse than the prior"].met is False
    assert rows["fitted once, asked at 13 budgets: worse than the prior"].met is True


def test_areas_compare_one_fit_with_a_fit_per_budget(done):
    linear = next(result for result in done[0].results if result.learner == "linear")
    assert set(area_ratios(linear)) == {"wrong", "log loss"}
    # the same model each time, as its order does not depend on the budget
    assert area_ratios(linear)["log loss"] == pytest.approx(1.0)


def test_the_page_names_what_is_worse(done):
    text = page_of(done[0], CAPS).text
    assert "## Significantly worse: random items owned: against the prior" in text
    assert "| heart | vote |" in text


def test_stored_results_are_used_again(done):
    result, work, learners = done
    again = run(["heart"], learners, CAPS, work, tell=lambda text: None)
    assert [json.dumps(r.areas) for r in again.results] == [
        json.dumps(r.areas) for r in result.results
    ]
    assert again.results[1].cells == result.results[1].cells


def test_all_learners_of_the_registry_are_tried():
    trial = trials_of(generated(), CAPS)[0]
    for learner in TRIED.values():
        if not learner.reason_against(trial.problem):
            model = learner.make(trial, 1.0)
            assert hasattr(model, "fit"), learner.name
