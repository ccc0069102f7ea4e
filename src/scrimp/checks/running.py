"""How a check is run: on many problems, the same ones each time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data.target import Target
from .cases import Case, cases

#: Find a problem that fails, then make it simple.
PHASES = ("generate", "shrink")


class Check(Protocol):
    """A named check of one invariant; raises if an estimator breaks it."""

    __name__: str

    def __call__(self, estimator: Any, *, max_examples: int = 20) -> None:
        """Try an unfitted estimator on `max_examples` problems."""


def on_cases(body: Callable[[Any, Case], None]) -> Check:
    """Make a check of what must hold for an estimator on any problem."""

    @wraps(body)
    def check(estimator: Any, *, max_examples: int = 20) -> None:
        _require_hypothesis()
        from hypothesis import HealthCheck, Phase, given, seed, settings

        @seed(0)  # the same problems for all checks, which share the fitted models
        @settings(
            max_examples=max_examples,
            derandomize=True,
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            phases=[Phase[phase] for phase in PHASES],
            suppress_health_check=list(HealthCheck),
        )
        @given(cases(estimator))
        def tried(case: Case) -> None:
            with warnings.catch_warnings():
                # small budgets are remarked upon, and here they are on purpose
                warnings.simplefilter("ignore", UserWarning)
                body(estimator, case)

        tried()

    return check


def _require_hypothesis() -> None:
    try:
        import hypothesis  # noqa: F401
    except ImportError:
        raise ImportError(
            'Checking estimators needs Hypothesis. Install it: pip install "scrimp[check]"'
        ) from None


def scores_of(model: Any, X: Any, budget: Any = None, **options: Any) -> NDArray[np.float64]:
    """The numbers behind the labels, or the predictions of a regression."""
    decide = getattr(model, "decision_function", model.predict)
    return np.asarray(decide(X, budget, **options), dtype=np.float64)


def as_decided(target: Target, scores: Any) -> NDArray[np.float64]:
    """A plan's scores as `scores_of` gives them."""
    scores = np.asarray(scores, dtype=np.float64)
    return target.labels(scores) if target.is_number else target.decisions(scores)


def assert_same(one: Any, other: Any, what: str, rtol: float = 0.0) -> None:
    """Fail with the name of what differs."""
    np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol, err_msg=what)
