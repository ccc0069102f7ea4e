"""Errors as people see them: one line, and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

BAD_INPUT, INTERRUPTED, UNEXPECTED, UNREAD = 2, 130, 1, 141
_DEBUG = "scrimp.debug"
#: What the library says to programmers, and how it is said here.
_IN_OUR_WORDS = {
    "call predict(X) without one": "leave --budget out",
    "every answer is the prior": "every row gets the same answer",
    "the answer is the prior": "every row gets the same answer",
    "stop='certain'": "--stop certain",
    "stop='confident' needs a threshold, which rows that the model was not trained on tell: call "
    "model.calibrate_stop(X, y, ...) first.": "--stop confident needs a threshold, which rows that "
    "the model was not trained on tell: scrimp stop MODEL DATA --target COL --max-increase 0.01 "
    "--out FILE sets it.",
    "stop='confident'": "--stop confident",
    "No goal given; expected one of max_increase, max_error, average_budget, error_cost.": "No "
    "goal given; expected one of --max-increase, --max-error, --average-budget, --error-cost.",
    "max_increase": "--max-increase",
    "max_error": "--max-error",
    "average_budget": "--average-budget",
    "positive is ": "--positive is ",
    "(a date into days, say) or leave it out.": "(a date into days, say) or leave it out with "
    "--drop.",
    "(a date into days, say) or leave them out.": "(a date into days, say) or leave them out with "
    "--drop.",
    "error_cost ": "--error-cost ",
    "Give more time, or fewer rows.": "Give more time with --max-seconds, or fewer rows with "
    "--rows.",
    "n_splits=5 cannot be greater than the number of members in each class.": "No class has as "
    "many rows as the 5 folds of the cross-validation that prunes the tree. Give more rows.",
    " sklearn.metrics.get_scorer_names() lists all; a callable scorer(estimator, X, y) will do as "
    "well.": "",
}


#: What the library says of plans without bounds, and what a command says of a model.
_NO_BOUND = "cannot bound what is still to come"
_CANNOT_STOP = (
    "What this model buys later may change any answer, so it cannot stop early. Leave --stop out."
)


class InputError(click.ClickException):
    """What was given cannot be used."""

    exit_code = BAD_INPUT


class Interrupted(click.ClickException):
    """Somebody pressed Ctrl-C."""

    exit_code = INTERRUPTED

    def show(self, file: Any = None) -> None:
        """Say what became of the work; it is no error."""
        click.echo(self.message, err=True)


class PlainErrors(click.Command):
    """A command that ends in one line and an exit code, whatever happens."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _warnings_as_lines():
            try:
                return super().invoke(ctx)
            except click.exceptions.Exit:
                raise
            except BrokenPipeError:  # whoever read the output has seen enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                ctx.exit(UNREAD)
            except (KeyboardInterrupt, click.Abort):
                click.echo("Interrupted.", err=True)
                ctx.exit(INTERRUPTED)
            except click.ClickException:
                _trace(ctx)
                raise
            except (ValueError, OSError) as error:
                _trace(ctx)
                raise InputError(one_line(error)) from error
            except Exception as error:
                if not _trace(ctx):
                    hint = "Run it again with --debug to see where."
                    text = f"Error: unexpected {type(error).__name__}: {one_line(error)} {hint}"
                    click.echo(text, err=True)
                ctx.exit(UNEXPECTED)


class Commands(PlainErrors, click.Group):
    """A group of commands, each of which ends in one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of use rather than of the alphabet."""
        return list(self.commands)


def remember_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    """Note --debug, wherever on the line it stands."""
    ctx.meta[_DEBUG] = ctx.meta.get(_DEBUG, False) or value


def one_line(error: BaseException) -> str:
    """The message of an error without line breaks; of a file error, what is wrong with it."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}."
    return in_our_words(str(error)) or type(error).__name__


def in_our_words(text: str) -> str:
    """What the library says to programmers, as it is said on the command line."""
    line = " ".join(text.split())
    for theirs, ours in _IN_OUR_WORDS.items():
        line = line.replace(theirs, ours)
    return line


@contextmanager
def refusing_impossible() -> Iterator[None]:
    """A stop rule that a model cannot follow is bad input, not a defect."""
    try:
        yield
    except TypeError as error:
        if "stop=" not in str(error):
            raise
        text = _CANNOT_STOP if _NO_BOUND in str(error) else one_line(error)
        raise InputError(text) from error


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let a short piece of work finish, however often Ctrl-C is pressed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _trace(ctx: click.Context) -> bool:
    if ctx.meta.get(_DEBUG):
        click.echo(traceback.format_exc(), err=True, nl=False)
        return True
    return False


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = in_our_words(str(message))
        if text not in seen:
            seen.add(text)
            click.echo(f"Warning: {text}", err=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.filterwarnings("ignore", message="X lacks")  # noted, with the name of the file
        yield
