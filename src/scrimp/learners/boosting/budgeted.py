"""Boosting within a budget: stumps or trees whose choice weighs their price.

Huang, Powers and Reyzin, "Training-Time Optimization of a Budgeted Booster", IJCAI 2015, for
AdaBoost; Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost", 2009, for SAMME.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...data.columns import Columns
from ...data.folds import Splits, splits_of, spread_folds
from ...data.training_rows import TrainingRows, read_rows, seed_from
from ...data.validation import check_choice
from ...kernels.threads import n_threads
from ...plans.priced_plan import PricedPlan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import current_limit, is_time_over
from ...types import Flags, Floats, Ints
from ..base import BudgetedClassifier
from .booster import (
    Booster,
    Coding,
    Run,
    additive_plan,
    as_number,
    check_categories,
    class_coding,
    warn_if_nothing_is_bought,
)
from .class_search import ClassSearch
from .outcomes import Classes
from .rules import PricedRule
from .stump_search import PrunedSearch, StumpSearch
from .tree_fit import fit_trees, fits_trees, grows_trees, warn_of_tree_params
from .tree_loss import TreeLoss

#: The losses of stumps chosen by their edge.
STUMP_LOSSES = ("auto", "exponential")
LOSSES = (*STUMP_LOSSES, "logistic", "samme")
#: Alg. 1, line 8 gives a perfect stump an infinite weight; an edge counts as at most this.
EDGE_CAP = 1.0 - 1e-4
_PERFECT = 1.0 - 1e-12


def vote_weight(edge: float, n_classes: int) -> float:
    """Return the alpha of a stump: half the log-odds for two classes, else as in Zhu et al."""
    gamma, others = min(edge, EDGE_CAP), n_classes - 1
    return others**2 / n_classes * math.log((1.0 + others * gamma) / (1.0 - gamma))


class BudgetedBoostingClassifier(BudgetedClassifier, Booster):
    r"""Boosting on stumps or trees that pays for the columns it reads, within a budget.

    In round t it picks the stump h that is best by `rule`, pays for what h needs and does
    not own yet, and gives it the weight :math:`\alpha_t = \frac12\ln\frac{1+\gamma_t}
    {1-\gamma_t}`, where :math:`\gamma_t` is its edge. The training error is at most
    :math:`\prod_t\sqrt{1-\gamma_t^2}`; ``greedy`` makes this bound fall fastest per price.
    More than two classes are boosted under the logistic loss, by stumps with a value per class on
    each side; ``loss="samme"`` and the paper's vote boost them as in SAMME, see the notes.

    A round costs O(rows x columns) at most, without a copy of X: columns are binned once
    into one byte per value, and columns that cannot win are not looked at.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or 1 for each column.
    budget : float, list of floats or None
        The most that a prediction may spend. With a list one model is trained for each
        budget and a prediction uses the best that its budget pays for. None is no limit.
    rule : {"smoothed", "greedy", "edge", "speedboost", "hybrid", "penalty"}
        What a stump of edge :math:`\gamma` and price c is worth. ``edge``: :math:`\gamma`
        (AdaBoost that stops when the money is gone). ``greedy``: :math:`-\ln(1-\gamma^2)/c`.
        ``smoothed``: :math:`-\ln(1-\gamma^2)/(\tau s + c)`, where s is spent so far: the
        more that is, the less prices matter. ``speedboost``:
        :math:`(1-\sqrt{1-\gamma^2})/c`, the fall of the exponential loss per price.
        ``hybrid``: greedy at first, smoothed once its choices have become poor. c is the
        price of the stump's item plus what it requires and is not owned; an item keeps its
        price here even when it is paid for, else the rule would collapse onto it. An item
        that is free counts as the cheapest one that is not. In SAMME
        :math:`\sqrt{1-\gamma^2}` becomes :math:`Z(\gamma)`, see the notes. In trees, and in the
        stumps of more than two classes, :math:`\gamma^2` is the fall of the loss by a split, as a
        share of all that there is to explain. ``penalty`` takes `penalty` times the price of what
        is not bought yet from the gain of a split (GreedyMiser).
    n_rounds : int
        The most rounds.
    unaffordable : {"skip", "stop"}
        What to do about a stump that the rest of the budget cannot pay: choose among the
        others, or end (the paper's way, where all budgets come from one training).
    max_bins : int
        A column with at most so many distinct values is searched exactly, at the midpoints
        between them; others at that many quantiles. At most 65535; trees, and stumps of more
        than two classes, use 255 at most.
    tau : float
        How much what is spent counts in ``smoothed`` and ``hybrid``; 1 in the paper, and
        towards 0 they become ``greedy``.
    switch : float
        ``hybrid`` goes over to smoothed when the quality of a choice falls below this part
        of the first choice's; the paper sketches this without a number.
    n_jobs : int, optional
        Threads; None takes all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Draws the rows from which quantiles are taken, where there are many rows; and for trees, and
        stumps of more than two classes, the folds, the projections and the rounding of gradients.
    combine : {"stacked", "vote"}
        How an answer is made of the stumps whose columns are at hand. ``stacked``: all stumps
        on a column make one function, and the functions are weighted by a regression for
        whatever columns a row has, so that an answer with few of them is no worse than the
        prior; weights are fitted on rows that the stumps were not trained on, by trainings on
        5 folds where there are few rows. What explains most per price is bought first, and a
        second training for a sixteenth of what the first spends makes functions of cheap
        columns, so that smaller budgets than that of the training are well used. ``vote``: the
        sum of the stumps, as in the paper, which is meant for all of them, in the order of the
        training. For trees, and for stumps of more than two classes, ``stacked`` trains an
        ensemble for each of several parts of what is bought, and one for any other part of it.
    error_cost : mapping, array (classes, classes), float or None
        What errors cost: ``{"sick->well": 1000, "well->sick": 200}``, with the true class
        first, or with pairs ``("sick", "well")`` as keys; ``{"sick": 1000, "well": 200}`` for
        missing a class in any way; or a row per true and a column per predicted class, in the
        order of ``classes_``. `predict` then returns the class of least expected cost. The
        training and the probabilities stay as they are, so the decision is as good as the
        probabilities: `CalibratedClassifier` makes them honest. None: all errors cost the same.
    class_weight : dict, "balanced" or None
        Weights of the classes in the training, which multiply `sample_weight`, as in
        scikit-learn. Probabilities are then those of rows weighted so.
    max_depth : int
        The most tests on a path of a tree. 1 are stumps.
    loss : {"auto", "exponential", "logistic", "samme"}
        ``auto`` is exponential for stumps of two classes, which is AdaBoost, and logistic for
        trees and for more than two classes; but SAMME with ``combine="vote"``, as in the paper,
        and where a column has more than 255 categories. With more than two classes ``logistic``
        (softmax) and ``exponential`` (the sum of the exponential losses of each class against the
        rest, AdaBoost.MH) have a value per class in each leaf. ``samme`` boosts stumps that vote
        for one class on each side; it is AdaBoost with two classes.
    learning_rate : float or None
        The part of a step that is taken; None is 0.1 for trees, and 0.3 for those of six classes
        or more; for stumps of several classes 0.3, and 0.5 from six classes on. Stumps of AdaBoost
        and SAMME take the whole step.
    min_samples_leaf : float
        The fewest rows in a leaf of a tree. They are counted by their Hessians, as in LightGBM.
        Stumps of more than two classes need no more than a tenth of the rows.
    l2_regularization : float
        Added to the sum of the Hessians of a leaf.
    subsample, colsample : float
        The share of the rows, and of the columns, that are drawn for each tree.
    monotonic_cst : array (columns,), mapping or None
        Whether answers may only rise (1) or fall (-1) with a column, as in scikit-learn; for two
        classes.
    early_stopping : bool
        Whether held-out rows choose the number of trees of each ensemble: in a cross-validation
        up to 4,000 rows, else a part of the rows. False trains `n_rounds` trees.
    validation_fraction : float
        The part of the rows that is held out where there are more than 4,000.
    n_iter_no_change : int
        Rounds without a smaller loss on held-out rows after which boosting ends.
    penalty : float
        What one unit of price takes from the mean loss, for the rule ``penalty``.
    max_seconds : float or None
        About how long the training may take, above 0; what was learnt by then is the model, and
        ``in_time_`` is False. None is no limit.
    verbose : int or None
        Progress of the training, on stderr: 0 shows none, 1 a bar on a terminal or in a notebook
        and elsewhere a line every 10 seconds, 2 a line for each step. None shows a bar in
        notebooks only. For other uses see `set_callbacks`.

    Attributes
    ----------
    plan_ : PricedPlan
        What is bought, in order; ``plan_.summary()`` lists it.
    vote_ : PricedPlan
        The vote of all stumps, as in the paper, which is ``plan_`` with ``combine="vote"``; of
        AdaBoost and SAMME only.
    edges_ : float array (rounds,)
        The edges of the rounds of the last training; of AdaBoost and SAMME only.
    n_trees_ : int
        The trees of the last training under the rule; of trees, and of stumps that are not
        boosted by AdaBoost or SAMME.
    in_time_ : bool
        Whether the training came to its end within `max_seconds`.

    Notes
    -----
    In SAMME, with K classes, a stump votes for one class on each side of its test, and not for
    the same. With :math:`\epsilon` the weight of the rows it gets wrong, its edge is
    :math:`\gamma = (K(1-\epsilon)-1)/(K-1)`: 0 at chance, 1 if all is right. It adds
    :math:`\alpha = \frac{(K-1)^2}K\ln\frac{1+(K-1)\gamma}{1-\gamma}` to the score of the
    class it votes for and takes :math:`\alpha/(K-1)` from the others. The mean of
    :math:`e^{-f_y/(K-1)}`, where :math:`f_y` is the score of a row's own class, is then
    :math:`\prod_t Z(\gamma_t)` with
    :math:`Z(\gamma) = (1-\gamma)^{(K-1)/K}(1+(K-1)\gamma)^{1/K}`. That bounds the share of the
    training rows whose own class scores no more than the mean class. For two classes this is
    the training error; for more, another class can still score higher, and the error may
    exceed it (Mukherjee and Schapire 2013). Probabilities are the softmax of scores over K - 1.

    In AdaBoost and SAMME a missing value votes by itself: for the class that prevails, by weight,
    among the training rows where the column is missing; it abstains where there are none. A
    column of categories is tested for being one of them or not. An edge above 1 - 1e-4 counts as
    that in :math:`\alpha`, and a perfect stump ends the training.

    References
    ----------
    Huang, Powers, Reyzin. Training-Time Optimization of a Budgeted Booster. IJCAI 2015.
    Zhu, Zou, Rosset, Hastie. Multi-class AdaBoost. Statistics and Its Interface 2, 2009.
    Mukherjee, Schapire. A Theory of Multiclass Boosting. JMLR 14, 2013.
    Friedman. Greedy Function Approximation: A Gradient Boosting Machine. Annals of Statistics,
    2001. Xu, Weinberger, Chapelle. The Greedy Miser. ICML 2012. Schapire, Singer. Improved Boosting
    Algorithms Using Confidence-rated Predictions. Machine Learning 37, 1999, for AdaBoost.MH.

    Examples
    --------
    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, budget=30.0).fit(heart.X, heart.y)
    >>> float(model.spend(heart.X, budget=10.0).max()) <= 10.0
    True
    >>> round(model.score(heart.X, heart.y), 2)
    0.8
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        rule: str = "smoothed",
        n_rounds: int = 500,
        unaffordable: str = "skip",
        max_bins: int = 255,
        tau: float = 1.0,
        switch: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        combine: str = "stacked",
        error_cost: Any = None,
        class_weight: Any = None,
        max_depth: int = 1,
        loss: str = "auto",
        learning_rate: float | None = None,
        min_samples_leaf: float = 20,
        l2_regularization: float = 0.0,
        subsample: float = 1.0,
        colsample: float = 1.0,
        monotonic_cst: Any = None,
        early_stopping: bool = True,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        penalty: float = 0.0,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.rule = rule
        self.n_rounds = n_rounds
        self.unaffordable = unaffordable
        self.max_bins = max_bins
        self.tau = tau
        self.switch = switch
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.combine = combine
        self.error_cost = error_cost
        self.class_weight = class_weight
        self.max_depth = max_depth
        self.loss = loss
        self.learning_rate = learning_rate
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.subsample = subsample
        self.colsample = colsample
        self.monotonic_cst = monotonic_cst
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.penalty = penalty
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy and in which order.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold categories too.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.

        Notes
        -----
        If it is interrupted, the rounds done so far stand as a valid model, and the
        interruption is raised again.
        """
        self._check_params()
        rows = read_rows(self, X, y, sample_weight, classes=True).of_positive_weight()
        classes, labels = rows.labelled()
        name = self._tree_loss(len(classes), rows.columns)
        if name:
            weights = np.ones(1) if rows.weights is None else rows.weights / rows.weights.mean()
            loss = TreeLoss(name, labels.astype(np.float64), weights, len(classes))
            fit_trees(self, rows, loss, self._budgets(), self._class_target(classes, loss.scale))
            return self
        warn_of_tree_params(self, "learning_rate")
        check_categories(rows.columns)
        runs = self._fit_runs(_labelled(rows, classes, labels), rows.columns, len(classes))
        if not len(self.edges_) and not current_limit().was_hit:
            warn_if_nothing_is_bought(runs[-1])
        return self

    def _tree_loss(self, n_classes: int, columns: Columns) -> str:
        """Return the loss of the trees to boost; empty for stumps chosen by their edge."""
        if self.loss == "samme":
            return ""
        if not grows_trees(self, STUMP_LOSSES):
            keeps_paper = self.combine == "vote" or not fits_trees(columns)
            if n_classes == 2 or (self.loss == "auto" and keeps_paper):
                return ""
        return "logistic" if self.loss == "auto" else self.loss

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("loss", self.loss, LOSSES)
        if self.loss == "samme" and grows_trees(self, LOSSES):
            raise ValueError(
                "loss is 'samme', which boosts stumps chosen by their edge, and max_depth, rule, "
                "subsample, colsample or monotonic_cst ask for trees. Use 'exponential' or "
                "'logistic'."
            )

    def _adopt(
        self, runs: list[Run], rows: _Labelled, costs: Costs, stacked: PricedPlan | None = None
    ) -> None:
        coding, scale = rows.coding()
        self.vote_ = additive_plan(runs, costs, rows.prior(), self.unaffordable, coding=coding)
        self.plan_ = stacked or self.vote_
        self.edges_ = np.array([stump.edge for stump, _ in runs[-1].rounds])
        self.target_ = self._class_target(rows.classes, 1.0 if stacked else scale)

    def _open_search(self, rows: _Labelled) -> PrunedSearch:
        options: dict[str, Any] = {
            "categorical": rows.categorical,
            "max_bins": self.max_bins,
            "random_state": seed_from(self.random_state),
            "n_threads": n_threads(self.n_jobs),
        }
        if len(rows.classes) == 2:
            signs = np.where(rows.labels == 1, 1, -1).astype(np.int8)
            return StumpSearch(rows.table, signs, rows.weights, **options)
        return ClassSearch(rows.table, rows.labels, rows.weights, **options)

    def _boost(self, search: PrunedSearch, rule: PricedRule, run: Run, rows: _Labelled) -> None:
        """AdaBoostBT(S, B, C), Alg. 1."""
        for t in range(run.n_rounds):  # line 3
            if is_time_over():
                run.n_rounds = t
                break
            stump = search.best(rule.quality, rule.allowed)  # line 4, by Eq. (1) or (2)
            if stump is None:
                break
            rule.observe(stump.column, stump.edge)
            if not rule.buy(stump.column):  # lines 5 to 7
                if self.unaffordable == "stop":
                    break
                continue
            alpha = vote_weight(stump.edge, len(rows.classes))  # line 8
            run.rounds.append((stump, alpha))
            emit(Progress(run.label, t + 1, self.n_rounds, f"spent {run.shopper.spent:g}"))
            if stump.edge >= _PERFECT:
                break
            search.update(stump, alpha)  # line 9, with exp(-alpha y h) for two classes


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Training rows, their labels as positions in `classes`, and weights of at most 1.

    `weights` is None if they are all equal.
    """

    table: NDArray[Any]
    labels: NDArray[Any]
    weights: Floats | None
    classes: NDArray[Any]
    categorical: Flags

    def taken(self, index: Ints) -> _Labelled:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[index]
        return replace(self, table=self.table[index], labels=self.labels[index], weights=weights)

    def folds(self, n: int) -> Splits:
        """Return stratified folds, fewer where a class has fewer rows."""
        n = min(n, int(np.bincount(self.labels).min()))
        rng = np.random.default_rng(0)
        return splits_of(spread_folds(self.labels, n, rng, True), n) if n > 1 else []

    def coding(self) -> tuple[Coding, float]:
        """Return how votes become scores, and the scale at which scores are log-odds."""
        n = len(self.classes)
        # Friedman et al. (2000) for two classes, Zhu et al. (2009) for more
        return (as_number, 2.0) if n == 2 else (class_coding(n), 1.0 / (n - 1))

    def outcome(self) -> Classes:
        """Return the classes, for stacking."""
        weights = np.ones(len(self.labels)) if self.weights is None else self.weights
        return Classes(self.labels, weights / weights.mean(), len(self.classes))

    def prior(self) -> float | Floats:
        """Return the scores, on the scale of AdaBoost's votes, of the classes' shares p.

        For two classes half the log-odds of the second; else (K-1)(ln p - mean ln p), one per
        class (Zhu et al. 2009).
        """
        masses = np.bincount(self.labels, self.weights)
        if len(self.classes) == 2:
            return 0.5 * math.log(masses[1] / masses[0])
        logs = np.log(masses / masses.sum())
        scores: Floats = (len(logs) - 1) * (logs - logs.mean())
        return scores


def _labelled(rows: TrainingRows, classes: NDArray[Any], labels: NDArray[Any]) -> _Labelled:
    if len(classes) == 2:
        labels = labels.astype(np.uint8)  # an eighth of the memory
    weights = rows.weights
    if weights is not None:
        weights = weights / weights.max()
        weights = None if (weights == 1.0).all() else weights
    return _Labelled(rows.table, labels, weights, classes, rows.columns.is_categorical())
