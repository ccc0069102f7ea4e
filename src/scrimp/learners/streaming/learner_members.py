"""Weak learners as the members of a plan, and that plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...plans.components.inputs import Inputs
from ...plans.components.members import Members
from ...plans.components.tree_table import TreeTable
from ...plans.contract import StageTable
from ...plans.ensemble import EnsemblePlan
from ...types import Floats
from .stream_booster import StreamBooster
from .stream_rows import StreamRows
from .weak_learner import LearnerKind


def ensemble_plan(
    kind: LearnerKind, booster: StreamBooster, inputs: Inputs, costs: Costs, averaged: bool
) -> EnsemblePlan:
    """Return the plan of the learners that have grown; the others are part of its base.

    A learner was taught what all before it leave, so that the sum ends where one of them cannot be
    paid for or has failed: beyond it the answers might be worse than the prior.

    Parameters
    ----------
    kind, booster, inputs, averaged
        As in `members_of`.
    costs : Costs
        Prices of the columns.
    """
    table, base = members_of(kind, booster, inputs, costs.n_columns, averaged)
    owners = costs.owners
    items = tuple(tuple(np.unique(owners[list(reads)]).tolist()) for reads in table.reads)
    radius = np.inf if booster.loss.is_smooth else booster.radius
    return EnsemblePlan(StageTable(items), table, base, "stop", booster.combine, radius)


def members_of(
    kind: LearnerKind, booster: StreamBooster, inputs: Inputs, n_columns: int, averaged: bool
) -> tuple[Members, Floats]:
    """Return the learners that read something, and the base; others are part of what is before.

    Parameters
    ----------
    kind : LearnerKind
        Of the learners.
    booster : StreamBooster
        What has learnt.
    inputs : Inputs
        How columns become inputs, now.
    n_columns : int
        Of the rows.
    averaged : bool
        Whether each learner answers with the mean over time of its hypotheses.
    """
    base = np.array(booster.start, dtype=np.float64)
    blank = np.full((1, n_columns), np.nan)
    grown: list[Any] = []
    factors: list[float] = []
    offsets: list[Floats] = []
    for learner, step in zip(booster.learners, booster.steps.tolist(), strict=True):
        if len(learner.reads):
            grown.append(learner)
            factors.append(-step)
            offsets.append(np.zeros_like(base))
            continue
        if averaged:
            alone = kind.members(
                [learner], np.array([-step]), np.zeros((1, len(base))), inputs, averaged
            )  # fmt: skip
            constant = alone.votes_on(blank, np.zeros(1, dtype=np.int64))[0, :, 0]
        else:
            no_cuts = np.zeros((n_columns, 1)), np.zeros(n_columns, dtype=np.int64)
            constant = -step * learner.predict(StreamRows(blank, *no_cuts, inputs))[0]
        if grown:
            offsets[-1] = offsets[-1] + constant
        else:
            base = base + constant
    if not grown:
        return _no_trees(len(base)), base
    return kind.members(grown, np.array(factors), np.array(offsets), inputs, averaged), base


def _no_trees(n_outputs: int) -> TreeTable:
    ints, floats = np.zeros(0, dtype=np.int64), np.zeros(0)
    return TreeTable(ints, ints, floats, ints, ints, ints, np.zeros((0, n_outputs)))
