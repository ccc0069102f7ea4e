"""Early exits in one call: the answers and the spend of rows that are driven stage by stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scrimp.costs.costs import Costs
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.plans import Block, BlocksPlan
from scrimp.plans.contract import StageTable
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.exit_rules import answer_with_exits, exit_rule
from scrimp.runtime.predictor import Predictor
from scrimp.runtime.replay import replay_rows

N_ROWS, NAMES = 700, ("x0", "x1", "x2", "x3")


def predictor(outputs=3, **options):
    """Four blocks, of which the second has no exit and the last is free."""
    rng = np.random.default_rng(outputs)

    def block(columns, before, has_exit):
        way_out = (rng.normal(size=(5, outputs)), rng.normal(size=outputs)) if has_exit else None
        shapes = (before, 5), (len(columns), 5), (5,)
        return Block(np.array(columns, dtype=int), *(rng.normal(size=s) for s in shapes), way_out)

    blocks = [block([0], 0, True), block([1], 5, False), block([2, 3], 5, True), block([], 5, True)]
    stages = StageTable(((0,), (1, 2, 3), (2, 3), ()))
    plan = BlocksPlan(stages, blocks, rng.normal(size=outputs))
    kind = {1: "binary", 3: "multiclass"}[outputs]
    target = Target(kind, np.arange(max(outputs, 2)), **options)
    costs = Costs.per_feature(dict(zip(NAMES, [1.0, 2.0, 0.0, 0.7], strict=True)))
    priced = PricedPlan(plan, costs.bind(len(NAMES), NAMES))
    return Predictor(priced, Columns(NAMES, (None,) * len(NAMES)), target, {})


def table(seed=0):
    return np.random.default_rng(seed).normal(size=(N_ROWS, len(NAMES)))


TARGETS = {
    "confidence": {"confidence": 0.7},
    "always sure": {"confidence": 0.0},
    "levels": {"exits": np.array([[1.0, 0.8], [3.0, 0.6]])},
    "costs of errors": {
        "confidence": 0.6,
        "error_costs": np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]),
    },
}


@pytest.mark.parametrize("budget", [np.inf, 3.7, 1.0])
@pytest.mark.parametrize("stop", [None, "confident"])
@pytest.mark.parametrize("name", TARGETS)
def test_rows_leave_as_if_they_were_driven(name, stop, budget):
    model, X = predictor(**TARGETS[name]), table()
    scores, spent = model.answer(X, budget, stop=stop)
    expected = replay_rows(model.plan, model.target, X, np.full(N_ROWS, budget), stop=stop)
    np.testing.assert_array_equal(scores, expected[0])
    np.testing.assert_array_equal(spent, expected[1])
    if name == "confidence" and stop and budget > 3:
        assert len(set(spent.tolist())) > 1


def test_sessions_agree():
    model, X = predictor(1, confidence=0.7), table()[:20]
    scores, spent = model.answer(X, stop="confident")
    for row in range(len(X)):
        session = model.session(stop="confident")
        while (request := session.ask()) is not None:
            session.tell({name: X[row, NAMES.index(name)] for name in request.columns})
        assert session.spent == spent[row]
        np.testing.assert_array_equal(session.read().scores, scores[row])


def test_a_value_that_is_not_finite_is_named_where_it_is_bought():
    model, X = predictor(confidence=0.7), table()
    X[600, 1] = np.nan
    with pytest.raises(ValueError, match="was bought and holds NaN"):
        model.predict(X)
    assert np.isfinite(model.answer(X, 1.0)[0]).all()


def test_what_must_be_checked_is_left_to_the_driver():
    model, X = predictor(confidence=0.7), table()
    given = model.plan, model.columns, model.target
    assert answer_with_exits(*given, X, None, None) is not None
    assert answer_with_exits(*given, X.tolist(), None, None) is None
    assert answer_with_exits(*given, X[:, :3], None, None) is None
    assert answer_with_exits(*given, X, np.full(N_ROWS, 1.0), None) is None
    assert answer_with_exits(*given, X, 0.5, None) is None
    assert answer_with_exits(*given, X, -1.0, None) is None
    assert answer_with_exits(*given, X, None, "certain") is None


def test_rules_are_kept_for_one_target():
    model = predictor(confidence=0.7)
    one = exit_rule(model.plan, model.target, np.inf, "confident")
    assert exit_rule(model.plan, model.target, np.inf, "confident") is one
    np.testing.assert_array_equal(one.thresholds, [0.7, 0.7, np.inf, np.inf])
    other = replace(model.target, confidence=0.9)
    assert exit_rule(model.plan, other, np.inf, "confident").thresholds[0] == 0.9
