"""The report of the study: the targets and all figures."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence

import numpy as np

from benchmarks.report import as_markdown
from benchmarks.study.datasets import UNIT_PROBLEM
from benchmarks.study.methods import Method
from benchmarks.study.pictures import picture
from benchmarks.study.published import GDFS, accuracies
from benchmarks.study.reaching import must_reach, published_rows
from benchmarks.study.results import Result
from benchmarks.study.running import Study
from benchmarks.study.splits import MANY_CLASSES, SMALL, TUNING_ROWS
from benchmarks.study.standing import Curves, Standing, against, against_best, curves_of
from reporting.page import Page, markdown_table, versions


def page_of(study: Study, methods: Sequence[Method]) -> Page:
    """Return the whole report; its pictures go to the folder ``study`` beside it."""
    unit = [result for result in study.results if result.problem == UNIT_PROBLEM]
    others = [result for result in study.results if result.problem != UNIT_PROBLEM]
    curves = curves_of(others, methods)
    ours = next((m for m in methods if m.ours and any(m.name in c.results for c in curves)), None)
    peers = [method for method in methods if not method.ours]
    page = Page("study", "study/")
    page.add("# The study", _introduction(curves, methods))
    if ours is not None and curves:
        best = against_best(curves, ours.name, [peer.name for peer in peers])
        cegb = against(curves, ours.name, "cegb")
        rows = must_reach(curves, ours, best, cegb) + published_rows(unit, methods)
        page.add("## What must be reached", as_markdown(rows))
        page.add(f"## {ours.title} against its peers")
        page.add(_standing_table(curves, best, cegb, methods))
    if curves:
        page.add("## Area of each method", _area_table(curves, methods))
        page.add("## Seconds of training", _seconds_table(curves, methods, ours))
    if unit:
        page.add("## UCI spam with unit prices, against GDFS", _published_table(unit, methods))
    for problem_curves in curves:
        _add_problem(page, problem_curves, methods)
    page.add(*_remarks(study, methods))
    return page


def _introduction(curves: Sequence[Curves], methods: Sequence[Method]) -> str:
    seeds = max((len(kept) for c in curves for kept in c.results.values()), default=0)
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    lines = [
        f"Written by `make study` ({machine}; {versions()}; {seeds} "
        f"seed{'s' if seeds != 1 else ''} of prices and splits). Each method is given the same "
        "training rows, the same five inner folds to tune on, the same prices and the same 13 "
        "budgets, from 1% to 64% of the price of everything. It is charged by one meter, "
        "`scrimp.CostMeter`: the price of all that its model may read must fit in the budget. "
        "Who can buy nothing, or gains nothing by it in cross-validation, answers with the prior.",
        f"Tables of fewer than {SMALL:,} rows and up to {MANY_CLASSES} classes are tested by five "
        "outer folds; others have their "
        "published split, or 30% of the rows drawn for testing. Prices are real where there are "
        "any (Turney 1995), else uniform on [0, 2] for each raw column. Tuning looks at no more "
        f"than {TUNING_ROWS:,} training rows; the model chosen is fitted to all. The **area** is "
        "the error (part wrong, or mean squared error) at a budget drawn at random, where each "
        "doubling is as likely as another.",
        "The methods, with the seconds that each may tune on one problem (for the peers, half the "
        "processor time of two cores):",
        "\n".join(f"- **{m.title}** ({m.seconds:.0f} s): {m.about}." for m in methods),
    ]
    return "\n\n".join(lines)


def _standing_table(
    curves: Sequence[Curves], best: Sequence[Standing], cegb: Sequence[Standing],
    methods: Sequence[Method],
) -> str:  # fmt: skip
    titles = {method.name: method.title for method in methods}
    by_cegb = {standing.problem: standing for standing in cegb}
    scale = {c.name: 1.0 if c.any.task == "regression" else 100.0 for c in curves}
    rows = []
    for standing in best:
        other, k, gap = by_cegb.get(standing.problem), scale[standing.problem], standing.gap
        rows.append((
            standing.problem, titles[standing.peer], f"{standing.ratio:.3f}",
            f"{k * gap.value:+.3g} ({k * gap.low:+.3g} to {k * gap.high:+.3g})",
            f"{standing.p:.3f}", standing.outcome, f"{other.ratio:.3f}" if other else "",
            f"{other.p:.3f}" if other else "", other.outcome if other else "",
        ))  # fmt: skip
    words = (
        "Ratios of areas, below 1 where ours is better. Differences in points of percent, or of "
        "the mean squared error, with 95% intervals from resampled test rows, the same for both "
        "(whole queries on mslr); p-values after Holm over the problems."
    )
    header = (
        "problem", "best peer", "ratio", "difference", "p", "outcome",
        "ratio to CEGB", "p", "outcome",
    )  # fmt: skip
    if best:
        mean = [
            f"{np.mean([standing.ratio for standing in standings]):.3f}" if standings else ""
            for standings in (best, cegb)
        ]
        rows.append(("**mean**", "", mean[0], "", "", "", mean[1], "", ""))
    return f"{words}\n\n{markdown_table(header, rows)}"


def _area_table(curves: Sequence[Curves], methods: Sequence[Method]) -> str:
    rows = []
    for problem in curves:
        scale = 1.0 if problem.any.task == "regression" else 100.0
        areas = {m.name: scale * problem.area(m.name) for m in methods if m.name in problem.results}
        lowest = min(areas.values())
        cells = [
            f"**{areas[m.name]:.4g}**" if areas.get(m.name) == lowest
            else f"{areas[m.name]:.4g}" if m.name in areas else ""
            for m in methods
        ]  # fmt: skip
        shape = " x ".join(f"{n:,}" for n in problem.any.shape)
        rows.append((problem.name, shape, problem.any.task, *cells))
    header = ("problem", "rows x columns", "task", *(m.title for m in methods))
    return "Percent wrong, or mean squared error.\n\n" + markdown_table(header, rows)


def _seconds_table(curves: Sequence[Curves], methods: Sequence[Method], ours: Method | None) -> str:
    rows = []
    for problem in curves:
        cells = [
            f"{problem.seconds(m.name):.1f}" if m.name in problem.results else "" for m in methods
        ]
        both = ours is not None and {ours.name, "cegb"} <= set(problem.results)
        ratio = (
            f"{problem.seconds(ours.name) / problem.seconds('cegb'):.2f}" if both and ours else ""
        )
        rows.append((problem.name, *cells, ratio))
    header = ("problem", *(m.title for m in methods), "ours / CEGB")
    words = (
        "Seconds of the processor, of all threads, for tuning and fitting for all budgets, without "
        "testing: they hardly depend on what else the machine does."
    )
    return f"{words}\n\n{markdown_table(header, rows)}"


def _published_table(unit: Sequence[Result], methods: Sequence[Method]) -> str:
    rows = [("GDFS, published", *(f"{GDFS[int(k)]}" for k in unit[0].budgets))]
    for method in methods:
        kept = [result for result in unit if result.method == method.name]
        if kept:
            cells = [f"{a.mean:.1f} ({a.low:.1f} to {a.high:.1f})" for a in accuracies(kept)]
            rows.append((f"{method.title}, {len(kept)} splits", *cells))
    words = (
        "Percent right on 20% of the rows, drawn at random, at so many columns, every column for "
        "1; mean over splits with its 95% interval. GDFS chooses columns for each row (Covert et "
        "al. 2023, Learning to Maximize Mutual Information for Dynamic Feature Selection)."
    )
    header = ("columns", *(f"{k:g}" for k in unit[0].budgets))
    return f"{words}\n\n{markdown_table(header, rows)}"


def _add_problem(page: Page, curves: Curves, methods: Sequence[Method]) -> None:
    shared, scale = curves.any, 1.0 if curves.any.task == "regression" else 100.0
    budgets = [f"{100 * b / shared.total:.3g}%" for b in shared.budgets]
    shown = [method for method in methods if method.name in curves.results]
    errors = [(m.title, *(f"{scale * e:.4g}" for e in curves.errors(m.name))) for m in shown]
    spends = [(m.title, *_means(curves, m, "spends", 100.0 / shared.total)) for m in shown]
    what = "Mean squared error" if scale == 1.0 else "Percent wrong"
    page.add(f"## {curves.name}")
    caption = f"Error against budget of all methods on {curves.name}"
    page.add_picture(curves.name, picture(curves, curves.name, methods), caption)
    page.add(f"{what} at each budget:", markdown_table(("method", *budgets), errors))
    page.add("Mean spend of a test row, in percent of the price of everything:")
    page.add(markdown_table(("method", *budgets), spends))
    if shared.ndcg:
        ranks = [(m.title, *_means(curves, m, "ndcg", 1.0)) for m in shown]
        page.add("NDCG@10 of the answers as a ranking:")
        page.add(markdown_table(("method", *budgets), ranks))


def _means(curves: Curves, method: Method, what: str, scale: float) -> list[str]:
    values = np.mean([getattr(result, what) for result in curves.results[method.name]], axis=0)
    return [f"{scale * value:.3g}" for value in values]


def _remarks(study: Study, methods: Sequence[Method]) -> list[str]:
    titles = {method.name: method.title for method in methods}
    lines = [
        f"- {titles[result.method]} on {result.problem}, seed {result.seed}: time was up after "
        f"{result.tried} of {result.planned} steps of its tuning, over all parts."
        for result in study.results
        if result.tried < result.planned
    ]
    lines += [
        f"- {titles[method]} is not tried on {problem}: {reason}."
        for (problem, method), reason in study.absent.items()
    ]
    lines += [
        f"- **{titles[method]} failed on {problem}**: {reason}"
        for (problem, method), reason in study.failed.items()
    ]
    return ["## Remarks", "\n".join(lines)] if lines else []
