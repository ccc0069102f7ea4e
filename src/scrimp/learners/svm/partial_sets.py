r"""The answers of a support vector machine to parts of what it buys.

A machine is trained on one set of items. Where the money does not last, an item has failed or some
are owned, a row has a part of them. For it there is the least squares support vector machine of
the same targets and the same C (Suykens and Vandewalle 1999), which is a ridge regression: the
minimum of :math:`\tfrac12\|w\|^2 + \sum_i C_i(y_i - f_i)^2` has a closed form for every set of
columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from ...costs.costs import Costs
from ...costs.shopper import Shopper
from ...plans.components.subset_models import SubsetModels
from ...types import Floats, Ints
from .problem import SVMProblem
from .standardisation import Standardisation

#: The most columns of a model that answers to parts: the products of 1,000 take 8 MB in files.
MAX_COLUMNS = 1_000


def answers_to_parts(problem: SVMProblem, columns: Ints) -> bool:
    """Return whether a model of some columns can be given the answers to parts of them.

    Sparse tables have too many columns for the products of all pairs.
    """
    return not sparse.issparse(problem.X) and 0 < len(columns) <= MAX_COLUMNS


def least_squares_sets(
    problem: SVMProblem, columns: Ints, C: float, standardisation: Standardisation, shift: float
) -> SubsetModels:
    """Return the least squares machines of all sets of some columns, in the units of the table.

    Parameters
    ----------
    problem : SVMProblem
        The table as it was trained on, with the weights of rows before they are multiplied by C.
    columns : int array
        Positions in the table.
    C : float
        The weight of errors.
    standardisation : Standardisation
        Of the table.
    shift : float
        What was subtracted from the targets.
    """
    position = np.argsort(problem.table_columns(np.arange(problem.X.shape[1])))
    X, shares = problem.X[:, position[columns]], problem.weights / problem.weights.sum()
    mean, middle = shares @ X, problem.targets @ shares
    centred = X - mean
    weighted = centred * shares[:, None]
    ridge = 0.5 / (C * problem.weights.sum())
    matrix = centred.T @ weighted + ridge * np.eye(len(columns))
    response = weighted.T @ (problem.targets - middle[:, None]).T
    scale, center = standardisation.scale[columns], standardisation.center[columns]
    return SubsetModels(
        matrix * np.outer(scale, scale), response * scale[:, None],
        (center + scale * mean)[:, None], middle + shift,
    )  # fmt: skip


def forward_order(sets: SubsetModels, owners: Ints, costs: Costs) -> Iterator[tuple[int, Floats]]:
    """Yield items by value per price, each with the coefficients of all items up to it.

    The value of an item is how far its columns, each by itself, would lower the objective. What
    costs nothing is taken first. Gauss-Jordan elimination of the columns bought leaves their
    coefficients in place of the linear term; O(columns) products per column.
    """
    shopper, left = Shopper(costs, np.inf), sorted(set(owners.tolist()))
    matrix, response = sets.matrix.copy(), sets.response.copy()
    taken = np.zeros(len(owners), dtype=bool)
    while left:
        gains = (response**2).sum(axis=1) / matrix.diagonal()
        values = np.bincount(owners, np.where(taken, 0.0, gains), costs.n_items)[left]
        prices = shopper.prices[left]
        free = prices == 0.0
        worth = (
            np.where(free, values, -np.inf) if free.any() else values / np.where(free, 1, prices)
        )
        item = left.pop(int(np.argmax(worth)))
        shopper.buy([item])
        for column in np.flatnonzero(owners == item).tolist():
            _eliminate(matrix, response, column)
            taken[column] = True
        yield item, np.where(taken[:, None], response, 0.0)


def _eliminate(matrix: Floats, response: Floats, column: int) -> None:
    """Solve for one coefficient, in place."""
    pivot = matrix[column, column]
    row, value = matrix[column] / pivot, response[column] / pivot
    factor = matrix[:, column].copy()
    factor[column] = 0.0
    matrix -= np.outer(factor, row)
    response -= np.outer(factor, value)
    matrix[column], response[column] = row, value


def reordered(sets: SubsetModels, order: Ints) -> SubsetModels:
    """Return the same machines of columns in another order."""
    return SubsetModels(
        sets.matrix[np.ix_(order, order)], sets.response[order], sets.shift[order], sets.middle
    )
