"""Efficient Feature Group Sequencing for Anytime Linear Prediction (Hu et al., UAI 2016), again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ..costs import Costs
from ..evaluation.anytime import ndcg_scorer, oracle_order, stopping_cost, timeliness
from ..linear import GroupLassoRegressor, SequencedRegressor
from ..plan import Floats, Ints
from .experiment import Results, Study
from .hu2016_data import Grouped, grouped
from .hu2016_refits import Rows, forward_by_refits, omp_by_refits
from .hu2016_report import fill
from .published import YAHOO_PRICES, Setting
from .report import Table, markdown_table
from .trials import Record

#: The ridge that the thesis chose for Yahoo's set.
RIDGE = 1e-5
#: Where curves are kept: parts of the stopping cost.
GRID = np.linspace(0.0, 1.0, 51)
#: Parts of all explained where a plateau may begin: the next hundredth takes more than so much
#: of all prices.
ALPHAS, DEAR = (0.95, 0.96, 0.97, 0.98, 0.99), 0.2
#: Penalties on the path of the group lasso.
PENALTIES = 50
#: Training rows with which the way by refits is timed.
REFITTED = 2000

Quality = Callable[[Floats], float] | None


@dataclass(frozen=True, eq=False)
class Halves:
    """Rows to learn from, rows to be tested on, and how answers for the latter are judged."""

    X: NDArray[np.float32]
    y: Floats
    X_test: NDArray[np.float32]
    y_test: Floats
    quality: Quality


def halve(data: Grouped, rng: np.random.Generator) -> Halves:
    """A random half of the rows, or of the queries, to learn from; the others to be tested on."""
    unit = np.arange(len(data.y)) if data.query is None else data.query
    units = rng.permutation(np.unique(unit))
    known = np.isin(unit, units[: len(units) // 2])
    return Halves(data.X[known], data.y[known], data.X[~known], data.y[~known],
                  _quality(data, ~known))  # fmt: skip


def _quality(data: Grouped, test: NDArray[np.bool_]) -> Quality:
    """NDCG@5 where rows are ranked, accuracy where the response is a sign."""
    truth = data.y[test]
    if data.query is not None:
        scorer, rows = ndcg_scorer(data.query[test]), np.arange(len(truth))
        return lambda answers: scorer(SimpleNamespace(predict=answers.__getitem__), rows, truth)
    if set(np.unique(truth)) == {-1.0, 1.0}:
        return lambda answers: float((np.where(answers > 0, 1.0, -1.0) == truth).mean())
    return None


def draw_prices(n: int, rng: np.random.Generator) -> Floats:
    """Prices as frequent as those of Yahoo's features."""
    counts = np.array(list(YAHOO_PRICES.values()))
    return rng.choice(np.array(list(YAHOO_PRICES), dtype=np.float64), n, p=counts / counts.sum())


def plateau(spent: Floats, explained: Floats, total: float) -> float:
    """The part of all explained where the plateau begins; 1 if there is none (Sec. 3.5.2)."""
    for alpha in ALPHAS:
        here, next_ = (stopping_cost(spent, explained, a) for a in (alpha, min(alpha + 0.01, 1.0)))
        if next_ - here > DEAR * total:
            return alpha
    return 1.0


class Curve:
    """What each prefix of a fitted order costs at the true prices, and explains of test rows."""

    def __init__(self, model: SequencedRegressor, costs: Costs, part: Halves) -> None:
        items = [costs.names.index(name) for name in model.sequence_]
        prefixes = [items[:k] for k in range(len(items) + 1)]
        own = [model.plan_.costs.price_of(prefix) for prefix in prefixes]
        self.spent: Floats = np.array([costs.price_of(prefix) for prefix in prefixes])
        self.answers = model.sweep(part.X_test, own).labels()
        risk = ((self.answers - part.y_test[:, None]) ** 2).mean(axis=0)
        self.explained: Floats = 1.0 - risk / risk[0]

    def within(self, budget: float) -> Floats:
        """Answers of the longest prefix that a budget pays for."""
        found: Floats = self.answers[:, np.searchsorted(self.spent, budget, side="right") - 1]
        return found


