"""The training of trees on a budget: growing, pruning, and how a tree becomes a plan."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ...costs.costs import Costs, as_costs
from ...costs.shopper import cheapest_item, warn_of_prior
from ...data.encoding import Encoder
from ...data.folds import Splits, given_splits
from ...data.preparation import Preparation
from ...data.training_rows import TrainingRows, as_seed
from ...data.validation import check_budget, check_choice
from ...types import Floats, Ints
from .grown_tree import GrownTree
from .optimal_search import MAX_DEPTH, ShallowObjective
from .price_pruning import (
    cross_validated_strength,
    leaf_strengths,
    pruned_to_average,
    tree_of_average,
)
from .priced_grower import GrowthOptions, PricedGrower, TreeTable
from .pruning import cross_validated_alpha
from .routed_tree import priced_tree
from .shallow_fit import searched_tree, validated_tree
from .split_rules import PRICE_BLIND, RULES

#: The part of all risk that a node must have to be split where a cross-validation prunes: it would
#: hardly keep more leaves than the reciprocal, and growing them takes most of the time.
MIN_RISK = 1 / 5_000
#: How a tree is searched for; and the rows up to which an optimal tree is tried unasked.
SEARCHES = ("greedy", "optimal", "auto")
MAX_AUTO_ROWS = 5_000
#: Limits per path, as multiples of the average budget, within which trees are grown for it: under a
#: low one all rows pay about the same, under a high one few rows pay for dear tests.
PATH_SHARES = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a tree predicts.

    Parameters
    ----------
    y : array (rows,)
        Numbers, or positions in the classes.
    targets : float array (rows, targets)
        One column per class, 1 in the row's own; or numbers with mean 0 and a magnitude of 1.
    has_classes : bool
        Whether the targets are classes.
    centre, scale : float
        Numbers are ``centre + scale * targets``.
    """

    y: NDArray[Any]
    targets: Floats
    has_classes: bool
    centre: float = 0.0
    scale: float = 1.0

    @classmethod
    def of_classes(cls, codes: Ints, n_classes: int) -> Outcome:
        """Return the outcome of rows that belong to classes."""
        one_hot = codes[:, None] == np.arange(n_classes)
        return cls(codes, one_hot.astype(np.float64), has_classes=True)

    @classmethod
    def of_numbers(cls, y: Floats, weights: Floats | None) -> Outcome:
        """Return the outcome of rows with numbers."""
        centre = float(np.average(y, weights=weights))
        scale = float(np.abs(y - centre).max()) or 1.0
        return cls(y, ((y - centre) / scale)[:, None], False, centre, scale)


def check_tree_params(estimator: Any) -> None:
    """Refuse parameters that no training can follow."""
    _check_prune(estimator.prune)
    check_choice("rule", estimator.rule, RULES)
    check_choice("search", estimator.search, SEARCHES)
    depth, least = estimator.max_depth, estimator.min_samples_leaf
    if depth is not None and not _is_whole(depth, 1):
        raise ValueError(f"max_depth is {depth!r}; expected a whole number >= 1, or None.")
    if not (_is_whole(least, 1) or (_is_number(least) and 0 < least < 1)):
        raise ValueError(
            f"min_samples_leaf is {least!r}; expected a whole number >= 1, or a share of the rows "
            "> 0 and < 1."
        )
    if estimator.search == "optimal" and (depth or 0) > MAX_DEPTH:
        raise ValueError(
            f"max_depth is {depth}; an optimal tree has a depth of at most {MAX_DEPTH}. Use "
            "search='greedy' for more."
        )
    if estimator.search == "optimal" and estimator.rule == PRICE_BLIND:
        raise ValueError(
            "search is 'optimal' and rule 'price-blind', which grows scikit-learn's tree. Leave "
            "one of them out."
        )
    economy = estimator.economy
    if not (_is_number(economy) and 0 <= economy <= 1):
        raise ValueError(f"economy is {economy!r}; expected a number from 0 to 1.")


