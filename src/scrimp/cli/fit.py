"""``scrimp fit``: learn what to buy, and in which order."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import INTERRUPTED, InputError, uninterrupted
from .options import (
    InputFile,
    MoneyList,
    OutputFile,
    common_options,
    data_argument,
    drop_option,
    missing_option,
    progress_option,
    refuse_overwriting,
    task_option,
)

if TYPE_CHECKING:
    import polars as pl

#: As in scrimp.learners.boosting.rules, too slow to import for a help text; a test compares.
RULE_NAMES = ("smoothed", "greedy", "speedboost", "hybrid", "edge")
#: As in scrimp.meta.calibration.calibrators, for the same reason.
CALIBRATIONS = ("sigmoid", "isotonic", "temperature")
#: Options that say something to some methods only.
_USED_BY = {
    "rule": ("boosting",),
    "budget": ("boosting", "tree", "linear", "frontier"),
    "rounds": ("boosting", "sampled"),
    "unaffordable": ("boosting",),
    "max_bins": ("boosting", "sampled"),
    "calibrate": ("boosting", "sampled", "tree", "linear"),
    "max_seconds": ("frontier",),
}
#: Why an option says nothing.
_WHY = {
    "budget": " Give the budget to `scrimp predict`.",
    "calibrate": " Its probabilities are calibrated.",
}


#: Methods that predict numbers too, and those that answer at all budgets from one training.
_TAKE_NUMBERS = ("boosting", "linear", "frontier")
_TRAINED_ONCE = {"tree": "tree", "linear": "linear model"}


@click.command(short_help="Learn what to buy, in which order.")
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column to predict.")
@click.option(
    "--costs", type=InputFile((".toml", ".csv")), metavar="PRICES",
    help="Price list; without one each column costs 1.",
)  # fmt: skip
@click.option(
    "--budget", type=MoneyList(),
    help="The most that a prediction may spend. With several, one model is trained for each and "
    "a prediction uses the best that its budget pays for.",
)  # fmt: skip
@click.option(
    "--method", type=click.Choice(["boosting", "sampled", "tree", "linear", "frontier"]),
    default="boosting", show_default=True, help="Boosted stumps, AdaBoost whose vote is sampled, "
    "a pruned tree, a linear model (of numbers; what is missing counts as the mean) for each step "
    "of one order, or for each budget the best of many models by cross-validation.",
)  # fmt: skip
@task_option
@click.option(
    "--rule", type=click.Choice(RULE_NAMES), default="smoothed", show_default=True,
    help="How a purchase is chosen: greedy and speedboost weigh what it tells against its price, "
    "smoothed does so less and less, hybrid begins greedy and goes on smoothed, edge does not "
    "look at prices.",
)  # fmt: skip
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    metavar="N",
    help="The most rounds.",
)
@click.option(
    "--unaffordable", type=click.Choice(["skip", "stop"]), default="skip", show_default=True,
    help="At a choice that the rest of the budget cannot pay: choose among the others, or end.",
)  # fmt: skip
@click.option(
    "--max-bins", type=click.IntRange(2, 65535), default=255, show_default=True, metavar="N",
    help="Distinct values of a column up to which it is searched exactly.",
)  # fmt: skip
@click.option(
    "--calibrate", type=click.Choice(CALIBRATIONS),
    help="Make probabilities mean what they say at every budget; it takes six trainings. sigmoid "
    "suits most data, isotonic many rows, temperature leaves every label as it is.",
)  # fmt: skip
@click.option(
    "--max-seconds", type=click.FloatRange(min=0, min_open=True), metavar="S",
    help="About how long the frontier may take; what was tested by then counts.",
)  # fmt: skip
@click.option("--weight", metavar="COL", help="A column of row weights; it is not a feature.")
@drop_option
@click.option(
    "--seed", type=int, metavar="N", default=0, show_default=True, help="Of all that is random."
)
@click.option(
    "--out", type=OutputFile(model=True), required=True, metavar="FILE",
    help="Where to save the model; by custom it ends in .scrimp.",
)  # fmt: skip
@missing_option
@progress_option
@common_options
def fit(
    data: Path, target: str, costs: Path | None, budget: list[float] | None, method: str,
    task: str | None, rule: str, rounds: int, unaffordable: str, max_bins: int,
    calibrate: str | None, max_seconds: float | None, weight: str | None, drop: tuple[str, ...],
    seed: int, out: Path, missing: tuple[str, ...], progress: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Learn from DATA what to buy and in which order, and save the model.

    All columns of DATA but the target are features. Interrupted with Ctrl-C, the rounds done so
    far are saved, or what the frontier's last finished fold has trained; a tree and a linear
    model have none, and nothing is saved.
    """
    from .problem import columns_named, features_of, prices_of, refuse_target_as
    from .reading import read_table
    from .tables import numbers
    from .training import Reached, train, truth

    refuse_overwriting([out], [data, costs])
    _refuse_unused(method)
    _refuse_numbers(method, task, "--task regression needs boosting or linear.")
    table = read_table(data, missing)
    drop = columns_named(drop, table)
    refuse_target_as(target, {"--drop": drop, "--weight": (weight,)})
    weights = None if weight is None else numbers(table, weight, data, "the weight")
    y, found = truth(table, target, data, task, weights)
    _refuse_numbers(
        method, found, f"{target!r} holds numbers. --task classification takes whole numbers as "
        "classes, --method boosting and --method linear predict numbers.",
    )  # fmt: skip
    model = _learner(
        method, found, budget=_one_or_many(budget), budgets=budget, rule=rule, n_rounds=rounds,
        unaffordable=unaffordable, max_bins=max_bins, max_seconds=max_seconds, random_state=seed,
    )  # fmt: skip
    if calibrate is not None:
        model = _calibrated(model, found, calibrate, target, seed)
    X = features_of(table, target, weight, drop, data)
    model.set_params(costs=prices_of(costs, X, data))
    _remark(X, costs)
    reached: Reached = train(model, X, y, weights, progress)
    with uninterrupted():
        _save(model, out, reached.finished)
        _report(model, out, target, len(X), reached, as_json)
    if not reached.finished:
        click.get_current_context().exit(INTERRUPTED)


