"""Support vector machines among the candidates, and sparse tables."""

import numpy as np
import pytest
from scipy import sparse

from scrimp import BudgetedSVC, Costs, FrontierClassifier, FrontierRegressor, Item
from scrimp.learners.svm.groups import Groups

from .tables import COSTS, response, table

PRICES = [2.0, 1.0, 1.0, 3.0, 1.0]


def rows(seed=0, n=240):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.6)
    return X, 2.0 * X[:, 0] + X[:, 1] - X[:, 2] + 0.1 * rng.normal(size=n)


def kinds():
    X, signal = rows()
    yield pytest.param(FrontierClassifier, X, np.where(signal > 0, "b", "a"), id="two classes")
    yield pytest.param(FrontierClassifier, X, np.digitize(signal, [-1, 1]), id="three classes")
    yield pytest.param(FrontierRegressor, X, signal, id="numbers")


@pytest.mark.parametrize(("kind", "X", "y"), list(kinds()))
def test_sparse_rows_are_learnt_from_and_never_overspend(kind, X, y):
    thin = sparse.csr_matrix(X)
    model = kind(PRICES, budgets=[1.0, 4.0, 8.0], cv=3).fit(thin, y)
    assert set(model.losses_) == {"svm"}
    assert model.failures_ == {}
    for budget in (0.0, 1.0, 3.9, 4.0, 8.0):
        assert (model.spend(thin, budget=budget) <= budget).all()
    assert model.score(thin, y, budget=8.0) > model.score(thin, y, budget=0.0)
    said, dense = model.sweep(thin, [4.0]).scores, model.sweep(X, [4.0]).scores
    np.testing.assert_allclose(said, dense, rtol=1e-12)


@pytest.mark.parametrize(("kind", "X", "y"), list(kinds()))
def test_it_buys_what_tells_most_for_the_money(kind, X, y):
    model = kind(PRICES, budgets=[2.0, 4.0], candidates=["svm"], cv=3).fit(X, y)
    assert [entry.candidate for entry in model.chosen_] == ["svm", "svm"]
    assert [entry.price for entry in model.chosen_] == [2.0, 4.0]
    assert model.session(2.0).ask().items in (("x0",), ("x1", "x2"))
    assert set(model.session(4.0).ask().items) == {"x0", "x1", "x2"}


def test_missing_values_and_fees_are_taken_as_the_others_take_them():
    X, signal = table(200)
    y = response(signal, 3)
    model = FrontierClassifier(COSTS, candidates=["svm"], budgets=[3.0, 10.5], cv=2).fit(X, y)
    for budget in (3.0, 10.5):
        assert (model.spend(X, budget=budget) <= budget).all()
    assert model.failures_ == {}


def test_unasked_only_where_there_are_many_columns(monkeypatch):
    X, signal = rows()
    y = signal > 0
    options = {"budgets": [4.0], "cv": 2}
    monkeypatch.setattr("scrimp.meta.frontier.candidates.train_svms", _refuse)
    model = FrontierClassifier(PRICES, **options).fit(X, y)
    assert model.failures_ == {}
    monkeypatch.setattr("scrimp.meta.frontier.candidates.WIDE", 4)
    with pytest.warns(UserWarning, match="svm: RuntimeError: asked"):
        FrontierClassifier(PRICES, **options).fit(X, y)


def _refuse(*_):
    raise RuntimeError("asked")


def test_who_takes_arrays_only_is_named():
    X, signal = rows()
    thin = sparse.csr_array(X)
    with pytest.raises(ValueError, match=r"X is sparse, and the candidates \['linear'\] take arr"):
        FrontierClassifier(PRICES, candidates=["linear", "svm"]).fit(thin, signal > 0)
    model = FrontierClassifier(PRICES, [4.0], [BudgetedSVC()], cv=2).fit(thin, signal > 0)
    assert set(model.losses_) == {"BudgetedSVC"}


def test_sparse_nan_is_refused_by_name():
    thin = sparse.csr_matrix(np.array([[1.0, np.nan], [0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match=r"The columns \['x1'\] hold NaN or infinity"):
        FrontierClassifier().fit(thin, [0, 1, 1])


def test_rows_of_no_weight_do_not_count_in_sparse_tables():
    X, signal = rows()
    y, weights = signal > 0, np.ones(len(X))
    weights[:60] = 0.0
    y[:60] = ~y[:60]
    options = {"budgets": [4.0], "cv": 3}
    some = FrontierClassifier(PRICES, **options).fit(sparse.csr_matrix(X), y, weights)
    others = FrontierClassifier(PRICES, **options).fit(sparse.csr_matrix(X[60:]), y[60:])
    np.testing.assert_allclose(
        some.predict_proba(X, budget=4.0), others.predict_proba(X, budget=4.0), rtol=1e-6
    )


def test_prepared_columns_belong_to_their_items():
    costs = Costs.from_items([Item("fee", 1.0, ()), Item("a", 1.0, ("u", "v"), ("fee",)),
                              Item("b", 2.0, ("w",))])  # fmt: skip
    groups = Groups(costs.prepared(np.array([0, 2, 1, 2, 0])))
    assert groups.costs.columns == ((), (0, 2, 4), (1, 3))
    assert groups.of_columns.tolist() == [0, 1, 0, 1, 0]
