"""A picture of prices: how many of the items that models buy there are at each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.validation import check_budget
from ..runtime.predictor import as_predictor
from ..types import Floats
from .axes import new_axes, plain, price_texts, tidy, with_unit
from .bought import bought_prices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Up to so many different prices each has its own place; more are put into so many bins.
_PRICES, _BINS = 12, 10
#: Bins become wider with the price if the dearest costs so many times the usual price.
_SKEWED = 5.0
#: Bars up to which each is given its number, and texts that fit beside each other.
_NUMBERED, _LETTERS = 40, 75


class PriceHistogramDisplay:
    """How many items models buy at each price, side by side.

    Where there are many different prices they are put into bins.

    Parameters
    ----------
    prices : mapping from names to sequences of float
        The prices of what each model buys, one an item.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        What that is part of.
    bars_ : list of matplotlib BarContainer
        One a model, with a bar a price or bin.

    Examples
    --------
    >>> display = PriceHistogramDisplay({"dear": [5.0, 20.0, 20.0], "cheap": [1.0] * 9}).plot()
    >>> [float(bar.get_height()) for bar in display.bars_[0]]
    [0.0, 1.0, 2.0]
    """

    ax_: Axes
    figure_: Any
    bars_: list[Any]

    def __init__(self, prices: Mapping[str, Sequence[float] | Floats]) -> None:
        self.prices = prices

    @classmethod
    def from_estimators(
        cls,
        models: Mapping[str, Any],
        *,
        budget: float | None = None,
        ax: Axes | None = None,
        currency: str | None = None,
        bins: int | Sequence[float] | None = None,
    ) -> PriceHistogramDisplay:
        """Draw what fitted models buy at a budget.

        Parameters
        ----------
        models : mapping from names to fitted estimators or Predictors
            Whose purchases.
        budget : float, optional
            What a row may spend; by default all that a model was trained for. A menu buys the
            entry that it pays for. Of a model that buys by what it sees or draws, all items
            count that the budget could buy for a row.
        ax, currency, bins
            As in `plot`.

        Examples
        --------
        >>> from scrimp import BudgetedSVC
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.preprocessing import scale
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> prices = [1.0, 5.0, 20.0] * 10
        >>> model = BudgetedSVC(prices, budget=30.0, C=0.01).fit(scale(X), y)
        >>> uniform = BudgetedSVC(prices, budget=30.0, C=0.01, uniform=True).fit(scale(X), y)
        >>> display = PriceHistogramDisplay.from_estimators({"LTB": model, "LTB-unif": uniform})
        >>> [float(display.prices[name].sum()) for name in ("LTB", "LTB-unif")]
        [30.0, 30.0]
        """
        limit = float(check_budget(budget))
        prices = {name: bought_prices(as_predictor(own), limit) for name, own in models.items()}
        return cls(prices).plot(ax, currency=currency, bins=bins)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        *,
        name: str | None = None,
        budget: float | None = None,
        ax: Axes | None = None,
        currency: str | None = None,
        bins: int | Sequence[float] | None = None,
    ) -> PriceHistogramDisplay:
        """Draw what one fitted model buys at a budget.

        Parameters
        ----------
        model : fitted estimator or Predictor
            Whose purchases.
        name : str, optional
            For the legend; by default the learner's.
        budget, ax, currency, bins
            As in `from_estimators`.

        Examples
        --------
        >>> from scrimp import BudgetedBoostingClassifier
        >>> from scrimp.datasets import load_heart
        >>> heart = load_heart()
        >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
        >>> display = PriceHistogramDisplay.from_estimator(model, budget=4.0)
        >>> float(sum(*display.prices.values()))
        4.0
        """
        own = getattr(model, "info", {}).get("learner", type(model).__name__)
        models = {own if name is None else name: model}
        return cls.from_estimators(models, budget=budget, ax=ax, currency=currency, bins=bins)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        currency: str | None = None,
        bins: int | Sequence[float] | None = None,
    ) -> PriceHistogramDisplay:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure.
        currency : str, optional
            Of the prices, for the labels.
        bins : int or sequence of float, optional
            About how many bins, or where they begin and end. By default each price has its own
            place, if there are no more than 12. If a few items are far dearer than most, bins
            become wider with the price, whatever their number.

        Returns
        -------
        PriceHistogramDisplay
            Itself.
        """
        named = _checked(self.prices)
        everything = np.concatenate(list(named.values()))
        counts, places = _counted(named, everything, bins)
        ax = new_axes(max(6.4, 0.2 * counts.size + 1.5), 4.0) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        width = 0.8 / len(named)
        self.bars_ = []
        for number, own in enumerate(counts):
            middle = np.arange(len(places)) + (number - (len(named) - 1) / 2) * width
            bars = ax.bar(middle, own, 0.92 * width, color=f"C{number}")
            if counts.size <= _NUMBERED:
                texts = [f"{count}" if count else "" for count in own]
                ax.bar_label(bars, texts, fontsize="small", color="0.25", padding=1)
            self.bars_.append(bars)
        _legend(ax, named, currency)
        _label(ax, places, currency)
        if not everything.size:
            ax.text(
                0.5, 0.5, "Nothing is bought.", transform=ax.transAxes, ha="center", va="center"
            )
        return self


