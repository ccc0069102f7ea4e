"""FrontierClassifier and FrontierRegressor: contracts, candidates, interruption, real data."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scrimp import (
    BudgetedBoostingClassifier,
    FrontierClassifier,
    FrontierRegressor,
    SequencedClassifier,
    SequencedRegressor,
    check_budgeted_estimator,
    load,
    save,
)
from scrimp.costs.ledger import within
from scrimp.datasets import load_heart
from scrimp.meta.frontier import base, item_search, menu, racing, selection_bias
from scrimp.meta.frontier import candidates as candidates_module
from scrimp.runtime.events import listening

from .tables import COSTS, response, table

#: Budgets that buy nothing are remarked upon, and here they are on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

QUICK = {"candidates": ["linear"], "cv": 2}
BUDGETS = [0.0, 2.4, 3.0, 3.5, 7.5, 10.5]


class OfThreeClasses(FrontierClassifier):
    """Makes a third class of every third row."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, np.where(np.arange(len(y)) % 3 == 0, 2, y), sample_weight)


@pytest.mark.parametrize(
    "model",
    [
        OfThreeClasses(budgets=[1.0], **QUICK),
        FrontierClassifier(budgets=[1.0], cv=2, candidates=["edge"]),
    ],
    ids=["three classes", "learners"],
)
def test_keeps_the_budget_contract(model):
    # its problems have two classes
    excluded = ["check_no_worse_than_prior"] if isinstance(model, OfThreeClasses) else []
    check_budgeted_estimator(model, max_examples=2, exclude=excluded)


def data(n_classes, n=240, seed=0):
    X, signal = table(n, seed)
    return X, response(signal, n_classes, seed)


def fitted(n_classes=2, **options):
    """A quick model on the priced columns of six, its rows and their truth."""
    X, y = data(n_classes)
    kind = FrontierClassifier if n_classes else FrontierRegressor
    given = {"costs": COSTS, "budgets": BUDGETS, **QUICK, **options}
    return kind(**given).fit(X, y), X, y


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_the_menu_grows_better_and_never_costs_more_than_its_budget(n_classes):
    model, X, _ = fitted(n_classes, candidates=["linear", "boosted", "edge"])
    assert len(model.chosen_) >= 2
    briers = [model.prior_.brier, *(entry.brier for entry in model.chosen_)]
    assert briers == sorted(briers, reverse=True)
    assert briers[1:] == [entry["brier"] for entry in model.predictor_.info["chosen"]]
    assert briers[0] == model.prior_.selection_loss
    for entry in model.chosen_:
        assert within(entry.price, entry.budget)
        position = BUDGETS.index(entry.budget)
        tested = model.losses_[entry.candidate][position]
        assert -1e-9 <= entry.loss - tested < entry.standard_error
    for budget in (0.0, 1.0, 2.5, 3.2, 6.0, 8.0, 99.0):
        assert all(within(spent, budget) for spent in model.spend(X, budget))
    assert set(model.losses_) <= {"linear", "boosted", "edge"}
    assert model.failures_ == {}
    assert model.seconds_["search"] > 0


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_free_columns_are_used_below_the_smallest_budget(n_classes):
    rng = np.random.default_rng(1)
    X, costs = rng.normal(size=(600, 3)), np.array([0.0, 5.0, 5.0])
    y = response(X @ [1.0, 1.0, 1.0], n_classes)
    kind = FrontierClassifier if n_classes else FrontierRegressor
    model = kind(costs, [5.0, 10.0], **QUICK).fit(X[:300], y[:300])
    assert model.budgets_.tolist() == [0.0, 5.0, 10.0]
    assert model.chosen_[0].budget == model.chosen_[0].price == 0.0
    assert not model.spend(X, 1.0).any()
    prior = kind(np.ones(3), [0.0], **QUICK).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:], budget=1.0) > prior.score(X[300:], y[300:]) + 0.1


def test_free_columns_that_say_nothing_are_not_an_entry():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    model = FrontierRegressor(np.array([0.0, 1.0]), [1.0], **QUICK).fit(X, y + 3 * X[:, 1])
    assert [entry.price for entry in model.chosen_] == [1.0]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_more_money_helps_on_new_rows(n_classes):
    model, *_ = fitted(n_classes)
    new, truth = data(n_classes, 600, seed=5)
    scores = [model.score(new, truth, budget=budget) for budget in (0.0, 3.5, None)]
    assert scores[0] + 0.1 < scores[1] < scores[2]


