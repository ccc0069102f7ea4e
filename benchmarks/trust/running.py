"""Measures learners on problems; stored results are not computed again."""

from __future__ import annotations

import json
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.study.datasets import PROBLEMS
from benchmarks.study.measuring import row_areas
from benchmarks.study.problems import Problem
from benchmarks.study.splits import processor_clock
from benchmarks.trust import situations
from benchmarks.trust.cells import Cell, cell
from benchmarks.trust.learners import Learner
from benchmarks.trust.situations import SHARES, Measured
from benchmarks.trust.trials import Caps, Trial, trials_of
from scrimp.io.atomic import write_atomically
from scrimp.kernels.compile_time import use_clock

#: To be raised when stored results would no longer be those of this code.
VERSION = 2
#: Positions in the grid of the budgets that a learner is also trained for.
TRAINED_FOR = (0, 3, 6, 9, 12)


@dataclass(frozen=True)
class Result:
    """The cells of a learner on a problem.

    Parameters
    ----------
    recipe : dict
        All settings that it depends on.
    cells : list of Cell
        All comparisons.
    areas : dict
        Per loss, the area of the model that was fitted once, and that of one model per budget.
    auc : list of float
        Of two classes: AUC at the full price, without failures and with them.
    cpu_seconds : float
        The time of the processor for everything, of all threads.
    refused : int
        Frames that lack columns and that the model refused.
    """

    recipe: dict[str, Any]
    cells: list[Cell]
    areas: dict[str, list[float]]
    auc: list[float]
    cpu_seconds: float
    refused: int = 0

    @property
    def problem(self) -> str:
        """Return the name of the problem."""
        return str(self.recipe["problem"])

    @property
    def learner(self) -> str:
        """Return the name of the learner."""
        return str(self.recipe["learner"])


@dataclass
class Run:
    """The results of a run, why some are absent, and what went wrong."""

    results: list[Result] = field(default_factory=list)
    absent: dict[tuple[str, str], str] = field(default_factory=dict)
    failed: dict[tuple[str, str], str] = field(default_factory=dict)


def run(
    problems: Sequence[str], learners: Iterable[Learner], caps: Caps, work: Path,
    again: Sequence[str] = (), tell: Callable[[str], Any] = print,
) -> Run:  # fmt: skip
    """Measure all learners on all problems; results in the folder `work` are reused."""
    done, learners = Run(), list(learners)
    for name in problems:
        problem: Problem | None = None
        for learner in learners:
            recipe = recipe_of(name, learner, caps)
            path = work / f"{name}-{learner.name}.json"
            result = None if learner.name in again else find(path, recipe)
            if result is None:
                problem = problem or PROBLEMS[name]()
                reason = learner.reason_against(problem)
                if reason:
                    done.absent[name, learner.name] = reason
                    continue
                try:
                    result = measured(problem, learner, caps, recipe)
                except Exception as error:
                    done.failed[name, learner.name] = f"{type(error).__name__}: {error}"
                    tell(f"{name}, {learner.name}: FAILED\n{traceback.format_exc()}")
                    continue
                work.mkdir(parents=True, exist_ok=True)
                write_atomically(path, json.dumps(asdict(result)).encode())
            worst = max(result.cells, key=lambda each: each.z if each.kind == "budget" else -9e9)
            tell(
                f"{name}, {learner.name}: {result.cpu_seconds:.1f} s, worst z {worst.z:.1f} "
                f"({worst.situation}, {worst.loss})"
            )
            done.results.append(result)
    return done


def recipe_of(problem: str, learner: Learner, caps: Caps) -> dict[str, Any]:
    """Return all settings that a result depends on."""
    return {
        "version": VERSION, "problem": problem, "learner": learner.name, "caps": asdict(caps),
        "settings": dict(learner.recipe), "budgets": list(SHARES), "trained": list(TRAINED_FOR),
    }  # fmt: skip


