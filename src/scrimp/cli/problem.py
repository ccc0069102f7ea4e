"""What is learnt from: features and their prices, as ``fit`` and ``compare`` take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import InputError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from ..costs.costs import Costs


def refuse_target_as(target: str, options: Mapping[str, Sequence[str | None]]) -> None:
    """Refuse the target in another part."""
    for option, names in options.items():
        if target in names:
            raise InputError(f"{option} names {target!r}, which is the target. It cannot be both.")


def columns_named(words: Sequence[str], table: pl.DataFrame) -> tuple[str, ...]:
    """What an option names: a column a word, or several with commas between them."""
    names: list[str] = []
    for word in words:
        parts = [word] if word in table.columns else [part.strip() for part in word.split(",")]
        names += parts
    return tuple(names)


def features_of(
    table: pl.DataFrame, target: str, weight: str | None, drop: tuple[str, ...], data: Path
) -> pl.DataFrame:
    """All columns but the target, the weight and those to drop."""
    from .tables import column

    for name in drop:
        column(table, name, data, "to drop")
    X = table.drop({target, *drop, *([weight] if weight else [])})
    if not X.width:
        raise InputError(f"{data} has no column besides the target {target!r} to predict it from.")
    if "" in X.columns:
        click.echo(
            "Warning: a column of the data has no name and is taken as a feature. If it only "
            "numbers the rows, leave it out with --drop ''.",
            err=True,
        )
    return X


def prices_of(costs: Path | None, X: pl.DataFrame, data: Path) -> Costs | None:
    """The price list, bound to the columns of a table; None without one."""
    from ..costs.costs import Costs

    if costs is None:
        return None
    prices = Costs.read(costs)
    try:
        return prices.bind(X.width, X.columns)
    except ValueError as error:
        text = str(error).replace(" does not fit X:", f" {costs} does not fit {data}:")
        hint = "Columns of the data that are no features are left out with --drop."
        raise InputError(f"{text.replace('which X does', 'which it does')} {hint}") from error


def priced_names(costs: Path | None) -> tuple[str, ...]:
    """The columns that a price list names: nobody prices what is no feature."""
    from ..costs.costs import Costs

    return tuple(Costs.read(costs).column_names or ()) if costs is not None else ()


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be predicted, from what, at which prices."""

    X: pl.DataFrame
    y: NDArray[Any]
    prices: Costs | None
    target: str
    task: str
    dropped: tuple[str, ...]
    left_out: dict[str, str]

    def record(self) -> dict[str, Any]:
        """What it is, for JSON."""
        return {
            "target": self.target,
            "task": self.task,
            "columns": self.X.columns,
            "columns_left_out": self.left_out,
            "rows_of_data": len(self.X),
        }


def read_problem(
    data: Path, target: str, costs: Path | None, task: str | None, methods: list[str] | None,
    drop: tuple[str, ...], keep: tuple[str, ...], missing: tuple[str, ...],
) -> Problem:  # fmt: skip
    """Read a table and its prices, and leave out columns that tell nothing of new rows."""
    from ..evaluation.methods import find
    from .reading import read_table
    from .remarks import remark_on_columns
    from .set_aside import say_what_is_doubtful, say_what_was_set_aside, set_aside
    from .tables import column
    from .training import truth

    for name in methods or ():
        find(name)
    table = read_table(data, missing)
    drop, keep = columns_named(drop, table), columns_named(keep, table)
    refuse_target_as(target, {"--drop": drop, "--keep": keep})
    y, found = truth(table, target, data, task)
    for name in keep:
        column(table, name, data, "to keep")
    X = features_of(table, target, None, drop, data)
    aside = set_aside(X, {*keep, *priced_names(costs)})
    X = X.drop(aside)
    if not X.width:
        raise InputError(
            f"{data} has no feature besides {', '.join(aside)}, which were left out. "
            "Use one after all with --keep."
        )
    say_what_was_set_aside(aside)
    remark_on_columns(X)
    say_what_is_doubtful(X)
    return Problem(X, y, prices_of(costs, X, data), target, found, drop, aside)
