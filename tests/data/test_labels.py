import numpy as np
import pandas as pd
import pytest

from scrimp import BudgetedBoostingClassifier, Curve, compare
from scrimp.evaluation import cross_curve

X = np.random.default_rng(0).normal(size=(40, 2))
MIXED = np.array(["a", 1] * 20, dtype=object)
MODEL = BudgetedBoostingClassifier(n_rounds=2)
USES = {
    "fit": lambda y: MODEL.fit(X, y),
    "fit on a frame": lambda y: MODEL.fit(pd.DataFrame(X), y),
    "compare": lambda y: compare(X, y, methods=["tree"]),
    "cross_curve": lambda y: cross_curve(MODEL, X, y, [1.0], cv=3),
}


def score(y):
    fitted = BudgetedBoostingClassifier(n_rounds=2).fit(X, np.array(["a", "b"] * 20))
    return Curve.from_estimator(fitted, X, y, [1.0])


@pytest.mark.parametrize("use", [*USES.values(), score], ids=[*USES, "curve"])
def test_labels_of_several_types_are_refused_alike(use):
    with pytest.raises(ValueError, match=r"y holds text \('a'\) and other labels \(1\)"):
        use(MIXED)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize(
    "y",
    [
        np.array(["a", "b", None, "b"] * 10, dtype=object),
        np.array(["a", "b", np.nan, "b"] * 10, dtype=object),
        np.array([0, 1, None, 1] * 10, dtype=object),
        np.array([0.0, 1.0, np.nan, 1.0] * 10),
        pd.Series(["a", "b", pd.NA, "b"] * 10, dtype="string"),
    ],
    ids=["None", "NaN", "None among numbers", "NaN among numbers", "NA"],
)
def test_missing_labels_are_refused_alike(use, y):
    with pytest.raises(ValueError, match="y is missing in 10 of 40 rows; leave these rows out"):
        use(y)


def test_a_curve_needs_the_truth_of_all_rows():
    with pytest.raises(ValueError, match="Leave out rows whose truth is not known"):
        score(np.array(["a", "b", pd.NA, "b"] * 10, dtype=object))