def _checked(prices: Mapping[str, Any]) -> dict[str, Floats]:
    if not prices:
        raise ValueError("There is no model to draw; expected at least one.")
    named = {name: np.asarray(own, dtype=np.float64) for name, own in prices.items()}
    for name, own in named.items():
        if own.ndim != 1 or not (np.isfinite(own) & (own >= 0)).all():
            raise ValueError(f"The prices of {name!r} are not all finite numbers >= 0.")
    return named


def _counted(
    named: Mapping[str, Floats], everything: Floats, bins: int | Sequence[float] | None
) -> tuple[Any, list[str]]:
    """How many items each model buys (models, places), and the names of the places."""
    distinct = np.unique(everything)
    if bins is None and len(distinct) <= _PRICES:
        counts = [[int((own == price).sum()) for price in distinct] for own in named.values()]
        places = price_texts(distinct.tolist()) if len(distinct) else []
        return np.array(counts, dtype=int).reshape(len(named), len(distinct)), places
    edges = _edges(everything, _BINS if bins is None else bins)
    ends = [f"{edge:,.0f}" if edge.is_integer() else f"{edge:g}" for edge in edges.tolist()]
    places = [f"{low}–{high}" for low, high in pairwise(ends)]
    return np.array([np.histogram(own, edges)[0] for own in named.values()]), places


def _edges(everything: Floats, bins: int | Sequence[float]) -> Floats:
    """Where bins begin and end: given, or at round numbers."""
    if not isinstance(bins, int | np.integer):
        edges = np.asarray(bins, dtype=np.float64)
        if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
            raise ValueError(f"bins are {bins!r}; expected a number >= 1, or ascending edges.")
        if everything.size and not edges[0] <= everything.min() <= everything.max() <= edges[-1]:
            raise ValueError(
                f"bins go from {edges[0]:g} to {edges[-1]:g}, but prices from "
                f"{everything.min():g} to {everything.max():g}; expected bins for all of them."
            )
        return edges
    if isinstance(bins, bool) or bins < 1:
        raise ValueError(f"bins is {bins!r}; expected a number >= 1, or ascending edges.")
    if not everything.any():
        return np.array([0.0, 1.0])
    positive = everything[everything > 0]
    if positive.max() > _SKEWED * np.median(positive):
        return _round_steps(everything)
    from matplotlib.ticker import MaxNLocator

    low, high = float(everything.min()), float(everything.max())
    return np.asarray(MaxNLocator(int(bins)).tick_values(low, high))


def _round_steps(everything: Floats) -> Floats:
    """From 1 to 2, 5, 10 and so on, or from 1 to 10; and from 0 if something is free."""
    positive = everything[everything > 0]
    low, high = np.floor(np.log10([positive.min(), positive.max()])).astype(int)
    within_ten = (1, 2, 5) if 3 * (high - low + 1) <= _PRICES else (1,)
    steps = np.array([float(f"{m}e{p}") for p in range(low, high + 2) for m in within_ten])
    first = np.searchsorted(steps, positive.min(), side="right") - 1
    last = np.searchsorted(steps, positive.max())
    edges = steps[first : last + 1]
    return edges if (everything > 0).all() else np.append(0.0, edges)


def _legend(ax: Axes, named: Mapping[str, Floats], currency: str | None) -> None:
    """Each model with how many items it buys, and what they cost together."""
    from matplotlib.patches import Patch

    unit = "" if currency is None else f" {plain(currency)}"
    keys = []
    for number, (name, prices) in enumerate(named.items()):
        total = price_texts([float(prices.sum())])[0]
        items = "1 item" if len(prices) == 1 else f"{len(prices)} items"
        text = f"{plain(name)}: {items} for {total}{unit}"
        keys.append(Patch(color=f"C{number}", label=text))
    ax.legend(handles=keys, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0))


def _label(ax: Axes, places: Sequence[str], currency: str | None) -> None:
    from matplotlib.ticker import MaxNLocator

    tidy(ax, "y")
    ax.tick_params(axis="x", length=0)
    slanted: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    crowded = sum(map(len, places)) > _LETTERS
    ax.set_xticks(range(len(places)), places, **slanted if crowded else {})
    ax.set_xlim(-0.6, max(len(places), 1) - 0.4)
    ax.set_ylim(0.0, max(1.08 * ax.dataLim.y1, 1.0) if places else 1.0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(with_unit("Price of an item", currency))
    ax.set_ylabel("Items bought")
