"""Rows held out of the training of a cascade, and what its stages answer on them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...data.folds import Splits, splits_of, spread_folds
from ...data.target import Target
from ...plans import CascadePlan
from ...types import Floats, Ints
from ..cross_validation import clearly_better, evaluate_folds
from .thresholds import HeldOut
from .training import TASK, CascadeProblem, follow_in_full

#: Held-out rows with which no stage can be told to be useless.
MIN_ROWS = 10


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """What held-out rows answer after each stage.

    Parameters
    ----------
    truth : int array (rows,)
        The position of the true class.
    answers : float array (rows, stages, classes)
        Class probabilities.
    spend : float array (rows, stages)
        What has been spent after each stage.
    scores : float array (rows, stages - 1)
        What thresholds are compared with.
    """

    truth: Ints
    answers: Floats
    spend: Floats
    scores: Floats

    def judged(self, target: Target) -> HeldOut:
        """Return the rows with their labels; nobody leaves before a stage that costs no more."""
        saves = (self.spend[:, 1:] > self.spend[:, :-1]).any(axis=0)
        scores = np.where(saves, self.scores, np.nan)
        return HeldOut.of(self.truth, self.answers, self.spend, scores, target)


def check_cv(cv: Any) -> None:
    """Refuse what is neither a number of folds nor a share of rows."""
    is_share = isinstance(cv, float) and 0.0 < cv < 1.0
    is_count = isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2
    if not (is_share or is_count):
        raise ValueError(
            f"cv is {cv!r}; expected a number of folds >= 2, or a share of rows to hold out, "
            "such as 0.3."
        )


def splits_for(problem: CascadeProblem, cv: int | float) -> tuple[Splits, Ints]:
    """Return the splits into training and held-out rows, and the rows of the final training.

    There are no splits where a class has a single row.

    Parameters
    ----------
    problem : CascadeProblem
        The rows.
    cv : int or float
        A number of folds, or a share of rows.
    """
    n, codes, rng = len(problem.rows), problem.codes, np.random.default_rng(problem.seed)
    rarest = int(np.bincount(codes).min())
    if rarest < 2:
        return [], np.arange(n)
    if isinstance(cv, float):
        held = np.zeros(n, dtype=bool)
        for code in range(int(codes.max()) + 1):
            own = rng.permutation(np.flatnonzero(codes == code))
            held[own[: min(max(round(cv * len(own)), 1), len(own) - 1)]] = True
        train = np.flatnonzero(~held)
        return [(train, np.flatnonzero(held))], train
    n_folds = min(int(cv), rarest)
    return splits_of(spread_folds(codes, n_folds, rng, True), n_folds), np.arange(n)


def held_out_answers(
    problem: CascadeProblem, splits: Splits, train: Callable[[CascadeProblem, Ints], CascadePlan]
) -> HeldOutAnswers | None:
    """Return what cascades answer on rows that they were not trained on; None without splits.

    Parameters
    ----------
    problem : CascadeProblem
        Rows and stages.
    splits : list of (train, test)
        Folds; as many as there is time for.
    train : callable (problem, rows) -> CascadePlan
        Trains a cascade on some rows.
    """
    if not splits:
        return None

    def test_fold(training: Ints, test: Ints) -> HeldOutAnswers:
        cascade, table = train(problem, training), problem.rows.table[test]
        return followed(cascade, problem.costs, problem.target, table, problem.codes[test])

    parts = evaluate_folds(TASK, splits, test_fold)
    fields = ("truth", "answers", "spend", "scores")
    whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in fields}
    return HeldOutAnswers(**whole)


def followed(
    cascade: CascadePlan, costs: Costs, target: Target, table: Any, truth: Ints
) -> HeldOutAnswers:
    """Return what rows answer after each stage if none leaves early."""
    answers, spend = follow_in_full(cascade.entries, costs, target, table)
    scores = np.empty((len(table), len(cascade.gates)))
    for stage, gate in enumerate(cascade.gates):
        if gate is None:
            scores[:, stage] = answers[:, stage].max(axis=1)
        else:
            scores[:, stage] = gate.scores(table, np.arange(len(table)))[:, -1]
    return HeldOutAnswers(truth, answers, spend, scores)


def useful_stages(
    problem: CascadeProblem, held_out: HeldOutAnswers | None, *, warn: bool
) -> list[int]:
    """Return the stages that beat the prior on held-out rows and are no worse than those before.

    The losses are Brier scores; a stage is worse if its loss is larger by a standard error.

    Parameters
    ----------
    problem : CascadeProblem
        Rows and stages.
    held_out : HeldOutAnswers or None
        Without them all stages count as useful.
    warn : bool
        Whether to warn of the others.
    """
    everything = list(range(len(problem.stages)))
    if held_out is None or len(held_out.truth) < MIN_ROWS:
        return everything
    known = np.eye(held_out.answers.shape[2])[held_out.truth]
    losses = ((held_out.answers - known[:, None]) ** 2).sum(axis=2)
    prior = problem.prior(np.arange(len(problem.rows)))
    of_prior = ((prior - known) ** 2).sum(axis=1).mean()
    kept = _no_worse(losses, float(of_prior))
    for stage in sorted(set(everything).difference(kept)) if warn else ():
        warnings.warn(
            f"On held-out rows {problem.stages[stage].name} has a Brier score of "
            f"{losses[:, stage].mean():.3g}, which is no better than the class frequencies "
            f"({of_prior:.3g}) or worse than a stage before it: it is left out.",
            UserWarning,
            stacklevel=6,
        )
    return kept


def _no_worse(losses: Floats, of_prior: float) -> list[int]:
    """Return the stages whose losses are below the prior's, and not clearly above earlier ones."""
    kept: list[int] = []
    for stage in range(losses.shape[1]):
        own = losses[:, stage]
        is_worse = any(clearly_better(losses[:, other], own) for other in kept)
        if own.mean() < of_prior and not is_worse:
            kept.append(stage)
    return kept
