"""New prices for a fitted model: nothing is trained, nothing overspent, the old one stays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    Costs,
    Item,
    SampledBoostingClassifier,
    SequencedClassifier,
    SequencedRegressor,
    load,
    save,
)
from scrimp.costs.ledger import within
from scrimp.costs.repricing import at_new_prices
from scrimp.datasets import load_heart
from tests.contract.handmade import KINDS, clinic, predictor
from tests.contract.strategies import problems, quick, rows_for

pytestmark = pytest.mark.filterwarnings(
    "ignore:The cheapest purchase", "ignore:Nothing is bought unless"
)
CANCER = load_breast_cancer(return_X_y=True)
RNG = np.random.default_rng(0)
OLD, NEW = RNG.uniform(0.1, 3.0, 30), RNG.uniform(0.1, 3.0, 30)
NEW[3] = 0.0


def same_parts(one, other):
    """Whether two plans are the same to rounding."""
    (header, arrays), (theirs, parts) = one.parts(), other.parts()
    assert header == theirs
    assert arrays.keys() == parts.keys()
    for name, array in arrays.items():
        np.testing.assert_allclose(array, parts[name], rtol=1e-12, err_msg=name)


def test_prices_go_by_name_whatever_their_order():
    old = clinic()
    back = Costs.from_items(
        Item(
            old.names[i], old.prices[i] * 2, tuple(old.column_name(c) for c in old.columns[i]),
            tuple(old.names[r] for r in old.requires[i]),
        )
        for i in reversed(range(old.n_items))
    )  # fmt: skip
    doubled = replace(old, prices=tuple(2 * price for price in old.prices))
    assert at_new_prices(old, back) == doubled
    assert at_new_prices(old, dict(zip(back.names, back.prices, strict=True))) == doubled
    assert at_new_prices(old, doubled.prices) == doubled
    assert at_new_prices(old, replace(doubled, column_names=None)) == doubled


@pytest.mark.parametrize(
    ("prices", "text"),
    [
        ({"age": 1.0}, r"Repricing with other items: no price for 'draw', 'ward', 'chol'"),
        (
            dict.fromkeys([*clinic().names, "mri"], 1.0),
            "prices for 'mri', which the model does not have",
        ),
        ([1.0, 2.0], "Repricing with 2 prices, but there are 7 items: 'age', 'draw'"),
        (
            replace(clinic(), requires=((), (), (), (1,), (), (2, 3), ())),
            r"'sugar' requires \[\], but in the model \['draw'\]",
        ),
        (
            replace(clinic(), columns=((1,), (), (0, 4), (2,), (3,), (5,), ())),
            r"'age' brings \['pulse'\], but in the model \['age'\]",
        ),
        (dict.fromkeys(clinic().names, -1.0), "price -1.0; expected a finite number >= 0"),
    ],
)
def test_other_items_are_refused_and_named(prices, text):
    with pytest.raises(ValueError, match=text):
        predictor("additive", clinic()).reprice(prices)


@pytest.mark.parametrize("kind", KINDS)
@quick
@given(problem=problems())
def test_no_row_overspends_at_the_new_prices(kind, problem):
    costs, budgets = problem
    old = replace(costs, prices=tuple(np.linspace(1.0, 5.0, costs.n_items)))
    before = predictor(kind, old)
    model = before.reprice(costs)
    assert model.costs == costs
    assert before.costs == old
    X = rows_for(model)
    sweep = model.sweep(X, budgets)
    for budget, spent in zip(budgets, sweep.spent.T, strict=True):
        assert all(within(row, budget) for row in spent)
    # with money for all, prices do not matter
    np.testing.assert_allclose(model.answer(X)[0], before.answer(X)[0], rtol=1e-9)


@pytest.mark.parametrize("sampling", ["cost-aware", "uniform", "top"])
@pytest.mark.parametrize("bound", ["remaining", "paper"])
@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(15, max_depth=3, random_state=0),
        AdaBoostClassifier(n_estimators=20, random_state=0),
        LogisticRegression(C=1e-3, max_iter=5000),
    ],
    ids=lambda ensemble: type(ensemble).__name__,
)
def test_a_sampled_vote_is_drawn_as_if_it_had_had_these_prices(ensemble, bound, sampling):
    if sampling == "top" and bound == "paper":
        pytest.skip("draws nothing")
    ensemble.fit(*CANCER)
    options = {"sampling": sampling, "bound": bound, "random_state": 0}
    model = SampledBoostingClassifier.from_ensemble(ensemble, OLD, **options)
    before = model.plan_
    repriced = model.reprice(NEW)
    fresh = SampledBoostingClassifier.from_ensemble(ensemble, NEW, **options)
    same_parts(repriced.plan_.plan, fresh.plan_.plan)
    assert repriced.plan_.costs == fresh.plan_.costs
    assert model.plan_ is before
    assert before.costs.prices == tuple(OLD)


def test_chances_follow_the_prices_from_a_file_too(tmp_path):
    model = SampledBoostingClassifier(OLD, n_rounds=20, random_state=0).fit(*CANCER)
    save(model, tmp_path / "m.scrimp")
    same_parts(load(tmp_path / "m.scrimp").reprice(NEW).plan.plan, model.reprice(NEW).plan_.plan)


@pytest.mark.parametrize("criterion", ["forward", "omp"])
def test_a_sequence_is_chosen_anew_without_the_data(criterion):
    X, y = load_diabetes(return_X_y=True)
    options = {"criterion": criterion, "budget": 12.0}
    model = SequencedRegressor(OLD[:10], **options).fit(X, y)
    order = model.sequence_
    repriced = model.reprice(NEW[:10])
    fresh = SequencedRegressor(NEW[:10], **options).fit(X, y)
    assert repriced.sequence_ == fresh.sequence_ != order
    np.testing.assert_array_equal(repriced.sweep(X, [3.0, 9.0]).scores,
                                  fresh.sweep(X, [3.0, 9.0]).scores)  # fmt: skip
    repriced.partial_fit(X[:50], y[:50])
    assert model.sequence_ == order
    assert model.sums_.n_rows == len(X)
    np.testing.assert_array_equal(model.costs, OLD[:10])


@pytest.mark.parametrize(
    "learner",
    [
        BudgetedBoostingClassifier(n_rounds=15),
        BudgetedBoostingClassifier(budget=[3.0, 9.0, 30.0], n_rounds=15),
        BudgetedTreeClassifier(prune=None, max_depth=4, random_state=0),
        SequencedClassifier(criterion="omp"),
    ],
    ids=["booster", "menu", "tree", "classifier"],
)
def test_what_was_learnt_stays_and_prices_change(learner, tmp_path):
    X, y = CANCER
    model = learner.set_params(costs=OLD).fit(X, y)
    repriced = model.reprice(NEW)
    np.testing.assert_array_equal(model.predict(X), repriced.predict(X))
    assert repriced.plan_.costs.prices == tuple(NEW)
    assert model.plan_.costs.prices == tuple(OLD)
    assert model.costs is OLD
    sweep = repriced.sweep(X, [0.5, 2.0, 8.0])
    assert (sweep.spent <= np.array([0.5, 2.0, 8.0]) * (1 + 1e-9)).all()
    save(repriced, tmp_path / "m.scrimp")
    np.testing.assert_array_equal(load(tmp_path / "m.scrimp").predict(X, 2.0), sweep.labels()[:, 1])


def test_the_entry_of_a_menu_is_chosen_by_the_new_prices():
    heart = load_heart()
    model = BudgetedBoostingClassifier(heart.costs, budget=[5.0, 30.0, 205.0], n_rounds=20)
    model.fit(heart.X, heart.y)
    cheap = model.reprice([price / 100 for price in heart.costs.prices])
    np.testing.assert_array_equal(
        cheap.predict_proba(heart.X, 2.05), model.predict_proba(heart.X, 205.0)
    )


def test_a_calibrated_model_keeps_its_maps():
    X, y = CANCER
    sampled = SampledBoostingClassifier(OLD, n_rounds=15, random_state=0)
    model = CalibratedClassifier(sampled, random_state=0).fit(X, y)
    repriced = model.reprice(NEW)
    assert repriced.plan_.plan.calibrators is model.plan_.plan.calibrators
    same_parts(repriced.plan_.plan.inner, model.estimator_.reprice(NEW).plan_.plan)
    same_parts(repriced.plan_.plan, model.predictor_.reprice(NEW).plan.plan)
    assert (repriced.spend(X, 3.0) <= 3.0 + 1e-9).all()
