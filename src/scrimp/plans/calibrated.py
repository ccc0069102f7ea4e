"""Calibrated plans: a plan of any kind, whose probabilities mean what they say at any budget."""

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
from ..types import Arrays, Floats, Ints
from .capabilities import Reader, answer_cohort, bounded, read_all, reader, repriced
from .components.calibrators import MAPS, IsotonicMaps, PowerMaps, own_and_others
from .contract import Plan
from .delegating import DelegatingPlan, DelegatingState
from .kinds import plan_from_parts, plan_to_parts

_INNER = "inner/"
#: Fractions are rounded, so that sums of prices in another order are the same one.
_DIGITS = 9


@dataclass
class CalibratedState(DelegatingState):
    """The state of the plan within, the items that have a part in the answer, and prices."""

    have: set[int]
    costs: Costs


class CalibratedPlan(DelegatingPlan[CalibratedState]):
    """Buys as the plan within and answers with calibrated class probabilities.

    Which map applies depends on how much is known: the price of all that has a part in the
    answer, owned or bought, as a fraction of the plan's full price. Between two knots
    the answers of both maps are mixed, in proportion to how near they are: what is bought
    between two knots changes the scores little by little, and no map is then used far from
    where it was fitted. Before the first knot the first map holds, beyond the last the last.
    Where nothing at all is known the answer is the prior.

    Parameters
    ----------
    inner : Plan
        Of any kind that predicts classes.
    target : Target
        What its scores mean; only kind, number of classes and scale count.
    at : float array (knots,)
        Fractions of the full price, ascending.
    maps : Maps
        One a knot.
    prior : float array (classes,)
        The probabilities where nothing is known.

    Notes
    -----
    A map may move the line between two labels, and not at all budgets alike.
    ``stop="certain"`` reckons with it: `reach` bounds the probabilities under all maps that a
    row can still come to, so that a label that is certain is the label of all of them.
    """

    kind = "calibrated"

    def __init__(
        self,
        inner: Plan[Any],
        target: Target,
        at: ArrayLike,
        maps: PowerMaps | IsotonicMaps,
        prior: ArrayLike,
    ) -> None:
        super().__init__(inner)
        self.maps = maps
        self.at, self.prior = float_array("at", at), float_array("prior", prior)
        self.n_outputs = len(self.prior)
        self._target = Target(target.kind, np.arange(self.n_outputs), target.scale)
        self._bill: tuple[Costs, frozenset[int], float] | None = None
        self._check()

    def _check(self) -> None:
        if self._target.is_number or self._target.n_outputs != self.inner.n_outputs:
            raise ValueError("a calibrated plan needs a plan with scores of its classes.")
        if not self._target.scale >= 0:
            raise ValueError("the scale of scores to be calibrated must be >= 0.")
        if len(self.maps) != len(self.at) or self.maps.n_classes != self.n_outputs:
            raise ValueError("maps must be one a knot, for the classes of the prior.")
        if (np.diff(self.at) <= 0).any() or not ((self.at >= 0) & (self.at <= 1)).all():
            raise ValueError("knots must be ascending fractions from 0 to 1.")
        if not ((self.prior > 0) & (self.prior <= 1)).all():
            raise ValueError("the prior must hold probabilities > 0.")

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> CalibratedState:
        """Start the plan within."""
        have = set(ledger.owned) if self.inner.uses_owned else set()
        return CalibratedState(len(keys), self.inner.start(keys, ledger), have, ledger.costs)

    def tell(self, state: CalibratedState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Delegate, and note what is known."""
        for item in self.stages.items[stage]:
            state.have.update(state.costs.closures[item])
        self.inner.tell(state.inner, stage, X, rows)

    def refuse(self, state: CalibratedState, stage: int, ledger: Ledger) -> None:
        """Delegate; of what arrived before the refusal a part may be used."""
        if self.inner.uses_owned:
            state.have.update(ledger.owned)
        super().refuse(state, stage, ledger)

    def read(self, state: CalibratedState) -> Floats:
        """Calibrated class probabilities."""
        return self._read(self.inner.read(state.inner), state)

    def read_all(self, states: Sequence[CalibratedState]) -> Floats:
        """The plan within shares the work between states; each has its own fraction."""
        scores = read_all(self.inner, [state.inner for state in states])
        return np.stack([self._read(*pair) for pair in zip(scores, states, strict=True)])

    def reader(self, state: CalibratedState) -> Reader | None:
        """Return the function of the plan within, calibrated by what the state knows."""
        scores = reader(self.inner, state.inner)
        return scores and (lambda X, rows: self._read(scores(X, rows), state))

    def _read(self, scores: Floats, state: CalibratedState) -> Floats:
        items, _ = self._all(state.costs)
        own = state.have & items
        n = len(scores)
        known = np.full(n, math.fsum(state.costs.prices[item] for item in own))
        return self._calibrated(scores, self._fraction(known, state.costs), np.full(n, bool(own)))

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats] | None:
        """As the plan within; what a row has paid says how much it knows.

        None where it does not: a row that pays nothing may have free items, or no item at all.
        """
        answers = answer_cohort(self.inner, X, rows, keys, ledger, needs, budget_of)
        if answers is None:
            return None
        scores, spent = answers
        costs, own = ledger.costs, ledger.owned & self._all(ledger.costs)[0]
        before = math.fsum(costs.prices[item] for item in own)
        free = any(stage and costs.price_of(stage, ledger.owned) == 0 for stage in needs)
        if free and not own and not (spent > 0).all():
            return None
        flat = self._calibrated(
            scores.reshape(-1, scores.shape[-1]),
            self._fraction(spent.ravel() + before, costs),
            (spent.ravel() > 0) | bool(own),
        )
        return flat.reshape(*spent.shape, self.n_outputs), spent

    def _all(self, costs: Costs) -> tuple[frozenset[int], float]:
        """All items the plan may buy, and its full price."""
        bill = self._bill  # read once: models at other prices may share the plan, in threads
        if bill is None or bill[0] is not costs:
            items = costs.closure(i for own in self.stages.items for i in own)
            full = max(map(costs.price_of, self.inner.extents()), default=0.0)
            bill = costs, frozenset(items), full
            self._bill = bill
        return bill[1:]

    def _fraction(self, known: Floats, costs: Costs) -> Floats:
        """What is known as a part of the full price; all of it where all is free."""
        full = self._all(costs)[1]
        part = known / full if full > 0 else np.ones_like(known)
        return np.asarray(np.round(np.minimum(part, 1.0), _DIGITS), dtype=np.float64)

    def _calibrated(self, scores: Floats, fraction: Floats, known: NDArray[np.bool_]) -> Floats:
        """Probabilities of scores (rows x outputs); the prior where nothing is known."""
        logs = self._target.log_probabilities(np.ascontiguousarray(scores))
        inputs = self.maps.inputs(np.ascontiguousarray(logs))
        below, above, nearness = self._between(fraction)
        mixed = np.zeros((len(scores), self.n_outputs))
        for knot in np.union1d(below, above).tolist():
            weight = np.where(below == knot, 1.0 - nearness, 0.0)
            weight += np.where(above == knot, nearness, 0.0)
            use = np.flatnonzero(weight > 0)
            logs_of = self.maps.log_weights(knot, np.ascontiguousarray(inputs[use]))
            mixed[use] += weight[use, None] * softmax(logs_of, axis=1)
        mixed[~known] = self.prior
        return mixed

    def _between(self, fraction: Floats) -> tuple[Ints, Ints, Floats]:
        """The knots on both sides of fractions, and how far towards the upper one they are."""
        last = len(self.at) - 1
        above = np.minimum(np.searchsorted(self.at, fraction), last)
        below = np.maximum(above - 1, 0)
        inside = np.clip(fraction, self.at[below], self.at[above])
        width = self.at[above] - self.at[below]
        near = np.divide(inside - self.at[below], width, out=np.ones(len(inside)), where=width > 0)
        return below, above, near

    def reach(
        self,
        state: CalibratedState,
        free: Sequence[int],
        unsure: Sequence[int],
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Floats, Floats]:
        """The least and the most of each probability, under all maps still to come."""
        least, most = bounded(self.inner).reach(state.inner, free, unsure, X, rows)
        low, high = self._inputs(least, most), self._inputs(most, least)
        own = state.have & self._all(state.costs)[0]
        known = math.fsum(state.costs.prices[item] for item in own)
        first = int(self._between(self._fraction(np.array([known]), state.costs))[0][0])
        bounds = [self._bounds(knot, low, high) for knot in range(first, len(self.at))]
        if not own:
            bounds.append((np.tile(self.prior, (state.n, 1)),) * 2)
        return np.min([b[0] for b in bounds], axis=0), np.max([b[1] for b in bounds], axis=0)

    def _inputs(self, own: Floats, others: Floats) -> Floats:
        """What the maps look at, for each class where its score is `own` and others' are not."""
        binary = self._target.kind == "binary"  # a low score is a high one for the first class
        tables = [others, own] if binary else own_and_others(own, others)
        logs = [self._target.log_probabilities(table) for table in tables]
        return np.stack([self.maps.inputs(part)[:, k] for k, part in enumerate(logs)], axis=1)

    def _bounds(self, knot: int, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Each probability at its least and at its most, under one map."""
        least, most = self.maps.log_weights(knot, low), self.maps.log_weights(knot, high)

        def probabilities(own: Floats, others: Floats) -> Floats:
            tables = own_and_others(own, others)
            parts = [softmax(table, axis=1)[:, k] for k, table in enumerate(tables)]
            return np.stack(parts, axis=1)

        return probabilities(least, most), probabilities(most, least)

    def repriced(self, costs: Costs) -> Plan[Any]:
        """As the plan within; the knots stay where they are, as parts of the new full price."""
        return self.around(repriced(self.inner, costs))

    def around(self, inner: Plan[Any]) -> CalibratedPlan:
        """The same maps around another plan."""
        if inner is self.inner:
            return self
        return CalibratedPlan(inner, self._target, self.at, self.maps, self.prior)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the plan within, and the maps."""
        inner, arrays = plan_to_parts(self.inner)
        header = {
            "inner": inner,
            "target": self._target.kind,
            "scale": float(self._target.scale),
            "maps": self.maps.kind,
        }
        inner_arrays = {_INNER + name: array for name, array in arrays.items()}
        return header, inner_arrays | {"at": self.at, "prior": self.prior} | self.maps.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> CalibratedPlan:
        """Return the plan of stored `parts`."""
        if header["maps"] not in MAPS:
            raise ValueError(f"unknown maps {header['maps']!r}; expected one of {sorted(MAPS)}.")
        inner_arrays = {
            name.removeprefix(_INNER): array
            for name, array in arrays.items()
            if name.startswith(_INNER)
        }
        inner = plan_from_parts(header["inner"]["kind"], header["inner"]["header"], inner_arrays)
        target = Target(header["target"], np.arange(len(arrays["prior"])), header["scale"])
        maps = MAPS[header["maps"]].from_arrays(arrays)
        return cls(inner, target, arrays["at"], maps, arrays["prior"])
