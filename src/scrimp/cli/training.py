"""A training that may be interrupted, and the labels that it needs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runtime.events import Progress, listening
from .errors import InputError, Interrupted
from .output import money, note
from .tables import labels, some

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Reached:
    """How far a training came.

    Parameters
    ----------
    finished : bool
        False if it was interrupted.
    without : sequence of float
        Budgets whose training had not begun.
    """

    finished: bool
    without: Sequence[float] = ()

    def lacking(self) -> str:
        """What an interrupted training did not come to, as the end of a sentence."""
        if not self.without:
            return ""
        return f". No model yet for the budgets {'; '.join(map(money, self.without))}"


def train(model: Any, X: Any, y: Any, weights: Any, progress: bool | None) -> Reached:
    """Fit; if it is interrupted, the rounds done are the model."""
    from .progress import progress_bar

    last = ["fit"]

    def remember(event: Progress) -> None:
        last[0] = event.task

    _remark_on_rare_classes(model, y, weights)
    try:
        with progress_bar(progress), listening(remember), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")  # said already
            model.fit(X, y, sample_weight=weights)
    except KeyboardInterrupt:
        plan = vars(model).get("plan_")  # not one that would be made only now, on being asked for
        if plan is None or not len(plan.stages):
            raise Interrupted(f"Interrupted{_too_early(model, plan)}: nothing was saved.") from None
        return Reached(False, _not_begun(model.get_params(deep=False).get("budget"), last[0]))
    return Reached(True)


def _too_early(model: Any, plan: Any) -> str:
    """What a frontier must finish before there is anything to save."""
    from ..meta.frontier import FrontierClassifier, FrontierRegressor

    frontier = isinstance(model, FrontierClassifier | FrontierRegressor)
    return " before the first fold was finished" if frontier and plan is None else ""


def _remark_on_rare_classes(model: Any, y: Any, weights: Any) -> None:
    """Name classes with fewer rows than the folds that a tree is pruned by."""
    import numpy as np

    folds = model.get_params(deep=False).get("cv", 0) if hasattr(model, "prune") else 0
    found, counts = np.unique(y if weights is None else y[weights > 0], return_counts=True)
    rare = [str(label) for label in found[counts < folds]]
    if rare and folds:
        whose, them = ("Class", "it") if len(rare) == 1 else ("Classes", "them")
        note(
            f"Note: {whose} {some(rare, 5)} {'has' if len(rare) == 1 else 'have'} fewer rows than "
            f"the {folds} folds of the cross-validation that prunes the tree, so that little can "
            f"be learnt of {them}."
        )


def _not_begun(budget: Any, task: str) -> list[float]:
    """Budgets after the one in training: its task is named "fit 2/3"."""
    number, of, _ = task.removeprefix("fit").strip().partition("/")
    return sorted(set(budget))[int(number) :] if of else []


def truth(
    table: pl.DataFrame, target: str, data: Path, task: str | None,
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[Any], str]:  # fmt: skip
    """The target, and whether it is classes or numbers: as asked, or as it looks."""
    import numpy as np

    from ..evaluation.methods import check_task

    y = labels(table, target, data)
    found = check_task(task, y)
    what = f"The target {target!r} of {data}"
    if found == "classification":
        check_classes(np.unique(y), what)
        if weights is not None:
            check_classes(np.unique(y[weights > 0]), f"Among rows of positive weight {target!r}")
        return y, found
    check_numbers(y, what)
    if task is None and y.dtype.kind in "iu":
        note(
            f"{what} has {len(np.unique(y))} different values and is predicted as a number. "
            "--task classification takes them as classes."
        )
    return y, found


def check_numbers(y: NDArray[Any], what: str) -> None:
    """Refuse a target for regression that is text, or always the same."""
    if y.dtype.kind not in "iuf":
        raise InputError(f"{what} holds text; expected numbers.")
    if len(y) and (y == y[0]).all():
        raise InputError(f"{what} is {y[0]} in all rows. There is nothing to predict.")


def check_classes(found: NDArray[Any], what: str) -> None:
    """Refuse classes that cannot be told apart."""
    expected = "Expected two classes or more, such as yes and no."
    if len(found) == 0:
        raise InputError(f"{what} has no value. {expected}")
    if len(found) == 1:
        raise InputError(f"{what} has one class only, {found[0]}. {expected}")
    if found.dtype.kind == "f":
        raise InputError(
            f"{what} holds the fractions {found[0]} and {found[1]}. {expected} "
            "Numbers are predicted with --task regression."
        )
