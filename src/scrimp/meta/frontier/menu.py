"""The menu of a frontier: the winner of the race at each budget, with calibrated probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.target import Target
from ...plans import CalibratedPlan, MenuPlan, PrefixPlan
from ...plans.components.calibrators import PowerCalibrators
from ...plans.contract import Plan
from ...plans.priced_plan import PricedPlan
from ...types import Floats
from ..calibration.calibrators import Labelled, fit_temperature
from .racing import Race
from .selection_bias import corrected_losses
from .trained import Trained, items_of, mean_of
from .training_target import TrainingTarget


@dataclass(frozen=True)
class Chosen:
    """One entry of the menu: what is used at a budget, and its cross-validated loss.

    Parameters
    ----------
    budget : float
        The budget that it was trained for.
    price : float
        Its price, and so the smallest budget at which it is used.
    candidate : str
        The name of the candidate; names joined by + are the mean of several.
    loss : float
        The out-of-fold share of mistakes, or the mean squared error, corrected for the
        optimism of having selected the best of many.
    standard_error : float
        The standard error of `loss`.
    selection_loss : float
        What entries are selected by, less being better, corrected in the same way: half the
        Brier score, or the mean squared error; with `scoring`, minus the score.
    """

    budget: float
    price: float
    candidate: str
    loss: float
    standard_error: float
    selection_loss: float

    @property
    def brier(self) -> float:
        """The `selection_loss`, which is half the Brier score unless there is a `scoring`."""
        return self.selection_loss


def make_menu(
    race: Race, models: Mapping[str, Trained], names: Sequence[str | None]
) -> tuple[Plan[Any], list[Chosen]]:
    """Return a plan of the winners at each budget, and its entries from cheap to expensive.

    A winner that is not better than the prior and the entries before it is left out, also once
    the optimism of the selection is corrected.

    Parameters
    ----------
    race : Race
        The out-of-fold losses of the candidates.
    models : mapping of Trained
        The trained winners, by name.
    names : sequence of str or None
        The winner at each budget; None where nothing is bought.
    """
    problem, oof = race.problem, race.out_of_fold()
    selected, losses = corrected_losses(oof, problem.seed)
    chosen, entries, lowest = [], [], oof.prior_selection.mean()
    for budget in oof.offered(names):
        name = names[budget]
        if name is None or selected[budget] >= lowest:
            continue
        entry = _entry(race, models, name, budget)
        if entry is None:
            continue
        error = standard_error(oof.losses[name][budget])
        price = PricedPlan(entry, problem.costs).price
        # the bootstrap is noisy too: a figure is never better than what was measured
        loss = max(losses[budget], oof.losses[name][budget].mean())
        figures = float(loss), error, float(selected[budget])
        lowest = selected[budget]
        chosen.append(Chosen(problem.budgets[budget], price, name, *figures))
        entries.append(entry)
    prior = PrefixPlan.constant(problem.target.prior)
    if not entries:
        return prior, chosen
    fallback = race.fallback([set(), *map(items_of, entries)])
    return MenuPlan([prior, *entries], fallback), chosen


def in_use(entries: Sequence[Chosen]) -> list[bool]:
    """Return which entries of a menu a budget uses: those that no later one is as cheap as.

    A budget uses the last entry that it pays for. The others are used where items have failed
    or are owned already.
    """
    cheapest, used = math.inf, []
    for entry in reversed(entries):
        used.append(entry.price < cheapest)
        cheapest = min(cheapest, entry.price)
    return used[::-1]


def standard_error(row_losses: Floats) -> float:
    """Return the standard error of a mean loss."""
    return float(row_losses.std() / np.sqrt(len(row_losses)))


def _entry(race: Race, models: Mapping[str, Trained], name: str, budget: int) -> Plan[Any] | None:
    """Return the plan of a candidate for a budget; None if it buys and reads nothing."""
    trained = mean_of(name, models)
    if trained is None:
        return None
    try:
        plan, target = trained.plan(budget)
    except ValueError:  # there is nothing to buy, or a class is lacking
        return None
    if not items_of(plan) and not plan.columns_read.size:
        return None
    if not race.problem.target.n_classes:
        return plan
    predictions = np.concatenate([scores.predictions[budget] for scores in race.scores[name]])
    rows = race.problem.target.subset(np.concatenate(race.validation.tested()))
    return calibrated(plan, target, predictions, rows, race.problem.target.prior)


def calibrated(
    plan: Plan[Any], target: Target, predictions: Floats, rows: TrainingTarget, prior: Floats
) -> Plan[Any]:
    """Return the plan with probabilities calibrated by a temperature, which keeps labels.

    Parameters
    ----------
    plan, target
        The plan, and how its scores are read.
    predictions : float array (rows, classes)
        Out-of-fold probabilities.
    rows : TrainingTarget
        The true classes of these rows.
    prior : float array (classes,)
        The probabilities without any purchase.
    """
    logs = np.log(np.clip(predictions, 1e-6, 1.0))
    labelled = Labelled(logs, rows.y.astype(np.int64), rows.weights / rows.weights.mean())
    slope, shift = np.ones(rows.n_classes), np.zeros(rows.n_classes)
    if not labelled.is_flat:
        slope, shift = fit_temperature(labelled)
    return CalibratedPlan(plan, target, [1.0], PowerCalibrators(slope[None], shift[None]), prior)
