"""Generated tables for the benchmarks."""

from __future__ import annotations

import numpy as np


def make_table(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of correlated numbers, labels of a fifth of them, and prices on [0, 2]."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d), dtype=np.float32)
    shared = rng.standard_normal(n, dtype=np.float32)
    X[:, ::3] += shared[:, None]
    weights = np.zeros(d, dtype=np.float32)
    useful = rng.choice(d, size=max(d // 5, 1), replace=False)
    weights[useful] = rng.standard_normal(len(useful))
    signal = X @ weights
    noise = rng.standard_normal(n, dtype=np.float32) * signal.std()
    y = (signal + np.sin(2 * X[:, useful[0]]) + noise > 0).astype(np.int64)
    return X, y, rng.uniform(0.0, 2.0, size=d)
