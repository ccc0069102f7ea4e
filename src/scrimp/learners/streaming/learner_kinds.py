"""Kinds of weak learners by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

from ...data.validation import check_choice
from .linear_learners import Linear, Newton
from .network_learners import Convolution, Network
from .online_tree import TreeKind, TreeSettings
from .random_features import RandomFeatures
from .user_learner import UserKind
from .weak_learner import LearnerKind

#: Kinds with settings of their own; those of trees are parameters of the booster.
KIND_CLASSES = (Linear, Newton, Network, Convolution, RandomFeatures)
KINDS: dict[str, Callable[[], LearnerKind]] = {kind.name: kind for kind in KIND_CLASSES}


def as_kind(learner: Any, trees: TreeSettings) -> LearnerKind:
    """Return the kind of weak learners that a parameter names, is, or makes."""
    if isinstance(learner, str):
        check_choice("learner", learner, (TreeKind.name, *KINDS))
        return TreeKind(trees) if learner == TreeKind.name else KINDS[learner]()
    if isinstance(learner, KIND_CLASSES):
        return learner
    has_both = hasattr(learner, "predict") and hasattr(learner, "update")
    if not has_both and not callable(learner):
        raise ValueError(
            f"learner is {learner!r}; expected one of {', '.join((TreeKind.name, *KINDS))}, "
            "settings such as Network(hidden=3), an object with `predict` and `update`, or a "
            "function that makes such objects."
        )
    return UserKind(learner)


def settings_of(learner: Any) -> str | dict[str, Any]:
    """Return a learner of scrimp as its name, or as a dict of its kind and its settings."""
    return learner if isinstance(learner, str) else {"kind": learner.name, **asdict(learner)}


def learner_of(settings: Any) -> Any:
    """Invert `settings_of`; raise ValueError for what is no learner."""
    if isinstance(settings, str):
        return settings
    if not isinstance(settings, dict) or settings.get("kind") not in KINDS:
        raise ValueError("its learner is of no kind that this scrimp knows")
    given = {name: value for name, value in settings.items() if name != "kind"}
    kind: Any = KINDS[settings["kind"]]
    # settings that came after it was written have their defaults
    if not set(given) <= {field.name for field in fields(kind)}:
        raise ValueError(f"the settings of its learner are not those of {kind.__name__}")
    # JSON has no tuples, and settings have no lists
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})
