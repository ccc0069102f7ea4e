"""Streaming boosters as estimators of river, which is an optional dependency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def to_river(model: Any, classes: Sequence[Any] | None = None) -> Any:
    """Return a streaming booster as an estimator of river: `learn_one`, `predict_one`.

    Parameters
    ----------
    model : StreamingBoostingClassifier or StreamingBoostingRegressor
        Its parameters are taken; it stays as it is, and what it has learnt is left out.
    classes : sequence, optional
        All classes of a classifier. Without it classes are learnt as they come: at a new one the
        model begins again, from the most recent 2,000 rows.

    Returns
    -------
    river.base.Classifier or river.base.Regressor
        Its ``predict_one(x, budget=...)`` spends no more than the budget, and ``model_`` is the
        booster that learns.

    Examples
    --------
    >>> from scrimp import StreamingBoostingRegressor, to_river
    >>> model = to_river(StreamingBoostingRegressor({"a": 1.0, "b": 2.0}, 2.0))  # doctest: +SKIP
    >>> model.learn_one({"a": 0.5, "b": 1.0}, 3.0)  # doctest: +SKIP
    >>> model.predict_one({"a": 0.5})  # doctest: +SKIP
    3.0
    """
    try:
        import river  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "to_river needs river. Install it: pip install 'scrimp[river]'"
        ) from error
    from .classifier import StreamingBoostingClassifier
    from .regressor import StreamingBoostingRegressor
    from .river_wrapper import RiverClassifier, RiverRegressor

    if isinstance(model, StreamingBoostingClassifier):
        return RiverClassifier(model, None if classes is None else tuple(classes))
    if not isinstance(model, StreamingBoostingRegressor):
        raise TypeError(
            f"model is a {type(model).__name__}; expected a StreamingBoostingClassifier or a "
            "StreamingBoostingRegressor."
        )
    if classes is not None:
        raise ValueError(
            "classes are for a StreamingBoostingClassifier, and numbers are predicted."
        )
    return RiverRegressor(model)
