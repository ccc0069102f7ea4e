"""Decision trees that pay for the tests on each row's own path."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ...data.target import Target
from ...data.training_rows import numeric_target, read_rows
from ...plans.priced_plan import PricedPlan
from ...types import Floats
from ..base import BudgetedClassifier, BudgetedRegressor
from .grown_tree import GrownTree
from .tree_fit import Outcome, check_tree_params, fit_tree


class BudgetedTreeClassifier(BudgetedClassifier):
    """A pruned decision tree whose rows pay only for the tests on their own path.

    A row buys the test at its node, each item once, and goes on; where the next test is too
    dear it stops and is given the class frequencies of the node that it has come to.

    The tree is grown by a rule that weighs what a test tells against its price, given what is
    bought on the path: an item bought above is free below. It is pruned to minimise risk +
    alpha x leaves, where the risk is the Brier score, and to an average spend by the
    weakest-link sequence of risk + lambda x mean spend. With ``rule="price-blind"`` it is
    scikit-learn's `DecisionTreeClassifier`: the baseline of the papers.

    Growing costs O(columns x rows x depth), and with ``prune="cv"`` as much again for each fold.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or 1 for each column.
    budget : float or None
        The most that any path may cost: a node tests what its rows can still pay for. None is no
        limit.
    max_depth : int or None
        The most tests on a path.
    min_samples_leaf : int or float
        The fewest rows in a leaf, or the least share of them.
    prune : {"cv"}, float or None
        How much is pruned, as scikit-learn's ``ccp_alpha``: the number that has the best
        Brier score in a cross-validation, a number as it is, or None for no pruning. The
        price-blind tree takes the number with the best accuracy.
    cv : int, splitter or iterable of (train, test)
        The folds for ``prune="cv"``; a number of stratified ones, any splitter of
        scikit-learn, or positions of rows as given to `fit`.
    random_state : int, RandomState or None
        Draws the folds; and decides between equally good tests of the price-blind tree.
    error_cost, class_weight, max_seconds, verbose
        As in `BudgetedBoostingClassifier`. The tree is grown, and the first fold pruned by,
        whatever the time.
    rule : {"eg2", "cs-id3", "idx", "price-blind"}
        How a test is chosen, where I is its information gain in bits and C its price in units of
        the mean price of a column: by (2^I - 1) / (C + 1)^economy (Nunez 1991), I^2 / C (Tan
        1993) or I / C (Norton 1989), as Turney (1995) compares them; or by scikit-learn, without
        a look at prices.
    economy : float
        The exponent of EG2, from 0 to 1: how much prices count.
    average_budget : float or None
        The most that the training rows may pay on average. Rows for which little is in doubt
        stop early, so that others may go on; `budget` stays the limit of each row. Trees are grown
        within several limits per path, and the one of least penalised risk is taken.
    search : {"auto", "greedy", "optimal"}
        How the tree is searched for: test after test; or, up to a depth of 3, as the tree of least
        risk + alpha x leaves + lambda x mean spend of all trees of at most 192 tests (16 cuts or
        categories per column). With ``"auto"`` and ``max_depth`` of at most 3, on up to 5,000
        rows, the optimal tree is taken where it costs no more on average and held-out rows say
        that it is better, beyond one standard error.

    Attributes
    ----------
    plan_ : PricedPlan
        The tree with its prices; ``plan_.summary()`` lists what it may buy.
    tree_ : GrownTree or DecisionTreeClassifier
        The tree. The price-blind one is as scikit-learn grew and pruned it, before the budget: its
        labels are positions in ``classes_``, its features columns of X, or one a category.
    ccp_alpha_ : float
        How much was pruned.
    average_spend_ : float
        What the training rows pay on average, by weight.
    is_optimal_ : bool
        Whether the tree is the best of all shallow ones. When `max_seconds` is over before that is
        proven, the best tree until then is taken, or the greedy one, with a warning.

    Notes
    -----
    A probability is a frequency with one row more of each class, where weights count as
    rows: weights that add up to 1 make for cautious probabilities. Weights of which the
    largest is beyond 2**200, or below 2**-200, are first brought to between 1 and 2. A column
    of categories is tested for being one of them or not; one that was not seen in training is
    none of them. A missing value goes where those of the training went, or with the most rows
    where there were none.

    References
    ----------
    Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984.
    Turney. Cost-Sensitive Classification. JAIR 2, 1995. Nunez. The Use of Background Knowledge in
    Decision Tree Induction. Machine Learning 6, 1991. Demirovic et al. MurTree: Optimal Decision
    Trees via Dynamic Programming and Search. JMLR 23, 2022. Tan. Cost-Sensitive Learning of
    Classification Knowledge. Machine Learning 13, 1993. Norton. Generating Better Decision Trees.
    IJCAI 1989. The price-blind tree as a baseline on a budget: Reyzin. Boosting on a Budget:
    Sampling for Feature-Efficient Prediction. ICML 2011; Huang, Powers, Reyzin. Training-Time
    Optimization of a Budgeted Booster. IJCAI 2015.

    Examples
    --------
    >>> from scrimp import BudgetedTreeClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedTreeClassifier(heart.costs, random_state=0).fit(heart.X, heart.y)
    >>> float(model.spend(heart.X, budget=10.0).max()) <= 10.0
    True
    >>> round(model.score(heart.X, heart.y), 2)
    0.84
    """

    _takes_missing = True

    def __init__(
        self,
        costs: Any = None,
        budget: float | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        prune: Any = "cv",
        cv: Any = 5,
        random_state: Any = None,
        error_cost: Any = None,
        class_weight: Any = None,
        rule: str = "eg2",
        economy: float = 0.5,
        average_budget: float | None = None,
        search: str = "auto",
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.cv = cv
        self.random_state = random_state
        self.error_cost = error_cost
        self.class_weight = class_weight
        self.rule = rule
        self.economy = economy
        self.average_budget = average_budget
        self.search = search
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, prune it, and price its paths.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold categories too.
        y : array (rows,)
            Two or more classes.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.
        """
        check_tree_params(self)
        given = read_rows(self, X, y, sample_weight, classes=True)
        rows = given.of_positive_weight()
        classes, codes = rows.labelled()
        outcome = Outcome.of_classes(codes, len(classes))
        tree, costs = fit_tree(self, given, rows, outcome)
        self.plan_ = PricedPlan(tree.routed_plan(costs, class_scores(tree)), costs)
        self.columns_ = rows.columns
        self.target_ = self._class_target(classes)
        return self


