"""The page of the benchmark: what must be reached, a row per learner, and all that is worse."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence

import numpy as np

from benchmarks.report import Row, as_markdown
from benchmarks.trust.cells import LEVEL, Cell, significant
from benchmarks.trust.learners import FRONTIER_SECONDS
from benchmarks.trust.running import TRAINED_FOR, Result, Run
from benchmarks.trust.situations import FAILING, N_SETS, N_SINGLE, SHARES
from benchmarks.trust.trials import LEAST_PROBABILITY, Caps
from reporting.page import Page, markdown_table, versions

#: The kinds of cells, and what they are compared with.
KINDS = {
    "budget": "fitted once, asked at 13 budgets: against the prior",
    "owned": "random items owned: against the prior",
    "failed": "a tenth of the items failing: against the prior",
    "less bought": "fitted once: against the same model at a smaller budget",
    "less owned": "random items owned: against the same model without them",
    "lacking": "frames that lack columns: against LightGBM with missing values in their place",
}
MAX_AREA_RATIO, MAX_AUC_LOST = 1.05, 0.02
#: The most cells that are listed per kind.
MOST_LISTED = 40

Placed = tuple[Result, Cell]


def page_of(run: Run, caps: Caps) -> Page:
    """Return the report of a run."""
    page = Page("trust", "trust/")
    page.add("# Trust: is every answer worth having?", _introduction(run, caps))
    if not run.results:
        return page
    worse = {kind: worse_cells(run.results, kind) for kind in KINDS}
    page.add("## What must be reached", as_markdown(must_reach(run.results, worse)))
    page.add("## By learner", _learner_table(run.results, worse), _legend())
    page.add("## Area, fitted once over fitted for each budget", _area_table(run.results))
    for kind, about in KINDS.items():
        if worse[kind]:
            page.add(f"## Significantly worse: {about}", _listed(worse[kind]))
    page.add(*_remarks(run))
    return page


def placed(results: Sequence[Result], *kinds: str) -> list[Placed]:
    """Return all cells of some kinds, with the results they belong to."""
    return [(result, each) for result in results for each in result.cells if each.kind in kinds]


def worse_cells(results: Sequence[Result], *kinds: str) -> list[Placed]:
    """Return the cells that are significantly worse, after Holm over all of these kinds."""
    everything = placed(results, *kinds)
    chosen = {id(each) for each in significant([each for _, each in everything])}
    kept = [(result, each) for result, each in everything if id(each) in chosen]
    return sorted(kept, key=lambda pair: -pair[1].z)


def must_reach(results: Sequence[Result], worse: dict[str, list[Placed]]) -> list[Row]:
    """Return the targets and what was measured."""
    once = _count_row(results, worse["budget"], "fitted once, asked at 13 budgets", "budget")
    gaps = worse_cells(results, "owned", "failed")
    with_gaps = _count_row(results, gaps, "random owned sets and failures", "owned", "failed")
    return [once, _area_row(results), with_gaps, *_auc_rows(results), *_lacking_rows(results)]


def _count_row(results: Sequence[Result], worse: list[Placed], what: str, *kinds: str) -> Row:
    everything = placed(results, *kinds)
    result, worst = max(everything, key=lambda pair: pair[1].z)
    detail = f"{len(everything):,} cells; worst z {worst.z:.1f}: {_named(result, worst)}"
    return Row(f"{what}: worse than the prior", "0", str(len(worse)), not worse, detail)


def _area_row(results: Sequence[Result]) -> Row:
    ratios = [ratio for result in results for ratio in area_ratios(result).values()]
    mean = float(np.mean(ratios))
    what, must = "area, fitted once over fitted for each budget", f"at most {MAX_AREA_RATIO}"
    detail = f"{len(ratios)} ratios, {min(ratios):.2f} to {max(ratios):.2f}"
    return Row(what, must, f"{mean:.3f}", mean <= MAX_AREA_RATIO, detail)


def area_ratios(result: Result) -> dict[str, float]:
    """Return the ratio of the areas for each loss."""
    return {loss: once / each for loss, (once, each) in result.areas.items() if each > 0}


def _auc_rows(results: Sequence[Result]) -> list[Row]:
    found = [r for r in results if (r.problem, r.learner) == ("adult", "frontier") and r.auc]
    return [
        Row(
            "frontier on adult, a tenth of the items failing: AUC lost",
            f"at most {MAX_AUC_LOST}", f"{whole - failing:.4f}",
            whole - failing <= MAX_AUC_LOST, f"{whole:.4f} to {failing:.4f}",
        )
        for whole, failing in (result.auc for result in found)
    ]  # fmt: skip


def _lacking_rows(results: Sequence[Result]) -> list[Row]:
    rows = []
    for learner in dict.fromkeys(result.learner for result, _ in placed(results, "lacking")):
        own = [result for result in results if result.learner == learner]
        worse, cells = worse_cells(own, "lacking"), placed(own, "lacking")
        result, worst = max(cells, key=lambda pair: pair[1].z)
        what = f"{learner}, frames that lack columns: worse than LightGBM with missing values"
        detail = f"{len(cells):,} cells; worst z {worst.z:.1f}: {_named(result, worst)}"
        refused = sum(each.refused for each in own)
        detail += f"; {refused} frames refused" if refused else ""
        met = not worse and not refused if learner == "frontier" else None
        rows.append(Row(what, "0" if met is not None else "", str(len(worse)), met, detail))
    return rows


def _learner_table(results: Sequence[Result], worse: dict[str, list[Placed]]) -> str:
    rows = []
    for learner in dict.fromkeys(result.learner for result in results):
        own = [result for result in results if result.learner == learner]
        counts = []
        for kind in KINDS:
            cells = placed(own, kind)
            below = sum(result.learner == learner for result, _ in worse[kind])
            highest = max((each.z for _, each in cells), default=0.0)
            counts.append(f"{below} of {len(cells)} ({highest:.1f})" if cells else "")
        ratios = [ratio for result in own for ratio in area_ratios(result).values()]
        area = f"{np.mean(ratios):.3f}" if ratios else ""
        rows.append(
            [learner, str(len(own)), *counts, area, f"{sum(r.cpu_seconds for r in own):.0f}"]
        )
    return markdown_table(["learner", "problems", *KINDS, "area ratio", "CPU seconds"], rows)


def _legend() -> str:
    lines = [f"- **{kind}**: {about}." for kind, about in KINDS.items()]
    return "\n".join(
        [
            "Cells that are significantly worse, of all cells, and in brackets the largest z: the "
            "mean difference over its standard error, positive where the answer is worse.",
            "",
            *lines,
        ]
    )


def _area_table(results: Sequence[Result]) -> str:
    learners = list(dict.fromkeys(result.learner for result in results if result.areas))
    rows = []
    for problem in dict.fromkeys(result.problem for result in results):
        by_learner = {r.learner: area_ratios(r) for r in results if r.problem == problem}
        cells = [
            " / ".join(f"{ratio:.2f}" for ratio in by_learner.get(name, {}).values())
            for name in learners
        ]
        rows.append([problem, *cells])
    return markdown_table(["problem", *learners], rows) + (
        "\n\nFor classes the wrong answers and the log loss, for numbers the squared error."
    )


def _listed(worse: Sequence[Placed]) -> str:
    rows = [
        [r.problem, r.learner, each.situation, each.loss, f"{each.mean:.4g}",
         f"{each.reference:.4g}", f"{each.z:.1f}"]
        for r, each in worse[:MOST_LISTED]
    ]  # fmt: skip
    table = markdown_table(
        ["problem", "learner", "situation", "loss", "answer", "reference", "z"], rows
    )
    more = len(worse) - MOST_LISTED
    return table + (f"\n\nAnd {more} more." if more > 0 else "")


def _named(result: Result, each: Cell) -> str:
    return f"{result.learner} on {result.problem}, {each.situation}, {each.loss}"


def _introduction(run: Run, caps: Caps) -> str:
    problems = len({result.problem for result in run.results})
    machine = f"{os.cpu_count()} cores, {platform.machine()}; {versions()}"
    trained = ", ".join(SHARES[position] for position in TRAINED_FOR)
    return "\n\n".join(
        [
            f"Written by `make trust` ({machine}). Each learner is fitted **once**, for the price "
            f"of everything, on {problems} problems of [the study](study.md), and then asked at "
            "13 budgets from 1% to 64% of that price, with items owned or failing, and with "
            "frames that lack columns. Its losses (the share of wrong answers and the log loss, "
            "or the squared error) are compared on the same test rows with those of the prior: "
            "the most common class and the class frequencies of the training rows, or their mean.",
            f"At most {caps.train:,} rows are trained on and {caps.test:,} are asked for "
            f"({caps.failing:,} where items fail, each row with failures of its own; of wide "
            f"tables no more than {caps.cells:,} values are trained on); tables of fewer than "
            "3,000 rows are halved, and each half is tested by a model of the other. A "
            f"probability below {LEAST_PROBABILITY:g} counts as that. A difference is significant "
            f"if its one-sided p-value is below {LEVEL} after Holm's correction over all cells of "
            f"its kind. Owned are {N_SINGLE} single items and {N_SETS} random sets, without money "
            f"and with half of the full price; {FAILING:.0%} of the items of each row fail, at a "
            "tenth of the full price and at all of it. The area of the curve is compared with "
            f"that of models trained for each of five budgets ({trained}). The frontier may "
            f"search for {FRONTIER_SECONDS:g} s, all others have their defaults on the command "
            "line.",
        ]
    )


def _remarks(run: Run) -> list[str]:
    remarks = []
    if run.failed:
        lines = [f"- {name} on {problem}: {why}" for (problem, name), why in run.failed.items()]
        remarks += ["## Failed", "\n".join(lines)]
    reasons: dict[tuple[str, str], list[str]] = {}
    for (problem, name), why in run.absent.items():
        reasons.setdefault((name, why), []).append(problem)
    if reasons:
        lines = [
            f"- {name} ({why}): {', '.join(problems)}" for (name, why), problems in reasons.items()
        ]
        remarks += ["## Not tried", "\n".join(lines)]
    return remarks
