"""``scrimp curve``: quality against cost on data with known answers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import InputError, refusing_impossible
from .options import (
    TABLES,
    Money,
    MoneyList,
    OutputFile,
    common_options,
    data_argument,
    missing_option,
    model_argument,
    progress_option,
    stop_option,
)

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from ..evaluation import Curve
    from ..predictor import Predictor

#: More lines than this are no table to read; --budgets gives any number of them.
_BUDGETS = 20


@click.command(short_help="Show quality against cost, on rows with known answers.")
@model_argument
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column with the truth.")
@click.option(
    "--budgets", type=MoneyList(),
    help="Where to look; by default where the model's purchases change.",
)  # fmt: skip
@click.option("--scoring", metavar="NAME", help="A scorer of scikit-learn; accuracy by default.")
@click.option(
    "--error-cost", type=Money(),
    help="What an error costs: find the budget that is cheapest in all.",
)  # fmt: skip
@stop_option
@click.option("--out", type=OutputFile(TABLES), metavar="FILE", help="Save the table.")
@click.option("--png", type=OutputFile((".png",)), metavar="FILE", help="Draw the curve.")
@missing_option
@progress_option
@common_options
def curve(
    model: Path, data: Path, target: str, budgets: list[float] | None, scoring: str | None,
    error_cost: float | None, stop: str | None, out: Path | None, png: Path | None,
    missing: tuple[str, ...], progress: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Show how good MODEL is on DATA at many budgets, and what it spends.

    DATA should hold rows that the model was not trained on.
    """
    from ..store import load
    from .output import print_json, write_files
    from .tables import read_table, text_columns

    predictor = load(model)
    text = text_columns(predictor) + ([target] if predictor.classes_.dtype.kind == "U" else [])
    table = read_table(data, missing, text)
    found = _curve(predictor, table, data, target, budgets, scoring, stop, progress)
    record = _record(found, len(table), error_cost)
    write_files(_files(found, out, png))
    if as_json:
        print_json(record)
        return
    _print(record, found)
    for path in (out, png):
        if path is not None:
            click.echo(f"Written: {path}")


def _curve(
    model: Predictor, table: pl.DataFrame, data: Path, target: str, budgets: list[float] | None,
    scoring: str | None, stop: str | None, progress: bool | None,
) -> Curve:  # fmt: skip
    from ..evaluation import Curve, default_budgets
    from .progress import progress_bar
    from .tables import features, labels

    y = labels(table, target, data)
    _check_labels(model, y, target)
    X, _ = features(table, model, data)
    with progress_bar(progress), refusing_impossible():
        sweep = model.sweep(
            X, default_budgets(model, _BUDGETS) if budgets is None else budgets, stop=stop
        )
        return Curve.from_sweep(sweep, y, scoring=scoring)


def _check_labels(model: Predictor, y: NDArray[Any], target: str) -> None:
    if model.target.kind == "regression":
        return
    known = model.classes_.tolist()
    unknown = sorted({label for label in y.tolist() if label not in known}, key=str)
    if unknown:
        raise InputError(
            f"The target {target!r} holds the labels {unknown[:5]}, which the model does not "
            f"know; expected only {known}."
        )


def _record(curve: Curve, rows: int, error_cost: float | None) -> dict[str, Any]:
    wide = len(curve.budgets) > 1 and math.isfinite(curve.budgets[-1])
    best = None if error_cost is None else curve.at(curve.best_budget(error_cost))
    return {
        "rows": rows,
        "scoring": curve.name,
        "level": curve.level,
        "curve": curve.to_rows(),
        "area": curve.area() if wide else None,
        "timeliness": curve.timeliness() if wide else None,
        "best": None
        if best is None or error_cost is None
        else {
            "error_cost": error_cost,
            "budget": best.budget,
            "quality": best.quality,
            "spent": best.spent,
            "cost_in_all": best.spent + error_cost * (curve.best - best.quality),
        },
    }


def _print(record: dict[str, Any], curve: Curve) -> None:
    from .output import money, print_table

    rows = [
        (float(b), float(s), f"{q:.4f}", f"{low:.4f} to {high:.4f}")
        for b, s, q, low, high in zip(
            curve.budgets, curve.spent, curve.quality, curve.low, curve.high, strict=True
        )
    ]
    interval = f"{curve.level:.0%} interval"
    print_table(
        ("budget", "mean spent", curve.name, interval),
        rows,
        f"{len(curve.budgets)} budgets on {record['rows']} rows",
    )
    if record["area"] is not None:
        click.echo(
            f"Mean {curve.name} over all budgets (area): {record['area']:.4f}; if cut off at a "
            f"random cost (timeliness): {record['timeliness']:.4f}"
        )
    if best := record["best"]:
        click.echo(
            f"If an error costs {money(best['error_cost'])}, the best budget is "
            f"{money(best['budget'])}: {curve.name} {best['quality']:.4f}, and "
            f"{money(best['cost_in_all'])} a row for purchases and errors."
        )


def _files(curve: Curve, out: Path | None, png: Path | None) -> dict[Path, bytes]:
    """What is to be written: all of it is ready before the first file is."""
    import polars as pl

    from .tables import table_bytes

    files = {}
    if out is not None:
        files[out] = table_bytes(pl.DataFrame(curve.to_rows(), infer_schema_length=None), out)
    if png is not None:
        files[png] = _picture(curve)
    return files


def _picture(curve: Curve) -> bytes:
    from ..evaluation import CostCurveDisplay
    from .output import draw_without_window, png_bytes

    if math.isinf(curve.budgets[-1]):
        raise InputError("A picture has no place for a budget without limit. Leave it out.")
    draw_without_window()
    return png_bytes(CostCurveDisplay(curve).plot().figure_)
