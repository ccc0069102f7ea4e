"""The order in which groups are bought, and the linear model of each prefix (Hu 2019, ch. 3)."""

from __future__ import annotations

from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np

from ...costs.costs import Costs
from ...costs.ledger import limit
from ...costs.shopper import Shopper
from ...data.linear_design import LinearDesign
from ...kernels.groups import mirror
from ...plans import LinearPrefixes, ModelSequence, PrefixPlan
from ...plans.components.models import LinearModel
from ...plans.components.subset_models import MAX_COEFFICIENTS, SubsetModels
from ...plans.contract import StageTable
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Flags, Floats, Ints
from .factor import CRITERIA, FLOOR, GroupFactor
from .moments import Moments

#: Spread below this part of the mean is what rounding leaves of a constant.
_ROUNDING = 8 * np.finfo(np.float64).eps
#: A group worth less than this, of 1 a response, is worth nothing.
NOTHING = 1e-12


class GroupShopper(Shopper):
    """Chooses the next group of columns by its value over what it costs now.

    What costs nothing is taken at once, the most valuable first. Groups that the rest of the
    budget cannot pay are passed over.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    budget : float
        The most that may be spent.
    doubling : bool
        Whether a group may cost no more than all that was bought before it, and the first no
        more than the cheapest (Hu 2019, Alg. 4). Where nothing qualifies the cheapest is next.

    Attributes
    ----------
    items : int array
        Those that bring columns, by position in `costs`.
    groups : list of int arrays
        The columns of each.
    doubled : bool
        False once something had to be bought that more than doubled what was spent.
    """

    def __init__(self, costs: Costs, budget: float, doubling: bool = False) -> None:
        super().__init__(costs, budget)
        self._doubling = doubling
        self.items = np.array([i for i, brought in enumerate(costs.columns) if brought], np.intp)
        self.groups = [np.array(costs.columns[i]) for i in self.items]
        self._left = np.ones(len(self.items), dtype=bool)
        self.doubled = True

    def candidates(self, worthwhile: Flags) -> Ints:
        """Return which of the groups that are worth something may be bought next."""
        prices = self.prices[self.items]
        allowed = worthwhile & self._left & self.ledger.affords(self.prices)[self.items]
        free = allowed & (prices == 0.0)
        if free.any():
            return np.flatnonzero(free)
        if self._doubling and allowed.any():
            # the cheapest is next at first, and where nothing else qualifies
            allowed &= prices <= max(limit(self.spent), prices[allowed].min())
        return np.flatnonzero(allowed)

    def best(self, values: Floats, candidates: Ints) -> int:
        """Return the candidate of largest value per price, the first at a tie."""
        prices = self.prices[self.items[candidates]]
        if not prices.any():
            prices = np.ones_like(prices)
        return int(candidates[np.argmax(values[candidates] / prices)])

    def take(self, group: int) -> None:
        """Pay for a group, with what it requires."""
        item = int(self.items[group])
        self.doubled &= not self.spent or float(self.prices[item]) <= limit(self.spent)
        self._left[group] = False
        self.buy([item])


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
    subsets : SubsetModels, optional
        The models of all sets of `columns`.
    """

    items: list[int]
    columns: list[int]
    coefficients: list[Floats]
    intercepts: Floats
    explained: Floats
    dependent: list[int]
    doubled: bool
    subsets: SubsetModels | None = None


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
        """Return the correlations from sums over rows, with a ridge."""
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
        """Return the part of the variance that all columns explain together."""
        every = np.linalg.lstsq(self.matrix, self.response, rcond=FLOOR)[0]
        return float((every * self.response).sum() / self.response.shape[1])


def choose_sequence(
    data: Standardised, costs: Costs, criterion: str, budget: float, doubling: bool
) -> Sequence:
    """Buy the group of largest value per price until nothing more is worth it, or affordable.

    The matrix of `data` is overwritten.
    """
    shopper = GroupShopper(costs, budget, doubling)
    groups = shopper.groups
    factor = GroupFactor(data.matrix, data.response, groups)
    value, gains = CRITERIA[criterion], [0.0]
    floor = NOTHING * data.response.shape[1]
    while factor.left.any() and not is_time_over():
        values = value(factor)
        candidates = shopper.candidates(values > floor)
        if not len(candidates):
            break
        choice = shopper.best(values, candidates)
        shopper.take(choice)
        gains.append(factor.take(choice))
        emit(Progress("fit", len(factor.order), len(groups), f"spent {shopper.spent:g}"))
    items = [int(shopper.items[g]) for g in factor.order]
    return _in_units(data, factor, items, gains, shopper.doubled)


def follow_order(data: Standardised, costs: Costs, order: Several[int], budget: float) -> Sequence:
    """Buy items in a given order; those that the rest of the budget cannot pay are passed over."""
    shopper = GroupShopper(costs, budget)
    position = {int(item): k for k, item in enumerate(shopper.items)}
    groups = shopper.groups
    factor, gains = GroupFactor(data.matrix, data.response, groups), [0.0]
    for item in order:
        choice = position[item]
        if choice in shopper.candidates(np.arange(len(groups)) == choice):
            shopper.take(choice)
            gains.append(factor.take(choice))
    items = [int(shopper.items[g]) for g in factor.order]
    return _in_units(data, factor, items, gains, shopper.doubled)


def _in_units(
    data: Standardised, factor: GroupFactor, items: list[int], gains: list[float], doubled: bool
) -> Sequence:
    """Return the sequence with coefficients and intercepts in the units of the data."""
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


def sequence_plan(sequence: Sequence, design: LinearDesign) -> PrefixPlan:
    """Return the plan that buys in this order; with categories each prefix has its own model."""
    stages = StageTable(tuple((item,) for item in sequence.items))
    if design.has_indicators:
        preparation = design.preparation.taken(np.array(sequence.columns, dtype=np.int64))
        models = [
            LinearModel(
                preparation.taken(np.arange(len(part))), part, base, "identity", design.fills
            )
            for part, base in zip(sequence.coefficients, sequence.intercepts[1:], strict=True)
        ]
        return PrefixPlan(stages, ModelSequence(models, sequence.intercepts[0]), sequence.subsets)
    counts = [len(part) for part in sequence.coefficients]
    none = np.empty((0, sequence.intercepts.shape[1]))
    coefficients = np.concatenate([none, *sequence.coefficients])
    fill = () if design.fill is None else design.fill[sequence.columns]
    prefixes = LinearPrefixes(sequence.columns, counts, sequence.intercepts, coefficients, fill)
    return PrefixPlan(stages, prefixes, sequence.subsets)


def ridge_subsets(moments: Moments, alpha: float, columns: Several[int]) -> SubsetModels | None:
    r"""Return the ridge regressions on all sets of some columns; None for too many or no columns.

    With C the covariances, S the diagonal of the variances and v the covariances with the
    responses, that of a set is :math:`(C+\lambda S)^{-1}v`, both restricted to it.
    """
    if not 0 < len(columns) <= MAX_COEFFICIENTS:
        return None
    d, data = len(columns), Standardised.of(moments.taken(columns), alpha)
    spread = data.scale[:d, None]
    response = data.response * spread * data.scale[d:]
    return SubsetModels(
        data.matrix * spread * spread.T, response, data.mean[:d, None], data.mean[d:]
    )


def _inverse(scale: Floats) -> Floats:
    inverse: Floats = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    return inverse
