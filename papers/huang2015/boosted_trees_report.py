"""Verdicts, tables and pictures on boosted trees within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reporting.page import markdown_table
from scrimp.types import Floats

from ..experiment import Results
from ..report import PaperPage, Table, percent
from ..trials import Record
from ..verdicts import Interval, Verdict, interval, signed, tally, with_caution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The rules by the names of the paper; Hybrid is sketched there.
RULES = {
    "BT": "edge", "Greedy": "greedy", "Smoothed": "smoothed", "SpeedBoost": "speedboost",
    "Hybrid": "hybrid",
}  # fmt: skip
DEPTHS = (1, 2, 3, 4, 5)
#: Depths of the ensembles per prefix, whose trainings take many times longer.
STACKED_DEPTHS = (1, 3)
#: Penalties of GreedyMiser; the smallest hardly looks at prices.
GREEDY_MISER = {
    "GreedyMiser 0.0003": 0.0003, "GreedyMiser 0.003": 0.003, "GreedyMiser 0.03": 0.03,
}  # fmt: skip
SHOWN = (2.0, 6.0, 12.0, 20.0, 40.0)
#: Lines of the pictures, in colours that the colour-blind can tell apart (Okabe and Ito).
_LOOKS: dict[str, dict[str, Any]] = {
    "Smoothed 1": {"color": "#000000"},
    "Smoothed 3": {"color": "#0072b2"},
    "Smoothed 5": {"color": "#56b4e9"},
    "GreedyMiser 0.003": {"color": "#d55e00", "linestyle": ":"},
    "per prefix 1": {"color": "#000000", "linestyle": (0, (4, 3))},
    "per prefix 3": {"color": "#009e73", "linewidth": 2.0},
}
RecordsByDataset = Mapping[str, Sequence[Record]]


def fill(page: PaperPage, results: Results, budgets: Floats) -> None:
    """Add verdicts, tables and pictures of the results."""
    page.add_verdicts(verdicts(results.records))
    page.add(
        "## Error by rule and depth",
        "Test error in percent, mean over trials and over all budgets; in the last column the "
        "seconds of one training on one thread, median over trials and mean over datasets.",
    )
    means = _means_table(results.records)
    page.add(means.markdown)
    page.shown.append(means)
    page.add("## Error against budget", "Mean over trials; bands are 95% intervals.")
    for name, records in results.records.items():
        page.add(f"### {name}", _budget_table(records, budgets))
        page.add_picture(name, _picture(name, records, budgets), f"Error against budget on {name}")
    page.record["budgets"] = budgets.tolist()
    page.record["datasets"] = {
        name: {
            "error": {m: e.mean(axis=0).tolist() for m, e in _errors(records).items()},
            "seconds": {m: _seconds(records, m) for m in records[0]["seconds"]},
        }
        for name, records in results.records.items()
    }


def verdicts(by_dataset: RecordsByDataset) -> list[Verdict]:
    """Return the answers to the paper's question, in plain words."""
    answers = [_deeper_vote(by_dataset, depth) for depth in DEPTHS[1:]]
    answers += [
        _verdict(
            by_dataset, "per prefix 3", "per prefix 1",
            "with an ensemble per prefix, trees of depth 3 have lower errors than stumps",
        ),
        _verdict(
            by_dataset, "per prefix 3", "Smoothed 1",
            "an ensemble of depth-3 trees per prefix has lower errors than the paper's Smoothed",
        ),
        _verdict(
            by_dataset, "Smoothed 3", "Greedy 3",
            "with trees of depth 3, Smoothed has lower errors than Greedy",
        ),
        _verdict(
            by_dataset, "Smoothed 3", "BT 3",
            "with trees of depth 3, Smoothed has lower errors than stopping at the budget (BT)",
        ),
        _against_greedy_miser(by_dataset),
    ]  # fmt: skip
    return with_caution(answers, min(map(len, by_dataset.values())))


def _deeper_vote(by_dataset: RecordsByDataset, depth: int) -> Verdict:
    """Return whether a vote of deeper trees is better than one of stumps, by rule."""
    gains = {
        rule: _gains(by_dataset, f"{rule} {depth}", f"{rule} 1")
        for rule in RULES
    }  # fmt: skip
    cells = [gain for by_name in gains.values() for gain in by_name.values()]
    by_rule = ", ".join(
        f"{rule} {signed(float(np.mean([gain.mean for gain in by_name.values()])))}"
        for rule, by_name in gains.items()
    )
    return Verdict(
        f"as one vote that a budget cuts off, trees of depth {depth} have lower errors than stumps",
        tally(cells).mostly(),
        f"datasets x rules: {tally(cells)}; mean gain in points by rule: {by_rule}",
    )


