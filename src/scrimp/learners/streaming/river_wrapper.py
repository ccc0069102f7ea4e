"""The estimators of river that `to_river` returns. Importing this module needs river."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from river import base
from sklearn.base import clone

from .classifier import StreamingBoostingClassifier
from .regressor import StreamingBoostingRegressor
from .stream import N_RECENT

Row = dict[str, Any]


def _row(x: Mapping[Any, Any]) -> Row:
    """Return a row whose columns have an order of their own, whatever that of the dict."""
    return {str(name): x[name] for name in sorted(x, key=str)}


class RiverRegressor(base.Regressor):
    """A `StreamingBoostingRegressor` as a regressor of river.

    Parameters
    ----------
    model : StreamingBoostingRegressor or None
        Whose parameters are taken; None takes the defaults.
    """

    def __init__(self, model: StreamingBoostingRegressor | None = None) -> None:
        self.model = model
        self.model_ = StreamingBoostingRegressor() if model is None else clone(model)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": StreamingBoostingRegressor(n_learners=3, max_depth=3)}

    def learn_one(self, x: Mapping[Any, Any], y: float) -> None:
        """Learn from a row."""
        self.model_.partial_fit(_row(x), y)

    def predict_one(self, x: Mapping[Any, Any], budget: float | None = None, **_: Any) -> float:
        """Return the prediction of a row; 0 before the first one was learnt from."""
        if not hasattr(self.model_, "plan_"):
            return 0.0
        return float(self.model_.predict(_row(x), budget)[0])


class RiverClassifier(base.Classifier):
    """A `StreamingBoostingClassifier` as a classifier of river.

    Parameters
    ----------
    model : StreamingBoostingClassifier or None
        Whose parameters are taken; None takes the defaults.
    classes : tuple or None
        All classes. None learns them as they come: at a new one the model begins again, from the
        most recent rows.
    """

    def __init__(
        self,
        model: StreamingBoostingClassifier | None = None,
        classes: tuple[Any, ...] | None = None,
    ) -> None:
        self.model = model
        self.classes = classes
        self.model_ = StreamingBoostingClassifier() if model is None else clone(model)
        self._labels: list[Any] = [] if classes is None else sorted(classes)
        self._recent: deque[tuple[Row, Any]] = deque(maxlen=N_RECENT)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": StreamingBoostingClassifier(n_learners=3, max_depth=3)}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from a row."""
        row, label = _row(x), getattr(y, "item", lambda: y)()
        if self.classes is None:
            self._recent.append((row, label))
            if label not in self._labels:
                self._begin_again(label)
                return
        if len(self._labels) > 1:
            self.model_.partial_fit(row, [label], classes=self._labels)

    def _begin_again(self, label: Any) -> None:
        """Learn from the recent rows with one more class."""
        self._labels = sorted([*self._labels, label])
        if len(self._labels) < 2:
            return
        self.model_ = clone(self.model_)
        rows, labels = zip(*self._recent, strict=True)
        self.model_.partial_fit(list(rows), list(labels), classes=self._labels)

    def predict_proba_one(
        self, x: Mapping[Any, Any], budget: float | None = None, **_: Any
    ) -> dict[Any, float]:
        """Return the probability of each class that is known; none before the first row."""
        if not hasattr(self.model_, "plan_"):
            return {label: 1.0 / len(self._labels) for label in self._labels}
        shares = self.model_.predict_proba(_row(x), budget)[0].tolist()
        return dict(zip(self.model_.classes_.tolist(), shares, strict=True))

    def predict_one(self, x: Mapping[Any, Any], budget: float | None = None, **_: Any) -> Any:
        """Return the label of a row; None before the first one was learnt from."""
        if not hasattr(self.model_, "plan_"):
            return self._labels[0] if self._labels else None
        return self.model_.predict(_row(x), budget).tolist()[0]
