"""PurchaseDisplay: what a plan buys, in order, at what price."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...plans.priced_plan import PricedPlan, Purchase
from ...runtime.predictor import as_predictor
from .axes import new_axes, plain, price_texts, tidy, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ITEM, _FEE = "#3b6ea5", "#b5cbe3"


class PurchaseDisplay:
    """One bar per item, from the first bought to the last, with the running total at its end.

    Items that bring no columns, such as shared fees, are drawn in a lighter shade.

    Parameters
    ----------
    purchases : sequence of Purchase
        In order, as from ``plan_.summary()``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : matplotlib BarContainer
        One bar per item.

    Examples
    --------
    >>> from scrimp.plans.priced_plan import Purchase
    >>> bought = [Purchase(1, "fee", 2.0, 2.0, 3, ()), Purchase(2, "test", 5.0, 7.0, 3, ("t",))]
    >>> display = PurchaseDisplay(bought).plot(currency="CAD")
    >>> float(display.bars_[1].get_width())
    5.0
    """

    ax_: Axes
    figure_: Any
    bars_: Any

    def __init__(self, purchases: Sequence[Purchase]) -> None:
        self.purchases = purchases

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        *,
        entry: int | None = None,
        ax: Axes | None = None,
        currency: str | None = None,
        max_items: int = 25,
    ) -> PurchaseDisplay:
        """Draw what a fitted model buys.

        Parameters
        ----------
        model : fitted estimator or Predictor
            The model whose purchases are drawn.
        entry : int, optional
            Which entry of a menu, from the first to the best; by default the best.
        ax, currency, max_items
            As in `plot`.

        Examples
        --------
        >>> from scrimp import BudgetedBoostingClassifier
        >>> from scrimp.datasets import load_heart
        >>> heart = load_heart()
        >>> model = BudgetedBoostingClassifier(heart.costs, budget=4.0, n_rounds=50)
        >>> display = PurchaseDisplay.from_estimator(model.fit(heart.X, heart.y))
        >>> round(display.purchases[-1].total, 2)
        4.0
        """
        purchases = _entry(as_predictor(model).plan, entry).summary()
        return cls(purchases).plot(ax, currency=currency, max_items=max_items)

    def plot(
        self, ax: Axes | None = None, *, currency: str | None = None, max_items: int = 25
    ) -> PurchaseDisplay:
        """Draw the purchases.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default in a new figure of fitting height.
        currency : str, optional
            Of the prices, for the label.
        max_items : int
            Items beyond these are only counted.

        Returns
        -------
        PurchaseDisplay
            Itself.
        """
        if max_items < 1:
            raise ValueError(f"max_items is {max_items}; expected at least 1.")
        shown = list(self.purchases[:max_items])
        rest = len(self.purchases) - len(shown)
        lines = len(shown) + (rest > 0)
        ax = new_axes(6.4, 1.1 + 0.27 * max(lines, 2)) if ax is None else ax
        self.ax_, self.figure_ = ax, ax.figure
        self.bars_ = ax.barh(
            range(len(shown)), [p.price for p in shown], height=0.7,
            color=[_ITEM if p.columns else _FEE for p in shown],
        )  # fmt: skip
        totals = price_texts([p.total for p in (*shown, *self.purchases[-1:])])
        for place, purchase in enumerate(shown):
            # the word at either end explains all the numbers
            word = "total " if place in (0, lines - 1) else ""
            _write(ax, purchase.price, place, word + totals[place])
        names = [plain(p.item) for p in shown]
        if rest:
            _write(ax, 0.0, len(shown), f"total {totals[-1]}")
            names.append(f"and {rest} more")
        ax.set_yticks(range(lines), names)
        ax.set_ylim(max(lines, 1) - 0.4, -0.6)
        _label(ax, shown, currency)
        return self


def _entry(priced: PricedPlan, entry: int | None) -> PricedPlan:
    """Return the plan itself, or an entry of a menu."""
    entries = priced.outline.entries
    if not entries:
        if entry is not None:
            raise ValueError(
                f"entry is {entry}, but a plan of the kind {priced.plan.kind} has no entries. "
                "Leave entry out."
            )
        return priced
    chosen = len(entries) - 1 if entry is None else entry
    if not 0 <= chosen < len(entries):
        raise ValueError(
            f"entry is {entry}; expected a number from 0, the least, "
            f"to {len(entries) - 1}, the best."
        )
    return PricedPlan(entries[chosen], priced.costs)


def _write(ax: Axes, x: float, y: float, text: str) -> None:
    ax.annotate(
        text, (x, y), xytext=(4, 0), textcoords="offset points",
        va="center", fontsize="small", color="0.25",
    )  # fmt: skip


def _label(ax: Axes, shown: list[Purchase], currency: str | None) -> None:
    from matplotlib.patches import Patch

    tidy(ax, "x")
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(with_unit("Price", currency))
    # room for the totals beside the bars
    ax.set_xlim(0.0, 1.15 * max((p.price for p in shown), default=0.0) or 1.0)
    if not shown:
        ax.text(0.5, 0.5, "Nothing is bought.", transform=ax.transAxes, ha="center", va="center")
    kinds = {bool(p.columns) for p in shown}
    if len(kinds) > 1:
        shades = [Patch(color=_ITEM, label="brings columns"), Patch(color=_FEE, label="fee")]
        ax.legend(
            handles=shades, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False,
            fontsize="small", handlelength=1.0,
        )  # fmt: skip
