"""Gates, and cheap models that imitate dearer ones where these are not needed.

Nan and Saligrama, "Adaptive Classification for Prediction Under a Budget", NIPS 2017. Given an
accurate and dear model f0, a cheap model f1 and a gate g of the cheap columns are trained to
minimise, over them and over the probabilities q_i with which rows are sent on to f0,

    mean_i (1 - q_i) l(f1(x_i)) + q_i l(f0(x_i)) + KL(q_i || g(x_i))   with  mean_i q_i <= P,

by alternating minimisation. For fixed f1 and g the best q has a closed form up to one dual
variable; for fixed q, f1 is fitted with weights 1 - q_i, and g to q_i. Losses are those of
out-of-fold predictions, so that neither model is judged on rows that it has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.ensemble import HistGradientBoostingClassifier

from ...data.folds import Splits, splits_of, spread_folds
from ...data.training_rows import TrainingRows
from ...plans import CascadePlan, PrefixPlan
from ...plans.components.models import Model
from ...plans.contract import Plan
from ...types import Floats, Ints
from .stages import Stage
from .training import CascadeProblem, follow_in_full

#: Folds of the out-of-fold predictions that gates learn from.
N_FOLDS = 3
#: Alternations between the models and the probabilities of sending rows on: later ones change
#: little, and each costs a fit per fold of the cheap model and of the gate.
N_ALTERNATIONS = 2
#: Probabilities in losses are clipped here, so that a few sure errors do not decide.
MIN_PROBABILITY = 1e-3
#: The share of rows sent on that gates are trained for where no average budget is given.
DEFAULT_SHARE = 0.3
#: Rows that count less than this part of a row are left out of a fit.
MIN_WEIGHT = 1e-3


def default_gate() -> Any:
    """Return the classifier that is a gate unless another one is given."""
    return HistGradientBoostingClassifier(max_iter=50, max_leaf_nodes=8, min_samples_leaf=10)


@dataclass(frozen=True, eq=False)
class GateTraining:
    """How the gates of a cascade are trained.

    Parameters
    ----------
    gate : classifier
        Not fitted.
    imitate : bool
        Whether the cheap models learn the probabilities of the dearer ones, rather than the
        classes.
    average_budget : float, optional
        The mean spend that is aimed at.
    """

    gate: Any
    imitate: bool
    average_budget: float | None

    def cascade(
        self, problem: CascadeProblem, index: Ints, plans: Sequence[Plan[Any]]
    ) -> CascadePlan:
        """Return the cascade of all stages, all but the last with another model and a gate.

        The last two stages are trained first, and their answers together are the dearer model of
        the stage before.

        Parameters
        ----------
        problem : CascadeProblem
            Rows and stages.
        index : int array
            The rows to train on.
        plans : sequence of Plan
            The plan of each stage, trained on these rows.
        """
        for each in problem.stages[:-1]:
            if each.is_learner:
                raise ValueError(
                    f"{each.name} is an estimator of scrimp, which a learned gate cannot follow; "
                    "use gate='confidence', or make it the last stage."
                )
        entries, gates = list(plans), []
        rows = problem.rows.taken(index)
        fold_of = spread_folds(rows.y, N_FOLDS, np.random.default_rng(problem.seed), True)
        splits = splits_of(fold_of, N_FOLDS)
        dear = _oof_answers(problem, index, splits, len(plans) - 1)
        for stage in reversed(range(len(plans) - 1)):
            pair = _Pair(problem, problem.stages[stage], rows, problem.codes[index], splits, self)
            sent = pair.alternate(dear, self._share(problem, plans, stage))
            model, gate = pair.models(sent, dear, np.arange(len(rows)))
            entries[stage] = PrefixPlan.single(
                problem.stages[stage].items, model, problem.prior(index)
            )
            gates.append(gate)
            cheap, scores = pair.oof_predictions(sent, dear)
            dear = np.where((scores >= 0.5)[:, None], cheap, dear)
        return CascadePlan(entries, np.full(len(gates), np.inf), gates[::-1])

    def _share(self, problem: CascadeProblem, plans: Sequence[Plan[Any]], stage: int) -> float:
        """Return the share of rows to send on, by the prices of this stage and of all."""
        if self.average_budget is None:
            return DEFAULT_SHARE
        costs = problem.costs
        sets = [{i for items in plan.stages.items for i in items} for plan in plans]
        here, full = (costs.price_of(set().union(*sets[:n])) for n in (stage + 1, len(sets)))
        share = (self.average_budget - here) / (full - here) if full > here else 1.0
        return float(np.clip(share, 0.01, 0.99))


@dataclass(frozen=True, eq=False)
class _Pair:
    """A cheap stage and its gate, trained on some rows of a problem."""

    problem: CascadeProblem
    stage: Stage
    rows: TrainingRows
    codes: Ints
    splits: Splits
    training: GateTraining

    def alternate(self, dear: Floats, share: float) -> Floats:
        """Return the probabilities with which rows are sent on, given the dearer answers."""
        sent = np.full(len(self.codes), share)
        dear_losses = log_losses(dear, self.codes)
        for _ in range(N_ALTERNATIONS):
            cheap, scores = self.oof_predictions(sent, dear)
            gains = log_losses(cheap, self.codes) - dear_losses
            sent = sent_on(1.0 - scores, gains, share)
        return sent

    def oof_predictions(self, sent: Floats, dear: Floats) -> tuple[Floats, Floats]:
        """Return out-of-fold answers of the cheap model, and the gate's scores for staying."""
        cheap, scores = np.empty_like(dear), np.empty(len(dear))
        for train, test in self.splits:
            model, gate = self.models(sent, dear, train)
            cheap[test] = model.scores(self.rows.table, test)
            scores[test] = gate.scores(self.rows.table, test)[:, -1]
        return cheap, scores

    def models(self, sent: Floats, dear: Floats, index: Ints) -> tuple[Model, Model]:
        """Return the cheap model and the gate of some rows, for given probabilities."""
        classes = self.problem.target.classes
        known = np.eye(len(classes))[self.codes]
        wanted = dear if self.training.imitate else known
        weights = (1.0 - sent)[:, None] * wanted
        weights = np.maximum(weights, MIN_WEIGHT * known)  # every class stays
        cheap = self._weighted(index, classes, weights)
        stays = self._weighted(index, np.arange(2), np.column_stack([sent, 1.0 - sent]))
        model = self.problem.model(self.stage, cheap, len(classes))
        return model, self.problem.model(self.stage, stays, 2, self.training.gate)

    def _weighted(self, index: Ints, labels: Any, weights: Floats) -> TrainingRows:
        """Return rows with each label in turn, as far as it has weight."""
        weights = weights[index] * self.rows.weights_or_ones[index][:, None]
        row, label = np.nonzero(weights >= MIN_WEIGHT * weights.max(initial=0.0))
        taken = self.rows.taken(index[row])
        return replace(taken, y=labels[label], weights=weights[row, label])


