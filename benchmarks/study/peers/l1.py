"""The path of a cost-weighted L1 penalty, and a regression on the columns it selects.

Columns are standardised and divided by their price, so that the penalty on a coefficient is its
price. Two classes: logistic regression. A number: the lasso. More classes: the lasso of the
classes' indicators with one penalty per column over all of them. What is fitted again is a
logistic or linear regression with a small ridge, on all columns of the items that are paid for.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge, enet_path
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from benchmarks.study.problems import costs_of_columns
from benchmarks.study.splits import Part
from benchmarks.study.tuning import Candidate, Fitted, Trained, settle, tuned

#: Steps of the path.
STEPS = 25
#: The last penalty of the path as a part of the first, at which nothing is picked.
MIN_PENALTY = 1e-3
#: The limit of rows on which the path is followed; the regression is fitted to all.
PATH_ROWS = 10_000
#: A free column counts with this part of the lowest positive price.
FREE = 0.01
RECIPE = {"steps": STEPS, "least": MIN_PENALTY, "path_rows": PATH_ROWS, "free": FREE}

Items = frozenset[int]


def train(part: Part) -> Trained:
    """Choose the step of the path, then follow it again on all training rows."""
    tuner = _Tuner(part)
    warnings.simplefilter("ignore", ConvergenceWarning)
    supports = [tuner.supports(fit) for fit, _ in part.inner()]

    def work(setting: tuple[int]) -> list[Candidate]:
        return tuner.candidates(supports, *setting)

    candidates, tried = tuned(part, [(step,) for step in range(STEPS)], work)
    whole = tuner.supports(part.train)
    fitted = settle(part, candidates, lambda setting: tuner.fitted(whole[setting[0]]))
    return Trained(fitted, tried, STEPS)


@dataclass(eq=False)
class _Regression:
    """A fitted regression and the columns that it reads."""

    scaler: StandardScaler
    model: Any
    columns: np.ndarray

    def answers(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(self.model.predict(self.scaler.transform(values[:, self.columns])))


class _Tuner:
    def __init__(self, part: Part) -> None:
        self.part, self.task = part, part.problem.task
        table = part.problem.one_hot
        middle = np.nanmedian(table.values[part.train], axis=0)
        self.values = np.where(np.isnan(table.values), middle, table.values)
        self.owner = table.owner
        self.costs = costs_of_columns(part.costs, table.owner)
        prices = np.array([self.costs.price_of([item]) for item in self.costs.item_of])
        self.prices = np.maximum(prices, FREE * prices[prices > 0].min())
        self.made: dict[tuple[int, Items], float] = {}

    def supports(self, rows: np.ndarray) -> list[Items]:
        """Return the items that are selected at each step of the path."""
        rows = np.random.default_rng(self.part.seed).permutation(rows)[:PATH_ROWS]
        X = StandardScaler().fit_transform(self.values[rows]) / self.prices
        y = self.part.problem.y[rows]
        picked = self._logistic(X, y) if self.task == "binary" else self._lasso(X, y)
        return [frozenset(self.costs.item_of[c] for c in np.flatnonzero(mask)) for mask in picked]

    def _logistic(self, X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        X = X / np.abs(X).max()  # the solver's intercept is a column of this size
        strengths = l1_min_c(X, y, loss="log") / np.geomspace(1.0, MIN_PENALTY, STEPS)
        top = self._top()
        picked: list[np.ndarray] = []
        for strength in strengths:
            if picked and self._price(picked[-1]) > top:
                picked.append(picked[-1])
                continue
            model = LogisticRegression(
                C=strength, l1_ratio=1.0, solver="liblinear", tol=1e-3, max_iter=200, random_state=0
            )
            picked.append(model.fit(X, y).coef_[0] != 0)
        return picked

    def _lasso(self, X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
        Y = y if self.task == "regression" else np.eye(self.part.problem.n_classes)[y]
        Y = Y - Y.mean(axis=0)
        X = np.asfortranarray(X)
        correlations = np.linalg.norm((X.T @ Y).reshape(X.shape[1], -1), axis=1)
        alphas = np.geomspace(1.0, MIN_PENALTY, STEPS) * correlations.max() / len(X)
        _, paths, _ = enet_path(X, Y, l1_ratio=1.0, alphas=alphas, tol=1e-3)
        used = paths != 0 if paths.ndim == 2 else (paths != 0).any(axis=0)
        return list(used.T)

    def _top(self) -> float:
        return float(self.part.budgets[-1])

    def _price(self, picked: np.ndarray) -> float:
        return self.costs.price_of({self.costs.item_of[c] for c in np.flatnonzero(picked)})

    def regression(self, rows: np.ndarray, items: Items) -> _Regression:
        """Return a regression on all columns of some items."""
        columns = np.flatnonzero(np.isin(self.costs.item_of, sorted(items)))
        scaler = StandardScaler().fit(self.values[rows][:, columns])
        model = (
            Ridge(alpha=1.0)
            if self.task == "regression"
            else LogisticRegression(C=1.0, tol=1e-3, max_iter=200)
        )
        X = scaler.transform(self.values[rows][:, columns])
        return _Regression(scaler, model.fit(X, self.part.problem.y[rows]), columns)

    def candidates(self, supports: list[list[Items]], step: int) -> list[Candidate]:
        """Return one step of the path, where all folds can pay for it."""
        prices = [self.costs.price_of(path[step]) for path in supports]
        if max(prices) > self._top() or not all(path[step] for path in supports):
            return []
        errors = [self._error(fold, path[step]) for fold, path in enumerate(supports)]
        return [Candidate((step,), float(np.mean(errors)), max(prices))]

    def _error(self, fold: int, items: Items) -> float:
        if (fold, items) not in self.made:
            fit, held = self.part.inner()[fold]
            answers = self.regression(fit, items).answers(self.values[held])
            self.made[fold, items] = float(self.part.problem.losses(answers, held).mean())
        return self.made[fold, items]

    def fitted(self, items: Items) -> Fitted:
        """Return a regression on all training rows."""
        made = self.regression(self.part.train, items)
        return Fitted(
            made.model,
            costs_of_columns(self.part.costs, self.owner[made.columns]),
            lambda rows: made.scaler.transform(self.values[rows][:, made.columns]),
            lambda X: np.asarray(made.model.predict(X)),
        )
