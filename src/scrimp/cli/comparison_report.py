"""What ``scrimp compare`` prints: the table of methods, the advice, and the command to train it."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import in_our_words
from .output import count, note, print_json, print_table

if TYPE_CHECKING:
    from ..evaluation import Advice, Comparison, Point
    from .problem import Problem

#: Columns of budgets that fit on a page.
_MAX_BUDGETS = 4
#: Letters on a line of text.
WIDTH = 96


def report(
    comparison: Comparison, advice: Advice, about: dict[str, Any], command: str | None,
    files: Sequence[Path], as_json: bool,
) -> None:  # fmt: skip
    """Print the whole of it, as text or as JSON."""
    if as_json:
        files_written = [str(path) for path in files]
        print_json(
            {**about, **record(comparison, advice), "train": command, "files": files_written}
        )
    else:
        click.echo(f"{textwrap.fill(headline(comparison, len(about['columns'])), WIDTH)}\n")
        print_methods(comparison, advice)
        print_advice(advice)
        print_next(command, advice)
        for path in files:
            click.echo(f"Written: {path}")
    for line in notes(comparison):
        note(line)


def headline(comparison: Comparison, columns: int) -> str:
    """Return what was done, in a sentence."""
    times = "once" if comparison.n_repeats == 1 else f"{comparison.n_repeats} times"
    same = ", the same folds for all" if len(comparison.names) > 1 else ""
    folds = f"{comparison.n_folds}-fold cross-validation, {times}"
    if comparison.planned_folds is not None:
        folds = f"only {comparison.n_folds} of {comparison.planned_folds} folds were done"
    return (
        f"Compared {count(len(comparison.names), 'method')} on {count(comparison.n_rows, 'row')} "
        f"and {count(columns, 'column')}: {folds}{same}."
    )


def notes(comparison: Comparison) -> list[str]:
    """Return what was left out or not done, a line each."""
    lines = [
        f"Left out: the method {name}: {in_our_words(reason)}"
        for name, reason in comparison.left_out.items()
    ]
    lines += comparison.remarks
    return lines if comparison.finished else [*lines, "Interrupted: this is what was complete."]


def print_methods(
    comparison: Comparison, advice: Advice, shown: Sequence[float] | None = None
) -> None:
    """Print the table of methods by budgets, best first."""
    from ..evaluation.formatting import money

    at, curves = advice.point.budget, comparison.curves()
    asked = at > 0 and (advice.budget is not None or advice.counts_errors)
    budgets = sorted(set(shown_budgets(comparison, at) if shown is None else shown))
    rows = [
        (name, *(_cell(curves[name].at(b), comparison.scoring) for b in budgets),
         curves[name].at(at).spent)
        for name in comparison.ranked(at if asked else None)
    ]  # fmt: skip
    order = f"at a budget of {money(at)}" if asked else "in their mean over all budgets"
    best_first = f"\nBest first, {order}" if len(curves) > 1 else ""
    print_table(
        ("method", *(f"budget {money(budget)}" for budget in budgets), f"spent at {money(at)}"),
        rows,
        f"{_score_name(comparison)} on rows not trained on, with {comparison.level:.0%} intervals."
        f"{best_first}",
    )


def _cell(point: Point, scoring: str) -> str:
    from ..evaluation.formatting import interval_texts, quality_text

    parts = [quality_text(point.quality, scoring), *interval_texts(point, scoring)]
    quality, low, high = (part.removesuffix("%") for part in parts)
    return f"{quality} ({low}–{high})"


def _score_name(comparison: Comparison) -> str:
    from ..evaluation.error_cost import ERROR_COST

    names = {"accuracy": "Percent right", ERROR_COST: "Cost of errors per row"}
    return names.get(comparison.scoring, comparison.scoring)


def shown_budgets(comparison: Comparison, at: float) -> list[float]:
    """Return the budget of the advice, the largest, and some between; 0 if asked for or room."""
    import numpy as np

    n = _room()
    every: list[float] = comparison.budgets.tolist()
    if len(every) <= n:
        return every
    budgets = [budget for budget in every if budget > 0]
    even = [budgets[i] for i in np.linspace(0, len(budgets) - 1, n).round().astype(int)]
    if at not in even:
        nearest = int(np.argmin([abs(np.log(b / at)) for b in even[:-1]])) if at > 0 else 0
        even[nearest] = at
    return sorted(even)


def _room() -> int:
    """Return how many budgets a line has room for."""
    if not sys.stdout.isatty():
        return _MAX_BUDGETS
    return min(_MAX_BUDGETS, max(2, (shutil.get_terminal_size().columns - 26) // 19))


def print_advice(advice: Advice) -> None:
    """Print the advice in plain words, the first sentence in bold."""
    first, *rest = advice.lines()
    click.secho(textwrap.fill(first, WIDTH), bold=True)
    for line in rest:
        click.echo(textwrap.fill(line, WIDTH))


def print_next(command: str | None, advice: Advice) -> None:
    """Print how to train what is advised, and to use it."""
    from ..evaluation.error_cost import ERROR_COST
    from ..evaluation.methods import METHODS

    click.echo("")
    if command is None:
        kind = "most frequent answer" if advice.scoring != ERROR_COST else "answer of least cost"
        click.echo(f"There is nothing to train: the {kind} costs nothing.")
        return
    method = METHODS[advice.method.partition("/")[0]]
    click.echo(f"Train it ({method.name}: {method.about}):\n  {command}")
    budget = f"{advice.point.budget:.12g}"
    click.echo(f"Use it:\n  scrimp predict model.scrimp new.csv --budget {budget}")
    click.echo("")


def record(comparison: Comparison, advice: Advice) -> dict[str, Any]:
    """Return all of it for JSON."""
    return {
        "rows": comparison.n_rows,
        "folds": comparison.n_folds,
        "repeats": comparison.n_repeats,
        "finished": comparison.finished,
        "in_time": comparison.in_time,
        "seconds": round(comparison.seconds, 2),
        "scoring": comparison.scoring,
        "level": comparison.level,
        "methods": list(comparison.names),
        "left_out": dict(comparison.left_out),
        "remarks": list(comparison.remarks),
        "curves": comparison.to_rows(),
        "recommendation": {**dataclasses.asdict(advice), "text": str(advice)},
    }


def training_command(
    problem: Problem, advice: Advice, budgets: Sequence[float], rounds: list[int] | None,
    missing: tuple[str, ...], seed: int, data: Path, costs: Path | None,
    error_cost: Mapping[str, float] | None = None,
) -> str | None:  # fmt: skip
    """Return the command that trains what is advised; None if nothing is to be bought.

    It trains the model that was compared, `budgets` included, on all rows.
    """
    from ..evaluation.budget_grid import has_free_columns

    free = problem.prices is not None and has_free_columns(problem.prices)
    if advice.buys_nothing and not free:
        return None
    words = ["scrimp", "fit", str(data), "--target", problem.target]
    words += ["--costs", str(costs)] if costs is not None else []
    for column in (*problem.dropped, *problem.left_out):
        words += ["--drop", column]
    for mark in missing:
        words += ["--missing", mark]
    trained = [budget for budget in budgets if budget > 0 or free]
    words += _method_words(problem, advice, trained, rounds)
    if error_cost is not None:
        words += ["--error-cost", ",".join(f"{k}={v:.12g}" for k, v in error_cost.items())]
    words += ["--seed", str(seed)] if seed else []
    return shlex.join([*words, "--out", "model.scrimp"])


def _method_words(
    problem: Problem, advice: Advice, budgets: Sequence[float], rounds: list[int] | None
) -> list[str]:
    """Return the words that name the task and the method, its variant, rounds and budgets."""
    from ..evaluation.methods import METHODS, task_of
    from ..registry import DEFAULT_METHOD, OPTIONS

    name, _, tried_rounds = advice.method.partition("/")
    method = METHODS[name]
    explicit = problem.task == "regression" or problem.task != task_of(problem.y)
    words = ["--task", problem.task] if explicit else []
    words += ["--method", method.spec.name] if method.spec.name != DEFAULT_METHOD else []
    flags = {OPTIONS[name].parameter: f"--{name}" for name in method.spec.options}
    for parameter, value in method.variant.params.items():
        words += [flags[parameter], str(value)]
    if method.has_rounds and rounds:
        words += ["--rounds", tried_rounds or str(rounds[0])]
    if method.per_budget:
        words += ["--budget", ",".join(f"{budget:.12g}" for budget in budgets)]
    return words