def trial(data: Grouped, setting: Setting, rng: np.random.Generator) -> Record:
    """One division and one price list: every order, on the same test rows."""
    part = halve(data, rng)
    prices = draw_prices(data.n_groups, rng)
    costs, equal = (
        Costs.per_group(data.groups, p.tolist()) for p in (prices, np.ones_like(prices))
    )
    SequencedRegressor(costs, alpha=RIDGE).fit(part.X[:50], part.y[:50])  # kernels are compiled
    models, seconds = {}, {}
    for name, criterion in (("CS-G-FR", "forward"), ("CS-G-OMP", "omp"), ("Single", "single"),
                            ("No-Whiten", "no-whiten"), ("G-OMP", "omp")):  # fmt: skip
        own = equal if name == "G-OMP" else costs
        models[name], seconds[name] = _timed(
            SequencedRegressor(own, criterion=criterion, alpha=RIDGE), part
        )
    models["Sparse"], seconds["Sparse"] = _timed(
        GroupLassoRegressor(costs, alpha=RIDGE, n_penalties=PENALTIES), part
    )
    seconds |= _seconds_by_refits(part, data.groups, prices)
    omp, curves = models["CS-G-OMP"], {n: Curve(m, costs, part) for n, m in models.items()}
    alpha = plateau(curves["CS-G-OMP"].spent, omp.explained_, costs.total)
    until = stopping_cost(curves["CS-G-OMP"].spent, omp.explained_, alpha)
    return {
        "alpha": alpha,
        "until": until / costs.total,
        "seconds": seconds,
        "training": {
            name: timeliness(curves[name].spent, model.explained_, until)
            for name, model in models.items()
        },
        **_measured(curves, until, part.quality),
    }


def _measured(curves: dict[str, Curve], until: float, quality: Quality) -> Record:
    """Timeliness, curves up to the stopping cost, and the quality there."""
    lines = {name: (curve.spent, curve.explained) for name, curve in curves.items()}
    for name in ("FR", "OMP"):
        lines[f"Oracle-{name}"] = oracle_order(*lines[f"CS-G-{name}"])
    found: Record = {
        "timeliness": {name: timeliness(*line, until) for name, line in lines.items()},
        "explained": {
            name: values[np.searchsorted(spent, GRID * until + 1e-9, side="right") - 1].tolist()
            for name, (spent, values) in lines.items()
        },
    }
    if quality is not None:
        found["quality"] = {name: quality(curve.within(until)) for name, curve in curves.items()}
        found["quality_by_all"] = quality(curves["CS-G-FR"].answers[:, -1])
    return found


def _timed(model: Any, part: Halves) -> tuple[Any, Record]:
    """A fitted model, and the seconds of one core for its sums over rows and for its order."""
    with threadpool_limits(1):
        start = process_time()
        model.partial_fit(part.X, part.y)
        summed = process_time()
        _ = model.sequence_
    return model, {"sums": summed - start, "order": process_time() - summed}


def _seconds_by_refits(part: Halves, groups: NDArray[Any], prices: Floats) -> Record:
    own: list[Ints] = [np.flatnonzero(groups == name) for name in np.unique(groups)]
    rows = Rows.of(part.X[:REFITTED], part.y[:REFITTED], own, prices, RIDGE)
    found = {}
    for name, way in (("FR by refits", forward_by_refits), ("OMP by refits", omp_by_refits)):
        with threadpool_limits(1):
            start = process_time()
            way(rows)
            found[name] = {"order": process_time() - start}
    return found


