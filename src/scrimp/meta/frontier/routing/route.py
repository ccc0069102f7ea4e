"""A route: tests on values that have been bought, and the item set of each region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....costs.item_sets import Items
from ....types import Flags, Ints


@dataclass(frozen=True)
class IntervalTest:
    """An interval test of one column.

    Parameters
    ----------
    column : int
        The column of the table.
    low, high : float
        A present value is inside when ``low <= x <= high``.
    missing_inside : bool
        Whether a missing value counts as inside.
    """

    column: int
    low: float
    high: float
    missing_inside: bool

    def inside(self, X: NDArray[Any]) -> Flags:
        """Return which rows of a table are inside.

        >>> IntervalTest(0, -np.inf, 2.0, True).inside(np.array([[1.0], [3.0], [np.nan]])).tolist()
        [True, False, True]
        """
        x = X[:, self.column]
        inside = (x >= self.low) & (x <= self.high)
        return np.asarray(inside | np.isnan(x) if self.missing_inside else inside)


@dataclass(frozen=True)
class Region:
    """A leaf of a route: the items that its rows buy, with all that they require."""

    items: Items


@dataclass(frozen=True)
class Branch:
    """A test, and the routes of the rows inside and outside its interval."""

    test: IntervalTest
    inside: Route
    outside: Route


Route = Region | Branch


def regions_of(route: Route) -> Iterator[Region]:
    """Yield the regions of a route, those inside a test first."""
    if isinstance(route, Region):
        yield route
        return
    yield from regions_of(route.inside)
    yield from regions_of(route.outside)


def region_numbers(route: Route, X: NDArray[Any]) -> Ints:
    """Return the number of each row's region, in the order of `regions_of`.

    >>> route = Branch(IntervalTest(0, -np.inf, 0.0, False), Region((0,)), Region((0, 1)))
    >>> region_numbers(route, np.array([[-1.0], [1.0]])).tolist()
    [0, 1]
    """
    if isinstance(route, Region):
        return np.zeros(len(X), dtype=np.int64)
    inside, numbers = route.test.inside(X), np.empty(len(X), dtype=np.int64)
    numbers[inside] = region_numbers(route.inside, X[inside])
    first = sum(1 for _ in regions_of(route.inside))
    numbers[~inside] = first + region_numbers(route.outside, X[~inside])
    return numbers


def filled(route: Route, parts: Iterator[Route]) -> Route:
    """Return a route whose regions are replaced by further routes, in the order of `regions_of`."""
    if isinstance(route, Region):
        return next(parts)
    inside = filled(route.inside, parts)
    return Branch(route.test, inside, filled(route.outside, parts))
