"""StreamingBoostingRegressor."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.target import Target
from ...data.training_rows import numeric_target
from ...data.validation import check_choice, check_number
from ..base import BudgetedRegressor
from .base import StreamingBooster
from .losses import NUMBER_LOSSES, StreamLoss


class StreamingBoostingRegressor(BudgetedRegressor, StreamingBooster):
    r"""Gradient boosting of numbers from one pass over a stream, within a budget.

    All weak learners, trees of bounded size or others, learn together: each is taught what those
    before it leave of the loss, as rows arrive. The sum may be cut off after any of them. With
    prices, the first learners read what a part of the budget pays for, and the last what all of it
    does; what is bought is decided again as the stream goes on.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or None: then all columns
        are read, unless a `budget` is given, for which each costs 1.
    budget : float or None
        The most that a prediction may spend. None buys everything that helps.
    rule : {"smoothed", "greedy", "edge", "speedboost", "hybrid"}
        How purchases weigh what a column tells against its price, as in
        `BudgetedBoostingRegressor`.
    loss : {"squared", "absolute", "quantile", "poisson"}
        Smooth losses are boosted by Alg. 6 of the thesis, ``absolute`` and ``quantile`` by Alg. 7:
        with residual projection, and the mean of the partial sums as the answer. ``poisson`` is
        for counts.
    learner : {"tree", "linear", "newton", "network", "convolution", "random-features"} or object
        The weak learners; by settings, such as ``Network(hidden=3)`` of
        `scrimp.learners.streaming`, which has a class for each name but "tree"; or a user's own: an
        object with ``predict(inputs)`` and ``update(inputs, targets, weights)``, which is copied
        per learner, or a function that makes such objects. A model with a user's learners cannot be
        saved.
    combine : {"auto", "sum", "average", "weighted", "momentum"}
        How an answer is made of the partial sums: the last, their mean, their mean with weights
        proportional to their number, or the last of a sum with Nesterov's momentum. ``auto`` is the
        sum for smooth losses and the mean for others, as in the thesis.
    iterate : {"last", "average"}
        Whether a learner answers with its last hypothesis, or with the mean over time of all of
        them; networks and convolutions with the average of their weights over the last steps, so
        many as their ``averaging`` says. Users' learners have none. Learning is the same.
    n_learners : int
        The number of weak learners.
    max_depth : int
        The most tests on a path of a tree. This, `max_bins` and `memory` are for trees only.
    step : {"inverse", "theorem"}, float, or array (learners,)
        The step of the learners: `learning_rate` over the smoothness of the loss; that of Thm
        5.5.1, for `edge`; or as given. For losses that are not smooth both are those of Thm 5.5.2
        if there is a `ridge`, and the spread of the target over the square root of the learner's
        number if there is none.
    learning_rate : float
        The part of the inverse smoothness that is a step: 1 has the best bound, while smaller ones
        learn less of the noise.
    edge : float
        The edge that the step of Thm 5.5.1 is made for.
    ridge : float
        The factor of the squared norm of the scores in the loss.
    quantile : float
        Of the quantile loss.
    radius : float or None
        For losses that are not smooth: partial sums are projected onto scores up to this. None is
        no projection.
    batch_size : int
        The largest number of rows that are learnt together: they are all answered before any of
        them is learnt. How rows are divided among calls of `partial_fit` does not matter.
    block_size : int or None
        For an unknown number of learners: so many are added at a time, while those before them are
        frozen, until there are `n_learners`. The next ones are added once the loss of 1,000 rows is
        not below that of the 1,000 before by more than chance explains. None trains all together.
    max_bins : int
        Bins of a column, between which trees may split.
    memory : float
        The number of rows that the mean of a leaf counts at most.
    drift : {"reset", None}
        What happens when the loss of recent rows rises clearly above that of many rows before:
        purchases are decided again by the next 1,000 rows, and learners whose answers do harm
        begin again; or nothing.
    n_passes : int or None
        Passes of `fit` over its rows. None is one, and more where there are fewer than 5,000 rows.
    shuffle : bool
        Whether `fit` takes its rows in random order, as tables are often sorted; `partial_fit`
        takes them as they come.
    random_state : int, RandomState or None
        The seed of that order, and of what learners draw.
    max_seconds, verbose
        As in `BudgetedBoostingRegressor`.

    Attributes
    ----------
    plan_ : PricedPlan
        The plan of what was learnt so far. A session keeps the plan that it began with.
    edges_ : float array (learners,)
        The edge of each learner so far: the share of its target that its answer explains.
    n_rows_, n_drifts_, n_projected_, n_clipped_ : int
        Rows learnt from, changes of the stream that were detected, rows on which the projection
        acted, and rows whose gradient was clipped.

    Notes
    -----
    Trees grow by histograms: a leaf splits once the likelihood ratio of its best split is beyond
    what chance explains. Learners begin one after the other, 100 rows apart. Cut points and
    purchases are decided by the most recent 2,000 rows, whenever the stream is four times as long.

    References
    ----------
    Hu. Anytime Prediction and Learning for the Balance between Computation and Accuracy. PhD
    thesis, Carnegie Mellon University, 2019, chapter 5. Hu, Sun, Venkatraman, Hebert, Bagnell.
    Gradient Boosting on Stochastic Data Streams. AISTATS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp import StreamingBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> y = 3.0 * X[:, 0] + X[:, 1] ** 2
    >>> model = StreamingBoostingRegressor([5.0, 1.0, 1.0], budget=6.0)
    >>> for start in range(0, 4000, 500):
    ...     model = model.partial_fit(X[start : start + 500], y[start : start + 500])
    >>> float(model.spend(X, budget=4.0).max()) <= 4.0
    True
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        rule: str = "smoothed",
        loss: str = "squared",
        *,
        learner: Any = "tree",
        combine: str = "auto",
        iterate: str = "last",
        n_learners: int = 20,
        max_depth: int = 5,
        step: Any = "inverse",
        learning_rate: float = 0.3,
        edge: float = 0.5,
        ridge: float = 0.0,
        quantile: float = 0.5,
        radius: float | None = None,
        batch_size: int = 50,
        block_size: int | None = None,
        max_bins: int = 32,
        memory: float = 1_000.0,
        drift: str | None = "reset",
        n_passes: int | None = None,
        shuffle: bool = True,
        random_state: Any = 0,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.rule = rule
        self.loss = loss
        self.learner = learner
        self.combine = combine
        self.iterate = iterate
        self.n_learners = n_learners
        self.max_depth = max_depth
        self.step = step
        self.learning_rate = learning_rate
        self.edge = edge
        self.ridge = ridge
        self.quantile = quantile
        self.radius = radius
        self.batch_size = batch_size
        self.block_size = block_size
        self.max_bins = max_bins
        self.memory = memory
        self.drift = drift
        self.n_passes = n_passes
        self.shuffle = shuffle
        self.random_state = random_state
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows, in `n_passes` passes; forget what was learnt before.

        Parameters
        ----------
        X : array, data frame (rows, columns), dict or list of dicts
            Numbers, with NaN for missing; a frame may hold categories too. Rows that are dicts may
            bring new columns, and lack others, which count as missing.
        y : array (rows,)
            Numbers; counts for the loss ``poisson``.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.
        """
        self._add(X, y, sample_weight, reset=True, alone=True)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more rows, one pass. Arguments as in `fit`."""
        self._add(X, y, sample_weight, reset=not hasattr(self, "_stream"), alone=False)
        return self

    def _add(self, X: Any, y: Any, sample_weight: Any, reset: bool, alone: bool) -> None:
        self._check_params()
        if np.asarray(y).dtype.kind in "OUS":
            numeric_target(np.asarray(y), "StreamingBoostingClassifier")
        rows = self._read(X, y, sample_weight, reset, y_numeric=True).of_positive_weight()
        y = np.asarray(rows.y, dtype=np.float64)
        if self.loss == "poisson" and (y < 0).any():
            raise ValueError(f"y holds {y.min():g}; the loss 'poisson' is for counts, 0 or more.")
        n_passes = self._passes(len(rows)) if alone else 1
        if reset:
            self._begin_numbers(n_passes)
            loss = self._stream.booster.loss
            if not loss.is_smooth and not loss.ridge and isinstance(self.step, str):
                self._stream.booster.steps *= self.learning_rate * (float(np.std(y[:1_000])) or 1.0)
        self._learn_passes(rows, y[:, None], y, n_passes, alone)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("loss", self.loss, NUMBER_LOSSES)
        check_number("quantile", self.quantile, 0.0, 1.0, above=True)

    def _begin_again(self, classes: NDArray[Any], n_passes: int) -> None:
        """Make the stream that an earlier one is restored into."""
        if len(classes):
            raise ValueError("it has classes, and numbers are predicted")
        self._begin_numbers(n_passes)

    def _begin_numbers(self, n_passes: int) -> None:
        """Make a new stream of numbers."""
        loss = StreamLoss(self.loss, float(self.ridge), float(self.quantile))
        kind = "counts" if self.loss == "poisson" else "regression"
        self._begin(Target(kind, np.array([])), loss, 1, 1.0 / n_passes)
