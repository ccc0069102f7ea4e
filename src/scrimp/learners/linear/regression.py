"""Linear regression that buys groups of columns in one learned order.

Hu, "Anytime Prediction and Learning for the Balance between Computation and Accuracy", PhD
thesis, Carnegie Mellon University 2019, chapter 3.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from ...costs.costs import Costs, as_costs
from ...costs.shopper import warn_if_nothing_is_affordable
from ...data.chunks import chunks_of
from ...data.linear_design import LinearDesign, check_missing, not_finite
from ...data.target import Target
from ...data.training_rows import read_rows, refuse_large_weights
from ...data.validation import check_budget, check_choice
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over, time_share
from ...types import Floats
from ..base import BudgetedRegressor
from .bounds import MAX_LISTED_GROUPS, SequenceBounds, submodularity_ratio, whitened_gamma
from .factor import CRITERIA
from .moments import Moments
from .ridge_penalty import least_squares_alpha
from .sequence import Sequence, Standardised, choose_sequence, ridge_subsets, sequence_plan

#: The part of the time in which chunks are read; the rest is for the sequence.
CHUNKS_SHARE = 0.9


class SequencedRegressor(BudgetedRegressor):
    r"""Ridge regression on groups of columns, bought one after the other in a learned order.

    The order is chosen so that the prediction is near the best for its price whenever it is
    interrupted: in each step the group is bought that is worth most per price. Each prefix
    of the order has the ridge regression on its own columns. The answer after a purchase
    takes one sum over the columns known.

    Choosing the whole order takes about as long as forming :math:`X^\top X`: with R the
    Schur complement of :math:`C = X^\top X/n+\lambda I` on the columns not bought and r their
    correlations with what is not explained, a group g explains exactly
    :math:`\frac12 r_g^\top R_{gg}^{-1}r_g` more, and buying it is a step of Cholesky
    elimination. Nothing is ever refitted.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs` (its items are the groups), one price per column, prices by column
        name, or 1 for each column.
    criterion : {"forward", "omp", "single", "no-whiten"}
        What a group is worth, to be divided by its price. ``forward``: what it explains more
        (CS-G-FR). ``omp``: :math:`r_g^\top C_{gg}^{-1}r_g` (CS-G-OMP; with equal prices
        G-OMP). ``single``: :math:`\|r_g\|_\infty^2`, its best column alone. ``no-whiten``:
        :math:`\|r_g\|_2^2`, which counts columns that say the same several times.
    doubling : bool
        Whether a purchase may cost no more than all before it. Then at any budget B the
        sequence is near the best set of price B/4, not only where something was just bought.
        Where nothing qualifies the cheapest is next (see `doubled_`).
    alpha : float or "auto"
        The ridge :math:`\lambda\ge 0`, on columns and responses of mean 0 and variance 1.
        ``auto`` is 1e-5, as in the thesis, where there are 50 rows or more per column; else it is
        that of least generalised cross-validation for all columns. ``alpha_`` tells.
    budget : float, optional
        The most that a prediction may spend; None is no limit.
    missing : {"error", "mean"} or float
        What a missing value means: an error, or a value to be filled in, then in prediction
        too: the column's mean (in chunks that of the first chunk) or a number. A missing
        category counts as the mean of its indicators, or for a number as none of its values.
    max_seconds : float or None
        About how long the training may take: the items bought by then are the sequence. None is
        no limit.
    verbose : int or None
        As in `BudgetedBoostingClassifier`.

    Attributes
    ----------
    sequence_ : list of str
        The items in the order bought.
    explained_ : float array (items + 1,)
        The part of the variance that each prefix explains in training, less the penalty.
    dependent_ : list of str
        Columns that those bought before them determine. Their coefficient is 0.
    doubled_ : bool
        Whether no purchase more than doubled what was spent.
    plan_ : PricedPlan
        What is bought, in order; ``plan_.summary()`` lists it.

    Notes
    -----
    An item that costs nothing is bought as soon as what it requires is. Groups that would
    explain nothing are not bought.

    A column of text or categories in a data frame becomes one indicator per category, bought
    together at the price of the column. A category that was not seen in training, or in the
    first chunk, sets none of them.

    A failed item is missing, not the end: the rest of the order is bought, and the answer is the
    ridge regression on the columns that are there. Owned columns count at once. This takes the
    covariances of the columns bought; of more than 2,000 columns they are not kept, and a failure
    then ends the plan. A purchase that the budget cannot pay always ends the purchases.

    Data larger than memory: `partial_fit` and `fit_chunks` sum over rows in memory that grows
    with the square of the number of columns only, and give the sequence of one fit.

    References
    ----------
    Hu, Grubb, Bagnell, Hebert. Efficient Feature Group Sequencing for Anytime Linear
    Prediction. UAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp import Costs, SequencedRegressor
    >>> X = np.random.default_rng(0).normal(size=(500, 4))
    >>> y = 3.0 * X[:, 0] + X[:, 1] + 2.0 * X[:, 2]
    >>> costs = Costs.per_group(["scan", "lab", "lab", "age"], {"scan": 9, "lab": 2, "age": 0})
    >>> model = SequencedRegressor(costs).fit(X, y)
    >>> model.sequence_
    ['age', 'lab', 'scan']
    >>> model.explained_.round(2).tolist()
    [0.0, 0.0, 0.37, 1.0]
    """

    _takes_several = True
    _takes_sparse = True
    sums_: Moments
    _sequence: Sequence | None
    _design: LinearDesign
    _plan: PricedPlan

    def __init__(
        self,
        costs: Any = None,
        criterion: str = "forward",
        doubling: bool = False,
        alpha: Any = "auto",
        budget: float | None = None,
        missing: Any = "error",
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.criterion = criterion
        self.doubling = doubling
        self.alpha = alpha
        self.budget = budget
        self.missing = missing
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy and in which order.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers; a frame may hold text and categories too. An array on disk
            (`numpy.memmap`) is read in blocks.
        y : array (rows,) or (rows, responses)
            Numbers.
        sample_weight : array (rows,), optional
            Weights of the rows.
        """
        self._check_params()
        self._add(X, y, sample_weight, reset=True, alone=True)
        _ = self._learned
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to those seen so far; the sequence is chosen again when it is needed."""
        self._check_params()
        self._add(X, y, sample_weight, reset=not hasattr(self, "sums_"))
        return self

    def fit_chunks(self, chunks: Any, target: str | None = None) -> Self:
        """Learn from rows that come in chunks; all of them are never in memory together.

        Parameters
        ----------
        chunks : iterable or path
            Yields (X, y), (X, y, sample_weight), or frames with the column `target`; or the
            path of a Parquet file.
        target : str, optional
            The column with the responses.

        Notes
        -----
        If the chunks end in an error or are interrupted, what was summed so far stands and
        is usable, and the exception is raised again. When the time is over, the chunks read so
        far are learnt from.
        """
        self._check_params()
        reset = True
        with time_share(CHUNKS_SHARE):
            for X, y, weight in chunks_of(chunks, target):
                self._add(X, y, weight, reset)
                reset = False
                emit(Progress("rows", self.sums_.n_rows, self.sums_.n_rows))
                if is_time_over():
                    break
        if reset:
            raise ValueError("chunks holds no rows; a minimum of 1 is required.")
        _ = self._learned
        return self

    def sequence_bounds(self) -> SequenceBounds:
        """Return how far from the best the sequence can be, from the training data.

        The bound of Thm 3.3.2 for the criteria ``forward`` and ``omp`` without doubling, and of
        Thm 3.4.3 for ``forward`` with doubling and at most 10 groups. Neither is known where
        items require others, or the training's budget is less than all of them cost. See
        `SequenceBounds`.
        """
        sequence, costs = self._learned, self.plan_.costs
        if self.criterion not in ("forward", "omp"):
            raise ValueError(
                f"criterion is {self.criterion!r}, of which nothing is known; bounds hold for "
                "'forward' and 'omp'."
            )
        data = Standardised.of(self.sums_, self.alpha_)
        prepared = costs.prepared(self._design.preparation.source)
        groups = [np.array(columns) for columns in prepared.columns if columns]
        spent = [costs.price_of(sequence.items[:k]) for k in range(len(sequence.items) + 1)]
        no_theorem = self._why_no_theorem(costs)
        gamma, reason = None, no_theorem or self._why_no_doubling(len(groups))
        if not reason:
            gamma = submodularity_ratio(data.matrix, data.response, groups)
        plain = not (no_theorem or self.doubling)
        smallest = whitened_gamma(data.matrix, groups) if plain else 0.0
        return SequenceBounds(
            smallest, np.array(spent), sequence.explained, data.explained_by_all(), gamma,
            None if gamma is None else -float(np.expm1(-(gamma**2) / (1.0 + gamma))), reason,
        )  # fmt: skip

    def _why_no_theorem(self, costs: Costs) -> str:
        if any(costs.requires):
            return "Items require others; the theorems are about prices that add up."
        if check_budget(self.budget) < costs.total:
            return "The training's budget passes over what it cannot pay; the theorems do not."
        return ""

    def _why_no_doubling(self, n_groups: int) -> str:
        if not self.doubling or self.criterion != "forward":
            return "Thm 3.4.3 is about criterion='forward' with doubling=True."
        if not self.doubled_:
            return "A purchase more than doubled what was spent, as nothing cheaper was left."
        if n_groups > MAX_LISTED_GROUPS:
            return (
                f"Its ratio needs all subsets of {n_groups} groups; listed are those of "
                f"{MAX_LISTED_GROUPS} at most."
            )
        return ""

    def _check_params(self) -> None:
        check_choice("criterion", self.criterion, tuple(CRITERIA))
        check_sequencer(self)

    @property
    def sequence_(self) -> list[str]:
        """The items in the order bought."""
        return [self.plan_.costs.names[item] for item in self._learned.items]

    @property
    def explained_(self) -> Floats:
        """What each prefix explains in training."""
        return self._learned.explained

    @property
    def dependent_(self) -> list[str]:
        """Columns that others determine."""
        return [self._design.name(column) for column in self._learned.dependent]

    @property
    def doubled_(self) -> bool:
        """Whether no purchase more than doubled what was spent."""
        return self._learned.doubled

    @property
    def plan_(self) -> PricedPlan:
        """What is bought, in order."""
        _ = self._learned
        return self._plan

    @plan_.setter
    def plan_(self, plan: PricedPlan) -> None:
        self._plan = plan

    @property
    def _learned(self) -> Sequence:
        """The sequence of the rows seen so far; chosen when it is first asked for."""
        if not hasattr(self, "sums_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before using this estimator."
            )
        sequence = self._sequence
        if sequence is None:
            costs, limit = self._priced(), float(check_budget(self.budget))
            warn_if_nothing_is_affordable(costs, [limit])
            self._refuse_overflow()
            self.alpha_ = least_squares_alpha(self.alpha, self.sums_)
            data = Standardised.of(self.sums_, self.alpha_)
            prepared = costs.prepared(self._design.preparation.source)
            sequence = self._choose(data, prepared, limit)
            subsets = ridge_subsets(self.sums_, self.alpha_, sequence.columns)
            sequence = replace(sequence, subsets=subsets)
            self._plan = PricedPlan(sequence_plan(sequence, self._design), costs)
            self._sequence = sequence
        return sequence

    def _replan(self, costs: Costs) -> None:
        """Choose the sequence again from the sums, as a training with these prices would."""
        self.sums_, self._sequence = deepcopy(self.sums_), None
        _ = self._learned

    def _refuse_overflow(self) -> None:
        spread = np.diag(self.sums_.scatter)
        if not np.isfinite(spread).all():
            columns = self._design.prepared_columns
            raise not_finite(np.flatnonzero(~np.isfinite(spread)).tolist(), columns)

    def _priced(self) -> Costs:
        return as_costs(self.costs, len(self.columns_), self.columns_.names)

    def _choose(self, data: Standardised, costs: Costs, budget: float) -> Sequence:
        return choose_sequence(data, costs, self.criterion, budget, self.doubling)

    def _add(self, X: Any, y: Any, sample_weight: Any, reset: bool, alone: bool = False) -> None:
        """Add rows to the sums, all or none of them: rows that are refused may be given again.

        Parameters
        ----------
        X, y, sample_weight
            As in `partial_fit`.
        reset : bool
            Whether these are the first rows.
        alone : bool
            Whether no others follow, so that the scale of their weights does not matter.
        """
        rows = read_rows(
            self, X, y, sample_weight, reset=reset, accept_sparse=True, rescale_weights=alone,
            multi_output=self._takes_several, y_numeric=True,
        )  # fmt: skip
        if not alone:
            refuse_large_weights(rows.weights, "where rows are added to others,")
        columns = rows.columns
        Y = np.asarray(rows.y, dtype=np.float64).reshape(len(rows), -1)
        learn = LinearDesign.learn
        design = learn(rows.table, columns, self.missing) if reset else self._design
        table = design.transform(rows.table)
        if reset:
            as_costs(self.costs, len(columns), columns.names)  # or refused now
            self.columns_, self._design = columns, design
            self.target_ = Target("regression", np.arange(Y.shape[1] if rows.y.ndim > 1 else 0))
            self.sums_ = Moments(table.shape[1], Y.shape[1])
        elif Y.shape[1] != self.sums_.n_responses:
            raise ValueError(
                f"y has {Y.shape[1]} responses; expected {self.sums_.n_responses} as before."
            )
        elif self.columns_.ranges is not None:
            self.columns_ = columns.with_ranges(rows.table)
        self._sequence = None
        self.sums_.add(table, Y, rows.weights)

    def __sklearn_tags__(self) -> Any:
        """Several responses."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._takes_several
        return tags


def check_alpha(alpha: Any) -> None:
    """Refuse a ridge that is neither a number nor chosen here."""
    is_number = isinstance(alpha, int | float | np.number) and 0 <= alpha < math.inf
    if not is_number and not (isinstance(alpha, str) and alpha == "auto"):
        raise ValueError(f"alpha is {alpha!r}; expected a finite number >= 0, or 'auto'.")


def check_sequencer(model: Any) -> None:
    """Refuse parameters that no sequence can be learnt by."""
    check_budget(model.budget)
    check_alpha(model.alpha)
    check_missing(model.missing)
