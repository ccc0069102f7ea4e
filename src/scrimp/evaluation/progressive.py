"""Progressive validation: each row of a stream is answered before it is learnt from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from ..data.chunks import chunks_of
from ..types import Floats, Ints
from .displays.axes import new_axes, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class ProgressiveCurve:
    """Error and spend along a stream, chunk by chunk.

    Parameters
    ----------
    n_rows : int array (chunks,)
        Rows of the stream before each chunk.
    sizes : int array (chunks,)
        Rows of each chunk.
    errors : float array (chunks,)
        Mean error of each chunk: the part of wrong answers, or the squared error.
    spend : float array (chunks,)
        What a row of each chunk paid on average.
    measure : str
        What the error is.
    """

    n_rows: Ints
    sizes: Ints
    errors: Floats
    spend: Floats
    measure: str

    @property
    def error(self) -> float:
        """The mean error of all rows that were answered."""
        return float(np.average(self.errors, weights=self.sizes))

    @property
    def running_errors(self) -> Floats:
        """The mean error of all rows up to each chunk."""
        return np.asarray(np.cumsum(self.errors * self.sizes) / np.cumsum(self.sizes))

    def plot(self, ax: Axes | None = None, name: str | None = None) -> Axes:
        """Draw the error of each chunk, and above it the mean of all so far."""
        ax = new_axes(6.4, 4.0) if ax is None else ax
        ends = self.n_rows + self.sizes
        (line,) = ax.plot(ends, self.running_errors, label=name)
        ax.plot(ends, self.errors, color=line.get_color(), alpha=0.3, linewidth=1)
        ax.set_xlabel("Rows seen")
        ax.set_ylabel(self.measure.capitalize())
        ax.set_ylim(bottom=0)
        if name is not None:
            ax.legend(frameon=False)
        tidy(ax, "both")
        return ax


def progressive_validation(
    model: Any, chunks: Any, target: str | None = None, *, budget: Any = None,
    classes: Any = None, chunk_rows: int | None = None,
) -> ProgressiveCurve:  # fmt: skip
    """Train a model on a stream, and measure it on each chunk before it learns from it.

    Parameters
    ----------
    model : estimator with ``partial_fit``
        It goes on from what it has learnt. A new one is not measured on the first chunk.
    chunks : iterable, path, or Arrow table or reader
        Yields (X, y), (X, y, sample_weight), or frames or dicts with the column `target`; or the
        path of a Parquet or CSV file.
    target : str, optional
        The column with the responses.
    budget : float, optional
        Of the predictions.
    classes : array, optional
        All classes of the stream, for a classifier.
    chunk_rows : int, optional
        Rows that are answered before any of them is learnt from, where the source leaves it open:
        65,536 of a file and 1,000 of single rows by default.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp import StreamingBoostingRegressor, progressive_validation
    >>> X = np.random.default_rng(0).normal(size=(3000, 3))
    >>> chunks = [(X[i : i + 300], X[i : i + 300, 0] ** 2) for i in range(0, 3000, 300)]
    >>> curve = progressive_validation(StreamingBoostingRegressor(), chunks)
    >>> len(curve.errors)
    9
    >>> bool(curve.errors[-1] < 0.5 * curve.errors[0])
    True
    """
    given = {"classes": classes} if is_classifier(model) and classes is not None else {}
    rows: list[tuple[int, int, float, float]] = []
    seen, is_fitted = 0, hasattr(model, "plan_")
    for X, y, weight in chunks_of(chunks, target, chunk_rows):
        n = len(np.asarray(y))
        if is_fitted:
            rows.append((seen, n, *measured(model, X, y, budget)))
        model.partial_fit(X, y, sample_weight=weight, **given)
        seen, is_fitted = seen + n, True
    if not rows:
        raise ValueError("The stream has one chunk only: nothing is left to measure. Divide it.")
    n_rows, sizes, errors, spend = zip(*rows, strict=True)
    return ProgressiveCurve(
        np.array(n_rows), np.array(sizes), np.array(errors), np.array(spend), measure_of(model)
    )


def measured(model: Any, X: Any, y: Any, budget: Any = None) -> tuple[float, float]:
    """Return the mean error of a model on rows, and what it pays for a row on average."""
    answers, y = model.predict(X, budget), np.asarray(y)
    missed = answers != y if is_classifier(model) else (answers - y) ** 2
    return float(np.mean(missed)), float(model.spend(X, budget).mean())


def measure_of(model: Any) -> str:
    """Return what the error of a model is."""
    return "part of wrong answers" if is_classifier(model) else "mean squared error"
