"""``scrimp curve``: quality against cost on data with known answers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import InputError, refusing_impossible
from .options import (
    TABLES,
    ErrorCost,
    MoneyList,
    OutputFile,
    common_options,
    data_argument,
    missing_option,
    model_argument,
    positive_option,
    progress_option,
    refuse_overwriting,
    stop_option,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ..evaluation import Curve
    from ..runtime.predictor import Predictor

#: More lines than this are no table to read; --budgets gives any number of them.
_MAX_BUDGETS = 20


@click.command(short_help="Show quality against cost, on rows with known answers.")
@model_argument
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column with the truth.")
@click.option(
    "--budgets", type=MoneyList(),
    help="Where to look; by default where the model's purchases change.",
)  # fmt: skip
@click.option("--scoring", metavar="NAME", help="A scorer of scikit-learn; accuracy by default.")
@positive_option
@click.option(
    "--error-cost", type=ErrorCost(),
    help="What an error costs, or each kind of error, such as sick->well=1000,well->sick=200: "
    "find the budget that is cheapest in all.",
)  # fmt: skip
@stop_option
@click.option("--out", type=OutputFile(TABLES), metavar="FILE", help="Save the table.")
@click.option("--png", type=OutputFile((".png",)), metavar="FILE", help="Draw the curve.")
@missing_option
@progress_option
@common_options
def curve(
    model: Path, data: Path, target: str, budgets: list[float] | None, scoring: str | None,
    positive: str | None, error_cost: Any, stop: str | None, out: Path | None,
    png: Path | None, missing: tuple[str, ...], progress: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Show how good MODEL is on DATA at many budgets, and what it spends.

    DATA should hold rows that the model was not trained on.
    """
    from ..io import load
    from .model_columns import text_columns
    from .output import print_json, write_files
    from .tables import read_table

    refuse_overwriting([out, png], [model, data])
    predictor = load(model)
    _check_error_cost(predictor, scoring, error_cost)
    text = text_columns(predictor) + ([target] if predictor.classes_.dtype.kind == "U" else [])
    table = read_table(data, missing, text)
    measured = _curve(predictor, table, data, target, budgets, (scoring, positive), stop, progress)
    record = _record(measured, len(table), error_cost)
    write_files(_files(measured, record, model.name, out, png))
    if as_json:
        print_json(record)
        return
    _print(record, measured)
    for path in (out, png):
        if path is not None:
            click.echo(f"Written: {path}")


def _check_error_cost(model: Predictor, scoring: str | None, error_cost: Any) -> None:
    """A wrong answer has a price; a lower score of another kind has none."""
    from ..data.error_costs import cost_matrix

    if error_cost is None:
        return
    if scoring not in (None, "accuracy"):
        raise InputError(
            f"--error-cost is the price of a wrong answer, and --scoring {scoring} does not count "
            "wrong answers. Leave one of the two out."
        )
    if model.target.is_number:
        raise InputError("--error-cost is the price of a wrong class; this model predicts numbers.")
    if error_cost:
        cost_matrix(error_cost, model.classes_)


def _curve(
    model: Predictor, table: pl.DataFrame, data: Path, target: str, budgets: list[float] | None,
    scored: tuple[str | None, str | None], stop: str | None, progress: bool | None,
) -> Curve:  # fmt: skip
    from ..evaluation import Curve, default_budgets
    from .model_columns import features
    from .problem import positive_label
    from .progress import progress_bar
    from .tables import labels

    y = labels(table, target, data)
    _check_labels(model, y, target)
    scoring, positive = scored
    counted = positive_label(
        model.classes_, "regression" if model.target.is_number else "", scoring, positive
    )
    limits = default_budgets(model, _MAX_BUDGETS).tolist() if budgets is None else budgets
    X = features(table, model, data, limits)
    with progress_bar(progress), refusing_impossible():
        sweep = model.sweep(X, limits, stop=stop)
        return Curve.from_sweep(sweep, y, scoring=scoring, positive=counted)


def _check_labels(model: Predictor, y: NDArray[Any], target: str) -> None:
    if model.target.is_number:
        return
    known = model.classes_.tolist()
    unknown = sorted({label for label in y.tolist() if label not in known}, key=str)
    if unknown:
        raise InputError(
            f"The target {target!r} holds the labels {unknown[:5]}, which the model does not "
            f"know; expected only {known}."
        )


def _record(curve: Curve, rows: int, error_cost: Any) -> dict[str, Any]:
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
        if best is None
        else {
            "error_cost": error_cost,
            "budget": best.budget,
            "quality": best.quality,
            "spent": best.spent,
            "cost_in_all": float(curve.total_cost(error_cost).min()),
        },
    }


def _print(record: dict[str, Any], curve: Curve) -> None:
    from .output import count, money, print_table

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
        f"{count(len(curve.budgets), 'budget')} on {count(record['rows'], 'row')}",
    )
    if record["area"] is not None:
        click.echo(
            f"Mean {curve.name} over all budgets (area): {record['area']:.4f}; if cut off at a "
            f"random cost (timeliness): {record['timeliness']:.4f}"
        )
    if best := record["best"]:
        click.echo(
            f"If {_errors_cost(best['error_cost'])}, the best budget is "
            f"{money(best['budget'])}: {curve.name} {best['quality']:.4f}, and "
            f"{money(best['cost_in_all'])} a row for purchases and errors."
        )


def _errors_cost(error_cost: Any) -> str:
    """Return what errors cost, as part of a sentence."""
    from .output import money
    from .tables import some

    if not isinstance(error_cost, dict):
        return f"an error costs {money(error_cost)}"
    return f"errors cost {some([f'{name} {money(c)}' for name, c in error_cost.items()], 4)}"


def _files(
    curve: Curve, record: dict[str, Any], name: str, out: Path | None, png: Path | None
) -> dict[Path, bytes]:
    """What is to be written: all of it is ready before the first file is."""
    import polars as pl

    from ..evaluation.displays.axes import png_bytes
    from .tables import table_bytes, with_short_amounts

    files = {}
    if out is not None:
        table = pl.DataFrame(curve.to_rows(), infer_schema_length=None)
        files[out] = table_bytes(with_short_amounts(table, ["budget", "spent"]), out)
    if png is not None:
        files[png] = png_bytes(_picture(curve, record["best"], name))
    return files


def _picture(curve: Curve, best: dict[str, Any] | None, name: str) -> Figure:
    from ..evaluation import CostCurveDisplay
    from .output import draw_without_window, money

    if math.isinf(curve.budgets[-1]):
        raise InputError("A picture has no place for a budget without limit. Leave it out.")
    draw_without_window()
    display = CostCurveDisplay(curve).plot()
    display.ax_.set_title(f"{name}: {curve.name}", fontsize=11, parse_math=False)
    if best is not None:
        label = f"best budget {money(best['budget'])} if {_errors_cost(best['error_cost'])}"
        display.ax_.axvline(best["budget"], color="0.35", linestyle=":", label=label)
        # below the axes, where it hides nothing
        place: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
        display.ax_.legend(handles=display.ax_.get_lines()[-1:], frameon=False, **place)
    figure: Figure = display.figure_
    return figure
