"""``scrimp fit``: learn what to buy, and in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..registry import CALIBRATIONS, DEFAULT_METHOD, LEARNERS, OPTIONS, methods
from .errors import INTERRUPTED, uninterrupted
from .options import (
    PRICE_LISTS,
    ErrorCost,
    InputFile,
    MoneyList,
    OutputFile,
    common_options,
    data_argument,
    drop_option,
    learner_options,
    methods_epilog,
    missing_option,
    progress_option,
    refuse_overwriting,
    task_option,
)

if TYPE_CHECKING:
    import polars as pl

    from .training import Outcome


@click.command(
    short_help="Learn what to buy, in which order.",
    epilog=methods_epilog("Methods:", {spec.name: spec.description for spec in methods()}),
)
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column to predict.")
@click.option(
    "--costs", type=InputFile(PRICE_LISTS), metavar="PRICES",
    help="Price list; without one each column costs 1.",
)  # fmt: skip
@click.option(
    "--budget", type=MoneyList(),
    help="The most that a prediction may spend. With several, one model is trained for each and "
    "a prediction uses the best that its budget pays for.",
)  # fmt: skip
@click.option(
    "--method", type=click.Choice([spec.name for spec in methods()]),
    default=DEFAULT_METHOD, show_default=True, help="What learns, of those below.",
)  # fmt: skip
@task_option
@learner_options
@click.option(
    "--calibrate", type=click.Choice(CALIBRATIONS),
    help="Make probabilities mean what they say at every budget; it takes six trainings. sigmoid "
    "suits most data, isotonic many rows, temperature leaves every label as it is.",
)  # fmt: skip
@click.option(
    "--error-cost", type=ErrorCost(),
    help="What errors cost, such as sick->well=1000,well->sick=200, or sick=1000,well=200 for "
    "missing a class: labels are then those of least expected cost.",
)  # fmt: skip
@click.option("--weight", metavar="COL", help="A column of row weights; it is not a feature.")
@drop_option
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Random seed.")
@click.option(
    "--out", type=OutputFile(model=True), required=True, metavar="FILE",
    help="Where to save the model; by custom it ends in .scrimp.",
)  # fmt: skip
@missing_option
@progress_option
@common_options
def fit(
    data: Path, target: str, costs: Path | None, budget: list[float] | None, method: str,
    task: str | None, calibrate: str | None, error_cost: Any, weight: str | None,
    drop: tuple[str, ...], seed: int, out: Path, missing: tuple[str, ...], progress: bool | None,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Learn from DATA what to buy and in which order, and save the model.

    All columns of DATA but the target are features. Interrupted with Ctrl-C, the rounds done so
    far are saved, or what the frontier's last finished fold has trained; a tree and a linear
    model have none, and nothing is saved.
    """
    from . import training
    from .class_options import with_labels
    from .problem import (
        check_error_cost,
        columns_named,
        features_of,
        prices_of,
        read_target,
        refuse_target_as,
        refuse_without_extra,
        task_for,
    )
    from .tables import numbers, read_table

    refuse_overwriting([out], [data, costs])
    spec = LEARNERS[method]
    training.refuse_unused(spec, _given())
    training.refuse_task(spec, task)
    refuse_without_extra([spec])
    table = read_table(data, missing)
    drop = columns_named(drop, table)
    refuse_target_as(target, {"--drop": drop, "--weight": (weight,)})
    weights = None if weight is None else numbers(table, weight, data, "the weight")
    y, task = read_target(table, target, data, task_for(task, [spec]), weights)
    training.refuse_task(spec, task, target)
    check_error_cost(error_cost, task, y)
    X = features_of(table, target, weight, drop, data)
    prices = prices_of(costs, X, data, target)
    budgets = budget or training.default_budgets(spec, prices, X)
    model = training.new_learner(spec, task, budgets, with_labels(options, y, task), seed)
    if calibrate is not None:
        model = training.calibrated(model, task, calibrate, target, seed)
    model.set_params(costs=prices)
    if error_cost:
        model.set_params(error_cost=error_cost)
    _note_columns(X, costs)
    outcome = training.train(model, spec, X, y, weights, progress)
    with uninterrupted():
        save_model(model, out, target, outcome.finished)
        _report(model, out, target, len(X), outcome, as_json)
    if not outcome.finished:
        click.get_current_context().exit(INTERRUPTED)


def _given() -> list[str]:
    """Return the names of options that were typed."""
    source = click.get_current_context().get_parameter_source
    keys = {"budget": "budget", "calibrate": "calibrate"}
    keys |= {option.name: option.key for option in OPTIONS.values()}
    typed = click.core.ParameterSource.COMMANDLINE
    return [name for name, key in keys.items() if source(key) is typed]


def _note_columns(X: pl.DataFrame, costs: Path | None) -> None:
    """Print how columns are read, and which of them ``compare`` would leave out."""
    from . import training_columns
    from .problem import priced_names

    training_columns.note_column_types(X)
    unlikely = training_columns.unlikely_features(X, priced_names(costs))
    training_columns.note_to_leave_out(unlikely)
    training_columns.note_possible_identifiers(X.drop(unlikely))


def save_model(model: Any, out: Path, target: str, finished: bool) -> None:
    """Save the model with the name of its target; an unfinished one is marked."""
    from ..io import save

    predictor, mark = model.predictor_, {} if finished else {"finished": False}
    save(replace(predictor, info={**predictor.info, "target": target, **mark}), out)


def _report(
    model: Any, out: Path, target: str, n_rows: int, outcome: Outcome, as_json: bool
) -> None:
    from .output import count, note, print_json
    from .plan_report import extent, plan_record, print_plan

    classes = getattr(model, "classes_", None)
    record = {"model": str(out), "finished": outcome.finished, "in_time": outcome.in_time,
              "rows": n_rows, "target": target, "classes": classes,
              **plan_record(model.predictor_)}  # fmt: skip
    done = extent(model.predictor_, in_rounds=True)
    if as_json:
        print_json(record)
    else:
        after = {"routed": "", "sampled": f": {done}", "drawn": f": {done}"}.get(
            record["kind"], f" in {done}"
        )
        click.echo(f"Learnt to {aim(target, classes)} on {count(n_rows, 'row')}{after}.")
        print_plan(model.predictor_)
    if not outcome.finished:
        note(f"Interrupted after {done}: saved what was learnt to {out}{outcome.shortfall()}")
        return
    if not outcome.in_time:
        note("Note: The time of --max-seconds was over before the training had ended.")
    if not as_json:
        click.echo(f"Saved to {out}")


def aim(target: str, classes: Any) -> str:
    """What is predicted, as the rest of a sentence that begins with "Learnt to"."""
    if classes is None:
        return f"predict {target}"
    if len(classes) == 2:
        return f"tell {target} {classes[0]} from {classes[1]}"
    return f"tell the {len(classes)} classes of {target} apart"
