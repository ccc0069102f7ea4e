"""The invariants that every estimator on a budget keeps, as checks anybody can run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .answers import (
    check_at_budget,
    check_column_order,
    check_free_items_are_used,
    check_no_budget_is_the_full_price,
    check_prior_without_money,
    check_sweep_equals_predicts,
    check_unbought_columns_are_ignored,
)
from .money import (
    check_currency,
    check_items_are_paid_once,
    check_owned_is_free,
    check_spend_within_budget,
)
from .running import Check
from .sessions import check_batch_equals_sessions, check_failing_providers, check_read_is_pure
from .tools import check_frames, check_parameters, check_save_and_load
from .worth import check_no_worse_than_prior

#: All checks, cheap and telling ones first.
CHECKS: tuple[Check, ...] = (
    check_parameters,
    check_spend_within_budget,
    check_items_are_paid_once,
    check_batch_equals_sessions,
    check_prior_without_money,
    check_free_items_are_used,
    check_no_budget_is_the_full_price,
    check_unbought_columns_are_ignored,
    check_column_order,
    check_currency,
    check_save_and_load,
    check_read_is_pure,
    check_failing_providers,
    check_sweep_equals_predicts,
    check_owned_is_free,
    check_at_budget,
    check_frames,
    check_no_worse_than_prior,
)


def check_budgeted_estimator(
    estimator: Any, *, max_examples: int = 20, exclude: Iterable[str] = ()
) -> None:
    """Check that an estimator keeps what scrimp promises of all of them.

    Each check fits the estimator on small problems with random prices: free items, huge
    prices, groups, shared fees and requirements among them. The problems are the same each
    time.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with a parameter ``costs`` and perhaps ``budget``; both are set here, the
        budget to a list if it is one.
    max_examples : int
        Problems a check.
    exclude : iterable of str
        Names of checks that the learner cannot pass by its nature, such as
        ``check_column_order`` for one that draws columns at random.

    Raises
    ------
    AssertionError
        With the name of the first check that fails.

    Examples
    --------
    >>> from scrimp import BudgetedBoostingClassifier, check_budgeted_estimator
    >>> check_budgeted_estimator(BudgetedBoostingClassifier(n_rounds=5), max_examples=2)
    """
    left_out = set(exclude)
    unknown = sorted(left_out - {check.__name__ for check in CHECKS})
    if unknown:
        raise ValueError(
            f"exclude names {unknown}, which are no checks; "
            f"expected some of {[check.__name__ for check in CHECKS]}."
        )
    for check in CHECKS:
        if check.__name__ in left_out:
            continue
        try:
            check(estimator, max_examples=max_examples)
        except ImportError:
            raise
        except Exception as error:
            raise AssertionError(f"{check.__name__} failed for {estimator!r}: {error}") from error


__all__ = ["CHECKS", "check_budgeted_estimator", *(check.__name__ for check in CHECKS)]
