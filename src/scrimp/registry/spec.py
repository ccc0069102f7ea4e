"""What is said of a learner in the registry: plain data, nothing imported until it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

#: What may be predicted. Counts are numbers >= 0, on the command line a kind of regression.
TASKS = ("classification", "regression", "counts")


@dataclass(frozen=True)
class Make:
    """An object to be made: the path ``module.Class`` and the parameters of the constructor."""

    path: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """Where the class is imported from."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.path.rpartition(".")[2]

    def __call__(self, **params: Any) -> Any:
        """Import the class and construct it; `params` take precedence."""
        merged = {**self.params, **params}
        arguments = {
            name: value() if isinstance(value, Make) else value for name, value in merged.items()
        }
        return getattr(import_module(self.module), self.name)(**arguments)


@dataclass(frozen=True)
class Option:
    """An option of ``scrimp fit`` that some learners take.

    Parameters
    ----------
    name : str
        As typed, without the dashes.
    parameter : str
        The constructor's parameter that it sets.
    kind : {"choice", "int", "float", "numbers", "preset", "text", "class weights"}
        How its text is read. A preset is a choice that stands for several parameters.
    help : str
        One or two sentences.
    default : str or int, optional
        None leaves the constructor's default.
    choices : tuple of str
        Of a choice.
    presets : mapping
        Of a preset: for each choice and task the parameters that it sets.
    least, most : float, optional
        The range of a number; a float is greater than `least`.
    metavar : str
        What a text stands for.
    tasks : tuple of str
        What its learners must predict.
    """

    name: str
    parameter: str
    kind: str
    help: str
    default: Any = None
    choices: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    least: float | None = None
    most: float | None = None
    metavar: str = ""
    tasks: tuple[str, ...] = TASKS

    @property
    def key(self) -> str:
        """The name as an identifier."""
        return self.name.replace("-", "_")


@dataclass(frozen=True)
class Variant:
    """A named setting of a learner that ``compare`` tries as a method of its own.

    Parameters
    ----------
    name, description : str
        As in the table of methods.
    params : mapping
        Fixed parameters; each has an `Option` of the same parameter.
    twin : str
        The variant that makes the same choices where all prices are equal, if there is one.
    frontier : bool
        Whether a frontier tries it unasked.
    """

    name: str
    description: str
    params: Mapping[str, Any]
    twin: str = ""
    frontier: bool = False


@dataclass(frozen=True)
class LearnerSpec:
    """All that is known of a learner outside its own package.

    Parameters
    ----------
    name : str
        Of the method on the command line.
    description : str
        One line, as in ``scrimp fit --help`` and ``scrimp compare --help``.
    estimators : mapping
        For each task the estimator and parameters that the command line fixes.
    details : str
        What it does, in Markdown, for the table of README.md.
    reference : str
        Authors and year.
    options : tuple of str
        Names of `OPTIONS` that it takes.
    budgets : {"none", "one", "several"}
        How many budgets a training takes.
    budget_parameter : str
        The constructor's parameter for them.
    budgets_by_default : bool
        Whether the command line trains for steps of the price list where no budget is given, as
        a model that was trained for one budget only makes do with a part of it for less.
    trained_per_budget : bool
        Whether it is trained for given budgets, rather than once for all of them.
    noun : str
        What answers at all budgets, where a training takes one at most.
    first_result : str
        What an interrupted training must have finished to leave a model, where that is no round.
    variants : tuple of Variant
        What ``compare`` calls it; without any, by its name.
    compared_by_default : bool
        Whether ``compare`` tries it unasked.
    is_method : bool
        Whether it can be trained by name; what wraps another learner cannot.
    searches : bool
        Whether it searches for as long as it may, so that comparisons limit its time.
    calibrates : bool
        Whether ``--calibrate`` has something to improve.
    check_params : mapping
        For each task parameters that keep the checks quick.
    check_examples : int
        Problems per check; fewer where a training takes long.
    exemptions : mapping
        Checks, of scrimp or of scikit-learn, that it cannot pass by its nature, and why; where
        one estimator alone cannot, as ``Estimator.check``.
    extra, needs : str
        The extra that installs what it needs, and the module that shows it is there.
    """

    name: str
    description: str
    estimators: Mapping[str, Make]
    details: str
    reference: str
    options: tuple[str, ...] = ()
    budgets: str = "one"
    budget_parameter: str = "budget"
    budgets_by_default: bool = False
    trained_per_budget: bool = False
    noun: str = "model"
    first_result: str = ""
    variants: tuple[Variant, ...] = ()
    compared_by_default: bool = False
    is_method: bool = True
    searches: bool = False
    calibrates: bool = True
    check_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    check_examples: int = 8
    exemptions: Mapping[str, str] = field(default_factory=dict)
    extra: str = ""
    needs: str = ""

    @property
    def tasks(self) -> tuple[str, ...]:
        """What it predicts on the command line: classes, numbers, or both."""
        known = ("regression" if task == "counts" else task for task in self.estimators)
        return tuple(dict.fromkeys(known))

    def estimator(self, task: str) -> Make:
        """The estimator for a task; of counts for a regression if there is no other."""
        return self.estimators.get(task) or self.estimators["counts"]

    @property
    def missing_extra(self) -> str:
        """The command that installs what it needs and is not there; empty if all is there."""
        lacks = bool(self.needs) and find_spec(self.needs) is None
        return f"pip install 'scrimp[{self.extra}]'" if lacks else ""

    def exemptions_of(self, estimator: Any) -> dict[str, str]:
        """The checks that one of its estimators opts out of, and why."""
        named = {key.rpartition("."): reason for key, reason in self.exemptions.items()}
        whose = ("", type(estimator).__name__)
        return {check: why for (name, _, check), why in named.items() if name in whose}

    def checked(self) -> dict[str, Any]:
        """Unfitted estimators for the checks, by class name, as a program constructs them."""
        return {
            make.name: Make(make.path, self.check_params.get(task, {}))()
            for task, make in self.estimators.items()
        }
