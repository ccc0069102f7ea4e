"""Boosted trees within a budget: what they buy, and a model for each part of it.

Trees are boosted under a selection rule and a hard budget, which gives the order of the
purchases. The sum of these trees is meant for all of them, so each of several prefixes of the
order has an ensemble of its own, on its columns alone, with as many trees as held-out rows say;
a prefix that predicts them no better than a cheaper one has none. Together they are a menu, and
one more ensemble, which has learnt from rows of which items were knocked out, answers where an
item cannot be had.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...costs.shopper import Shopper
from ...data.folds import Splits, spread_folds
from ...plans import Fallback, MenuPlan, PrefixPlan, SubsetPlan
from ...plans.components.models import TreesModel
from ...plans.contract import Plan
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over, time_share
from ...types import Floats
from .knockout import fallback_of, with_columns
from .priced_splits import PenalisedSplits, PricedSplits
from .rules import PricedRule
from .tree_ensemble import BoostingOptions, Ensemble, RuleMaker, TreeBooster
from .tree_grower import SplitRule
from .tree_knockouts import OPTIONS, STUMP_OPTIONS, TreeKnockouts
from .tree_rows import StoppingOptions, TreeRows

#: Prefixes of the purchases that have an ensemble, at most: each takes a training.
MAX_ENTRIES = 12
#: Ensembles on all rows have more trees than those on a part of the folds, by this factor.
ROUNDS_FACTOR = 1.1
#: The part of the learning rate with which stumps are boosted as a fallback. A sum of functions of
#: one column each is a compromise between all sets of columns, and large steps overshoot it.
FALLBACK_STEP = 1.0 / 3.0
#: Up to so many rounds, smaller steps are made up for by more of them.
ENOUGH_FALLBACK_ROUNDS = 500
#: The part of the time for the purchases, and the part of the rest for the entries of the menu.
_PURCHASES_SHARE = 0.3
_ENTRIES_SHARE = 0.8


@dataclass(frozen=True)
class SelectionOptions:
    """How purchases are chosen.

    Parameters
    ----------
    rule : str
        A name of `RULES`, or ``penalty``.
    tau, switch : float
        As in `PricedRule`.
    penalty : float
        What one unit of price takes from the mean loss, for the rule ``penalty``.
    stops : bool
        Whether a choice that is too dear ends the training.
    """

    rule: str = "smoothed"
    tau: float = 1.0
    switch: float = 0.1
    penalty: float = 0.0
    stops: bool = False


@dataclass(eq=False)
class Purchases:
    """Trees boosted under a rule, and what they buy.

    Parameters
    ----------
    ensemble : Ensemble
        The trees.
    items : list of int
        The items that bring columns, in the order of their purchase.
    n_trees : list of int
        The number of trees up to and with each purchase.
    """

    ensemble: Ensemble
    items: list[int]
    n_trees: list[int]


class PricedTrees:
    """Trains boosted trees within budgets on one binned table.

    Parameters
    ----------
    rows : TreeRows
        The training rows.
    costs : Costs
        Prices.
    boosting : BoostingOptions
        How trees are boosted.
    selection : SelectionOptions
        How purchases are chosen.
    stopping : StoppingOptions
        How the number of trees is chosen.

    Attributes
    ----------
    entries : list of (list of int, TreesModel)
        Items in the order of their purchase, and the model that answers from them, from cheap
        to dear.
    fallback : Fallback or None
        Answers from parts of them.
    n_trees : int
        Trees of the last run of purchases.
    ran_out_of_time : bool
        Whether something is missing for want of time.
    """

    def __init__(
        self, rows: TreeRows, costs: Costs, boosting: BoostingOptions,
        selection: SelectionOptions, stopping: StoppingOptions,
    ) -> None:  # fmt: skip
        self.rows, self.costs, self.boosting = rows, costs, boosting
        self.selection, self.stopping = selection, stopping
        self.entries: list[tuple[list[int], TreesModel]] = []
        self.fallback: Fallback | None = None
        self.n_trees = 0
        self.ran_out_of_time = False

    @cached_property
    def splits(self) -> Splits:
        """The folds on which the number of trees is chosen."""
        return self.rows.splits(self.stopping, self.boosting.seed)

    def purchases(self, booster: TreeBooster, budget: float, label: str) -> Purchases:
        """Boost trees under the rule until the rounds or the gains end."""
        shopper = Shopper(self.costs, budget)
        done = Purchases(Ensemble(np.zeros(0)), [], [])

        def after_round(ensemble: Ensemble) -> None:
            n = len(ensemble.trees)
            done.n_trees += [n] * (len(done.items) - len(done.n_trees))
            emit(Progress(label, n, self.boosting.n_rounds, f"spent {shopper.spent:g}"))

        everything, columns = np.arange(len(self.rows.loss.y)), np.arange(len(self.costs.owners))
        done.ensemble = booster.boost(
            everything, columns, self._rules(shopper, done.items), after_round=after_round
        )
        del done.items[len(done.n_trees) :]  # an interrupted tree may have bought, too
        return done

    def _rules(self, shopper: Shopper, bought: list[int]) -> RuleMaker:
        """Return what makes the rule of each tree, which adds to what is bought."""
        chosen = self.selection
        if chosen.rule == "penalty":
            return lambda total, mass: PenalisedSplits(shopper, chosen.penalty, mass, bought)
        rule = PricedRule(shopper, chosen.rule, not chosen.stops, chosen.tau, chosen.switch)

        def make(total: float, mass: float) -> SplitRule:
            return PricedSplits(rule, total, bought, chosen.stops)

        return make

    def menu(self, budgets: Sequence[float], prior: Floats) -> None:
        """Train an ensemble for each part of the purchases, or for each of several budgets."""
        with self.rows.grower() as grower:
            booster = TreeBooster(grower, self.rows.loss, self.boosting)
            with time_share(_PURCHASES_SHARE):
                runs = self._runs(booster, budgets)
            sets = [run.items for run in runs] if len(runs) > 1 else self._prefixes(runs[0].items)
            self._add_entries(booster, self._with_free_items(sets))
            if not self.entries and self.ran_out_of_time:
                self._add_votes(booster, runs)
        if self.entries:
            self.fallback = self._fallback(prior)

    def vote(self, budgets: Sequence[float], prior: Floats) -> None:
        """Train the trees as they are bought: each purchase adds to their sum."""
        with self.rows.grower() as grower:
            booster = TreeBooster(grower, self.rows.loss, self.boosting)
            self._add_votes(booster, self._runs(booster, budgets))

    def _runs(self, booster: TreeBooster, budgets: Sequence[float]) -> list[Purchases]:
        """Return the purchases for each budget."""
        runs = []
        for number, budget in enumerate(budgets, start=1):
            label = f"fit {number}/{len(budgets)}" if len(budgets) > 1 else "fit"
            with time_share(1.0 / (len(budgets) - number + 1)):
                runs.append(self.purchases(booster, budget, label))
        self.n_trees = len(runs[-1].ensemble.trees)
        self.ran_out_of_time |= is_time_over()
        return runs

    def _add_votes(self, booster: TreeBooster, runs: Sequence[Purchases]) -> None:
        """Add the sums of the trees before each purchase, and of all."""
        sums: dict[tuple[int, ...], TreesModel] = {}
        for run in runs:
            ends = [*(n - 1 for n in run.n_trees[1:]), len(run.ensemble.trees)]
            for k, (first, end) in enumerate(zip(run.n_trees, ends, strict=False)):
                if end >= first:
                    sums[tuple(run.items[: k + 1])] = booster.model(run.ensemble, end)
        self.entries = sorted(
            ((list(items), model) for items, model in sums.items()),
            key=lambda entry: self.costs.price_of(entry[0]),
        )

    def plan(self, prior: Floats) -> Plan[Any]:
        """Return the plan of what was trained."""
        plain = PrefixPlan.constant(prior)
        if not self.entries:
            return plain
        plans = [self._subset(items, model, prior) for items, model in self.entries]
        return MenuPlan([plain, *plans], self.fallback)

    def _prefixes(self, order: list[int]) -> list[list[int]]:
        """Return prefixes of the purchases, about evenly spread over the logarithm of the price."""
        every = [order[: k + 1] for k in range(len(order))]
        if len(every) <= MAX_ENTRIES:
            return every
        prices = np.array([max(self.costs.price_of(items), 1e-12) for items in every])
        grid = np.geomspace(prices[0], prices[-1], MAX_ENTRIES)
        at = np.unique([int(np.argmin(np.abs(np.log(prices / point)))) for point in grid])
        return [every[k] for k in sorted({*at.tolist(), len(every) - 1})]

    def _with_free_items(self, sets: Sequence[list[int]]) -> list[list[int]]:
        """Return the sets with all items that cost nothing, and these alone."""
        is_free = (self.costs.price_of([item]) == 0 for item in range(self.costs.n_items))
        free = list(with_columns(self.costs, [i for i, each in enumerate(is_free) if each]))
        return [free, *([*items, *(i for i in free if i not in items)] for items in sets)]

    def _add_entries(self, booster: TreeBooster, sets: Sequence[list[int]]) -> None:
        """Add models of the sets that predict held-out rows better than the cheaper ones do."""
        sets = sorted(
            {tuple(sorted(items)): items for items in sets if items}.values(),
            key=self.costs.price_of,
        )
        lowest = math.inf
        for number, items in enumerate(sets):
            if is_time_over():
                break
            with time_share(_ENTRIES_SHARE / (len(sets) - number)):
                loss, model = self._trained(booster, items)
            emit(Progress("entries", number + 1, len(sets)))
            if model is not None and loss < lowest:
                lowest = loss
                self.entries.append((items, model))
        self.ran_out_of_time |= is_time_over()

    def _trained(self, booster: TreeBooster, items: list[int]) -> tuple[float, TreesModel | None]:
        """Return the held-out loss of boosted trees on some items, and their model.

        The model is None where the prior has the smaller loss. Without held-out rows the loss is
        that of the order: each set counts as better than the cheaper ones.
        """
        columns = np.flatnonzero(np.isin(self.costs.owners, items))
        everything = np.arange(len(self.rows.loss.y))
        if not self.splits:
            ensemble = booster.boost(everything, columns)
            return -float(len(items)), self._model(booster, ensemble, None)
        tried: list[Ensemble] = []
        for train, test in self.splits:
            if tried and is_time_over():
                break
            with time_share(1.0 / (1 + len(self.splits) - len(tried))):
                tried.append(booster.boost(train, columns, held_out=test))
        losses = mean_curve([one.losses for one in tried])
        best = int(np.argmin(losses))
        if best == 0 or not losses[best] < losses[0]:
            return math.inf, None
        if len(self.splits) == 1 or is_time_over():
            return float(losses[best]), self._model(booster, tried[0], best)
        n_rounds = max(round(best * ROUNDS_FACTOR), 1)
        final = TreeBooster(booster.grower, booster.loss, replace(self.boosting, n_rounds=n_rounds))
        return float(losses[best]), self._model(booster, final.boost(everything, columns), None)

    def _model(
        self, booster: TreeBooster, ensemble: Ensemble, n_trees: int | None
    ) -> TreesModel | None:
        return booster.model(ensemble, n_trees) if ensemble.trees else None

    def _subset(self, items: list[int], model: TreesModel, prior: Floats) -> SubsetPlan:
        """Return the plan that buys items in order and answers by a model."""
        used = set(model.columns.tolist())
        reads = [[c for c in self.costs.columns[item] if c in used] for item in items]
        kept = [k for k, columns in enumerate(reads) if columns]
        return SubsetPlan([items[k] for k in kept], [reads[k] for k in kept], model, prior)

    def _fallback(self, prior: Floats) -> Fallback | None:
        """Return the fallback of the menu; None if the time is over or a row is all there is."""
        n, rng = len(self.rows.loss.y), np.random.default_rng(self.boosting.seed)
        if is_time_over() or n < 2:
            return None
        boosting, options = self.boosting, OPTIONS
        if boosting.growth.max_depth == 1:
            rate = FALLBACK_STEP * boosting.learning_rate
            more = min(round(boosting.n_rounds / FALLBACK_STEP), ENOUGH_FALLBACK_ROUNDS)
            rounds = max(boosting.n_rounds, more)
            boosting = replace(boosting, learning_rate=rate, n_rounds=rounds)
            options = STUMP_OPTIONS
        n_folds = min(round(1 / options.test_part), n)
        is_test = spread_folds(self.rows.loss.y, n_folds, rng, self.rows.loss.n_classes > 0) == 0
        entries = [set(), *(set(items) for items, _ in self.entries)]
        models = TreeKnockouts(self.rows, self.costs, boosting, prior, options)
        return fallback_of(self.costs, entries, models, is_test, prior, options)


def mean_curve(curves: Sequence[Sequence[float]]) -> Floats:
    """Return the mean of curves, of which shorter ones stay at their last value."""
    longest = max(len(curve) for curve in curves)
    padded = [[*curve, *[curve[-1]] * (longest - len(curve))] for curve in curves]
    return np.asarray(np.mean(padded, axis=0))
