"""The same items at other prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .costs import Costs
from .validation import price_number


def at_new_prices(old: Costs, prices: Any) -> Costs:
    """The items of `old` with new prices.

    Parameters
    ----------
    old : Costs
        Items, columns and requirements as they stay.
    prices : Costs, mapping or array
        The same items in any order; prices by the name of the item; or one price per item.

    Raises
    ------
    ValueError
        If items, their columns or what they require differ.

    Examples
    --------
    >>> old = Costs.per_feature({"age": 1.0, "mri": 40.0})
    >>> at_new_prices(old, {"mri": 30.0, "age": 1.0}).prices
    (1.0, 30.0)
    """
    if isinstance(prices, Costs):
        by_name = _by_item(old, prices)
    elif isinstance(prices, Mapping) or hasattr(prices, "to_dict"):
        by_name = {str(name): price for name, price in dict(prices).items()}
        _check_names(old, by_name)
    else:
        values = list(prices)
        if len(values) != old.n_items:
            raise ValueError(
                f"Repricing with {len(values)} prices, but there are {old.n_items} items: "
                f"{_named(old.names)}. Give one price per item."
            )
        by_name = dict(zip(old.names, values, strict=True))
    return replace(old, prices=tuple(price_number(name, by_name[name]) for name in old.names))


def _by_item(old: Costs, new: Costs) -> dict[str, float]:
    """Prices by item, once it is known that all else is the same."""
    if old.column_names is not None and new.column_names is None:
        new = new.bind(old.n_columns, old.column_names)
    _check_names(old, new.names)
    for item, name in enumerate(old.names):
        there = new.names.index(name)
        for what, ours, theirs in (
            ("brings", _columns(old, item), _columns(new, there)),
            ("requires", _required(old, item), _required(new, there)),
        ):
            if ours != theirs:
                raise ValueError(
                    f"Repricing with other items: {name!r} {what} {sorted(theirs)}, but in the "
                    f"model {sorted(ours)}. Only prices may change; else train again."
                )
    return dict(zip(new.names, new.prices, strict=True))


def _check_names(old: Costs, names: Any) -> None:
    missing = [name for name in old.names if name not in set(names)]
    unknown = [name for name in names if name not in set(old.names)]
    if missing or unknown:
        parts = [f"no price for {_named(missing)}"] if missing else []
        parts += [f"prices for {_named(unknown)}, which the model does not have"] if unknown else []
        raise ValueError(
            f"Repricing with other items: {' and '.join(parts)}. Only prices may change: "
            f"{'remove what was no feature, such as the target, or ' if unknown else ''}train "
            "again."
        )


def _columns(costs: Costs, item: int) -> set[str]:
    return {costs.column_name(column) for column in costs.columns[item]}


def _required(costs: Costs, item: int) -> set[str]:
    return {costs.names[other] for other in costs.requires[item]}


def _named(names: Any) -> str:
    shown = [repr(name) for name in names]
    return ", ".join(shown[:5]) + (f" and {len(shown) - 5} more" if len(shown) > 5 else "")