def test_without_money_the_answer_is_the_weighted_prior():
    X, y = data(2)
    X = np.delete(X, 2, axis=1)  # without the one that is free
    weight = np.where(y == 1, 3.0, 1.0)
    model = FrontierClassifier(np.ones(5), [2.0], **QUICK).fit(X, y, weight)
    share = weight[y == 1].sum() / weight.sum()
    np.testing.assert_allclose(model.predict_proba(X[:2], 0.0), [[1 - share, share]] * 2)


def test_a_budget_that_buys_nothing_gives_the_prior():
    X, y = data(2)
    model = FrontierClassifier(np.ones(6), [0.0], **QUICK).fit(X, y)
    assert model.chosen_ == []
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], y.mean())
    assert not model.spend(X).any()


class TestBudgetsBelowTheCheapestItem:
    """Of these columns x2 is the cheapest, at 3."""

    def fit(self, budgets, kind=FrontierClassifier):
        X, y = data(2)
        return kind(np.array([5.0, 6, 3, 4, 9, 9]), budgets, **QUICK).fit(X, y)

    @pytest.mark.parametrize("kind", [FrontierClassifier, FrontierRegressor])
    def test_all_of_them(self, kind):
        text = "cheapest item 'x2' costs 3 but the budget is 2.5, so nothing is bought and every"
        with pytest.warns(UserWarning, match=text) as caught:
            self.fit([1.0, 2.5], kind)
        assert caught[0].filename == __file__

    def test_some_of_them(self):
        with pytest.warns(UserWarning, match="is 2.5, so nothing is bought there and every answer"):
            self.fit([1.0, 2.5, 30.0])

    @pytest.mark.parametrize("budgets", [None, [0.0, 3.0], [0.0]])
    def test_none_of_them(self, budgets):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.fit(budgets)


def test_where_nothing_can_be_learnt_nothing_is_bought():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    model = FrontierRegressor(np.ones(4), [1.0, 4.0], **QUICK).fit(X, y)
    assert model.chosen_ == []
    np.testing.assert_allclose(model.predict(X), y.mean())


@pytest.mark.parametrize("seed", range(3))
def test_what_costs_more_and_is_not_better_is_left_out(seed, monkeypatch):
    for module in (racing, selection_bias):
        monkeypatch.setattr(module, "choose", lambda *_: ["linear"] * 4)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + rng.normal(size=80)
    model = FrontierRegressor(np.ones(4), [1, 2, 3, 4], **QUICK).fit(X, y)
    tested = model.losses_["linear"].tolist()
    better = [own for place, own in enumerate(tested) if own < min([9e9, *tested[:place]])]
    losses = [tested[model.budgets_.tolist().index(entry.budget)] for entry in model.chosen_]
    assert set(losses) <= set(better)
    assert 0 < len(losses) < 4


def test_defaults_are_budgets_up_to_all_prices():
    X, y = data(2)
    model = FrontierClassifier(COSTS, **QUICK).fit(X, y)
    assert len(model.budgets_) == base.N_BUDGETS + 1  # and 0, since one column is free
    assert all(len(own) == len(model.budgets_) for own in model.losses_.values())
    free = FrontierClassifier(np.zeros(6), **QUICK).fit(X, y)
    assert free.score(X, y, budget=0.0) > 0.8


