"""Which prefixes deserve a model: those that are no worse on rows held out."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from scrimp import RefitClassifier, RefitRegressor
from scrimp.meta.refit.held_out import _no_worse


@pytest.fixture
def table():
    """The first two columns are noise, the third tells the target, the fourth is noise again."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    return X, X[:, 2] + 0.5 * rng.normal(size=400)


def brier(model, X, y, budget):
    return float(((model.predict_proba(X, budget=budget)[:, 1] - y) ** 2).mean())


def test_a_prefix_worse_than_the_prior_has_no_model(table):
    X, signal = table
    y, tree = (signal > 0.8).astype(int), DecisionTreeClassifier(max_depth=5, random_state=0)
    model = RefitClassifier(tree, range(4), random_state=0).fit(X[:200], y[:200])
    assert model.prefix_lengths_.tolist() == [3, 4]
    assert brier(model, X[200:], y[200:], 2.0) <= brier(model, X[200:], y[200:], 0.0)
    assert model.spend(X[200:], budget=2.0).max() == 0.0
    every = RefitClassifier(tree, range(4), random_state=0, validate=False).fit(X[:200], y[:200])
    assert every.prefix_lengths_.tolist() == [1, 2, 3, 4]
    assert brier(every, X[200:], y[200:], 2.0) > 1.1 * brier(every, X[200:], y[200:], 0.0)


def test_a_given_grid_is_kept_unless_it_is_to_be_validated(table):
    X, signal = table
    tree, grid = DecisionTreeRegressor(random_state=0), [1, 3]
    model = RefitRegressor(tree, range(4), grid=grid, random_state=0).fit(X, signal)
    assert model.prefix_lengths_.tolist() == [1, 3]
    model.set_params(validate=True).fit(X, signal)
    assert model.prefix_lengths_.tolist() == [3]


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC()])
def test_labels_count_where_there_are_no_probabilities(table, estimator):
    X, signal = table
    y = np.where(signal > 0, "b", "a")
    model = RefitClassifier(estimator, [2, 0], random_state=0).fit(X, y)
    assert 1 in model.prefix_lengths_


def test_where_nothing_can_be_learnt_the_answer_is_the_prior(table):
    X, _ = table
    y = np.random.default_rng(1).normal(size=len(X))
    with pytest.warns(UserWarning, match="no prefix"):
        model = RefitRegressor(DecisionTreeRegressor(random_state=0), range(4)).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y.mean())


def test_a_shorter_prefix_is_a_reference_but_for_the_last():
    rng = np.random.default_rng(0)
    noise = 0.1 * rng.random(500)
    prior, good, bad, none = 1.0 + noise, 0.3 + noise, 0.5 + noise[::-1], 2.0 + noise
    assert _no_worse([good, bad, good, bad], prior) == [0, 2, 3]
    assert _no_worse([none, None, none], prior) == [1]
