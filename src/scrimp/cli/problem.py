"""What is learnt from: features, target and prices, as ``fit`` and ``compare`` read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import registry
from .errors import InputError
from .output import note

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ..costs.costs import Costs
    from ..registry import LearnerSpec


def refuse_target_as(target: str, options: Mapping[str, Sequence[str | None]]) -> None:
    """Refuse options that name the target."""
    for option, names in options.items():
        if target in names:
            raise InputError(f"{option} names {target!r}, which is the target. It cannot be both.")


def columns_named(words: Sequence[str], table: pl.DataFrame) -> tuple[str, ...]:
    """Return the columns that an option names: one per word, or several with commas."""
    names: list[str] = []
    for word in words:
        names += [word] if word in table.columns else [part.strip() for part in word.split(",")]
    return tuple(names)


def features_of(
    table: pl.DataFrame, target: str, weight: str | None, drop: tuple[str, ...], data: Path
) -> pl.DataFrame:
    """Return all columns but the target, the weight and those to drop."""
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


def prices_of(costs: Path | None, X: pl.DataFrame, data: Path, target: str) -> Costs | None:
    """Return the price list, bound to the columns of a table; None without one."""
    from ..costs.costs import Costs

    if costs is None:
        return None
    prices = Costs.read(costs)
    refuse_priced_target(costs, prices, target)
    try:
        return prices.bind(X.width, X.columns)
    except ValueError as error:
        text = str(error).replace(" does not fit X:", f" {costs} does not fit {data}:")
        hint = "Columns of the data that are no features are left out with --drop."
        raise InputError(f"{text.replace('which X does', 'which it does')} {hint}") from error


def refuse_priced_target(costs: Path, prices: Costs, target: str | None) -> None:
    """Refuse a price list that has a price for the target."""
    if target in (prices.column_names or ()):
        raise InputError(
            f"{costs} has a price for {target!r}, which is the target and is never bought. "
            "Remove it from the list."
        )


def priced_names(costs: Path | None) -> tuple[str, ...]:
    """Return the columns that a price list names: nobody prices what is no feature."""
    from ..costs.costs import Costs

    return tuple(Costs.read(costs).column_names or ()) if costs is not None else ()


def task_for(task: str | None, specs: Sequence[LearnerSpec]) -> str | None:
    """Return the task asked for; without one, the only task that all of some learners have."""
    tasks = {name for spec in specs for name in spec.tasks}
    return "regression" if task is None and tasks == {"regression"} else task


def refuse_without_extra(specs: Sequence[LearnerSpec]) -> None:
    """Refuse learners whose optional dependency is not installed."""
    for spec in specs:
        if command := spec.missing_extra:
            raise InputError(f"The method {spec.name} needs {spec.needs}. Install it: {command}")


def read_target(
    table: pl.DataFrame, target: str, data: Path, task: str | None,
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[Any], str]:  # fmt: skip
    """Return the target, and whether it is classes or numbers: as asked, or as it looks."""
    import numpy as np

    from ..evaluation.methods import check_task
    from .tables import labels

    y = labels(table, target, data)
    decided = check_task(task, y)
    what = f"The target {target!r} of {data}"
    if decided == "classification":
        _check_classes(np.unique(y), what)
        if weights is not None:
            _check_classes(np.unique(y[weights > 0]), f"Among rows of positive weight {target!r}")
        return y, decided
    _check_numbers(y, what)
    if task is None and y.dtype.kind in "iu":
        note(
            f"{what} has {len(np.unique(y))} different values and is predicted as a number. "
            "--task classification takes them as classes."
        )
    return y, decided


def check_error_cost(error_cost: Any, task: str, y: NDArray[Any]) -> None:
    """Refuse costs of errors that do not fit the target."""
    import numpy as np

    from ..data.error_costs import cost_matrix

    if error_cost is not None and task == "regression":
        raise InputError("--error-cost is the price of a wrong class; here numbers are predicted.")
    if error_cost:
        cost_matrix(error_cost, np.unique(y))


def _check_numbers(y: NDArray[Any], what: str) -> None:
    """Refuse a target for regression that is text, or always the same."""
    if y.dtype.kind not in "iuf":
        for_classes = ", ".join(spec.name for spec in registry.methods("classification"))
        raise InputError(
            f"{what} holds text, and a regression predicts numbers. For classes use one of these "
            f"methods, without --task regression: {for_classes}."
        )
    if len(y) and (y == y[0]).all():
        raise InputError(f"{what} is {y[0]} in all rows. There is nothing to predict.")


def _check_classes(classes: NDArray[Any], what: str) -> None:
    """Refuse fewer than two classes, and fractions."""
    expected = "Expected two classes or more, such as yes and no."
    if len(classes) == 0:
        raise InputError(f"{what} has no value. {expected}")
    if len(classes) == 1:
        raise InputError(f"{what} has one class only, {classes[0]}. {expected}")
    if classes.dtype.kind == "f":
        raise InputError(
            f"{what} holds the fractions {classes[0]} and {classes[1]}. {expected} "
            "Numbers are predicted with --task regression."
        )


def positive_label(y: NDArray[Any], task: str, scoring: str | None, positive: str | None) -> Any:
    """Return the class that --positive names; without it, note which one a scorer counts."""
    import numpy as np
    from sklearn.metrics import get_scorer, get_scorer_names

    from ..data.positive_class import takes_positive

    classes = [] if task == "regression" else np.unique(y).tolist()
    if positive is not None:
        by_text = {str(label): label for label in classes}
        if positive not in by_text:
            known = ", ".join(by_text) or "none, as numbers are predicted"
            raise InputError(f"--positive {positive!r} is not one of the classes: {known}.")
        return by_text[positive]
    is_open = len(classes) == 2 and 1 not in classes and scoring in get_scorer_names()
    if is_open and takes_positive(get_scorer(scoring)):
        note(f"{scoring} counts the class {classes[1]}; --positive {classes[0]} the other.")
    return None


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
    groups: NDArray[Any] | None = None

    def record(self) -> dict[str, Any]:
        """Return what it is, for JSON."""
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
    groups: str | None = None,
) -> Problem:  # fmt: skip
    """Read a table and its prices, and leave out columns that tell nothing of new rows."""
    from ..evaluation.methods import find
    from . import training_columns
    from .tables import column, read_table

    specs = [find(name).spec for name in methods or ()]
    refuse_without_extra(specs)
    table = read_table(data, missing)
    drop, keep = columns_named(drop, table), columns_named(keep, table)
    refuse_target_as(target, {"--drop": drop, "--keep": keep, "--groups": (groups,)})
    group_of = None if groups is None else _groups(table, groups, data)
    drop = drop if groups is None else tuple(dict.fromkeys((*drop, groups)))
    y, task = read_target(table, target, data, task_for(task, specs))
    for name in keep:
        column(table, name, data, "to keep")
    X = features_of(table, target, None, drop, data)
    left_out = training_columns.unlikely_features(X, {*keep, *priced_names(costs)})
    X = X.drop(left_out)
    if not X.width:
        raise InputError(
            f"{data} has no feature besides {', '.join(left_out)}, which were left out. "
            "Use one after all with --keep."
        )
    training_columns.note_left_out(left_out)
    training_columns.note_column_types(X)
    training_columns.note_possible_identifiers(X)
    prices = prices_of(costs, X, data, target)
    return Problem(X, y, prices, target, task, drop, left_out, group_of)


def _groups(table: pl.DataFrame, name: str, data: Path) -> NDArray[Any]:
    """Return the group of each row, as text."""
    import polars as pl

    from .tables import column

    series = column(table, name, data, "the groups")
    if absent := series.null_count():
        raise InputError(f"Column {name!r} of {data} (the groups) is missing in {absent} rows.")
    return series.cast(pl.String).to_numpy()
