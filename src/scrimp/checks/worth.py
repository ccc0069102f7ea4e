"""The check that an answer is worth having: no worse than the prior, or than with less bought."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
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
#: Owned sets that are compared with nothing owned.
N_SETS = 3
#: A loss counts as larger than the prior's if it is by this share and so many standard errors.
_SHARE, _ERRORS = 0.02, 4.0

#: The losses of all rows, by the name of the loss.
Losses = dict[str, Floats]


def check_no_worse_than_prior(estimator: Any, *, max_examples: int = 20) -> None:
    """At no budget, with nothing owned or failed is an answer worse than that of the prior.

    Nor is it worse than at a smaller budget, or at the same budget with nothing owned. The prior
    is known to the check: the frequencies of the classes, or the mean of the target.

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
    prior = _prior_losses(model, y[:N_TRAIN], y[N_TRAIN:])
    X, y = X[N_TRAIN:], y[N_TRAIN:]
    references: list[tuple[str, Losses]] = [("the prior has", prior)]
    budgets = (0.0, *sorted(costs.total * rng.random(N_TRIED)), costs.total)
    for budget in budgets:
        losses = _losses(model, X, y, budget=float(budget))
        _check_no_worse(f"at a budget of {budget:.2f}", losses, references)
        references.append((f"a budget of {budget:.2f} has", losses))
    for what, options in _situations(costs, rng):
        _check_no_worse(what, _losses(model, X, y, **options), references[:1])
    middle = len(budgets) // 2
    nothing_owned = [("nothing owned has", references[middle + 1][1])]
    for owned in rng.random((N_SETS, costs.n_columns)) < 0.3:
        what = f"at a budget of {budgets[middle]:.2f} with {np.flatnonzero(owned)} owned"
        losses = _losses(model, X, y, budget=float(budgets[middle]), owned=owned)
        _check_no_worse(what, losses, nothing_owned)


def _check_no_worse(what: str, losses: Losses, references: Iterable[tuple[str, Losses]]) -> None:
    """Raise if a loss is larger than that of a reference on the same rows."""
    for reference, less in references:
        for name, values in losses.items():
            rise = values - less[name]
            mean, error = rise.mean(), rise.std() / np.sqrt(len(rise))
            assert mean <= max(_SHARE * less[name].mean(), _ERRORS * error), (
                f"{what}, the {name} is {values.mean():.3f} where {reference} "
                f"{less[name].mean():.3f}."
            )


def _situations(costs: Costs, rng: np.random.Generator) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what may be at hand, in words and as options of `predict`."""
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


def _prior_losses(model: Any, y_train: Any, y: Any) -> Losses:
    """Return the losses of the mean, or of the class frequencies and the most common class."""
    mean = y_train.mean()
    if is_regressor(model):
        return {"squared error": (mean - y) ** 2}
    wrong = ((mean > 0.5) != y).astype(np.float64)
    return {"share of errors": wrong, "Brier score": (mean - y) ** 2}


def _losses(model: Any, X: Floats, y: Any, **options: Any) -> Losses:
    """Return the losses of all rows."""
    predicted = model.predict(X, **options)
    if is_regressor(model):
        return {"squared error": (predicted - y) ** 2}
    losses = {"share of errors": (predicted != y).astype(np.float64)}
    if hasattr(model, "predict_proba"):
        losses["Brier score"] = (model.predict_proba(X, **options)[:, 1] - y) ** 2
    return losses