def log_losses(answers: Floats, codes: Ints) -> Floats:
    """Return the log loss of each row, whose probabilities are clipped."""
    of_class = answers[np.arange(len(codes)), codes]
    return np.asarray(-np.log(np.clip(of_class, MIN_PROBABILITY, 1.0)))


def sent_on(gate: Floats, gains: Floats, share: float) -> Floats:
    """Return the probabilities of sending rows on that minimise the objective for fixed models.

    They are ``expit(logit(gate) + gains - beta)``, where the dual variable beta >= 0 is the
    least at which their mean is at most `share`.

    Parameters
    ----------
    gate : float array (rows,)
        The gate's probabilities of sending each row on.
    gains : float array (rows,)
        How much smaller the loss of the dearer model is.
    share : float
        The largest mean.

    Examples
    --------
    >>> sent = sent_on(np.full(4, 0.5), np.array([2.0, 0.0, 0.0, -2.0]), 0.25)
    >>> round(float(sent.mean()), 6), bool(sent[0] > sent[1] > sent[3])
    (0.25, True)
    """
    odds = logit(np.clip(gate, MIN_PROBABILITY, 1 - MIN_PROBABILITY)) + gains
    if expit(odds).mean() <= share:
        return np.asarray(expit(odds))
    most = float(odds.max() - logit(min(share, 0.5)) + 1.0)
    beta = brentq(lambda beta: float(expit(odds - beta).mean()) - share, 0.0, most)
    return np.asarray(expit(odds - beta))


def _oof_answers(problem: CascadeProblem, index: Ints, splits: Splits, stage: int) -> Floats:
    """Return out-of-fold probabilities of one stage."""
    answers = np.empty((len(index), len(problem.target.classes)))
    for train, test in splits:
        plan = problem.entry(problem.stages[stage], index[train])
        table = problem.rows.table[index[test]]
        answers[test] = follow_in_full([plan], problem.costs, problem.target, table)[0][:, 0]
    return answers