def find(path: Path, recipe: dict[str, Any]) -> Result | None:
    """Return a stored result, if it is of this recipe and can be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        cells = [Cell(**each) for each in content.pop("cells")]
        result = Result(cells=cells, **content)
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None
    return result if result.recipe == recipe else None


def measured(problem: Problem, learner: Learner, caps: Caps, recipe: dict[str, Any]) -> Result:
    """Return the result of a learner on all trials of a problem."""
    start = time.process_time()
    with warnings.catch_warnings(), use_clock(processor_clock):
        warnings.simplefilter("ignore")
        tried = [_try(trial, learner, caps) for trial in trials_of(problem, caps)]
    losses, groups = _joined([each.losses for each in tried]), _groups(problem, tried)
    lacking = _joined([each.lacking for each in tried])
    references = _joined([each.references for each in tried])
    cells = _cells(losses, groups)
    cells += [cell(*key, lacking[key], references[key], groups) for key in lacking]
    areas = _areas(losses, tried[0].trial.budgets[list(TRAINED_FOR)])
    auc = np.mean([each.auc for each in tried], axis=0).tolist() if tried[0].auc else []
    refused = sum(each.refused for each in tried)
    return Result(recipe, cells, areas, auc, time.process_time() - start, refused)


@dataclass(frozen=True, eq=False)
class _Tried:
    """The losses of one trial; `references` are those of LightGBM for `lacking`."""

    trial: Trial
    losses: Measured
    lacking: Measured
    references: Measured
    auc: list[float]
    refused: int


def _try(trial: Trial, learner: Learner, caps: Caps) -> _Tried:
    model = learner.make(trial, None).fit(*trial.fitted_on)
    losses = situations.asked_at_budgets(trial, model)
    losses |= situations.asked_with_owned(trial, model)
    losses |= situations.asked_with_failures(trial, model, caps)
    for loss, values in trial.prior_losses(trial.test).items():
        losses["prior", "test", loss] = values
    for loss, values in trial.prior_losses(situations.failing_rows(trial, caps)).items():
        losses["prior", "failing", loss] = values
    if learner.takes_budget:
        losses |= _trained_for_each(trial, learner)
    lacking, references, refused = (
        situations.asked_with_lacking_columns(trial, model)
        if learner.answers_without
        else ({}, {}, 0)
    )
    return _Tried(trial, losses, lacking, references, _auc(trial, model, caps), refused)


def _trained_for_each(trial: Trial, learner: Learner) -> Measured:
    """Return the losses of models that were trained for the budget they are asked at."""
    losses: Measured = {}
    for position in TRAINED_FOR:
        budget = float(trial.budgets[position])
        model = learner.make(trial, budget).fit(*trial.fitted_on)
        sweep = model.sweep(trial.problem.X[trial.test], [budget])
        losses |= situations.losses_of_sweep(
            trial, trial.test, "trained", [SHARES[position]], sweep, model
        )
    return losses


def _auc(trial: Trial, model: Any, caps: Caps) -> list[float]:
    if trial.problem.task != "binary" or not hasattr(model, "predict_proba"):
        return []
    y = trial.problem.y[situations.failing_rows(trial, caps)]
    scores = situations.scores_of_failing(trial, model, caps)
    return [float(roc_auc_score(y, each)) for each in scores]


def _joined(parts: Sequence[Measured]) -> Measured:
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def _groups(problem: Problem, tried: Sequence[_Tried]) -> np.ndarray | None:
    """Return the groups of the test rows, if there are any."""
    if problem.queries is None:
        return None
    rows = np.concatenate([each.trial.test for each in tried])
    return np.asarray(np.unique(problem.queries[rows], return_inverse=True)[1])


def _cells(losses: Measured, groups: np.ndarray | None) -> list[Cell]:
    """Return the comparisons with the prior, and with less bought."""
    cells = []
    for (kind, situation, loss), values in losses.items():
        if kind in ("budget", "owned", "failed"):
            prior = losses["prior", "failing" if kind == "failed" else "test", loss]
            group = None if groups is None else groups[: len(values)]
            cells.append(cell(kind, situation, loss, values, prior, group))
        if kind == "owned" and not situation.startswith("nothing"):
            less = losses[kind, f"nothing, {situation.rpartition(', ')[2]}", loss]
            cells.append(cell("less owned", situation, loss, values, less, groups))
    for (_, at, loss), (_, before, other) in _pairs(losses):
        values, less = losses["budget", at, loss], losses["budget", before, other]
        cells.append(cell("less bought", f"{at} against {before}", loss, values, less, groups))
    return cells


def _pairs(losses: Measured) -> list[tuple[tuple[str, str, str], tuple[str, str, str]]]:
    """Return a budget and a smaller one, for all pairs."""
    at = [key for key in losses if key[0] == "budget"]
    return [(key, before) for before, key in combinations(at, 2) if key[2] == before[2]]


def _areas(losses: Measured, budgets: np.ndarray) -> dict[str, list[float]]:
    """Return the areas of both curves; empty where nothing was trained for each budget."""
    areas = {}
    for loss in dict.fromkeys(key[2] for key in losses if key[0] == "trained"):
        names = [SHARES[position] for position in TRAINED_FOR]
        curves = [
            np.column_stack([losses[kind, name, loss] for name in names])
            for kind in ("budget", "trained")
        ]
        areas[loss] = [float(row_areas(curve, budgets).mean()) for curve in curves]
    return areas
