"""Curve: quality against cost, as numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import limit
from ..data.error_costs import cost_matrix
from ..data.validation import check_budget
from ..runtime.predictor import as_predictor
from ..runtime.sweep import Sweep
from ..types import Floats
from .bootstrap import MIN_RESAMPLES, bootstrap_interval, including
from .budget_grid import default_budgets
from .error_cost import ERROR_COST, confusion_matrices
from .priced_metrics import check_error_cost
from .scoring import Scoring, check_weight, check_y, find_scorer, measure_of, on_all_rows


@dataclass(frozen=True)
class Point:
    """A curve at one budget."""

    budget: float
    spent: float
    quality: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Quality of a model against what it may spend.

    Parameters
    ----------
    budgets : float array (budgets,)
        Ascending and distinct.
    spent : float array (budgets,)
        Mean spend per row.
    quality : float array (budgets,)
        The scorer's value; greater is better, as always in scikit-learn.
    low, high : float arrays (budgets,)
        Interval of the quality; NaN where there is none.
    name : str
        The scorer's name.
    best : float
        The best value of the scorer: 1, or 0 for scorers of a loss (``neg_...``).
    level : float
        Of the interval.
    confusion : float array (budgets, true classes, predicted classes), optional
        The shares of rows; in curves of classes that are made from a sweep.
    classes : array (classes,), optional
        The class labels of `confusion`.

    Examples
    --------
    >>> curve = Curve([0, 1, 4], [0, 1, 3.5], [0.6, 0.7, 0.9], [0.5] * 3, [1.0] * 3, "accuracy")
    >>> curve.at(2.0).quality
    0.7
    """

    budgets: Floats
    spent: Floats
    quality: Floats
    low: Floats
    high: Floats
    name: str
    best: float = 1.0
    level: float = 0.95
    confusion: Floats | None = None
    classes: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        """Convert the numbers to arrays and check their shapes and order."""
        for field in ("budgets", "spent", "quality", "low", "high"):
            object.__setattr__(self, field, np.array(getattr(self, field), dtype=np.float64))
        n = self.budgets.size
        parts = (self.budgets, self.spent, self.quality, self.low, self.high)
        if n == 0 or any(part.shape != (n,) for part in parts):
            raise ValueError("a curve needs one spent, quality, low and high for each budget.")
        if not (self.budgets[0] >= 0 and (self.budgets[1:] > self.budgets[:-1]).all()):
            raise ValueError("budgets must be numbers >= 0, ascending and distinct.")
        if not (np.isfinite(self.spent).all() and np.isfinite(self.quality).all()):
            raise ValueError("spent and quality must be finite.")

    @classmethod
    def from_sweep(
        cls,
        sweep: Sweep,
        y: Any,
        *,
        scoring: Scoring | None = None,
        n_bootstrap: int = 200,
        level: float = 0.95,
        random_state: Any = 0,
        sample_weight: Any = None,
        groups: Any = None,
        positive: Any = None,
        error_cost: Any = None,
    ) -> Curve:
        """Score the answers of a sweep.

        Parameters
        ----------
        sweep : Sweep
            Answers and spend at many budgets.
        y : array (rows,)
            The truth.
        scoring : str or callable, optional
            The name of a scikit-learn scorer, or a callable ``scorer(estimator, X, y)``, to
            which X are the numbers of the rows. By default accuracy, for a regression r2.
            ``"neg_error_cost"`` is minus the mean cost of errors, at the model's `error_cost`.
        n_bootstrap : int
            Resamples of the rows for the interval; 0 for none.
        level : float
            Of the interval, between 0 and 1.
        random_state : int, RandomState or None
            Of the resamples.
        sample_weight : array (rows,), optional
            Weights of the rows, in quality and mean spend.
        groups : array (rows,), optional
            Rows that belong together, such as those of a query or a patient: whole groups are
            then resampled. By default the ``groups`` of a scorer that has them, as that of
            `ndcg_scorer` has its queries; otherwise single rows are resampled.

        positive : label, optional
            The class that a scorer of one class counts, such as f1 or precision; by default 1
            if there is such a class, else the last of the two.
        error_cost : mapping, array (classes, classes) or float, optional
            What errors cost, as in `BudgetedBoostingClassifier`: the quality is then minus
            their mean cost. The decisions stay those of the model.

        Notes
        -----
        The interval is the percentile interval of the bootstrap. That of a metric of groups,
        computed from single rows, can lie beside the quality: it is then extended to the
        quality, with a warning.

        Examples
        --------
        >>> import numpy as np
        >>> from scrimp import Sweep
        >>> from scrimp.data.target import Target
        >>> scores = np.array([[-1.0, 2.0], [-1.0, -2.0], [-1.0, 2.0]])[:, :, None]
        >>> spent = np.array([[0.0, 4.0]] * 3)
        >>> sweep = Sweep(np.array([0.0, 5.0]), spent, scores, Target("binary", np.array([0, 1])))
        >>> Curve.from_sweep(sweep, [1, 0, 1]).quality[1].item()
        1.0
        """
        y = check_y(y, sweep.target, len(sweep.spent))
        weight = check_weight(sample_weight, len(y))
        if not isinstance(n_bootstrap, int | np.integer) or n_bootstrap < 0:
            raise ValueError(f"n_bootstrap is {n_bootstrap!r}; expected a whole number >= 0.")
        if not 0 < level < 1:
            raise ValueError(f"level is {level}; expected a number between 0 and 1.")
        budgets, order = np.unique(sweep.budgets, return_index=True)
        scorer = find_scorer(scoring, sweep.target, error_cost, positive)
        answers, answer_of = distinct_answers(sweep.scores, order)
        measure = measure_of(scorer, sweep.target, sweep.scores[:, answers], y, weight)
        quality = on_all_rows(measure, scorer, len(y))
        if groups is None:
            groups = getattr(scorer.call, "groups", None)
        low, high = including(
            quality,
            *bootstrap_interval(
                measure, len(y), len(answers), n_bootstrap, level, random_state, groups
            ),
            scorer.name if n_bootstrap >= MIN_RESAMPLES else None,
        )
        return cls(
            budgets, mean_spend(sweep.spent[:, order], weight), quality[answer_of],
            low[answer_of], high[answer_of], scorer.name, scorer.best, level,
            *_confusion(sweep, answers, answer_of, y, weight),
        )  # fmt: skip

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        budgets: Any = None,
        *,
        owned: Any = None,
        keys: Any = None,
        stop: str | None = None,
        **options: Any,
    ) -> Curve:
        """Sweep a fitted model and score it.

        Parameters
        ----------
        model : fitted estimator or Predictor
            The model to evaluate.
        X : array or data frame
            Rows.
        y : array (rows,)
            The truth.
        budgets : array of numbers >= 0, optional
            By default `default_budgets` of the model.
        owned, keys, stop
            As in the model's `predict`.
        **options
            As in `from_sweep`.

        Examples
        --------
        >>> from scrimp import BudgetedBoostingClassifier
        >>> from scrimp.datasets import load_heart
        >>> heart = load_heart()
        >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
        >>> curve = Curve.from_estimator(model, heart.X, heart.y, [0.0, 4.0])
        >>> round(curve.at(0.0).quality, 2)  # nothing is bought: the prior
        0.54
        """
        as_predictor(model)
        if budgets is None:
            budgets = default_budgets(model)
        return cls.from_sweep(
            model.sweep(X, budgets, owned=owned, keys=keys, stop=stop), y, **options
        )

    @property
    def error(self) -> Floats:
        """The difference between the best value of the scorer and the quality.

        1 - quality for accuracy, roc_auc, r2 and the like, whose best value is 1; -quality
        for scorers of a loss, such as neg_log_loss. A scorer made by hand counts as one of
        a loss if `make_scorer` was given ``greater_is_better=False``.

        >>> curve = Curve([0, 1], [0, 1], [-0.5, -0.25], [-1, -1], [0, 0], "neg_log_loss", best=0)
        >>> curve.error[1].item()
        0.25
        """
        return self.best - self.quality

    def area(self, log: bool = False) -> float:
        """Return the mean quality over the budgets: the area under the curve over its width.

        Parameters
        ----------
        log : bool
            Over the logarithm of the budgets; those of 0 are left out.

        Examples
        --------
        >>> curve = Curve([0, 1, 3], [0, 1, 3], [0.5, 0.7, 0.9], [0] * 3, [1] * 3, "accuracy")
        >>> round(curve.area(), 4)
        0.7333
        """
        self._refuse_infinite("area")
        x, quality = self.budgets, self.quality
        if log:
            x, quality = np.log(x[x > 0]), quality[x > 0]
        if len(x) < 2:
            raise ValueError(
                f"area needs at least two {'positive ' if log else ''}budgets; "
                f"there are {len(x)}. Evaluate at more budgets."
            )
        return float(np.diff(x) @ (quality[1:] + quality[:-1]) / 2.0 / (x[-1] - x[0]))

    def timeliness(self, until: float | None = None) -> float:
        """Return the mean quality when interrupted at a cost uniform between 0 and `until`.

        The integral of a step function, the quality at the largest budget that fits,
        divided by `until`. Below the first budget its own quality counts.

        For r2 this is Hu's timeliness, the area under explained variance against cost,
        normalised by cost times total variance.

        Parameters
        ----------
        until : float, optional
            By default the last budget.

        References
        ----------
        H. Hu (2019). Anytime prediction and learning for the balance between computation and
        accuracy. PhD thesis, Carnegie Mellon University. Chapter 3.

        Examples
        --------
        >>> curve = Curve([0, 1, 4], [0, 1, 4], [0.5, 0.7, 0.9], [0] * 3, [1] * 3, "accuracy")
        >>> round(curve.timeliness(), 4)
        0.65
        """
        self._refuse_infinite("timeliness")
        end = float(self.budgets[-1] if until is None else until)
        if not (math.isfinite(end) and end > 0):
            raise ValueError(
                f"timeliness until {end} is undefined; expected a finite cost > 0. "
                "Evaluate at larger budgets, or give until."
            )
        edges = np.minimum([0.0, *self.budgets[1:], math.inf], end)
        return float(self.quality @ np.diff(edges) / end)

    def at(self, budget: float | None) -> Point:
        """Return the curve at the largest evaluated budget that is within a budget.

        Parameters
        ----------
        budget : float or None
            None for no limit.

        Examples
        --------
        >>> curve = Curve([0, 1, 4], [0, 1, 4], [0.5, 0.7, 0.9], [0] * 3, [1] * 3, "accuracy")
        >>> curve.at(3.0).spent
        1.0
        """
        wanted = float(check_budget(budget))
        position = int(np.searchsorted(self.budgets, limit(wanted), side="right")) - 1
        if position < 0:
            raise ValueError(
                f"budget is {wanted:g}, but the least budget of the curve is {self.budgets[0]:g}. "
                "Ask for more, or evaluate at lower budgets."
            )
        parts = (self.budgets, self.spent, self.quality, self.low, self.high)
        return Point(*(float(part[position]) for part in parts))

    def total_cost(self, error_cost: Any = None) -> Floats:
        """Return the mean spend per row plus the mean cost of errors, at each budget.

        Parameters
        ----------
        error_cost : float, mapping, array (classes, classes) or None
            A number is the cost of an error of 1: for accuracy, that of a wrong answer; for
            neg_mean_absolute_error, neg_mean_squared_error and a mean loss of your own, that
            of 1 unit of it; other metrics have no price. Costs of each kind of error, as in
            `BudgetedBoostingClassifier`, need a curve of classes that was made from a sweep.
            None is for curves whose quality is such a cost.

        Examples
        --------
        >>> curve = Curve([0, 1, 4], [0, 1, 4], [0.5, 0.7, 0.9], [0] * 3, [1] * 3, "accuracy")
        >>> curve.total_cost(10.0).tolist()
        [5.0, 4.0, 5.0]
        """
        if error_cost is None or self.name == ERROR_COST:
            return self.spent + self._error_as_cost(error_cost)
        if isinstance(error_cost, Real):
            check_error_cost(float(error_cost), self.name, self.best)
            return self.spent + float(error_cost) * self.error
        return self.spent + self._cost_by_confusion(error_cost)

    def best_budget(self, error_cost: Any = None) -> float:
        """Return the smallest budget that minimises the mean spend plus the cost of errors.

        Parameters
        ----------
        error_cost : float, mapping, array (classes, classes) or None
            As in `total_cost`.

        Examples
        --------
        >>> curve = Curve([0, 1, 4], [0, 1, 4], [0.5, 0.7, 0.9], [0] * 3, [1] * 3, "accuracy")
        >>> curve.best_budget(10.0)
        1.0
        """
        return float(self.budgets[np.argmin(self.total_cost(error_cost))])

    def _error_as_cost(self, error_cost: Any) -> Floats:
        """Return the error where it is a cost already."""
        if self.name != ERROR_COST:
            raise ValueError(
                f"error_cost is missing: {self.name} is no cost. Say what errors cost, or make "
                "the curve with error_cost."
            )
        return self.error if error_cost is None else self._cost_by_confusion(error_cost)

    def _cost_by_confusion(self, error_cost: Any) -> Floats:
        """Return the mean cost of errors at each budget."""
        if self.confusion is None or self.classes is None:
            raise ValueError(
                "error_cost has a cost for each kind of error, and this curve does not know which "
                "errors there were. Make it by Curve.from_sweep, or give error_cost to compare."
            )
        costs = cost_matrix(error_cost, self.classes)
        return np.asarray((self.confusion * costs).sum(axis=(1, 2)))

    def to_rows(self) -> list[dict[str, float | None]]:
        """Return one dictionary per budget, for tables and JSON.

        None stands for an undefined interval and for an infinite budget.

        >>> curve = Curve([0, 1], [0, 1], [0.5, 0.7], [0.4, 0.6], [0.6, 0.8], "accuracy")
        >>> curve.to_rows()[1]["quality"]
        0.7
        """
        fields = ("budgets", "spent", "quality", "low", "high")
        names = ("budget", *fields[1:])
        columns = [
            [value if math.isfinite(value) else None for value in getattr(self, field).tolist()]
            for field in fields
        ]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _refuse_infinite(self, what: str) -> None:
        if math.isinf(self.budgets[-1]):
            raise ValueError(
                f"{what} is an average over budgets, and the last budget is infinite. "
                "Evaluate at the model's full price (plan_.price) instead."
            )


def distinct_answers(scores: Floats, order: NDArray[np.intp]) -> tuple[list[int], NDArray[np.intp]]:
    """Return the budgets at which the answers change, and which of them each budget has."""
    changed = [True] + [not np.array_equal(scores[:, a], scores[:, b]) for a, b in pairwise(order)]
    return order[changed].tolist(), np.cumsum(changed) - 1


def _confusion(
    sweep: Sweep, answers: list[int], answer_of: NDArray[np.intp], y: NDArray[Any],
    weight: Floats | None,
) -> tuple[Floats | None, NDArray[Any] | None]:  # fmt: skip
    """Return the confusion matrix at each budget, and the classes; None for numbers."""
    target = sweep.target
    if target.is_number:
        return None, None
    labels = target.labels(sweep.scores[:, answers])
    matrices = confusion_matrices(y, labels, target.classes, weight)
    return None if matrices is None else matrices[answer_of], target.classes


def mean_spend(spent: Floats, weight: Floats | None = None) -> Floats:
    """Return the mean spend per row at each budget."""
    # a mean of equal numbers may be rounded up, but no row spends more than its budget
    mean = np.average(spent, axis=0, weights=weight)
    return np.asarray(np.minimum(mean, spent.max(axis=0)))
