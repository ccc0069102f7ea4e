"""``scrimp demo``: what some dollars buy in the diagnosis of heart disease."""

from __future__ import annotations

import dataclasses
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import OutputFile, common_options, progress_option

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..evaluation import Advice, Comparison, Point
    from ..plans.priced_plan import PricedPlan

#: Where the price list has its steps: questions cost 1 each, then come blood (from 11.27), the
#: ECG at rest (26.77), and three examinations of about 100, of which 205 buys two.
BUDGETS = (0.0, 1.0, 2.0, 4.0, 12.0, 30.0, 100.0, 200.0, 205.0, 300.0, 323.97)
#: Budgets whose purchases are shown, besides the one advised.
SHOWN = (30.0, 100.0)
FOLDS = 10
REPEATS = 3
#: The part of the accuracy of all tests that the last sentence asks the price of.
MOST = 0.9
#: With 20 rounds boosting does better on these patients than with 50 or 200.
ROUNDS = 20
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
    """What a model buys for a budget, and how good that is."""

    budget: float
    plan: PricedPlan
    quality: Point


@click.command()
@click.option(
    "--out", type=OutputFile((".png",)), default="scrimp-demo.png", show_default=True,
    metavar="FILE", help="Where to save the picture.",
)  # fmt: skip
@click.option("--quick", is_flag=True, help=f"Cross-validate once instead of {REPEATS} times.")
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
    with progress_bar(progress, only=TASK):
        comparison = compare(
            heart.X, heart.y, heart.costs, budgets=BUDGETS, n_rounds=ROUNDS, n_folds=FOLDS,
            n_repeats=1 if quick else REPEATS,
        )  # fmt: skip
    if not comparison.finished:
        raise KeyboardInterrupt
    advice = comparison.recommend()
    offers = _offers(heart, comparison, advice)
    draw(comparison, advice, offers[-1].plan, out)
    if as_json:
        print_json(_record(comparison, advice, offers, out))
    else:
        _print(comparison, advice, offers, out)


def _offers(heart: Dataset, comparison: Comparison, advice: Advice) -> list[Offer]:
    """The method advised at some budgets and at its own, trained on all patients."""
    from ..evaluation.methods import METHODS, Setting
    from .plan_report import entries_of

    assert heart.costs is not None
    at = advice.point.budget
    offers = []
    for budget in (*(limit for limit in SHOWN if limit < at), at):
        setting = Setting("classification", heart.costs, [budget], ROUNDS, 0)
        model = METHODS[advice.method].make(setting).fit(heart.X, heart.y)
        plan = entries_of(model.predictor_)[-1]
        offers.append(Offer(budget, plan, comparison.at(advice.method, budget)))
    return offers


def _record(
    comparison: Comparison, advice: Advice, offers: list[Offer], out: Path
) -> dict[str, Any]:
    from .comparison_report import record
    from .plan_report import purchases

    return {
        **record(comparison, advice),
        "rounds": ROUNDS,
        "offers": [
            {
                "budget": offer.budget,
                "price": offer.plan.price,
                "purchases": purchases(offer.plan),
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
        f"Boosting has {ROUNDS} rounds and is trained for each budget anew.\n"
    )
    print_methods(comparison, advice, shown=(1.0, *SHOWN, advice.point.budget))
    print_advice(advice)
    click.secho(f"\nWhat {advice.method} buys, in order (trained on all patients)", bold=True)
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
    """Return the sentence to remember: what a few dollars buy of the accuracy of all tests."""
    from ..evaluation.formatting import money, quality_text

    everything = best_at(comparison, BUDGETS[-1])[1].quality
    points = [best_at(comparison, budget)[1] for budget in BUDGETS]
    enough = next(point for point in points if point.quality >= MOST * everything)
    guess, few, whole = (
        quality_text(quality, "accuracy")
        for quality in (points[0].quality, enough.quality, everything)
    )
    dollars = "1 dollar buys" if enough.budget == 1 else f"{money(enough.budget)} dollars buy"
    return (
        f"In short: {dollars} {enough.quality / everything:.0%} of the accuracy of all tests, "
        f"which cost {money(BUDGETS[-1])}: {few} right instead of {whole}, where a guess gets "
        f"{guess}."
    )


def _in_words(offer: Offer) -> str:
    from ..evaluation.formatting import quality_text, spread_text
    from .comparison_report import WIDTH

    names = [f"{spoken_name(line.item)} {line.price:.2f}" for line in offer.plan.summary()]
    head = (
        f"{offer.budget:5.0f} dollars: {quality_text(offer.quality.quality, 'accuracy')} right "
        f"({spread_text(offer.quality, 'accuracy')}), costs {offer.plan.price:.2f}"
    )
    # a name stays on one line with its price
    text = ", ".join(name.replace(" ", _NO_BREAK) for name in names)
    text = text or "nothing; the answer is always the more frequent one"
    body = textwrap.indent(textwrap.fill(text, WIDTH - 6), " " * 6)
    return f"{head}\n{body.replace(_NO_BREAK, ' ')}"


def spoken_name(item: str) -> str:
    """Return an item of the heart data as people call it."""
    return _SPOKEN_NAMES.get(item, item)


def draw(comparison: Comparison, advice: Advice, bought: PricedPlan, path: Path) -> None:
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


def _draw_purchases(bought: PricedPlan, advice: Advice, ax: Any) -> None:
    from ..evaluation import PurchaseDisplay

    named = [dataclasses.replace(line, item=spoken_name(line.item)) for line in bought.summary()]
    PurchaseDisplay(named).plot(ax)
    ax.set_xlabel("Dollars, with the total so far at the end of each bar")
    title = f"What {advice.method} buys for {advice.point.budget:.0f} dollars"
    ax.set_title(title, loc="left", fontsize=_TITLE_SIZE)