def _refuse_unused(method: str) -> None:
    """Refuse what was asked for and would have no effect."""
    source = click.get_current_context().get_parameter_source
    for name, methods in _USED_BY.items():
        if method not in methods and source(name) is click.core.ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            why = _WHY.get(name, "")
            raise InputError(f"{option} says nothing to --method {method}. Leave it out.{why}")


def _refuse_numbers(method: str, task: str | None, hint: str) -> None:
    if task == "regression" and method not in _TAKE_NUMBERS:
        raise InputError(f"--method {method} predicts classes; {hint}")


def _remark(X: pl.DataFrame, costs: Path | None) -> None:
    """Say how columns are read, and which of them ``compare`` would leave out."""
    from .problem import priced_names
    from .remarks import remark_on_columns
    from .set_aside import say_what_is_doubtful, say_what_to_set_aside, set_aside

    remark_on_columns(X)
    aside = set_aside(X, priced_names(costs))
    say_what_to_set_aside(aside)
    say_what_is_doubtful(X.drop(aside))


def _learner(method: str, task: str, **options: Any) -> Any:
    """An unfitted estimator with those of the options that it knows."""
    from ..learners import boosting, linear, trees
    from ..meta import frontier

    as_compared: dict[str, Any] = {"criterion": "forward", "missing": "mean"}
    learners: dict[tuple[str, str], Any] = {
        ("boosting", "classification"): boosting.BudgetedBoostingClassifier,
        ("boosting", "regression"): boosting.BudgetedBoostingRegressor,
        ("sampled", "classification"): boosting.SampledBoostingClassifier,
        ("tree", "classification"): trees.BudgetedTreeClassifier,
        ("linear", "classification"): partial(linear.SequencedClassifier, **as_compared),
        ("linear", "regression"): partial(linear.SequencedRegressor, **as_compared),
        ("frontier", "classification"): frontier.FrontierClassifier,
        ("frontier", "regression"): frontier.FrontierRegressor,
    }
    model = learners[method, task]()
    if method in _TRAINED_ONCE and isinstance(options["budget"], list):
        raise InputError(
            f"--method {method} takes one budget, or none: a {_TRAINED_ONCE[method]} answers at "
            "all of them."
        )
    known = model.get_params()
    return model.set_params(**{name: value for name, value in options.items() if name in known})


def _calibrated(model: Any, task: str, method: str, target: str, seed: int) -> Any:
    """The estimator with calibrated probabilities."""
    from ..meta.calibration import CalibratedClassifier

    if task == "regression":
        raise InputError(
            f"--calibrate makes probabilities of classes, and {target!r} is predicted as a number."
        )
    return CalibratedClassifier(model, method, random_state=seed)


def _one_or_many(budget: list[float] | None) -> float | list[float] | None:
    return budget[0] if budget is not None and len(budget) == 1 else budget


def _save(model: Any, out: Path, finished: bool) -> None:
    """Save the model; an unfinished one says so of itself."""
    from ..io import save

    predictor = model.predictor_
    if not finished:
        predictor = replace(predictor, info={**predictor.info, "finished": False})
    save(predictor, out)


def _report(model: Any, out: Path, target: str, n: int, reached: Any, as_json: bool) -> None:
    from .describe import extent, plan_record, print_plan
    from .output import count, note, print_json

    classes = getattr(model, "classes_", None)
    record = {"model": str(out), "finished": reached.finished, "rows": n, "target": target,
              "classes": classes, **plan_record(model.predictor_)}  # fmt: skip
    done = extent(model.predictor_, in_rounds=True)
    if as_json:
        print_json(record)
    else:
        after = {"routed": "", "sampled": f": {done}"}.get(record["kind"], f" in {done}")
        click.echo(f"Learnt to {_aim(target, classes)} on {count(n, 'row')}{after}.")
        print_plan(model.predictor_)
    if not reached.finished:
        note(f"Interrupted after {done}: saved what was learnt to {out}{reached.lacking()}")
    elif not as_json:
        click.echo(f"Saved to {out}")


def _aim(target: str, classes: Any) -> str:
    if classes is None:
        return f"predict {target}"
    if len(classes) == 2:
        return f"tell {target} {classes[0]} from {classes[1]}"
    return f"tell the {len(classes)} classes of {target} apart"
