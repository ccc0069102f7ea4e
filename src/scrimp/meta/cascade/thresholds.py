"""The thresholds of a cascade, chosen on held-out rows.

For a cost of an error, the thresholds of all stages that make spend plus cost of errors least are
found by backward induction and then coordinate descent, each step of which is exact. Costs from
nothing to very much give a path of thresholds, from the least spend to the most. An average
budget takes the dearest of them that is within it. A limit on errors is certified by
fixed-sequence testing along the path (Angelopoulos et al., "Learn then Test", 2021), on rows that
the path was not chosen on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...costs.ledger import limit, within
from ...data.target import Target
from ...runtime.confidence_path import Outcome
from ...runtime.confidence_threshold import StopGoal, certified, within_average
from ...types import Flags, Floats, Ints

#: Costs of an error that make the path, in parts of the full price: more follow it closer.
N_COSTS = 40
#: The least and the largest of them.
COST_RANGE = (1e-2, 1e4)
#: Steps between two neighbours on the path, so that average budgets between are met closely.
N_BETWEEN = 16
#: Rounds of coordinate descent after backward induction: it seldom changes anything later.
N_ROUNDS = 3
#: The part of the rows that the path is chosen on where a limit on errors is certified.
PATH_SHARE = 1 / 3


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What held-out rows answer after each stage of a cascade.

    Parameters
    ----------
    truth : int array (rows,)
        The position of the true class.
    decided : int array (rows, stages)
        The position of the predicted class.
    spend : float array (rows, stages)
        What has been spent after the stage.
    scores : float array (rows, stages - 1)
        What is compared with the threshold of each stage but the last.
    """

    truth: Ints
    decided: Ints
    spend: Floats
    scores: Floats

    @classmethod
    def of(
        cls, truth: Ints, answers: Floats, spend: Floats, scores: Floats, target: Target
    ) -> HeldOut:
        """Return held-out rows whose answers are probabilities (rows, stages, classes)."""
        return cls(truth, target.decided(answers), spend, scores)

    def taken(self, index: Ints | Flags) -> HeldOut:
        """Return some of the rows."""
        truth, decided = self.truth[index], self.decided[index]
        return HeldOut(truth, decided, self.spend[index], self.scores[index])

    @property
    def wrong(self) -> Flags:
        """Which answers are wrong after each stage (rows, stages)."""
        return np.asarray(self.decided != self.truth[:, None])

    def last_stages(self, thresholds: Floats) -> Ints:
        """Return the stage after which each row leaves."""
        n = len(self.truth)
        leaves = np.column_stack([self.scores >= thresholds, np.ones(n, dtype=bool)])
        return np.asarray(leaves.argmax(axis=1))

    def outcome(self, thresholds: Floats) -> Outcome:
        """Return what thresholds do to the rows."""
        rows, last = np.arange(len(self.truth)), self.last_stages(thresholds)
        first = float(thresholds[0]) if len(thresholds) else np.inf
        return Outcome(first, self.truth, self.decided[rows, last], self.spend[rows, last])


@dataclass(frozen=True)
class CascadeCalibration:
    """The thresholds of a cascade, and what they do to the held-out rows.

    Parameters
    ----------
    thresholds : tuple of float
        One per stage but the last; infinite where no row leaves.
    leaving : tuple of float
        The share of rows that leave after each stage.
    error, full_error : float
        The share of wrong answers, and the same if no row leaves early.
    spend, full_spend : float
        The mean spend, and the same if no row leaves early.
    n_rows : int
        The number of held-out rows.
    """

    thresholds: tuple[float, ...]
    leaving: tuple[float, ...]
    error: float
    full_error: float
    spend: float
    full_spend: float
    n_rows: int


def calibration_of(held_out: HeldOut, thresholds: Floats) -> CascadeCalibration:
    """Return what thresholds do to held-out rows."""
    last, outcome = held_out.last_stages(thresholds), held_out.outcome(thresholds)
    n_stages = held_out.decided.shape[1]
    full = held_out.outcome(np.full(n_stages - 1, np.inf))
    shares = np.bincount(last, minlength=n_stages) / max(len(last), 1)
    return CascadeCalibration(
        tuple(thresholds.tolist()), tuple(shares.tolist()), float(outcome.wrong.mean()),
        float(full.wrong.mean()), float(outcome.spend.mean()), float(full.spend.mean()), len(last),
    )  # fmt: skip


def best_cut(scores: Floats, saved: Floats) -> float:
    """Return the threshold that makes the sum of `saved` over scores at or above it largest.

    It lies halfway between two scores; infinity where no score is worth it.

    >>> best_cut(np.array([0.9, 0.5, 0.7]), np.array([2.0, -1.0, 0.5]))
    0.6
    """
    if not len(scores):
        return np.inf
    order = np.argsort(-scores, kind="stable")
    ranked, sums = scores[order], np.cumsum(saved[order])
    ends = np.flatnonzero(np.append(ranked[:-1] > ranked[1:], True))
    if sums[ends].max() <= 0:
        return np.inf
    end = ends[int(sums[ends].argmax())]
    if end == len(ranked) - 1:
        return -np.inf
    return float((ranked[end] + ranked[end + 1]) / 2.0)


