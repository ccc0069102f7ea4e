import subprocess
import sys

import pytest

import scrimp

from .conftest import refused, run

COMMANDS = ("demo", "compare", "fit", "predict", "curve", "inspect", "ask")


def test_help_lists_the_commands_in_the_order_of_use_and_the_exit_codes():
    text = run("--help").stdout
    places = [text.index(f"\n  {name} ") for name in COMMANDS]
    assert places == sorted(places)
    assert "130  interrupted" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_json_and_debug(command):
    text = run(command, "-h").stdout
    assert "--json" in text
    assert "--debug" in text


def test_version():
    assert run("--version").stdout == f"scrimp, version {scrimp.__version__}\n"


def test_starting_imports_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "numba", "polars", "matplotlib", "rich")
    code = f"import scrimp.cli.main, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_command():
    assert "No such command 'fits'" in refused("fits")


def test_python_m_scrimp():
    done = subprocess.run(
        [sys.executable, "-m", "scrimp.cli.main", "--version"], capture_output=True, text=True
    )
    assert done.stdout.startswith("scrimp, version")
