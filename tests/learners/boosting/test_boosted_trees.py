"""Boosted trees within a budget, as estimators; their twin has a file of its own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, make_classification

from scrimp import BudgetedBoostingClassifier, BudgetedBoostingRegressor, Costs, load, save
from scrimp.datasets import load_heart
from scrimp.kernels.tree_histograms import add_histograms, n_words, quantise, unpack

HEART = load_heart()


def trees(**options):
    settings = {"max_depth": 3, "n_rounds": 20, "min_samples_leaf": 5, "random_state": 0}
    return BudgetedBoostingClassifier(HEART.costs, **settings | options)


@pytest.fixture(scope="module")
def model():
    return trees().fit(HEART.X, HEART.y)


def numbers(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, 2.0 * X[:, 0] * (X[:, 1] > 0) + X[:, 2] + 0.1 * rng.normal(size=n)


def test_they_learn_what_stumps_cannot():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    deep, flat = (
        BudgetedBoostingClassifier(max_depth=depth, n_rounds=40, random_state=0).fit(
            X[:400], y[:400]
        )
        for depth in (3, 1)
    )
    assert deep.score(X[400:], y[400:]) > 0.9
    assert flat.score(X[400:], y[400:]) < 0.65


def test_many_classes_share_a_tree():
    X, y = load_digits(return_X_y=True)
    model = BudgetedBoostingClassifier(
        max_depth=4, n_rounds=60, combine="vote", early_stopping=False, random_state=0
    )
    assert model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.9
    assert model.n_trees_ == 60


@pytest.mark.parametrize("combine", ["stacked", "vote"])
@pytest.mark.parametrize("budget", [0.0, 1.0, 5.0, 120.0, None])
def test_no_row_spends_more_than_its_budget(combine, budget):
    fitted = trees(combine=combine).fit(HEART.X, HEART.y)
    spend = fitted.spend(HEART.X, budget)
    assert (spend <= (HEART.costs.total if budget is None else budget) + 1e-9).all()


def test_the_training_budget_is_hard():
    fitted = trees(budget=10.0).fit(HEART.X, HEART.y)
    assert 0 < fitted.spend(HEART.X).max() <= 10.0


def test_a_list_of_budgets_is_an_ensemble_for_each():
    fitted = trees(budget=[3.0, 110.0]).fit(HEART.X, HEART.y)
    assert fitted.spend(HEART.X, 100.0).max() <= 3.0
    assert fitted.spend(HEART.X, 110.0).max() > 3.0


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_nothing(threads):
    X, y = make_classification(3_000, 20, random_state=0)
    X[::7, 3] = np.nan
    one, other = (
        BudgetedBoostingClassifier(
            max_depth=4, n_rounds=5, n_jobs=n, combine="vote", early_stopping=False, random_state=0
        ).fit(X, y)
        for n in (1, threads)
    )
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_histograms_of_blocks_of_rows_add_up():
    rng = np.random.default_rng(0)
    n, outputs = 500, 3
    gradient, hessian = rng.normal(size=(n, outputs)), rng.random(n)
    bins = rng.integers(0, 256, size=(6, n)).astype(np.uint8)
    packed = np.zeros((n, n_words(outputs)), dtype=np.int64)
    rows, columns = np.arange(n, dtype=np.uint32), np.arange(6)
    quantise(gradient, hessian, rows, 1e5, 1e5, 7, packed)
    whole, parts = (np.zeros((6, 256, packed.shape[1]), dtype=np.int64) for _ in range(2))
    add_histograms(bins, columns, rows, packed, whole)
    for block in np.array_split(rows, 3):
        add_histograms(bins, columns, block, packed[block], parts)
    np.testing.assert_array_equal(whole, parts)
    sums = np.zeros(1 + outputs)
    unpack(whole[0].sum(axis=0), sums)
    np.testing.assert_allclose(sums[0] / 1e5, hessian.sum(), atol=1e-3)
    np.testing.assert_allclose(sums[1:] / 1e5, gradient.sum(axis=0), atol=1e-3)


@pytest.mark.parametrize("budget", [4.0, 120.0, None])
def test_a_certain_stop_keeps_labels_and_saves_money(model, budget):
    plain, stopped = (model.predict(HEART.X, budget, stop=stop) for stop in (None, "certain"))
    np.testing.assert_array_equal(plain, stopped)
    spend = model.spend(HEART.X, budget, stop="certain")
    assert (spend <= model.spend(HEART.X, budget) + 1e-9).all()
    if budget is None:
        assert spend.mean() < 0.99 * model.spend(HEART.X, budget).mean()
    for row in range(0, 300, 60):
        session = model.session(budget, stop="certain")
        while (request := session.ask()) is not None:
            session.tell({name: HEART.X[name][row] for name in request.columns})
        assert session.read().label == plain[row]
        assert session.spent == pytest.approx(spend[row])


def test_bounds_hold_for_all_values_of_what_is_not_known():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    y = (np.nan_to_num(X).sum(axis=1) > 0).astype(int)
    fitted = BudgetedBoostingClassifier(
        max_depth=3, n_rounds=8, min_samples_leaf=2, combine="vote", early_stopping=False,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    trees_model = fitted.plan_.plan.entries[-1].model
    known = [0, 2]
    (lower,), (upper,) = trees_model.ranges(X, np.arange(150), [known])
    reached = []
    for _ in range(200):
        filled = np.where(rng.random(X.shape) < 0.3, np.nan, 2.0 * rng.normal(size=X.shape))
        filled[:, known] = X[:, known]
        scores = trees_model.scores(filled, np.arange(150))
        assert (lower <= scores + 1e-12).all()
        assert (scores <= upper + 1e-12).all()
        reached.append(scores)
    # nearly all of the range is reached by some values
    width = (upper - lower).mean()
    assert (np.max(reached, axis=0) - np.min(reached, axis=0)).mean() > 0.7 * width


def test_failed_and_owned_items_are_answered_by_what_there_is(model):
    failed = np.isin(HEART.costs.names, ["cp"])
    answer = model.predict_proba(HEART.X, failed=np.tile(failed, (303, 1)))
    prior = model.predict_proba(HEART.X, 0.0)
    right = np.arange(303), HEART.y
    assert -np.log(answer[right]).mean() < -np.log(prior[right]).mean()


def test_files_hold_them(model, tmp_path):
    save(model, tmp_path / "trees.scrimp")
    loaded = load(tmp_path / "trees.scrimp")
    for budget in (0.0, 3.0, None):
        np.testing.assert_array_equal(
            loaded.predict_proba(HEART.X, budget), model.predict_proba(HEART.X, budget)
        )


def test_categories_are_split_as_sets_and_unseen_ones_count_as_missing():
    rng = np.random.default_rng(0)
    names = np.array([f"c{k}" for k in range(12)])
    codes = rng.integers(0, 12, 800)
    y = np.isin(codes, [0, 3, 4, 9, 11]).astype(int)
    X = pd.DataFrame({"group": pd.Categorical(names[codes]), "noise": rng.normal(size=800)})
    fitted = BudgetedBoostingClassifier(
        max_depth=1, loss="logistic", n_rounds=10, combine="vote", early_stopping=False
    ).fit(X, y)
    assert fitted.score(X, y) == 1.0  # one set tells, where one category against the rest does not
    strange = pd.DataFrame({"group": ["never seen", None], "noise": [0.0, 0.0]})
    one, other = fitted.predict_proba(strange)
    np.testing.assert_array_equal(one, other)


def test_rows_of_which_nothing_is_known():
    X, y = numbers()
    X[:20] = np.nan
    fitted = BudgetedBoostingRegressor(max_depth=3, n_rounds=20, random_state=0).fit(X, y)
    assert np.isfinite(fitted.predict(np.full((3, 4), np.nan))).all()


@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile", "poisson"])
def test_all_losses_of_numbers_learn(loss):
    X, y = numbers(600)
    y = np.floor(np.exp(y / 2)) if loss == "poisson" else y
    fitted = BudgetedBoostingRegressor(
        max_depth=3, loss=loss, n_rounds=60, quantile=0.9, random_state=0
    ).fit(X[:400], y[:400])
    predicted = fitted.predict(X[400:])
    if loss == "quantile":
        assert 0.8 < (y[400:] <= predicted).mean() < 0.98
    else:
        rest = np.abs(predicted - y[400:]).mean()
        assert rest < 0.7 * np.abs(np.median(y[:400]) - y[400:]).mean()


def test_subsamples_are_drawn_by_the_seed():
    X, y = numbers()
    options = {"max_depth": 2, "n_rounds": 5, "subsample": 0.5, "colsample": 0.5}
    one, same, other = (
        BudgetedBoostingRegressor(random_state=seed, **options).fit(X, y).predict(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other)


def test_a_penalty_buys_less_the_larger_it_is():
    X, y = make_classification(500, 8, n_informative=5, random_state=0)
    spent = [
        BudgetedBoostingClassifier(
            Costs.uniform(8), rule="penalty", penalty=penalty, max_depth=3, n_rounds=20,
            combine="vote", early_stopping=False,
        ).fit(X, y).spend(X).max()
        for penalty in (0.0, 0.02, 0.2)
    ]  # fmt: skip
    assert spent[0] == 8.0
    assert spent[0] > spent[1] > spent[2] > 0.0


def test_early_stopping_ends_before_it_follows_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
    with pytest.warns(UserWarning, match="No split improves on the prior"):
        fitted = BudgetedBoostingClassifier(max_depth=4, random_state=1).fit(X, y)
    np.testing.assert_allclose(fitted.predict_proba(X), fitted.predict_proba(X, 0.0))


def test_when_interrupted_what_is_done_is_the_model():
    done = []

    def interrupt(event):
        done.append(event)
        if event.task == "entries" and event.done == 2:
            raise KeyboardInterrupt

    fitted = trees().set_callbacks(interrupt)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(HEART.X, HEART.y)
    assert fitted.score(HEART.X, HEART.y) > 0.6


def test_without_time_there_is_an_answer():
    fitted = trees(max_seconds=1e-6).fit(HEART.X, HEART.y)
    assert not fitted.in_time_
    assert fitted.predict(HEART.X).shape == (303,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": 0}, "max_depth is 0; expected a whole number >= 1"),
        ({"max_depth": 2.5}, "max_depth is 2.5; expected a whole number"),
        ({"subsample": 0.0}, "subsample is 0.0; expected a number > 0 and <= 1"),
        ({"colsample": 1.5}, "colsample is 1.5; expected a number > 0 and <= 1"),
        ({"learning_rate": 0}, "learning_rate is 0; expected a number > 0 and <= 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf is 0; expected a number >= 1"),
        ({"l2_regularization": -1}, "l2_regularization is -1; expected a number >= 0"),
        ({"penalty": float("nan")}, "penalty is nan; expected a number >= 0"),
        ({"early_stopping": "auto"}, "early_stopping is 'auto'; expected True or False"),
        ({"validation_fraction": 0.9}, "validation_fraction is 0.9; expected a number > 0 and"),
        ({"n_iter_no_change": 0}, "n_iter_no_change is 0; expected a whole number >= 1"),
        ({"loss": "hinge"}, "loss is 'hinge'; expected one of"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has the shape"),
        ({"monotonic_cst": {"nothing": 1}}, "monotonic_cst names 'nothing', which is no column"),
        ({"monotonic_cst": {"age": 2}}, "monotonic_cst holds 2; expected -1, 0 or 1"),
        ({"monotonic_cst": {"cp": 1}}, "monotonic_cst constrains 'cp', whose categories"),
    ],
)
def test_what_cannot_be_followed_is_refused(options, message):
    X = HEART.X.with_columns(HEART.X["cp"].cast(str))
    with pytest.raises(ValueError, match=message):
        trees(**options).fit(X, HEART.y)


def test_constraints_are_for_one_score():
    y = np.arange(303) % 3
    with pytest.raises(ValueError, match="monotonic_cst is for two classes or numbers"):
        trees(monotonic_cst={"age": 1}).fit(HEART.X, y)


def test_counts_are_not_negative():
    X, y = numbers()
    with pytest.raises(ValueError, match="loss is 'poisson', and y holds -"):
        BudgetedBoostingRegressor(loss="poisson").fit(X, y)


def test_too_many_categories_are_refused():
    X = pd.DataFrame({"id": [f"p{k}" for k in range(300)]})
    with pytest.raises(ValueError, match=r"Column 'id' has 300 categories; trees take at most 255"):
        BudgetedBoostingClassifier(max_depth=2).fit(X, np.arange(300) % 2)


def test_a_budget_below_the_cheapest_split_is_said():
    with pytest.warns(UserWarning, match=r"The cheapest item .* but the budget is 0.5"):
        fitted = trees(budget=0.5).fit(HEART.X, HEART.y)
    assert fitted.spend(HEART.X).max() == 0.0


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"learning_rate": 0.1}, "learning_rate does nothing here"),
        (
            {"min_samples_leaf": 5, "early_stopping": False},
            "min_samples_leaf and early_stopping do",
        ),
        ({"rule": "penalty"}, "penalty is 0, so that prices do not count"),
    ],
)
def test_parameters_without_an_effect_are_named(params, words):
    X, y = np.arange(60.0).reshape(30, 2), np.repeat([0, 1], 15)
    with pytest.warns(UserWarning, match=words):
        BudgetedBoostingClassifier(n_rounds=2, **params).fit(X, y)