class SequenceStudy(Study):
    """A study on other data than the paper's: there are no published sizes to compare with."""

    def _features(self, results: Results) -> Record:
        return {name: {"here": d} for name, (_, d) in results.shapes.items()}

    def _trials_text(self, results: Results) -> str:
        counts = [f"{name} {len(records)}" for name, records in results.records.items()]
        return f"Trials run: {', '.join(counts)}."

    def _features_table(self, results: Results) -> Table:
        rows = [
            (name, len(records), *results.shapes[name]) for name, records in results.records.items()
        ]
        return Table("Data", ("dataset", "trials", "rows", "features"), rows)

    def _data_table(self, results: Results) -> str:
        table = self._features_table(results)
        rows = [(*row, results.remarks[row[0]]) for row in table.rows]
        return markdown_table((*table.header, "made of"), rows)


STUDY = SequenceStudy(
    paper="hu2016",
    title="Hu et al. 2016: sequences of feature groups, run again on other data",
    reference="Hanzhang Hu, Alexander Grubb, J. Andrew Bagnell, Martial Hebert. Efficient Feature "
    "Group Sequencing for Anytime Linear Prediction. UAI 2016. Printed figures are those of "
    "chapter 3 of Hu's thesis (Carnegie Mellon University 2019).",
    settings={
        "mslr": Setting(136, 5000, 5000, 0, 50),
        "mslr_query": Setting(136, 5000, 5000, 0, 50),
        "blogfeedback": Setting(280, 26198, 26199, 0, 50),
        "a9a": Setting(123, 24421, 24421, 0, 50),
    },
    quick={"mslr": 20, "mslr_query": 20, "blogfeedback": 20, "a9a": 20},
    trial=trial,
    recipe=[1, RIDGE, ALPHAS, DEAR, PENALTIES, REFITTED, len(GRID)],
    notes=(
        "Neither of the thesis's datasets can be had: Agricultural is proprietary, and Yahoo's is "
        "given to applicants only. So orderings of the methods can be compared, figures cannot.",
        "A random half of the rows is for training (MSLR: of the queries), the rest for testing. "
        "Each group has one price, drawn anew in each trial from the prices of Yahoo's features "
        f"({', '.join(f'{price}: {count}' for price, count in YAHOO_PRICES.items())} of 519). The "
        "ridge is 1e-5.",
        "MSLR's columns are ranks, as in Yahoo's set all values lie between 0 and 1: as they are, "
        "some are so skewed that a few rows of new queries decide over the squared error. With 43 "
        "queries in training, what is learned holds only in part for new ones: the curves of test "
        "rows fall before their end (mslr). Ranks within each query (mslr_query) were added after "
        "the first trials had shown this, and show it too. Both are the same rows, "
        "so what they say counts once.",
        "G-OMP chooses as if all prices were 1, and pays the true ones. Sparse buys in the order "
        f"in which a group lasso weighted with prices takes up groups along {PENALTIES} penalties, "
        "and has a ridge regression for each prefix as the others have, so that only its order is "
        "judged. An oracle has the purchases of a test curve in the order of what they brought "
        "there per price.",
        "Timeliness is the area under explained variance of test rows against cost, up to the "
        "stopping cost, over that cost times the variance of the responses: 1 would be to "
        "explain everything from the start. Divided by its own end a concave curve has 0.5 or "
        "more, so the printed figures can only be normalised in this way. A group counts from "
        "when it is paid in full; the thesis interpolates at the stopping cost.",
        "The stopping cost is where CS-G-OMP explains α of what it does in the end, in training. "
        "α is where the plateau begins, by the thesis's rule: from 0.95 on, in hundredths, the "
        "first after which one hundredth more takes over 20% of all prices, else 1. It is found "
        "anew in each trial, as prices are.",
        "Training times with refits are of refits on the rows, whose cost the thesis states; by "
        "refits from sums over rows FR took only about 3.5 times as long as OMP on MSLR.",
    ),
    fill=lambda page, results: fill(page, results, GRID),
    load=grouped,
)