class BudgetedTreeRegressor(BudgetedRegressor):
    """A pruned regression tree whose rows pay only for the tests on their own path.

    As `BudgetedTreeClassifier`, with the mean of the rows at each node as its answer, and the
    mean squared error as the risk. The information of a test is that about a normal target:
    -1/2 log2 of the part of the variance that it leaves.

    Parameters
    ----------
    costs, budget, max_depth, min_samples_leaf, random_state, rule, economy
        As in `BudgetedTreeClassifier`.
    average_budget, search
        As in `BudgetedTreeClassifier`.
    prune : {"cv"}, float or None
        How much is pruned, as scikit-learn's ``ccp_alpha``: the number that has the least
        squared error in a cross-validation, a number as it is, or None for no pruning.
    cv : int, splitter or iterable of (train, test)
        The folds for ``prune="cv"``.
    max_seconds, verbose
        As in `BudgetedBoostingRegressor`.

    Attributes
    ----------
    plan_, ccp_alpha_, average_spend_, is_optimal_
        As in `BudgetedTreeClassifier`.
    tree_ : GrownTree or DecisionTreeRegressor
        The tree; a `GrownTree` has targets with mean 0, divided by their largest magnitude.

    References
    ----------
    Breiman, Friedman, Olshen, Stone. Classification and Regression Trees. 1984.

    Examples
    --------
    >>> from scrimp import BudgetedTreeRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> prices = [1.0, 1.0, 1.0, 1.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0]
    >>> model = BudgetedTreeRegressor(prices, average_budget=5.0, random_state=0).fit(X, y)
    >>> model.average_spend_ <= 5.0
    True
    """

    _takes_missing = True

    def __init__(
        self,
        costs: Any = None,
        budget: float | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float = 1,
        prune: Any = "cv",
        cv: Any = 5,
        random_state: Any = None,
        rule: str = "eg2",
        economy: float = 0.5,
        average_budget: float | None = None,
        search: str = "auto",
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.cv = cv
        self.random_state = random_state
        self.rule = rule
        self.economy = economy
        self.average_budget = average_budget
        self.search = search
        self.max_seconds = max_seconds
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, prune it, and price its paths.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold categories too.
        y : array (rows,)
            Numbers.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.
        """
        check_tree_params(self)
        given = read_rows(self, X, y, sample_weight)
        rows = given.of_positive_weight()
        numbers = numeric_target(rows.y, "BudgetedTreeClassifier")
        outcome = Outcome.of_numbers(numbers, rows.weights)
        tree, costs = fit_tree(self, given, rows, outcome)
        answers = outcome.centre + outcome.scale * tree.mean
        self.plan_ = PricedPlan(tree.routed_plan(costs, answers), costs)
        self.columns_ = rows.columns
        self.target_ = Target("regression", np.array([]))
        return self


def class_scores(tree: GrownTree) -> Floats:
    """Return log-probabilities per node, or log-odds of two classes, one row added per class.

    `log1p` tells even tiny weights apart, so that labels are those of the frequencies.
    """
    weights = tree.mean * tree.weight[:, None]
    logs = np.log1p(weights)
    if logs.shape[1] == 2:
        return np.asarray(logs[:, 1:] - logs[:, :1])
    return np.asarray(logs - np.log((weights + 1.0).sum(axis=1, keepdims=True)))
