"""AdaBoost that samples what it buys: each row draws stumps until its budget is used up.

Reyzin, "Boosting on a Budget: Sampling for Feature-Efficient Prediction", ICML 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...costs.costs import Costs, as_costs
from ...data.columns import Columns
from ...data.training_rows import seed_from
from ...data.validation import check_choice
from ...plans import GamPlan, StumpTable
from ...plans.capabilities import Drawing, Voting, voting
from ...plans.priced_plan import PricedPlan
from ...plans.sampled import MAX_DRAWS_LIMIT
from ...types import Floats
from ..base import BudgetedClassifier
from .budgeted import BudgetedBoostingClassifier
from .foreign_votes import check_supported, vote_of
from .margins import draws_for, margins
from .plan_votes import is_scrimp_estimator, vote_of_estimator
from .votes import Vote, best_first, drawn, drawn_columns, vote_of_stumps


class SampledBoostingClassifier(BudgetedClassifier):
    r"""AdaBoost whose rows buy the columns of stumps that are drawn at random.

    The full vote :math:`\sum_i\alpha_i h_i(x)` reads every column some stump needs. Here a
    row draws stumps with replacement and pays for columns it does not own yet. How the answer
    is made of the columns that it then has is decided by `combine`: by a regression, or by the
    paper's mean of the drawn votes.

    Parameters
    ----------
    costs : Costs, array, mapping or None
        Prices: a `Costs`, one price per column, prices by column name, or 1 for each column.
    sampling : {"cost-aware", "uniform", "top"}
        ``uniform`` draws in proportion to :math:`\alpha` (AdaBoostRS), ``cost-aware`` to
        :math:`\alpha/c` (AdaBoostRS_AC), where c is the price of the stump's item with all it
        requires. ``top`` draws nothing: it votes in the order of :math:`\alpha/c`, best
        first, and leaves out what the rest of the budget cannot pay.
    bound : {"remaining", "paper"}
        When drawing ends. ``paper``: when the rest of the budget could not pay for the
        costliest stump; so it never starts where that one is above the budget. ``remaining``:
        only stumps that the rest can pay are drawn, by renormalised chances, until all these
        are owned.
    n_rounds : int
        Rounds of AdaBoost.
    max_draws : int
        With ``combine="vote"`` a row stops after so many draws, with their mean; 100,000 at
        most. Few rows come that far, but near the full price, or with prices far apart, what
        is still to be bought is drawn rarely. Otherwise there is no limit: draws of what is
        owned change nothing and are not made.
    max_bins, n_jobs
        As in `BudgetedBoostingClassifier`.
    random_state : int, RandomState or None
        Seeds the draws, together with the key of each row.
    error_cost, class_weight, max_seconds, verbose
        As in `BudgetedBoostingClassifier`.
    combine : {"stacked", "vote"}
        How an answer is made of the columns that a row has. ``stacked``: as in
        `BudgetedBoostingClassifier`, all stumps on a column make one function, and the
        functions are weighted by a regression for whatever columns there are, so that an
        answer with few of them is no worse than the prior. ``vote``: the mean of the drawn
        votes, each divided by its chance, as in the paper; see the notes. `from_ensemble`
        has no training rows and always votes.

    Attributes
    ----------
    plan_ : PricedPlan
        What is bought, with which probabilities.

    Notes
    -----
    Stumps that cost nothing are always used and never drawn. A row draws the same for the
    same key; keys are 0, 1, 2, ... in a batch unless given.

    The mean of the drawn votes estimates the full vote without bias for any number of draws
    (Thm. 5), but with few of them it is a rough estimate, which may be worse than the prior.
    With ``bound="remaining"`` it becomes, once drawing ends, the vote of all that is owned: the
    mean that further draws would tend to, without their variance. That uses all the money, but
    stumps that cost too much take no part, and the estimate is biased. A budget that pays for
    everything takes the full vote itself. Equal stumps are merged and their weights added,
    which leaves the law of the draws as it is.

    With ``combine="stacked"`` only the order matters in which columns are first drawn. There
    are 64 such orders, drawn in `fit`, and each row follows one of them by its key.

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
    0.8
    """

    def __init__(
        self,
        costs: Any = None,
        sampling: str = "cost-aware",
        bound: str = "remaining",
        n_rounds: int = 500,
        max_draws: int = 10_000,
        max_bins: int = 255,
        n_jobs: int | None = None,
        random_state: Any = None,
        error_cost: Any = None,
        class_weight: Any = None,
        combine: str = "stacked",
        max_seconds: float | None = None,
        verbose: int | None = None,
    ) -> None:
        self.costs = costs
        self.sampling = sampling
        self.bound = bound
        self.n_rounds = n_rounds
        self.max_draws = max_draws
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.error_cost = error_cost
        self.class_weight = class_weight
        self.combine = combine
        self.max_seconds = max_seconds
        self.verbose = verbose

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
            n_jobs=self.n_jobs, random_state=seed_from(chance), combine=self.combine,
            error_cost=self.error_cost, class_weight=self.class_weight, loss="samme",
        )  # fmt: skip
        try:
            booster.fit(X, y, sample_weight)
        finally:  # if it is interrupted, the rounds done so far stand
            if hasattr(booster, "plan_"):
                self._adopt(booster, seed_from(chance))
        return self

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        costs: Any = None,
        feature_names: Sequence[str] | None = None,
        background: Any = None,
        **options: Any,
    ) -> Self:
        r"""Sample the vote of a model that is trained already, of scikit-learn or of scrimp.

        What votes is a tree of an `AdaBoostClassifier`, `BaggingClassifier`,
        `RandomForestClassifier` or `ExtraTreesClassifier`, or a term of a `LogisticRegression`,
        `RidgeClassifier`, `LinearSVC`, `SGDClassifier` or `Perceptron`, for two classes or
        more. Of scrimp, it is a tree of a `StreamingBoostingClassifier`, or a stump of a
        `BudgetedBoostingClassifier` with ``combine="vote"``, by their own prices if none are
        given. A tree costs what all the items on it cost. Without a budget the labels are
        those of the model; where a vote of AdaBoost or of a linear model is a tie, that of the
        more frequent class.

        Parameters
        ----------
        ensemble : estimator
            Fitted.
        costs : Costs, array, mapping or None
            Prices.
        feature_names : sequence of str, optional
            Names of its columns; by default those it was trained with.
        background : array or data frame, optional
            For linear models: rows to take means m and standard deviations s from, such as
            the training data. A term then votes :math:`w_j(x_j-m_j)`, where
            :math:`\sum_j w_jm_j` joins the intercept, and counts :math:`\alpha_j=|w_j|s_j`;
            by default m = 0 and s = 1, as for columns that are standardised.
        **options
            Other parameters of the class; those of training, and `combine`, have no effect:
            stacking needs the rows and labels of the training.

        Notes
        -----
        A tree of a forest or of bagging votes with the probabilities of its leaf, so that
        without a budget the probabilities are those of the model too. The intercept of a
        linear model is free and always counts.
        A missing value goes where the model sends it; where the model takes none, a tree
        abstains and a linear model raises an error.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> forest = RandomForestClassifier(30, max_depth=3, random_state=0).fit(X, y)
        >>> model = SampledBoostingClassifier.from_ensemble(forest, random_state=0)
        >>> bool((model.predict(X) == forest.predict(X)).all())
        True
        """
        if is_scrimp_estimator(ensemble):
            return cls._from_own(ensemble, costs, options)
        model = cls(costs, **options)
        model._check_params()
        check_supported(ensemble)
        n = model.n_features_in_ = int(ensemble.n_features_in_)
        names = getattr(ensemble, "feature_names_in_", None)
        names = names if feature_names is None else feature_names
        known = None if names is None else tuple(map(str, names))
        if known is not None and len(known) != n:
            raise ValueError(f"feature_names has {len(known)} names; the ensemble has {n} columns.")
        model.columns_ = Columns(known, (None,) * n)
        if known is not None:
            model.feature_names_in_ = np.array(known, dtype=object)
        rows = None if background is None else np.asarray(model.columns_.encode(background), float)
        vote, target = vote_of(ensemble, rows)
        model.target_ = model._class_target(target.classes, target.scale, target.kind)
        seed = seed_from(model.random_state)
        model.plan_ = model._plan(vote, as_costs(costs, n, known), seed)
        return model

    @classmethod
    def _from_own(cls, ensemble: Any, costs: Any, options: dict[str, Any]) -> Self:
        """Sample the vote of an estimator of scrimp as it is now; it may learn on."""
        vote, target = vote_of_estimator(ensemble)
        columns = ensemble.columns_
        priced = ensemble.plan_.costs
        if costs is not None:
            priced = as_costs(costs, len(columns), columns.names)
        model = cls(priced, **options)
        model._check_params()
        model.columns_, model.n_features_in_ = columns, len(columns)
        if hasattr(ensemble, "feature_names_in_"):
            model.feature_names_in_ = ensemble.feature_names_in_
        model.target_ = model._class_target(target.classes, target.scale, target.kind)
        model.plan_ = model._plan(vote, priced, seed_from(model.random_state))
        return model

    def _adopt(self, booster: BudgetedBoostingClassifier, seed: int) -> None:
        plan, costs = voting(booster.vote_.plan), booster.vote_.costs
        assert isinstance(plan.members, StumpTable)
        vote = vote_of_stumps(plan.members, plan.prior)
        if booster.plan_ is booster.vote_:  # interrupted before the columns were stacked, perhaps
            self.plan_ = self._plan(vote, costs, seed)
        else:
            columns, paper = cast(GamPlan, booster.plan_.plan), self.bound == "paper"
            drawing = drawn_columns(columns, vote, costs, self.sampling, paper, seed)
            self.plan_ = PricedPlan(drawing, costs)
        self.columns_ = booster.columns_
        self.target_ = booster.target_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(booster, name):
                setattr(self, name, getattr(booster, name))
            elif hasattr(self, name):
                delattr(self, name)

    def _plan(self, vote: Vote, costs: Costs, seed: int) -> PricedPlan:
        """Return the plan of a vote: its order or its sampling weights, and when it ends."""
        if self.sampling == "top":
            return PricedPlan(best_first(vote, costs), costs)
        aware, paper = self.sampling == "cost-aware", self.bound == "paper"
        return PricedPlan(drawn(vote, costs, aware, paper, self.max_draws, seed), costs)

    def margins(self, X: Any) -> Floats:
        r"""How sure the full vote of each row is.

        All columns the vote needs are looked at, and none is paid for.

        Parameters
        ----------
        X : array or data frame
            The rows.

        Returns
        -------
        float array (rows,)
            Two classes: the full vote over the largest that it could be, from -1 to 1, for the
            second class; :math:`\sum_i\alpha_ih_i/\sum_i\alpha_i` for AdaBoost. More classes:
            how far the first is ahead of the next, from 0 to 1. Not defined for linear models,
            whose terms have no bound.
        """
        return margins(self._voting_plan().members, self._looked_at(X))

    def draws_for(self, agreement: float, X: Any) -> Floats:
        r"""Return the number of draws after which labels agree with the full vote.

        A draw counts :math:`v_i/p_i`, member i's vote over its chance, within :math:`\pm r`,
        :math:`r = \max_i |v_i|/p_i` on the row; by Hoeffding's inequality the mean of
        :math:`\tau` draws has another sign than the full vote F with probability at most
        :math:`\exp(-\tau(F/r)^2/2)`. For AdaBoost, :math:`F = \theta A` with the margin
        :math:`\theta` and :math:`A = \sum_i\alpha_i`; ``uniform`` has r = A without free
        stumps, and ``cost-aware`` :math:`r = c_{max}\sum_i\alpha_i/c_i`. With more than two
        classes the first must win against each other one (a union bound).

        Parameters
        ----------
        agreement : float
            Between 0 and 1.
        X : array or data frame
            The rows.

        Returns
        -------
        float array (rows,)
            Infinite where the full vote is a tie. Valid if the budget covers every draw.
        """
        if not isinstance(agreement, Real):
            raise TypeError(
                f"agreement is a {type(agreement).__name__}; expected a number between 0 and 1, "
                "and the rows after it: draws_for(agreement, X)."
            )
        if not 0.0 < agreement < 1.0:
            raise ValueError(f"agreement is {agreement!r}; expected a number between 0 and 1.")
        plan = self._voting_plan()
        if self.sampling == "top" or not isinstance(plan, Drawing):
            raise ValueError("sampling='top' draws nothing; use 'uniform' or 'cost-aware'.")
        if self.target_.moves_decisions:
            raise ValueError(
                "error_cost moves the decision, and draws_for counts draws until the likeliest "
                "class is found. Fit without error_cost to know them."
            )
        return draws_for(plan, agreement, self._looked_at(X))

    def _voting_plan(self) -> Voting:
        """Return the plan if its answer is a vote; raise ValueError if it is not."""
        check_is_fitted(self, "plan_")
        plan = self.plan_.plan
        if not isinstance(plan, Voting):
            raise ValueError(
                "Margins and draws are those of a vote, and combine='stacked' answers by a "
                "regression. Fit with combine='vote' to know them."
            )
        return plan

    def _looked_at(self, X: Any) -> NDArray[Any]:
        """Return X as numbers; columns that the vote does not read are NaN."""
        predictor, X = self.predictor_, self._validated(X)
        read = predictor.plan.plan.columns_read.tolist()
        table = predictor.columns.encode(X, read)
        if not predictor.plan.plan.accepts_missing and not np.isfinite(table[:, read]).all():
            raise ValueError("X holds NaN or infinity, which this model cannot use. Impute it.")
        return table

    def _check_params(self) -> None:
        check_choice("sampling", self.sampling, ("cost-aware", "uniform", "top"))
        check_choice("bound", self.bound, ("remaining", "paper"))
        check_choice("combine", self.combine, ("stacked", "vote"))
        if self.sampling == "top" and self.bound == "paper":
            raise ValueError("sampling='top' draws nothing, so bound must be 'remaining'.")
        value = self.max_draws
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not 1 <= value <= MAX_DRAWS_LIMIT:
            raise ValueError(
                f"max_draws is {value!r}; expected a whole number 1 to {MAX_DRAWS_LIMIT}."
            )

    def __sklearn_tags__(self) -> Any:
        """Missing values are accepted, except by the vote of a linear model."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = not hasattr(self, "plan_") or self.plan_.plan.accepts_missing
        return tags