def fit_tree(
    estimator: Any, given: TrainingRows, rows: TrainingRows, outcome: Outcome
) -> tuple[GrownTree, Costs]:
    """Grow and prune the tree of an estimator; return it with its prices.

    Parameters
    ----------
    estimator : estimator
        Has the parameters, and is given `tree_`, `ccp_alpha_` and `average_spend_`.
    given, rows : TrainingRows
        The rows as given to `fit`, and those of them with a positive weight.
    outcome : Outcome
        What is predicted, for the latter.
    """
    budget = float(check_budget(estimator.budget))
    average = _check_average(estimator.average_budget)
    columns = rows.columns
    costs = as_costs(estimator.costs, len(columns), columns.names)
    seed = as_seed(estimator.random_state)
    splits = _splits(estimator.cv, given, rows, seed, outcome) if estimator.prune == "cv" else []
    train = _price_blind if estimator.rule == PRICE_BLIND else _cost_aware
    tree = train(estimator, rows, outcome, costs, budget, average, splits, seed)
    if average < math.inf:
        _warn_of_average(tree, costs, average)
    estimator.average_spend_ = float(tree.spend.sum())
    return tree, costs


def _cost_aware(
    estimator: Any, rows: TrainingRows, outcome: Outcome, costs: Costs, budget: float,
    average: float, splits: Splits, seed: int,
) -> GrownTree:  # fmt: skip
    """Return the tree of a rule that looks at prices, pruned."""
    least = estimator.min_samples_leaf
    least = int(least) if least >= 1 else math.ceil(least * len(rows))
    options = GrowthOptions(
        estimator.rule, float(estimator.economy), estimator.max_depth, least,
        MIN_RISK if estimator.prune == "cv" else 0.0,
    )  # fmt: skip
    data = TreeTable(
        rows.table, rows.columns.is_categorical(), outcome.targets, rows.weights_or_ones,
        outcome.has_classes,
    )  # fmt: skip
    everything = np.arange(len(rows))
    grower = PricedGrower(data, costs, budget, options)
    tree = grower.grow(everything)
    if estimator.prune == "cv":
        alpha = cross_validated_strength(grower, tree, splits) if splits else 0.0
    else:
        alpha = float(estimator.prune or 0.0) / outcome.scale**2
    estimator.ccp_alpha_ = alpha * outcome.scale**2
    if tree.node_count == 1 and not len(grower.affordable):
        warn_of_prior(costs, budget, stacklevel=6)
    if average < math.inf:
        limits = sorted({min(budget, share * average) for share in (*PATH_SHARES, math.inf)})
        growers = (PricedGrower(data, costs, limit, options) for limit in limits)
        tree = tree_of_average(growers, everything, alpha, average)
    elif alpha > 0:
        tree = tree.pruned(leaf_strengths(tree) <= alpha)
    depth = estimator.max_depth or MAX_DEPTH
    objective = ShallowObjective(alpha, 0.0, budget, depth, least)
    estimator.is_optimal_ = False
    if estimator.search == "optimal":
        tree, estimator.is_optimal_ = searched_tree(grower, tree, objective, average)
    elif _may_pay(estimator, len(rows)) and splits:
        tree, estimator.is_optimal_ = validated_tree(grower, tree, objective, average, splits)
    estimator.tree_ = tree
    return tree


def _may_pay(estimator: Any, n_rows: int) -> bool:
    """Return whether an optimal tree is worth a trial by folds, where it is not asked for."""
    is_shallow = estimator.max_depth is not None and estimator.max_depth <= MAX_DEPTH
    return bool(estimator.search == "auto" and is_shallow and n_rows <= MAX_AUTO_ROWS)


