"""A set of items, and the machine trained on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...costs.item_sets import Items
from ...types import Floats, Ints
from .descent import Bound, Point
from .machine import Machine

#: Coefficients up to this, in units of what is predicted, are 0 but for rounding.
_NOTHING = 1e-13


@dataclass(frozen=True, eq=False)
class Trained:
    """A set of items and the machine on it.

    Parameters
    ----------
    items : tuple of int
        The set.
    columns : int array
        That it brings.
    point : Point
        Coefficients (outputs, own columns) and intercepts.
    objective : float
        With all that is bought in full.
    proof : Bound
        Its slopes, and what each group would be worth by them, bought or not.
    gap : float
        How exactly it was trained.
    """

    items: Items
    columns: Ints
    point: Point
    objective: float
    proof: Bound
    gap: float

    def in_table(self, machine: Machine) -> tuple[Ints, Floats]:
        """The table's columns that have a coefficient, ascending, and these (outputs, columns).

        What training leaves of a coefficient that is 0 does not count as one.
        """
        whole, least = machine.zeros(), _NOTHING * max(1.0, float(np.abs(machine.targets).max()))
        whole[:, machine.in_table(self.columns)] = self.point.w
        columns = np.flatnonzero((np.abs(whole) > least).any(axis=0))
        return columns, whole[:, columns]
