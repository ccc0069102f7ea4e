"""Sample weights of any size, and labels of one type."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedSVC,
    BudgetedSVR,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    FrontierRegressor,
    RefitClassifier,
    SequencedClassifier,
    SequencedPoissonRegressor,
    SequencedRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NUMBERS = X[:, 0] + 0.1 * RNG.normal(size=60)
CLASSES = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
WEIGHTS = RNG.uniform(0.5, 2.0, 60)


@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-300, 2.0**-20, 2.0**20, 2.0**300, 2.0**1022])
@pytest.mark.parametrize(
    ("learner", "y"),
    [
        (SequencedClassifier(), CLASSES),
        (SequencedRegressor(), NUMBERS),
        (SequencedPoissonRegressor(), CLASSES),
        (
            CalibratedClassifier(BudgetedBoostingClassifier(n_rounds=3), cv=2, random_state=0),
            CLASSES,
        ),
        (RefitClassifier(DecisionTreeClassifier(max_depth=2), "linear", random_state=0), CLASSES),
        (FrontierRegressor(candidates=["linear"], cv=2, random_state=0), NUMBERS),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.filterwarnings("ignore")
def test_the_scale_of_weights_does_not_matter(learner, y, factor):
    plain = clone(learner).fit(X, y, sample_weight=WEIGHTS)
    scaled = clone(learner).fit(X, y, sample_weight=WEIGHTS * factor)
    np.testing.assert_allclose(scaled.sweep(X, [9.0]).scores, plain.sweep(X, [9.0]).scores)


@pytest.mark.parametrize("factor", [1e-300, 1e200, 1e307])
def test_a_tree_of_extreme_weights_is_that_of_ordinary_ones(factor):
    plain = BudgetedTreeClassifier(random_state=0).fit(X, CLASSES, sample_weight=WEIGHTS)
    scaled = clone(plain).fit(X, CLASSES, sample_weight=WEIGHTS * factor)
    assert plain.score(X, CLASSES) > 0.8
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))


@pytest.mark.parametrize(
    ("learner", "y", "loss"),
    [
        (BudgetedSVC, CLASSES, "hinge"),
        (BudgetedSVC, CLASSES, "squared_hinge"),
        (BudgetedSVR, NUMBERS, "epsilon_insensitive"),
        (BudgetedSVR, NUMBERS, "squared_epsilon_insensitive"),
    ],
)
def test_weights_and_c_of_support_vector_machines_have_a_limit(learner, y, loss):
    one = learner(C=2.0**20, loss=loss).fit(X, y)
    same = learner(loss=loss).fit(X, y, sample_weight=np.full(60, 2.0**20))
    np.testing.assert_allclose(same.predict(X), one.predict(X))
    with pytest.raises(ValueError, match=r"C is 1e\+200 and the largest weight 1; expected"):
        learner(C=1e200, loss=loss).fit(X, y)
    with pytest.raises(ValueError, match=r"the largest weight 1e\+200; expected .* up to 1e\+100"):
        learner(C=[0.1, 1.0], loss=loss).fit(X, y, sample_weight=np.full(60, 1e200))


def test_weights_of_rows_that_are_added_to_others_are_not_rescaled():
    with pytest.raises(ValueError, match=r"sample_weight holds 1e\+200; where rows are added"):
        SequencedRegressor().partial_fit(X, NUMBERS, np.full(60, 1e200))
    parts = SequencedRegressor().partial_fit(X[:30], NUMBERS[:30], np.full(30, 1e-20))
    parts.partial_fit(X[30:], NUMBERS[30:], np.full(30, 3e-20))
    whole = SequencedRegressor().fit(X, NUMBERS, np.repeat([1.0, 3.0], 30))
    np.testing.assert_allclose(parts.predict(X), whole.predict(X))


@pytest.mark.parametrize("table", [X, pd.DataFrame(X, columns=list("abc"))])
@pytest.mark.parametrize("labels", [["no", 1], [1, "no"], ["no", 0.5]])
def test_labels_of_text_and_numbers_are_refused(table, labels):
    y = np.array(labels * 30, dtype=object)
    with pytest.raises(ValueError, match=r"y holds text \('no'\) and other labels"):
        BudgetedTreeClassifier().fit(table, y)


def test_missing_labels_are_refused():
    y = np.array([None, "no", "yes"] * 20, dtype=object)
    with pytest.raises(ValueError, match="y is missing in 20 of 60 rows; leave these rows out"):
        BudgetedTreeClassifier().fit(X, y)
