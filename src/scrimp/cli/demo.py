"""``scrimp demo``: what some dollars buy in the diagnosis of heart disease."""

from __future__ import annotations

import dataclasses
import itertools
import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import OutputFile, common_options, progress_option

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..evaluation import Advice, Comparison, Point
    from ..plans.priced_plan import Purchase

#: Where the price list has its steps: questions cost 1 each, then come blood (from 11.27), the
#: ECG at rest (26.77), and three examinations of about 100, of which 205 buys two.
BUDGETS = (0.0, 1.0, 2.0, 4.0, 12.0, 30.0, 100.0, 200.0, 205.0, 300.0, 323.97)
#: Budgets whose purchases are shown, besides the one advised.
SHOWN = (30.0, 100.0)
FOLDS = 5
QUICK_FOLDS = 3
#: The part of what all tests add to a guess that the last sentence asks the price of.
MOST = 2 / 3
#: With 20 rounds boosting does better on these patients than with 50 or 200.
ROUNDS = 20
#: A frontier that is quick: its work is bounded, so that what it finds does not depend on the
#: machine, and its time only where a machine is far too slow.
FRONTIER = {
    "candidates": ("linear", "boosted"), "cv": 3, "max_seconds": 60.0,
    "budgets": (1.0, 4.0, 30.0, 100.0, 205.0, 323.97),
}  # fmt: skip
#: Methods that buy something else for each patient.
OWN_CHOICE = ("sampled", "tree")
_NO_BREAK = "\N{NO-BREAK SPACE}"
_TITLE_SIZE = 11
_SPOKEN_NAMES = {
    "cp": "chest pain",
    "trestbps": "blood pressure",
    "chol": "cholesterol",
    "fbs": "blood sugar",
    "restecg": "ECG at rest",
    "thalach": "peak heart rate",
    "exang": "angina on exercise",
    "oldpeak": "ST depression",
    "slope": "ST slope",
    "ca": "fluoroscopy",
    "thal": "thallium scan",
}


@dataclass(frozen=True)
class Offer:
    """What a model buys for a budget, in order, and how good that is."""

    budget: float
    purchases: list[Purchase]
    quality: Point

    @property
    def price(self) -> float:
        """The price of all of it."""
        return self.purchases[-1].total if self.purchases else 0.0


@click.command()
@click.option(
    "--out", type=OutputFile((".png",)), default="scrimp-demo.png", show_default=True,
    metavar="FILE", help="Where to save the picture.",
)  # fmt: skip
@click.option("--quick", is_flag=True, help=f"{QUICK_FOLDS} folds instead of {FOLDS}.")
@progress_option
@common_options
def demo(out: Path, quick: bool, progress: bool | None, as_json: bool) -> None:
    """Diagnose heart disease for 0 to 324 dollars a patient, by several methods.

    303 patients, 13 tests, and what each cost in Ontario. All that is needed comes with scrimp.
    """
    from ..datasets import load_heart
    from ..evaluation import compare
    from ..evaluation.trials import TASK
    from .output import print_json
    from .progress import progress_bar

    heart = load_heart()
    methods = demo_methods(heart)
    with _compiling_ahead(), progress_bar(progress, only=TASK):
        comparison = compare(
            heart.X, heart.y, heart.costs, budgets=BUDGETS, methods=methods,
            n_folds=QUICK_FOLDS if quick else FOLDS, n_repeats=1, max_seconds=math.inf,
        )  # fmt: skip
    if not comparison.finished:
        raise KeyboardInterrupt
    advice = comparison.recommend()
    model = methods[advice.method].fit(heart.X, heart.y)
    offers = _offers(model, heart, comparison, advice)
    draw(comparison, advice, offers[-1], out)
    if as_json:
        print_json(_record(comparison, advice, offers, out))
    else:
        _print(comparison, advice, offers, out)


@contextmanager
def _compiling_ahead() -> Iterator[None]:
    """Compile what the frontier needs in another process, while other methods are tried."""
    from ..kernels.boosted_trees import boost
    from ..kernels.jit import is_cached

    if is_cached(boost) or (os.cpu_count() or 1) < 2:
        yield
        return
    command = [sys.executable, "-c", f"from {__name__} import _try_frontier; _try_frontier()"]
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere) as process:
        try:
            yield
        finally:
            process.kill()