def cheapest_thresholds(held_out: HeldOut, error_cost: float) -> Floats:
    """Return thresholds that make mean spend plus cost of errors small on held-out rows.

    With one threshold it is the smallest there is; with more, no single threshold can be
    changed for the better.
    """
    losses = held_out.spend + error_cost * held_out.wrong
    n, n_cuts = held_out.scores.shape
    thresholds = np.full(n_cuts, np.inf)
    for step in range(1 + N_ROUNDS):
        before = thresholds.copy()
        for stage in reversed(range(n_cuts)):
            # backward induction first: as if every row came to the stage
            left = (held_out.scores[:, :stage] >= thresholds[:stage]).any(axis=1)
            arrived = np.asarray(~left if step else np.ones(n, dtype=bool))
            later = held_out.taken(arrived)
            ahead = np.where(np.arange(n_cuts) <= stage, np.inf, thresholds)
            last = later.last_stages(ahead)
            rows = np.flatnonzero(arrived)
            saved = losses[rows, last] - losses[rows, stage]
            thresholds[stage] = best_cut(later.scores[:, stage], saved)
        if step and np.array_equal(before, thresholds):
            break
    return thresholds


def threshold_path(held_out: HeldOut, rows: HeldOut) -> list[Floats]:
    """Return thresholds from the most spend to the least, for ever smaller costs of an error.

    Parameters
    ----------
    held_out : HeldOut
        The rows on which the path is chosen.
    rows : HeldOut
        The rows whose scores say what lies between two points of the path.
    """
    full = max(float(held_out.spend.max(initial=0.0)), np.finfo(float).tiny)
    n_cuts = held_out.scores.shape[1]
    costs = full * np.geomspace(*COST_RANGE, N_COSTS)[::-1]
    corners = [np.full(n_cuts, np.inf)]
    corners += [cheapest_thresholds(held_out, float(cost)) for cost in costs]
    corners.append(np.concatenate([np.full(min(n_cuts, 1), -np.inf), corners[-1][1:]]))
    path = [corners[0]]
    for above, below in pairwise(corners):
        if np.array_equal(above, below):
            continue
        one, other = _shares(rows.scores, above), _shares(rows.scores, below)
        for step in range(1, N_BETWEEN):
            path.append(_cuts(rows.scores, one + (other - one) * step / N_BETWEEN))
        path.append(below)
    return path


def _shares(scores: Floats, thresholds: Floats) -> Floats:
    """Return the share of scores at or above each threshold."""
    return np.asarray((scores >= thresholds).mean(axis=0))


def _cuts(scores: Floats, shares: Floats) -> Floats:
    """Return thresholds that about these shares of scores are at or above."""
    n = len(scores)
    ranked = -np.sort(-scores, axis=0)
    counts = np.floor(shares * n + 1e-9).astype(np.int64)
    cuts = [
        np.inf if not count else -np.inf if count >= n else ranked[count - 1, stage]
        for stage, count in enumerate(counts.tolist())
    ]
    return np.array(cuts)


def chosen_thresholds(held_out: HeldOut, goal: StopGoal, seed: int) -> Floats:
    """Return the thresholds that reach a goal, and raise ValueError if none do.

    Parameters
    ----------
    held_out : HeldOut
        Rows that the cascade was not trained on.
    goal : StopGoal
        A limit on the increase of errors, on errors, or on the mean spend.
    seed : int
        Divides the rows into those that the path is chosen on and those that certify.
    """
    n = len(held_out.truth)
    if goal.limit is None:
        chosen_on = judged = held_out
        goal = _reachable(goal, held_out)
    else:
        mine = np.random.default_rng(seed).permutation(n) < PATH_SHARE * n
        chosen_on, judged = held_out.taken(mine), held_out.taken(~mine)
    path = threshold_path(chosen_on, judged)
    outcomes = [judged.outcome(thresholds) for thresholds in path]
    choose = within_average if goal.limit is None else certified
    best = choose(goal, outcomes[0], outcomes)
    return next(cuts for cuts, each in zip(path, outcomes, strict=True) if each is best)


def _reachable(goal: StopGoal, held_out: HeldOut) -> StopGoal:
    """Return a goal that the first stage alone reaches, up to rounding; raise ValueError if not."""
    cap, least = float(goal.average_budget or 0.0), float(held_out.spend[:, 0].mean())
    if not within(least, cap):
        raise ValueError(
            f"average_budget is {cap:g}, but the first stage alone costs {least:g} on average, "
            f"which every row pays. The nearest average that can be reached is {least:g}: give "
            "that much, or a cheaper first stage."
        )
    return replace(goal, average_budget=max(limit(cap), least))
