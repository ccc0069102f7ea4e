"""Runs methods on problems; stored results are not computed again."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study.measuring import ndcg
from benchmarks.study.methods import Method
from benchmarks.study.prices import GRID
from benchmarks.study.problems import Loader, Problem
from benchmarks.study.results import Result, find, pack, save
from benchmarks.study.splits import (
    INNER,
    OUTER,
    SMALL,
    TUNING_ROWS,
    Part,
    parts_of,
    processor_clock,
)
from benchmarks.study.tuning import SLACK, Fitted
from scrimp import CostMeter
from scrimp.kernels.compile_time import use_clock

#: To be raised when stored results would no longer be those of the code.
VERSION = 1


class Overspent(AssertionError):
    """Raised if a method was charged more than it was allowed."""


@dataclass
class Study:
    """The results of a run.

    Parameters
    ----------
    results : list of Result
        In the order of problems, seeds and methods.
    absent : dict
        Why a method has no result on a problem, by both names.
    failed : dict
        What went wrong, by both names.
    """

    results: list[Result] = field(default_factory=list)
    absent: dict[tuple[str, str], str] = field(default_factory=dict)
    failed: dict[tuple[str, str], str] = field(default_factory=dict)


def run(
    problems: Mapping[str, Loader],
    methods: Sequence[Method],
    seeds: Iterable[int],
    work: Path,
    again: Sequence[str] = (),
    study: Study | None = None,
    tell: Callable[[str], Any] = print,
    progress: Callable[[str], Any] = lambda text: None,
) -> Study:
    """Run all methods on all problems, one at a time; stored results are reused.

    Parameters
    ----------
    problems : mapping of name to loader
        Loaded only if something is left to do.
    methods : sequence of Method
        In the order they run.
    seeds : iterable of int
        Each draws new prices, splits and folds.
    work : Path
        The folder of results.
    again : sequence of str
        Methods whose results are not taken from there.
    study : Study, optional
        What is added to.
    tell, progress : callable
        Called with what is done, and with the progress of the current step.
    """
    study, seeds = study or Study(), list(seeds)
    total, count = len(problems) * len(seeds) * len(methods), 0
    for name, load in problems.items():
        problem: Problem | None = None
        for seed in seeds:
            for method in methods:
                count += 1
                recipe = recipe_of(name, seed, method)
                result = None if method.name in again else find(
                    work, name, seed, method.name, recipe
                )  # fmt: skip
                where = f"[{count}/{total}] {name}, seed {seed}, {method.title}"
                if result is None:
                    problem = problem or load()
                    reason = method.reason_against(problem)
                    if reason:
                        study.absent[name, method.name] = reason
                        continue
                    result = _attempt(study, problem, seed, method, recipe, where, tell, progress)
                    if result is None:
                        continue
                    save(work, result)
                    tell(f"{where}: {result.seconds:.1f} s, error {result.errors.mean():.4g}")
                else:
                    tell(f"{where}: kept")
                study.results.append(result)
    return study


def recipe_of(problem: str, seed: int, method: Method) -> dict[str, Any]:
    """Return all settings that a result depends on."""
    recipe = {
        "version": VERSION,
        "problem": problem,
        "seed": seed,
        "grid": GRID.round(6).tolist(),
        "rows": {"small": SMALL, "outer": OUTER, "inner": INNER, "tuning": TUNING_ROWS},
        "method": method.name,
        "seconds": method.seconds,
        "settings": dict(method.recipe),
    }
    return dict(json.loads(json.dumps(recipe)))  # as it is read again


def _attempt(
    study: Study, problem: Problem, seed: int, method: Method, recipe: dict[str, Any],
    where: str, tell: Callable[[str], Any], progress: Callable[[str], Any],
) -> Result | None:  # fmt: skip
    try:
        return measured(problem, seed, method, recipe, lambda text: progress(f"{where}: {text}"))
    except Exception as error:
        study.failed[problem.name, method.name] = f"{type(error).__name__}: {error}"
        tell(f"{where}: FAILED\n{traceback.format_exc()}")
        return None


def measured(
    problem: Problem, seed: int, method: Method, recipe: dict[str, Any],
    progress: Callable[[str], Any] = lambda text: None,
) -> Result:  # fmt: skip
    """Return the result of a method on all parts of a problem."""
    seconds, cpu, tried, planned = 0.0, 0.0, 0, 0
    tested: list[_Tested] = []
    parts = parts_of(problem, seed, method.seconds, tell=progress)
    for made in parts:
        start, used = time.perf_counter(), time.process_time()
        part = replace(made, begun=processor_clock())
        with use_clock(processor_clock):
            trained = method.train(part)
        seconds += time.perf_counter() - start
        cpu += time.process_time() - used
        tried, planned = tried + trained.tried, planned + trained.planned
        tested.append(_test(part, trained.fitted))
    rows = np.concatenate([part.test for part in parts])
    sizes = [len(part.test) for part in parts]
    answers = np.concatenate([one.answers for one in tested])
    queries = None if problem.queries is None else problem.queries[rows]
    losses = np.column_stack([problem.losses(predicted, rows) for predicted in answers.T])
    return Result(
        recipe, problem.name, method.name, seed, list(problem.X.shape), problem.task,
        parts[0].costs.total, parts[0].budgets.tolist(),
        prices=np.max([one.prices for one in tested], axis=0).tolist(),
        spends=np.average([one.spends for one in tested], axis=0, weights=sizes).tolist(),
        losses=pack(losses, problem.task == "regression"),
        groups=None if queries is None else np.unique(queries, return_inverse=True)[1].tolist(),
        seconds=seconds, cpu_seconds=cpu, tried=tried, planned=planned,
        ndcg=[] if queries is None else [ndcg(p, problem.y[rows], queries) for p in answers.T],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Tested:
    """Answers (rows x budgets), and at each budget the price and the mean spend."""

    answers: np.ndarray
    prices: list[float]
    spends: list[float]


def _test(part: Part, fitted: Sequence[Fitted | None]) -> _Tested:
    """Predict all test rows at all budgets, and charge for it."""
    answers, prices, spends = [], [], []
    seen: dict[int, tuple[np.ndarray, float, float]] = {}
    prior = np.full(len(part.test), part.problem.prior(part.train))
    for model, budget in zip(fitted, part.budgets, strict=True):
        if model is None:
            outcome = (prior, 0.0, 0.0)
        else:
            outcome = seen.get(id(model)) or _asked(part, model)
            seen[id(model)] = outcome
        if outcome[1] > budget * SLACK:
            raise Overspent(
                f"A model of price {outcome[1]:.6g} was given for a budget of {budget:.6g}."
            )
        for values, value in zip((answers, prices, spends), outcome, strict=True):
            values.append(value)
    return _Tested(np.column_stack(answers), prices, spends)


def _asked(part: Part, fitted: Fitted) -> tuple[np.ndarray, float, float]:
    X = fitted.table(part.test)
    spend = CostMeter(fitted.costs).spend(fitted.model, X)
    price = float(spend.max()) if fitted.keeps_ledger else fitted.price
    return fitted.answer(X), price, float(spend.mean())
