"""A tree of models: what a row shows first decides which tests are bought next.

A workshop takes in machines of three kinds. The kind costs one unit to read off a plate and says
nothing about the fault; but for each kind another pair of tests tells whether the machine is worth
repairing. A model that buys the same tests for all machines wastes most of its budget. The tree
reads the plate first, and then buys what pays.

Run it with ``python examples/buy_by_what_is_seen.py``; ``--plot tree.png`` draws the tree.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from scrimp import FrontierClassifier, RoutedClassifier, RouteDisplay

KINDS = {"pump": ("noise", "pressure"), "motor": ("current", "heat"), "fan": ("tilt", "wear")}
TESTS = [test for pair in KINDS.values() for test in pair]
PRICES = {"kind": 1.0} | dict.fromkeys(TESTS, 2.0)
BUDGET = 5.0


def machines(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return machines with all their tests, and whether each is worth repairing."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(list(KINDS), n)
    frame = pd.DataFrame({"kind": kind} | {test: rng.normal(size=n) for test in TESTS})
    signal = np.empty(n)
    for name, pair in KINDS.items():
        signal[kind == name] = frame.loc[kind == name, list(pair)].sum(axis=1)
    return frame, np.where(signal + 0.3 * rng.normal(size=n) > 0, "repair", "scrap")


def main(argv: Sequence[str] | None = None) -> dict[str, float]:
    """Print the errors of one set for all machines and of the tree; return them by name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args(argv)
    X, y = machines(1_500, seed=0)
    X_test, y_test = machines(3_000, seed=1)
    fixed = FrontierClassifier(PRICES, [BUDGET], ["boosted"], cv=2).fit(X, y)
    routed = RoutedClassifier(PRICES, [BUDGET], learners=["boosted"], cv=2).fit(X, y)
    errors = {}
    for name, model in {"one set": fixed, "tree": routed}.items():
        errors[name], spent = 1 - model.score(X_test, y_test), model.spend(X_test).max()
        print(f"{name}: {100 * errors[name]:.1f}% errors, at most {spent:g} spent on a machine")
    if options.plot:
        display = RouteDisplay.from_estimator(routed, X_test)
        display.figure_.savefig(options.plot, dpi=150)
    return errors


if __name__ == "__main__":
    main()
