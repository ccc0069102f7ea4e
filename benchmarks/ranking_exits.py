"""Early exits of rankers: the spend that they save on new queries, and NDCG at 10 beside it.

Run it as ``python -m benchmarks.ranking_exits`` with SCRIMP_DATA; ``--write`` writes the table into
docs/stopping.md. A model is fitted once per dataset; the queries it was not trained on are divided
at random, a hundred times, into queries that set the exits and queries that test them.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402

from reporting.page import markdown_table, write_parts  # noqa: E402
from scrimp import BudgetedBoostingRegressor, Costs  # noqa: E402
from scrimp.data.ranking import query_ndcg  # noqa: E402
from scrimp.runtime.ranking_exits import RankingGoal, ScorePath, chosen_exits  # noqa: E402
from scrimp.runtime.stopping import Recording  # noqa: E402

ROOT = Path(__file__).parents[1]
N_SPLITS = 100
GOAL = RankingGoal(max_loss=0.01, k=10)
#: Files of datasets, and the share of their queries that is trained on; None where they say.
DATASETS = {
    "MSLR-WEB10K, 10,000 rows": ("mslr_fold1_5k", None),
    "LightGBM's ranking example": ("lightgbm_rank", None),
    "MQ2008, test part of fold 1": ("mq2008_fold1_test", 0.4),
}
ENSEMBLES = {"stumps": 1, "trees of depth 4": 4}


@dataclass(frozen=True, eq=False)
class Ranked:
    """Rows of queries, and which of them a model is trained on."""

    X: np.ndarray
    y: np.ndarray
    query: np.ndarray
    is_train: np.ndarray


def read(file: str, train_share: float | None) -> Ranked:
    """Return a dataset of SCRIMP_DATA; its first queries are trained on."""
    with np.load(Path(os.environ["SCRIMP_DATA"]) / f"{file}.npz") as stored:
        if "indptr" in stored:
            parts = (stored["data"], stored["indices"], stored["indptr"])
            X = csr_matrix(parts, shape=tuple(stored["shape"])).toarray()
        else:
            X = stored["X"]
        query = np.unique(stored["qid"], return_inverse=True)[1]
        n_train = int(stored["n_train"]) if train_share is None else 0
        is_train = (
            np.arange(len(query)) < n_train
            if train_share is None
            else query < train_share * (query.max() + 1)
        )
        return Ranked(X.astype(np.float32), stored["y"].astype(np.float64), query, is_train)


def held_out_path(data: Ranked, depth: int) -> tuple[ScorePath, np.ndarray, np.ndarray]:
    """Fit a ranker, and return the scores of the other rows before each purchase."""
    prices = np.random.default_rng(0).uniform(0.5, 2.0, size=data.X.shape[1])
    model = BudgetedBoostingRegressor(
        Costs.per_feature(prices), max_depth=depth, combine="vote", n_rounds=200, random_state=0
    ).fit(data.X[data.is_train], data.y[data.is_train])
    recording = Recording()
    scores, spend = model.predictor_.answer(data.X[~data.is_train], stop=recording)
    path = ScorePath.of(recording.seen, scores[:, 0], spend)
    return path, data.y[~data.is_train], data.query[~data.is_train]


def taken(path: ScorePath, rows: np.ndarray) -> ScorePath:
    """Return the path of some of the rows."""
    return ScorePath(path.spent, path.scores[rows], path.full_scores[rows], path.full_spend[rows])


def row_of(name: str, words: str, depth: int) -> list[str]:
    """Return a line of the table."""
    path, y, query = held_out_path(read(*DATASETS[name]), depth)
    numbers = np.unique(query)
    rng = np.random.default_rng(1)
    full, lost, saved = [], [], []
    for _ in range(N_SPLITS):
        is_held = np.isin(query, rng.permutation(numbers)[: len(numbers) // 2])
        parts = []
        for rows in (is_held, ~is_held):
            parts.append(
                (taken(path, rows), y[rows], np.unique(query[rows], return_inverse=True)[1])
            )
        exits, _ = chosen_exits(GOAL, *parts[0])
        test, truth, queries = parts[1]
        thresholds = np.full(len(test.spent), -np.inf)
        thresholds[np.searchsorted(test.spent, exits[:, 0])] = exits[:, 1]
        scores, spend = test.outcome(thresholds)
        full.append(np.nanmean(query_ndcg(truth, test.full_scores, queries, GOAL.k)))
        lost.append(full[-1] - np.nanmean(query_ndcg(truth, scores, queries, GOAL.k)))
        saved.append(1.0 - spend.mean() / test.full_spend.mean())
    kept = int(np.sum(np.array(lost) <= GOAL.max_loss))
    return [
        name, words, f"{np.mean(full):.4f}", f"{-np.mean(lost):+.4f}",
        f"{kept} of {N_SPLITS}", f"{100 * np.mean(saved):.0f}%",
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write it into docs/stopping.md")
    options = parser.parse_args()
    header = ["data", "ensemble", "NDCG@10", "change by exits",
              f"fall of at most {GOAL.max_loss:g}", "less spend"]  # fmt: skip
    rows = [row_of(name, *each) for name in DATASETS for each in ENSEMBLES.items()]
    text = markdown_table(header, rows)
    print(text)
    if options.write:
        write_parts(ROOT / "docs" / "stopping.md", {"ranking": f"{text}\n"})


if __name__ == "__main__":
    main()
