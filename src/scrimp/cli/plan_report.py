"""What a model buys, in words and as a record: shared by ``fit`` and ``inspect``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .output import count, digits, money, print_table

if TYPE_CHECKING:
    from ..plans.priced_plan import PricedPlan
    from ..runtime.predictor import Predictor

#: How a table of purchases counts the uses of an item, by the order of the stages.
_USES = {"routed": "asked at", "drawn": "used in votes"}
_BEATEN = "; only if something cannot be had, since a later one costs no more"


def without_calibration(priced: PricedPlan) -> PricedPlan:
    """The plan that buys: calibration only changes what it says."""
    from ..plans.priced_plan import PricedPlan

    buyer = priced.outline.buyer
    return priced if buyer is None else PricedPlan(buyer, priced.costs)


def entries_of(model: Predictor) -> list[PricedPlan]:
    """The entries of a menu, from the least to the best; otherwise the plan alone."""
    from ..plans.priced_plan import PricedPlan

    priced = without_calibration(model.plan)
    entries = priced.outline.entries or (priced.plan,)
    return [without_calibration(PricedPlan(entry, model.costs)) for entry in entries]


def cross_validated_quality(model: Predictor) -> list[dict[str, Any]]:
    """What cross-validation said of each entry; nothing of those that took no part in one."""
    entries, chosen = entries_of(model), list(model.info.get("chosen", ()))
    others: list[dict[str, Any]] = [{}] * (len(entries) - len(chosen))
    if len(others) == 1 and "prior" in model.info:
        others = [dict(model.info["prior"])]
    return others + chosen


def never_bought(model: Predictor) -> list[str]:
    """Columns that the model never looks at."""
    read, bought = set(model.plan.columns_read.tolist()), set(model.plan.items)
    return [
        name for name, column in model.columns.positions.items()
        if column not in read or model.costs.item_of[column] not in bought
    ]  # fmt: skip


def full_price(model: Predictor) -> float:
    """What a row without a limit pays: of a menu only one entry is bought."""
    return max(entry.price for entry in entries_of(model))


def extent(model: Predictor, in_rounds: bool = False) -> str:
    """How much there is to a plan: stages, by name rounds, or what is drawn from or bought."""
    plan = without_calibration(model.plan).plan
    entries = entries_of(model)
    if plan.outline.entries and any(_is_one_model(entry) for entry in entries):
        return count(sum(map(_buys, entries)), "model")
    if _is_one_model(entries[0]) and len(plan.columns_read) > 1:
        return _extent(entries[0])
    noun = plan.outline.stage_noun
    if noun in ("round", "stage"):
        noun = "round" if in_rounds else "stage"
    return count(len(plan.stages), noun)


def plan_record(model: Predictor) -> dict[str, Any]:
    """What a model buys, for JSON."""
    entries = [
        {
            **quality,
            "price": entry.price,
            "rounds": len(entry.stages),
            "purchases": purchases(entry),
        }
        for entry, quality in zip(entries_of(model), cross_validated_quality(model), strict=True)
    ]
    return {
        "kind": without_calibration(model.plan).kind,
        "calibrated": model.plan.outline.buyer is not None,
        "rounds": len(model.plan.stages),
        "full_price": full_price(model),
        "price_of_everything": model.costs.total,
        "entries": entries,
        "never_bought": never_bought(model),
    }


def purchases(priced: PricedPlan) -> list[dict[str, Any]]:
    """What a plan buys, in order, for JSON."""
    return [
        {
            "order": line.order,
            "item": line.item,
            "price": line.price,
            "total": line.total,
            "stages": line.stages,
            "columns": list(line.columns),
        }
        for line in priced.summary()
    ]


def print_purchases(priced: PricedPlan, title: str = "") -> None:
    """What a plan buys, in order; the columns only where items are not named after them."""
    lines = priced.summary()
    uses = _USES.get(priced.outline.order, "used in rounds")
    header = ["", "item", "price", "total", uses, "brings"]
    rows = [
        [
            line.order,
            line.item if line.columns or "fee" in line.item else f"{line.item} (fee)",
            line.price,
            line.total,
            line.stages,
            ", ".join(line.columns),
        ]
        for line in lines
    ]
    hidden = {"brings"} if all(line.columns in ((), (line.item,)) for line in lines) else set()
    if priced.outline.stage_noun == "purchase":
        hidden.add(uses)  # each item is used once, when it is bought
    shown = [place for place, name in enumerate(header) if name not in hidden]
    print_table([header[s] for s in shown], [[row[s] for s in shown] for row in rows], title)


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
    click.echo(_highest_spend(model))


def _highest_spend(model: Predictor) -> str:
    """Return the most that a row pays, beside the price of everything."""
    highest, everything = money(full_price(model)), money(model.costs.total)
    if model.plan.outline.order == "routed":
        return f"Dearest path: {highest} (everything costs {everything})"
    return f"Full price: {highest} of {everything} for everything"


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
    for place, (entry, quality) in enumerate(
        zip(entries, cross_validated_quality(model), strict=True), start=1
    ):
        number += _buys(entry)
        beaten = any(later.price <= entry.price for later in entries[place:])
        title = f"{number}. " if _buys(entry) else ""
        title += f"From {money(entry.price)}: {_extent(entry)}"
        title += f"; {_quality(quality, model.target.is_number)}" if quality else ""
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


def _quality(quality: dict[str, Any], numbers: bool) -> str:
    """Who answers, and how good it was on rows that it had not learnt from."""
    loss, error = float(quality["loss"]), float(quality["standard_error"])
    how = (
        f"mean squared error {digits(loss)} ± {digits(error)}"
        if numbers
        else f"{100 * loss:.1f}% wrong ± {100 * error:.1f}"
    )
    if "brier" in quality and not numbers:
        how += f", Brier score {float(quality['brier']):.3f}"
    return f"{quality['candidate']}, {how} in cross-validation"


def _extent(entry: PricedPlan) -> str:
    """How much there is to an entry of a menu."""
    if not len(entry.stages):
        return "nothing is bought"
    if _is_one_model(entry):
        return f"one model of {count(len(entry.columns_read), 'column')}"
    return count(len(entry.stages), entry.outline.stage_noun)
