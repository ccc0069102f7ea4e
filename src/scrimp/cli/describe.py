"""What a model buys, in words and as a record: shared by ``fit`` and ``inspect``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .output import count, digits, money, print_purchases, purchases

if TYPE_CHECKING:
    from ..plans.priced_plan import PricedPlan
    from ..runtime.predictor import Predictor

_BEATEN = "; only if something cannot be had, since a later one costs no more"


def followed(priced: PricedPlan) -> PricedPlan:
    """The plan that buys: calibration only changes what it says."""
    from ..plans.priced_plan import PricedPlan

    buyer = priced.outline.buyer
    return priced if buyer is None else PricedPlan(buyer, priced.costs)


def entries_of(model: Predictor) -> list[PricedPlan]:
    """The entries of a menu, from the least to the best; otherwise the plan alone."""
    from ..plans.priced_plan import PricedPlan

    priced = followed(model.plan)
    entries = priced.outline.entries or (priced.plan,)
    return [followed(PricedPlan(entry, model.costs)) for entry in entries]


def judged(model: Predictor) -> list[dict[str, Any]]:
    """What cross-validation said of each entry; nothing of those that took no part in one."""
    entries, chosen = entries_of(model), list(model.info.get("chosen", ()))
    return [{}] * (len(entries) - len(chosen)) + chosen


def never_bought(model: Predictor) -> list[str]:
    """Columns that the model never looks at."""
    read = set(model.plan.columns_read.tolist())
    return [name for name, column in model.columns.positions.items() if column not in read]


def full_price(model: Predictor) -> float:
    """What a row without a limit pays: of a menu only one entry is bought."""
    return max(entry.price for entry in entries_of(model))


def extent(model: Predictor, in_rounds: bool = False) -> str:
    """How much there is to a plan: stages, by name rounds, or what is drawn from or bought."""
    plan = followed(model.plan).plan
    entries = entries_of(model)
    if plan.outline.entries and any(_is_one_model(entry) for entry in entries):
        return count(sum(map(_buys, entries)), "model")
    noun = plan.outline.stage_noun
    if noun in ("round", "stage"):
        noun = "round" if in_rounds else "stage"
    return count(len(plan.stages), noun)


def plan_record(model: Predictor) -> dict[str, Any]:
    """What a model buys, for JSON."""
    entries = [
        {
            **said,
            "price": entry.price,
            "rounds": len(entry.stages),
            "purchases": purchases(entry),
        }
        for entry, said in zip(entries_of(model), judged(model), strict=True)
    ]
    return {
        "kind": followed(model.plan).kind,
        "calibrated": model.plan.outline.buyer is not None,
        "rounds": len(model.plan.stages),
        "full_price": full_price(model),
        "price_of_everything": model.costs.total,
        "entries": entries,
        "never_bought": never_bought(model),
    }


def print_plan(model: Predictor) -> None:
    """What a model buys, for people."""
    entries = entries_of(model)
    click.echo("")
    if not model.plan.items:
        click.echo("It buys nothing: every row gets the same answer.")
    elif len(entries) == 1:
        print_purchases(entries[0], _title(model))
    else:
        _print_menu(model, entries)
    if absent := never_bought(model):
        click.echo(f"Never bought: {', '.join(absent)}")
    click.echo(_most(model))


def _most(model: Predictor) -> str:
    """The most that a row pays, beside the price of everything."""
    most, everything = money(full_price(model)), money(model.costs.total)
    if model.plan.outline.order == "routed":
        return f"Dearest path: {most} (everything costs {everything})"
    return f"Full price: {most} of {everything} for everything"


def _title(model: Predictor) -> str:
    order = model.plan.outline.order
    if order == "routed":
        return "What it may buy: each row what is asked on its own path"
    if order == "drawn":
        return "What it may buy: each row draws its own"
    return "What it buys, in order"


def _print_menu(model: Predictor, entries: list[PricedPlan]) -> None:
    models = count(sum(map(_buys, entries)), "model")
    click.echo(f"{models}, of which a budget chooses the last that it pays for:\n")
    number = 0
    for place, (entry, said) in enumerate(zip(entries, judged(model), strict=True), start=1):
        number += _buys(entry)
        beaten = any(later.price <= entry.price for later in entries[place:])
        title = f"{number}. " if _buys(entry) else ""
        title += f"From {money(entry.price)}: {_extent(entry)}"
        title += f"; {_quality(said, model.target.is_number)}" if said else ""
        title += _BEATEN if beaten else ""
        if entry.items:
            print_purchases(entry, title)
        else:
            click.echo(f"{title}\n")


def _buys(entry: PricedPlan) -> bool:
    """Whether an entry is a model, and not the answer without any."""
    return len(entry.stages) > 0


def _is_one_model(entry: PricedPlan) -> bool:
    """Whether an entry buys for one model, rather than for many rounds."""
    return len(entry.stages) == 1 and entry.outline.stage_noun == "purchase"


def _quality(said: dict[str, Any], numbers: bool) -> str:
    """Who answers, and how good it was on rows that it had not learnt from."""
    loss, error = float(said["loss"]), float(said["standard_error"])
    how = (
        f"mean squared error {digits(loss)} ± {digits(error)}"
        if numbers
        else f"{100 * loss:.1f}% wrong ± {100 * error:.1f}"
    )
    return f"{said['candidate']}, {how} in cross-validation"


def _extent(entry: PricedPlan) -> str:
    """How much there is to an entry of a menu."""
    if not len(entry.stages):
        return "nothing is bought"
    if _is_one_model(entry):
        return f"one model of {count(len(entry.columns_read), 'column')}"
    return count(len(entry.stages), "round")
