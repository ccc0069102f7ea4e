"""Items that cannot be had: the menu goes on with the rest, in batches and in sessions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from scrimp import FrontierClassifier, FrontierRegressor, load, save

from .tables import COSTS, response, table

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

NAMES = [f"x{i}" for i in range(6)]


def frames(n=1500):
    """Six columns by name and the signal, for training and for testing."""
    X, signal = table(n, missing=0.0)
    return pd.DataFrame(X[:600], columns=NAMES), pd.DataFrame(X[600:], columns=NAMES), signal


@pytest.fixture(scope="module")
def crowded():
    """A cheap and a dear entry; what the dear one costs without one item the cheap one may pay."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(900, 6)), columns=NAMES)
    y = X.to_numpy() @ [1.0, 0.9, 3.0, 0.8, 0.7, 0.0] + 0.1 * rng.normal(size=900)
    prices = dict(zip(NAMES, [1.0, 1.0, 4.0, 1.0, 1.0, 1.0], strict=True))
    model = FrontierRegressor(prices, [1.0, 2.0, 5.0, 8.0], candidates=["linear"], cv=2)
    return model.fit(X[:450], y[:450]), X[450:]


def bought(model, budget, failed=()):
    row, session = dict.fromkeys(NAMES, 0.5), model.session(budget, failed=failed)
    while (request := session.ask()) is not None:
        session.tell({name: row[name] for name in request.columns})
    return set(session.bought)


@pytest.mark.parametrize("budget", [0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0])
@pytest.mark.parametrize("also", [None, *NAMES])
def test_what_would_not_be_bought_may_fail(crowded, budget, also):
    model, X = crowded
    first = [] if also is None else [also]
    usual, rest = bought(model, budget), bought(model, budget, first)
    masks = {name: np.isin(NAMES, [*first, name]) for name in NAMES if name not in rest | usual}
    expected = model.predict(X, budget, failed=np.isin(NAMES, first))
    for name, lost in masks.items():
        assert bought(model, budget, [*first, name]) == rest, name
        np.testing.assert_array_equal(model.predict(X, budget, failed=lost), expected)
        sweep = model.sweep(X, [0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0], failed=lost)
        position = sweep.budgets.tolist().index(budget)
        np.testing.assert_array_equal(sweep.labels()[:, position], expected)
        if also is None:
            np.testing.assert_array_equal(model.predict(X.drop(columns=name), budget), expected)


@pytest.fixture(scope="module")
def regression():
    train, test, signal = frames()
    prices = dict(zip(NAMES, [3.0, 2.0, 1.0, 2.0, 1.0, 1.0], strict=True))
    model = FrontierRegressor(prices, [2.0, 5.0, 10.0], candidates=["linear"], cv=2)
    return model.fit(train, signal[:600]), test, signal[600:]


def error(model, X, y, *args, **options):
    return float(np.mean((model.predict(X, *args, **options) - y) ** 2))


def test_an_entry_goes_on_without_what_failed(regression):
    model, X, y = regression
    prior = float(np.mean((y - y.mean()) ** 2))
    lost = np.random.default_rng(0).random(X.shape) < 0.15
    assert error(model, X, y) < 0.1 * prior
    assert error(model, X, y, failed=lost) < 0.4 * prior
    assert (model.spend(X, failed=lost) <= model.spend(X)).all()
    assert not model.spend(X, failed=np.ones(6, dtype=bool)).any()


@pytest.mark.parametrize("column", NAMES)
def test_one_lost_column_costs_no_more_than_what_it_says(regression, column):
    model, X, y = regression
    lost = np.array([name == column for name in NAMES])
    weight = dict(zip(NAMES, [1.5, 1.0, 0.3, 1.0, 0.0, 0.6], strict=True))[column]
    assert error(model, X, y, failed=lost) < weight**2 + 0.8


def test_a_session_spends_what_a_failure_saves(regression):
    model, X, _ = regression
    row = X.iloc[0].to_dict()
    session = model.session(5.0)
    first = session.ask().items[0]
    session.fail(first)
    while (request := session.ask()) is not None:
        session.tell({name: row[name] for name in request.columns})
    assert first not in session.bought
    assert 0 < session.spent <= 5.0
    lost = np.array([name == first for name in NAMES])
    assert session.read().label == pytest.approx(model.predict(X[:1], 5.0, failed=lost)[0])


def test_what_has_arrived_counts_before_the_whole_entry_has(regression):
    model, X, _ = regression
    session = model.session()
    name = session.ask().columns[0]
    before = session.read().label
    session.tell({name: float(X[name].iloc[0]) + 3.0})
    assert session.read().label != before


def test_without_money_an_owned_column_is_used(regression):
    model, X, y = regression
    prior = error(model, X, y, 0.0)
    for place, name in enumerate(NAMES[:4]):
        owned = np.arange(6) == place
        assert not model.spend(X, 0.0, owned=owned).any()
        assert error(model, X, y, 0.0, owned=owned) < prior * 1.01, name
    assert error(model, X, y, 0.0, owned=np.arange(6) == 0) < 0.7 * prior


