"""PriceHistogramDisplay: how many items models buy at each price."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.validation import check_budget
from ...runtime.predictor import as_predictor
from ...types import Floats
from .axes import learner_name, new_axes, plain, price_texts, tidy, with_unit
from .bought_items import bought_prices
from .price_bins import count_by_price

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Up to this number of bars each is labelled with its count; more labels would overlap.
_LABELLED_BARS = 40
#: Letters of tick labels that fit side by side; beyond them, labels are slanted.
_LETTERS = 75


class PriceHistogramDisplay:
    """Histogram of the prices of the items that models buy, side by side.

    Many different prices are put into bins.

    Parameters
    ----------
    prices : mapping from names to sequences of float
        The prices of the items that each model buys.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : list of matplotlib BarContainer
        One per model, with one bar per price or bin.

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
            The models whose purchases are drawn.
        budget : float, optional
            The budget per row; by default all that a model was trained for. A menu buys the
            entry that the budget pays for. Where rows differ in what they buy, all items count
            that the budget could buy for some row.
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
        prices = {name: bought_prices(as_predictor(m), limit) for name, m in models.items()}
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
            The model whose purchases are drawn.
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
        models = {learner_name(model) if name is None else name: model}
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
            place, if there are no more than 12. If a few items cost far more than most, bins
            become wider with the price, whatever their number.

        Returns
        -------
        PriceHistogramDisplay
            Itself.
        """
        named = _checked(self.prices)
        all_prices = np.concatenate(list(named.values()))
        counts, places = count_by_price(named, all_prices, bins)
        ax = new_axes(max(6.4, 0.2 * counts.size + 1.5), 4.0) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        width = 0.8 / len(named)
        self.bars_ = []
        for number, model_counts in enumerate(counts):
            middle = np.arange(len(places)) + (number - (len(named) - 1) / 2) * width
            bars = ax.bar(middle, model_counts, 0.92 * width, color=f"C{number}")
            if counts.size <= _LABELLED_BARS:
                texts = [f"{count}" if count else "" for count in model_counts]
                ax.bar_label(bars, texts, fontsize="small", color="0.25", padding=1)
            self.bars_.append(bars)
        _legend(ax, named, currency)
        _label(ax, places, currency)
        if not all_prices.size:
            ax.text(
                0.5, 0.5, "Nothing is bought.", transform=ax.transAxes, ha="center", va="center"
            )
        return self


def _checked(prices: Mapping[str, Any]) -> dict[str, Floats]:
    if not prices:
        raise ValueError("There is no model to draw; expected at least one.")
    named = {name: np.asarray(values, dtype=np.float64) for name, values in prices.items()}
    for name, values in named.items():
        if values.ndim != 1 or not (np.isfinite(values) & (values >= 0)).all():
            raise ValueError(f"The prices of {name!r} are not all finite numbers >= 0.")
    return named


def _legend(ax: Axes, named: Mapping[str, Floats], currency: str | None) -> None:
    """Add a legend with the number of items of each model and their total price."""
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