def _try_frontier() -> None:
    """Fit the frontier and ask it, so that all kernels on its way are compiled."""
    from ..datasets import load_heart

    heart = load_heart()
    frontier = demo_methods(heart)["frontier"].fit(heart.X, heart.y)
    frontier.sweep(heart.X, BUDGETS)


def demo_methods(heart: Dataset) -> dict[str, Any]:
    """The methods that ``scrimp compare`` tries unasked, quick ones, by name."""
    from ..evaluation.methods import METHODS, Setting, names_for

    assert heart.costs is not None
    setting = Setting("classification", heart.costs, BUDGETS[1:], ROUNDS)
    names = names_for("classification", heart.costs)
    methods = {name: METHODS[name].make(setting) for name in names}
    methods["frontier"].set_params(**FRONTIER)
    return methods


def _offers(model: Any, heart: Dataset, comparison: Comparison, advice: Advice) -> list[Offer]:
    """What the method advised buys at some budgets and at its own."""
    at = advice.point.budget
    return [
        Offer(budget, bought_for(model, heart, budget), comparison.at(advice.method, budget))
        for budget in (*(limit for limit in SHOWN if limit < at), at)
    ]


def bought_for(model: Any, heart: Dataset, budget: float) -> list[Purchase]:
    """What a model buys for the first patient, in order; most methods buy the same for all."""
    session, patient = model.session(budget=budget), heart.X.row(0, named=True)
    bought: list[str] = []
    while (request := session.ask()) is not None:
        session.tell({name: patient[name] for name in request.columns})
        bought += request.items
    lines = {line.item: line for line in model.plan_.summary()}
    totals = itertools.accumulate(lines[item].price for item in bought)
    return [
        dataclasses.replace(lines[item], order=order, total=total)
        for order, (item, total) in enumerate(zip(bought, totals, strict=True), start=1)
    ]


def _record(
    comparison: Comparison, advice: Advice, offers: list[Offer], out: Path
) -> dict[str, Any]:
    from .comparison_report import record

    return {
        **record(comparison, advice),
        "rounds": ROUNDS,
        "offers": [
            {
                "budget": offer.budget,
                "price": offer.price,
                "purchases": [dataclasses.asdict(line) for line in offer.purchases],
                "accuracy": offer.quality.quality,
                "low": offer.quality.low,
                "high": offer.quality.high,
            }
            for offer in offers
        ],
        "in_short": in_short(comparison),
        "png": str(out),
    }


def _print(comparison: Comparison, advice: Advice, offers: list[Offer], out: Path) -> None:
    from .comparison_report import headline, notes, print_advice, print_methods
    from .output import note

    click.echo(
        f"Heart disease or not: {comparison.n_rows} patients (Cleveland, 1988) and 13 tests, which "
        f"cost {BUDGETS[-1]}\ndollars together (Turney 1995).\n"
        f"{textwrap.fill(headline(comparison, 13), 96)}\n"
        f"Boosting has {ROUNDS} rounds; the frontier chooses among linear models and boosted "
        "trees.\n"
    )
    print_methods(comparison, advice, shown=(1.0, *SHOWN, advice.point.budget))
    print_advice(advice)
    for_whom = ", for the first of them" if advice.method in OWN_CHOICE else ""
    click.secho(
        f"\nWhat {advice.method} buys, in order (trained on all patients{for_whom})", bold=True
    )
    for offer in offers:
        click.echo(_in_words(offer))
    click.secho(f"\n{textwrap.fill(in_short(comparison), 96)}", bold=True)
    click.echo(f"\nPicture: {out}")
    for line in notes(comparison):
        note(line)


def best_at(comparison: Comparison, budget: float) -> tuple[str, Point]:
    """Return the best method at a budget, and its point; of equals the one that spends less."""
    points = {name: comparison.at(name, budget) for name in comparison.names}
    best = max(points, key=lambda name: (points[name].quality, -points[name].spent))
    return best, points[best]


