"""CostCurveDisplay: quality against cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.validation import check_choice
from ...runtime.sweep import Sweep
from ...types import Floats
from ..curve import Curve
from .axes import learner_name, new_axes, plain, tidy, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ACRONYMS = {"r2": "R²", "d2": "D²", "f1": "F1", "roc": "ROC", "auc": "AUC"}


class CostCurveDisplay:
    """Quality, or error, against cost, with the interval of each curve shaded.

    Parameters
    ----------
    curves : Curve, mapping from names to curves, or sequence of curves
        All of the same scorer.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure of the axes.
    lines_ : list of matplotlib Line2D
        One per curve.

    Examples
    --------
    >>> from scrimp import Curve
    >>> curve = Curve([0, 1, 4], [0, 1, 3.5], [0.6, 0.7, 0.9], [0.5] * 3, [1.0] * 3, "accuracy")
    >>> display = CostCurveDisplay({"boosting": curve}).plot(currency="CAD")
    >>> float(display.lines_[0].get_ydata()[-1])
    0.9
    """

    ax_: Axes
    figure_: Any
    lines_: list[Any]

    def __init__(self, curves: Curve | Mapping[str, Curve] | Sequence[Curve]) -> None:
        self.curves = curves

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        budgets: Any = None,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        error: bool = False,
        x: str = "budget",
        log: bool = False,
        currency: str | None = None,
        **options: Any,
    ) -> CostCurveDisplay:
        """Evaluate a fitted model and draw its curve.

        Parameters
        ----------
        model : fitted estimator or Predictor
            The model to evaluate.
        X, y, budgets
            As in `Curve.from_estimator`.
        name : str, optional
            For the legend; by default the learner's.
        ax, error, x, log, currency
            As in `plot`.
        **options
            As in `Curve.from_estimator`.

        Examples
        --------
        >>> from scrimp import BudgetedBoostingClassifier
        >>> from scrimp.datasets import load_heart
        >>> heart = load_heart()
        >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
        >>> display = CostCurveDisplay.from_estimator(model, heart.X, heart.y, [0, 4])
        >>> len(display.lines_)
        1
        """
        curve = Curve.from_estimator(model, X, y, budgets, **options)
        display = cls({learner_name(model) if name is None else name: curve})
        return display.plot(ax, error=error, x=x, log=log, currency=currency)

    @classmethod
    def from_sweep(
        cls,
        sweep: Sweep,
        y: Any,
        *,
        name: str = "model",
        ax: Axes | None = None,
        error: bool = False,
        x: str = "budget",
        log: bool = False,
        currency: str | None = None,
        **options: Any,
    ) -> CostCurveDisplay:
        """Score a sweep and draw its curve.

        Parameters
        ----------
        sweep : Sweep
            Answers and spend at many budgets.
        y : array (rows,)
            The truth.
        name : str
            For the legend.
        ax, error, x, log, currency
            As in `plot`.
        **options
            As in `Curve.from_sweep`.

        Examples
        --------
        >>> import numpy as np
        >>> from scrimp import Sweep
        >>> from scrimp.data.target import Target
        >>> target = Target("binary", np.array([0, 1]))
        >>> sweep = Sweep(np.array([0.0]), np.zeros((2, 1)), np.ones((2, 1, 1)), target)
        >>> display = CostCurveDisplay.from_sweep(sweep, [0, 1])
        >>> float(display.lines_[0].get_ydata()[0])
        0.5
        """
        display = cls({name: Curve.from_sweep(sweep, y, **options)})
        return display.plot(ax, error=error, x=x, log=log, currency=currency)

    @classmethod
    def from_curves(
        cls,
        curves: Curve | Mapping[str, Curve] | Sequence[Curve],
        *,
        ax: Axes | None = None,
        error: bool = False,
        x: str = "budget",
        log: bool = False,
        currency: str | None = None,
        **style: Any,
    ) -> CostCurveDisplay:
        """Draw existing curves.

        Parameters
        ----------
        curves : Curve, mapping from names to curves, or sequence of curves
            All of the same scorer.
        ax, error, x, log, currency
            As in `plot`.
        **style
            For matplotlib's `plot`, such as ``linewidth``.

        Examples
        --------
        >>> from scrimp import Curve
        >>> curve = Curve([0, 1], [0, 1], [0.6, 0.7], [0.5, 0.6], [0.7, 0.8], "accuracy")
        >>> len(CostCurveDisplay.from_curves([curve, curve], error=True).lines_)
        2
        """
        return cls(curves).plot(ax, error=error, x=x, log=log, currency=currency, **style)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        error: bool = False,
        x: str = "budget",
        log: bool = False,
        currency: str | None = None,
        **style: Any,
    ) -> CostCurveDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        error : bool
            Draw `Curve.error` instead of the quality.
        x : {"budget", "spent"}
            Draw against the budget per row, as steps, or against the mean spend.
        log : bool
            Draw costs on a logarithmic scale, 0 included.
        currency : str, optional
            Of the prices, for the label.
        **style
            For matplotlib's `plot`, such as ``linewidth``.

        Returns
        -------
        CostCurveDisplay
            Itself.
        """
        check_choice("x", x, ("budget", "spent"))
        named = _named(self.curves)
        _check_drawable(list(named.values()), x)
        new_figure = ax is None
        ax = new_axes(6.4 + _legend_width(named), 4.0) if ax is None else ax
        widest = max(float(curve.budgets[-1]) for curve in named.values()) or 1.0
        self.lines_ = []
        for name, curve in named.items():
            last = float(curve.budgets[-1])
            until = 1.12 * last if log and last else last + 0.03 * widest
            until_or_none = until if x == "budget" else None
            self.lines_.append(_draw(ax, plain(name), curve, error, until_or_none, style))
        self.ax_, self.figure_ = ax, ax.figure
        what = "Budget per row" if x == "budget" else "Mean spend per row"
        ax.set_xlabel(with_unit(what, currency))
        ax.set_ylabel(quality_label(next(iter(named.values())), error))
        tidy(ax, "both")
        if log:
            _log_scale(ax, list(named.values()), x)
        if len(named) > 1 and new_figure:
            ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
        elif len(named) > 1:
            ax.legend(loc="best", frameon=False)
        return self


