"""``scrimp predict``: answers within a budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import InputError, refusing_impossible
from .options import (
    TABLES,
    Money,
    OutputFile,
    common_options,
    data_argument,
    missing_option,
    model_argument,
    refuse_overwriting,
    stop_option,
)

if TYPE_CHECKING:
    import polars as pl

    from ..runtime.predictor import Predictor


@click.command(short_help="Answer for each row, within its budget.")
@model_argument
@data_argument
@click.option("--budget", type=Money(), help="The most that a row may spend; by default no limit.")
@click.option("--budget-column", metavar="COL", help="A column of DATA with each row's own budget.")
@stop_option
@click.option("--id", "id_column", metavar="COL", help="A column of DATA to copy to the output.")
@click.option(
    "--out", type=OutputFile(TABLES), metavar="FILE",
    help="Where to write the answers; by default as CSV to stdout.",
)  # fmt: skip
@missing_option
@common_options
def predict(
    model: Path, data: Path, budget: float | None, budget_column: str | None, stop: str | None,
    id_column: str | None, out: Path | None, missing: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Answer for each row of DATA, spending no more than its budget.

    The answers have the columns prediction, proba_CLASS for each class, and spent. The columns
    of DATA may stand in any order; those that MODEL does not know are ignored, and those that it
    does not buy for the budget may be absent. If others are absent, models that answer without
    them do so, as if they could not be had; the rest refuse. An empty cell counts as a test that
    was paid for but gave no value.
    """
    from ..io import load
    from .model_columns import features, text_columns
    from .output import note, print_json, write_files
    from .tables import read_table, table_bytes

    refuse_overwriting([out], [model, data])
    if budget is not None and budget_column is not None:
        raise click.UsageError("--budget and --budget-column exclude each other.")
    predictor = load(model)
    table = read_table(data, missing, text_columns(predictor))
    limits = budget if budget_column is None else _limits(table, data, budget_column)
    X = features(table, predictor, data, math.inf if limits is None else limits)
    _note_unused(table, X, predictor, (id_column, budget_column))
    answers = _answers(predictor, X, limits, stop)
    if id_column is not None:
        answers = _with_id(answers, table, id_column, data)
    if out is not None:
        write_files({out: table_bytes(answers, out)})
    summary = _summary(answers, out)
    if as_json:
        print_json(summary if out is not None else {**summary, "answers": answers.to_dicts()})
    elif out is None:
        click.echo(answers.write_csv(), nl=False)
    note(_in_words(summary))


def _limits(table: pl.DataFrame, data: Path, column: str) -> Any:
    """Return what each row may spend."""
    from .tables import numbers

    return numbers(table, column, data, "the budget")


def _note_unused(
    table: pl.DataFrame, X: pl.DataFrame, model: Predictor, used: Sequence[str | None]
) -> None:
    """Print what of the table the model cannot use."""
    from .model_columns import rows_with_unseen_categories
    from .output import count, note
    from .tables import some

    if unused := [name for name in table.columns if name not in {*X.columns, *used}]:
        note(f"Note: ignored columns that the model does not know: {some(unused, 5)}")
    for name, rows in rows_with_unseen_categories(X, model).items():
        note(f"Note: {name} holds categories that training did not, in {count(rows, 'row')}")


def _answers(model: Predictor, X: pl.DataFrame, budget: Any, stop: str | None) -> pl.DataFrame:
    import polars as pl

    from .tables import with_short_amounts

    with refusing_impossible():
        scores, spent = model.answer(X, budget, stop=stop)
    columns = {"prediction": model.target.labels(scores)}
    if not model.target.is_number:
        probabilities = model.target.probabilities(scores)
        names = [f"proba_{label}" for label in model.classes_.tolist()]
        columns |= dict(zip(names, probabilities.T, strict=True))
    return with_short_amounts(pl.DataFrame({**columns, "spent": spent}), ["spent"])


def _with_id(answers: pl.DataFrame, table: pl.DataFrame, name: str, data: Path) -> pl.DataFrame:
    from .tables import column

    ids = column(table, name, data, "the id")
    if name in answers.columns:
        raise InputError(f"The id column is named {name!r}, as a column of the answers. Rename it.")
    return answers.insert_column(0, ids)


def _summary(answers: pl.DataFrame, out: Path | None) -> dict[str, Any]:
    return {
        "rows": len(answers),
        "mean_spent": answers["spent"].mean(),
        "max_spent": answers["spent"].max(),
        "out": None if out is None else str(out),
    }


def _in_words(summary: dict[str, Any]) -> str:
    from .output import count

    where = f", written to {summary['out']}" if summary["out"] else ""
    return (
        f"{count(summary['rows'], 'row')}, mean spend {summary['mean_spent']:,.2f}, "
        f"largest spend {summary['max_spent']:,.2f}{where}"
    )
