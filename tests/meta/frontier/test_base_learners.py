"""The models of each base learner predict as arrays what was fitted."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import accuracy_score, r2_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scrimp import Costs, FrontierClassifier, load, save
from scrimp.data.columns import Columns
from scrimp.kernels.boosted_trees import boost
from scrimp.meta.frontier import kernel_ridge, random_forest
from scrimp.meta.frontier.base_learners import BASE_LEARNERS, of_estimator
from scrimp.meta.frontier.boosted_models import BOOSTED, grow
from scrimp.meta.frontier.candidates import candidates_of
from scrimp.meta.frontier.logistic_ridge import OPTIONS as LOGISTIC
from scrimp.meta.frontier.problem import Problem, TrainingSet
from scrimp.meta.frontier.set_scorer import TreeOptions
from scrimp.meta.frontier.training_target import TrainingTarget
from tests.naive import boosted_trees as naive
from tests.naive.random_trees import predict as naive_forest

from .tables import COSTS, response, rows_of, table

ITEMS = tuple(COSTS.names.index(name) for name in ("fee", "a", "gift", "pair"))
COLUMNS = [0, 2, 3, 4]


def predicted(model, X):
    return model.scores(np.ascontiguousarray(X), np.arange(len(X)))


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("name", BASE_LEARNERS)
def test_every_base_learner_reads_its_columns_alone_and_predicts_new_rows(name, n_classes):
    rows, X = rows_of(n_classes, weighted=True)
    model = BASE_LEARNERS[name].fit(rows, ITEMS)
    assert model.columns.tolist() == list(COLUMNS)
    predictions = predicted(model, X)
    assert predictions.shape == (len(X), n_classes or 1)
    if n_classes:
        np.testing.assert_allclose(predictions.sum(axis=1), 1.0)
    garbage = X.copy()
    garbage[:, [1, 5]] = np.nan
    np.testing.assert_array_equal(predicted(model, garbage), predictions)
    new, signal = table(400, seed=7)
    truth = response(signal, n_classes, seed=7)
    found = predicted(model, new)
    if n_classes:
        assert accuracy_score(truth, found.argmax(axis=1)) > 1.4 / n_classes
    else:
        assert r2_score(truth, found[:, 0]) > 0.3


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_linear_models_are_scikit_learns_with_one_of_the_penalties(n_classes):
    rows, X = rows_of(n_classes, weighted=True)
    model, weights = BASE_LEARNERS["linear"].fit(rows, ITEMS), rows.target.weights
    ready = rows.design.filled[1][:, rows.design.columns(ITEMS)]
    if not n_classes:
        theirs = RidgeCV((0.1, 1, 10, 100)).fit(ready, rows.target.y, weights)
        np.testing.assert_allclose(predicted(model, X)[:, 0], theirs.predict(ready), atol=1e-9)
        return
    gaps = []
    for C in LOGISTIC.inverse_penalties:
        theirs = LogisticRegression(C=C, tol=1e-9).fit(ready, rows.target.y, weights)
        gaps.append(np.abs(theirs.predict_proba(ready) - predicted(model, X)).max())
    assert min(gaps) < 1e-4
    assert sorted(gaps)[1] > 1e-3


def test_the_penalty_of_logistic_regression_follows_the_noise():
    rng = np.random.default_rng(0)
    weights = []
    for noise in (0.1, 30.0):
        rows, _ = rows_of(2, y=(table()[1] + noise * rng.normal(size=240) > 0).astype(float))
        weights.append(np.abs(BASE_LEARNERS["linear"].fit(rows, ITEMS).weights).sum())
    assert weights[0] > 10 * weights[1]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_forests_are_means_of_the_naive_twin(n_classes, monkeypatch):
    options = replace(random_forest.OPTIONS, n_trees=4)
    monkeypatch.setattr(random_forest, "OPTIONS", options)
    rows, X = rows_of(n_classes, weighted=True)
    model, target = BASE_LEARNERS["forest"].fit(rows, ITEMS), rows.target
    ready = rows.design.filled[1][:, rows.design.columns(ITEMS)]
    n_tried, min_leaf = (2, 1) if n_classes else (4, 5)
    expected = np.mean(
        [
            naive_forest(
                ready, target.y, target.weights, n_tried, min_leaf, n_classes, 0, tree, ready
            )
            for tree in range(4)
        ],
        axis=0,
    )
    np.testing.assert_allclose(predicted(model, X), expected, atol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [KNeighborsClassifier(7), make_pipeline(StandardScaler(), LogisticRegression())],
    ids=["neighbours", "pipeline"],
)
def test_an_estimator_of_ones_own(estimator):
    rows, X = rows_of(3)
    model = of_estimator(estimator).fit(rows, ITEMS)
    ready = rows.design.filled[1][:, rows.design.columns(ITEMS)]
    expected = estimator.fit(ready, rows.target.y).predict_proba(ready)
    np.testing.assert_allclose(predicted(model, X), expected, atol=1e-9)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_boosted_trees_are_those_of_the_kernel(n_classes):
    rows, X = rows_of(n_classes, weighted=True)
    options, design, target = TreeOptions(leaves=5, rounds=9), rows.design, rows.target
    model = grow(rows, ITEMS, options, 7)
    columns, outputs = design.columns(ITEMS), len(target.initial_score)
    trees, values = np.full((7, 9, 5), -1), np.zeros((7, 5, outputs))
    numbers = options.array()
    numbers[-1] = 7
    boost(
        design.bins, design.n_bins, columns, np.empty((7, 0), np.int64),
        np.empty((7, 0, outputs)), target.loss, target.y, target.weights, np.arange(len(X)),
        np.empty(0, np.int64), target.initial_score, numbers, 7, np.empty((0, outputs)), trees,
        values,
    )  # fmt: skip
    sums = np.tile(target.initial_score, (len(X), 1))
    for row in range(len(X)):
        for tree, votes in zip(trees.tolist(), values, strict=True):
            sums[row] += votes[naive.walk(tree, design.bins, columns, row)]
    links = {0: lambda s: s, 2: lambda s: np.hstack([expit(-s), expit(s)])}
    expected = links.get(n_classes, lambda s: softmax(s, axis=1))(sums)
    np.testing.assert_allclose(predicted(model, X), expected, atol=1e-9)


@pytest.mark.parametrize("n_classes", [0, 3])
def test_a_kernel_model_is_the_solution_of_kernel_ridge_regression(n_classes):
    rows, X = rows_of(n_classes, n=120, weighted=True)
    model = BASE_LEARNERS["kernel"].fit(rows, ITEMS)
    ready = model.preparation.table(X, np.arange(len(X)))
    squares = ((ready[:, None] - model.centers) ** 2).sum(axis=2)
    kernel = np.exp(-model.gamma[0] * squares)
    sums = kernel @ model.weights + model.base
    expected = softmax(sums, axis=1) if n_classes else sums
    np.testing.assert_allclose(predicted(model, X), expected, atol=1e-8)
    weight = rows.target.weights[:, None]
    encoded = rows.target.encoded
    for ridge in (0.1, 1.0):
        ((own, base),) = kernel_ridge.solve(kernel, encoded, rows.target.weights, (ridge,))
        left = weight * (kernel @ own + base - encoded)
        np.testing.assert_allclose(left.sum(axis=0), 0.0, atol=1e-6)
        tiny = 1e-9 * np.trace(kernel.T @ kernel) / len(own)
        gradient = kernel.T @ left + ridge * own
        np.testing.assert_allclose(gradient, 0.0, atol=1e-6 + 2 * tiny * np.abs(own).max())


def test_columns_that_matter_little_count_little_in_a_kernel(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 40))
    y = (X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4).astype(float)
    train, test = np.arange(600), np.arange(600, 900)
    target, columns = TrainingTarget(y[train], np.ones(600), 2), Columns(None, (None,) * 40)
    problem = Problem(
        X[train], y[train], np.array([]), columns, X[train], target, Costs.uniform(40), (40.0,), 0
    )
    rows = TrainingSet.of(problem, train, None)
    model = BASE_LEARNERS["kernel"].fit(rows, tuple(range(40)))
    assert set(np.argsort(model.preparation.scale)[:2]) == {0, 1}
    monkeypatch.setattr(kernel_ridge, "OPTIONS", replace(kernel_ridge.OPTIONS, powers=(0.0,)))
    unscaled = BASE_LEARNERS["kernel"].fit(rows, tuple(range(40)))
    np.testing.assert_allclose(unscaled.preparation.scale, rows.design.filled[0].scale)
    wrong = [
        (predicted(one, X[test]).argmax(axis=1) != y[test]).mean() for one in (model, unscaled)
    ]
    assert wrong[0] < wrong[1] - 0.1


def test_boosted_trees_are_averaged_over_sizes_that_are_about_as_good(monkeypatch):
    rows, _ = rows_of(2)
    sizes = BOOSTED.sizes_for(2, 20_000)
    assert [size.leaves for size in sizes] == [6, 20, 63]
    held_out = {6: 0.5, 20: 0.505, 63: 0.6}
    monkeypatch.setattr(
        type(rows.scorer), "best_rounds",
        lambda scorer, items, options, folds: (options.leaves, held_out[options.leaves]),
    )  # fmt: skip
    monkeypatch.setattr(type(BOOSTED), "sizes_for", lambda options, n_classes, n_rows: sizes)
    model = BASE_LEARNERS["boosted"].fit(rows, ITEMS)
    assert [len(part.trees) for part in model.members] == [7, 22]  # 1.1 times as many rounds


@pytest.mark.parametrize("name", BASE_LEARNERS)
def test_a_class_without_rows_here_is_still_a_class(name):
    _, signal = table()
    rows, X = rows_of(3, y=response(signal, 2))  # of classes 0, 1 and 2 the last is missing
    predictions = predicted(BASE_LEARNERS[name].fit(rows, ITEMS), X)
    assert predictions.shape == (len(X), 3)
    np.testing.assert_allclose(predictions.sum(axis=1), 1.0)
    assert predictions[:, 2].mean() < 0.1
    assert accuracy_score(rows.target.y, predictions.argmax(axis=1)) > 0.7


def test_where_no_tree_can_be_grown_the_prior_is_the_answer():
    rows, X = rows_of(2, n=8)
    model = BASE_LEARNERS["boosted"].fit(rows, ITEMS)
    np.testing.assert_allclose(predicted(model, X), np.tile(rows.target.prior, (8, 1)))


@pytest.mark.parametrize("n_classes", [0, 2, 6])
def test_boosted_trees_of_others_take_part_where_they_are_named(n_classes):
    rows, _ = rows_of(n_classes)
    by_default = [one.name for one in candidates_of("auto", rows.problem)]
    assert "boosted" in by_default
    assert not {"histogram", "lightgbm"} & set(by_default)
    assert [one.name for one in candidates_of(["histogram"], rows.problem)] == ["histogram"]


def test_lightgbm_on_item_sets_is_saved_without_pickle(tmp_path):
    pytest.importorskip("lightgbm")
    X, signal = table()
    model = FrontierClassifier(COSTS, [COSTS.total], candidates=["lightgbm"], cv=2)
    model.fit(X, response(signal, 2))
    assert [entry.candidate for entry in model.chosen_] == ["lightgbm"]
    save(model, tmp_path / "model.scrimp")
    loaded = load(tmp_path / "model.scrimp")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
