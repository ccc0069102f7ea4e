"""``scrimp reprice``: the same model at new prices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import (
    PRICE_LISTS,
    InputFile,
    OutputFile,
    common_options,
    model_argument,
    refuse_overwriting,
)

if TYPE_CHECKING:
    from ..runtime.predictor import Predictor


@click.command(short_help="Give a model new prices, without training it again.")
@model_argument
@click.option(
    "--costs", type=InputFile(PRICE_LISTS), required=True, metavar="PRICES",
    help="Price list with the items of the model, in any order.",
)  # fmt: skip
@click.option(
    "--out", type=OutputFile(model=True), required=True, metavar="FILE",
    help="Where to save the new model.",
)  # fmt: skip
@common_options
def reprice(model: Path, costs: Path, out: Path, as_json: bool) -> None:
    """Save MODEL with new prices of the same items, without training it again.

    What was learnt stays, and no row spends more than its budget at the new prices. Where the
    order of purchases is part of what was learnt, it stays too.
    """
    from ..costs.costs import Costs
    from ..io import load, save
    from .output import print_json
    from .plan_report import plan_record, print_plan
    from .problem import refuse_priced_target

    refuse_overwriting([out], [model, costs])
    old = load(model)
    prices = Costs.read(costs)
    if old.costs.column_names is None or old.info.get("target") not in old.costs.column_names:
        refuse_priced_target(costs, prices, old.info.get("target"))
    new = old.reprice(prices)
    save(new, out)
    changes = _changes(old, new)
    replanned = new.plan.plan is not old.plan.plan
    if as_json:
        print_json(
            {"model": str(out), "changed": changes, "replanned": replanned, **plan_record(new)}
        )
        return
    click.echo(_change_text(changes, replanned))
    print_plan(new)
    click.echo(f"Saved to {out}")


def _changes(old: Predictor, new: Predictor) -> list[dict[str, Any]]:
    """Return the items whose price has changed."""
    both = zip(old.costs.names, old.costs.prices, new.costs.prices, strict=True)
    return [{"item": name, "was": was, "is": now} for name, was, now in both if was != now]


def _change_text(changes: list[dict[str, Any]], replanned: bool) -> str:
    from .output import count, money
    from .tables import some

    if not changes:
        return "All prices are as they were."
    shown = [f"{new['item']} {money(new['was'])} to {money(new['is'])}" for new in changes]
    order = (
        "What follows from prices was planned anew"
        if replanned
        else "The order is part of what was learnt and stays; `scrimp fit` may find a better one"
    )
    return f"{count(len(changes), 'new price')}: {some(shown, 5)}. {order}."
