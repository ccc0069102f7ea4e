"""The order in which groups are bought, and the linear model of each prefix (Hu 2019, ch. 3)."""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np

from ...costs.costs import Costs
from ...kernels.groups import mirror
from ...plans import LinearPrefixes, PrefixPlan
from ...plans.contract import StageTable
from ...runtime.events import Progress, emit
from ...types import Floats
from .buying import Buyer
from .criteria import CRITERIA
from .factor import FLOOR, GroupFactor
from .moments import Moments

#: Spread below this part of the mean is what rounding leaves of a constant.
_ROUNDING = 8 * np.finfo(np.float64).eps
#: A group worth less than this, of 1 a response, is worth nothing.
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Sequence:
    """Items in the order bought, and the model of each prefix.

    Parameters
    ----------
    items : list of int
        Positions in the Costs.
    columns : list of int
        Their columns.
    coefficients : list of float arrays (columns so far, responses)
        In the units of X and Y.
    intercepts : float array (items + 1, responses)
        The first is that of the empty prefix.
    explained : float array (items + 1,)
        The part of the responses' variance that each prefix explains in training, less its
        penalty; with several responses their mean.
    dependent : list of int
        Columns that others bought before them determine; their coefficient is 0.
    doubled : bool
        Whether no purchase more than doubled what was spent.
    """

    items: list[int]
    columns: list[int]
    coefficients: list[Floats]
    intercepts: Floats
    explained: Floats
    dependent: list[int]
    doubled: bool


@dataclass(frozen=True, eq=False)
class Standardised:
    """Correlations of columns and responses, each with mean 0 and variance 1.

    A constant column has correlation 0 with everything, and so has a constant response.
    """

    matrix: Floats
    response: Floats
    mean: Floats
    scale: Floats

    @property
    def inverse_scale(self) -> Floats:
        """One over the scale; 0 for a constant."""
        return _inverse(self.scale)

    @classmethod
    def of(cls, moments: Moments, alpha: float) -> Standardised:
        """From sums over rows, with a ridge."""
        d = moments.n_columns
        spread = np.sqrt(np.diag(moments.scatter).clip(0.0) / moments.weight)
        spread[spread <= _ROUNDING * np.abs(moments.mean)] = 0.0
        inverse = _inverse(spread)
        lower = np.array(moments.scatter[:, :d], order="C")
        lower *= inverse[:d]
        lower *= inverse[:, None] / moments.weight
        matrix = lower[:d]
        mirror(matrix)
        matrix[np.diag_indices(d)] += alpha
        return cls(matrix, np.ascontiguousarray(lower[d:].T), moments.mean, spread)

    def explained_by_all(self) -> float:
        """The part of the variance that all columns explain together."""
        every = np.linalg.lstsq(self.matrix, self.response, rcond=FLOOR)[0]
        return float((every * self.response).sum() / self.response.shape[1])


def choose_sequence(
    data: Standardised, costs: Costs, criterion: str, budget: float, doubling: bool
) -> Sequence:
    """Buy the group of largest value per price until nothing more is worth it, or affordable.

    The matrix of `data` is overwritten.
    """
    buyer = Buyer(costs, budget, doubling)
    groups = buyer.groups
    factor = GroupFactor(data.matrix, data.response, groups)
    value, gains = CRITERIA[criterion], [0.0]
    floor = NOTHING * data.response.shape[1]
    while factor.left.any():
        values = value(factor)
        candidates = buyer.candidates(values > floor)
        if not len(candidates):
            break
        choice = buyer.best(values, candidates)
        buyer.buy(choice)
        gains.append(factor.take(choice))
        emit(Progress("fit", len(factor.order), len(groups), f"spent {buyer.spent:g}"))
    items = [int(buyer.items[g]) for g in factor.order]
    return _in_units(data, factor, items, gains, buyer.doubled)


def follow_order(data: Standardised, costs: Costs, order: Several[int], budget: float) -> Sequence:
    """Buy items in a given order; those that the rest of the budget cannot pay are passed over."""
    buyer = Buyer(costs, budget)
    position = {int(item): k for k, item in enumerate(buyer.items)}
    groups = buyer.groups
    factor, gains = GroupFactor(data.matrix, data.response, groups), [0.0]
    for item in order:
        choice = position[item]
        if choice in buyer.candidates(np.arange(len(groups)) == choice):
            buyer.buy(choice)
            gains.append(factor.take(choice))
    items = [int(buyer.items[g]) for g in factor.order]
    return _in_units(data, factor, items, gains, buyer.doubled)


def _in_units(
    data: Standardised, factor: GroupFactor, items: list[int], gains: list[float], doubled: bool
) -> Sequence:
    """Coefficients and intercepts in the units of the data."""
    d = len(data.mean) - data.response.shape[1]
    columns = np.array(factor.columns, dtype=np.intp)
    to_units = data.scale[d:] * data.inverse_scale[columns, None]
    coefficients = [part * to_units[: len(part)] for part in factor.coefficients()]
    means, middle = data.mean[columns], data.mean[d:]
    intercepts = [middle, *(middle - means[: len(part)] @ part for part in coefficients)]
    explained = 2.0 * np.cumsum(gains) / data.response.shape[1]
    return Sequence(
        items,
        factor.columns,
        coefficients,
        np.array(intercepts),
        explained,
        factor.dropped,
        doubled,
    )


def prefix_plan(sequence: Sequence, fill: Floats | None) -> PrefixPlan:
    """The plan that buys in this order.

    `fill` says what a missing value of each column counts as, if there may be any.
    """
    counts = [len(part) for part in sequence.coefficients]
    stages = StageTable(tuple((item,) for item in sequence.items))
    models = np.concatenate([np.empty((0, sequence.intercepts.shape[1])), *sequence.coefficients])
    values = () if fill is None else fill[sequence.columns]
    prefixes = LinearPrefixes(sequence.columns, counts, sequence.intercepts, models, values)
    return PrefixPlan(stages, prefixes)


def _inverse(scale: Floats) -> Floats:
    inverse: Floats = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    return inverse
