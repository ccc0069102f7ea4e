"""A cascade of three models on a table with real prices, for an average spend.

The heart disease data have prices from one dollar for a question to a hundred for a scan. A
logistic regression on what a patient can be asked answers the clear cases; the others have a blood
test and an ECG, and the hard ones a scan. Half of the patients train the cascade and choose its
thresholds; the other half shows what they pay.

Run it with ``python examples/cascade_of_models.py``; ``--average 80`` allows another average.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

from scrimp import CascadeClassifier
from scrimp.datasets import load_heart

ASKED = ["age", "sex", "cp"]
TESTED = [*ASKED, "trestbps", "chol", "fbs", "restecg", "thalach", "exang"]


def main(arguments: Sequence[str] | None = None) -> CascadeClassifier:
    """Fit the cascade, and print who leaves where and what that costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--average", type=float, default=200.0, help="the mean spend")
    options = parser.parse_args(arguments)
    heart = load_heart()
    train = np.random.default_rng(0).permutation(len(heart.y)) % 2 == 0
    judge = LogisticRegression(max_iter=5_000)
    model = CascadeClassifier(
        [(judge, ASKED), (judge, TESTED), judge], heart.costs,
        average_budget=options.average, random_state=0,
    ).fit(heart.X.filter(train), heart.y[train])  # fmt: skip
    new, truth = heart.X.filter(~train), heart.y[~train]
    spent = model.spend(new)
    for name, price in zip(model.stages_, model.stage_prices_, strict=True):
        share = np.mean(np.isclose(spent, price))
        print(f"{name}: {share:.0%} of the patients leave, having paid {price:.2f}")
    print(f"mean spend {spent.mean():.2f}, right {model.score(new, truth):.1%}")
    print(f"everything for everybody: {model.stage_prices_[-1]:.2f}")
    return model


if __name__ == "__main__":
    main()
