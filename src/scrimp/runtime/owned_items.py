"""What rows have already: masks over columns or items, as a mask over items."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..costs.costs import Costs
from ..data.columns import Columns, as_frame
from ..types import Flags


def owned_items(owned: Any, n: int, costs: Costs, columns: Columns) -> Flags | None:
    """Return what each of n rows owns (rows x items), with all that is required for it.

    Parameters
    ----------
    owned : bool array, data frame or None
        A mask over columns or items, for all rows or per row; a frame names either.
    n : int
        The number of rows.
    costs : Costs
        Items and their columns.
    columns : Columns
        Names of the columns.
    """
    if owned is None:
        return None
    frame = as_frame(owned)
    mask = np.asarray(owned) if frame is None else _named_mask(frame, costs, columns)
    if mask.dtype != bool or mask.ndim not in (1, 2):
        raise ValueError(
            "owned must be a boolean mask over columns or items, for all rows or a row."
        )
    mask = np.broadcast_to(mask, (n, mask.shape[-1])) if mask.ndim == 1 else mask
    if len(mask) != n or mask.shape[1] not in (costs.n_columns, costs.n_items):
        raise ValueError(
            f"owned has the shape {mask.shape}; expected {n} rows and as many columns as "
            f"X ({costs.n_columns}) or the price list's items ({costs.n_items})."
        )
    if mask.shape[1] == costs.n_columns and frame is None:
        mask = _items_of_columns(mask, costs)
    with_required = np.zeros((n, costs.n_items), dtype=bool)
    for item, closure in enumerate(costs.closures):
        with_required[:, closure] |= mask[:, [item]]
    return with_required


def _items_of_columns(mask: Flags, costs: Costs) -> Flags:
    """Return a mask over items: a row has an item if it has all columns the item brings."""
    if costs.n_items == costs.n_columns and any(len(columns) != 1 for columns in costs.columns):
        raise ValueError(
            "There are as many items as columns, so the mask `owned` may mean either. "
            "Pass a data frame whose columns are named."
        )
    nothing = np.zeros(len(mask), dtype=bool)
    parts = [mask[:, columns].all(axis=1) if columns else nothing for columns in costs.columns]
    return np.stack(parts, axis=1)


def _named_mask(frame: Any, costs: Costs, columns: Columns) -> Flags:
    """Return a mask over items from a frame of booleans, by the names of columns or items."""
    given = {str(name): np.asarray(frame.get_column(name).to_numpy()) for name in frame.columns}
    unknown = [name for name in given if name not in columns.positions and name not in costs.names]
    if unknown:
        raise ValueError(f"owned names {unknown}, which are neither columns nor items.")
    nothing, masks = np.zeros(len(frame), dtype=bool), []
    for item, brought in zip(costs.names, costs.columns, strict=True):
        parts = [given.get(columns.name(column), nothing) for column in brought]
        whole = np.all(parts, axis=0) if parts else nothing
        masks.append(whole | given.get(item, nothing))
    return np.stack(masks, axis=1)
