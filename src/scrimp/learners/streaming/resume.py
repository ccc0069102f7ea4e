"""All that a streaming booster is made of, so that another process can go on from it exactly."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...costs.costs import Costs
from ...data.columns import Columns
from ...data.target import Target
from ...types import Arrays
from .base import StreamingBooster
from .classifier import StreamingBoostingClassifier
from .learner_kinds import learner_of, settings_of
from .regressor import StreamingBoostingRegressor
from .stream_state import check_sizes, restore, state_of
from .user_learner import UserKind, why_not_stored

_CLASSES: dict[str, type[StreamingBooster]] = {
    "classification": StreamingBoostingClassifier,
    "regression": StreamingBoostingRegressor,
}


@dataclass(frozen=True, eq=False)
class StreamParts:
    """What a streaming booster consists of.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.
    params : dict
        The parameters of the estimator; its learner by name, or as a dict of its settings.
    columns : Columns
        The columns so far.
    target : Target
        What is predicted.
    n_passes : int
        Passes over the first rows: 1 unless they were given to `fit`.
    has_dict_rows : bool
        Whether the first rows were dicts.
    market_prices : tuple of float, or None
        Prices that purchases are decided by, where not everything is bought.
    arrays : dict
        The state of the stream.
    """

    task: str
    params: Mapping[str, Any]
    columns: Columns
    target: Target
    n_passes: int
    has_dict_rows: bool
    market_prices: tuple[float, ...] | None
    arrays: Arrays


def parts_of(model: Any) -> StreamParts:
    """Return the parts of a model that has learnt from rows."""
    task = next((name for name, each in _CLASSES.items() if isinstance(model, each)), None)
    if task is None:
        names = " or ".join(each.__name__ for each in _CLASSES.values())
        raise TypeError(f"model is a {type(model).__name__}; expected a {names}.")
    check_is_fitted(model, "plan_")
    if isinstance(model._kind, UserKind):
        raise ValueError(why_not_stored(model._stream.booster.learners[0].inner))
    market, params = model._stream.market, model.get_params(deep=False)
    params["learner"] = settings_of(params["learner"])
    return StreamParts(
        task, params, model.columns_, model.target_,
        round(1.0 / model._evidence), model._has_dict_rows,
        None if market is None else tuple(market.costs.prices), state_of(model._stream),
    )  # fmt: skip


def model_of(parts: StreamParts) -> Any:
    """Return the model of parts; raise ValueError if they do not fit together."""
    model: Any = _CLASSES[parts.task]()
    if set(parts.params) != set(model.get_params(deep=False)):
        raise ValueError("its parameters are not those of this scrimp")
    learner = learner_of(parts.params["learner"])
    model.set_params(**{**parts.params, "learner": learner})
    model._check_params()
    model.columns_, model._has_dict_rows = parts.columns, parts.has_dict_rows
    model.n_features_in_ = len(parts.columns)
    if parts.columns.names is not None:
        model.feature_names_in_ = np.array(parts.columns.names, dtype=object)
    n_outputs = parts.target.n_outputs
    model._set_kind(1.0)
    like = model._kind.make(model._learner_context(n_outputs)).state()
    check_sizes(model.n_learners, parts.arrays, like)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there was to say was said when the stream began
        model._begin_again(parts.target.classes, parts.n_passes)
    if model.target_.kind != parts.target.kind:
        raise ValueError(f"its target is {parts.target.kind}, and its loss is for another")
    model.target_ = parts.target
    _set_prices(model, parts.market_prices)
    restore(model._stream, parts.arrays)
    _ = model.plan_  # refuses what cannot be predicted from
    return model


def _set_prices(model: Any, prices: tuple[float, ...] | None) -> None:
    """Let purchases be decided by the prices that they were decided by before."""
    market = model._stream.market
    if (market is None) != (prices is None):
        raise ValueError("its prices and its budget do not fit together")
    if market is not None and prices is not None:
        costs: Costs = replace(market.costs, prices=prices)
        model._stream.market = replace(market, costs=costs)
