"""What readers of all libraries share: how they are asked, and when they refuse."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from sklearn.exceptions import NotFittedError

SUPPORTED = (
    "CostMeter reads fitted models of LightGBM, XGBoost and CatBoost; scikit-learn's decision "
    "trees, forests, boosting, bagging, linear models, nearest neighbours, support vector "
    "machines, neural networks, naive Bayes and dummies; voting, stacking, calibration, searches "
    "and pipelines of these; and scrimp's own."
)


def refuse(model: Any) -> NoReturn:
    """Say that a model cannot be read, and which can."""
    raise TypeError(f"Nothing says which columns a {type(model).__name__} reads. {SUPPORTED}")


def not_fitted(model: Any) -> NoReturn:
    """Say that a model has to be fitted first."""
    raise NotFittedError(
        f"This {type(model).__name__} is not fitted, so nothing says what it reads. Call fit first."
    )


def rounds_charged(asked: int | None, used: int, there: int) -> int:
    """How many rounds of boosting are charged: those asked for, else those ``predict`` uses."""
    return used if asked is None else min(asked, there)


def refuse_rounds(model: Any, asked: int | None) -> None:
    """Refuse a number of rounds for a model that has none."""
    if asked is not None:
        raise ValueError(
            f"num_iteration is {asked}, but a {type(model).__name__} has no rounds of boosting to "
            "cut off. Leave it out."
        )


def as_asked(X: Any) -> Any:
    """Lists as arrays; frames, arrays and sparse tables as they are."""
    return X if hasattr(X, "shape") else np.asarray(X)