def test_a_column_that_tells_nothing_leaves_the_prior():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1600, 4))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=1600) > 0, "yes", "no")
    model = FrontierClassifier(np.ones(4), [2.0, 4.0], ["boosted"], cv=2, random_state=0)
    model.fit(X[:800], y[:800])
    for column, tells in [(0, True), (1, True), (2, False), (3, False)]:
        shares = model.predict_proba(X[800:], budget=0.0, owned=np.arange(4) == column)[:, 1]
        prior = model.predict_proba(X[800:], budget=0.0)[:, 1]
        assert (np.abs(shares - prior).max() > 0.1) == tells


def test_a_frame_without_a_column_is_answered_as_if_it_had_failed(regression):
    model, X, _ = regression
    lost = np.array([name == "x1" for name in NAMES])
    expected = model.predict(X, 5.0, failed=lost)
    np.testing.assert_array_equal(model.predict(X.drop(columns="x1"), 5.0), expected)
    sweep = model.sweep(X.drop(columns="x1"), [5.0])
    np.testing.assert_array_equal(sweep.labels()[:, 0], expected)


def test_the_file_keeps_the_fallback(regression, tmp_path):
    model, X, _ = regression
    save(model, tmp_path / "model.scrimp")
    lost = np.random.default_rng(0).random(X.shape) < 0.3
    again = load(tmp_path / "model.scrimp")
    for budget in (0.0, 2.0, 5.0, None):
        expected = model.predict(X, budget, failed=lost)
        np.testing.assert_array_equal(again.predict(X, budget, failed=lost), expected)


def _refitted(X_train, y_train, X, lost):
    """Predict by a logistic regression for each set of items that can still be had."""
    X_train, X = np.nan_to_num(X_train), np.nan_to_num(X)
    closures = [list(COSTS.closure([item])) for item in range(COSTS.n_items)]
    at_hand = np.column_stack([~lost[:, closure].any(axis=1) for closure in closures])
    labels = np.full(len(X), np.bincount(y_train).argmax())
    for items in np.unique(at_hand, axis=0):
        rows = (at_hand == items).all(axis=1)
        columns = [c for item in np.flatnonzero(items) for c in COSTS.columns[item]]
        if columns:
            model = LogisticRegression().fit(X_train[:, columns], y_train)
            labels[rows] = model.predict(X[rows][:, columns])
    return labels


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_fees_and_requirements(n_classes):
    X_train, signal = table(450)
    y_train = response(signal, n_classes)
    model = FrontierClassifier(COSTS, [0.0, 3.5, 10.5], candidates=["linear"], cv=2)
    model.fit(X_train, y_train)
    X, signal = table(3_000, seed=1)
    y = response(signal, n_classes)
    lost = np.random.default_rng(0).random((len(X), COSTS.n_items)) < 0.15
    accuracy = np.mean(model.predict(X, failed=pd.DataFrame(lost, columns=COSTS.names)) == y)
    assert accuracy > np.mean(_refitted(X_train, y_train, X, lost) == y) - 0.04
    assert accuracy > np.mean(y == np.bincount(y).argmax()) + 0.2
    spent = model.spend(X, failed=pd.DataFrame({"fee": [True] * len(X)}))
    assert set(spent) == {4.0}  # for what needs no fee


def test_complete_rows_are_answered_by_the_entries_themselves(regression):
    model, X, _ = regression
    for number, entry in enumerate(model.plan_.plan.entries):
        budget = model.entries_[number - 1].price if number else 0.0
        start = entry.start(np.arange(3, dtype=np.uint64), None)
        values = X.to_numpy()[:3]
        for stage in range(len(entry.stages)):
            entry.tell(start, stage, values, np.arange(3))
        np.testing.assert_allclose(model.predict(X[:3], budget), entry.read(start)[:, 0])


def test_without_time_the_fallback_learns_from_few_rows():
    train, test, signal = frames()
    model = FrontierRegressor(candidates=["linear"], cv=2, max_seconds=1e-3)
    model.fit(train, signal[:600])
    assert model.plan_.plan.fallback is not None
    assert error(model, test.drop(columns="x0"), signal[600:]) < np.var(signal[600:])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_items_have_a_rough_fallback_unless_there_are_many_classes(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 120))
    y = np.digitize(X[:, :100].sum(axis=1), np.linspace(-5, 5, n_classes + 1)[1:-1])
    candidates = {"all": LogisticRegression()}
    model = FrontierClassifier(np.ones(120), [120.0], candidates, cv=2).fit(X, y)
    assert len(set().union(*model.plan_.plan._items)) > 100
    assert (model.plan_.plan.fallback is not None) == (n_classes == 2)
