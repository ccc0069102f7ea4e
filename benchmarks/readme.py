"""Put the table of learners, and what `scrimp demo` and `scrimp compare` print, into README.md.

Run it as ``python -m benchmarks.readme``. The picture of the demo goes to docs/. The demo needs
nothing; the comparison needs the Pima data (SCRIMP_DATA, or a network).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from reporting.page import write_parts
from scrimp.datasets import fetch
from scrimp.registry import readme_table

ROOT = Path(__file__).parents[1]


def scrimp(*words: str, folder: Path) -> str:
    """Return what the command prints."""
    command = [sys.executable, "-m", "scrimp", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def put(mark: str, text: str) -> None:
    """Replace what stands between two marks of the README."""
    write_parts(ROOT / "README.md", {mark: f"```\n{text}\n```\n"})


def pima(folder: Path) -> str:
    """Return the table, the advice and the command of a comparison."""
    data = fetch("pima_diabetes")
    data.X.with_columns(diabetes=data.y).write_csv(folder / "pima.csv")
    with resources.as_file(resources.files("scrimp.datasets") / "pima.toml") as prices:
        shutil.copy(prices, folder)
    words = ("compare", "pima.csv", "--target", "diabetes", "--costs", "pima.toml")
    # time for every fold of the frontier, so that the figures do not depend on the machine
    options = ("--budget", "20", "--repeats", "1", "--max-seconds", "1800")
    text = scrimp(*words, *options, folder=folder)
    return text.split("\n\n", 1)[1].split("\n\nWritten: ")[0]


def main() -> None:
    """Write all three parts."""
    write_parts(ROOT / "README.md", {"learners": f"{readme_table()}\n"})
    printed = scrimp("demo", "--out", str(ROOT / "docs" / "demo.png"), folder=ROOT)
    put("demo", printed.split("\n\nPicture: ")[0])
    with tempfile.TemporaryDirectory() as folder:
        put("compare", pima(Path(folder)))


if __name__ == "__main__":
    main()
