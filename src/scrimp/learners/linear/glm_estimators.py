"""Generalised linear models that buy groups of columns in one learned order.

Hu, "Anytime Prediction and Learning for the Balance between Computation and Accuracy", PhD
thesis, Carnegie Mellon University 2019, Sec. 3.7.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...costs.costs import as_costs
from ...costs.shopper import warn_if_nothing_is_affordable
from ...data.linear_design import LinearDesign
from ...data.target import MAX_LOG_COUNT, Target
from ...data.training_rows import TrainingRows, read_rows
from ...data.validation import check_budget, check_choice, check_number, check_whole
from ...plans.priced_plan import PricedPlan
from ...types import Floats
from ..base import BudgetedClassifier, BudgetedEstimator, BudgetedRegressor
from .families import FAMILIES
from .glm_path import Sample
from .glm_sequence import GLM_CRITERIA, choose_glm_sequence
from .regression import check_sequencer
from .ridge_penalty import chosen_penalty
from .sequence import sequence_plan

#: Columns up to which matrix products are faster in one thread.
_ONE_THREAD_COLUMNS = 256
#: How far a predicted count may be beyond the largest one of the training, as a logarithm: more
#: leaves more to extrapolation, less would clip what a steep but sound model predicts.
_LOG_EXTRAPOLATION = float(np.log(1000.0))


class _GlmSequencer(BudgetedEstimator):
    """What the generalised linear models share."""

    _takes_sparse = True

    def __init__(
        self,
        costs: Any = None,
        criterion: str = "omp",
        doubling: bool = False,
        alpha: Any = "auto",
        budget: float | None = None,
        missing: Any = "error",
        max_iter: int = 200,
        tol: float = 1e-5,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.criterion = criterion
        self.doubling = doubling
        self.alpha = alpha
        self.budget = budget
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.max_seconds = max_seconds
        self.verbose = verbose

    def _check_params(self) -> None:
        check_choice("criterion", self.criterion, GLM_CRITERIA)
        check_sequencer(self)
        check_whole("max_iter", self.max_iter, 1)
        check_number("tol", self.tol, 0.0, above=True)

    def _learn(self, rows: TrainingRows, Y: Floats, family: str, target: Target) -> None:
        """Choose the sequence and become its plan."""
        columns = self.columns_ = rows.columns
        self.target_ = target
        costs = as_costs(self.costs, len(columns), columns.names)
        budget = float(check_budget(self.budget))
        warn_if_nothing_is_affordable(costs, [budget])
        design = LinearDesign.learn(rows.table, columns, self.missing)
        table, weights = design.transform(rows.table), rows.weights_or_ones
        sample = Sample(table, Y, weights / weights.sum())
        # small products are slower in several threads, much so where cores are busy
        with threadpool_limits(1 if table.shape[1] <= _ONE_THREAD_COLUMNS else None, "blas"):
            penalty = chosen_penalty(self.alpha, sample, FAMILIES[family])
            sequence, self.n_iter_ = choose_glm_sequence(
                sample, FAMILIES[family], costs.prepared(design.preparation.source), self.criterion,
                penalty, budget, self.doubling, self.max_iter, self.tol,
            )  # fmt: skip
        self.alpha_ = penalty.alpha
        self.sequence_ = [costs.names[item] for item in sequence.items]
        self.explained_ = sequence.explained
        self.doubled_ = sequence.doubled
        self.dependent_ = [design.name(column) for column in sequence.dependent]
        self.plan_ = PricedPlan(sequence_plan(sequence, design), costs)


class SequencedClassifier(BudgetedClassifier, _GlmSequencer):
    r"""Logistic regression on groups of columns, bought one after the other in a learned order.

    In each step the group is bought whose coefficients would move most per price: the
    gradient of the penalised log-loss by the group's coefficients, at the model fitted so
    far, in Frobenius norm, squared, over the price. The model is refitted after each purchase
    from where it was. Each prefix of the order has its own model.

    Parameters
    ----------
    costs, doubling, budget, missing
        As in `SequencedRegressor`.
    criterion : {"omp", "forward", "single", "no-whiten"}
        ``omp``: each group's columns are made uncorrelated first (CS-G-OMP). ``single`` takes
        the best column alone, ``no-whiten`` standardised columns as they are. ``forward``
        approximates what a group would explain: the curvature of the loss is replaced by that
        of least squares, which bounds it (Boehning 1992), so that the gain is
        :math:`r_g^\top R_{gg}^{-1}r_g` with r the gradient and R as in `SequencedRegressor`.
    alpha : float or "auto"
        The ridge :math:`\lambda\ge 0` on the coefficients of the inputs: columns of variance 1,
        uncorrelated within their group for ``omp`` and ``forward``. The intercept has none.
        ``auto`` is 1e-5, as in the thesis, where there are 50 rows or more per coefficient; else
        it is chosen by generalised cross-validation of a least squares fit to all columns, and a
        prefix has the part of it that it has of the columns.
    max_iter : int
        The most steps of a refit (L-BFGS). Where that is not enough there is a warning.
    tol : float
        A refit ends when no entry of the gradient is above this.
    error_cost, class_weight, verbose
        As in `BudgetedBoostingClassifier`.
    max_seconds : float or None
        About how long the training may take: the items bought by then are the sequence. None is
        no limit.

    Attributes
    ----------
    sequence_ : list of str
        The items in the order bought.
    explained_ : float array (items + 1,)
        The part of the deviance that each prefix explains in training, less the penalty.
    dependent_ : list of str
        Columns that others of their own group determine.
    doubled_ : bool
        Whether no purchase more than doubled what was spent.
    n_iter_ : int
        The most steps that a refit took.
    alpha_ : float
        The ridge of a model of all columns.
    plan_ : PricedPlan
        What is bought, in order.

    Notes
    -----
    A failed item is missing, not the end, and owned columns count at once: columns S that are not
    the first of the order have the model that minimises a quadratic model of the penalised loss.
    At a model :math:`\theta`, with H the Hessian and g the gradient there, its minimum is
    :math:`\theta_S = H_{SS}^{-1}(H\theta - g)_S`, intercepts always included in S. There are two,
    one at the model of all columns bought and one at the prior, mixed by the share of what all
    columns explain that S explains. Of more than 2,000 coefficients H is not kept, and a failure
    then ends the plan.

    References
    ----------
    Hu. Anytime Prediction and Learning for the Balance between Computation and Accuracy. PhD
    thesis, Carnegie Mellon University 2019, Alg. 5. Lozano, Swirszcz, Abe. Group Orthogonal
    Matching Pursuit for Logistic Regression. AISTATS 2011.

    Examples
    --------
    >>> from scrimp import SequencedClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SequencedClassifier().fit(X, y)
    >>> model.sequence_
    ['x2', 'x0', 'x3', 'x1']
    >>> round(model.score(X, y, budget=1.0), 2)
    0.95
    """

    def __init__(
        self,
        costs: Any = None,
        criterion: str = "omp",
        doubling: bool = False,
        alpha: Any = "auto",
        budget: float | None = None,
        missing: Any = "error",
        max_iter: int = 200,
        tol: float = 1e-5,
        error_cost: Any = None,
        class_weight: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        super().__init__(
            costs, criterion, doubling, alpha, budget, missing, max_iter, tol, max_seconds, verbose
        )
        self.error_cost = error_cost
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy and in which order.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers; a frame may hold text and categories too, which become indicators.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight, accept_sparse=True, classes=True)
        rows = rows.of_positive_weight()
        classes, codes = rows.labelled()
        binary = len(classes) == 2
        Y = codes[:, None].astype(np.float64) if binary else np.eye(len(classes))[codes]
        family = "logistic" if binary else "multinomial"
        self._learn(rows, Y, family, self._class_target(classes))
        return self


class SequencedPoissonRegressor(BudgetedRegressor, _GlmSequencer):
    """Poisson regression on groups of columns, bought one after the other in a learned order.

    For counts and rates; a prediction is the expected count. Far outside the range of the
    training, where its exponential would know no bounds, it is at most 1,000 times the largest
    response of the training: so much is left to extrapolation, and sums of predictions stay
    finite. (Model files of before this limit was kept have their old one, 1.8e308.)

    Parameters
    ----------
    costs, criterion, doubling, alpha, budget, missing, max_iter, tol, max_seconds, verbose
        As in `SequencedClassifier`; of ``forward`` there is no bound here.

    Attributes
    ----------
    sequence_, explained_, dependent_, doubled_, n_iter_, plan_
        As in `SequencedClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp import SequencedPoissonRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = rng.poisson(np.exp(0.5 * X[:, 0] + 0.2 * X[:, 2]))
    >>> SequencedPoissonRegressor([5.0, 1.0, 1.0]).fit(X, y).sequence_
    ['x0', 'x2', 'x1']
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy and in which order.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers; a frame may hold text and categories too, which become indicators.
        y : array (rows,)
            Counts or rates, >= 0 and not all 0.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight, accept_sparse=True, y_numeric=True)
        rows = rows.of_positive_weight()
        y = np.asarray(rows.y, dtype=np.float64)
        if not (np.isfinite(y).all() and (y >= 0).all() and y.any()):
            raise ValueError("y must hold counts or rates: finite, >= 0, and not all 0.")
        largest = min(float(np.log(y.max()) + _LOG_EXTRAPOLATION), MAX_LOG_COUNT)
        target = Target("counts", np.array([]), max_log_count=largest)
        self._learn(rows, y[:, None], "poisson", target)
        return self

    def __sklearn_tags__(self) -> Any:
        """Responses >= 0."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags
