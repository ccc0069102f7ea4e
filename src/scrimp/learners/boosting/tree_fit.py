"""Boosted trees of the boosting estimators: their parameters, and how they become a plan."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from ...costs.costs import as_costs
from ...costs.shopper import warn_of_prior
from ...data.columns import Columns
from ...data.target import Target
from ...data.training_rows import TrainingRows, seed_from
from ...data.validation import check_number, check_whole
from ...kernels.threads import n_threads
from ...plans.priced_plan import PricedPlan
from ...types import Floats, Ints
from .priced_trees import PricedTrees, SelectionOptions
from .tree_ensemble import BoostingOptions
from .tree_grower import GrowthOptions
from .tree_loss import TreeLoss
from .tree_rows import StoppingOptions, TreeRows

#: The most bins and categories of a column, beside the bin of missing values.
MAX_TREE_BINS = 255
#: The part of the rows that a leaf of stumps of several classes needs at most, whatever
#: `min_samples_leaf` is: these are the default, and have to learn from small tables too.
STUMP_LEAF_PART = 0.1


@dataclass(frozen=True)
class LearningRates:
    """Learning rates where none is given.

    One tree serves all classes: where these are many it learns little of each, and takes larger
    steps. So do stumps, which learn less than trees.

    Parameters
    ----------
    trees, stumps : float
        The rates for numbers and few classes.
    trees_of_many, stumps_of_many : float
        The rates for many classes.
    many_classes : int
        Classes from which on there are many.
    """

    trees: float = 0.1
    stumps: float = 0.3
    trees_of_many: float = 0.3
    stumps_of_many: float = 0.5
    many_classes: int = 6


LEARNING_RATES = LearningRates()


def grows_trees(estimator: Any, stump_losses: Sequence[str]) -> bool:
    """Return whether an estimator's parameters ask for more than stumps chosen by an edge."""
    return bool(
        estimator.max_depth > 1
        or estimator.loss not in stump_losses
        or estimator.rule == "penalty"
        or estimator.subsample < 1
        or estimator.colsample < 1
        or estimator.monotonic_cst is not None
    )


#: Parameters that stumps chosen by an edge do not look at.
TREE_PARAMS = (
    "min_samples_leaf", "l2_regularization", "early_stopping", "validation_fraction",
    "n_iter_no_change", "penalty",
)  # fmt: skip


def warn_of_tree_params(estimator: Any, *more: str) -> None:
    """Warn of parameters that were given and that stumps chosen by an edge do not look at."""
    known = signature(type(estimator)).parameters
    given = [n for n in (*TREE_PARAMS, *more) if getattr(estimator, n) != known[n].default]
    if given:
        do = "do" if len(given) > 1 else "does"
        warnings.warn(
            f"{' and '.join(given)} {do} nothing here: stumps chosen by their edge take the whole "
            "step, and all rounds. Boost trees instead (max_depth of 2 or more, or the loss "
            "'logistic'), or leave it out.",
            UserWarning,
            stacklevel=4,
        )


def check_tree_params(estimator: Any) -> None:
    """Refuse parameters of trees that no training can follow."""
    for name in ("max_depth", "n_iter_no_change"):
        check_whole(name, getattr(estimator, name), 1)
    for name, low in (("min_samples_leaf", 1.0), ("l2_regularization", 0.0), ("penalty", 0.0)):
        check_number(name, getattr(estimator, name), low, finite=True)
    for name, high in (("subsample", 1.0), ("colsample", 1.0), ("validation_fraction", 0.5)):
        check_number(name, getattr(estimator, name), 0.0, high, above=True)
    if estimator.learning_rate is not None:
        check_number("learning_rate", estimator.learning_rate, 0.0, 1.0, above=True)
    if estimator.rule == "penalty" and not estimator.penalty:
        warnings.warn(
            "penalty is 0, so that prices do not count in the choice of splits. Give what one unit "
            "of price takes from the mean loss, such as 0.001.",
            UserWarning,
            stacklevel=5,
        )
    if not isinstance(estimator.early_stopping, bool | np.bool_):
        raise ValueError(f"early_stopping is {estimator.early_stopping!r}; expected True or False.")


def constraint_signs(given: Any, columns: Columns, loss: TreeLoss) -> Ints | None:
    """Return -1, 0 or 1 for each column; None without constraints.

    Parameters
    ----------
    given : array (columns,), mapping from names of columns, or None
        As in scikit-learn's ``monotonic_cst``.
    columns : Columns
        The columns of the table.
    loss : TreeLoss
        Constraints are for one score per row, and for leaves that are steps of a gradient.
    """
    if given is None:
        return None
    if loss.name in ("absolute", "quantile"):
        raise ValueError(
            f"monotonic_cst is not for the loss {loss.name!r}. Leave it out, or use 'squared'."
        )
    if loss.n_outputs > 1:
        raise ValueError(
            "monotonic_cst is for two classes or numbers, and there are more than two classes. "
            "Leave it out."
        )
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in columns.positions]
        if unknown:
            raise ValueError(f"monotonic_cst names {unknown[0]!r}, which is no column.")
        signs = np.array([given.get(name, 0) for name in columns.positions], dtype=np.float64)
    else:
        signs = np.asarray(given, dtype=np.float64)
    if signs.shape != (len(columns),):
        raise ValueError(
            f"monotonic_cst has the shape {signs.shape}; expected one number per column: "
            f"{len(columns)}."
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        wrong = signs[~np.isin(signs, (-1, 0, 1))][0]
        raise ValueError(f"monotonic_cst holds {wrong:g}; expected -1, 0 or 1.")
    of_categories = np.flatnonzero(columns.is_categorical() & (signs != 0))
    if len(of_categories):
        raise ValueError(
            f"monotonic_cst constrains {columns.name(int(of_categories[0]))!r}, whose categories "
            "have no order. Leave it out."
        )
    return signs.astype(np.int64)


def fits_trees(columns: Columns) -> bool:
    """Return whether no column has more categories than a tree's bins can number."""
    return all(each is None or len(each) <= MAX_TREE_BINS for each in columns.categories)


def check_tree_categories(columns: Columns) -> None:
    """Refuse a column with more categories than a tree's bins can number."""
    for column, categories in enumerate(columns.categories):
        if categories is not None and len(categories) > MAX_TREE_BINS:
            raise ValueError(
                f"Column {columns.name(column)!r} has {len(categories)} categories; trees take at "
                f"most {MAX_TREE_BINS}. Is it an identifier? Leave it out, or join rare ones."
            )


def default_rate(max_depth: int, n_outputs: int) -> float:
    """Return the learning rate of trees where none is given."""
    rates = LEARNING_RATES
    are_many = n_outputs >= rates.many_classes
    if n_outputs > 1 and max_depth == 1:
        return rates.stumps_of_many if are_many else rates.stumps
    return rates.trees_of_many if are_many else rates.trees


def training_of(estimator: Any, rows: TrainingRows, loss: TreeLoss) -> PricedTrees:
    """Return the training of an estimator's trees on rows of positive weight."""
    check_tree_categories(rows.columns)
    costs = as_costs(estimator.costs, len(rows.columns), rows.columns.names)
    signs = constraint_signs(estimator.monotonic_cst, rows.columns, loss)
    seed = int(np.random.default_rng(seed_from(estimator.random_state)).integers(2**31))
    leaf = float(estimator.min_samples_leaf)
    if loss.n_outputs > 1 and estimator.max_depth == 1:
        leaf = min(leaf, max(STUMP_LEAF_PART * len(rows), 1.0))
    growth = GrowthOptions(estimator.max_depth, leaf, ridge=float(estimator.l2_regularization))
    rate = estimator.learning_rate
    if rate is None:
        rate = default_rate(estimator.max_depth, loss.n_outputs)
    boosting = BoostingOptions(
        growth, estimator.n_rounds, rate, estimator.subsample, estimator.colsample,
        estimator.n_iter_no_change, seed,
    )  # fmt: skip
    selection = SelectionOptions(
        estimator.rule, estimator.tau, estimator.switch, estimator.penalty,
        estimator.unaffordable == "stop",
    )  # fmt: skip
    bin_options = {
        "categorical": rows.columns.is_categorical(), "signs": signs, "random_state": seed,
        "max_bins": min(estimator.max_bins, MAX_TREE_BINS),
        "n_threads": n_threads(estimator.n_jobs),
    }  # fmt: skip
    stopping = StoppingOptions(bool(estimator.early_stopping), estimator.validation_fraction)
    table = TreeRows(rows.table, loss, bin_options)
    return PricedTrees(table, costs, boosting, selection, stopping)


def fit_trees(
    estimator: Any, rows: TrainingRows, loss: TreeLoss, budgets: Sequence[float], target: Target
) -> None:
    """Train an estimator's trees: sets ``plan_``, ``columns_``, ``target_`` and ``n_trees_``.

    If it is interrupted, the ensembles that are done stand as a model.
    """
    training = training_of(estimator, rows, loss)
    estimator.target_ = target
    prior = loss.prior_scores()
    train = training.menu if estimator.combine == "stacked" else training.vote
    try:
        train(budgets, prior)
    except KeyboardInterrupt:
        if training.entries:
            _adopt(estimator, training, rows, prior)
        raise
    _adopt(estimator, training, rows, prior)
    if not training.entries and not training.ran_out_of_time:
        warn_of_prior(
            training.costs, budgets[-1], stacklevel=5,
            otherwise="No split improves on the prior, or the first choice is too dear",
        )  # fmt: skip


def _adopt(estimator: Any, training: PricedTrees, rows: TrainingRows, prior: Floats) -> None:
    estimator.plan_ = PricedPlan(training.plan(prior), training.costs)
    estimator.columns_ = rows.columns
    estimator.n_trees_ = training.n_trees
