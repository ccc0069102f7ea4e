"""Price lists: the items of a problem as people write them down, in CSV or TOML."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple


class Item(NamedTuple):
    """What is bought: one price, the columns it brings and the items it requires, by name.

    Columns may also be given by position, if those of all items are. A text is one name: its
    letters are not columns of their own.
    """

    name: str
    price: float
    columns: tuple[Any, ...]
    requires: tuple[str, ...] = ()

    def with_whole_names(self) -> Item:
        """Return the item with a text that was given for columns or requirements as one name.

        >>> Item("scan", 40.0, "mri").with_whole_names().columns
        ('mri',)
        """
        columns, requires = (
            (given,) if isinstance(given, str) else given for given in (self.columns, self.requires)
        )
        return self._replace(columns=columns, requires=requires)


def read_items(path: str | Path) -> list[Item]:
    """Read a price list; the ending decides between CSV and TOML.

    Parameters
    ----------
    path : str or Path
        ``.toml`` with ``[items.NAME]`` tables (``price``, and optionally ``columns`` and
        ``requires``) or a ``[prices]`` table; or ``.csv`` with a header, either
        ``feature, price`` (optionally ``item`` and ``requires``) or
        ``feature, group, first_cost, later_cost``, where the difference of the two costs is
        a fee that the group shares.
    """
    path = Path(path)
    readers = {".toml": _read_toml, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise ValueError(
            f"Price list {str(path)!r} ends in {path.suffix!r}; expected .csv or .toml."
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"Price list {str(path)!r} is not UTF-8 text ({error.reason}).") from error
    try:
        return readers[path.suffix.lower()](text)
    except ValueError as error:
        raise ValueError(f"Price list {str(path)!r}: {error}") from error


def _read_toml(text: str) -> list[Item]:
    document = tomllib.loads(text, parse_float=Decimal)  # a float would make tiny prices 0
    if not {"items", "prices"} & document.keys():
        raise ValueError("no [items.NAME] tables and no [prices] table found. Add one of them.")
    plain = [_toml_item(name, {"price": p}) for name, p in _toml_table(document, "prices")]
    return plain + [_toml_item(name, entry) for name, entry in _toml_table(document, "items")]


def _toml_table(document: Mapping[str, Any], key: str) -> Iterable[tuple[str, Any]]:
    table = document.get(key, {})
    if not isinstance(table, Mapping):
        form = "[prices] with `name = price`" if key == "prices" else "[items.NAME]"
        raise ValueError(f"{key} is {table!r}; expected a table: {form}.")
    return table.items()


def _toml_item(name: str, entry: Any) -> Item:
    if not isinstance(entry, Mapping) or "price" not in entry:
        raise ValueError(f"item {name!r} has no price. Write `price = ...` in its table.")
    unknown = entry.keys() - {"price", "columns", "requires"}
    if unknown:
        raise ValueError(
            f"item {name!r} has the unknown entries {sorted(unknown)}; "
            "expected price, columns, requires."
        )
    if isinstance(entry["price"], str):
        raise ValueError(
            f"{name!r} has the price {entry['price']!r}, which is text; expected a number. Write "
            "it without quotation marks."
        )
    columns = _texts(name, "columns", entry.get("columns", [name]))
    return Item(
        name,
        _price(str(entry["price"]), name),
        columns,
        _texts(name, "requires", entry.get("requires", [])),
    )


def _texts(name: str, key: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"item {name!r}: {key} is {values!r}; expected a list of names.")
    return tuple(values)


def _read_csv(text: str) -> list[Item]:
    lines = _csv_lines(text)
    names = [name.strip().lower() for name in lines[0][1]] if lines else []
    read = _csv_form(names)
    if len(lines) < 2:
        raise ValueError("it has a header but no rows.")
    rows = []
    for number, fields in lines[1:]:
        if len(fields) > len(names):
            raise ValueError(
                f"line {number}, the row of {fields[0]!r}, has more fields than the header. "
                "Write a decimal point, not a comma, and quote names with commas."
            )
        rows.append(dict.fromkeys(names, "") | dict(zip(names, fields, strict=False)))
    return read(rows)


def _csv_lines(text: str) -> list[tuple[int, list[str]]]:
    """Return the fields of each line that has any, with its number in the file."""
    reader = csv.reader(io.StringIO(text), skipinitialspace=True)
    lines = []
    try:
        for fields in reader:
            if fields:
                lines.append((reader.line_num, fields))
    except csv.Error as error:
        raise ValueError(
            f"line {reader.line_num} cannot be read: {error}. Look for a quotation mark that is "
            "not closed there or before."
        ) from error
    return lines


def _csv_form(names: Sequence[str]) -> Callable[[Sequence[Mapping[str, str]]], list[Item]]:
    """Return what reads the rows below a header."""
    known = ("feature", "price", "item", "requires", "group", "first_cost", "later_cost")
    twice = [name for name in known if names.count(name) > 1]
    if twice:
        raise ValueError(f"its header names {twice} more than once. Leave one column of each name.")
    shares_fees, is_plain = {"first_cost", "later_cost"} & set(names), "price" in names
    if shares_fees and is_plain:
        raise ValueError(
            f"its header names price beside {sorted(shares_fees)}, so that a feature has two "
            "prices. Leave out price, or the other two."
        )
    if {"feature", "first_cost", "later_cost"} <= set(names):
        return _shared_fee_items
    if {"feature", "price"} <= set(names):
        return _plain_items
    raise ValueError(
        f"its columns are {list(names)}; expected `feature, price` (optionally `item`, "
        "`requires`) or `feature, group, first_cost, later_cost`."
    )


def _plain_items(rows: Sequence[Mapping[str, str]]) -> list[Item]:
    """Return one item per row, or per distinct `item` entry; a row without a feature is a fee."""
    items: dict[str, Item] = {}
    for row in rows:
        feature = row["feature"].strip()
        name = (row.get("item") or "").strip() or feature
        if not name:
            raise ValueError("a row has neither a feature nor an item name.")
        columns = (feature,) if feature else ()
        requires = tuple((row.get("requires") or "").replace(";", "|").split("|"))
        requires = tuple(r.strip() for r in requires if r.strip())
        before = items.get(name)
        text = row["price"].strip()
        if before is None:
            items[name] = Item(name, _price(text, name), columns, requires)
            continue
        if text and _price(text, name) != before.price:
            raise ValueError(
                f"item {name!r} has two prices, {before.price} and {text}. "
                "An item is bought once: give one price."
            )
        items[name] = before._replace(
            columns=before.columns + columns,
            requires=tuple(dict.fromkeys(before.requires + requires)),
        )
    return list(items.values())


def _shared_fee_items(rows: Sequence[Mapping[str, str]]) -> list[Item]:
    """Turn first and later costs into an own price and a fee that the group requires."""
    fees: dict[str, Decimal] = {}
    items = []
    for row in rows:
        feature, group = row["feature"].strip(), (row.get("group") or "").strip()
        if not feature:
            raise ValueError("a row has no feature name.")
        first, later = (_decimal(row[key], feature) for key in ("first_cost", "later_cost"))
        if first < later:
            raise ValueError(f"{feature!r} costs {first} first but {later} later; it may not rise.")
        if not group:
            items.append(Item(feature, _number(first, feature), (feature,)))
            continue
        if fees.setdefault(group, first - later) != first - later:
            raise ValueError(
                f"group {group!r} has two shared fees, {fees[group]} and {first - later} "
                f"(at {feature!r}). first_cost - later_cost must be equal within a group."
            )
        items.append(Item(feature, _number(later, feature), (feature,), (_fee_name(group),)))
    shared = [(_fee_name(group), fee) for group, fee in fees.items()]
    return [Item(name, _number(fee, name), ()) for name, fee in shared] + items


def _fee_name(group: str) -> str:
    return f"fee {group}"


def _decimal(text: str, name: str) -> Decimal:
    try:
        # Decimal takes 1_0 for 10, which in a table is more likely a slip
        value = Decimal("NaN" if "_" in text else text.strip())
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise ValueError(
            f"{name!r} has the price {text!r}; expected a number. "
            "Give a price, or 0 for a feature that is free."
        )
    return value


def _price(text: str, name: str) -> float:
    return _number(_decimal(text, name), name)


def _number(exact: Decimal, name: str) -> float:
    """Return a price as a float; refuse one that a float would make 0."""
    price = float(exact)
    if price == 0 and exact != 0:
        raise ValueError(
            f"{name!r} has the price {exact}, which is too small for a number and would be free. "
            "Give 0 for a feature that is free, or use a smaller unit of money."
        )
    return price
