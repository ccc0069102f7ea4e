"""Options that commands share, and the kinds of values they take."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from ..registry import OPTIONS, Option
from .class_options import ClassWeight
from .errors import InputError, remember_debug

TABLES = (".csv", ".csv.gz", ".parquet")
NO_MODELS = (".csv", ".gz", ".parquet", ".png")
F = TypeVar("F", bound=Callable[..., Any])


class Money(click.ParamType):  # type: ignore[type-arg]
    """A number >= 0."""

    name = "N"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """From text."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not number >= 0:
            self.fail(f"{value!r} is not a number >= 0.", param, ctx)
        return number


class MoneyList(click.ParamType):  # type: ignore[type-arg]
    """Numbers >= 0 with commas between them."""

    name = "N[,N...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[float]:
        """From text."""
        if isinstance(value, list):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if len(parts) > 1 and "" in parts:
            self.fail(
                f"{value!r} lacks a number beside a comma; expected numbers with commas between "
                "them, such as 10,20.", param, ctx,
            )  # fmt: skip
        return [Money().convert(part, param, ctx) for part in parts]


class ErrorCost(click.ParamType):  # type: ignore[type-arg]
    """What errors cost: a number for all of them, or costs of errors with commas between them."""

    name = "N|TRUE->PREDICTED=N[,...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | dict[str, float]:
        """From text."""
        from ..data.error_costs import parse_error_cost

        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            return parse_error_cost(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


#: Endings of price lists that can be read.
PRICE_LISTS = (".toml", ".csv")


class InputFile(click.Path):
    """A file that is there."""

    def __init__(self, endings: tuple[str, ...] = ()) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True, path_type=Path)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """From text."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        _check_ending(self, path, self.endings, param, ctx)
        return path


class OutputFile(click.Path):
    """A file that can be made: what cannot be written is refused before the work begins."""

    def __init__(self, endings: tuple[str, ...] = (), *, model: bool = False) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)
        self.endings, self.model = endings, model

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """From text."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        _check_ending(self, path, self.endings, param, ctx)
        if self.model and path.name.lower().endswith(NO_MODELS):
            self.fail(
                f"{str(path)!r} ends like a table or a picture, but a model is saved there. "
                "Let it end in .scrimp.", param, ctx,
            )  # fmt: skip
        folder = path.absolute().parent
        if not folder.is_dir():
            self.fail(f"there is no folder {str(folder)!r} to put {path.name!r} into.", param, ctx)
        if not os.access(folder, os.W_OK):
            self.fail(f"the folder {str(folder)!r} may not be written to.", param, ctx)
        return path


def _check_ending(
    kind: click.Path,
    path: Path,
    endings: tuple[str, ...],
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> None:
    if endings and not path.name.lower().endswith(endings):
        kind.fail(f"{str(path)!r} must end in {' or '.join(endings)}.", param, ctx)


def refuse_overwriting(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse to write where something is read from, whatever links lead there."""
    sources = [source for source in inputs if source is not None]
    for path in outputs:
        for source in sources:
            if path is not None and path.exists() and path.samefile(source):
                raise InputError(
                    f"{str(path)!r} is read here and would be overwritten. Give the output "
                    "another name."
                )


def model_argument(command: F) -> F:
    """MODEL, a file that ``scrimp fit`` or ``scrimp.save`` made."""
    return click.argument("model", type=InputFile())(command)


def data_argument(command: F) -> F:
    """DATA, a table."""
    return click.argument("data", type=InputFile(TABLES))(command)


def missing_option(command: F) -> F:
    """What stands for a missing value in DATA."""
    return click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Text that stands for a missing value in a CSV file, besides an empty cell, NA, NaN, "
        "nan and null. May be repeated.",
    )(command)


def drop_option(command: F) -> F:
    """Columns that are no features."""
    return click.option(
        "--drop", multiple=True, metavar="COL[,COL...]",
        help="A column to leave out, or several. May be repeated.",
    )(command)  # fmt: skip


def stop_option(command: F) -> F:
    """When to stop before the budget does."""
    return click.option(
        "--stop",
        type=click.Choice(["certain", "confident"]),
        help="Stop buying as soon as nothing that is left to buy could change the label (certain), "
        "or as the label is as probable as held-out rows have told (confident).",
    )(command)


def positive_option(command: F) -> F:
    """The class that a scorer counts."""
    return click.option(
        "--positive", metavar="LABEL",
        help="The class that a scorer such as f1 counts; by default 1, or the last by alphabet.",
    )(command)  # fmt: skip


def task_option(command: F) -> F:
    """What kind of target it is."""
    return click.option(
        "--task", type=click.Choice(["classification", "regression"]),
        help="Predict classes or numbers; by default fractions and more than 20 different "
        "numbers are numbers.",
    )(command)  # fmt: skip


def learner_options(command: F) -> F:
    """Add the options that belong to some learners; values are passed by their keys."""
    for option in reversed(OPTIONS.values()):
        command = click.option(
            f"--{option.name}", option.key, type=_type_of(option), default=option.default,
            show_default=option.default is not None, help=option.help,
            metavar={"int": "N", "float": "S", "text": option.metavar}.get(option.kind),
        )(command)  # fmt: skip
    return command


def _type_of(option: Option) -> Any:
    """Return how the text of an option is read."""
    if option.kind in ("choice", "preset"):
        return click.Choice(option.choices or list(option.presets))
    if option.kind == "numbers":
        return MoneyList()
    if option.kind == "class weights":
        return ClassWeight()
    if option.kind == "text":
        return click.STRING
    if option.kind == "int":
        least, most = (
            None if limit is None else int(limit) for limit in (option.least, option.most)
        )
        return click.IntRange(least, most)
    return click.FloatRange(option.least, option.most, min_open=True)


def methods_epilog(heading: str, descriptions: Mapping[str, str]) -> str:
    """Return a list of methods for the end of a help text."""
    width = max(map(len, descriptions)) + 2
    lines = (f"  {name:<{width}}{description}" for name, description in descriptions.items())
    return "\n".join(["\b", heading, *lines])


def common_options(command: F) -> F:
    """What every command understands."""
    as_json = click.option(
        "--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."
    )
    debug = click.option(
        "--debug", is_flag=True, expose_value=False, callback=remember_debug,
        help="Show where an error comes from.",
    )  # fmt: skip
    return as_json(debug(command))


def progress_option(command: F) -> F:
    """Whether to draw a progress bar."""
    return click.option(
        "--progress/--no-progress",
        default=None,
        help="Draw a progress bar on stderr, or show nothing. By default a bar is drawn on a "
        "terminal, and elsewhere a line is written every 10 seconds.",
    )(command)
