"""What rows have already, and what cannot be had: masks over columns or items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..costs.costs import Costs
from ..data.columns import Columns, as_frame
from ..types import Flags


def owned_items(owned: Any, n: int, costs: Costs, columns: Columns) -> Flags | None:
    """Return what each of n rows owns (rows x items), with all that is required for it.

    Parameters
    ----------
    owned : list of str, bool array, data frame or None
        Names of columns or items, of all rows; or a mask over columns or items, for all rows or
        per row; a frame names either.
    n : int
        The number of rows.
    costs : Costs
        Items and their columns.
    columns : Columns
        Names of the columns.
    """
    if owned is None:
        return None
    mask = _ItemMask("owned", costs, columns, np.all).of(owned, n)
    with_required = np.zeros((n, costs.n_items), dtype=bool)
    for item, closure in enumerate(costs.closures):
        with_required[:, closure] |= mask[:, [item]]
    return with_required


def failed_items(failed: Any, n: int, costs: Costs, columns: Columns) -> Flags | None:
    """Return what cannot be had for each of n rows (rows x items): items without a whole column.

    Parameters
    ----------
    failed : list of str, bool array, data frame or None
        Names of columns or items, of all rows; or a mask over columns or items, for all rows or
        per row; a frame names either.
    n, costs, columns
        As in `owned_items`.
    """
    return None if failed is None else _ItemMask("failed", costs, columns, np.any).of(failed, n)


@dataclass(frozen=True)
class _ItemMask:
    """Converts masks over columns or items to masks over items.

    Parameters
    ----------
    name : str
        The name of the mask in messages.
    costs : Costs
        Items and their columns.
    columns : Columns
        Names of the columns.
    combine : callable
        `numpy.all` if an item needs all of its columns in the mask, `numpy.any` if one is enough.
    """

    name: str
    costs: Costs
    columns: Columns
    combine: Callable[..., Any]

    def of(self, given: Any, n: int) -> Flags:
        """Return the mask over items of n rows."""
        flags, costs = self._by_name(given, n), self.costs
        mask = np.asarray(given) if flags is None else self._of_names(flags)
        if mask.dtype != bool or mask.ndim not in (1, 2):
            raise ValueError(
                f"{self.name} must be a boolean mask over columns or items, for all rows or per "
                "row, or a list of names."
            )
        mask = np.broadcast_to(mask, (n, mask.shape[-1])) if mask.ndim == 1 else mask
        if len(mask) != n or mask.shape[1] not in (costs.n_columns, costs.n_items):
            raise ValueError(
                f"{self.name} has the shape {mask.shape}; expected {n} rows and as many columns as "
                f"X ({costs.n_columns}) or the price list's items ({costs.n_items})."
            )
        if mask.shape[1] == costs.n_columns and flags is None:
            return self._of_columns(mask)
        return mask

    def _of_columns(self, mask: Flags) -> Flags:
        """Return a mask over items from one over columns."""
        costs = self.costs
        if costs.n_items == costs.n_columns and any(len(columns) != 1 for columns in costs.columns):
            raise ValueError(
                f"There are as many items as columns, so the mask `{self.name}` may mean either. "
                "Pass a data frame whose columns are named."
            )
        nothing = np.zeros(len(mask), dtype=bool)
        parts = [
            self.combine(mask[:, columns], axis=1) if columns else nothing
            for columns in costs.columns
        ]
        return np.stack(parts, axis=1)

    def _by_name(self, given: Any, n: int) -> dict[str, Flags] | None:
        """Return the flags of a frame by the names of its columns; names alone are of n rows."""
        if isinstance(given, str):
            raise ValueError(f"{self.name} is {given!r}; expected a list of names: [{given!r}].")
        if isinstance(given, list | tuple) and given and all(isinstance(v, str) for v in given):
            return {name: np.ones(n, dtype=bool) for name in given}
        frame = as_frame(given)
        if frame is None:
            return None
        return {str(name): self._flags(frame.get_column(name)) for name in frame.columns}

    def _of_names(self, given: dict[str, Flags]) -> Flags:
        """Return a mask over items from flags by the names of columns or items.

        A name of a column stands for the column even if an item has it too, as in a session.
        """
        costs, columns = self.costs, self.columns
        known = {*columns.positions, *costs.names}
        unknown = [name for name in given if name not in known]
        if unknown:
            raise ValueError(f"{self.name} names {unknown}, which are neither columns nor items.")
        nothing, masks = np.zeros(max(map(len, given.values()), default=0), dtype=bool), []
        for item, brought in zip(costs.names, costs.columns, strict=True):
            parts = [given.get(columns.name(column), nothing) for column in brought]
            of_columns = self.combine(parts, axis=0) if parts else nothing
            named = nothing if item in columns.positions else given.get(item, nothing)
            masks.append(of_columns | named)
        return np.stack(masks, axis=1)

    def _flags(self, series: Any) -> Flags:
        """Return a column of booleans; a missing one is False."""
        import narwhals.stable.v2 as nw

        if series.dtype == nw.Boolean:
            return np.asarray(series.fill_null(False).to_numpy(), dtype=bool)
        missing = series.is_null().to_numpy()
        values = [
            False if is_missing else value
            for value, is_missing in zip(series.to_list(), missing.tolist(), strict=True)
        ]
        if not all(isinstance(value, bool | np.bool_) for value in values):
            raise ValueError(
                f"{self.name} holds {series.dtype} in {series.name!r}; expected booleans, or "
                "None for False."
            )
        return np.array(values, dtype=bool)