class TestCandidates:
    @pytest.mark.parametrize(
        "candidates",
        [
            [KNeighborsClassifier(9)],
            {"scaled": make_pipeline(StandardScaler(), LogisticRegression())},
            [BudgetedBoostingClassifier(n_rounds=20), SequencedClassifier(missing="mean")],
            ["linear", LogisticRegression(C=0.1), "edge"],
        ],
        ids=["neighbours", "pipeline", "of scrimp", "mixed"],
    )
    def test_of_classes(self, candidates, tmp_path):
        model, X, y = fitted(2, candidates=candidates)
        assert model.failures_ == {}
        assert {entry.candidate for entry in model.chosen_} <= set(model.losses_)
        assert model.score(X, y) > 0.8
        for budget in (2.9, 3.5, 20.0):
            assert all(within(spent, budget) for spent in model.spend(X, budget))

    @pytest.mark.parametrize(
        "candidates",
        [
            [SequencedRegressor(missing="mean")],
            [KNeighborsRegressor()],
            {"mine": "linear"},
        ],
        ids=["sequenced", "neighbours", "a name"],
    )
    def test_of_numbers(self, candidates):
        if isinstance(candidates, dict):
            with pytest.raises(TypeError, match="'mine' is a str, no estimator"):
                fitted(0, candidates=candidates)
            return
        model, X, y = fitted(0, candidates=candidates)
        assert model.failures_ == {}
        assert model.score(X, y) > 0.6
        assert all(within(spent, 3.5) for spent in model.spend(X, 3.5))

    @pytest.mark.parametrize("name", ["trees", "boosting"])
    @pytest.mark.parametrize("n_classes", [0, 2])
    def test_boosters_are_known_by_name(self, name, n_classes, monkeypatch):
        monkeypatch.setattr(candidates_module, "N_BOOSTER_ROUNDS", 10)
        model, X, y = fitted(n_classes, candidates=[name], budgets=[3.5, 10.5])
        assert model.failures_ == {}
        assert model.chosen_[-1].candidate == name
        assert model.score(X, y) > (0.8 if n_classes else 0.3)
        assert all(within(spent, 3.5) for spent in model.spend(X, 3.5))

    def test_one_of_scrimps_follows_the_prices_of_the_frontier(self):
        model, X, _ = fitted(2, candidates=[BudgetedBoostingClassifier(n_rounds=30)])
        entry = model.chosen_[-1]
        alone = BudgetedBoostingClassifier(COSTS, budget=[entry.budget], n_rounds=30)
        alone.fit(X, data(2)[1])
        np.testing.assert_array_equal(model.predict(X, entry.budget), alone.predict(X))
        np.testing.assert_array_equal(model.spend(X, entry.budget), alone.spend(X))

    def test_means_of_families(self, monkeypatch):
        monkeypatch.setattr("scrimp.meta.frontier.racing._helps", lambda *_: True)
        monkeypatch.setattr(racing, "choose", lambda *_: [None, "boosted+forest+kernel"])
        monkeypatch.setattr(menu, "calibrated", lambda plan, *_: plan)
        names = ["boosted", "forest", "kernel"]
        model, X, _ = fitted(2, candidates=names, budgets=[10.5])
        pairs = {"boosted+forest", "boosted+kernel", "forest+kernel"}
        assert set(model.losses_) == {*names, *pairs, "boosted+forest+kernel"}
        parts = []
        for name in names:
            monkeypatch.setattr(racing, "choose", lambda *_, name=name: [None, name])
            parts.append(fitted(2, candidates=[name], budgets=[10.5])[0].predict_proba(X))
        np.testing.assert_allclose(model.predict_proba(X), np.mean(parts, axis=0), atol=1e-9)

    def test_who_left_early_is_named_with_its_losses(self):
        candidates = ["linear", DummyClassifier(strategy="stratified")]
        model, *_ = fitted(2, candidates=candidates, cv=4)
        assert set(model.losses_) == {"linear"}
        assert set(model.left_early_) == {"DummyClassifier"}
        lost = model.left_early_["DummyClassifier"]
        assert lost.shape == (len(BUDGETS),)
        assert 0.3 < lost.min() <= lost.max() < 0.7

    def test_the_same_each_time(self):
        given = {"candidates": ["boosted", "linear"], "budgets": [3.5, 10.5]}
        one, X, _ = fitted(2, **given, n_jobs=1)
        two, *_ = fitted(2, **given, n_jobs=3)
        assert one.chosen_ == two.chosen_
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


class Moody(ClassifierMixin, BaseEstimator):
    """Fits as logistic regression does, but not the given call of `fit`."""

    def __init__(self, at=1, error=ValueError):
        self.at = at
        self.error = error

    calls = 0

    def fit(self, X, y):
        Moody.calls += 1
        if Moody.calls >= self.at:
            raise self.error("in a bad mood")
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict(self, X):
        return self.model_.predict(X)


@pytest.fixture(autouse=True)
def good_mood():
    Moody.calls = 0


#: Sets of items of different kinds at these budgets and at 0: a fold fits as many models.
N_SETS = 3
TWO = {"budgets": [3.5, 10.5], "cv": 2}


