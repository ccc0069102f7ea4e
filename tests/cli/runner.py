"""The runner of commands in tests."""

from inspect import signature

from click.testing import CliRunner


def runner():
    """Return a runner that keeps stdout and stderr apart, as click does unasked from 8.2 on."""
    options = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    return CliRunner(**options)
