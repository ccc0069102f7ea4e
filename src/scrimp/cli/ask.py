"""``scrimp ask``: one row, one question at a time, in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import INTERRUPTED, InputError, refusing_impossible
from .options import Money, common_options, model_argument, stop_option
from .output import digits, note

if TYPE_CHECKING:
    from ..runtime.predictor import Predictor
    from .conversation import Conversation


@click.command(short_help="Answer for one row, asking for one value at a time.")
@model_argument
@click.option("--budget", type=Money(), help="The most that may be spent; by default no limit.")
@click.option(
    "--known", multiple=True, metavar="COL=VALUE",
    help="A value that is there already, free of charge. May be repeated.",
)  # fmt: skip
@stop_option
@common_options
def ask(
    model: Path, budget: float | None, known: tuple[str, ...], stop: str | None, as_json: bool
) -> None:
    """Ask for what MODEL needs next, until the budget is spent, and give an answer.

    Type each value as it is asked for. An empty line or ? says that it cannot be had: it is not
    paid for, and the model goes on without it. missing says that it was paid for but brought
    nothing. quit, Ctrl-C or the end of the input end with the answer so far.
    """
    from ..io import load
    from .conversation import Conversation
    from .output import print_json

    predictor = load(model)
    with refusing_impossible():
        values = _known(predictor, known)
        session = predictor.session(budget, known=values, stop=stop)
        talk = Conversation(predictor, session, values, quiet=as_json)
        talk.run()
    if as_json:
        print_json(talk.record())
    else:
        _print(talk)
    if talk.interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _known(model: Predictor, pairs: tuple[str, ...]) -> dict[str, Any]:
    from .conversation import OutOfRange, check_range, parse_value

    values = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in model.columns.positions:
            names = ", ".join(model.columns.positions)
            raise InputError(
                f"--known {pair!r} is not COL=VALUE with a column of the model: {names}."
            )
        try:
            values[name] = parse_value(model, name, text)
            check_range(model, name, values[name])
        except OutOfRange as doubt:
            note(f"Note: --known {pair}: {doubt}")
        except ValueError as error:
            raise InputError(f"--known {pair!r}: {error}") from error
    return values


def _print(talk: Conversation) -> None:
    record = talk.record()
    click.echo("")
    click.echo(f"Answer: {talk.answer_in_words()}")
    for name, value in record["known"].items():
        click.echo(f"  {'known':>10}  {name} = {_shown(value)}")
    if record["bought"]:
        for purchase in record["bought"]:
            values = ", ".join(f"{n} = {_shown(v)}" for n, v in purchase["values"].items())
            click.echo(f"  {purchase['price']:>10,.2f}  {values or ' + '.join(purchase['items'])}")
        click.echo(f"  {record['spent']:>10,.2f}  in all")
    else:
        click.echo("Nothing was bought.")


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return digits(value) if isinstance(value, float) else str(value)
