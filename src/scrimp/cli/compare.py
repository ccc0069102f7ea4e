"""``scrimp compare``: which method to take, and at which budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..registry import variants
from .errors import INTERRUPTED, InputError, Interrupted, uninterrupted
from .options import (
    PRICE_LISTS,
    TABLES,
    ErrorCost,
    InputFile,
    Money,
    MoneyList,
    OutputFile,
    common_options,
    data_argument,
    drop_option,
    methods_epilog,
    missing_option,
    positive_option,
    progress_option,
    refuse_overwriting,
    task_option,
)

if TYPE_CHECKING:
    import polars as pl

    from ..evaluation import Comparison
    from .problem import Problem

#: Rows beyond these add time rather than certainty.
_MAX_ROWS = 20_000
#: Cells beyond these do too: of wide tables fewer rows are taken.
_MAX_CELLS = 4_000_000


def _epilog() -> str:
    """Return the list of methods, and which of them are tried on request only."""
    on_request = [v.name for spec, v in variants() if not spec.compared_by_default]
    return methods_epilog(
        f"Methods ({', '.join(on_request)} on request only):",
        {variant.name: variant.description for _, variant in variants()},
    )


class WordList(click.ParamType):  # type: ignore[type-arg]
    """Words, or whole numbers >= 1, with commas between them."""

    name = "A[,B...]"

    def __init__(self, numbers: bool = False) -> None:
        self.numbers = numbers

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """From text."""
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        if self.numbers and not all(part.isdecimal() and int(part) for part in parts):
            self.fail(f"{value!r} must be whole numbers >= 1, such as 20,200.", param, ctx)
        if not parts:
            self.fail(f"{value!r} names nothing.", param, ctx)
        return [int(part) for part in parts] if self.numbers else parts


@click.command(short_help="Try several methods, and say which to take.", epilog=_epilog())
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column to predict.")
@click.option(
    "--costs", type=InputFile(PRICE_LISTS), metavar="PRICES",
    help="Price list; without one each column costs 1.",
)  # fmt: skip
@click.option("--budget", type=Money(), help="The most that a prediction may spend.")
@click.option(
    "--error-cost", type=ErrorCost(),
    help="What a wrong answer costs, or each kind of it, such as sick->well=1000,well->sick=200: "
    "find the method and budget that are cheapest in all.",
)  # fmt: skip
@click.option("--budgets", type=MoneyList(), help="Where to look; by default steps of the prices.")
@click.option(
    "--methods", type=WordList(), metavar="A[,B...]",
    help="Which to try, of those below; by default all quick ones that can.",
)  # fmt: skip
@click.option(
    "--rounds", type=WordList(numbers=True), metavar="N[,N...]",
    help="Rounds of boosting, by default as many as `scrimp fit` trains. With several, each is "
    "tried.",
)  # fmt: skip
@task_option
@click.option("--scoring", metavar="NAME", help="A scorer of scikit-learn: accuracy or r2 if none.")
@positive_option
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, metavar="N",
    help="Folds of the cross-validation.",
)  # fmt: skip
@click.option(
    "--repeats", type=click.IntRange(min=1), default=5, show_default=True, metavar="N",
    help="The largest number of random divisions of the rows.",
)  # fmt: skip
@click.option(
    "--groups", metavar="COL",
    help="A column that says which rows belong together, such as a patient's: they stay in one "
    "fold, and it is not a feature.",
)  # fmt: skip
@click.option(
    "--cv", type=click.Choice(["time"]),
    help="time: the rows are in the order of time, and each fold trains on earlier rows only.",
)  # fmt: skip
@click.option(
    "--max-seconds", type=click.FloatRange(min=0, min_open=True), default=120.0,
    show_default=True, metavar="S",
    help="When to end; what all methods have done by then counts. The frontier may take a third "
    "of it for each repeat.",
)  # fmt: skip
@click.option(
    "--rows", type=click.IntRange(min=10), metavar="N",
    help="Draw so many rows if there are more: 20,000 by default, fewer of wide tables.",
)  # fmt: skip
@drop_option
@click.option(
    "--keep", multiple=True, metavar="COL[,COL...]",
    help="A column to use although it looks like an identifier, a date or free text.",
)  # fmt: skip
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Random seed.")
@click.option("--out", type=OutputFile(TABLES), metavar="FILE", help="Save the curves as a table.")
@click.option(
    "--png", type=OutputFile((".png",)), default="scrimp-compare.png", show_default=True,
    metavar="FILE", help="Where to save the picture.",
)  # fmt: skip
@missing_option
@progress_option
@common_options
def compare(
    data: Path, target: str, costs: Path | None, budget: float | None, error_cost: Any,
    budgets: list[float] | None, methods: list[str] | None, rounds: list[int] | None,
    task: str | None, scoring: str | None, positive: str | None, folds: int, repeats: int,
    groups: str | None, cv: str | None, max_seconds: float, rows: int | None,
    drop: tuple[str, ...], keep: tuple[str, ...], seed: int, out: Path | None,
    png: Path, missing: tuple[str, ...], progress: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Cross-validate several methods on DATA at many budgets, and say which to take.

    All methods see the same folds, and are compared on the same rows. Identifiers, dates and
    free text are left out. Interrupted with Ctrl-C, what is complete is shown.
    """
    from .comparison_picture import picture_bytes
    from .comparison_report import report, training_command
    from .output import write_files
    from .problem import positive_label, read_problem
    from .tables import table_bytes

    refuse_overwriting([out, png], [data, costs])
    problem = read_problem(data, target, costs, task, methods, drop, keep, missing, groups)
    _check_error_cost(problem, scoring, error_cost)
    # one cost for all errors is a question about accuracy, which is asked afterwards
    unequal = error_cost if isinstance(error_cost, dict) else None
    options = {
        "methods": methods, "task": problem.task, "scoring": scoring, "n_rounds": rounds,
        "n_folds": folds, "n_repeats": repeats, "max_seconds": max_seconds, "random_state": seed,
        "max_rows": rows or min(_MAX_ROWS, _MAX_CELLS // problem.X.width),
        "budgets": _budgets(problem, budgets, budget), "error_cost": unequal,
        "groups": problem.groups, "cv": cv,
        "positive": positive_label(problem.y, problem.task, scoring, positive),
    }  # fmt: skip
    comparison = _run(problem, options, progress)
    with uninterrupted():
        advice = comparison.recommend(budget, error_cost if unequal is None else None)
        files = {png: picture_bytes(comparison, advice, f"{data.name}: {target}")}
        if out is not None:
            files[out] = table_bytes(_table(comparison), out)
        write_files(files)
        command = training_command(
            problem, advice, comparison.budgets.tolist(), rounds, missing, seed, data, costs,
            unequal,
        )  # fmt: skip
        about = {**problem.record(), "error_cost": error_cost}
        report(comparison, advice, about, command, list(files), as_json)
    if not comparison.finished:
        click.get_current_context().exit(INTERRUPTED)


def _check_error_cost(problem: Problem, scoring: str | None, error_cost: Any) -> None:
    from .problem import check_error_cost

    if error_cost is None:
        return
    check_error_cost(error_cost, problem.task, problem.y)
    if scoring not in (None, *(["accuracy"] if isinstance(error_cost, float) else [])):
        raise InputError(
            f"--error-cost is the price of a wrong answer, and --scoring {scoring} does not count "
            "wrong answers. Leave one of the two out."
        )


def _budgets(problem: Problem, asked: list[float] | None, budget: float | None) -> list[float]:
    """Return those asked for, or steps of the price list; always 0 and the budget asked about."""
    from ..costs.costs import as_costs
    from ..evaluation import price_steps

    X = problem.X
    prices = as_costs(problem.prices, X.width, X.columns)
    limits = {0.0, *(price_steps(prices).tolist() if asked is None else asked)}
    if budget is not None:
        limits.add(min(budget, prices.total))
    return sorted(min(limit, prices.total) for limit in limits)


def _run(problem: Problem, options: dict[str, Any], progress: bool | None) -> Comparison:
    from ..evaluation import compare
    from ..evaluation.trials import TASK
    from .progress import progress_bar

    try:
        with progress_bar(progress, only=TASK):
            return compare(problem.X, problem.y, problem.prices, **options)
    except KeyboardInterrupt:
        raise Interrupted("Interrupted: nothing was compared yet.") from None


def _table(comparison: Comparison) -> pl.DataFrame:
    import polars as pl

    from .tables import with_short_amounts

    table = pl.DataFrame(comparison.to_rows(), infer_schema_length=None)
    return with_short_amounts(table, ["budget", "spent"])
