"""``scrimp inspect``: what a model is, and what it buys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import OutputFile, common_options, model_argument, refuse_overwriting

if TYPE_CHECKING:
    from ..runtime.predictor import Predictor


@click.command(short_help="Show what a model is, and what it buys.")
@model_argument
@click.option(
    "--png", type=OutputFile((".png",)), metavar="FILE", help="Draw the purchases into a picture."
)
@common_options
def inspect(model: Path, png: Path | None, as_json: bool) -> None:
    """Show what MODEL is and what it buys, in order, at what price."""
    from ..io import load
    from .output import print_json
    from .plan_report import extent, print_plan

    refuse_overwriting([png], [model])
    predictor = load(model)
    record = _record(predictor)
    if png is not None:
        _draw(predictor, png)
        record["png"] = str(png)
    if as_json:
        print_json(record)
        return
    for line in _about(record, extent(predictor)):
        click.echo(line)
    print_plan(predictor)
    if png is not None:
        click.echo(f"Picture: {png}")


def _record(model: Predictor) -> dict[str, Any]:
    from .plan_report import plan_record

    return {
        "learner": model.info.get("learner", "unknown"),
        "params": dict(model.info.get("params", {})),
        "finished": bool(model.info.get("finished", True)),
        "target": model.target.kind,
        "classes": model.classes_,
        "error_costs": _error_costs(model),
        "columns": list(model.columns.positions),
        **plan_record(model),
    }


def _error_costs(model: Predictor) -> dict[str, float] | None:
    from ..data.error_costs import error_names

    costs = model.target.error_costs
    return None if costs is None else error_names(costs, model.classes_)


def _about(record: dict[str, Any], extent: str) -> list[str]:
    from .output import count, money
    from .tables import some

    params = ", ".join(f"{name}={_shown(value)}" for name, value in record["params"].items())
    classes = ", ".join(str(label) for label in record["classes"].tolist())
    lines = [
        f"{record['learner']}({params})",
        f"Predicts {classes or 'a number'} from {count(len(record['columns']), 'column')}. "
        f"Plan: {record['kind']}, {extent}.",
    ]
    if record["error_costs"] is not None:
        errors = [f"{name} {money(cost)}" for name, cost in record["error_costs"].items()]
        lines.append(f"Decides by the costs of errors: {some(errors, 6)}.")
    return lines if record["finished"] else [*lines, "Unfinished: its training was interrupted."]


def _shown(value: Any) -> str:
    """A parameter; one that the file knows only by its type stands without quotes."""
    from .output import plain

    text = str(value)
    return text if text.startswith("<") else repr(plain(value))


def _draw(model: Predictor, png: Path) -> None:
    from ..evaluation import PurchaseDisplay
    from ..evaluation.displays.axes import png_bytes
    from .output import draw_without_window, write_files

    draw_without_window()
    write_files({png: png_bytes(PurchaseDisplay.from_estimator(model).figure_)})
