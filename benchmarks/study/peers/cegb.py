"""LightGBM with its cost-efficient boosting (CEGB): a penalty on the first use of a column.

The penalty of a column is its price, with all it requires, times a tradeoff. LightGBM takes it off
the gain of a split, which is a sum over rows, so that tradeoffs are set in units of the gain of
the first split, for each row.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.study.problems import Problem, Table, costs_of_columns
from benchmarks.study.splits import Part
from benchmarks.study.tuning import Candidate, Fitted, Folds, Trained, settle, tuned

TRADEOFFS = tuple(10.0 ** np.linspace(-4.0, 0.5, 19))
LEAVES = (4, 8, 31)
LENGTHS = {
    "binary": (25, 50, 100, 200, 400),
    "regression": (25, 50, 100, 200, 400),
    "multiclass": (10, 25, 50, 100),
}
RATE = 0.1
#: Two threads that make or free a Booster at the same time may crash LightGBM, and so may one
#: that predicts with another number of threads, which is the same for all.
_ALONE = threading.Lock()
#: Rows that a leaf must have, by whether the table is small.
MIN_LEAF_ROWS = {True: 5, False: 20}
RECIPE = {
    "tradeoffs": [round(t, 6) for t in TRADEOFFS],
    "leaves": LEAVES,
    "lengths": LENGTHS,
    "rate": RATE,
    "encodings": ["coded", "one_hot"],
}


def train(part: Part) -> Trained:
    """Tune tradeoff, leaves, length and the coding of categories, then refit."""
    tables = [_Tuner(part, "coded", part.problem.coded)]
    if part.problem.has_categories:
        tables.append(_Tuner(part, "one_hot", part.problem.one_hot))
    tuners = {tuner.name: tuner for tuner in tables}
    for tuner in tables:
        tuner.prepare()
    settings = [(name, k, t) for name in tuners for k in LEAVES for t in TRADEOFFS]
    candidates, tried = tuned(
        part, settings, lambda setting: tuners[setting[0]].candidates(*setting[1:]), workers=2
    )
    fitted = settle(part, candidates, lambda setting: tuners[setting[0]].fitted(*setting[1:]))
    return Trained(fitted, tried, len(settings))


class _Tuner:
    """Fits on one table."""

    def __init__(self, part: Part, name: str, table: Table) -> None:
        self.part, self.name, self.table = part, name, table
        self.costs = costs_of_columns(part.costs, table.owner)
        self.prices = np.array([self.costs.price_of([item]) for item in self.costs.item_of])
        self.lengths = LENGTHS[part.problem.task]
        self.whole: dict[tuple[int, float], Any] = {}
        self.kept = threading.local()

    def prepare(self) -> None:
        """Find the unit of tradeoffs: the gain of a first split, per row and price.

        The gain is that of a column of median price.
        """
        import lightgbm as lgb

        data, n_rows, _ = self.folds()[0]
        stump = lgb.Booster(self.params(2, 0.0), data)
        stump.update()
        gain = max(float(stump.feature_importance("gain").max()), 1e-9)
        self.unit = gain / n_rows / float(np.median(self.prices[self.prices > 0]))

    def folds(self) -> list[tuple[Any, int, np.ndarray]]:
        """Return rows fitted, their number, and rows held out, per inner fold.

        Each thread has separate ones: boosters of two threads on one Dataset may crash.
        """
        if not hasattr(self.kept, "folds"):
            with _ALONE:
                self.kept.folds = [
                    (self.data(fit), len(fit), held) for fit, held in self.part.inner()
                ]
        folds: list[tuple[Any, int, np.ndarray]] = self.kept.folds
        return folds

    def data(self, rows: np.ndarray) -> Any:
        """Return the rows as a LightGBM Dataset."""
        import lightgbm as lgb

        return lgb.Dataset(
            self.table.values[rows],
            self.part.problem.y[rows],
            categorical_feature=np.flatnonzero(self.table.categorical).tolist(),
            params=self.params(2, 0.0) | {"feature_pre_filter": False},
        ).construct()

    def params(self, leaves: int, tradeoff: float) -> dict[str, Any]:
        """Return LightGBM's parameters."""
        problem = self.part.problem
        return {
            "objective": problem.task,
            "num_leaves": leaves,
            "learning_rate": RATE,
            "min_data_in_leaf": MIN_LEAF_ROWS[len(problem.y) < 3000],
            "cegb_tradeoff": tradeoff,
            "cegb_penalty_feature_coupled": self.prices.tolist(),
            "num_threads": 1,  # two settings are fitted at a time
            "deterministic": True,
            "force_row_wise": True,
            "verbose": -1,
        } | ({"num_class": problem.n_classes} if problem.task == "multiclass" else {})

    def candidates(self, leaves: int, tradeoff: float) -> list[Candidate]:
        """Return the candidates of all lengths of one setting."""
        folds = Folds(self.part)
        for data, n_rows, held in self.folds():
            folds.add(self.path(self.params(leaves, tradeoff * self.unit * n_rows), data, held))
            if folds.longest == 0:
                return []
        return folds.candidates([(self.name, leaves, tradeoff, n) for n in self.lengths])

    def path(
        self, params: dict[str, Any], data: Any, held: np.ndarray
    ) -> Iterator[tuple[float, float]]:
        """Yield price and error at each length."""
        import lightgbm as lgb

        with _ALONE:
            booster = lgb.Booster(params, data)
        try:
            yield from self.steps(booster, held)
        finally:
            with _ALONE:
                del booster

    def steps(self, booster: Any, held: np.ndarray) -> Iterator[tuple[float, float]]:
        """Grow to each length, and yield its price and error."""
        X, done, over, scores = self.table.values[held], 0, False, 0.0
        for length in self.lengths:
            while not over and booster.current_iteration() < length:
                over = booster.update()
            if booster.current_iteration() > done:
                more = booster.current_iteration() - done
                scores += booster.predict(
                    X, start_iteration=done, num_iteration=more, raw_score=True, num_threads=1
                )
                done += more
            losses = self.part.problem.losses(_answers(self.part.problem, scores, held), held)
            yield self.price(booster), float(losses.mean())
            if self.part.is_over:  # what is longer cannot be tried in time
                return

    def price(self, booster: Any) -> float:
        """Return the price of the columns that have a split."""
        used = np.flatnonzero(booster.feature_importance("split"))
        return self.costs.price_of({self.costs.item_of[column] for column in used})

    def fitted(self, leaves: int, tradeoff: float, length: int) -> Fitted:
        """Return a setting fitted to all training rows."""
        import lightgbm as lgb

        problem = self.part.problem
        grown = self.grown(leaves, tradeoff, length)
        booster = lgb.Booster(model_str=grown.model_to_string(num_iteration=length))
        return Fitted(
            booster,
            self.costs,
            lambda asked: self.table.values[asked],
            lambda X: _answers(problem, booster.predict(X, raw_score=True), X),
        )

    def grown(self, leaves: int, tradeoff: float, length: int) -> Any:
        """Return a booster on all training rows with that many rounds, if it finds so many.

        Shorter ones are its beginnings, so that it is grown once for all lengths.
        """
        import lightgbm as lgb

        rows = self.part.train
        if (leaves, tradeoff) not in self.whole:
            params = self.params(leaves, tradeoff * self.unit * len(rows))
            self.whole[leaves, tradeoff] = lgb.Booster(params, self.data(rows))
        booster = self.whole[leaves, tradeoff]
        while booster.current_iteration() < length and not booster.update():
            pass
        return booster


def _answers(problem: Problem, scores: Any, rows: Any) -> np.ndarray:
    if not np.ndim(scores):  # no tree at all
        return np.zeros(len(rows))
    if problem.task == "regression":
        return np.asarray(scores)
    if problem.task == "binary":
        return (scores > 0).astype(np.int64)
    return np.asarray(scores.argmax(axis=1))
