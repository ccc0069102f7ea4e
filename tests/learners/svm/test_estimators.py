"""BudgetedSVC and BudgetedSVR as estimators: tables of all kinds, classes, weights and files."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import (
    BudgetedSVC,
    BudgetedSVR,
    Costs,
    Item,
    at_budget,
    check_budgeted_estimator,
    load,
    save,
)
from scrimp.learners.svm import training
from tests.learners.svm.problems import (
    COSTS,
    EPSILON,
    GROUPS,
    LOSSES,
    PRICES,
    model,
    table,
    trained_on,
)
from tests.naive import ltb as naive

BUDGETS = [1.0, 4.0, 6.5]


def scores(fitted, X, budget=None):
    return getattr(fitted, "decision_function", fitted.predict)(X, budget)


@parametrize_with_checks(
    [
        BudgetedSVC(loss="hinge"),
        BudgetedSVR(loss="epsilon_insensitive"),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_they_are_scikit_learn_estimators(estimator, check):
    check(estimator)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.filterwarnings("ignore")
def test_they_keep_the_promises_of_every_estimator(loss):
    check_budgeted_estimator(model(loss, None, None), max_examples=2)


@pytest.mark.filterwarnings("ignore")
def test_so_do_uniform_prices_and_filled_in_values():
    check_budgeted_estimator(BudgetedSVC(uniform=True), max_examples=2)
    check_budgeted_estimator(BudgetedSVR(missing="mean"), max_examples=2)


# Against plain SVMs


@pytest.mark.parametrize("loss", LOSSES)
def test_with_everything_bought_it_is_the_plain_svm(loss):
    X, y = table(loss)
    found = model(loss, budget=None, C=0.7).fit(X, y)
    twin = trained_on(X, y, range(8), 0.7, loss)
    np.testing.assert_allclose(found.coef_[0], twin.w, atol=1e-6)
    np.testing.assert_allclose(scores(found, X), X @ twin.w + found.intercept_[0], atol=1e-5)
    assert found.objective_[0] == pytest.approx(twin.objective, rel=1e-8)
    assert found.prices_[0] == sum(PRICES)


def test_labels_are_those_of_scikit_learns_svm():
    """Its intercept is penalised, hardly so if a large constant stands for it."""
    X, y = table("squared_hinge", 1, n=60)
    own = BudgetedSVC(C=0.5).fit(X, np.where(y > 0, "yes", "no"))
    other = LinearSVC(C=0.5, intercept_scaling=1e3, tol=1e-9, max_iter=200_000).fit(X, y)
    np.testing.assert_allclose(own.coef_, other.coef_, atol=2e-3)
    assert (own.predict(X) == np.where(other.predict(X) > 0, "yes", "no")).all()


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_several_classes_share_one_set_of_columns(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = (X[:, [0, 2, 7]] + 0.3 * rng.normal(size=(60, 3))).argmax(axis=1)
    found = model(loss, budget=BUDGETS).fit(X, y)
    assert found.coef_.shape == (3, 8)
    assert found.intercept_.shape == (3,)
    columns = sorted(c for name in found.items_[-1] for c in GROUPS[int(name)])
    assert not np.delete(found.coef_, columns, axis=1).any()
    total = 0.0
    for k in range(3):
        twin = trained_on(X, np.where(y == k, 1.0, -1.0), columns, 1.0, loss)
        np.testing.assert_allclose(found.coef_[k], twin.w, atol=1e-4)
        total += twin.objective
    assert found.objective_[-1] == pytest.approx(total, rel=1e-6)
    assert found.decision_function(X).shape == (60, 3)
    assert (found.predict(X) == found.decision_function(X).argmax(axis=1)).all()
    assert found.score(X, y) > 0.7


# Tables


@pytest.mark.parametrize("loss", LOSSES)
def test_csr_and_single_precision_give_what_arrays_give(loss):
    X, y = table(loss, 2)
    X[np.abs(X) < 0.7] = 0.0
    X = X.astype(np.float32).astype(np.float64)
    dense = model(loss, budget=BUDGETS).fit(X, y)
    for rows in (sparse.csr_matrix(X), sparse.csc_array(X), X.astype(np.float32)):
        other = model(loss, budget=BUDGETS).fit(rows, y)
        assert other.items_ == dense.items_
        np.testing.assert_allclose(other.objective_, dense.objective_, rtol=1e-6)
        np.testing.assert_allclose(other.least_objective_, dense.least_objective_, rtol=1e-3)
        for budget in BUDGETS:
            np.testing.assert_allclose(
                scores(other, rows, budget), scores(dense, X, budget), atol=1e-4
            )


def csr_of(X, layout):
    """A CSR matrix of a kind: as it comes, places in a row unsorted, zeros and sums stored."""
    if layout == "dense":
        return X
    rows = sparse.csr_matrix(X)
    if layout == "unsorted":
        order = np.concatenate(
            [np.arange(a, b)[::-1] for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)]
        )
        rows = sparse.csr_matrix((rows.data[order], rows.indices[order], rows.indptr), X.shape)
        assert not rows.has_sorted_indices
    if layout == "zeros stored":
        some = np.where(X != 0, X, np.where(np.arange(X.size).reshape(X.shape) % 3, 0.0, 1.0))
        rows = sparse.csr_matrix(some)
        rows.data[(X == 0)[rows.nonzero()]] = 0.0
        assert rows.nnz > (X != 0).sum()
    if layout == "stored twice":
        rows = sparse.csr_matrix(
            (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), X.shape
        )
        assert not rows.has_canonical_format
    np.testing.assert_array_equal(rows.toarray(), X)
    return rows


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("layout", ["dense", "csr", "unsorted", "zeros stored", "stored twice"])
def test_groups_may_be_scattered_over_the_table(loss, layout):
    X, y = table(loss, 13)
    X[np.abs(X) < 0.5] = 0.0
    labels = np.repeat(np.arange(5), [len(group) for group in GROUPS])
    together = model(loss, Costs.per_group(labels, PRICES), BUDGETS).fit(X, y)
    order = np.random.default_rng(0).permutation(8)
    rows = csr_of(X[:, order], layout)
    found = model(loss, Costs.per_group(labels[order], PRICES), BUDGETS).fit(rows, y)
    assert found.items_ == together.items_
    np.testing.assert_allclose(found.objective_, together.objective_, rtol=1e-6)
    np.testing.assert_allclose(found.coef_, together.coef_[:, order], atol=1e-5)
    np.testing.assert_allclose(found.shares_, together.shares_, atol=0.05)
    own = X[:, order] @ found.coef_[0] + found.intercept_[0]
    np.testing.assert_allclose(scores(found, rows), own, atol=1e-9)
    for budget in BUDGETS:
        np.testing.assert_allclose(
            scores(found, rows, budget), scores(together, X, budget), atol=1e-3
        )


def test_the_table_given_is_not_changed():
    X, y = table("squared_hinge")
    X[:, 3] = 4.0
    X[5, 6] = np.nan
    for rows in (X, sparse.csr_matrix(X)):
        before = rows.copy()
        BudgetedSVC(COSTS, BUDGETS, missing="mean").fit(rows, y)
        after = rows if rows is X else rows.toarray()
        np.testing.assert_array_equal(after, before if rows is X else before.toarray())


@pytest.mark.parametrize("library", [pl.DataFrame, pd.DataFrame])
def test_frames_are_matched_with_prices_by_name(library):
    X, y = table("squared_hinge", 3)
    names = [f"test {k}" for k in range(8)]
    items = [
        Item(f"kit {g}", PRICES[g], tuple(names[c] for c in own)) for g, own in enumerate(GROUPS)
    ]
    frame = library(dict(zip(names, X.T, strict=True)))
    found = BudgetedSVC(Costs.from_items(items[::-1]), BUDGETS).fit(frame, y)
    plain = BudgetedSVC(COSTS, BUDGETS).fit(X, y)
    assert [sorted(own) for own in found.items_] == [
        [f"kit {g}" for g in own] for own in plain.items_
    ]
    np.testing.assert_allclose(found.decision_function(frame, 4.0), plain.decision_function(X, 4.0))
    turned = frame[names[::-1]]
    np.testing.assert_array_equal(found.predict(turned, 4.0), found.predict(frame, 4.0))
    assert list(found.feature_names_in_) == names
    by_name = BudgetedSVC(dict.fromkeys(names, 1.0), 2.0).fit(frame, y)
    assert set(by_name.items_[0]) <= set(names)
    assert by_name.prices_[0] == 2.0


def test_missing_values_count_as_the_mean_or_a_number():
    X, y = table("squared_hinge", 4, n=60)
    holes = np.random.default_rng(0).random(X.shape) < 0.1
    spoilt = np.where(holes, np.nan, X)
    means = np.nanmean(spoilt, axis=0)
    for missing, value in (("mean", means), (0.5, np.full(8, 0.5))):
        found = BudgetedSVC(COSTS, BUDGETS, missing=missing).fit(spoilt, y)
        filled = np.where(holes, value, X)
        other = BudgetedSVC(COSTS, BUDGETS).fit(filled, y)
        assert found.items_ == other.items_
        np.testing.assert_allclose(
            found.decision_function(spoilt), other.decision_function(filled), atol=1e-9
        )


# Wide tables


def least_on(X, y, C):
    """The least objective of a squared hinge with a free intercept, by a general method."""

    def objective(v):
        over = np.maximum(1.0 - y * (X @ v[:-1] + v[-1]), 0.0)
        alpha = 2.0 * C * over * y
        value = v[:-1] @ v[:-1] / 2 + C * over @ over
        return value, np.append(v[:-1] - X.T @ alpha, -alpha.sum())

    start = np.zeros(X.shape[1] + 1)
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 5_000, "ftol": 1e-13}
    )
    return found.fun


def test_a_path_on_a_wide_sparse_table_is_of_models_trained_on_what_is_bought(monkeypatch):
    rng = np.random.default_rng(14)
    X = sparse.random_array((200, 3000), density=0.03, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=3000) + 0.3 * rng.normal(size=200) > 0, 1.0, -1.0)
    labels, prices = rng.permutation(np.arange(3000) % 300), rng.uniform(0.5, 3.0, 300)
    costs, trained = Costs.per_group(labels, prices), []
    plain = training.ProximalGradient

    def counted(problem, prices, *others):
        trained.append(not prices.any())
        return plain(problem, prices, *others)

    monkeypatch.setattr(training, "ProximalGradient", counted)
    budgets = np.array([0.02, 0.2, 0.4, 0.7, 1.0]) * costs.total
    found = BudgetedSVC(costs, budgets, C=3.0).fit(X, y)
    assert sum(trained) >= 5
    assert (found.prices_ <= found.budgets_ * (1 + 1e-9)).all()
    assert (found.least_objective_ <= found.objective_ * (1 + 1e-9)).all()
    for place, items in enumerate(found.items_):
        columns = np.flatnonzero(np.isin(labels, [int(name) for name in items]))
        assert costs.price_of([int(name) for name in items]) == found.prices_[place]
        least = least_on(X[:, columns], y, 3.0)
        assert found.objective_[place] == pytest.approx(least, rel=1e-4)
        assert found.objective_[place] >= least * (1 - 1e-6)
    np.testing.assert_allclose(
        X @ found.coef_[0] + found.intercept_[0], found.decision_function(X), atol=1e-9
    )
    assert found.objective_[-1] < 0.9 * found.objective_[0]


# Weights


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_is_a_row_so_many_times(loss):
    X, y = table(loss, 5)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = model(loss, budget=BUDGETS).fit(X, y, sample_weight=times)
    repeated = model(loss, budget=BUDGETS).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.items_ == repeated.items_
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-6)
    np.testing.assert_allclose(scores(weighted, X), scores(repeated, X), atol=1e-3)
    assert weighted.objective_[0] != pytest.approx(model(loss, budget=1.0).fit(X, y).objective_[0])


def test_class_weights_are_weights_of_rows():
    X, y = table("squared_hinge", 6)
    y[:8] = 1.0
    by_class = BudgetedSVC(COSTS, 4.0, class_weight={1.0: 3.0, -1.0: 0.5}).fit(X, y)
    by_row = BudgetedSVC(COSTS, 4.0).fit(X, y, np.where(y > 0, 3.0, 0.5))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_)
    balanced = BudgetedSVC(COSTS, 4.0, class_weight="balanced").fit(X, y)
    weights = len(y) / (2 * np.where(y > 0, (y > 0).sum(), (y < 0).sum()))
    np.testing.assert_allclose(balanced.coef_, BudgetedSVC(COSTS, 4.0).fit(X, y, weights).coef_)


# Menus, files and sessions


@pytest.mark.parametrize("loss", LOSSES)
def test_a_file_holds_what_was_fitted(loss, tmp_path):
    X, y = table(loss, 7)
    found = model(loss, budget=BUDGETS).fit(X, y)
    save(found, tmp_path / "m.scrimp")
    loaded, pickled = load(tmp_path / "m.scrimp"), pickle.loads(pickle.dumps(found))
    for budget in (0.0, 1.0, 5.0, None):
        np.testing.assert_array_equal(loaded.predict(X, budget), found.predict(X, budget))
        np.testing.assert_array_equal(loaded.spend(X, budget), found.spend(X, budget))
        np.testing.assert_array_equal(pickled.predict(X, budget), found.predict(X, budget))


def test_a_budget_takes_the_best_entry_it_pays_for():
    X, y = table("squared_hinge", 8)
    found = BudgetedSVC(COSTS, BUDGETS).fit(X, y)
    for place, budget in enumerate(BUDGETS):
        alone = BudgetedSVC(COSTS, budget).fit(X, y)
        for asked in (found.prices_[place], budget):
            assert found.spend(X, asked) == pytest.approx(found.prices_[place])
        if alone.items_[0] == found.items_[place]:
            np.testing.assert_allclose(
                found.decision_function(X, budget), alone.decision_function(X), atol=1e-5
            )
    np.testing.assert_array_equal(found.predict(X), found.predict(X, 6.5))
    assert (np.diff(found.sweep(X, [0, 1, 2, 4, 8]).spent, axis=1) >= 0).all()


@pytest.mark.filterwarnings("ignore:The cheapest purchase")
def test_a_session_ends_where_a_prediction_does():
    X, y = table("squared_hinge", 9)
    found = BudgetedSVC(COSTS, BUDGETS).fit(X, y)
    for budget in (0.5, 4.0, 8.0):
        session = found.session(budget=budget)
        while request := session.ask():
            session.tell({name: X[3, int(name[1:])] for name in request.columns})
        assert session.spent == found.spend(X[3:4], budget)[0]
        assert session.read().scores[0] == pytest.approx(found.decision_function(X[3:4], budget)[0])
        assert session.read().label == found.predict(X[3:4], budget)[0]


def test_new_prices_change_what_a_budget_buys_but_not_what_was_learnt():
    X, y = table("squared_hinge", 10)
    found = BudgetedSVC(COSTS, BUDGETS).fit(X, y)
    dearer = found.reprice({str(group): 2 * price for group, price in enumerate(PRICES)})
    np.testing.assert_allclose(dearer.prices_, 2 * found.prices_)
    assert dearer.items_ == found.items_
    for budget in BUDGETS:
        np.testing.assert_array_equal(
            dearer.decision_function(X, 2 * budget), found.decision_function(X, budget)
        )
        assert (dearer.spend(X, budget) <= budget).all()


def test_they_work_in_pipelines_and_at_a_budget():
    X, y = table("squared_hinge", 11)
    pipe = make_pipeline(StandardScaler(), BudgetedSVC(COSTS, BUDGETS)).fit(100 * X + 7, y)
    assert pipe.score(100 * X + 7, y) > 0.7
    small = at_budget(pipe[-1], 1.0)
    rows = pipe[0].transform(100 * X + 7)
    np.testing.assert_array_equal(small.predict(rows), pipe[-1].predict(rows, 1.0))
    assert clone(pipe[-1]).get_params() == pipe[-1].get_params()


# What fitting tells


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("uniform", [False, True])
def test_what_fitting_tells_is_consistent(loss, uniform):
    X, y = table(loss, 12)
    found = model(loss, budget=[6.5, 1.0, 4.0, 4.0, 100.0], uniform=uniform).fit(X, y)
    assert found.budgets_.tolist() == [1.0, 4.0, 6.5, 8.0]
    assert found.shares_.shape == (4, 5)
    assert (found.share_counts_.sum(axis=1) == 5).all()
    assert found.share_counts_[:, 2].tolist() == (found.shares_ == 1).sum(axis=1).tolist()
    assert ((found.shares_ >= 0) & (found.shares_ <= 1)).all()
    spent = found.shares_ @ (np.ones(5) if uniform else PRICES)
    money = 5 * found.budgets_ / sum(PRICES) if uniform else found.budgets_
    assert (spent <= money * (1 + 1e-9)).all()
    for place, history in enumerate(found.history_):
        assert (np.diff(history[:, 0]) <= 0).all()
        assert (np.diff(history[:, 1]) >= 0).all()
        assert history[-1, 0] == found.relaxed_objective_[place]
        gap = (history[-1, 0] - history[-1, 1]) / history[-1, 0]
        assert found.gap_[place] == pytest.approx(gap, abs=1e-12)
    assert (found.gap_ <= found.tol).all()
    assert (found.n_trainings_ >= 1).all()
    assert found.n_iter_ == found.n_steps_.max() >= 1
    assert (found.least_objective_ <= found.objective_ * (1 + 1e-9)).all()
    columns = sorted(c for name in found.items_[-1] for c in GROUPS[int(name)])
    assert np.flatnonzero(found.coef_[0]).tolist() == columns
    np.testing.assert_allclose(X @ found.coef_[0] + found.intercept_[0], scores(found, X))
    own = found.coef_[0] @ found.coef_[0] / 2 + naive.total_loss(y, scores(found, X), loss, EPSILON)
    assert found.objective_[-1] == pytest.approx(own, rel=1e-6)


def test_prices_make_it_buy_cheap_groups_and_uniform_ones_do_not():
    """Columns of the same use, half of them ten times as dear."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 20))
    y = X.sum(axis=1) + 0.5 * rng.normal(size=200) > 0
    prices = np.where(np.arange(20) % 2, 10.0, 1.0)
    found = BudgetedSVC(prices, 12.0).fit(X, y)
    uniform = BudgetedSVC(prices, 12.0, uniform=True).fit(X, y)
    assert len(found.items_[0]) >= 10
    assert len(uniform.items_[0]) <= len(found.items_[0])
    assert found.objective_[0] <= uniform.objective_[0] * (1 + 1e-9)
    assert uniform.prices_[0] <= 12.0
    cheap, dear = found.shares_[0, ::2].mean(), found.shares_[0, 1::2].mean()
    assert cheap > 2 * dear  # the selection is as norms divided by roots of prices
    assert uniform.shares_[0, ::2].mean() < 1.5 * uniform.shares_[0, 1::2].mean()


