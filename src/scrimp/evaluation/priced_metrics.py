"""Which metrics have an error with a price."""

from __future__ import annotations

import math

from .calibration import CALIBRATION

#: Metrics whose error is a share of wrong answers.
ERROR_SHARES = ("accuracy", "accuracy_score")
#: Metrics whose error is a mean amount per row, in the units of the target or their square.
MEAN_AMOUNTS = ("neg_mean_absolute_error", "neg_mean_squared_error")


def check_error_cost(error_cost: float, name: str, best: float) -> None:
    """Raise ValueError unless an error of a metric can be priced, and the price is a number >= 0.

    Parameters
    ----------
    error_cost : float
        The price of an error of 1.
    name : str
        The metric, a scorer of scikit-learn or one made by hand.
    best : float
        Its best value: 0 for a loss. A loss made by hand is taken as a mean cost per row.
    """
    from sklearn.metrics import get_scorer_names

    if not (math.isfinite(error_cost) and error_cost >= 0):
        raise ValueError(f"error_cost is {error_cost}; expected a finite number >= 0.")
    by_hand = name not in (*get_scorer_names(), CALIBRATION)
    if name not in (*ERROR_SHARES, *MEAN_AMOUNTS) and not (by_hand and best == 0.0):
        raise ValueError(
            f"error_cost is the price of an error, and {name} counts neither wrong answers nor "
            f"amounts. Score with accuracy, {', '.join(MEAN_AMOUNTS)} or a mean cost per row of "
            "your own: make_scorer(cost, greater_is_better=False)."
        )