class TestFailures:
    @pytest.mark.parametrize("at", [1, 1 + N_SETS, 1 + 2 * N_SETS], ids=["1", "2", "last"])
    def test_who_fails_is_named_and_the_rest_goes_on(self, at):
        X, y = data(2)
        candidates = {"moody": Moody(at), "dull": KNeighborsClassifier(25)}
        model = FrontierClassifier(COSTS, candidates=candidates, **TWO)
        with pytest.warns(UserWarning, match="left out. moody: ValueError: in a bad mood"):
            model.fit(X, y)
        assert model.failures_ == {"moody": "ValueError: in a bad mood"}
        assert {entry.candidate for entry in model.chosen_} == {"dull"}
        assert model.score(X, y) > 0.7

    @pytest.mark.parametrize("at", [1, 1 + N_SETS, 1 + 2 * N_SETS], ids=["1", "2", "last"])
    def test_all_fail(self, at):
        X, y = data(2)
        model = FrontierClassifier(COSTS, candidates={"moody": Moody(at)}, **TWO)
        with pytest.raises(ValueError, match=r"No candidate.*moody: ValueError: in a bad mood"):
            model.fit(X, y)
        assert not hasattr(model, "plan_")

    def test_each_cause_is_listed(self):
        X, y = data(2)
        candidates = {"a": Moody(1), "b": Moody(1, RuntimeError)}
        model = FrontierClassifier(COSTS, candidates=candidates, **TWO)
        with pytest.raises(ValueError, match=r"a: ValueError: in a .*; b: RuntimeError: in a bad"):
            model.fit(X, y)


class TestInterrupted:
    def fit(self, at, n_classes=2):
        X, y = data(n_classes)
        candidates = {"moody": Moody(at, KeyboardInterrupt)}
        model = FrontierClassifier(COSTS, candidates=candidates, **TWO)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        return model, X, y

    @pytest.mark.parametrize("at", [1 + N_SETS, 1 + 2 * N_SETS], ids=["fold", "last training"])
    def test_what_the_last_whole_fold_has_trained_is_the_model(self, at):
        model, X, y = self.fit(at)
        assert {entry.candidate for entry in model.chosen_} == {"moody"}
        assert model.score(X, y) > 0.8
        for budget in (0.0, 3.4, 3.5, 9.0, None):
            most = 10.5 if budget is None else budget
            assert all(within(spent, most) for spent in model.spend(X, budget))

    def test_before_any_fold_there_is_no_model(self):
        model, *_ = self.fit(1)
        assert not hasattr(model, "plan_")

    def test_it_can_be_saved(self, tmp_path):
        X, y = data(2)
        model = FrontierClassifier(COSTS, candidates=["linear"], **TWO)
        events = iter(range(1))

        def interrupt(event):
            if event.task == "trainings" and next(events, None) is None:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt), listening(interrupt):
            model.fit(X, y)
        save(model, tmp_path / "m.scrimp")
        loaded = load(tmp_path / "m.scrimp")
        np.testing.assert_array_equal(loaded.predict_proba(X, 3.5), model.predict_proba(X, 3.5))


def test_progress_is_told():
    seen = []
    with listening(seen.append):
        fitted(2)
    assert [(event.task, event.note) for event in seen] == [
        ("trainings", "linear"),
        ("trainings", "linear"),
        ("trainings", ""),
        ("last training", "linear"),
    ]