class TestScale:
    """Columns that are scaled inside: the same model as with a scaler before it."""

    @pytest.fixture
    def raw(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(120, 6)) * [1.0, 1e4, 1e-4, 3.0, 20.0, 1.0] + [0, 1e5, 1, 2, -400, 7]
        value = (X - X.mean(axis=0)) / X.std(axis=0) @ [1.0, 2.0, -1.5, 0.5, 1.0, 0.1]
        return X, value + rng.normal(size=120)

    @pytest.mark.parametrize("learner", [BudgetedSVC, BudgetedSVR])
    def test_is_what_a_scaler_gives(self, raw, learner):
        X, value = raw
        y = value if learner is BudgetedSVR else value > 0
        ours = learner(budget=[2.0, 4.0], scale=True).fit(X, y)
        scaler = StandardScaler().fit(X)
        theirs = learner(budget=[2.0, 4.0]).fit(scaler.transform(X), y)
        assert ours.items_ == theirs.items_
        for budget in (0.0, 2.0, 4.0):
            expected = scores(theirs, scaler.transform(X), budget)
            np.testing.assert_allclose(scores(ours, X, budget), expected, rtol=1e-6, atol=1e-6)
        expected = scores(ours, X)
        np.testing.assert_allclose(X @ ours.coef_[0] + ours.intercept_[0], expected, rtol=1e-9)

    @pytest.mark.parametrize("learner", [BudgetedSVC, BudgetedSVR])
    def test_stays_in_the_file_and_fills_what_is_missing(self, raw, learner, tmp_path):
        X, value = raw
        y = value if learner is BudgetedSVR else value > 0
        X[::7, 1] = np.nan
        model = learner(budget=4.0, scale=True, missing="mean").fit(X, y)
        save(model, tmp_path / "m.scrimp")
        expected = model.predict(X)
        np.testing.assert_array_equal(load(tmp_path / "m.scrimp").predict(X), expected)

    def test_sparse_columns_are_divided_only(self, raw):
        X, value = raw
        X[np.abs(X - X.mean(axis=0)) < 0.5 * X.std(axis=0)] = 0.0
        ours = BudgetedSVC(budget=4.0, scale=True).fit(sparse.csr_matrix(X), value > 0)
        scaled = StandardScaler(with_mean=False).fit_transform(sparse.csr_matrix(X))
        theirs = BudgetedSVC(budget=4.0).fit(scaled, value > 0)
        assert ours.items_ == theirs.items_
        found = ours.decision_function(sparse.csr_matrix(X))
        np.testing.assert_allclose(found, theirs.decision_function(scaled), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_no_rows_have_no_answers(kind, tmp_path):
    X, y = table("hinge")
    fitted = model("hinge", budget=6.5).fit(X, y)
    save(fitted, tmp_path / "m.scrimp")
    nothing = kind(np.empty((0, X.shape[1])))
    for asked in (fitted, load(tmp_path / "m.scrimp")):
        assert asked.predict(nothing).shape == (0,)
        assert asked.predict_proba(nothing).shape == (0, 2)
        assert asked.spend(nothing, 4.0).shape == (0,)
        assert asked.sweep(nothing, [1.0, 4.0]).spent.shape == (0, 2)
