"""Where an optimal shallow tree takes the place of a greedy one.

`search="optimal"` asks for it, `search="auto"` takes it where it costs the training rows no more on
average, and has the lower risk on held-out rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from ...costs.ledger import within
from ...data.folds import Splits
from ...runtime.time_limit import is_time_over
from ...types import Ints
from .candidate_tests import candidate_tests
from .grown_tree import GrownTree
from .optimal_search import OptimalSearch, ShallowObjective
from .price_pruning import leaf_strengths, penalised_risk, pruned_to_average, row_losses
from .priced_grower import PricedGrower

#: Values of lambda that are tried for an average budget: doublings, and halvings of the interval.
_DOUBLINGS, _HALVINGS = 16, 4


@dataclass(frozen=True)
class ShallowTree:
    """The best shallow tree, the objective that it minimises, and whether that is proven."""

    tree: GrownTree
    objective: ShallowObjective
    is_proven: bool


def shallow_tree(
    grower: PricedGrower, rows: Ints, objective: ShallowObjective, average: float
) -> ShallowTree | None:
    """Return the best shallow tree whose mean spend is within a limit, None if the time is over.

    Parameters
    ----------
    grower : PricedGrower
        Has the table, the prices and the columns that can be paid for.
    rows : int array
        The rows to learn from.
    objective : ShallowObjective
        What is minimised; its penalty is raised until the mean spend is within the limit.
    average : float
        The most that the rows may pay on average.
    """
    tests = candidate_tests(grower.data, rows, grower.affordable)
    search = OptimalSearch(grower.data, rows, grower.costs, tests)

    def solve(penalty: float) -> ShallowTree:
        tried = replace(objective, penalty=penalty)
        return ShallowTree(search.best(tried), tried, search.is_proven)

    best = solve(objective.penalty)
    spend = float(best.tree.spend.sum())
    if within(spend, average):
        return best
    low, high, found = 0.0, best.tree.impurity[0] / spend / 2**6, None
    for _ in range(_DOUBLINGS):
        if is_time_over():
            return found
        found = solve(high)
        if within(float(found.tree.spend.sum()), average):
            break
        low, high, found = high, 2.0 * high, None
    for _ in range(_HALVINGS if found else 0):
        if is_time_over():
            break
        tried = solve((low + high) / 2)
        if within(float(tried.tree.spend.sum()), average):
            found, high = tried, tried.objective.penalty
        else:
            low = tried.objective.penalty
    return found


def searched_tree(
    grower: PricedGrower, greedy: GrownTree, objective: ShallowObjective, average: float
) -> tuple[GrownTree, bool]:
    """Return the optimal tree, and whether it is proven; the greedy one if the time is over."""
    rows = np.arange(len(grower.data.table))
    best = shallow_tree(grower, rows, objective, average)
    # among trees within an average the best one for a lambda need not be the best of all
    is_better = best is not None and (
        penalised_risk(best.tree, objective.alpha)
        <= penalised_risk(greedy, objective.alpha) * (1 + 1e-9)
        or bool(greedy.depth > objective.max_depth)
    )
    if best is None or not best.is_proven:
        taken = "best tree so far" if is_better else "greedy tree"
        warnings.warn(
            f"max_seconds was over before the search for the optimal tree came to its end, so the "
            f"{taken} is taken. Give more time, or a smaller max_depth.",
            UserWarning,
            stacklevel=6,
        )
    if best is None or not is_better:
        return greedy, False
    return best.tree, best.is_proven


def validated_tree(
    grower: PricedGrower, greedy: GrownTree, objective: ShallowObjective, average: float,
    splits: Splits,
) -> tuple[GrownTree, bool]:  # fmt: skip
    """Return the optimal tree if folds say that it is better than the greedy one, else the latter.

    It may cost the training rows no more than the greedy one does.
    """
    rows, spend = np.arange(len(grower.data.table)), float(greedy.spend.sum())
    best = shallow_tree(grower, rows, objective, min(spend, average))
    if best is None or not best.is_proven:
        return greedy, False
    differences = []
    for learn, left_out in splits:
        if is_time_over():
            return greedy, False
        folded = shallow_tree(grower, learn, best.objective, np.inf)
        grown = grower.grow(learn)
        if average < np.inf:
            pruned = pruned_to_average(grown, objective.alpha, average)
        else:
            pruned = grown.pruned(leaf_strengths(grown) <= objective.alpha)
        assert folded is not None
        differences.append(
            row_losses(folded.tree, grower.data, left_out)
            - row_losses(pruned, grower.data, left_out)
        )
    paired = np.concatenate(differences)
    error = paired.std() / np.sqrt(len(paired))
    return (best.tree, True) if paired.mean() < -error else (greedy, False)