def test_without_time_it_is_one_candidate_of_one_fold():
    with pytest.warns(UserWarning, match="1e-09 was over before .* tested: boosted, edge took no"):
        model, X, y = fitted(2, candidates=["linear", "boosted", "edge"], max_seconds=1e-9)
    assert set(model.losses_) == {"linear"}
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_store_round_trip(tmp_path, n_classes):
    candidates = ["linear", "boosted", "forest", "kernel", "edge"]
    model, X, _ = fitted(n_classes, candidates=candidates, budgets=[3.5, 10.5])
    save(model, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    for budget in (0.0, 3.5, None):
        np.testing.assert_array_equal(loaded.predict(X, budget), model.predict(X, budget))
        np.testing.assert_array_equal(loaded.spend(X, budget), model.spend(X, budget))


class Spy(LogisticRegression):
    """Remembers the first column of all rows it was ever fitted on, in calls."""

    seen: list = []  # noqa: RUF012 - shared on purpose: the frontier makes clones

    def fit(self, X, y, sample_weight=None):
        Spy.seen.append(X)
        return super().fit(X, y, sample_weight)


def test_a_candidate_is_never_shown_a_row_that_it_is_tested_on(monkeypatch):
    """Test rows have a value that is seen nowhere else."""
    options = replace(item_search.OPTIONS, max_thorough=0)  # no swaps: sets have all columns
    monkeypatch.setattr(item_search, "OPTIONS", options)
    X, y = np.random.default_rng(0).normal(size=(90, 3)), np.arange(90) % 2
    X[:, 0] += 4 * y
    Spy.seen.clear()
    splits = list(ShuffleSplit(2, test_size=20, random_state=0).split(X))
    X[:, 1] = np.isin(np.arange(90), splits[0][1]) * 1e6
    model = FrontierClassifier(np.ones(3), [3.0], [Spy()], cv=splits).fit(X, y)
    first, second, last = Spy.seen
    assert [len(own) for own in (first, second, last)] == [70, 70, 90]
    # of the first fold the second column is constant: without test rows it says nothing
    assert [own.shape[1] for own in (first, second)] == [2, 3]
    assert len(model.losses_["Spy"]) == 1


class TestCalibration:
    def test_probabilities_are_better_for_it(self, monkeypatch):
        """A quarter of the labels is turned round: neighbours are far too sure of them."""

        def rows(n, seed):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(n, 3))
            return X, ((X[:, 0] + X[:, 1] > 0) ^ (rng.random(n) < 0.25)).astype(int)

        (X, y), (new, truth) = rows(400, 0), rows(2000, 1)
        model = FrontierClassifier(np.ones(3), [2.0], [KNeighborsClassifier(3)], cv=3)
        after = log_loss(truth, model.fit(X, y).predict_proba(new, 2.0))
        labels = model.predict(new, 2.0)
        monkeypatch.setattr(menu, "calibrated", lambda plan, *_: plan)
        before = log_loss(truth, model.fit(X, y).predict_proba(new, 2.0))
        assert after < 0.7 < before
        np.testing.assert_array_equal(model.predict(new, 2.0), labels)


class TestRealData:
    def test_heart_with_shared_fees_never_overspends(self):
        heart = load_heart()
        budgets = [1.0, 5.0, 30.0, 105.0, 205.0]
        model = FrontierClassifier(
            heart.costs, budgets, candidates=["linear", "boosted", "edge"], cv=3
        ).fit(heart.X, heart.y)
        prices = {0.0, *budgets, *(entry.price for entry in model.chosen_)}
        tight = [price * (1 - 1e-6) for price in prices]
        for budget in (*prices, *tight, 60.0, 324.0):
            assert all(within(spent, budget) for spent in model.spend(heart.X, budget))
        assert model.score(heart.X, heart.y, budget=205.0) > 0.75
        answer = model.session(budget=30.0, known={"age": 61}).read()
        assert answer.probabilities.sum() == pytest.approx(1.0)

    def test_text_and_missing_values(self):
        rng = np.random.default_rng(0)
        colour = rng.choice(["red", "green", "blue", None], 300)
        size = np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300))
        label = np.where((colour == "red") | (np.nan_to_num(size) > 1), "yes", "no")
        frame = pd.DataFrame({"colour": colour, "size": size, "noise": rng.normal(size=300)})
        costs = {"colour": 1.0, "size": 2.0, "noise": 9.0}
        candidates = ["linear", "boosted", "forest", "kernel", "edge"]
        model = FrontierClassifier(costs, [1.0, 3.0], candidates, cv=2).fit(frame, label)
        assert model.failures_ == {}
        assert [entry.price for entry in model.chosen_] == [1.0, 3.0]
        assert model.score(frame, label, budget=3.0) > 0.9
        new = pd.DataFrame({"colour": ["mauve", None], "size": [np.nan, 0.0], "noise": [0.0, 0.0]})
        assert np.isfinite(model.predict_proba(new, 3.0)).all()

    def test_pima(self, public_data):
        pima = public_data("pima_diabetes")
        model = FrontierClassifier(
            pima.costs, [1.0, 4.0, 20.0, 44.29], candidates=["linear", "edge"], cv=3
        )
        model.fit(pima.X[::2], pima.y[::2])
        assert model.score(pima.X[1::2], pima.y[1::2], budget=20.0) > 0.69
        for budget in (0.5, 1.0, 3.9, 20.0, 44.0):
            assert all(within(spent, budget) for spent in model.spend(pima.X, budget))


