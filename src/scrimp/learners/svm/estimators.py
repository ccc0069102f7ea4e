"""BudgetedSVC and BudgetedSVR: linear support vector machines on columns within a budget."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...data.target import Target
from ...data.training_rows import numeric_target, read_rows
from ...data.validation import check_choice
from ..base import BudgetedClassifier, BudgetedRegressor
from .base import BudgetedLinearSVM, is_number
from .probabilities import class_frequencies, log_odds_scale
from .problem import one_against_rest

CLASSIFICATION_LOSSES = ("squared_hinge", "hinge")
REGRESSION_LOSSES = ("squared_epsilon_insensitive", "epsilon_insensitive")


class BudgetedSVC(BudgetedClassifier, BudgetedLinearSVM):
    r"""A linear support vector machine on groups of columns within a budget (LTB).

    The groups are chosen by a convex relaxation. Over coefficients, an intercept that is not
    penalised, and a fractional selection :math:`0\le d_m\le 1` of the groups with
    :math:`c^\top d\le B`, it minimises

    .. math:: \tfrac12\sum_m \|w_m\|^2/d_m
        + C\sum_i\max(0, 1-y_i(w^\top x_i+b))^2.

    The fractional selection is then rounded to a set of groups whose true price is within the
    budget, and the model is trained on that set. `bound_` certifies how far it can be from the
    best set. Several classes are treated one against the rest, on one common set of columns.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or None for a price of 1
        per column.
    budget : float, list of float or None
        The most that a prediction may spend. Several budgets make a menu of models, each with a
        warm start from the one before; a prediction takes the best that its budget pays for. None
        buys everything.
    C : float or list of float
        Weight of the losses against the norm. Of several, the best for each budget is chosen by
        cross-validation along the path of budgets.
    loss : {"squared_hinge", "hinge"}
        The loss of a row.
    uniform : bool
        Whether groups count as equally expensive while it is learnt what to buy (the paper's
        LTB-unif, for comparison). Their true prices are paid, within the budget, either way.
    scale : bool
        Whether columns are brought to mean 0 and variance 1 before it is learnt what to buy
        (sparse ones to variance 1). Predictions, `coef_` and `intercept_` take columns as given.
    class_weight : dict, "balanced" or None
        Weights of the classes, as in scikit-learn.
    missing : {"error", "mean"} or float
        What replaces a missing value; see `SequencedRegressor`, for categories too.
    cv : int, splitter or iterable
        Folds by which C is chosen.
    tol : float
        The relative duality gap to which the relaxation is solved.
    max_iter : int
        The largest number of solver steps. A warning is given if they are not enough, and `gap_`
        has the gap that was reached.
    max_nodes : int or None
        The largest number of branch and bound nodes per budget. The search looks for a better set
        and raises the lower bound, often until the set is proven to be the best. None: as many as
        take about half a second, and none in tables of more than 500,000 cells and more than 16
        groups. There is no search if ``uniform``.
    error_cost
        As in `BudgetedBoostingClassifier`. The probabilities of a support vector machine are
        rough: `CalibratedClassifier` makes them, and decisions by costs, better.
    max_seconds : float or None
        About how long the training may take. Each budget has the best set that was found by then,
        with its gap; a choice of C takes half of the time at most. None is no limit.
    verbose : int or None
        As in `BudgetedBoostingClassifier`.

    Attributes
    ----------
    budgets_ : float array (budgets,)
        Ascending, none above the price of everything. The attributes below have one entry each.
    prices_ : float array (budgets,)
        The price of each model; never more than its budget.
    items_ : list of lists of str
        What each model buys.
    gap_ : float array (budgets,)
        Relative duality gap of the relaxation.
    bound_ : float array (budgets,)
        Certificate: how far, at most, each model's objective is above the least that any set
        within the budget could have, relative to the objective.
    objective_, relaxed_objective_, least_objective_ : float arrays (budgets,)
        Objective of the model, objective of the relaxation, and the lower bound for all sets.
    C_ : float array (budgets,)
        The C that was chosen.
    cv_errors_ : float array (Cs, budgets)
        Cross-validation errors, if several C were given.
    shares_ : float array (budgets, groups)
        The fractional selection; groups are the items that bring columns, in the order of prices.
    share_counts_ : int array (budgets, 3)
        How many entries of the selection are 0, in between, and 1.
    history_ : list of float arrays (evaluations, 2)
        Objective, which falls, and lower bound, which rises.
    n_steps_, n_trainings_, n_nodes_ : int arrays (budgets,)
        Solver steps of the relaxation, models trained to round it, and branch and bound nodes.
    coef_, intercept_ : float arrays (outputs, columns), (outputs,)
        Of the model of the largest budget; 0 where a column is not bought. A category has one
        column per indicator.
    plan_ : PricedPlan
        The fitted plan.

    Notes
    -----
    A model buys its items one by one, the most valuable per price first. Where the money does not
    last, the first items answer with a machine that was trained on them, as far as these trainings
    take seconds and for the smallest of several budgets. Where an item has failed or some are
    owned, the answer is that of the first items, changed as the least squares support vector
    machine of the same C changes from them to the items at hand; it has a closed form for every
    set. That needs the products of all pairs of columns: models of sparse tables, or with more
    than 1,000 columns, buy all of their items or none.

    Scores times a number are taken for log-odds, so that the probabilities without any purchase
    are the frequencies of the classes; see `scrimp.learners.svm.probabilities`.

    References
    ----------
    Wang, Zhu, Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI 2018.
    Suykens, Vandewalle. Least Squares Support Vector Machine Classifiers. 1999.

    Examples
    --------
    >>> from scrimp import BudgetedSVC
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BudgetedSVC(budget=[2, 5], C=0.01).fit(scale(X), y)
    >>> model.prices_.tolist()
    [2.0, 5.0]
    >>> bool((model.bound_ < 0.2).all())
    True
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        C: Any = 1.0,
        *,
        loss: str = "squared_hinge",
        uniform: bool = False,
        scale: bool = False,
        class_weight: Any = None,
        missing: Any = "error",
        cv: Any = 5,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        max_nodes: int | None = None,
        error_cost: Any = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.C = C
        self.loss = loss
        self.uniform = uniform
        self.scale = scale
        self.class_weight = class_weight
        self.error_cost = error_cost
        self.missing = missing
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy for each budget.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers; a frame may hold text and categories too, which become indicators.
        y : array (rows,)
            Two classes or more.
        sample_weight : array (rows,), optional
            Row weights.
        """
        self._check_params()
        check_choice("loss", self.loss, CLASSIFICATION_LOSSES)
        rows = read_rows(
            self, X, y, sample_weight, accept_sparse=True, classes=True, rescale_weights=False
        )
        splits = self._splits(rows.y, rows.weights)
        rows = rows.of_positive_weight()
        classes, codes = rows.labelled()
        targets = one_against_rest(codes, len(classes))
        weights = rows.weights_or_ones
        scale = log_odds_scale(class_frequencies(targets, weights))
        target = self._class_target(classes, scale)
        self._learn(rows.table, rows.columns, target, targets, weights, splits, 0.0)
        return self


class BudgetedSVR(BudgetedRegressor, BudgetedLinearSVM):
    """Linear support vector regression on groups of columns within a budget (LTB).

    As `BudgetedSVC`, for a numeric response.

    Parameters
    ----------
    costs, budget, C, uniform, scale, missing, cv, tol, max_iter, max_nodes, max_seconds, verbose
        As in `BudgetedSVC`.
    loss : {"squared_epsilon_insensitive", "epsilon_insensitive"}
        The loss of a row.
    epsilon : float
        Half the width of the insensitive zone: errors up to it have no loss.

    Attributes
    ----------
    budgets_, prices_, items_, gap_, bound_, objective_, relaxed_objective_, least_objective_
        As in `BudgetedSVC`, and so are all others.

    References
    ----------
    Wang, Zhu, Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI 2018.

    Examples
    --------
    >>> from scrimp import BudgetedSVR
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BudgetedSVR(budget=3).fit(scale(X), y)
    >>> model.items_
    [['x2', 'x3', 'x8']]
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        C: Any = 1.0,
        *,
        loss: str = "squared_epsilon_insensitive",
        epsilon: float = 0.0,
        uniform: bool = False,
        scale: bool = False,
        missing: Any = "error",
        cv: Any = 5,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.C = C
        self.loss = loss
        self.epsilon = epsilon
        self.uniform = uniform
        self.scale = scale
        self.missing = missing
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy for each budget.

        Parameters
        ----------
        X : array, sparse matrix or data frame (rows, columns)
            Numbers; a frame may hold text and categories too, which become indicators.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            Row weights.
        """
        self._check_params()
        check_choice("loss", self.loss, REGRESSION_LOSSES)
        if not (is_number(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon is {self.epsilon!r}; expected a finite number >= 0.")
        if np.asarray(y).dtype.kind in "OUS":
            numeric_target(np.asarray(y), "BudgetedSVC")
        rows = read_rows(
            self, X, y, sample_weight, accept_sparse=True, y_numeric=True, rescale_weights=False
        )
        splits = self._splits(rows.y, rows.weights)
        rows = rows.of_positive_weight()
        target = Target("regression", np.array([]))
        targets = np.asarray(rows.y, dtype=np.float64)[None]
        self._learn(
            rows.table, rows.columns, target, targets, rows.weights_or_ones, splits,
            float(self.epsilon),
        )  # fmt: skip
        return self
