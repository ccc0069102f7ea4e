"""AdaBoost that samples its vote: each row draws stumps until its budget is used up.

Reyzin, "Boosting on a Budget: Sampling for Feature-Efficient Prediction", ICML 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..columns import Columns
from ..costs import Costs, as_costs
from ..estimator import BudgetedClassifier
from ..plan import Floats
from ..plans import AdditivePlan, SampledPlan
from ..plans.sampled import MOST_DRAWS
from ..priced_plan import PricedPlan
from ..target import Target
from ..validation import check_choice
from .budgeted import BudgetedBoostingClassifier
from .ensembles import Vote, best_first, drawn, reach_of, vote_of, weights_of


class SampledBoostingClassifier(BudgetedClassifier):
    r"""AdaBoost whose vote is estimated, for each row anew, from stumps drawn at random.

    The full vote :math:`\sum_i\alpha_i h_i(x)` reads every column some stump needs. Here a
    row draws stumps with replacement, pays for columns it does not own yet, and answers with
    the mean of the drawn votes, each divided by its chance. That estimates the full vote
    without bias for any number of draws (Thm. 5). A budget that pays for everything takes
    the full vote itself.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price a column, prices by column name, or 1 for each column.
    sampling : {"cost-aware", "uniform", "top"}
        ``uniform`` draws in proportion to :math:`\alpha` (AdaBoostRS), ``cost-aware`` to
        :math:`\alpha/c` (AdaBoostRS_AC), where c is the price of the stump's item with all it
        requires. ``top`` draws nothing: it votes in the order of :math:`\alpha/c`, best
        first, and leaves out what the rest of the budget cannot pay.
    bound : {"remaining", "paper"}
        When drawing ends. ``paper``: when the rest of the budget could not pay for the
        dearest stump; so it never starts where that one is above the budget. ``remaining``:
        a stump that the rest cannot pay is dropped and the chances of the others are
        renormalised, until `max_draws`. That uses all the money, but cheap stumps count
        too much: the estimate is biased.
    n_rounds : int
        Rounds of AdaBoost.
    max_draws : int
        A row stops after so many draws. Near the price of the full vote, or once all that is
        left is owned, draws bring little and only this ends them. At most 100,000.
    max_bins, n_jobs
        As in `BudgetedBoostingClassifier`.
    random_state : int, RandomState or None
        Seeds the draws, together with the key of each row.

    Attributes
    ----------
    plan_ : PricedPlan
        Equal stumps are merged and their weights added, which leaves the law of the draws
        as it is.

    Notes
    -----
    Stumps that cost nothing are always voted and never drawn. A row draws the same for the
    same key; keys are 0, 1, 2, ... in a batch unless given.

    References
    ----------
    Reyzin. Boosting on a Budget: Sampling for Feature-Efficient Prediction. ICML 2011.

    Examples
    --------
    >>> from scrimp import SampledBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = SampledBoostingClassifier(heart.costs, n_rounds=50, random_state=0)
    >>> model = model.fit(heart.X, heart.y)
    >>> float(model.spend(heart.X, budget=10.0).max()) <= 10.0
    True
    >>> round(model.score(heart.X, heart.y, budget=30.0), 2)
    0.72
    """

    def __init__(
        self,
        costs: Any = None,
        sampling: str = "cost-aware",
        bound: str = "remaining",
        n_rounds: int = 500,
        max_draws: int = 1000,
        max_bins: int = 255,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.costs = costs
        self.sampling = sampling
        self.bound = bound
        self.n_rounds = n_rounds
        self.max_draws = max_draws
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train AdaBoost, and weigh its stumps for the draws.

        Parameters
        ----------
        X, y, sample_weight
            As in `BudgetedBoostingClassifier.fit`.
        """
        self._check_params()
        chance = check_random_state(self.random_state)
        booster = BudgetedBoostingClassifier(
            self.costs, rule="edge", n_rounds=self.n_rounds, max_bins=self.max_bins,
            n_jobs=self.n_jobs, random_state=int(chance.randint(2**31 - 1)),
        )  # fmt: skip
        try:
            booster.fit(X, y, sample_weight)
        finally:  # if it is interrupted, the rounds done so far stand
            if hasattr(booster, "plan_"):
                self._adopt(booster, int(chance.randint(2**31 - 1)))
        return self

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        costs: Any = None,
        feature_names: Sequence[str] | None = None,
        **options: Any,
    ) -> Self:
        """Sample the vote of an ensemble that is trained already.

        Parameters
        ----------
        ensemble : sklearn.ensemble.AdaBoostClassifier
            Fitted, for two classes, of trees of depth 1.
        costs : Costs, array, mapping or None
            Prices.
        feature_names : sequence of str, optional
            Names of its columns; by default those it was trained with.
        **options
            Other parameters of the class; those of training have no effect.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.ensemble import AdaBoostClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> forest = AdaBoostClassifier(n_estimators=30, random_state=0).fit(X, y)
        >>> model = SampledBoostingClassifier.from_ensemble(forest, random_state=0)
        >>> bool((model.predict(X) == forest.predict(X)).all())
        True
        """
        model = cls(costs, **options)
        model._check_params()
        vote = vote_of(ensemble)
        names = getattr(ensemble, "feature_names_in_", None)
        names = names if feature_names is None else feature_names
        known = None if names is None else tuple(map(str, names))
        n = model.n_features_in_ = int(ensemble.n_features_in_)
        model.columns_ = Columns(known, (None,) * n)
        if known is not None:
            model.feature_names_in_ = np.array(known, dtype=object)
        model.target_ = Target("binary", ensemble.classes_, scale=2.0)
        seed = int(check_random_state(model.random_state).randint(2**31 - 1))
        model.plan_ = model._plan(vote, as_costs(costs, n, known), seed)
        return model

    def _adopt(self, booster: BudgetedBoostingClassifier, seed: int) -> None:
        plan = booster.plan_.plan
        assert isinstance(plan, AdditivePlan)
        self.plan_ = self._plan(Vote(plan.stumps, float(plan.prior[0])), booster.plan_.costs, seed)
        self.columns_ = booster.columns_
        self.target_ = booster.target_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(booster, name):
                setattr(self, name, getattr(booster, name))
            elif hasattr(self, name):
                delattr(self, name)

    def _plan(self, vote: Vote, costs: Costs, seed: int) -> PricedPlan:
        """The vote, its order or its chances, and when it ends."""
        vote = vote.merged()
        if self.sampling == "top":
            return PricedPlan(best_first(vote, costs), costs)
        aware, paper = self.sampling == "cost-aware", self.bound == "paper"
        return PricedPlan(drawn(vote, costs, aware, paper, self.max_draws, seed), costs)

    def margins(self, X: Any) -> Floats:
        r"""The full vote of each row over :math:`\sum_i\alpha_i`: from -1 to 1, the second class.

        All columns the vote needs are looked at, and none is paid for.
        """
        predictor, X = self._at_the_door(X)
        stumps = predictor.plan.plan.stumps  # type: ignore[attr-defined]
        table = predictor.columns.encode(X, predictor.plan.plan.columns_read.tolist())
        sums = np.zeros((len(table), 1))
        if len(stumps):
            stumps.add(sums, list(range(len(stumps))), table, np.arange(len(table)))
            sums /= weights_of(stumps).sum()
        return np.clip(sums[:, 0], -1.0, 1.0)

    def draws_for(self, agreement: float, X: Any) -> Floats:
        r"""How many draws make a row's label that of the full vote, with a given probability.

        A draw counts :math:`\alpha_i h_i/p_i`, within :math:`\pm r`, :math:`r = \max_i
        \alpha_i/p_i`; by Hoeffding's inequality the mean of :math:`\tau` draws has another
        sign than the full vote with probability at most :math:`\exp(-\tau(\theta A/r)^2/2)`,
        where :math:`A = \sum_i\alpha_i` and :math:`\theta` is the margin. ``uniform`` has
        r = A without free stumps, and ``cost-aware`` :math:`r = c_{max}\sum_i\alpha_i/c_i`.

        Parameters
        ----------
        agreement : float
            Between 0 and 1.
        X : array or data frame
            The rows.

        Returns
        -------
        float array (rows,)
            Infinite where the full vote is a tie. It holds for draws none of which was
            refused.
        """
        if not 0.0 < agreement < 1.0:
            raise ValueError(f"agreement is {agreement!r}; expected a number between 0 and 1.")
        check_is_fitted(self, "plan_")
        plan = self.plan_.plan
        if not isinstance(plan, SampledPlan):
            raise ValueError("sampling='top' draws nothing; use 'uniform' or 'cost-aware'.")
        theta = np.abs(self.margins(X))
        with np.errstate(divide="ignore"):
            draws = -2.0 * math.log1p(-agreement) * (reach_of(plan) / theta) ** 2
        return np.asarray(np.ceil(draws)) if plan.probability.any() else np.zeros(len(theta))

    def _check_params(self) -> None:
        check_choice("sampling", self.sampling, ("cost-aware", "uniform", "top"))
        check_choice("bound", self.bound, ("remaining", "paper"))
        if self.sampling == "top" and self.bound == "paper":
            raise ValueError("sampling='top' draws nothing, so bound must be 'remaining'.")
        value = self.max_draws
        if not isinstance(value, int | np.integer) or not 1 <= value <= MOST_DRAWS:
            raise ValueError(f"max_draws is {value!r}; expected a whole number 1 to {MOST_DRAWS}.")

    def __sklearn_tags__(self) -> Any:
        """Binary, with missing values."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags
