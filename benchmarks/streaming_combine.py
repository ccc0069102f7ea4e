"""Ways to combine streaming learners: the thesis's open question, measured.

Run it as ``python -m benchmarks.streaming_combine``; ``--write`` puts the table into
docs/streaming.md. Friedman's first problem, 10,000 rows in one pass and 5,000 to test, of the seeds
0 to 2.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1

from reporting.page import markdown_table, write_parts
from scrimp import StreamingBoostingRegressor
from scrimp.learners.streaming import StreamDiverged

DOCS = Path(__file__).parents[1] / "docs"
COMBINE = ("sum", "average", "weighted", "momentum")
N_TRAIN, N_TEST, SEEDS = 10_000, 5_000, (0, 1, 2)
#: What is measured: a name, and the parameters.
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("squared, 5 trees, rate 0.3", {"n_learners": 5}),
    ("squared, 20 trees, rate 0.3", {"n_learners": 20}),
    ("squared, 20 trees, rate 0.05", {"n_learners": 20, "learning_rate": 0.05}),
    ("squared, 20 trees, rate 0.3, averaged iterates", {"n_learners": 20, "iterate": "average"}),
    ("squared, 8 random features, rate 0.1",
     {"learner": "random-features", "n_learners": 8, "learning_rate": 0.1}),
    ("absolute, 20 trees", {"n_learners": 20, "loss": "absolute"}),
    ("absolute, 20 trees, ridge 0.2", {"n_learners": 20, "loss": "absolute", "ridge": 0.2}),
)  # fmt: skip


def error(combine: str, params: dict[str, Any]) -> float:
    """Return the mean test error of the seeds: the squared or the absolute one, as the loss is.

    It is infinite if the model of a seed diverges.
    """
    errors = []
    for seed in SEEDS:
        X, y = make_friedman1(N_TRAIN + N_TEST, 10, noise=1.0, random_state=seed)
        y = (y - y[:N_TRAIN].mean()) / y[:N_TRAIN].std()
        model = StreamingBoostingRegressor(**params, combine=combine, drift=None)
        try:
            model.partial_fit(X[:N_TRAIN], y[:N_TRAIN])
        except StreamDiverged:
            return np.inf
        off = np.abs(model.predict(X[N_TRAIN:]) - y[N_TRAIN:])
        errors.append(off.mean() if "loss" in params else (off**2).mean())
    return float(np.mean(errors))


def table() -> str:
    """Return the errors of all cases and ways in Markdown, the least of a case in bold."""
    rows = []
    for name, params in CASES:
        found = [error(combine, params) for combine in COMBINE]
        texts = [f"{e:.3f}" if np.isfinite(e) else "diverges" for e in found]
        cells = [f"**{t}**" if e == min(found) else t for t, e in zip(texts, found, strict=True)]
        rows.append((name, *cells))
        print(*rows[-1], flush=True)
    return markdown_table(("test error of a target of variance 1", *COMBINE), rows)


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming_combine")
    parser.add_argument("--write", action="store_true", help="write docs/streaming.md")
    given = parser.parse_args()
    text = table()
    print(text)
    if given.write:
        write_parts(DOCS / "streaming.md", {"combine": text})


if __name__ == "__main__":
    main()