def in_short(comparison: Comparison) -> str:
    """Return the sentence to remember: what a few dollars buy of what all tests add to a guess."""
    from ..evaluation.formatting import money, quality_text

    everything = best_at(comparison, BUDGETS[-1])[1].quality
    points = [best_at(comparison, budget)[1] for budget in BUDGETS]
    guess = points[0].quality
    shares = [(point.quality - guess) / (everything - guess) for point in points]
    share, enough = next(pair for pair in zip(shares, points, strict=True) if pair[0] >= MOST)
    dollars = "1 dollar buys" if enough.budget == 1 else f"{money(enough.budget)} dollars buy"
    few, whole, least = (
        quality_text(quality, "accuracy") for quality in (enough.quality, everything, guess)
    )
    return (
        f"In short: a guess is {least} right, and all tests, which cost {money(BUDGETS[-1])} "
        f"dollars, make it {whole}; {dollars} {share:.0%} of that gain ({few} right)."
    )


def _in_words(offer: Offer) -> str:
    from ..evaluation.formatting import quality_text, spread_text
    from .comparison_report import WIDTH

    names = [f"{spoken_name(line.item)} {line.price:.2f}" for line in offer.purchases]
    head = (
        f"{offer.budget:5.0f} dollars: {quality_text(offer.quality.quality, 'accuracy')} right "
        f"({spread_text(offer.quality, 'accuracy')}), costs {offer.price:.2f}"
    )
    # a name stays on one line with its price
    text = ", ".join(name.replace(" ", _NO_BREAK) for name in names)
    text = text or "nothing; the answer is always the more frequent one"
    body = textwrap.indent(textwrap.fill(text, WIDTH - 6), " " * 6)
    return f"{head}\n{body.replace(_NO_BREAK, ' ')}"


def spoken_name(item: str) -> str:
    """Return an item of the heart data as people call it."""
    return _SPOKEN_NAMES.get(item, item)


def draw(comparison: Comparison, advice: Advice, bought: Offer, path: Path) -> None:
    """Curves of all methods, how they stand, and what the one advised buys; saved as PNG."""
    from matplotlib.figure import Figure

    from ..evaluation.displays.axes import png_bytes
    from .comparison_picture import draw_curves, draw_standing
    from .output import write_files

    figure = Figure(figsize=(12.0, 9.0), layout="constrained")
    figure.suptitle("Heart disease, 303 patients: what dollars buy in a diagnosis", fontsize=13)
    axes = figure.subplot_mosaic([["curves", "curves"], ["standing", "bought"]])
    draw_curves(comparison, advice, axes["curves"], to_scale=True)
    axes["curves"].set_xlabel("Dollars that a diagnosis may cost (square-root scale)")
    _draw_all_tests(comparison, axes["curves"])
    draw_standing(comparison, advice, axes["standing"])
    _draw_purchases(bought, advice, axes["bought"])
    write_files({path: png_bytes(figure)})


def _draw_all_tests(comparison: Comparison, ax: Any) -> None:
    """A line at the accuracy of the best method that may buy all tests."""
    from ..evaluation.formatting import quality_text

    name, best = best_at(comparison, BUDGETS[-1])
    ax.axhline(best.quality, color="0.35", linestyle="--", linewidth=1.0, zorder=1)
    ax.annotate(
        f"all tests: {quality_text(best.quality, 'accuracy')} ({name})", (0.01, best.quality),
        xycoords=("axes fraction", "data"), xytext=(0, 4), textcoords="offset points",
        fontsize="small", color="0.25",
    )  # fmt: skip


def _draw_purchases(bought: Offer, advice: Advice, ax: Any) -> None:
    from ..evaluation import PurchaseDisplay

    named = [dataclasses.replace(line, item=spoken_name(line.item)) for line in bought.purchases]
    PurchaseDisplay(named).plot(ax)
    ax.set_xlabel("Dollars, with the total so far at the end of each bar")
    title = f"What {advice.method} buys for {advice.point.budget:.0f} dollars"
    ax.set_title(title, loc="left", fontsize=_TITLE_SIZE)
