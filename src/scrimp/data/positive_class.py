"""The class that a scorer such as f1 counts, of a target with two classes."""

from __future__ import annotations

import copy
import inspect
from typing import Any

from .target import Target


def takes_positive(call: Any) -> bool:
    """Return whether a scorer counts one of two classes, which is not fixed yet."""
    metric, options = getattr(call, "_score_func", None), getattr(call, "_kwargs", {})
    if metric is None or "pos_label" in options or options.get("average", "binary") != "binary":
        return False
    return "pos_label" in inspect.signature(metric).parameters


def counting_scorer(call: Any, target: Target, positive: Any = None) -> Any:
    """Return a scorer that counts the positive class of a target with two classes.

    Parameters
    ----------
    call : callable
        A scorer of scikit-learn, or a callable.
    target : Target
        What is predicted.
    positive : label, optional
        The class that is counted; by default 1, or else the last of two classes.
    """
    classes = target.classes.tolist()
    if positive is not None:
        check_positive(call, target, positive)
    elif target.is_number or len(classes) != 2 or not takes_positive(call) or 1 in classes:
        return call
    counting = copy.copy(call)
    counting._kwargs = {**call._kwargs, "pos_label": classes[1] if positive is None else positive}
    return counting


def check_positive(call: Any, target: Target, positive: Any) -> None:
    """Refuse a positive class that there is not, or that a scorer does not count."""
    classes = target.classes.tolist()
    if target.is_number or len(classes) != 2:
        kind = target.kind if target.is_number else "multiclass"
        raise ValueError(f"positive is {positive!r}, but this is a {kind}; leave it out.")
    if positive not in classes:
        raise ValueError(f"positive is {positive!r}; expected one of the classes {classes}.")
    if not takes_positive(call):
        raise ValueError(
            f"positive is {positive!r}, but the scorer counts no single class; leave it out, or "
            "score with f1, precision, recall, jaccard or average_precision."
        )
