"""The menu of a frontier: the winner of the race at each budget, with calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.target import Target
from ...plans import CalibratedPlan, MenuPlan, PrefixPlan
from ...plans.components.calibrators import PowerCalibrators
from ...plans.contract import Plan
from ...types import Floats
from ..calibration.calibrators import Labelled, fit_temperature
from .racing import Race
from .trained import Trained, items_of, mean_of
from .training_target import TrainingTarget


@dataclass(frozen=True)
class Chosen:
    """One entry of the menu: what is used at a budget, and its cross-validated loss.

    Parameters
    ----------
    budget : float
        The smallest budget at which it is used.
    price : float
        Its price.
    candidate : str
        The name of the candidate; names joined by + are the mean of several.
    loss : float
        The out-of-fold share of mistakes, or the mean squared error.
    standard_error : float
        The standard error of `loss`.
    """

    budget: float
    price: float
    candidate: str
    loss: float
    standard_error: float


def make_menu(
    race: Race, models: Mapping[str, Trained], names: Sequence[str | None]
) -> tuple[Plan[Any], list[Chosen]]:
    """Return a plan of the winners at each budget, and its entries from cheap to expensive.

    A winner that is not better than the entries before it is left out.

    Parameters
    ----------
    race : Race
        The out-of-fold losses of the candidates.
    models : mapping of Trained
        The trained winners, by name.
    names : sequence of str or None
        The winner at each budget; None where nothing is bought.
    """
    problem, losses, brier = race.problem, race.losses(), race.brier()
    chosen, entries = [], []
    lowest = float(race.prior_brier().mean())
    for budget, name in enumerate(names):
        if name is None or brier[name][budget].mean() >= lowest:
            continue
        entry = _entry(race, models, name, budget)
        if entry is None:
            continue
        lowest = float(brier[name][budget].mean())
        row_losses, price = losses[name][budget], problem.costs.price_of(items_of(entry))
        error = float(row_losses.std() / np.sqrt(len(row_losses)))
        loss = float(row_losses.mean())
        chosen.append(Chosen(problem.budgets[budget], price, name, loss, error))
        entries.append(entry)
    prior = PrefixPlan.constant(problem.target.prior)
    return (MenuPlan([prior, *entries]) if entries else prior), chosen


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
