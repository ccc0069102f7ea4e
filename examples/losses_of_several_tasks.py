"""Balance the losses of several tasks that one network learns together.

Three quantities are predicted from one small hidden layer. They have units of their own: the loss
of the first, in pascal, is a million times that of the last, in bar. With equal weights the hidden
layer serves the first alone; AdaLoss makes the weighted losses equal, whatever the units. The
network is a few lines of NumPy: `LossBalance` fits into any training loop.

Run it with ``python examples/losses_of_several_tasks.py``.
"""

from __future__ import annotations

import argparse

import numpy as np

from scrimp.nets import LossBalance

UNITS = np.array([1000.0, 1.0, 0.001])
WIDTH, N_STEPS, RATE = 3, 2_000, 0.01


def problem(n: int = 1_000) -> tuple[np.ndarray, np.ndarray]:
    """Return rows, and three quantities of which each follows another direction."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    directions = np.linalg.qr(rng.normal(size=(10, 3)))[0]
    return X, X @ directions + 0.1 * rng.normal(size=(n, 3))


def trained(scheme: str) -> np.ndarray:
    """Return the part of the variance of each quantity that is left after training by Adam."""
    X, Y = problem()
    rng, balance = np.random.default_rng(1), LossBalance(3, scheme, gamma=0.0)
    weights = [rng.normal(size=(10, WIDTH)) / 3, rng.normal(size=(WIDTH, 3)) / 3]
    means = [np.zeros_like(each) for each in weights]
    squares = [np.zeros_like(each) for each in weights]
    for step in range(1, N_STEPS + 1):
        rows = rng.integers(len(X), size=50)
        hidden = X[rows] @ weights[0]
        error = hidden @ weights[1] - Y[rows]
        losses = UNITS**2 * 0.5 * (error**2).mean(axis=0)
        slope = balance(losses) * UNITS**2 * error / len(rows)
        gradients = X[rows].T @ (slope @ weights[1].T), hidden.T @ slope
        for weight, mean, square, gradient in zip(weights, means, squares, gradients, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            size = np.sqrt(square / (1 - 0.999**step)) + 1e-30
            weight -= RATE * mean / (1 - 0.9**step) / size
    left = ((X @ weights[0] @ weights[1] - Y) ** 2).mean(axis=0)
    return np.asarray(left / Y.var(axis=0))


def main(arguments: list[str] | None = None) -> dict[str, np.ndarray]:
    """Train with equal weights and with AdaLoss, and print what is left unexplained."""
    argparse.ArgumentParser(description=__doc__).parse_args(arguments)
    left = {}
    for scheme in ("const", "adaloss"):
        left[scheme] = trained(scheme)
        shown = ", ".join(f"{part:.0%}" for part in left[scheme])
        print(f"{scheme:8s} unexplained of the three quantities: {shown}")
    return left


if __name__ == "__main__":
    main()
