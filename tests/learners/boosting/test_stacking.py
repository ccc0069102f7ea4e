"""Stacked columns: answers that hold with any columns at hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from scrimp import BudgetedBoostingClassifier, BudgetedBoostingRegressor, Costs, load, save

PRICES = [1.0, 2.0, 3.0, 5.0, 1.0, 4.0]


def problem(n=400, seed=0, classes=2, share=0.8):
    """Classes that two columns tell together, and others that are noise or copies."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 3] = X[:, 0] + 0.3 * X[:, 3]
    signal = X[:, 0] + X[:, 1] + rng.normal(size=n)
    edges = np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1] if classes > 2 else [share])
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.searchsorted(edges, signal), signal


def losses(model, X, y, **options):
    return -np.log(np.take_along_axis(model.predict_proba(X, **options), y[:, None], 1)[:, 0])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_set_of_columns_is_worse_than_the_prior(classes, seed):
    X, y, _ = problem(seed=seed, classes=classes)
    new_X, new_y, _ = problem(4000, seed + 100, classes)
    model = BudgetedBoostingClassifier(PRICES, n_rounds=200, random_state=0).fit(X, y)
    prior = losses(model, new_X, new_y, budget=0)
    rng = np.random.default_rng(seed)
    for owned in [*np.eye(6, dtype=bool), *(rng.random((6, 6)) < 0.5)]:
        rise = losses(model, new_X, new_y, budget=0, owned=owned) - prior
        assert rise.mean() < 3 * rise.std() / np.sqrt(len(rise)) + 0.002
    for budget in (1, 3, 6, 16):
        rise = losses(model, new_X, new_y, budget=budget) - prior
        assert rise.mean() < 3 * rise.std() / np.sqrt(len(rise)) + 0.002


def test_the_vote_of_the_paper_is_worse_than_the_prior_there():
    X, y, _ = problem()
    new_X, new_y, _ = problem(4000, 100)
    model = BudgetedBoostingClassifier(PRICES, n_rounds=200, random_state=0, combine="vote")
    prior = losses(model.fit(X, y), new_X, new_y, budget=0)
    owned = np.arange(6) == 4
    assert losses(model, new_X, new_y, budget=0, owned=owned).mean() > prior.mean() + 0.01


def test_all_columns_are_weighted_as_by_a_logistic_regression():
    X, y, _ = problem(6000)  # many rows: no folds
    model = BudgetedBoostingClassifier(PRICES, n_rounds=60, random_state=0).fit(X, y)
    plan = model.plan_.plan
    Z = plan.functions.on(X, np.arange(len(X)))[:, :, 0]
    twin = LogisticRegression(C=1e6).fit(Z, y)
    ours = model.predict_proba(X)
    assert log_loss(y, ours) == pytest.approx(log_loss(y, twin.predict_proba(Z)), abs=2e-3)
    assert np.abs(ours - twin.predict_proba(Z)).max() < 0.1


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_numbers_from_any_set_are_no_worse_than_the_start(loss):
    X, _, y = problem()
    new_X, _, new_y = problem(4000, 100)
    model = BudgetedBoostingRegressor(PRICES, n_rounds=100, loss=loss, random_state=0).fit(X, y)
    start = (model.predict(new_X, budget=0) - new_y) ** 2
    for owned in [*np.eye(6, dtype=bool), np.ones(6, dtype=bool)]:
        error = (model.predict(new_X, budget=0, owned=owned) - new_y) ** 2
        assert error.mean() < 1.01 * start.mean()
    assert error.mean() < 0.6 * start.mean()


def test_a_failed_column_is_one_that_is_not_at_hand():
    X, y, _ = problem()
    model = BudgetedBoostingClassifier(PRICES, n_rounds=100, random_state=0).fit(X, y)
    row = {f"x{c}": value for c, value in enumerate(np.nan_to_num(X[0]).tolist())}
    session = model.session()
    while (request := session.ask()) is not None:
        if request.columns == ("x1",):
            session.fail()
        else:
            session.tell({name: row[name] for name in request.columns})
    values = np.nan_to_num(X[:1])
    owned = np.arange(6) != 1
    expected = model.predict_proba(values, budget=0, owned=owned)[0]
    assert session.read().probabilities == pytest.approx(expected, abs=1e-12)
    assert session.spent == 14.0


def test_a_saved_model_gives_the_same_answers(tmp_path):
    X, y, _ = problem(classes=3)
    model = BudgetedBoostingClassifier(PRICES, budget=[3.0, 9.0], n_rounds=40).fit(X, y)
    save(model, tmp_path / "m.scrimp")
    again = load(tmp_path / "m.scrimp")
    for budget in (0, 2, 5, 20):
        assert (again.predict_proba(X, budget) == model.predict_proba(X, budget)).all()


def test_an_interrupt_while_stacking_leaves_the_vote(monkeypatch):
    X, y, _ = problem()
    model = BudgetedBoostingClassifier(PRICES, n_rounds=20, random_state=0)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(BudgetedBoostingClassifier, "_stack", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    vote = BudgetedBoostingClassifier(PRICES, n_rounds=20, random_state=0, combine="vote")
    assert (model.predict_proba(X) == vote.fit(X, y).predict_proba(X)).all()


def test_few_rows_and_rare_classes():
    X = np.arange(8.0)[:, None] ** [1, 2]
    for y in ([0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 1, 1, 2, 2, 2, 1]):
        model = BudgetedBoostingClassifier(Costs.uniform(2), n_rounds=10).fit(X, np.array(y))
        assert np.isfinite(model.predict_proba(X)).all()


def test_rows_of_weight_0_do_not_matter():
    X, y, _ = problem()
    weight = np.r_[np.ones(300), np.zeros(100)]
    model = BudgetedBoostingClassifier(PRICES, n_rounds=30, random_state=0)
    with_weights = model.fit(X, y, weight).predict_proba(X)
    assert (with_weights == model.fit(X[:300], y[:300]).predict_proba(X)).all()


def test_what_is_unknown_is_refused():
    with pytest.raises(ValueError, match="combine is 'mean'"):
        BudgetedBoostingClassifier(combine="mean").fit(*problem()[:2])


def test_rare_classes_are_no_worse_than_the_prior_with_any_set():
    """A quadratic model of the loss at the prior is far off where classes are rare."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    y = (X[:, 0] > 1.7).astype(int)
    y[(X[:, 1] > 1.6) & (X[:, 0] < 1.0)] = 2
    told = X[:, 2] > 1.9
    y[told] = np.where(rng.random(told.sum()) < 0.7, 3, 0)
    model = BudgetedBoostingClassifier(
        [8.0, 4.0, 2.0, 1.0, 1.0], rule="edge", n_rounds=200, random_state=0
    ).fit(X[:1500], y[:1500])
    X, y = X[1500:], y[1500:]
    prior = losses(model, X, y, budget=0).mean()
    sets = (np.arange(32)[:, None] >> np.arange(5)) % 2 == 1
    found = [losses(model, X, y, budget=0, owned=owned).mean() for owned in sets]
    assert max(found) < 1.001 * prior
    assert np.mean(found) < 0.7 * prior
