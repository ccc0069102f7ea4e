"""Generated tables in which what to buy depends on a column that alone tells nothing."""

import numpy as np

from scrimp import Costs


def context(n, seed=0, n_blocks=3, width=2):
    """Column 0 names the block of columns that tells the class."""
    rng = np.random.default_rng(seed)
    X, block = rng.normal(size=(n, 1 + n_blocks * width)), rng.integers(0, n_blocks, n)
    X[:, 0] = block
    values = X[:, 1:].reshape(n, n_blocks, width)[np.arange(n), block]
    return X, (values.sum(axis=1) + 0.3 * rng.normal(size=n) > 0).astype(int)


def priced(X):
    """The context costs 1.5, the other columns 1 each, the last of them after a fee of 0.5."""
    n = X.shape[1]
    requires = ((),) * (n - 1) + ((n,), ())
    return Costs(
        (*(f"x{i}" for i in range(n)), "fee"), (1.5, *(1.0,) * (n - 1), 0.5),
        (*((i,) for i in range(n)), ()), requires,
    )  # fmt: skip
