"""What tests of the cost meter share."""

from __future__ import annotations

import numpy as np

from scrimp import CostMeter, Costs


def telling_costs(n_columns):
    """Prices whose sums tell which columns were paid for."""
    return Costs.per_feature(2.0 ** np.arange(n_columns))


def paid_for(model, X, **options):
    """Which columns each row is charged for (rows x columns), from what it spends alone."""
    n = np.shape(X)[1]
    spent = CostMeter(telling_costs(n)).spend(model, X, **options)
    return (spent.astype(np.int64)[:, None] >> np.arange(n)) & 1 == 1


def offered(model, n, **options):
    """Which columns the model as a whole is charged for."""
    price = CostMeter(telling_costs(n)).price(model, **options)
    return (int(price) >> np.arange(n)) & 1 == 1


def table(n=240, d=8, missing=0.0, seed=0):
    """Numbers with duplicates and ties; the first column says which others tell the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)
    X[n // 2 : n // 2 + 20] = X[:20]
    ways = np.where(X[:, 0] > 0, 2 * X[:, 1] + X[:, 4], 2 * np.abs(X[:, 2]) - X[:, 6])
    y = ways + X[:, 0] + rng.normal(0, 0.1, n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def with_others(X, paid, seed=0):
    """X with what was not paid for taken from other rows, or far off."""
    rng = np.random.default_rng(seed)
    strange = np.stack([rng.permutation(column) for column in X.T], axis=1)
    far = rng.random(X.shape) < 0.3
    strange[far] = rng.choice([-1e6, 1e6, 0.0], size=int(far.sum()))
    return np.where(paid, X, strange)
