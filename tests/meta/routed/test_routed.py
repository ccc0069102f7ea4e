"""Trees of models: what they find, what they promise, and when they leave rows together."""

import numpy as np
import pandas as pd
import pytest

from scrimp import FrontierClassifier, RoutedClassifier, RoutedRegressor, load, save
from scrimp.checks.driving import feed
from scrimp.plans import RoutedPlan

from .tables import context, priced

OPTIONS = {"learners": ["boosted"], "cv": 2, "n_jobs": 1}
X, Y = context(3_000)
TRAIN, TEST = slice(0, 1_000), slice(1_000, None)
COSTS = priced(X)
BUDGET = 4.0  # the context, two columns and the fee


def routed_plan(model):
    """Return the routed plan of a menu's last entry, without its calibration."""
    last = model.plan_.plan.outline.entries[-1]
    return getattr(last, "inner", last)


@pytest.fixture(scope="module")
def model():
    return RoutedClassifier(COSTS, BUDGET, **OPTIONS).fit(X[TRAIN], Y[TRAIN])


def test_a_core_that_alone_tells_nothing_is_bought_first(model):
    assert model.routed_[-1]
    plan = routed_plan(model)
    assert isinstance(plan, RoutedPlan)
    assert plan.nodes.column[0] == 0
    fixed = FrontierClassifier(COSTS, [BUDGET], ["boosted"], cv=2, n_jobs=1)
    fixed.fit(X[TRAIN], Y[TRAIN])
    errors = 1 - model.score(X[TEST], Y[TEST]), 1 - fixed.score(X[TEST], Y[TEST])
    assert errors[0] < 0.5 * errors[1]


def test_no_row_spends_more_than_its_budget(model):
    for budget in (0.0, 0.9, 1.0, 2.5, 3.0, BUDGET, 9.0):
        assert model.spend(X[TEST], budget).max() <= min(budget, BUDGET)


def test_sessions_are_as_the_batch(model):
    rows, names = X[TEST][:12], [model.columns_.name(i) for i in range(X.shape[1])]
    batch, spent = model.predict_proba(rows), model.spend(rows)
    for row, expected, paid in zip(rows, batch, spent, strict=True):
        session = feed(model.session(), row, names)
        np.testing.assert_allclose(session.read().probabilities, expected)
        assert session.spent == pytest.approx(paid)


def test_regions_buy_different_items(model):
    plan = routed_plan(model)
    bought = [plan.stages.items[node] for node in plan.models]
    assert len(set(bought)) == 3


def test_a_smaller_budget_and_owned_or_failed_items_do_not_hurt(model):
    prior = np.mean(Y[TEST] != np.bincount(Y[TRAIN]).argmax())
    asked = [{"budget": b} for b in (0.0, 1.0, 2.0, 3.0)]
    asked += [{"failed": np.arange(len(COSTS.names)) == i} for i in range(3)]
    asked += [{"budget": 2.0, "owned": np.arange(len(COSTS.names)) == i} for i in range(3)]
    for options in asked:
        errors = np.mean(model.predict(X[TEST], **options) != Y[TEST])
        assert errors <= prior + 0.03, options


def test_a_file_gives_the_same_answers(model, tmp_path):
    save(model, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    for budget in (1.0, BUDGET):
        one, two = model.predict_proba(X[TEST], budget), loaded.predict_proba(X[TEST], budget)
        np.testing.assert_array_equal(one, two)


def test_rows_stay_together_where_all_need_the_same():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(600, 6))
    y = (table[:, 0] + table[:, 1] + rng.normal(size=600) > 0).astype(int)
    model = RoutedClassifier(budget=[2.0], **OPTIONS).fit(table, y)
    assert not any(model.routed_)


def test_numbers_categories_missing_values_and_weights():
    rng = np.random.default_rng(2)
    n = 1_200
    kind = rng.choice(["left", "right"], n)
    a, b = rng.normal(size=(2, n))
    y = np.where(kind == "left", a, b) + 0.1 * rng.normal(size=n)
    frame = pd.DataFrame({"kind": kind, "a": a, "b": b, "noise": rng.normal(size=n)})
    frame.loc[::50, ["kind", "a"]] = None
    weights = rng.uniform(0.5, 1.5, n)
    weights[:10] = 0.0
    model = RoutedRegressor(budget=2.0, **OPTIONS).fit(frame[:700], y[:700], weights[:700])
    assert model.routed_[-1]
    assert model.score(frame[700:], y[700:]) > 0.8
    nothing = pd.DataFrame({name: [None] * 2 for name in frame}).astype(frame.dtypes)
    assert np.isfinite(model.predict(nothing)).all()


def test_parameters_that_cannot_be_followed_are_named():
    with pytest.raises(ValueError, match="max_levels is 4; expected a whole number >= 1 and <= 3"):
        RoutedClassifier(max_levels=4).fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="expected 'auto' or some of"):
        RoutedClassifier(learners=["tree"]).fit(X[:50], Y[:50])


def test_a_short_time_still_gives_answers():
    with pytest.warns(UserWarning, match="was over before"):
        model = RoutedClassifier(budget=3.0, max_seconds=0.01).fit(X[TRAIN], Y[TRAIN])
    assert model.predict(X[TEST]).shape == Y[TEST].shape
