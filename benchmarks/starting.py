"""Start-up times: imports, help, the first fit."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.report import Row, seconds

_FIRST_FIT = """
import numpy as np
from scrimp import BudgetedBoostingClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 20)).astype(np.float32)
y = (X[:, 0] + rng.normal(size=1000) > 0).astype(int)
BudgetedBoostingClassifier().fit(X, y).predict(X)
"""


def _run(*words: str, **environment: str) -> None:
    subprocess.run(
        [sys.executable, *words], check=True, capture_output=True, env=os.environ | environment
    )


def starts() -> list[Row]:
    """Time whole processes, the start of Python included."""
    importing = seconds(lambda: _run("-c", "import scrimp"), repeats=5)
    helping = seconds(lambda: _run("-m", "scrimp", "--help"), repeats=5)
    with tempfile.TemporaryDirectory() as cold:
        first = seconds(lambda: _run("-c", _FIRST_FIT, NUMBA_CACHE_DIR=cold))
        second = seconds(lambda: _run("-c", _FIRST_FIT, NUMBA_CACHE_DIR=cold))
    return [
        Row("`import scrimp`", "at most 0.2 s", f"{importing:.2f} s", importing <= 0.2),
        Row("`scrimp --help`", "at most 0.5 s", f"{helping:.2f} s", helping <= 0.5),
        Row("first fit and predict with a cold kernel cache", "at most 20 s", f"{first:.1f} s",
            first <= 20, f"{second:.1f} s with a warm one"),
    ]  # fmt: skip
