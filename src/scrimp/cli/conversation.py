"""A session as a conversation: it asks, somebody types."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from .output import digits, money

if TYPE_CHECKING:
    from ..data.columns import Columns
    from ..runtime.predictor import Predictor
    from ..runtime.session import Request, Session

_CANNOT_BE_HAD = ("", "?")
_ENDS = ("quit", "exit")
_BOOLEANS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
#: A number as people write it: no separators of thousands, no words.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


class _Quit(Exception):
    """Nobody wants to go on."""


class OutOfRange(ValueError):
    """A number is smaller, or larger, than all numbers of its column in training."""


class _Refused(Exception):
    """A column that was asked for cannot be had: its name."""


class Conversation:
    """Drives a session from what is typed.

    Parameters
    ----------
    model : Predictor
        Whose session it is.
    session : Session
        Fresh.
    known : mapping
        What the session knows from the start, by the column's name.
    quiet : bool
        Talk on stderr, so that stdout is free for the record.
    """

    def __init__(
        self, model: Predictor, session: Session, known: Mapping[str, Any], quiet: bool
    ) -> None:
        self._model, self._session, self._quiet = model, session, quiet
        self._known = dict(known)
        self._bought: list[dict[str, Any]] = []
        self._refused: list[str] = []
        self._ended_early = self._interrupted = False

    @property
    def interrupted(self) -> bool:
        """Whether it ended with Ctrl-C."""
        return self._interrupted

    def run(self) -> None:
        """Ask until there is nothing more to buy, or nobody to answer."""
        self._say("Empty line or ? = cannot be had; missing = paid for, but no value; quit = end.")
        self._say(f"Before the first question: {self.answer_in_words()}")
        try:
            while (request := self._session.ask()) is not None:
                self._one(request)
        except _Quit:
            self._ended_early = True

    def record(self) -> dict[str, Any]:
        """All that happened, for JSON."""
        answer = self._session.read()
        classes = self._model.classes_.tolist()
        probabilities = answer.probabilities
        return {
            "prediction": answer.label,
            "probabilities": None
            if probabilities is None
            else dict(zip(map(str, classes), probabilities.tolist(), strict=True)),
            "spent": answer.spent,
            "expected_cost": answer.expected_cost,
            "budget": self._session.budget,
            "known": self._known,
            "bought": self._bought,
            "could_not_be_had": self._refused,
            "ended_early": self._ended_early,
        }

    def answer_in_words(self) -> str:
        """The answer so far, and what it cost."""
        answer = self._session.read()
        regression = self._model.target.is_number
        label = digits(float(answer.label)) if regression else answer.label
        chance = ""
        if answer.probabilities is not None:
            of_label = answer.probabilities[self._model.classes_ == answer.label].item()
            chance = f" (probability {of_label:.2f})"
        risk = ""
        if answer.expected_cost is not None:
            risk = f", expected cost of errors {money(answer.expected_cost)}"
        return f"{label}{chance}, spent {money(answer.spent)}{risk}"

    def _one(self, request: Request) -> None:
        """One purchase."""
        self._say(f"\n{self._in_words(request)}")
        values: dict[str, Any] = {}
        try:
            for name in request.columns:
                values[name] = self._value(name)
        except _Refused as refusal:
            self._go_on_without(str(refusal), request, values)
            return
        self._tell(request, values)
        self._say(f"  So far: {self.answer_in_words()}")

    def _go_on_without(self, lacking: str, request: Request, values: dict[str, Any]) -> None:
        """Name the item that failed; those that arrived before it are paid for."""
        item, columns = self._item_bringing(lacking)
        arrived = {name: value for name, value in values.items() if name not in columns}
        if arrived:
            self._tell(request, arrived)
        self._refused.extend(columns)
        self._session.fail(item)
        self._say(f"  {item} is not paid for. So far: {self.answer_in_words()}")

    def _item_bringing(self, column: str) -> tuple[str, list[str]]:
        """The item that brings a column, and all columns that it brings."""
        costs, columns = self._model.costs, self._model.columns
        item = costs.item_of[columns.positions[column]]
        return costs.names[item], [columns.name(column) for column in costs.columns[item]]

    def _tell(self, request: Request, values: dict[str, Any]) -> None:
        """Pay for what arrived of a request, and note it."""
        self._session.tell(values)
        costs, owned = self._model.costs, self._session.bought
        items = tuple(item for item in request.items if item in owned)
        price = math.fsum(costs.prices[costs.names.index(item)] for item in items)
        self._bought.append({"items": items, "values": values, "price": price})

    def _in_words(self, request: Request) -> str:
        """What is asked for, what must be paid with it, what it costs and what is left."""
        fees = [item for item in request.items if item not in request.columns]
        main = ", ".join(request.columns) or " + ".join(request.items)
        fee = f" (with {' + '.join(fees)})" if fees and request.columns else ""
        rest = self._session.budget - self._session.spent
        left = f" of the {money(rest)} left" if math.isfinite(rest) else ""
        return f"{main}{fee}: costs {money(request.price)}{left}"

    def _value(self, name: str) -> Any:
        """Ask for one value until it can be used; one outside its range must be typed twice."""
        known = choices(self._model.columns, name)
        if known and are_numbered(known):
            known = [f"{number} {text}" for number, text in enumerate(known, start=1)]
        if known:
            self._say(f"  one of: {'; '.join(known)}")
        doubted = None
        while True:
            text = self._line(f"  {name} = ")
            if text in _CANNOT_BE_HAD:
                raise _Refused(name)
            if text.lower() in _ENDS:
                raise _Quit
            try:
                value = parse_value(self._model, name, text)
                self._check(name, value)
                if value != doubted:
                    check_range(self._model, name, value)
            except OutOfRange as doubt:
                self._say(f"  {doubt} If it is right, type it once more.")
                doubted = value
                continue
            except ValueError as error:
                self._say(f"  {error} Once more, please.")
                continue
            return value

    def _check(self, name: str, value: Any) -> None:
        if value is None and not self._model.plan.accepts_missing:
            raise ValueError("This model cannot use a missing value; ? if it cannot be had.")

    def _line(self, prompt: str) -> str:
        click.echo(prompt, nl=False, err=self._quiet)
        try:
            return input().strip()
        except (EOFError, KeyboardInterrupt) as end:
            self._interrupted = isinstance(end, KeyboardInterrupt)
            self._say("")
            raise _Quit from None

    def _say(self, text: str) -> None:
        click.echo(text, err=self._quiet)


def choices(columns: Columns, name: str) -> list[str]:
    """The categories of a column as text; none for a number."""
    position = columns.positions[name]
    categories = columns.categories[position]
    return [columns.show_value(position, code) for code in range(len(categories or ()))]


def parse_value(model: Predictor, name: str, text: str) -> Any:
    """A value of a column; None for the word "missing".

    A number is written as a plain number; yes, no, true and false stand for 1 and 0 where the
    column held nothing else in training.

    Raises
    ------
    ValueError
        If it is neither a number nor, where the column has categories, one of them.
    """
    text = text.strip()
    if text.lower() == "missing":
        return None
    known = choices(model.columns, name)
    if known:
        return _category(known, text)
    binary = model.info.get("binary")
    if text.lower() in _BOOLEANS and isinstance(binary, list) and name in binary:
        return _BOOLEANS[text.lower()]
    return _number(text)


def _number(text: str) -> float:
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not a number.")
    return value


def check_range(model: Predictor, name: str, value: Any) -> None:
    """Raise OutOfRange for a number that is beyond those of training, where they are known."""
    ranges = model.info.get("ranges")
    ends = ranges.get(name) if isinstance(ranges, dict) else None
    if ends is None or not isinstance(value, float) or not _are_two_numbers(ends):
        return
    low, high = ends
    if not low <= value <= high:
        raise OutOfRange(
            f"{digits(value)} is outside the range of {name} in training, {digits(low)} to "
            f"{digits(high)}."
        )


def _are_two_numbers(ends: Any) -> bool:
    """Whether the range of a column is as `fit` wrote it; a file may hold anything there."""
    return isinstance(ends, list) and [type(end) for end in ends] == [float, float]


def _category(known: list[str], text: str) -> str:
    """By its name, in capitals or not, or by its number in the list."""
    if text in known:
        return text
    same = [name for name in known if name.casefold() == text.casefold()]
    if len(same) == 1:
        return same[0]
    if are_numbered(known) and text.isdecimal() and 1 <= int(text) <= len(known):
        return known[int(text) - 1]
    raise ValueError(f"{text!r} is not one of: {', '.join(known)}.")


def are_numbered(known: list[str]) -> bool:
    """Whether a number can stand for a category: not if one of them looks like a number."""
    return not any(name[:1].isdecimal() for name in known)
