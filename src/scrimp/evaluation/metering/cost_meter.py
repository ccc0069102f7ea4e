"""CostMeter: the spend of any fitted model, measured in one way for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...costs.costs import Costs
from ...data.columns import as_frame
from ...types import Floats

if TYPE_CHECKING:
    from .metered_model import MeteredModel


@dataclass(frozen=True, eq=False)
class CostMeter:
    """Measures what a fitted model spends: the price of the columns that its predictions read.

    A row pays once for each item that brings a column it reads, and for all that these items
    require. Of trees it reads the columns on its decision path through each, by the library's own
    rules; of linear models those with a nonzero coefficient; of symmetric trees (CatBoost's
    default), nearest neighbours, networks and the like the same columns for each row.

    Parameters
    ----------
    costs : Costs, array or mapping
        Prices; an array goes by position, names go by the names the model was fitted with.
    columns : sequence of str, optional
        Names of the model's columns, for a model that was fitted without them.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> X = heart.X.select("age", "chol", "oldpeak")
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, heart.y)
    >>> meter = CostMeter({"age": 1.0, "chol": 7.27, "oldpeak": 87.3})
    >>> meter.price(tree)
    95.57
    >>> float(meter.spend(tree, X).mean().round(2))
    91.57
    """

    costs: Any
    columns: Sequence[str] | None = None

    def items(self, model: Any, *, num_iteration: int | None = None) -> tuple[int, ...]:
        """Return the items that some row may pay for, fees and other requirements included.

        Parameters
        ----------
        model : fitted model
            Of LightGBM, XGBoost, CatBoost, scikit-learn or scrimp. Of ``at_budget(model, b)``
            this is what the plan may buy and, each by itself, fits in the budget.
        num_iteration : int, optional
            Number of boosting rounds charged. By default those that ``predict`` uses: up to the
            best iteration, where there is one.
        """
        metered = _metered(model, num_iteration)
        costs = self._bound(metered)
        return tuple(sorted(costs.closure(metered.items(costs))))

    def price(self, model: Any, *, num_iteration: int | None = None) -> float:
        """Return the price of all that the model may read. Arguments as in `items`."""
        metered = _metered(model, num_iteration)
        costs = self._bound(metered)
        return costs.price_of(metered.items(costs))

    def spend(self, model: Any, X: Any, *, num_iteration: int | None = None) -> Floats:
        """Return the price of what the prediction of each row reads (rows,).

        Parameters
        ----------
        model : fitted model
            As in `items`; the spend of a scrimp model is that of its ledger.
        X : array, sparse table or data frame
            The input of ``model.predict``.
        num_iteration : int, optional
            As in `items`.
        """
        metered = _metered(model, num_iteration)
        frame = as_frame(X)
        names = None if frame is None else [str(name) for name in frame.columns]
        return metered.spend(X, self._bound(metered, names))

    def _bound(self, metered: MeteredModel, names_of_X: list[str] | None = None) -> Costs:
        """Return the prices of the columns of a model, in its order."""
        n = metered.n_columns
        names = list(self.columns) if self.columns is not None else metered.names or names_of_X
        if names is not None and len(names) != n:
            raise ValueError(f"{len(names)} names for the {n} columns of the {metered.kind}.")
        costs = _as_costs(self.costs, n)
        if costs.column_names is None and costs.n_columns != n:
            raise ValueError(
                f"The prices cover {costs.n_columns} columns, but the {metered.kind} was fitted "
                f"on {n}. Give a price for every column, and for no other."
            )
        if costs.column_names is not None and names is None:
            raise ValueError(
                f"The prices name columns, but the {metered.kind} was fitted on {n} columns "
                "without names. Fit it on a data frame, or name them: "
                "CostMeter(costs, columns=[...])."
            )
        return costs.bind(n, _as_priced(names, costs))


def _metered(model: Any, num_iteration: Any) -> MeteredModel:
    from .metered_model import metered_model_of

    whole = isinstance(num_iteration, int | np.integer) and not isinstance(num_iteration, bool)
    if num_iteration is not None and not (whole and num_iteration >= 1):
        raise ValueError(f"num_iteration is {num_iteration!r}; expected a whole number >= 1.")
    return metered_model_of(model, num_iteration)


def _as_costs(costs: Any, n_columns: int) -> Costs:
    if costs is None:
        return Costs.uniform(n_columns)
    return costs if isinstance(costs, Costs) else Costs.per_feature(costs)


def _as_priced(names: list[str] | None, costs: Costs) -> list[str] | None:
    """Return names as the prices spell them: LightGBM turns spaces into underscores."""
    if names is None or costs.column_names is None:
        return names
    spaced = {name.replace(" ", "_"): name for name in costs.column_names}
    return [n if n in costs.column_names else spaced.get(n, n) for n in names]
