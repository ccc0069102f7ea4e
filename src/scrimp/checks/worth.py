"""The check that an answer is worth having: no worse than the prior, whatever is at hand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import get_tags

from ..costs.costs import Costs
from ..types import Floats
from .cases import COLUMNS, Case

#: Rows to train on, and rows on which answers are compared.
N_TRAIN, N_TEST = 600, 3_000
#: Problems, budgets, owned sets and failures that are tried.
N_PROBLEMS, N_TRIED = 1, 6
#: A loss counts as larger than the prior's if it is by this share and so many standard errors.
_SHARE, _ERRORS = 0.02, 4.0


def check_no_worse_than_prior(estimator: Any, *, max_examples: int = 20) -> None:
    """At no budget, with nothing owned or failed is an answer worse than that of the prior.

    The problems are generated: some columns tell the target, one repeats another and the rest
    is noise; of two classes the rarer has a fifth of the rows. Compared are the shares of wrong
    labels and the Brier scores, or squared errors, on rows that were not trained on.
    """
    for seed in range(min(N_PROBLEMS, max_examples)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _check_problem(estimator, seed)


def _check_problem(estimator: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = Costs.per_feature(rng.uniform(0.5, 4.0, len(COLUMNS)))
    X, y = _table(estimator, rng, N_TRAIN + N_TEST)
    budgets = tuple(share * costs.total for share in (0.2, 0.5))
    case = Case(X[:N_TRAIN], y[:N_TRAIN], costs, None, budgets, seed)
    model = case.fit(estimator)
    X, y = X[N_TRAIN:], y[N_TRAIN:]
    prior = _losses(model, X, y, budget=0.0)
    for what, options in _situations(costs, rng):
        for name, losses in _losses(model, X, y, **options).items():
            rise = losses - prior[name]
            mean, error = rise.mean(), rise.std() / np.sqrt(len(rise))
            assert mean <= max(_SHARE * prior[name].mean(), _ERRORS * error), (
                f"{what}, the {name} is {losses.mean():.3f} where the prior has "
                f"{prior[name].mean():.3f}."
            )


def _situations(costs: Costs, rng: np.random.Generator) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what may be at hand, in words and as options of `predict`."""
    for budget in costs.total * rng.random(N_TRIED):
        yield f"at a budget of {budget:.2f}", {"budget": float(budget)}
    for column in range(costs.n_columns):
        yield (
            f"with column {column} owned",
            {"budget": 0.0, "owned": np.arange(costs.n_columns) == column},
        )
    for owned in rng.random((N_TRIED, costs.n_columns)) < 0.5:
        yield f"with the columns {np.flatnonzero(owned)} owned", {"budget": 0.0, "owned": owned}
    for failed in rng.random((N_TRIED, costs.n_columns)) < 0.3:
        yield f"with the columns {np.flatnonzero(failed)} failed", {"failed": failed}


def _table(estimator: Any, rng: np.random.Generator, n: int) -> tuple[Floats, Any]:
    X = rng.normal(size=(n, len(COLUMNS)))
    X[:, 3] = X[:, 0] + 0.5 * X[:, 3]
    signal = X[:, 0] + 0.7 * X[:, 1] + 0.4 * X[:, 4] + rng.normal(size=n)
    tags = get_tags(estimator)
    if tags.input_tags.allow_nan:
        X[rng.random(X.shape) < 0.1] = np.nan
    if not is_regressor(estimator):
        return X, (signal > np.quantile(signal, 0.8)).astype(int)
    return X, np.round(np.exp(0.5 * signal)) if tags.target_tags.positive_only else signal


def _losses(model: Any, X: Floats, y: Any, **options: Any) -> dict[str, Floats]:
    """Return the losses of all rows, by the name of the loss."""
    predicted = model.predict(X, **options)
    if is_regressor(model):
        return {"squared error": (predicted - y) ** 2}
    losses = {"share of errors": (predicted != y).astype(np.float64)}
    if hasattr(model, "predict_proba"):
        losses["Brier score"] = (model.predict_proba(X, **options)[:, 1] - y) ** 2
    return losses
