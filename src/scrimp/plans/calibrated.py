"""Calibrated plans: an inner plan of any kind, with calibrated probabilities at any budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..data.target import Target
from ..data.validation import float_array
from ..types import Arrays, Flags, Floats, Ints
from .capabilities import answer_cohort, bounded, reader, repriced
from .components.calibrated_reader import CalibratedReader, Calibration, Mixture
from .components.calibrators import CALIBRATORS, Calibrators, swap_each_column
from .components.readers import Reader
from .contract import Plan
from .delegating import DelegatingPlan, DelegatingState
from .kinds import plan_from_parts, plan_to_parts

#: The prefix of the names of the inner plan's arrays in model files.
_INNER = "inner/"
#: Fractions are rounded to so many digits, so that the order of summing prices has no effect.
_DIGITS = 9


@dataclass
class CalibratedState(DelegatingState):
    """The state of the inner plan, the items that the answer depends on, and prices."""

    known_items: set[int]
    costs: Costs


@dataclass(frozen=True)
class _FullPrice:
    """All items that a plan may buy, and its full price under some costs."""

    costs: Costs
    items: frozenset[int]
    price: float


class CalibratedPlan(DelegatingPlan[CalibratedState]):
    """A plan that buys as an inner plan and answers with calibrated class probabilities.

    The calibration map depends on how much is known: the price of all items that the answer
    depends on, owned or bought, as a fraction of the full price of the plan. Between two grid
    points the answers of both maps are interpolated linearly, because purchases between two
    grid points change the scores gradually. Below the first grid point the first map applies,
    and beyond the last the last. Where nothing is known the answer is the prior.

    Parameters
    ----------
    inner : Plan
        A plan of any kind that predicts classes.
    target : Target
        The meaning of its scores; only kind, number of classes and scale are used.
    grid : float array (grid points,)
        Fractions of the full price, ascending.
    calibrators : Calibrators
        One calibration map per grid point.
    prior : float array (classes,)
        The probabilities where nothing is known.

    Notes
    -----
    A calibration map may move the decision boundary, and differently at different budgets.
    ``stop="certain"`` accounts for it: `reach` bounds the probabilities under all maps that
    may still apply to a row, so that a certain label is the label under each of them.
    """

    kind = "calibrated"

    def __init__(
        self,
        inner: Plan[Any],
        target: Target,
        grid: ArrayLike,
        calibrators: Calibrators,
        prior: ArrayLike,
    ) -> None:
        super().__init__(inner)
        self.calibrators = calibrators
        self.grid, self.prior = float_array("at", grid), float_array("prior", prior)
        self.n_outputs = len(self.prior)
        self._target = Target(target.kind, np.arange(self.n_outputs), target.scale)
        self._calibration = Calibration(self._target, calibrators, self.prior)
        self._full: _FullPrice | None = None
        self._check()

    def _check(self) -> None:
        if self._target.is_number or self._target.n_outputs != self.inner.n_outputs:
            raise ValueError("a calibrated plan needs a plan with scores of its classes.")
        if not self._target.scale >= 0:
            raise ValueError("the scale of scores to be calibrated must be >= 0.")
        n_points, n_classes = len(self.calibrators), self.calibrators.n_classes
        if n_points != len(self.grid) or n_classes != self.n_outputs:
            raise ValueError("maps must be one per grid point, for the classes of the prior.")
        if (np.diff(self.grid) <= 0).any() or not ((self.grid >= 0) & (self.grid <= 1)).all():
            raise ValueError("grid points must be ascending fractions from 0 to 1.")
        if not ((self.prior > 0) & (self.prior <= 1)).all():
            raise ValueError("the prior must hold probabilities > 0.")

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> CalibratedState:
        """Start the inner plan."""
        known = set(ledger.owned) if self.inner.uses_owned else set()
        return CalibratedState(len(keys), self.inner.start(keys, ledger), known, ledger.costs)

    def tell(self, state: CalibratedState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Tell the inner plan, and note the items of the stage as known."""
        for item in self.stages.items[stage]:
            state.known_items.update(state.costs.closures[item])
        self.inner.tell(state.inner, stage, X, rows)

    def refuse(self, state: CalibratedState, stage: int, ledger: Ledger) -> None:
        """Refuse the stage; items that arrived before the refusal may be used."""
        if self.inner.uses_owned:
            state.known_items.update(ledger.owned)
        super().refuse(state, stage, ledger)

    def read(self, state: CalibratedState) -> Floats:
        """Return calibrated class probabilities."""
        scores = self.inner.read(state.inner)
        return self._calibration.apply(scores[:, None], [self._mixture(state)])[:, 0]

    def reader(self, state: CalibratedState) -> Reader | None:
        """Return the reader of the inner plan, calibrated for the items that the state knows."""
        scores = reader(self.inner, state.inner)
        if scores is None:
            return None
        return CalibratedReader(scores, self._calibration, self._mixture(state))

    def _mixture(self, state: CalibratedState) -> Mixture:
        """Return the calibration maps of all rows of a state."""
        known, price = self._known(state)
        if not known:
            return Mixture()
        fraction = self._fraction(np.array([price]), state.costs)
        return Mixture(*(part[0].item() for part in self._neighbours(fraction)))

    def _known(self, state: CalibratedState) -> tuple[bool, float]:
        """Return whether any of the plan's items is known, and the price of those that are."""
        items = state.known_items & self._full_price(state.costs).items
        return bool(items), math.fsum(state.costs.prices[item] for item in items)

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats] | None:
        """Calibrate the answers of the inner plan by the spend of each row.

        Return None where the spend does not determine what is known: a row that pays nothing
        may have free items, or no item at all.
        """
        answers = answer_cohort(self.inner, X, rows, keys, ledger, needs, budget_of)
        if answers is None:
            return None
        scores, spent = answers
        costs, owned = ledger.costs, ledger.owned & self._full_price(ledger.costs).items
        owned_price = math.fsum(costs.prices[item] for item in owned)
        free = any(items and costs.price_of(items, ledger.owned) == 0 for items in needs)
        if free and not owned and not (spent > 0).all():
            return None
        flat = self._calibrated(
            scores.reshape(-1, scores.shape[-1]),
            self._fraction(spent.ravel() + owned_price, costs),
            (spent.ravel() > 0) | bool(owned),
        )
        return flat.reshape(*spent.shape, self.n_outputs), spent

    def _full_price(self, costs: Costs) -> _FullPrice:
        full = self._full  # read once: models at other prices may share the plan, in threads
        if full is None or full.costs is not costs:
            items = costs.closure(item for items in self.stages.items for item in items)
            price = max(map(costs.price_of, self.inner.extents()), default=0.0)
            self._full = full = _FullPrice(costs, frozenset(items), price)
        return full

    def _fraction(self, known: Floats, costs: Costs) -> Floats:
        """Return known prices as fractions of the full price; 1 if everything is free."""
        full = self._full_price(costs).price
        fraction = known / full if full > 0 else np.ones_like(known)
        return np.asarray(np.round(np.minimum(fraction, 1.0), _DIGITS), dtype=np.float64)

    def _calibrated(self, scores: Floats, fraction: Floats, is_known: Flags) -> Floats:
        """Return probabilities for scores (rows x outputs); the prior where nothing is known."""
        logs = self._target.log_probabilities(np.ascontiguousarray(scores))
        inputs = self.calibrators.inputs(np.ascontiguousarray(logs))
        below, above, nearness = self._neighbours(fraction)
        mixed = np.zeros((len(scores), self.n_outputs))
        for point in np.union1d(below, above).tolist():
            weight = np.where(below == point, 1.0 - nearness, 0.0)
            weight += np.where(above == point, nearness, 0.0)
            use = np.flatnonzero(weight > 0)
            log_weights = self.calibrators.log_weights(point, np.ascontiguousarray(inputs[use]))
            mixed[use] += weight[use, None] * softmax(log_weights, axis=1)
        mixed[~is_known] = self.prior
        return mixed

    def _neighbours(self, fraction: Floats) -> tuple[Ints, Ints, Floats]:
        """Return the grid points around fractions, and the weight of the upper one."""
        grid, last = self.grid, len(self.grid) - 1
        above = np.minimum(np.searchsorted(grid, fraction), last)
        below = np.maximum(above - 1, 0)
        inside = np.clip(fraction, grid[below], grid[above])
        width = grid[above] - grid[below]
        weight = np.divide(inside - grid[below], width, out=np.ones(len(inside)), where=width > 0)
        return below, above, weight

    def reach(
        self,
        state: CalibratedState,
        free: Sequence[int],
        unsure: Sequence[int],
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Floats, Floats]:
        """Return bounds of each probability under all calibration maps that may still apply."""
        lower, upper = bounded(self.inner).reach(state.inner, free, unsure, X, rows)
        low, high = self._inputs(lower, upper), self._inputs(upper, lower)
        known, price = self._known(state)
        first = int(self._neighbours(self._fraction(np.array([price]), state.costs))[0][0])
        bounds = [self._bounds(point, low, high) for point in range(first, len(self.grid))]
        if not known:
            bounds.append((np.tile(self.prior, (state.n, 1)),) * 2)
        return np.min([b[0] for b in bounds], axis=0), np.max([b[1] for b in bounds], axis=0)

    def _inputs(self, scores: Floats, others: Floats) -> Floats:
        """Return the maps' inputs: each class has its score of `scores`, and the rest `others`."""
        binary = self._target.kind == "binary"  # a low score is a high one for the first class
        tables = [others, scores] if binary else swap_each_column(others, scores)
        logs = [self._target.log_probabilities(table) for table in tables]
        inputs = self.calibrators.inputs
        return np.stack([inputs(part)[:, k] for k, part in enumerate(logs)], axis=1)

    def _bounds(self, point: int, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the lower and the upper bound of each probability under one map."""
        lower = self.calibrators.log_weights(point, low)
        upper = self.calibrators.log_weights(point, high)

        def probabilities(weights: Floats, others: Floats) -> Floats:
            tables = swap_each_column(others, weights)
            parts = [softmax(table, axis=1)[:, k] for k, table in enumerate(tables)]
            return np.stack(parts, axis=1)

        return probabilities(lower, upper), probabilities(upper, lower)

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Reprice the inner plan; the grid stays, as fractions of the new full price."""
        return self.around(repriced(self.inner, costs))

    def around(self, inner: Plan[Any]) -> CalibratedPlan:
        """Return the same calibration of another inner plan."""
        if inner is self.inner:
            return self
        return CalibratedPlan(inner, self._target, self.grid, self.calibrators, self.prior)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parts of the inner plan and of the calibration."""
        inner, arrays = plan_to_parts(self.inner)
        header = {
            "inner": inner,
            "target": self._target.kind,
            "scale": float(self._target.scale),
            "maps": self.calibrators.kind,
        }
        calibration = {"at": self.grid, "prior": self.prior} | self.calibrators.arrays()
        return header, {_INNER + name: array for name, array in arrays.items()} | calibration

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> CalibratedPlan:
        """Return the plan of stored `parts`."""
        kind = header["maps"]
        if kind not in CALIBRATORS:
            raise ValueError(f"unknown maps {kind!r}; expected one of {sorted(CALIBRATORS)}.")
        inner_arrays = {
            name.removeprefix(_INNER): array
            for name, array in arrays.items()
            if name.startswith(_INNER)
        }
        inner = plan_from_parts(header["inner"]["kind"], header["inner"]["header"], inner_arrays)
        target = Target(header["target"], np.arange(len(arrays["prior"])), header["scale"])
        calibrators = CALIBRATORS[kind].from_arrays(arrays)
        return cls(inner, target, arrays["at"], calibrators, arrays["prior"])
