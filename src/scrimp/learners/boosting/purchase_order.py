"""The order of purchases of stacked columns: what explains most per price first.

A booster that is trained for much money buys dear columns early. Its model is a sum of functions
of single columns, though, which is the same in whatever order they are bought: so that smaller
budgets buy well too, items are ordered by forward selection, by what each adds to the loss
explained over what it costs then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...costs.costs import Costs
from ...costs.shopper import Shopper
from ...plans.components.subset_weights import SubsetWeights
from ...types import Floats, Ints

#: Items that are selected, at most; others come after them in the order of the booster.
MAX_SELECTED = 256


class ForwardSelection:
    """What items explain of a quadratic loss, as more and more of them are selected.

    Weights are held to a common one by the penalty, as in `SubsetWeights`; here that is the mean
    weight of all functions. Items count for what they explain beyond chance, by Mallows' Cp.

    Parameters
    ----------
    model : SubsetWeights
        The quadratic model, of the prior.
    functions : sequence of int arrays
        The functions of each item, which differ from those of all others.
    """

    def __init__(self, model: SubsetWeights, functions: Sequence[Ints]) -> None:
        everything = np.ones(model.n_functions, dtype=bool)
        common = float(model.minimise(everything)[0].mean())
        self._functions, self._penalty = functions, model.penalty
        self._constant = model.penalty * common**2
        # both are conditional on what is selected
        self._matrix = model.hessian[0] + model.penalty * np.eye(model.n_functions)
        self._gradient = model.gradient[0] + model.penalty * common
        sizes = np.array([len(part) for part in functions])
        self._by_size = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]

    def gains(self) -> Floats:
        """Return what each item would add to the loss explained, beyond chance."""
        gains = np.empty(len(self._functions))
        for items in self._by_size:
            of_item = np.array([self._functions[item] for item in items.tolist()])
            inverse = np.linalg.inv(self._matrix[of_item[:, :, None], of_item[:, None, :]])
            gradient = self._gradient[of_item]
            explained = np.einsum("ia,iab,ib->i", gradient, inverse, gradient)
            size = of_item.shape[1]
            freedom = size - self._penalty * np.trace(inverse, axis1=1, axis2=2)
            gains[items] = explained - self._constant * size - 2.0 * freedom
        return gains

    def select(self, item: int) -> None:
        """Select an item."""
        chosen = self._functions[item]
        across = self._matrix[:, chosen]
        solved = np.linalg.solve(self._matrix[np.ix_(chosen, chosen)], across.T)
        self._gradient = self._gradient - solved.T @ self._gradient[chosen]
        self._matrix = self._matrix - across @ solved
        self._matrix[np.ix_(chosen, chosen)] = np.eye(len(chosen))  # nothing is left of them


def purchase_order(
    model: SubsetWeights, costs: Costs, items: Sequence[int], item_of: Ints
) -> list[int]:
    """Return the items in the order in which they are worth their price.

    Parameters
    ----------
    model : SubsetWeights
        The quadratic model of the functions.
    costs : Costs
        Prices and requirements.
    items : sequence of int
        The items in the order of the booster, which those keep that explain nothing.
    item_of : int array (functions,)
        The item that brings each function.
    """
    if not items:
        return []
    selection = ForwardSelection(model, [np.flatnonzero(item_of == item) for item in items])
    shopper, left, order = Shopper(costs, np.inf), np.ones(len(items), dtype=bool), []
    for _ in range(min(len(items), MAX_SELECTED)):
        gains, prices = selection.gains(), shopper.prices[list(items)]
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(left & (gains > 0), gains / prices, 0.0)
        if not worth.any():
            break
        best = int(np.lexsort((-gains, -worth))[0])
        selection.select(best)
        shopper.buy([items[best]])
        left[best] = False
        order.append(items[best])
    return [*order, *(item for item, stays in zip(items, left.tolist(), strict=True) if stays)]
