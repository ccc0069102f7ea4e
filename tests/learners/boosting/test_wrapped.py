"""Models of scikit-learn that are wrapped: they answer as they do, and others are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from scrimp import Costs, SampledBoostingClassifier, load, save
from scrimp.plans import SampledPlan, StumpTable, TermTable, TreeTable

N = 7
PRICES = np.array([1.0, 4.0, 2.0, 0.5, 3.0, 8.0, 2.5])
TREES = [
    AdaBoostClassifier(n_estimators=25, random_state=0),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=12, random_state=0),
    RandomForestClassifier(20, max_depth=2, random_state=0),
    ExtraTreesClassifier(15, max_depth=2, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=3), 15, max_features=0.4, random_state=0),
    BaggingClassifier(
        DecisionTreeClassifier(max_depth=2), 10, bootstrap_features=True, random_state=0
    ),
]
LINEAR = [
    LogisticRegression(),
    RidgeClassifier(),
    LinearSVC(random_state=0),
    SGDClassifier(random_state=0),
    Perceptron(random_state=0),
]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else str(value)


def rows(n_classes, dtype=np.float64, n=300):
    X, y = make_classification(
        n, N, n_informative=5, n_redundant=0, n_classes=n_classes, random_state=1
    )
    return X.astype(dtype), np.array(["no", "perhaps", "yes"])[y]


def wrap(model, **options):
    return SampledBoostingClassifier.from_ensemble(
        model, **({"costs": PRICES, "random_state": 0} | options)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", TREES + LINEAR, ids=name)
def test_the_full_vote_is_the_models_own(model, n_classes):
    X, y = rows(n_classes)
    fresh = np.random.default_rng(2).normal(size=(500, N))
    model.fit(X, y)
    for kind in ({}, {"sampling": "uniform", "bound": "paper"}, {"sampling": "top"}):
        wrapped = wrap(model, **kind)
        assert (wrapped.predict(fresh) == model.predict(fresh)).all()
        assert (wrapped.classes_ == model.classes_).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("model", TREES, ids=name)
def test_rows_on_a_threshold_go_where_the_tree_sends_them(model, dtype):
    X, y = rows(2, dtype)
    model.fit(X, y)
    subsets = getattr(model, "estimators_features_", [np.arange(N)] * len(model.estimators_))
    edge = np.repeat(X[:1].astype(np.float64), 600, axis=0)
    cuts = [
        (own[f], cut)
        for own, member in zip(subsets, model.estimators_, strict=True)
        for f, cut in zip(member.tree_.feature, member.tree_.threshold, strict=True)
        if f >= 0
    ][:200]
    for k, (column, cut) in enumerate(cuts):
        edge[3 * k : 3 * k + 3, column] = cut, cut * (1 + 1e-12), cut * (1 - 1e-9)
    wrapped = wrap(model)
    assert (wrapped.predict(edge) == model.predict(edge)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_the_model(n_classes):
    X, y = rows(n_classes)
    for model in TREES[2:]:
        full = model.fit(X, y).predict_proba(X)
        wrapped = wrap(model)
        scores = wrapped.decision_function(X)
        ahead = full if n_classes > 2 else full[:, 1] - full[:, 0]
        np.testing.assert_allclose(scores, ahead, atol=1e-12)
        np.testing.assert_allclose(wrapped.predict_proba(X), full, atol=1e-12)
        shares = np.unique(y, return_counts=True)[1] / len(y)
        assert wrapped.predict_proba(X[:1], 0.0)[0] == pytest.approx(shares, abs=0.1)
    for model in LINEAR:
        expected = model.fit(X, y).decision_function(X)
        np.testing.assert_allclose(wrap(model).decision_function(X), expected, atol=1e-9)
        shifted = wrap(model, background=X).decision_function(X)
        np.testing.assert_allclose(shifted, expected, atol=1e-9)
    model = LogisticRegression().fit(X, y)
    np.testing.assert_allclose(wrap(model).predict_proba(X), model.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("sampling", ["cost-aware", "top"])
def test_ties_go_as_the_model_has_them(sampling):
    X, y = rows(2)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.3, "no", y)
    for model in (RandomForestClassifier(4, random_state=0), BaggingClassifier(n_estimators=2)):
        half = model.fit(X[::2], y[::2]).predict_proba(X)[:, 1] == 0.5
        assert half.sum() > 5
        assert (wrap(model, sampling=sampling).predict(X) == model.predict(X)).all()


def test_models_of_several_labels_or_one_class_are_refused():
    X, y = rows(2)
    with pytest.raises(ValueError, match="several labels at once"):
        wrap(RidgeClassifier().fit(X, np.column_stack([y == "no", y != "no"])))
    with pytest.raises(ValueError, match=r"knows one class only, \[1\]"):
        wrap(RandomForestClassifier(3).fit(X, np.ones(len(X), dtype=int)))
    with pytest.raises(ValueError, match="background has no rows"):
        wrap(LogisticRegression().fit(X, y), background=X[:0])


def test_a_price_of_almost_nothing_is_a_price():
    X, y = rows(2)
    model = LogisticRegression().fit(X, y)
    wrapped = SampledBoostingClassifier.from_ensemble(model, [1e-310, *PRICES[1:]])
    assert wrapped.spend(X, budget=1.0).max() <= 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_adaboost_scores_are_its_votes(n_classes):
    X, y = rows(n_classes)
    for model in TREES[:2]:
        expected = model.fit(X, y).decision_function(X)
        scores = wrap(model).decision_function(X)
        ratio = scores / expected
        np.testing.assert_allclose(ratio, ratio.flat[0])
        assert ratio.flat[0] > 0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [*TREES, LINEAR[0]], ids=name)
def test_a_batch_a_session_and_a_file_say_the_same(model, n_classes, tmp_path, monkeypatch):
    X, y = rows(n_classes, n=120)
    costs = Costs(
        names=("fee", *"abcdef"),
        prices=(1.5, 1.0, 4.0, 0.5, 0.0, 3.0, 8.1),
        columns=((), (0,), (1, 2), (3,), (4,), (5,), (6,)),
        requires=((), (0,), (), (0,), (), (), (1,)),
    )
    wrapped = wrap(model.fit(X, y), costs=costs)
    save(wrapped, tmp_path / "m.scrimp")
    budgets = np.array([0.0, 0.1, 0.3, 0.6, 0.9, 1.0]) * wrapped.plan_.price
    sweep, kept = wrapped.sweep(X[:20], budgets), load(tmp_path / "m.scrimp").sweep(X[:20], budgets)
    np.testing.assert_array_equal(sweep.scores, kept.scores)
    np.testing.assert_array_equal(sweep.spent, kept.spent)
    assert (sweep.spent <= budgets + 1e-9).all()
    monkeypatch.setattr(SampledPlan, "answer_cohort", lambda *given: None)
    slow = wrapped.sweep(X[:20], budgets)
    np.testing.assert_array_equal(sweep.spent, slow.spent)
    np.testing.assert_allclose(sweep.scores, slow.scores, rtol=1e-9, atol=1e-12)
    for key, budget in ((3, budgets[2]), (7, budgets[3])):
        session = wrapped.session(budget, key=key)
        while (request := session.ask()) is not None:
            session.tell({c: X[key, int(c[1:])] for c in request.columns})
        place = budgets.tolist().index(budget)
        np.testing.assert_allclose(session.read().scores, sweep.scores[key, place], atol=1e-12)
        assert session.spent == sweep.spent[key, place]


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=12, random_state=0),
        TREES[2],
        LINEAR[0],
    ],
    ids=name,
)
@pytest.mark.parametrize("sampling", ["uniform", "cost-aware"])
def test_draws_estimate_the_full_vote_without_bias(model, sampling):
    X, y = rows(3)
    wrapped = wrap(model.fit(X, y), sampling=sampling, max_draws=1)
    row = np.repeat(X[:1], 20_000, axis=0)
    scores = wrapped.predictor_.answer(row, 0.999 * wrapped.plan_.price)[0]
    full = wrapped.predictor_.answer(X[:1])[0][0]
    error = scores.std(axis=0) / np.sqrt(len(row))
    assert (np.abs(scores.mean(axis=0) - full) < 4.5 * error).all()


def test_a_tree_costs_all_that_is_on_it():
    X, y = rows(2)
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    wrapped = wrap(forest)
    on_it = [
        sorted(set(member.tree_.feature[member.tree_.feature >= 0].tolist()))
        for member in forest.estimators_
    ]
    assert [sorted(needs) for needs in wrapped.plan_.needs] == on_it
    most = [
        np.abs(m.tree_.value[m.tree_.feature < 0, 0, 1] - 0.5).max() for m in forest.estimators_
    ]
    worth = np.array(most) / [PRICES[columns].sum() for columns in on_it]
    np.testing.assert_allclose(wrapped.plan_.plan.probability, worth / worth.sum())


def test_terms_without_weight_are_not_bought_and_spread_makes_chances():
    X, y = rows(2)
    X[:, 2] *= 100.0
    model = LogisticRegression().fit(X, y)
    model.coef_[0, 4] = 0.0
    plan = wrap(model, background=X, sampling="uniform").plan_.plan
    assert 4 not in plan.members.column
    worth = np.abs(model.coef_[0]) * X.std(axis=0)
    expected = worth[plan.members.column[:-1]] / worth.sum()
    np.testing.assert_allclose(plan.probability, [*expected, 0.0])
    at_the_mean = wrap(model, background=X).decision_function(X[:1], 0.0)
    assert at_the_mean == pytest.approx(model.decision_function(X.mean(axis=0)[None]))


def test_kinds_of_members():
    X, y = rows(2)
    kinds = [type(wrap(model.fit(X, y)).plan_.plan.members) for model in (*TREES[:3], LINEAR[0])]
    assert kinds == [StumpTable, TreeTable, TreeTable, TermTable]


def test_missing_values_go_where_the_forest_sends_them():
    X, y = rows(2)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    forest = RandomForestClassifier(20, max_depth=3, random_state=0).fit(X, y)
    assert (wrap(forest).predict(X) == forest.predict(X)).all()
    np.testing.assert_allclose(wrap(forest).predict_proba(X), forest.predict_proba(X), atol=1e-12)


def test_a_linear_model_takes_no_missing_value_that_it_buys():
    X, y = rows(2)
    wrapped = wrap(LogisticRegression().fit(X, y))
    X[0, 3] = np.nan
    with pytest.raises(ValueError, match="Column 'x3' was bought and holds NaN or infinity"):
        wrapped.predict(X)
    with pytest.raises(ValueError, match="Column 'x3' was bought"):
        wrapped.predict(X, 0.99 * wrapped.plan_.price, keys=np.full(len(X), 5))
    with pytest.raises(ValueError, match="X holds NaN or infinity"):
        wrapped.draws_for(0.9, X)
    assert len(wrapped.predict(X, 0.0)) == len(X)


@pytest.mark.parametrize("model", [TREES[1], TREES[2], TREES[4]], ids=name)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_margins_and_draws_of_trees(model, n_classes):
    X, y = rows(n_classes)
    wrapped = wrap(model.fit(X, y))
    margins, draws = wrapped.margins(X), wrapped.draws_for(0.9, X)
    assert np.abs(margins).max() <= 1
    scores = wrapped.decision_function(X)
    if n_classes == 2:
        assert (np.sign(margins) == np.sign(scores)).all()
    rng, plan = np.random.default_rng(0), wrapped.plan_.plan
    drawn = plan.probability > 0
    for row in np.argsort(draws)[[0, 20, 100]]:
        votes = plan.members.votes_on(X, np.array([row]))[:, :, 0]
        counts = rng.multinomial(int(draws[row]), plan.probability[drawn], size=2000)
        mean = counts @ (votes[drawn] / plan.probability[drawn][:, None]) / draws[row]
        mean += votes[~drawn].sum(axis=0)
        if mean.shape[1] == 1:
            agree = np.sign(mean[:, 0]) == np.sign(scores[row])
        else:
            agree = mean.argmax(axis=1) == plan.members.votes_on(X, [row]).sum(axis=0).argmax()
        assert agree.mean() >= 0.9


def test_a_linear_model_has_draws_but_no_margins():
    X, y = rows(2)
    wrapped = wrap(LogisticRegression().fit(X, y), sampling="uniform")
    plan = wrapped.plan_.plan
    votes = plan.members.votes_on(X, np.arange(len(X)))[:-1, 0]
    reach = np.abs(votes / plan.probability[:-1, None]).max(axis=0)
    expected = np.ceil(2 * np.log(10) * (reach / wrapped.decision_function(X)) ** 2)
    np.testing.assert_allclose(wrapped.draws_for(0.9, X), expected, atol=1)
    with pytest.raises(ValueError, match="terms of a linear model have no bound"):
        wrapped.margins(X)


def test_other_models_are_refused():
    X, y = rows(3)
    number = np.unique(y, return_inverse=True)[1]
    supported = r"Supported are fitted models of scikit-learn: AdaBoostClassifier, Bagging"
    for model in (AdaBoostRegressor(), RandomForestRegressor(5), GradientBoostingClassifier()):
        kind = type(model).__name__
        with pytest.raises(TypeError, match=rf"ensemble is a {kind}\. {supported}"):
            wrap(model.fit(X, number))
    with pytest.raises(TypeError, match=r"ensemble is a Pipeline, .* Take its last step out"):
        wrap(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y))
    for model in (AdaBoostClassifier(), RandomForestClassifier(), LogisticRegression()):
        with pytest.raises(NotFittedError):
            wrap(model)
    with pytest.raises(TypeError, match=r"Member 0 is a LogisticRegression\. Supported"):
        wrap(BaggingClassifier(LogisticRegression(), 3).fit(X, y))
    with pytest.raises(ValueError, match="ensemble predicts several targets at once"):
        wrap(RandomForestClassifier(3).fit(X, np.column_stack([number, number])))
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    forest.estimators_[1] = DecisionTreeClassifier().fit(X[:, :3], number)
    with pytest.raises(ValueError, match="Member 1 sees 3 columns and not 7"):
        wrap(forest)


def test_names_prices_and_background_must_fit():
    X, y = rows(2)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="feature_names has 2 names; the ensemble has 7 columns"):
        wrap(forest, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="7"):
        wrap(forest, costs=[1.0, 2.0])
    with pytest.raises(ValueError, match="background is for linear models"):
        wrap(forest, background=X)
    with pytest.raises(ValueError, match="background holds NaN"):
        wrap(LogisticRegression().fit(X, y), background=np.full((3, N), np.nan))
    with pytest.raises(ValueError, match="expected rows of 7 columns"):
        wrap(LogisticRegression().fit(X, y), background=X[:, :3])
    named = wrap(forest, feature_names=list("abcdefg"))
    assert named.columns_.names == tuple("abcdefg")


def test_the_papers_bound_names_the_item_that_is_too_dear():
    X, y = rows(2)
    wrapped = wrap(LogisticRegression().fit(X, y), bound="paper")
    with pytest.warns(UserWarning, match=r"unless 8 is left, what the dearest purchase, 'x5'"):
        assert not wrapped.spend(X, 7.0).any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wrapped.spend(X, 8.0).all()


def test_a_tree_without_a_test_votes_for_nothing_and_always():
    X, y = rows(2)
    bag = BaggingClassifier(
        DecisionTreeClassifier(max_depth=2, min_samples_leaf=130), 6, random_state=0
    ).fit(X, y)
    wrapped = wrap(bag)
    assert any(not own for own in wrapped.plan_.plan.reads)
    assert (wrapped.predict(X) == bag.predict(X)).all()
    assert not wrapped.spend(X, 0.0).any()
