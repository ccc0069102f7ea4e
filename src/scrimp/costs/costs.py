"""What things cost: items with prices, the columns they bring and the items they require."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .price_list import Item, read_items
from .transforms import dependencies
from .validation import (
    are_positions,
    by_label,
    check_columns_apart,
    check_prices,
    check_unique,
    closures_of,
    mismatch,
    not_brought_once,
    price_number,
)


@dataclass(frozen=True)
class Costs:
    """All items of a problem: the only place that knows prices.

    An item is bought at most once per row. It brings zero or more columns and may require
    other items, so that items form a directed acyclic graph: an item without columns that
    others require is a shared fee. Every column is brought by exactly one item.

    Parameters
    ----------
    names : tuple of str
        One name per item.
    prices : tuple of float
        One finite price >= 0 per item.
    columns : tuple of tuples of int
        The column positions that each item brings.
    requires : tuple of tuples of int
        The items that each item requires, by position.
    column_names : tuple of str, optional
        Names of the columns, where they are known; a frame is then matched by name.

    Examples
    --------
    >>> costs = Costs.from_items([
    ...     Item("blood draw", 2.10, ()),
    ...     Item("chol", 5.17, ("chol",), ("blood draw",)),
    ...     Item("fbs", 3.10, ("fbs",), ("blood draw",)),
    ... ])
    >>> costs.price_of([1, 2])
    10.37
    """

    names: tuple[str, ...]
    prices: tuple[float, ...]
    columns: tuple[tuple[int, ...], ...]
    requires: tuple[tuple[int, ...], ...]
    column_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what would make a price, a column or an order ambiguous."""
        n = len(self.names)
        if not len(self.prices) == len(self.columns) == len(self.requires) == n:
            raise ValueError("names, prices, columns and requires must have one entry an item.")
        check_unique("item", self.names)
        check_prices(self.names, self.prices)
        if not all(0 <= i < n for needs in self.requires for i in needs):
            raise ValueError(f"requires must hold item positions from 0 to {n - 1}.")
        brought = sorted(column for columns in self.columns for column in columns)
        if brought != list(range(len(brought))):
            raise ValueError(not_brought_once(brought))
        if self.column_names is not None:
            if len(self.column_names) != len(brought):
                raise ValueError("column_names must have one name a column.")
            check_unique("column", self.column_names)
        _ = self.closures  # a cycle is an error now, not at the first prediction

    @classmethod
    def from_items(cls, items: Iterable[Item]) -> Costs:
        """Make Costs from named items; columns are numbered in the order they appear.

        If all items give their columns by position, these are their numbers.
        """
        items = [item.with_whole_names() for item in items]
        names = tuple(item.name for item in items)
        check_unique("item", names)
        position = {name: i for i, name in enumerate(names)}
        for item in items:
            unknown = [r for r in item.requires if r not in position]
            if unknown:
                raise ValueError(
                    f"Item {item.name!r} requires {unknown}, which the price list does not have."
                )
        column_names = tuple(column for item in items for column in item.columns)
        check_columns_apart(items)
        check_unique("column", column_names)
        by_place = are_positions(column_names)
        number = {column: j for j, column in enumerate(column_names)}
        return cls(
            names,
            tuple(price_number(item.name, item.price) for item in items),
            tuple(tuple(int(c) if by_place else number[c] for c in i.columns) for i in items),
            tuple(tuple(position[r] for r in item.requires) for item in items),
            None if by_place else column_names,
        )

    @classmethod
    def read(cls, path: str | Path) -> Costs:
        """Read a CSV or TOML price list (see `scrimp.costs.price_list.read_items`)."""
        return cls.from_items(read_items(path))

    @classmethod
    def per_feature(cls, prices: Mapping[str, float] | Sequence[float] | NDArray[Any]) -> Costs:
        """Return one item per column: an array by position, or a mapping by column name.

        >>> Costs.per_feature({"age": 1.0, "thal": 102.9}).total
        103.9
        """
        prices = by_label(prices)
        if isinstance(prices, Mapping):
            return cls.from_items(
                Item(str(c), price_number(c, p), (str(c),)) for c, p in prices.items()
            )
        values = np.asarray(prices)
        if values.ndim != 1:
            raise ValueError(
                f"prices have {values.ndim} dimensions; expected one price per column."
            )
        named = [(f"x{j}", price) for j, price in enumerate(values.tolist())]
        return cls(
            tuple(name for name, _ in named),
            tuple(price_number(name, price) for name, price in named),
            tuple((j,) for j in range(len(named))),
            ((),) * len(named),
        )

    @classmethod
    def per_group(
        cls, groups: Sequence[Any] | NDArray[Any], prices: Mapping[Any, float] | Sequence[float]
    ) -> Costs:
        """Return one item per group of columns, bought together.

        Parameters
        ----------
        groups : sequence
            One label per column.
        prices : mapping or sequence
            The price of each label; a sequence follows the sorted labels.

        Examples
        --------
        >>> Costs.per_group(["lab", "lab", "scan"], {"lab": 3.0, "scan": 40.0}).total
        43.0
        """
        labels = np.asarray(groups)
        distinct, member = np.unique(labels, return_inverse=True)
        keys, prices = distinct.tolist(), by_label(prices)
        if not isinstance(prices, Mapping):
            if len(prices) != len(keys):
                raise ValueError(f"{len(prices)} prices for {len(keys)} groups; expected as many.")
            prices = dict(zip(keys, prices, strict=True))
        different = set(keys) ^ set(prices)
        if different:
            raise ValueError(
                f"groups and prices differ in the labels {sorted(map(str, different))}; "
                "expected one price for each label."
            )
        return cls(
            tuple(str(key) for key in keys),
            tuple(price_number(key, prices[key]) for key in keys),
            tuple(tuple(np.flatnonzero(member == g).tolist()) for g in range(len(keys))),
            ((),) * len(keys),
        )

    @classmethod
    def uniform(cls, n_columns: int, price: float = 1.0) -> Costs:
        """Every column for the same price."""
        return cls.per_feature([price] * n_columns)

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.names)

    @cached_property
    def n_columns(self) -> int:
        """How many columns the items bring together."""
        return sum(map(len, self.columns))

    @cached_property
    def item_of(self) -> tuple[int, ...]:
        """The item that brings each column."""
        return tuple(self.owners.tolist())

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The same, as an array."""
        owners = np.empty(self.n_columns, dtype=np.int64)
        for item, columns in enumerate(self.columns):
            owners[list(columns)] = item
        return owners

    @cached_property
    def closures(self) -> tuple[tuple[int, ...], ...]:
        """Each item with all it requires, ancestors first."""
        return closures_of(self.requires, self.names)

    @property
    def total(self) -> float:
        """The price of everything."""
        return math.fsum(self.prices)

    def closure(self, items: Iterable[int]) -> tuple[int, ...]:
        """The items with all they require, each once, ancestors first."""
        return tuple(dict.fromkeys(i for item in items for i in self.closures[item]))

    def price_of(self, items: Iterable[int], owned: Iterable[int] = ()) -> float:
        """The price of a set of items: their closure, less what is owned already."""
        owned = set(owned)
        return math.fsum(self.prices[i] for i in self.closure(items) if i not in owned)

    def column_name(self, column: int) -> str:
        """Return the name of a column, or ``x<position>`` where there are no names."""
        return self.column_names[column] if self.column_names else f"x{column}"

    def prepared(self, source: NDArray[np.int64]) -> Costs:
        """Return the prices of columns that are each made from one column, such as indicators.

        Prepared columns have no names; they count by their position.

        Parameters
        ----------
        source : int array (prepared columns,)
            The column that each prepared column is made from.

        Examples
        --------
        >>> Costs.per_feature([5.0, 2.0]).prepared(np.array([0, 1, 1, 1])).columns
        ((0,), (1, 2, 3))
        """
        if self.column_names is None and np.array_equal(source, np.arange(self.n_columns)):
            return self
        owners = self.owners[source]
        order = np.argsort(owners, kind="stable")
        ends = np.searchsorted(owners[order], np.arange(self.n_items + 1))
        columns = tuple(tuple(order[start:end].tolist()) for start, end in pairwise(ends))
        return Costs(self.names, self.prices, columns, self.requires)

    def through(self, transformer: Any, names: bool = True) -> Costs:
        """The prices of what a fitted scikit-learn transformer makes of the columns.

        The children of a column belong to its item: one purchase brings them all. A child
        of columns of several items, such as a product, is an item of its own that costs
        nothing and requires these.

        Parameters
        ----------
        transformer : fitted transformer
            Encoders, scalers, imputers, selectors, polynomials, pipelines, unions and
            ColumnTransformers of scikit-learn are looked into. What anything else makes, a
            subclass of them or a function, requires all its inputs.
        names : bool
            Whether to name the columns that it makes, where columns have names. False fits
            tables without names, such as the sparse ones of encoders: columns then count by
            their position.

        Examples
        --------
        >>> from sklearn.preprocessing import OneHotEncoder
        >>> encoder = OneHotEncoder().fit([["a", 1], ["b", 1], ["c", 2]])
        >>> costs = Costs.per_feature([5.0, 2.0]).through(encoder)
        >>> costs.columns, costs.prices
        (((0, 1, 2), (3, 4)), (5.0, 2.0))
        """
        made_from = dependencies(transformer, self.n_columns)
        owners = [frozenset(self.item_of[c] for c in np.flatnonzero(row)) for row in made_from]
        brought: dict[frozenset[int], list[int]] = {}
        for column, items in enumerate(owners):
            brought.setdefault(items, []).append(column)
        unmixed = [tuple(brought.pop(frozenset([i]), ())) for i in range(self.n_items)]
        mixed = [(tuple(sorted(items)), tuple(columns)) for items, columns in brought.items()]
        mixed_names = ["*".join(self.names[i] for i in items) or "constant" for items, _ in mixed]
        return Costs(
            self.names + tuple(mixed_names),
            self.prices + (0.0,) * len(mixed),
            (*unmixed, *(columns for _, columns in mixed)),
            self.requires + tuple(items for items, _ in mixed),
            self._names_out(transformer) if names else None,
        )

    def _names_out(self, transformer: Any) -> tuple[str, ...] | None:
        if self.column_names is None:
            return None
        try:
            return tuple(map(str, transformer.get_feature_names_out(list(self.column_names))))
        except AttributeError:
            raise ValueError(
                f"{transformer!r} does not name the columns that it makes. Let it name them "
                "(a FunctionTransformer by feature_names_out='one-to-one'), or go by their "
                "position: costs.through(transformer, names=False)."
            ) from None

    def bind(self, n_columns: int, column_names: Sequence[str] | None = None) -> Costs:
        """The same items, columns numbered and named as those of a table.

        Raises
        ------
        ValueError
            If the price list names columns the table lacks, or the other way round.
        """
        if self.column_names is None:
            if self.n_columns != n_columns:
                raise ValueError(
                    f"The prices cover {self.n_columns} columns but X has {n_columns}. "
                    "Give a price for every column, and for no other."
                )
            return self if column_names is None else self._renamed(tuple(column_names))
        if column_names is None:
            raise ValueError(
                "The prices name columns but X has no column names, so they cannot be matched. "
                "Pass X as a data frame (in a pipeline: set_output(transform='polars')), or "
                "prices as an array with one price per column; costs.through(encoder, names=False) "
                "goes by position."
            )
        priced, given = set(self.column_names), set(column_names)
        missing = [c for c in column_names if c not in priced]
        unknown = [c for c in self.column_names if c not in given]
        if missing or unknown:
            raise ValueError(mismatch(missing, unknown))
        position = {name: j for j, name in enumerate(column_names)}
        columns = tuple(
            tuple(position[self.column_names[c]] for c in brought) for brought in self.columns
        )
        return Costs(self.names, self.prices, columns, self.requires, tuple(column_names))

    def bind_known(self, column_names: Sequence[str]) -> Costs:
        """The same items, with those of their columns that are known so far.

        Items keep their positions as more columns become known.

        Raises
        ------
        ValueError
            If a column has no price, or prices go by position.

        Examples
        --------
        >>> costs = Costs.per_feature({"age": 1.0, "thal": 102.9})
        >>> costs.bind_known(["thal"]).columns
        ((), (0,))
        """
        if self.column_names is None:
            raise ValueError(
                "The prices go by position, and columns that come and go have none. Give prices "
                "by column name."
            )
        position = {name: j for j, name in enumerate(column_names)}
        missing = [name for name in column_names if name not in set(self.column_names)]
        if missing:
            raise ValueError(mismatch(missing, []))
        names = self.column_names
        columns = tuple(
            tuple(position[names[c]] for c in brought if names[c] in position)
            for brought in self.columns
        )
        return Costs(self.names, self.prices, columns, self.requires, tuple(column_names))

    def _renamed(self, column_names: tuple[str, ...]) -> Costs:
        """Name the columns, and with them the items that were named after a position."""
        names = list(self.names)
        for item, columns in enumerate(self.columns):
            if len(columns) == 1 and names[item] == f"x{columns[0]}":
                names[item] = column_names[columns[0]]
        if len(set(names)) < len(names):
            names = list(self.names)
        return Costs(tuple(names), self.prices, self.columns, self.requires, column_names)


def as_costs(costs: Any, n_columns: int, column_names: Sequence[str] | None = None) -> Costs:
    """Turn what a user gives as ``costs=`` into Costs bound to the columns of X.

    None means a price of 1 for each column; an array goes by position, a mapping by name.
    """
    if costs is None:
        costs = Costs.uniform(n_columns)
    elif not isinstance(costs, Costs):
        costs = Costs.per_feature(costs)
    bound: Costs = costs.bind(n_columns, column_names)
    return bound
