"""The peak memory of a frontier's fit, measured in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_CHILD = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from benchmarks.data import make_table
from scrimp import FrontierClassifier
rows, columns, n_budgets, seconds = json.loads(sys.argv[1])
X, y, prices = make_table(3_000, columns)
FrontierClassifier(prices, budgets=[prices.sum()], cv=2).fit(X, y)  # compiles and imports
X, y, prices = make_table(rows, columns)
budgets = np.geomspace(0.02, 1.0, n_budgets) * prices.sum()
before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
FrontierClassifier(prices, budgets=budgets, max_seconds=seconds).fit(X, y)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([peak * 1024 / X.nbytes, time.perf_counter() - begin]))
"""


def peak_memory(
    rows: int = 200_000, columns: int = 50, n_budgets: int = 8, seconds: float | None = None
) -> tuple[float, float]:
    """Return the peak above the input, in multiples of the table, and the seconds of the fit."""
    options = json.dumps([rows, columns, n_budgets, seconds])
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", _CHILD, options]
    out = subprocess.run(command, cwd=root, capture_output=True, check=True)
    multiple, took = json.loads(out.stdout)
    return multiple, took
