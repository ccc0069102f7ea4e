"""RouteDisplay: the tree of a routed plan, with what each region buys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.columns import Columns, as_frame
from ...plans.priced_plan import PricedPlan
from ...plans.routed import Nodes, tree_of
from ...runtime.predictor import as_predictor
from ...types import Floats
from .axes import new_axes, plain, price_texts, with_unit
from .bought_items import chosen_entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TEST, _REGION = "#e8eef6", "#fbf3e2"


@dataclass(frozen=True)
class RouteNode:
    """A node of the tree.

    Parameters
    ----------
    parent : int
        The number of the node before it, -1 at the root.
    condition : str
        What sends a row here.
    bought : tuple of str
        The items that rows buy here.
    price, paid : float
        The price of these, and what a row has paid with them in all.
    share : float
        The part of the rows that comes here.
    is_region : bool
        Whether rows end here.
    """

    parent: int
    condition: str
    bought: tuple[str, ...]
    price: float
    paid: float
    share: float
    is_region: bool


class RouteDisplay:
    """The tree of a routed plan: a box per purchase with its price and the share of the rows.

    Parameters
    ----------
    nodes : sequence of RouteNode
        Parents before their children.

    Attributes
    ----------
    ax_, figure_
        The matplotlib axes with the plot, and their figure.
    """

    ax_: Axes
    figure_: Any

    def __init__(self, nodes: Sequence[RouteNode]) -> None:
        self.nodes = list(nodes)

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, budget: float | None = None, *, ax: Axes | None = None,
        currency: str | None = None,
    ) -> RouteDisplay:  # fmt: skip
        """Draw the tree that a fitted model follows at a budget.

        Parameters
        ----------
        model : fitted estimator or Predictor
            A model whose plan is routed at this budget.
        X : array or data frame
            Rows that are routed, to count them.
        budget : float, optional
            By default all that the model was trained for.
        ax, currency
            As in `plot`.

        Examples
        --------
        >>> from scrimp import BudgetedTreeClassifier
        >>> from scrimp.datasets import load_heart
        >>> heart = load_heart()
        >>> tree = BudgetedTreeClassifier(heart.costs, max_depth=2).fit(heart.X, heart.y)
        >>> RouteDisplay.from_estimator(tree, heart.X).nodes[0].share
        1.0
        """
        predictor = as_predictor(model)
        entry = chosen_entry(predictor.plan, np.inf if budget is None else budget)
        tree = tree_of(entry.plan)
        if tree is None:
            raise ValueError(
                "All rows buy the same at this budget, so that there is no tree to draw. Give "
                "another budget, or use PurchaseDisplay."
            )
        columns = predictor.columns
        table = columns.check_array(X) if as_frame(X) is None else columns.encode(X)
        nodes = _Outline(entry, tree, predictor.columns, table).nodes()
        return cls(nodes).plot(ax, currency=currency)

    def plot(self, ax: Axes | None = None, *, currency: str | None = None) -> RouteDisplay:
        """Draw the tree from left to right.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default new axes.
        currency : str, optional
            The unit of prices, for the title.
        """
        depth, height = self._places()
        n_regions = sum(node.is_region for node in self.nodes)
        ax = new_axes(3.4 * (max(depth) + 1), 0.75 * n_regions + 1.0) if ax is None else ax
        texts = iter(price_texts([p for node in self.nodes for p in (node.price, node.paid)]))
        for place, node in enumerate(self.nodes):
            if node.parent >= 0:
                self._join(ax, place, depth, height)
            colour = _REGION if node.is_region else _TEST
            ax.text(
                depth[place], height[place], _text(node, next(texts), next(texts)),
                ha="center", va="center", fontsize=8,
                bbox={"boxstyle": "round", "facecolor": colour, "edgecolor": "0.6"},
            )  # fmt: skip
        ax.set(xlim=(-0.5, max(depth) + 0.5), ylim=(-0.6, n_regions - 0.4))
        ax.invert_yaxis()
        ax.axis("off")
        ax.set_title(with_unit("what rows buy, and what they have paid", currency), fontsize=10)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _join(self, ax: Axes, place: int, depth: list[int], height: list[float]) -> None:
        """Draw the line from a node's parent, with the condition on it."""
        node = self.nodes[place]
        x, y = (depth[node.parent], depth[place]), (height[node.parent], height[place])
        ax.plot(x, y, color="0.7", linewidth=1 + 4 * node.share, zorder=0)
        ax.text(
            sum(x) / 2, sum(y) / 2, plain(node.condition, 24), fontsize=7, ha="center",
            va="center", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip

    def _places(self) -> tuple[list[int], list[float]]:
        """Return how deep each node is, and its height: regions one below the other."""
        depth, height, n_regions = [0] * len(self.nodes), [0.0] * len(self.nodes), 0
        for place, node in enumerate(self.nodes):
            depth[place] = depth[node.parent] + 1 if node.parent >= 0 else 0
            if node.is_region:
                height[place], n_regions = float(n_regions), n_regions + 1
        for place in reversed(range(len(self.nodes))):
            below = [h for h, node in zip(height, self.nodes, strict=True) if node.parent == place]
            height[place] = sum(below) / len(below) if below else height[place]
        return depth, height


def _text(node: RouteNode, price: str, paid: str) -> str:
    """Return the text of a box."""
    names = plain(", ".join(node.bought), 34)
    share = f"{100 * node.share:.0f}% of rows"
    if not node.bought:
        return f"nothing more\n{share}, {paid} in all" if node.is_region else share
    return f"{names}: {price}\n{share}" + (f", {paid} in all" if node.is_region else "")


class _Outline:
    """The nodes of a routed plan, in the order of its tree."""

    def __init__(self, priced: PricedPlan, tree: Nodes, columns: Columns, table: Floats) -> None:
        self.priced, self.tree, self.columns, self.table = priced, tree, columns, table
        self._nodes: list[RouteNode] = []

    def nodes(self) -> list[RouteNode]:
        self._add(0, -1, "", frozenset(), np.arange(len(self.table)))
        return self._nodes

    def _add(
        self, node: int, parent: int, condition: str, owned: frozenset[int], rows: Any
    ) -> None:
        costs, tree, place = self.priced.costs, self.tree, len(self._nodes)
        needs = set(self.priced.needs[node])
        new, column = sorted(needs - owned), int(tree.column[node])
        owned |= needs
        names, price = tuple(costs.names[i] for i in new), costs.price_of(new, owned - set(new))
        share = len(rows) / max(len(self.table), 1)
        self._nodes.append(
            RouteNode(parent, condition, names, price, costs.price_of(owned), share, column < 0)
        )
        if column < 0:
            return
        x = self.table[rows, column]
        inside = (x >= tree.low[node]) & (x <= tree.high[node])
        missing_inside = tree.missing[node] == tree.inside[node]
        inside |= np.isnan(x) & missing_inside
        texts = self._conditions(node, column)
        self._add(int(tree.inside[node]), place, texts[0], owned, rows[inside])
        self._add(int(tree.outside[node]), place, texts[1], owned, rows[~inside])

    def _conditions(self, node: int, column: int) -> tuple[str, str]:
        """Return what values inside and outside the interval of a test are."""
        low, high = float(self.tree.low[node]), float(self.tree.high[node])
        name = self.columns.name(column)
        if not np.isfinite(low) and not np.isfinite(high):
            return f"{name} is there", f"{name} is missing"
        if self.columns.is_categorical()[column]:
            category = self.columns.show_value(column, round((low + high) / 2))
            return f"{name} = {category}", f"{name} ≠ {category}"
        if not np.isfinite(low):
            return f"{name} ≤ {high:.3g}", f"{name} > {high:.3g}"
        return f"{name} in [{low:.3g}, {high:.3g}]", f"{name} outside"
