"""Early exits of rankers: rows that will not be near the top of their query buy nothing more.

A row exits when its score, after it has spent so much, is below the threshold of that spend
(early exits using score thresholds: Cambazoglu et al., "Early Exit Optimizations for Additive
Machine Learned Ranking Systems", WSDM 2010). The thresholds come from queries that the model was
not trained on: each misses at most a share of the rows that the model ranks among the first k
with all that it buys. Shares are tried in ascending order, and the first that may lower NDCG at k
by more than is allowed, by Student's distribution of the mean over queries, ends the search
(fixed-sequence testing).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from ..data.ranking import query_ndcg, top_rows
from ..data.validation import check_share
from ..types import Flags, Floats, Ints

#: Shares of the top rows that the threshold of a spend may miss.
MISSED_SHARES = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3)


@dataclass(frozen=True)
class RankingGoal:
    """The loss of NDCG that early exits may cause.

    Parameters
    ----------
    max_loss : float
        The largest fall of the mean NDCG at k over queries.
    k : int
        The ranks that count.
    delta : float
        The probability with which the fall may be larger.
    """

    max_loss: float = 0.002
    k: int = 10
    delta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what is no goal."""
        for name in ("max_loss", "delta"):
            check_share(name, getattr(self, name))
        if isinstance(self.k, bool) or not isinstance(self.k, int | np.integer) or self.k < 1:
            raise ValueError(f"k is {self.k!r}; expected a whole number >= 1.")


@dataclass(frozen=True)
class RankingCalibration:
    """What early exits do to held-out queries.

    Parameters
    ----------
    ndcg, full_ndcg : float
        The mean NDCG at k over queries with the exits, and without.
    spend, full_spend : float
        The mean spend of a row with the exits, and without.
    n_queries : int
        The queries whose rows are not all equally relevant.
    """

    ndcg: float
    full_ndcg: float
    spend: float
    full_spend: float
    n_queries: int


@dataclass(frozen=True, eq=False)
class ScorePath:
    """The scores of rows before each of their purchases.

    Parameters
    ----------
    spent : float array (levels,)
        The spends at which some row made a purchase, ascending.
    scores : float array (rows, levels)
        The score of a row that has spent so much; NaN where it bought nothing then.
    full_scores, full_spend : float arrays (rows,)
        Scores and spend after all purchases.
    """

    spent: Floats
    scores: Floats
    full_scores: Floats
    full_spend: Floats

    @classmethod
    def of(
        cls, seen: list[tuple[float, Ints, Floats]], full_scores: Floats, full_spend: Floats
    ) -> ScorePath:
        """Return the path of rows whose spend and scores were seen before each purchase."""
        spent = np.unique([each for each, _, _ in seen])
        table = np.full((len(full_scores), len(spent)), np.nan)
        for each, rows, scores in seen:
            table[rows, np.searchsorted(spent, each)] = scores[:, 0]
        return cls(spent, table, full_scores, full_spend)

    def thresholds(self, is_top: Flags, missed_share: float) -> Floats:
        """Return per level the highest threshold that misses at most a share of the top rows."""
        thresholds = np.full(len(self.spent), -np.inf)
        for level, scores in enumerate(self.scores.T):
            top = np.sort(scores[is_top & ~np.isnan(scores)])
            if len(top):
                thresholds[level] = top[min(int(missed_share * len(top)), len(top) - 1)]
        return thresholds

    def outcome(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Return scores and spend of rows that exit at the first level below its threshold."""
        with np.errstate(invalid="ignore"):
            exits = self.scores < thresholds
        level, does = exits.argmax(axis=1), exits.any(axis=1)
        at_exit = self.scores[np.arange(len(level)), level]
        return (
            np.where(does, at_exit, self.full_scores),
            np.where(does, self.spent[level], self.full_spend),
        )


def chosen_exits(
    goal: RankingGoal, path: ScorePath, y: Floats, queries: Ints
) -> tuple[Floats, RankingCalibration]:
    """Return the exits (levels, 2), a spend and a threshold each, and what they do.

    Parameters
    ----------
    goal : RankingGoal
        The loss that they may cause.
    path : ScorePath
        The scores of the held-out rows.
    y : float array (rows,)
        Their relevance.
    queries : int array (rows,)
        The number of the query of each row.
    """
    full = query_ndcg(y, path.full_scores, queries, goal.k)
    ranked = np.isfinite(full)
    if ranked.sum() < 2:
        raise ValueError(
            f"{int(ranked.sum())} queries have rows that differ in relevance; expected some dozens."
        )
    is_top = top_rows(path.full_scores, queries, goal.k)
    best = np.full(len(path.spent), -np.inf)
    for share in MISSED_SHARES:
        thresholds = path.thresholds(is_top, share)
        loss = (full - query_ndcg(y, path.outcome(thresholds)[0], queries, goal.k))[ranked]
        if _upper_bound(loss, goal.delta) > goal.max_loss:
            break
        best = thresholds
    scores, spend = path.outcome(best)
    reached = RankingCalibration(
        float(query_ndcg(y, scores, queries, goal.k)[ranked].mean()), float(full[ranked].mean()),
        float(spend.mean()), float(path.full_spend.mean()), int(ranked.sum()),
    )  # fmt: skip
    used = np.isfinite(best)
    return np.column_stack([path.spent[used], best[used]]), reached


def _upper_bound(losses: Floats, delta: float) -> float:
    """Return the upper confidence bound of a mean."""
    spread = float(losses.std(ddof=1)) / math.sqrt(len(losses))
    return float(losses.mean()) + float(t.ppf(1.0 - delta, len(losses) - 1)) * spread
