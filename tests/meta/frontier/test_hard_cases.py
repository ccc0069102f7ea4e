"""Tables, weights and candidates that are out of the ordinary."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scrimp import (
    BudgetedTreeClassifier,
    FrontierClassifier,
    FrontierRegressor,
    SampledBoostingClassifier,
    SequencedPoissonRegressor,
    SequencedRegressor,
)
from scrimp.runtime.events import listening

RNG = np.random.default_rng(0)


def colours():
    """The colour tells the class; one row has a colour that no other has, the first in order."""
    rng = np.random.default_rng(1)
    colour = rng.choice(["b", "c"], 240)
    y = (colour == "c").astype(int)
    colour[0] = "a"
    return pd.DataFrame({"colour": colour, "noise": rng.normal(size=240)}), y


class TestCodes:
    def test_a_colour_that_only_a_row_of_weight_0_has(self):
        X, y = colours()
        model = FrontierClassifier([1, 1], [1, 2], ["edge"], cv=3)
        model.fit(X, y, sample_weight=np.where(np.arange(240) > 0, 1.0, 0.0))
        assert model.score(X[1:], y[1:]) > 0.95

    def test_a_colour_that_the_last_fold_has_not_seen(self):
        X, y = colours()
        splits = [(np.arange(80, 240), np.arange(80))]
        model = FrontierClassifier([1, 1], [1, 2], ["edge"], cv=splits, max_seconds=1e-9)
        assert model.fit(X, y).score(X[1:], y[1:]) > 0.95


class TestWeights:
    def test_they_count_in_the_contest(self):
        """Few rows that matter and many that do not: the first column tells of those that do."""
        X, y = RNG.normal(size=(400, 2)), RNG.integers(0, 2, 400)
        X[:40, 0] = 3 * (2 * y[:40] - 1) + RNG.normal(size=40)
        weights = np.where(np.arange(400) < 40, 100.0, 0.01)
        model = FrontierClassifier([1, 1], [1, 2], ["linear"], cv=3).fit(X, y, weights)
        assert model.chosen_
        assert model.score(X[:40], y[:40]) > 0.9

    def test_positions_are_those_of_the_rows_as_given(self):
        X, y = RNG.normal(size=(90, 2)), np.arange(90) % 2
        X[:, 0] += 3 * y
        weights = np.where(np.arange(90) < 30, 0.0, 1.0)
        splits = [(np.arange(0, 60), np.arange(60, 90)), (np.arange(45, 90), np.arange(45))]
        model = FrontierClassifier([1, 1], [1, 2], ["linear"], cv=splits).fit(X, y, weights)
        assert model.score(X[30:], y[30:]) > 0.85


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_unit_of_the_response_does_not_matter(scale):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 3))
    y = scale * (np.sign(X[:, 0]) + X[:, 1] ** 2)
    model = FrontierRegressor(np.ones(3), [2.0, 3.0], ["boosted"], cv=3).fit(X, y)
    assert model.score(X, y) > 0.8


class TestCandidates:
    X, y = RNG.normal(size=(300, 3)), np.where(np.arange(300) % 2, "yes", "no")
    X[:, 0] += 2 * (y == "yes")

    def fit(self, *candidates, y=None, weights=None, **options):
        model = FrontierClassifier(np.ones(3), [1.0, 3.0], list(candidates), cv=3, **options)
        return model.fit(self.X, self.y if y is None else y, weights)

    def test_a_pipeline_with_weights(self):
        weights = RNG.uniform(0.5, 2.0, 300)
        model = self.fit(make_pipeline(StandardScaler(), LogisticRegression()), weights=weights)
        assert not model.failures_
        assert model.score(self.X, self.y) > 0.75

    def test_weights_of_classes_by_their_names(self):
        model = self.fit(LogisticRegression(class_weight={"no": 1, "yes": 5}))
        assert not model.failures_

    def test_without_weights_where_a_fold_lacks_a_class(self):
        y = self.y.astype(object)
        y[0] = "rare"
        with np.errstate(all="ignore"):
            model = self.fit(KNeighborsClassifier(5), y=y)
        assert not model.failures_

    def test_what_is_random_is_given_a_seed(self):
        one, two = (self.fit(RandomForestClassifier(5)) for _ in range(2))
        np.testing.assert_array_equal(one.predict_proba(self.X), two.predict_proba(self.X))

    @pytest.mark.parametrize("n_jobs", [-1, 1, 2])
    def test_n_jobs(self, n_jobs):
        assert self.fit("linear", n_jobs=n_jobs).score(self.X, self.y) > 0.75

    @pytest.mark.parametrize("candidates", [["tree", "linear"], {"own": BudgetedTreeClassifier()}])
    def test_a_tree_buys_by_row(self, candidates):
        rng = np.random.default_rng(3)
        X = rng.normal(size=(600, 3))
        y = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int)
        model = FrontierClassifier([1, 2, 2], [1.0, 3.0], candidates, cv=3).fit(X, y)
        entry = model.chosen_[-1]
        assert (entry.candidate, entry.price) == ("tree" if "tree" in candidates else "own", 3.0)
        assert model.score(X, y, budget=3.0) > 0.9
        spend = model.spend(X, 3.0)
        assert set(spend) == {1.0, 3.0}

    def test_purchases_drawn_by_chance_are_refused_by_name(self):
        class Drawn(SampledBoostingClassifier):
            def __init__(self, costs=None, budget=None):
                super().__init__(costs=costs, n_rounds=5, combine="vote")
                self.budget = budget

        with pytest.raises(ValueError, match="drawn: ValueError: its purchases are drawn"):
            FrontierClassifier(np.ones(3), [2.0], {"drawn": Drawn()}, cv=3).fit(self.X, self.y)

    def test_counts_are_refused_by_name(self):
        rng = np.random.default_rng(4)
        X = rng.normal(size=(200, 2))
        y = rng.poisson(np.exp(X[:, 0]))
        model = FrontierRegressor([1, 1], [1.0], {"counts": SequencedPoissonRegressor()}, cv=3)
        with pytest.raises(ValueError, match="counts: ValueError: its scores are logarithms"):
            model.fit(X, y)

    def test_one_of_scrimps_own_is_trained_for_each_budget(self):
        rng = np.random.default_rng(5)
        X = rng.normal(size=(200, 3))
        y = X @ [1.0, 2.0, 3.0]
        model = FrontierRegressor([1, 1, 1], [1.0, 2.0, 3.0], {"own": SequencedRegressor()}, cv=3)
        model.fit(X, y)
        assert [entry.price for entry in model.chosen_] == [1.0, 2.0, 3.0]
        assert model.score(X, y) > 0.99
        assert (model.spend(X, 2.0) == 2.0).all()


def test_a_second_fit_that_is_interrupted_leaves_the_first():
    X, y = RNG.normal(size=(100, 2)), np.arange(100) % 2
    X[:, 0] += 3 * y
    model = FrontierClassifier([1, 1], [1, 2], ["linear"], cv=3).fit(X, np.where(y, "b", "a"))
    before = model.predict(X)

    def interrupt(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listening(interrupt):
        model.fit(X, np.where(y, "q", "r"))
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_menu_follows_new_prices():
    X, y = RNG.normal(size=(200, 2)), np.arange(200) % 2
    X += y[:, None]
    model = FrontierClassifier([1, 2], [1, 3], ["linear"], cv=3).fit(X, y)
    dearer = model.reprice([10, 20])
    assert [entry.price for entry in dearer.chosen_] == [10 * own.price for own in model.chosen_]
    assert [entry.price for entry in model.chosen_] == [1.0, 3.0]
