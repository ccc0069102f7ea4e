"""The page of the benchmark: a table per problem, of what was run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.acquisition import references
from benchmarks.acquisition.published import ACCURACIES, MEANS
from benchmarks.study.methods import Method
from benchmarks.study.results import Result
from reporting.page import markdown_table
from scrimp.io.atomic import write_atomically


def page_part(results: Sequence[Result], methods: Sequence[Method], work: Path) -> str:
    """Return the tables of all problems that have results, in Markdown."""
    parts = []
    for problem in dict.fromkeys(result.problem for result in results):
        own = [result for result in results if result.problem == problem]
        parts.append(f"### {problem}\n\n{_table(problem, own, methods, work)}\n")
    return "\n".join(parts)


def _table(problem: str, results: list[Result], methods: Sequence[Method], work: Path) -> str:
    """Return the accuracies of one problem, those of several seeds averaged."""
    kind = problem.removesuffix("-full")
    budgets = results[0].budgets
    shown = _shown(budgets)
    lines = []
    for method in methods:
        own = [result for result in results if result.method == method.name]
        if own:
            accuracies = 100 * (1 - np.mean([result.errors for result in own], axis=0))
            spend = float(np.mean([result.spends[-1] for result in own]))
            lines.append(_line(method.title, accuracies, shown, f"{spend:.3g}"))
    for title, values in _kept_lines(kind, budgets, work).items():
        lines.append(_line(f"*{title}*", 100 * np.array(values), shown, ""))
    for title, points in ACCURACIES.get(kind, {}).items():
        values = np.array([points.get(budget, np.nan) for budget in budgets])
        lines.append(_line(f"*{title}, published*", values, shown, ""))
    for title, mean in MEANS.get(kind, {}).items():
        lines.append([f"*{title}, published*", *[""] * len(shown), f"{mean:.1f}", ""])
    n, columns = results[0].shape
    about = f"{n:,} rows, {columns} columns, full price {results[0].total:.4g}."
    header = ["accuracy, %", *(f"{budgets[k]:.3g}" for k in shown), "mean", "spent at the last"]
    return f"{about}\n\n{markdown_table(header, lines)}"


def _shown(budgets: list[float]) -> list[int]:
    """Return the budgets that have a column: of many, some."""
    n = len(budgets)
    return list(range(n)) if n <= 8 else sorted({0, 2, 4, 6, 9, n - 4, n - 1})


def _line(title: str, values: np.ndarray, shown: list[int], spend: str) -> list[str]:
    mean = "" if np.isnan(values).any() else f"{values.mean():.1f}"
    cells = ["" if np.isnan(values[k]) else f"{values[k]:.1f}" for k in shown]
    return [title, *cells, mean, spend]


def _kept_lines(kind: str, budgets: list[float], work: Path) -> dict[str, list[float]]:
    """Return the reference lines of a problem, which are kept in the folder of results."""
    path = work / f"reference-{kind}.json"
    key = {"rows": references.N_ROWS, "budgets": budgets}
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["key"] == key:
            return dict(kept["lines"])
    lines = references.lines(kind, tuple(budgets))
    work.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps({"key": key, "lines": lines}).encode())
    return lines
