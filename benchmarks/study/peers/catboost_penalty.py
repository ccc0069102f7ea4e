"""CatBoost with a penalty on the first use of a column.

CatBoost takes the price times a coefficient off the score of a split. Its score, a cosine, is of
the size of the norm of the gradient, so that coefficients are set in units of that.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study.problems import costs_of_columns
from benchmarks.study.splits import INNER, Part
from benchmarks.study.tuning import Candidate, Fitted, Folds, Trained, settle, tuned

COEFFICIENTS = tuple(10.0 ** np.linspace(-3.0, 0.5, 8))
DEPTHS = (3, 6)
LENGTHS = {
    "binary": (25, 50, 100, 200),
    "regression": (25, 50, 100, 200),
    "multiclass": (10, 25, 50),
}
RATE = 0.1
RECIPE = {
    "coefficients": [round(c, 6) for c in COEFFICIENTS],
    "depths": DEPTHS,
    "lengths": LENGTHS,
    "rate": RATE,
}
_LOSS = {"binary": "Logloss", "multiclass": "MultiClass", "regression": "RMSE"}


def train(part: Part) -> Trained:
    """Tune coefficient, depth and length, then refit."""
    tuner = _Tuner(part)
    settings = [(depth, c) for depth in DEPTHS for c in COEFFICIENTS]
    candidates, tried = tuned(part, settings, lambda setting: tuner.candidates(*setting), workers=2)
    return Trained(
        settle(part, candidates, lambda setting: tuner.fitted(*setting)), tried, len(settings)
    )


class _Tuner:
    def __init__(self, part: Part) -> None:
        self.part, self.table = part, part.problem.coded
        self.costs = costs_of_columns(part.costs, self.table.owner)
        self.prices = np.array([self.costs.price_of([item]) for item in self.costs.item_of])
        self.lengths = LENGTHS[part.problem.task]
        self.cats = np.flatnonzero(self.table.categorical).tolist()

    def rows(self, rows: np.ndarray) -> Any:
        """Return the table as CatBoost takes it: integer codes for categories, -1 where missing."""
        if not self.cats:
            return self.table.values[rows]
        values = self.table.values[rows].astype(object)
        for column in self.cats:
            values[:, column] = np.nan_to_num(self.table.values[rows, column], nan=-1).astype(int)
        return values

    def model(self, rows: np.ndarray, depth: int, coefficient: float, length: int) -> Any:
        """Return a model of some rows."""
        from catboost import CatBoost, Pool

        problem = self.part.problem
        y = problem.y[rows]
        spread = (
            y.std()
            if problem.task == "regression"
            else np.sqrt(1 - (np.bincount(y) / len(y)).max())
        )
        unit = spread * np.sqrt(len(rows)) / np.median(self.prices[self.prices > 0])
        model = CatBoost({
            "loss_function": _LOSS[problem.task],
            "iterations": length,
            "depth": depth,
            "learning_rate": RATE,
            "penalties_coefficient": float(coefficient * unit),
            "first_feature_use_penalties": self.prices.tolist(),
            "one_hot_max_size": 255,  # a category is read as it is
            "thread_count": 1,  # two settings are fitted at a time
            "random_seed": self.part.seed,
            "allow_writing_files": False,
            "verbose": False,
        })  # fmt: skip
        return model.fit(Pool(self.rows(rows), y, cat_features=self.cats))

    def candidates(self, depth: int, coefficient: float) -> list[Candidate]:
        """Return the candidates of all lengths of one setting."""
        folds = Folds(self.part)
        for done, (fit, held) in enumerate(self.part.inner(), 1):
            steps = folds.longest or len(self.lengths)
            model = self.model(fit, depth, coefficient, self.lengths[steps - 1])
            folds.add(self.path(model, held))
            if folds.longest == 0 or (self.part.is_over and done < INNER):
                return []
        return folds.candidates([(depth, coefficient, n) for n in self.lengths])

    def path(self, model: Any, held: np.ndarray) -> Iterator[tuple[float, float]]:
        """Yield price and error at each length."""
        from catboost import Pool

        pool = Pool(self.rows(held), cat_features=self.cats)
        used = list(accumulate(used_columns(model), set.union))
        for length in self.lengths:
            trees = min(length, len(used))
            items = {self.costs.item_of[column] for column in used[trees - 1]} if trees else ()
            answers = self.answers(model, pool, trees)
            losses = self.part.problem.losses(answers, held)
            yield self.costs.price_of(items), float(losses.mean())

    def answers(self, model: Any, data: Any, trees: int = 0) -> np.ndarray:
        """Return classes or numbers; of all trees, or of the first ones."""
        scores = model.predict(data, prediction_type="RawFormulaVal", ntree_end=trees)
        if self.part.problem.task == "regression":
            return np.asarray(scores)
        if self.part.problem.task == "binary":
            return np.asarray(scores > 0).astype(np.int64)
        return np.asarray(scores.argmax(axis=1))

    def fitted(self, depth: int, coefficient: float, length: int) -> Fitted:
        """Return a setting fitted to all training rows."""
        model = self.model(self.part.train, depth, coefficient, length)
        return Fitted(model, self.costs, self.rows, lambda X: self.answers(model, X))


def used_columns(model: Any) -> list[set[int]]:
    """Return the columns that each tree reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        content = json.loads(path.read_text())
    about = content["features_info"]
    numbers = [feature["flat_feature_index"] for feature in about.get("float_features", ())]
    kinds = [feature["flat_feature_index"] for feature in about.get("categorical_features", ())]

    def column(split: dict[str, Any]) -> int:
        if split["split_type"] == "FloatFeature":
            return int(numbers[split["float_feature_index"]])
        return int(kinds[split["cat_feature_index"]])

    return [
        {column(split) for split in tree["splits"] or ()} for tree in content["oblivious_trees"]
    ]
