"""The training of ``scrimp fit``: a learner of the registry, with what options say of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..registry import LEARNERS, N_ROUNDS, OPTIONS, LearnerSpec, Option, methods
from ..runtime.events import Progress, listening
from .errors import InputError, Interrupted
from .output import money, note
from .tables import some

if TYPE_CHECKING:
    import polars as pl

    from ..costs.costs import Costs


def refuse_unused(spec: LearnerSpec, given: Sequence[str]) -> None:
    """Refuse options that were given and have no effect on a learner."""
    reasons = {name: "" for name in OPTIONS if name not in spec.options}
    if spec.budgets == "none":
        reasons["budget"] = " Give the budget to `scrimp predict`."
    if not spec.calibrates:
        reasons["calibrate"] = " Its probabilities are calibrated."
    for name, reason in reasons.items():
        if name in given:
            users = [other.name for other in LEARNERS.values() if name in other.options]
            others = f" It is for --method {', '.join(users)}." if users else ""
            raise InputError(
                f"--{name} says nothing to --method {spec.name}. Leave it out.{reason or others}"
            )


def refuse_task(spec: LearnerSpec, task: str | None, target: str | None = None) -> None:
    """Refuse a task that was asked for, or that the target has, if the learner lacks it."""
    if task is None or task in spec.tasks:
        return
    names = [other.name for other in methods(task)]
    kinds = {"classification": "classes", "regression": "numbers"}
    if target is None:
        hint = f"--task {task} needs {names[0]} or one of: {', '.join(names[1:])}."
    else:
        as_classes = "--task classification takes whole numbers as classes, "
        hint = (
            f"{target!r} holds {kinds[task]}. {as_classes if task == 'regression' else ''}"
            f"--method {', '.join(names[:-1])} and {names[-1]} predict {kinds[task]}."
        )
    raise InputError(f"--method {spec.name} predicts {kinds[spec.tasks[0]]}; {hint}")


def new_learner(
    spec: LearnerSpec, task: str, budgets: list[float] | None, options: Mapping[str, Any], seed: int
) -> Any:
    """Return the unfitted estimator of a learner, with what the options say."""
    from ..evaluation.methods import new_estimator

    params = _budget_params(spec, budgets)
    if "rounds" in spec.options:
        params[OPTIONS["rounds"].parameter] = N_ROUNDS[task]
    for name in spec.options:
        option = OPTIONS[name]
        if options[option.key] is not None:
            _refuse_other_task(option, task)
            params |= _option_params(option, options[option.key], task)
    return new_estimator(spec, task, params, seed)


def default_budgets(spec: LearnerSpec, prices: Costs | None, X: pl.DataFrame) -> list[float] | None:
    """Return the budgets that a learner is trained for where none is given."""
    from ..costs.costs import as_costs
    from ..evaluation import price_steps

    if not spec.budgets_by_default:
        return None
    steps = price_steps(as_costs(prices, X.width, X.columns)).tolist()
    return [step for step in steps if step > 0] or None


def _budget_params(spec: LearnerSpec, budgets: list[float] | None) -> dict[str, Any]:
    if budgets is None or spec.budgets == "none":
        return {}
    if spec.budgets == "one" and len(budgets) > 1:
        raise InputError(
            f"--method {spec.name} takes one budget, or none: a {spec.noun} answers at all of them."
        )
    single = len(budgets) == 1 and spec.budget_parameter == "budget"
    return {spec.budget_parameter: budgets[0] if single else budgets}


def _option_params(option: Option, value: Any, task: str) -> dict[str, Any]:
    """Return the parameters that an option sets."""
    if option.kind != "preset":
        return {option.parameter: value}
    if task not in option.presets[value]:
        able = ", ".join(name for name, presets in option.presets.items() if task in presets)
        raise InputError(
            f"--{option.name} {value} is not for a {task}. For that there are: {able}."
        )
    return dict(option.presets[value][task])


def _refuse_other_task(option: Option, task: str) -> None:
    """Refuse an option of classes where numbers are predicted, and the other way round."""
    if task not in option.tasks:
        wanted, given = ("classes", "numbers") if task == "regression" else ("numbers", "classes")
        raise InputError(
            f"--{option.name} is for {wanted}, and here {given} are predicted. Leave it out."
        )


def calibrated(model: Any, task: str, method: str, target: str, seed: int) -> Any:
    """Return the estimator with calibrated probabilities."""
    from ..meta.calibration import CalibratedClassifier

    if task == "regression":
        raise InputError(
            f"--calibrate makes probabilities of classes, and {target!r} is predicted as a number."
        )
    seconds = model.max_seconds  # for all trainings together
    model.set_params(max_seconds=None)
    return CalibratedClassifier(model, method, random_state=seed, max_seconds=seconds)


@dataclass(frozen=True)
class Outcome:
    """How far a training came.

    Parameters
    ----------
    finished : bool
        False if it was interrupted.
    without_model : sequence of float
        Budgets whose training had not begun.
    in_time : bool
        False if it ended because its time was over.
    """

    finished: bool
    without_model: Sequence[float] = ()
    in_time: bool = True

    def shortfall(self) -> str:
        """Return what an interrupted training did not come to, as the end of a sentence."""
        if not self.without_model:
            return ""
        return f". No model yet for the budgets {'; '.join(map(money, self.without_model))}"


def train(
    model: Any, spec: LearnerSpec, X: Any, y: Any, weights: Any, progress: bool | None
) -> Outcome:
    """Fit; if it is interrupted, what was learnt so far is the model."""
    from .progress import progress_bar

    last_task = ["fit"]

    def remember(event: Progress) -> None:
        last_task[0] = event.task

    _note_rare_classes(model, y, weights)
    try:
        with progress_bar(progress), listening(remember), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")  # noted already
            model.fit(X, y, sample_weight=weights)
    except KeyboardInterrupt:
        plan = vars(model).get("plan_")  # not one that would be made only now, on being asked for
        if plan is None or not len(plan.stages):
            waits = plan is None and spec.first_result
            before = f" before {spec.first_result} was finished" if waits else ""
            raise Interrupted(f"Interrupted{before}: nothing was saved.") from None
        budgets = model.get_params(deep=False).get("budget")
        return Outcome(False, _not_begun(budgets, last_task[0]))
    return Outcome(True, in_time=model.in_time_)


def _note_rare_classes(model: Any, y: Any, weights: Any) -> None:
    """Print classes with fewer rows than the folds that a tree is pruned by."""
    import numpy as np

    folds = model.get_params(deep=False).get("cv", 0) if hasattr(model, "prune") else 0
    classes, counts = np.unique(y if weights is None else y[weights > 0], return_counts=True)
    rare = [str(label) for label in classes[counts < folds]]
    if rare and folds:
        subject, them = ("Class", "it") if len(rare) == 1 else ("Classes", "them")
        have = "has" if len(rare) == 1 else "have"
        note(
            f"Note: {subject} {some(rare, 5)} {have} fewer rows than the {folds} folds of the "
            f"cross-validation that prunes the tree, so that little can be learnt of {them}."
        )


def _not_begun(budget: Any, task: str) -> list[float]:
    """Return the budgets after the one in training: its task is named "fit 2/3"."""
    number, of, _ = task.removeprefix("fit").strip().partition("/")
    return sorted(set(budget))[int(number) :] if of else []