class TestRefuses:
    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"candidates": ["linaer"]}, "no candidate 'linaer'. There are: linear, boosted"),
            ({"candidates": []}, "candidates is empty; expected at least one"),
            ({"candidates": {}}, "candidates is empty; expected at least one"),
            ({"candidates": ["linear", "linear"]}, "2 candidates are called 'linear'"),
            ({"candidates": {"a+b": LogisticRegression()}}, r"'a\+b' has a \+ in its name"),
            ({"cv": 1}, "cv is 1; expected a whole number >= 2"),
            ({"budgets": [1.0, -1.0]}, "budgets hold -1.0; expected numbers >= 0"),
            ({"budgets": []}, "budgets must be a list of at least one number"),
            ({"budgets": ["much"]}, "expected a list of numbers >= 0"),
            ({"max_seconds": 0}, "max_seconds is 0; expected a number > 0"),
            ({"max_seconds": np.nan}, "max_seconds is nan; expected a number > 0"),
        ],
    )
    def test_options_that_are_none(self, options, text):
        with pytest.raises(ValueError, match=text):
            fitted(2, **options)

    @pytest.mark.parametrize(
        ("candidates", "text"),
        [
            ("linear", r"candidates is 'linear', one name; expected 'auto' or \['linear'\]"),
            ([3], "'int' is a int, no estimator"),
        ],
    )
    def test_other_things_than_candidates(self, candidates, text):
        with pytest.raises(TypeError, match=text):
            fitted(2, candidates=candidates)

    def test_one_class(self):
        X, y = data(2)
        with pytest.raises(ValueError, match=r"y holds one class only, \[1\]"):
            FrontierClassifier(**QUICK).fit(X, np.ones(len(y), dtype=int))
        with pytest.raises(ValueError, match=r"y holds one class only, \[0\]"):
            FrontierClassifier(**QUICK).fit(X, y, (y == 0).astype(float))

    @pytest.mark.parametrize("model", [FrontierClassifier(**QUICK), FrontierRegressor(**QUICK)])
    def test_weights_of_zero_alone(self, model):
        X, y = data(2)
        with pytest.raises(
            ValueError, match=r"sample_weight is 0 for all rows|at least one non-zero"
        ):
            model.fit(X, y, np.zeros(len(y)))

    @pytest.mark.parametrize("of_rows", [np.asarray, pd.DataFrame, csr_array])
    def test_text_as_numbers(self, of_rows):
        X, y = np.random.default_rng(0).normal(size=(30, 2)), ["cp", "im"] * 15
        text = "y holds 'cp'; expected numbers. Use FrontierClassifier for classes."
        candidates = ["svm"] if of_rows is csr_array else ["linear"]
        with pytest.raises(ValueError, match=text):
            FrontierRegressor(candidates=candidates, cv=2).fit(of_rows(X), y)

    def test_one_row(self):
        with pytest.raises(ValueError, match="one sample"):
            FrontierRegressor(**QUICK).fit([[1.0]], [1.0])


@pytest.mark.parametrize("rare", [1, 2])
def test_a_class_of_few_rows_is_missing_from_some_folds(rare):
    X, y = data(2)
    y = y.copy()
    y[:rare] = 2
    candidates = ["linear", "forest", "kernel", "boosted", "edge"]
    model = FrontierClassifier(COSTS, [3.5, 10.5], candidates, cv=3).fit(X, y)
    assert model.failures_ == {}
    assert model.classes_.tolist() == [0, 1, 2]
    said = model.predict_proba(X)
    assert said.shape == (len(X), 3)
    np.testing.assert_allclose(said.sum(axis=1), 1.0)
    assert model.score(X, y) > 0.8


def test_rows_without_weight_do_not_count():
    X, y = data(2)
    weight = np.ones(len(y))
    weight[::3] = 0.0
    some = weight > 0
    model = FrontierClassifier(COSTS, BUDGETS, **QUICK)
    few = model.fit(X[some], y[some]).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y, weight).predict_proba(X), few)


@pytest.mark.parametrize("n", [2, 3, 5, 12])
@pytest.mark.filterwarnings("ignore:Candidates that failed")
def test_very_few_rows(n):
    X, y = data(0, n)
    assert np.isfinite(FrontierRegressor(cv=2, budgets=[1, 6]).fit(X, y).predict(X)).all()