def _against_greedy_miser(by_dataset: RecordsByDataset) -> Verdict:
    """Compare with the penalty that has the least error on each dataset, in hindsight."""
    gains = {}
    for name, records in by_dataset.items():
        errors = _errors(records)
        best = min(GREEDY_MISER, key=lambda method: float(errors[method].mean()))
        gains[name] = _gain(records, "Smoothed 4", best)
    return Verdict(
        "Smoothed with trees of depth 4 has lower errors than GreedyMiser with the penalty that "
        "is best on the test rows",
        tally(list(gains.values())).mostly(),
        _by_name(gains),
    )


def _verdict(by_dataset: RecordsByDataset, one: str, other: str, claim: str) -> Verdict:
    gains = _gains(by_dataset, one, other)
    return Verdict(claim, tally(list(gains.values())).mostly(), _by_name(gains))


def _gains(by_dataset: RecordsByDataset, one: str, other: str) -> dict[str, Interval]:
    return {name: _gain(records, one, other) for name, records in by_dataset.items()}


def _gain(records: Sequence[Record], one: str, other: str) -> Interval:
    """Return how much lower the error of one method is, in points, mean over budgets."""
    errors = _errors(records)
    return interval(100.0 * (errors[other] - errors[one]).mean(axis=1))


def _by_name(gains: Mapping[str, Interval]) -> str:
    cells = list(gains.values())
    mean = signed(float(np.mean([gain.mean for gain in cells])))
    listed = ", ".join(f"{name} {gain}" for name, gain in gains.items())
    return f"{tally(cells)}; gain in points, mean over budgets: {mean}; {listed}"


def _errors(records: Sequence[Record]) -> dict[str, Floats]:
    """Return errors (trials x budgets) of each method."""
    methods = records[0]["error"]
    return {method: np.array([r["error"][method] for r in records]) for method in methods}


def _seconds(records: Sequence[Record], method: str) -> float:
    return float(np.median([record["seconds"][method] for record in records]))


def _means_table(by_dataset: RecordsByDataset) -> Table:
    first = next(iter(by_dataset.values()))
    rows = []
    for method in first[0]["error"]:
        means = [float(_errors(records)[method].mean()) for records in by_dataset.values()]
        seconds = float(np.mean([_seconds(records, method) for records in by_dataset.values()]))
        rows.append(
            (method, *map(percent, means), percent(float(np.mean(means))), f"{seconds:.2f}")
        )
    header = ("method", *by_dataset, "mean", "seconds")
    return Table("Test error in percent, mean over budgets, by rule and depth", header, rows)


def _budget_table(records: Sequence[Record], budgets: Floats) -> str:
    places = [int(np.flatnonzero(np.isclose(budgets, budget))[0]) for budget in SHOWN]
    rows = [
        (method, *(percent(errors[:, place].mean()) for place in places))
        for method, errors in _errors(records).items()
        if method in _LOOKS
    ]
    return markdown_table(("method", *(f"{budget:g}" for budget in SHOWN)), rows)


def _picture(name: str, records: Sequence[Record], budgets: Floats) -> Figure:
    from matplotlib.figure import Figure

    from scrimp.evaluation.displays.axes import tidy

    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    ax = figure.subplots()
    for method, errors in _errors(records).items():
        if method not in _LOOKS:
            continue
        intervals = [interval(column).scaled(100.0) for column in errors.T]
        means = np.array([one.mean for one in intervals])
        half = np.array([one.high for one in intervals]) - means
        half = np.where(np.isfinite(half), half, 0.0)
        ax.plot(budgets, means, label=method, **({"linewidth": 1.4} | _LOOKS[method]))
        ax.fill_between(budgets, means - half, means + half, color=_LOOKS[method]["color"],
                        alpha=0.12, linewidth=0)  # fmt: skip
    ax.set_title(f"{name}, prices uniform on [0, 2]", loc="left", fontsize=11)
    ax.set_xlabel("Budget")
    ax.set_ylabel("Test error, %")
    ax.set_ylim(bottom=0.0)
    tidy(ax, "both")
    figure.legend(loc="outside right upper", frameon=False)
    return figure
