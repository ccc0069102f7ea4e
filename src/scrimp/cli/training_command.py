"""The ``scrimp fit`` command that trains what ``scrimp compare`` advises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluation import Advice
    from .problem import Problem


def training_words(
    problem: Problem, advice: Advice, rounds: list[int] | None, missing: tuple[str, ...],
    seed: int, data: Path, costs: Path | None,
) -> list[str] | None:  # fmt: skip
    """The words of the command that trains what is advised; None if nothing is to be bought."""
    from ..evaluation.budget_grid import has_free_columns
    from ..evaluation.methods import METHODS, ROUNDS, task_of
    from .fit import RULE_NAMES

    free = problem.prices is not None and has_free_columns(problem.prices)
    if advice.buys_nothing and not free:
        return None
    name, _, own_rounds = advice.method.partition("/")
    method = METHODS[name]
    words = ["scrimp", "fit", str(data), "--target", problem.target]
    words += ["--costs", str(costs)] if costs is not None else []
    for column in (*problem.dropped, *problem.left_out):
        words += ["--drop", column]
    for mark in missing:
        words += ["--missing", mark]
    told = problem.task == "regression" or problem.task != task_of(problem.y)
    words += ["--task", problem.task] if told else []
    words += ["--rule", name] if name in RULE_NAMES else ["--method", name]
    if method.has_rounds:
        words += ["--rounds", own_rounds or str((rounds or [ROUNDS[problem.task]])[0])]
    if method.per_budget:
        words += ["--budget", f"{advice.point.budget:.12g}"]
    words += ["--seed", str(seed)] if seed else []
    return [*words, "--out", "model.scrimp"]
