"""The check that an answer is worth having: no worse than the prior, or than with less bought."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import get_tags

from ..costs.costs import Costs
from ..types import Floats
from .cases import COLUMNS, Case

#: Rows of each problem to train on.
N_TRAIN = 600
#: Rows of each problem on which answers are compared.
N_TEST = 3_000
#: Problems whose losses are compared together: one training may be unlucky.
N_PROBLEMS = 3
#: Budgets, owned sets and failures that are tried.
N_TRIED = 6
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _check_problems([_Problem(estimator, s) for s in range(min(N_PROBLEMS, max_examples))])


class _Problem:
    """A model fitted on a generated table, and rows to ask it for."""

    def __init__(self, estimator: Any, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.costs = Costs.per_feature(rng.uniform(0.5, 4.0, len(COLUMNS)))
        X, y = _table(estimator, rng, N_TRAIN + N_TEST)
        budgets = tuple(share * self.costs.total for share in (0.2, 0.5))
        case = Case(X[:N_TRAIN], y[:N_TRAIN], self.costs, None, budgets, seed)
        self.model = case.fit(estimator)
        self.X, self.y = X[N_TRAIN:], y[N_TRAIN:]
        self.prior_losses = _prior_losses(self.model, y[:N_TRAIN], self.y)

    def losses(self, share: float | None, options: dict[str, Any]) -> Losses:
        """Return the losses of all rows at a share of the full price."""
        budget = None if share is None else float(share * self.costs.total)
        return _losses(self.model, self.X, self.y, budget=budget, **options)


def _check_problems(problems: Sequence[_Problem]) -> None:
    """Compare the losses of all problems, at the same shares of the full prices."""

    def asked(share: float | None, **options: Any) -> Losses:
        return _pooled([problem.losses(share, options) for problem in problems])

    rng = np.random.default_rng(0)
    references = [("the prior has", _pooled([problem.prior_losses for problem in problems]))]
    shares = (0.0, *sorted(rng.random(N_TRIED)), 1.0)
    for share in shares:
        losses = asked(share)
        _check_no_worse(f"at {share:.0%} of the full price", losses, references)
        references.append((f"{share:.0%} of it has", losses))
    for what, place, options in _situations(len(COLUMNS), rng):
        _check_no_worse(what, asked(place, **options), references[:1])
    middle = len(shares) // 2
    nothing_owned = [("nothing owned has", references[middle + 1][1])]
    for owned in rng.random((N_SETS, len(COLUMNS))) < 0.3:
        what = f"at {shares[middle]:.0%} of the full price with {np.flatnonzero(owned)} owned"
        _check_no_worse(what, asked(shares[middle], owned=owned), nothing_owned)


def _pooled(losses: Sequence[Losses]) -> Losses:
    """Return the losses of several problems as those of one."""
    return {name: np.concatenate([each[name] for each in losses]) for name in losses[0]}


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


def _situations(
    n_columns: int, rng: np.random.Generator
) -> Iterator[tuple[str, float | None, dict[str, Any]]]:
    """Yield what may be at hand: in words, the share of the full price, and other options."""
    for column in range(n_columns):
        yield f"with column {column} owned", 0.0, {"owned": np.arange(n_columns) == column}
    for owned in rng.random((N_TRIED, n_columns)) < 0.5:
        yield f"with the columns {np.flatnonzero(owned)} owned", 0.0, {"owned": owned}
    for failed in rng.random((N_TRIED, n_columns)) < 0.3:
        yield f"with the columns {np.flatnonzero(failed)} failed", None, {"failed": failed}


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
