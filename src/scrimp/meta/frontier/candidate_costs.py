"""The prices of a frontier: its own, or those that its candidates come with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...costs.costs import Costs, as_costs
from ...data.columns import Columns
from ...learners.purchase_order import price_table, refit_costs


def frontier_costs(costs: Any, candidates: Any, columns: Columns) -> Costs:
    """Return the prices of a frontier: its own, or those of its candidates where it has none.

    As in `RefitClassifier`, whose order may have prices too.

    Raises
    ------
    ValueError
        If several have prices, and these differ.
    """
    owner = "costs"
    bound = None if costs is None else as_costs(costs, len(columns), columns.names)
    for name, candidate in _priced(candidates).items():
        of_candidate = refit_costs(None, candidate, columns)
        if bound is None:
            bound, owner = of_candidate, f"the costs of the candidate {name!r}"
        elif price_table(of_candidate) != price_table(bound):
            raise ValueError(
                f"{owner} and the costs of the candidate {name!r} differ; expected one price "
                "list. Give costs to the frontier alone, or the same to all."
            )
    return as_costs(None, len(columns), columns.names) if bound is None else bound


def _priced(candidates: Any) -> dict[str, Any]:
    """Return the estimators of scrimp among the candidates that have prices, by name."""
    if isinstance(candidates, str):
        return {}
    named = (
        candidates.items()
        if isinstance(candidates, Mapping)
        else ((type(one).__name__, one) for one in candidates)
    )
    return {name: one for name, one in named if _has_prices(one)}


def _has_prices(candidate: Any) -> bool:
    """Return whether an estimator, or one within it, is given prices."""
    if not hasattr(type(candidate), "predictor_"):
        return False
    params = candidate.get_params()
    return any(
        value is not None for name, value in params.items() if name.split("__")[-1] == "costs"
    )
