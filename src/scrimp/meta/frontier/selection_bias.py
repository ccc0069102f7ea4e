"""The loss of what a selection offers, without the optimism of having selected.

The best of many candidates looks better in cross-validation than it is. Bootstrap bias corrected
cross-validation repeats the selection on bootstrap samples of the out-of-fold losses, and takes
the losses of what is selected on the rows that a sample has left out.

Tsamardinos, Greasidou, Borboudakis. Bootstrapping the out-of-sample predictions for efficient and
accurate cross-validation. Machine Learning 107, 2018.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...types import Floats, Ints
from .one_standard_error import choose

#: Cells of losses that all bootstrap samples may read together: it bounds their number.
MAX_CELLS = 4e7
#: Bootstrap samples, at least and at most.
MIN_SAMPLES, MAX_SAMPLES = 10, 200


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Out-of-fold losses of all candidates and of the prior, on the same rows.

    Parameters
    ----------
    selection_losses, losses : mappings from names to float arrays (budgets, rows)
        The losses that candidates are selected by, and those that are reported.
    prior_selection, prior_losses : float arrays (rows,)
        The same for the prior.
    first_is_free : bool
        Whether the first budget is 0.
    default_errors : float
        As in `choose`.
    """

    selection_losses: Mapping[str, Floats]
    losses: Mapping[str, Floats]
    prior_selection: Floats
    prior_losses: Floats
    first_is_free: bool
    default_errors: float = 1.0

    def offered(self, names: Sequence[str | None], rows: Ints | None = None) -> list[int]:
        """Return the budgets at which a winner improves on the prior and on cheaper winners."""
        rows = np.arange(len(self.prior_selection)) if rows is None else rows
        lowest, budgets = float(self.prior_selection[rows].mean()), []
        for budget, name in enumerate(names):
            if name is not None:
                loss = float(self.selection_losses[name][budget][rows].mean())
                if loss < lowest:
                    lowest = loss
                    budgets.append(budget)
        return budgets


def corrected_losses(oof: OutOfFold, seed: int) -> tuple[Floats, Floats]:
    """Return the corrected selection loss and loss (budgets,) of what is offered at each budget."""
    if len(oof.prior_selection) != len(oof.prior_losses):
        # selected by a loss of groups of rows: rows cannot be drawn again
        everything = np.arange(len(oof.prior_selection)), np.arange(len(oof.prior_losses))
        return _left_out(oof, *everything)
    sums = [
        _left_out(oof, drawn, left_out)
        for drawn, left_out in _bootstrap(len(oof.prior_selection), len(oof.selection_losses), seed)
    ]
    selected, losses = np.mean(sums, axis=0)
    return selected, losses


def _bootstrap(n: int, n_candidates: int, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield bootstrap samples of n rows, and the rows that each of them has left out."""
    rng = np.random.default_rng(seed)
    n_samples = int(np.clip(MAX_CELLS / (n * n_candidates), MIN_SAMPLES, MAX_SAMPLES))
    for _ in range(n_samples):
        drawn = rng.integers(n, size=n)
        left_out = np.setdiff1d(np.arange(n), drawn)
        yield drawn, left_out if len(left_out) else drawn


def _left_out(oof: OutOfFold, drawn: Ints, left_out: Ints) -> tuple[Floats, Floats]:
    """Return the losses, on rows left out, of what is selected on the rows drawn."""
    sample = {name: selected[:, drawn] for name, selected in oof.selection_losses.items()}
    names = choose(sample, oof.prior_selection[drawn], oof.first_is_free, oof.default_errors)
    offered = set(oof.offered(names, drawn))
    tested = left_out if len(oof.prior_selection) == len(oof.prior_losses) else drawn
    selected, loss = oof.prior_selection[tested].mean(), oof.prior_losses[left_out].mean()
    at_budgets = []
    for budget, name in enumerate(names):
        if budget in offered and name is not None:
            selected = oof.selection_losses[name][budget][tested].mean()
            loss = oof.losses[name][budget][left_out].mean()
        at_budgets.append((selected, loss))
    both = np.array(at_budgets).T
    return both[0], both[1]