def _price_blind(
    estimator: Any, rows: TrainingRows, outcome: Outcome, costs: Costs, budget: float,
    average: float, splits: Splits, seed: int,
) -> GrownTree:  # fmt: skip
    """Return the tree of scikit-learn, pruned, as far as the budget pays for it."""
    encoder = Encoder(of_all_categories=True, never_empty=True)
    preparation = encoder.fit(rows.table, rows.columns).preparation
    table = with_missing_indicators(preparation, rows.table)
    kind = DecisionTreeClassifier if outcome.has_classes else DecisionTreeRegressor
    unpruned = kind(
        max_depth=estimator.max_depth,
        min_samples_leaf=estimator.min_samples_leaf,
        random_state=seed,
    )
    y, weight = outcome.y, rows.weights_or_ones
    alpha = 0.0 if estimator.prune is None else estimator.prune
    if alpha == "cv":
        alpha = cross_validated_alpha(unpruned, table, y, weight, splits) if splits else 0.0
    estimator.ccp_alpha_ = float(alpha)
    fitted = unpruned.set_params(ccp_alpha=float(alpha)).fit(table, y, sample_weight=weight)
    estimator.tree_ = fitted
    tree = priced_tree(fitted.tree_, preparation, costs, budget)
    tree = replace(
        tree,
        mean=(tree.mean - outcome.centre) / outcome.scale,
        impurity=tree.impurity / outcome.scale**2,
    )
    if tree.node_count < min(2, fitted.tree_.node_count):
        first = costs.item_of[preparation.source[fitted.tree_.feature[0]]]
        warn_of_prior(costs, budget, first_item=first, stacklevel=6)
    return (
        pruned_to_average(tree, alpha / outcome.scale**2, average) if average < math.inf else tree
    )


def with_missing_indicators(preparation: Preparation, table: NDArray[Any]) -> NDArray[Any]:
    """Return the prepared columns, with NaN where a category is missing.

    A table without categories is not copied.
    """
    coded = ~np.isnan(preparation.code)
    if not coded.any():
        return table
    with np.errstate(over="ignore"):  # scikit-learn refuses what float32 cannot hold
        wide = preparation.table(table, np.arange(len(table))).astype(np.float32)
    missing = np.isnan(table[:, preparation.source]) & coded
    wide[missing] = np.nan
    return wide


def _splits(
    cv: Any, given: TrainingRows, rows: TrainingRows, seed: int, outcome: Outcome
) -> Splits:
    """Return the folds of the rows of positive weight; none of a single row."""
    if not isinstance(cv, int | np.integer):
        splitter = check_cv(cv, given.y, classifier=outcome.has_classes)
        return given_splits(splitter, given.table, given.y, rows.kept)
    if outcome.has_classes:
        folds = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
        return list(folds.split(rows.table, rows.y))
    n = min(int(cv), len(rows)) if cv > 1 else int(cv)
    return list(KFold(n, shuffle=True, random_state=seed).split(rows.table)) if n != 1 else []


def _check_average(average_budget: Any) -> float:
    try:
        return float(check_budget(average_budget))
    except ValueError as error:
        raise ValueError(str(error).replace("budget", "average_budget", 1)) from None


def _warn_of_average(tree: GrownTree, costs: Costs, average_budget: float) -> None:
    """Warn if the average budget leaves nothing to buy."""
    if tree.node_count == 1:
        price, name = cheapest_item(costs)
        warnings.warn(
            f"No test is within average_budget={average_budget:g}, so every answer is the prior; "
            f"the cheapest item {name!r} costs {price:g}. Raise average_budget.",
            UserWarning,
            stacklevel=5,
        )


def _is_whole(value: Any, least: int) -> bool:
    is_int = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(is_int and value >= least)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _check_prune(prune: Any) -> None:
    if prune is None or (isinstance(prune, str) and prune == "cv"):
        return
    if not _is_number(prune) or not (math.isfinite(prune) and prune >= 0):
        raise ValueError(f"prune is {prune!r}; expected 'cv', a finite number >= 0, or None.")
