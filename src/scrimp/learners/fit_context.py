"""What surrounds every `fit`: its time limit, what shows its progress, and its callbacks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import Any

from ..runtime.events import Handler, listening, reporting_compilation
from ..runtime.progress_display import display_for, progress_shown
from ..runtime.time_limit import check_max_seconds, time_limit


def in_fit_context(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Return a `fit` that keeps to `max_seconds`, shows progress and calls callbacks.

    It sets `in_time_`: whether the training came to its end.
    """

    @wraps(fit)
    def fit_in_context(self: Any, *args: Any, **kwargs: Any) -> Any:
        seconds, display = check_max_seconds(self.max_seconds), display_for(self.verbose)
        with ExitStack() as stack:
            limit = stack.enter_context(time_limit(seconds))
            if display is not None:
                stack.enter_context(progress_shown(display))
            for callback in self._callbacks:
                stack.enter_context(listening(callback))
            stack.enter_context(reporting_compilation())
            fitted = fit(self, *args, **kwargs)
        self.in_time_ = not limit.was_hit
        if limit.was_hit and self.max_seconds is not None and not self.plan_.items:
            warnings.warn(
                f"max_seconds={self.max_seconds:g} was over before anything was learnt, so that "
                "every answer is the prior. Give more time.",
                UserWarning,
                stacklevel=2,
            )
        return fitted

    return fit_in_context


def check_callbacks(callbacks: tuple[Any, ...]) -> tuple[Handler, ...]:
    """Return callbacks, all of which can be called."""
    for callback in callbacks:
        if not callable(callback) or isinstance(callback, type):
            raise TypeError(
                f"A callback is {callback!r}; expected functions that take a Progress event: "
                "model.set_callbacks(print)."
            )
    return callbacks
