"""``scrimp fit``: learn what to buy, and in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .errors import INTERRUPTED, InputError, uninterrupted
from .options import (
    InputFile,
    MoneyList,
    OutputFile,
    common_options,
    data_argument,
    missing_option,
    progress_option,
    refuse_overwriting,
)

#: As in scrimp.boosting.rules, which is too slow to import for a help text; a test compares.
RULE_NAMES = ("edge", "greedy", "smoothed", "speedboost", "hybrid")

if TYPE_CHECKING:
    import polars as pl

    from ..boosting import BudgetedBoostingClassifier
    from ..costs import Costs
    from .training import Reached


@click.command(short_help="Learn what to buy, in which order.")
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column to predict: two classes.")
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
    "--rule", type=click.Choice(RULE_NAMES), default="greedy", show_default=True,
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
@click.option("--weight", metavar="COL", help="A column of row weights; it is not a feature.")
@click.option(
    "--drop", multiple=True, metavar="COL", help="A column to leave out. May be repeated."
)
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
    data: Path, target: str, costs: Path | None, budget: list[float] | None, rule: str, rounds: int,
    unaffordable: str, max_bins: int, weight: str | None, drop: tuple[str, ...], seed: int,
    out: Path, missing: tuple[str, ...], progress: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Learn from DATA what to buy and in which order, and save the model.

    All columns of DATA but the target are features. Interrupted with Ctrl-C, what was learnt
    so far is saved.
    """
    from ..boosting import BudgetedBoostingClassifier
    from .reading import read_table
    from .remarks import remark_on_columns
    from .tables import numbers
    from .training import train, two_classes

    refuse_overwriting([out], [data, costs])
    _refuse_target_as(target, {"--drop": drop, "--weight": (weight,)})
    table = read_table(data, missing)
    weights = None if weight is None else numbers(table, weight, data, "the weight")
    y = two_classes(table, target, data, weights)
    X = _features(table, target, weight, drop, data)
    model = BudgetedBoostingClassifier(
        costs=_prices(costs, X, data), budget=_one_or_many(budget), rule=rule, n_rounds=rounds,
        unaffordable=unaffordable, max_bins=max_bins, random_state=seed,
    )  # fmt: skip
    remark_on_columns(X)
    reached = train(model, X, y, weights, progress)
    with uninterrupted():
        _save(model, out, reached.finished)
        _report(model, out, target, len(X), reached, as_json)
    if not reached.finished:
        click.get_current_context().exit(INTERRUPTED)


def _refuse_target_as(target: str, options: Mapping[str, Sequence[str | None]]) -> None:
    for option, names in options.items():
        if target in names:
            raise InputError(f"{option} names {target!r}, which is the target. It cannot be both.")


def _features(
    table: pl.DataFrame, target: str, weight: str | None, drop: tuple[str, ...], data: Path
) -> pl.DataFrame:
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


def _prices(costs: Path | None, X: pl.DataFrame, data: Path) -> Costs | None:
    from ..costs import Costs

    if costs is None:
        return None
    prices = Costs.read(costs)
    try:
        return prices.bind(X.width, X.columns)
    except ValueError as error:
        text = str(error).replace(" does not fit X:", f" {costs} does not fit {data}:")
        hint = "Columns of the data that are no features are left out with --drop."
        raise InputError(f"{text.replace('which X does', 'which it does')} {hint}") from error


def _one_or_many(budget: list[float] | None) -> float | list[float] | None:
    return budget[0] if budget is not None and len(budget) == 1 else budget


def _save(model: BudgetedBoostingClassifier, out: Path, finished: bool) -> None:
    """Save the model; an unfinished one says so of itself."""
    from ..store import save

    predictor = model.predictor_
    if not finished:
        predictor = replace(predictor, info={**predictor.info, "finished": False})
    save(predictor, out)


def _report(
    model: BudgetedBoostingClassifier, out: Path, target: str, n: int, reached: Reached,
    as_json: bool,
) -> None:  # fmt: skip
    from .describe import plan_record, print_plan
    from .output import count, note, print_json

    classes = model.classes_.tolist()
    record = {"model": str(out), "finished": reached.finished, "rows": n, "target": target,
              "classes": classes, **plan_record(model.predictor_)}  # fmt: skip
    rounds = count(record["rounds"], "round")
    if as_json:
        print_json(record)
    else:
        click.echo(
            f"Learnt to tell {target} {classes[0]} from {classes[1]} on {count(n, 'row')} "
            f"in {rounds}."
        )
        print_plan(model.predictor_)
    if not reached.finished:
        note(f"Interrupted after {rounds}: saved what was learnt to {out}{reached.lacking()}")
    elif not as_json:
        click.echo(f"Saved to {out}")
