"""Choice of settings by cross-validation: the best affordable one per budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.study.splits import Part
from scrimp import CostMeter, Costs

#: Prices are sums of floats: three items at 0.1 fit in 0.3.
SLACK = 1.0 + 1e-9

Setting = tuple[Any, ...]


@dataclass(frozen=True)
class Candidate:
    """A setting that was tried.

    Parameters
    ----------
    setting : tuple
        What it is.
    error : float
        Mean loss of the rows held out, over the inner folds.
    price : float
        Of the costliest of the folds' models.
    """

    setting: Setting
    error: float
    price: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model with its table, costs and predictions.

    Parameters
    ----------
    model : object
        What the meter reads.
    costs : Costs
        Prices of the columns of the table that the model reads.
    table : callable
        Makes that table of rows of the problem.
    answer : callable
        Classes, or numbers, from the table.
    keeps_ledger : bool
        Whether the model itself keeps each row within the budget, as scrimp's do. Its price is
        then what the costliest row spends.
    """

    model: Any
    costs: Costs
    table: Callable[[np.ndarray], Any]
    answer: Callable[[Any], np.ndarray]
    keeps_ledger: bool = False

    @property
    def price(self) -> float:
        """Return the price of all that it may read."""
        return CostMeter(self.costs).price(self.model)


@dataclass(frozen=True, eq=False)
class Trained:
    """The models that a method has trained.

    Parameters
    ----------
    fitted : list of Fitted or None
        One for each budget; None answers with the prior.
    tried, planned : int
        How many settings were tuned over, and how many there are.
    """

    fitted: Sequence[Fitted | None]
    tried: int = 1
    planned: int = 1


def tuned(
    part: Part,
    settings: Sequence[Setting],
    work: Callable[[Setting], Sequence[Candidate]],
    workers: int = 1,
) -> tuple[list[Candidate], int]:
    """Try the settings in a random order until time is up, at least one for each worker.

    Returns
    -------
    candidates : list of Candidate
        What `work` gave, in the order of the settings.
    tried : int
        How many settings were tried.
    """
    order = np.random.default_rng(part.seed).permutation(len(settings)).tolist()
    results: dict[int, Sequence[Candidate]] = {}

    def pull(first: bool = True) -> None:
        while order and (first or not part.is_over):
            position, first = order.pop(), False
            results[position] = work(settings[position])
            part.tell(f"{len(results)} of {len(settings)} settings")

    with ThreadPoolExecutor(workers) as pool:
        try:
            for running in [pool.submit(pull) for _ in range(workers)]:
                running.result()
        except BaseException:
            order.clear()  # the other worker ends with what it is at
            raise
    candidates = [one for position in sorted(results) for one in results[position]]
    return candidates, len(results)


def prior_error(part: Part) -> float:
    """Return the mean loss of the prior on the rows held out."""
    losses = []
    for fit, held in part.inner():
        answers = np.full(len(held), part.problem.prior(fit))
        losses.append(part.problem.losses(answers, held).mean())
    return float(np.mean(losses))


def settle(
    part: Part, candidates: Iterable[Candidate], refit: Callable[[Setting], Fitted]
) -> list[Fitted | None]:
    """Return per budget the affordable candidate of least error, fitted to all training rows.

    A model that costs more than the budget after its refit gives way to the next best candidate.
    """
    floor = prior_error(part)
    ranked = sorted(
        (candidate for candidate in candidates if candidate.error < floor),
        key=lambda candidate: (candidate.error, candidate.price),
    )
    made: dict[Setting, Fitted] = {}
    prices: dict[Setting, float] = {}

    def fits(candidate: Candidate, budget: float) -> bool:
        if candidate.price > budget * SLACK:
            return False
        if candidate.setting not in made:
            made[candidate.setting] = refit(candidate.setting)
            prices[candidate.setting] = made[candidate.setting].price
        return prices[candidate.setting] <= budget * SLACK

    chosen: list[Fitted | None] = []
    for budget in part.budgets:
        best = next((candidate for candidate in ranked if fits(candidate, float(budget))), None)
        chosen.append(None if best is None else made[best.setting])
    return chosen


class Folds:
    """Collects price and error per step along a path of models, shortest first, over folds.

    A step above the largest budget ends a path: what follows costs no less.
    """

    def __init__(self, part: Part) -> None:
        self._top = float(part.budgets[-1]) * SLACK
        self._paths: list[list[tuple[float, float]]] = []

    @property
    def longest(self) -> int | None:
        """Return how many steps all folds so far can pay for; None before the first."""
        return min(map(len, self._paths)) if self._paths else None

    def add(self, path: Iterable[tuple[float, float]]) -> None:
        """Add the price and the error of each step of a fold, while it is affordable."""
        kept: list[tuple[float, float]] = []
        for price, error in path:
            if price > self._top:
                break
            kept.append((price, error))
            if len(kept) == self.longest:
                break
        self._paths.append(kept)

    def candidates(self, settings: Sequence[Setting]) -> list[Candidate]:
        """Return one candidate per step that all folds can pay for."""
        steps = list(zip(*self._paths, strict=False))
        return [
            Candidate(setting, float(np.mean([e for _, e in step])), max(p for p, _ in step))
            for setting, step in zip(settings, steps, strict=False)
        ]