def _named(curves: Curve | Mapping[str, Curve] | Sequence[Curve]) -> dict[str, Curve]:
    if isinstance(curves, Curve):
        return {curves.name: curves}
    if isinstance(curves, Mapping):
        return dict(curves)
    return {f"curve {number + 1}": curve for number, curve in enumerate(curves)}


def _check_drawable(curves: list[Curve], x: str) -> None:
    if not curves:
        raise ValueError("There is no curve to draw; expected at least one.")
    names = sorted({curve.name for curve in curves})
    if len(names) > 1:
        raise ValueError(
            f"The curves are of the scorers {names}; expected one. "
            "Draw each scorer in its own axes."
        )
    if x == "budget" and any(math.isinf(curve.budgets[-1]) for curve in curves):
        raise ValueError(
            "An infinite budget has no place on the axis. Draw against x='spent', or evaluate at "
            "the model's full price (plan_.price) instead."
        )


def _legend_width(named: Mapping[str, Curve]) -> float:
    """Return the inches that a legend beside the curves takes."""
    return 0.7 + 0.08 * max(len(plain(name)) for name in named) if len(named) > 1 else 0.0


def _draw(
    ax: Axes, label: str, curve: Curve, error: bool, until: float | None, style: Mapping[str, Any]
) -> Any:
    """Draw steps over the budgets, the last one extended, or a line over the spend."""
    middle, low, high = _heights(curve, error)
    look: dict[str, Any] = {"linewidth": 1.8, "label": label}
    if until is None:
        (line,) = ax.plot(
            curve.spent, middle, **look | {"marker": "o", "markersize": 3.5} | dict(style)
        )
        ax.fill_between(curve.spent, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        return line
    across = np.append(curve.budgets, until)
    middle, low, high = (np.append(part, part[-1]) for part in (middle, low, high))
    (line,) = ax.plot(across, middle, **look | {"drawstyle": "steps-post"} | dict(style))
    ax.fill_between(across, low, high, step="post", color=line.get_color(), alpha=0.15, linewidth=0)
    return line


def _log_scale(ax: Axes, curves: list[Curve], x: str) -> None:
    """Scale costs logarithmically from the smallest positive one on, and linearly below."""
    from matplotlib.ticker import FuncFormatter

    costs = np.concatenate([curve.budgets if x == "budget" else curve.spent for curve in curves])
    positive = costs[costs > 0]
    if positive.size:
        ax.set_xscale("symlog", linthresh=float(positive.min()), linscale=0.5)
        ax.set_xlim(left=0.0)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))


def _heights(curve: Curve, error: bool) -> tuple[Floats, Floats, Floats]:
    if error:
        return curve.error, curve.best - curve.high, curve.best - curve.low
    return curve.quality, curve.low, curve.high


def quality_label(curve: Curve, error: bool = False) -> str:
    """Return the name of a scorer in words, for an axis."""
    words = curve.name.removeprefix("neg_").split("_")
    text = " ".join(_ACRONYMS.get(word, word) for word in words)
    is_loss = curve.name.startswith("neg_")
    if error and not is_loss:
        return plain(f"Error (1 − {text})")
    if is_loss and not error:
        text = f"negative {text}"
    return plain(text[:1].upper() + text[1:])
