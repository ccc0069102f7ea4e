import warnings

import click
import pytest

from scrimp.cli.errors import Commands, InputError, one_line, refusing_impossible, remember_debug

from .conftest import run
from .runner import runner


def group(action):
    """A program with one command that does `action`."""
    debug = click.Option(["--debug"], is_flag=True, expose_value=False, callback=remember_debug)
    program = Commands(params=[debug])
    program.add_command(click.Command("go", callback=action))
    return program


def raising(error):
    def action():
        raise error

    return group(action)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ValueError("bad\nnumber"), 2, "Error: bad number\n"),
        (FileNotFoundError(2, "No such file", "x.csv"), 2, "Error: x.csv: No such file.\n"),
        (InputError("not this"), 2, "Error: not this\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
        (click.Abort(), 130, "Interrupted.\n"),
    ],
)
def test_one_line_and_an_exit_code(error, code, text):
    result = runner().invoke(raising(error), ["go"])
    assert (result.exit_code, result.stderr) == (code, text)


def test_what_is_unexpected_says_how_to_see_where():
    result = runner().invoke(raising(ZeroDivisionError("by 0")), ["go"])
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: unexpected ZeroDivisionError: by 0 Run it again with --debug to see where.\n"
    )


@pytest.mark.parametrize(("error", "code"), [(ZeroDivisionError(), 1), (ValueError("bad"), 2)])
def test_debug_shows_where(error, code):
    result = runner().invoke(raising(error), ["--debug", "go"])
    assert result.exit_code == code
    assert "Traceback" in result.stderr
    assert "in action" in result.stderr


def test_warnings_are_lines_and_are_said_once():
    def action():
        for number in (1, 1, 2):
            warnings.warn(f"look out {number}", UserWarning, stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = runner().invoke(group(action), ["go"])
    assert result.stderr == "Warning: look out 1\nWarning: look out 2\n"


def test_a_file_error_without_a_name_keeps_its_text():
    assert one_line(OSError("disk on fire")) == "disk on fire"
    assert one_line(ValueError()) == "ValueError"


def test_only_a_stop_rule_is_bad_input():
    with pytest.raises(InputError, match="not possible"), refusing_impossible():
        raise TypeError("so stop='certain' is not possible")
    with pytest.raises(TypeError, match="a defect"), refusing_impossible():
        raise TypeError("a defect")


def test_debug_through_the_environment(trained, monkeypatch):
    monkeypatch.setenv("SCRIMP_DEBUG", "1")
    result = run("inspect", trained / "train.csv")
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
