"""Boosting within a budget: the stumps of AdaBoost, chosen with an eye on their price.

Huang, Powers and Reyzin, "Training-Time Optimization of a Budgeted Booster", IJCAI 2015.
"""

from __future__ import annotations

import math
from typing import Any, Self

from ..columns import Columns
from ..costs import Costs, as_costs
from ..estimator import BudgetedClassifier
from ..events import Progress, emit
from ..ledger import Ledger
from ..target import Target
from .labels import SignedRows, signed_rows
from .offers import Offers
from .params import budgets_of, check_booster, check_categories, n_threads, seed_of
from .runs import Run, last_edges, named, plan_of, train_and_adopt, warn_of_prior
from .stump_search import StumpSearch

#: Alg. 1, line 8 gives a perfect stump an infinite weight; an edge counts as at most this.
EDGE_CAP = 1.0 - 1e-4
_PERFECT = 1.0 - 1e-12


class BudgetedBoostingClassifier(BudgetedClassifier):
    r"""AdaBoost on stumps that pays for the columns it reads, within a budget.

    In round t it picks the stump h that is best by `rule`, pays for what h needs and does
    not own yet, and gives it the weight :math:`\alpha_t = \frac12\ln\frac{1+\gamma_t}
    {1-\gamma_t}`, where :math:`\gamma_t` is its edge. The training error is at most
    :math:`\prod_t\sqrt{1-\gamma_t^2}`; ``greedy`` makes this bound fall fastest per price.

    A round costs O(rows x columns) at most, without a copy of X: columns are binned once
    into one byte a value, and columns that cannot win are not looked at.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price a column, prices by column name, or 1 for each column.
    budget : float, list of floats or None
        The most that a prediction may spend. With a list one model is trained for each
        budget and a prediction uses the best that its budget pays for. None is no limit.
    rule : {"greedy", "edge", "smoothed", "speedboost", "hybrid"}
        What a stump of edge :math:`\gamma` and price c is worth. ``edge``: :math:`\gamma`
        (AdaBoost that stops when the money is gone). ``greedy``: :math:`-\ln(1-\gamma^2)/c`.
        ``smoothed``: :math:`-\ln(1-\gamma^2)/(\tau s + c)`, where s is spent so far: the
        more that is, the less prices matter. ``speedboost``:
        :math:`(1-\sqrt{1-\gamma^2})/c`, the fall of the exponential loss per price.
        ``hybrid``: greedy at first, smoothed once its choices have become poor. c is the
        price of the stump's item plus what it requires and is not owned; an item keeps its
        price here even when it is paid for, else the rule would collapse onto it. An item
        that is free counts as the cheapest one that is not.
    n_rounds : int
        The most rounds.
    unaffordable : {"skip", "stop"}
        What to do about a stump that the rest of the budget cannot pay: choose among the
        others, or end (the paper's way, where all budgets come from one training).
    max_bins : int
        A column with at most so many distinct values is searched exactly, at the midpoints
        between them; others at that many quantiles. At most 65535.
    tau : float
        How much what is spent counts in ``smoothed`` and ``hybrid``; 1 in the paper, and
        towards 0 they become ``greedy``.
    switch : float
        ``hybrid`` goes over to smoothed when the quality of a choice falls below this part
        of the first choice's; the paper sketches this without a number.
    n_jobs : int, optional
        Threads; None takes all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Draws the rows from which quantiles are taken, where there are many rows.

    Attributes
    ----------
    plan_ : PricedPlan
        What is bought, in order; ``plan_.summary()`` lists it.
    edges_ : float array (rounds,)
        The edges of the rounds of the last training.

    Notes
    -----
    A missing value votes by itself: for the class that prevails, by weight, among the
    training rows where the column is missing; it abstains where there are none. A column of
    categories is tested for being one of them or not. An edge above 1 - 1e-4 counts as that
    in :math:`\alpha`, and a perfect stump ends the training.

    References
    ----------
    Huang, Powers, Reyzin. Training-Time Optimization of a Budgeted Booster. IJCAI 2015.

    Examples
    --------
    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, budget=30.0).fit(heart.X, heart.y)
    >>> float(model.spend(heart.X, budget=10.0).max()) <= 10.0
    True
    >>> round(model.score(heart.X, heart.y), 2)
    0.82
    """

    def __init__(
        self,
        costs: Any = None,
        budget: Any = None,
        rule: str = "greedy",
        n_rounds: int = 500,
        unaffordable: str = "skip",
        max_bins: int = 255,
        tau: float = 1.0,
        switch: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn what to buy and in which order.

        Parameters
        ----------
        X : array or data frame (rows, columns)
            Numbers, with NaN for missing; a frame may hold categories too.
        y : array (rows,)
            Two classes.
        sample_weight : array (rows,), optional
            A weight of 0 leaves the row out.

        Notes
        -----
        If it is interrupted, the rounds done so far stand as a valid model, and the
        interruption is raised again.
        """
        check_booster(self)
        table, y, columns = self._learn_table(X, y)
        check_categories(columns)
        rows = signed_rows(table, y, sample_weight)
        costs = as_costs(self.costs, len(columns), columns.names)
        runs = [Run(budget, Ledger(costs, [budget])) for budget in budgets_of(self)]
        train_and_adopt(
            runs,
            lambda: self._train(rows, columns, costs, runs),
            lambda: self._adopt(runs, rows, columns, costs),
        )
        if not len(self.edges_):
            warn_of_prior(costs, runs[-1].budget)
        return self

    def _adopt(self, runs: list[Run], rows: SignedRows, columns: Columns, costs: Costs) -> None:
        """Become the model that the rounds done so far make."""
        self.plan_ = plan_of(runs, costs, rows.prior, self.unaffordable)
        self.edges_ = last_edges(runs)
        self.columns_ = columns
        self.target_ = Target("binary", rows.classes, scale=2.0)

    def _train(self, rows: SignedRows, columns: Columns, costs: Costs, runs: list[Run]) -> None:
        with StumpSearch(
            rows.table,
            rows.signs,
            rows.weights,
            categorical=columns.is_categorical(),
            max_bins=self.max_bins,
            random_state=seed_of(self),
            n_threads=n_threads(self.n_jobs),
        ) as search:
            for label, run in named(runs):
                if run is not runs[0]:
                    search.restart(rows.signs, rows.weights)
                self._boost(search, costs, run, label)

    def _boost(self, search: StumpSearch, costs: Costs, run: Run, label: str) -> None:
        """AdaBoostBT(S, B, C), Alg. 1."""
        offers = Offers.to(self, costs, run.ledger)
        for t in range(self.n_rounds):  # line 3
            stump = search.best(offers.quality, offers.allowed)  # line 4, by Eq. (1) or (2)
            if stump is None:
                break
            offers.notice(stump.column, stump.edge)
            if not offers.buy(stump.column):  # lines 5 to 7
                if self.unaffordable == "stop":
                    break
                continue
            gamma = min(stump.edge, EDGE_CAP)
            alpha = 0.5 * math.log((1.0 + gamma) / (1.0 - gamma))  # line 8
            run.rounds.append((stump, alpha))
            emit(Progress(label, t + 1, self.n_rounds, f"spent {run.ledger.spent:g}"))
            if stump.edge >= _PERFECT:
                break
            search.update(stump, alpha)  # line 9, with exp(-alpha y h)

    def __sklearn_tags__(self) -> Any:
        """Binary, with missing values."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags
