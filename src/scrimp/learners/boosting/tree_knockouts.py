"""Boosted trees that have learnt from rows without some of their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...data.folds import splits_of, spread_folds
from ...plans.components.models import Model
from ...types import Floats, Ints
from .knockout import KnockoutOptions, kept_items
from .tree_ensemble import BoostingOptions, TreeBooster
from .tree_rows import N_FOLDS, TreeRows

OPTIONS = KnockoutOptions(max_copies=3, max_rows=20_000)
#: For stumps, which are to serve more sets of columns than they can tell apart.
STUMP_OPTIONS = KnockoutOptions(max_copies=10, max_rows=8_000)


@dataclass(frozen=True, eq=False)
class TreeKnockouts:
    """Boosted trees on rows without some items; see `KnockoutModels`.

    Parameters
    ----------
    rows : TreeRows
        The training rows.
    costs : Costs
        Prices.
    boosting : BoostingOptions
        How trees are boosted.
    prior : float array (outputs,)
        The scores without any item.
    options : KnockoutOptions
        How many rows and copies are used.
    """

    rows: TreeRows
    costs: Costs
    boosting: BoostingOptions
    prior: Floats
    options: KnockoutOptions = OPTIONS

    def train(self, rows: Ints, entries: Sequence[set[int]], items: Items) -> Model | None:
        """Return boosted trees of copies of some rows, with as many trees as other rows say."""
        options = self.options
        rng = np.random.default_rng([self.boosting.seed, len(rows)])
        n_copies = int(np.clip(options.max_rows // len(rows), 1, options.max_copies))
        some = np.sort(rng.permutation(rows)[: options.max_rows])
        copies = np.tile(some, n_copies)
        part = self.rows.taken(copies)
        owners = self.costs.owners
        keeps = kept_items(self.costs, entries, len(copies), rng, options)
        table = np.where(keeps[:, owners], part.table, np.nan)
        columns = np.flatnonzero(np.isin(owners, items))
        part = replace(part, table=table)
        is_class = self.rows.loss.n_classes > 0
        n_folds = min(N_FOLDS, len(some))
        fold_of = np.tile(spread_folds(self.rows.loss.y[some], n_folds, rng, is_class), n_copies)
        with part.grower() as grower:
            booster = TreeBooster(grower, part.loss, self.boosting)
            train, test = splits_of(fold_of, 1)[0]
            tried = booster.boost(train, columns, held_out=test)
            n_trees = tried.best_rounds
            return booster.model(tried, n_trees) if n_trees else None

    def loss(self, model: Model | None, rows: Ints, kept: set[int]) -> float:
        """Return the mean loss on rows with only some items."""
        return self.losses_towards(model, rows, kept, [1.0])[0]

    def losses_towards(
        self, model: Model | None, rows: Ints, kept: set[int], weights: Sequence[float]
    ) -> list[float]:
        """Return the mean losses of scores between the prior and the model."""
        part, index = self.rows.taken(rows), np.arange(len(rows))
        far = np.zeros((len(rows), len(self.prior)))
        if model is not None and kept:
            lacking = np.isin(self.costs.owners, list(kept), invert=True)
            far = model.scores(np.where(lacking, np.nan, part.table), index) - self.prior
        return [part.loss.mean(self.prior + weight * far, index) for weight in weights]
