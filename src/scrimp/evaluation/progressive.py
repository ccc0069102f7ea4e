"""Progressive validation: each row of a stream is answered before it is learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from ..data.chunks import chunks_of
from ..types import Floats, Ints
from .displays.axes import new_axes, tidy
from .hindsight import as_references, reference_errors, row_errors

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
        Mean error of each chunk: the share of wrong answers, or the squared error.
    spend : float array (chunks,)
        What a row of each chunk paid on average.
    measure : str
        What the error is.
    reference_errors : dict of float arrays (chunks,)
        Mean error, on the same rows, of reference learners fitted to the whole stream in hindsight;
        empty unless they were asked for.
    """

    n_rows: Ints
    sizes: Ints
    errors: Floats
    spend: Floats
    measure: str
    reference_errors: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def error(self) -> float:
        """The mean error of all rows that were answered."""
        return float(np.average(self.errors, weights=self.sizes))

    @property
    def running_errors(self) -> Floats:
        """The mean error of all rows up to each chunk."""
        return self._running_means(self.errors)

    @property
    def average_regret(self) -> dict[str, Floats]:
        """The mean error of all rows up to each chunk less that of each reference learner."""
        return {
            name: self._running_means(self.errors - errors)
            for name, errors in self.reference_errors.items()
        }

    def _running_means(self, values: Floats) -> Floats:
        """Return the means over all rows up to each chunk of what each chunk has on average."""
        return np.asarray(np.cumsum(values * self.sizes) / np.cumsum(self.sizes))

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

    def plot_regret(self, ax: Axes | None = None) -> Axes:
        """Draw the average regret against each reference learner along the stream."""
        if not self.reference_errors:
            raise ValueError(
                "The curve has no reference learners. Name them: progressive_validation(..., "
                'against=("tree", "boosting")).'
            )
        ax = new_axes(6.4, 4.0) if ax is None else ax
        for name, regret in self.average_regret.items():
            ax.plot(self.n_rows + self.sizes, regret, label=f"against {name}")
        ax.axhline(0.0, color="0.6", linewidth=0.8)
        ax.set_xlabel("Rows seen")
        ax.set_ylabel(f"Average regret, {self.measure}")
        ax.legend(frameon=False)
        tidy(ax, "both")
        return ax


def progressive_validation(
    model: Any, chunks: Any, target: str | None = None, *, budget: Any = None,
    classes: Any = None, chunk_rows: int | None = None, against: Any = (),
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
    against : str, sequence of str, or mapping of str to estimator
        Reference learners of the `average_regret`: ``"tree"``, a tree of depth 15, ``"boosting"``,
        scikit-learn's histogram gradient boosting, or estimators of scikit-learn by names of your
        own. They are fitted in hindsight to all rows of the stream, without prices or a budget;
        categories are numbers to them. All rows are kept in memory for that. By default there are
        none, and no rows are kept.

    Notes
    -----
    Average regret is the mean error of the answers along the stream less that of the best learner
    of a class in hindsight, on the same rows (Hu 2019, chapter 5, where the class is deep trees).
    References have seen the rows that they are measured on, noise and all, so that it levels off
    above 0.

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

    Average regret, along the same stream:

    >>> curve = progressive_validation(StreamingBoostingRegressor(), chunks, against="tree")
    >>> regret = curve.average_regret["tree"]
    >>> bool(0 < regret[-1] < 0.5 * regret[0])
    True
    """
    given = {"classes": classes} if is_classifier(model) and classes is not None else {}
    references = as_references(against, is_classifier(model))
    kept: list[tuple[Any, Any, Any]] = []
    rows: list[tuple[int, int, float, float]] = []
    seen, is_fitted = 0, hasattr(model, "plan_")
    for X, y, weight in chunks_of(chunks, target, chunk_rows):
        n = len(np.asarray(y))
        if is_fitted:
            rows.append((seen, n, *measured(model, X, y, budget)))
        model.partial_fit(X, y, sample_weight=weight, **given)
        seen, is_fitted = seen + n, True
        if references:
            kept.append((X, y, weight))
    if not rows:
        raise ValueError("The stream has one chunk only: nothing is left to measure. Divide it.")
    n_rows, sizes, errors, spend = zip(*rows, strict=True)
    return ProgressiveCurve(
        np.array(n_rows), np.array(sizes), np.array(errors), np.array(spend), measure_of(model),
        reference_errors(references, kept, model.columns_, len(rows)),
    )  # fmt: skip


def measured(model: Any, X: Any, y: Any, budget: Any = None) -> tuple[float, float]:
    """Return the mean error of a model on rows, and what it pays for a row on average."""
    sweep = model.sweep(X, [np.inf if budget is None else budget])
    missed = row_errors(sweep.labels()[:, 0], y, is_classifier(model))
    return float(np.mean(missed)), float(sweep.spent.mean())


def measure_of(model: Any) -> str:
    """Return what the error of a model is."""
    return "share of wrong answers" if is_classifier(model) else "mean squared error"
