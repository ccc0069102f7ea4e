"""Measure everything and print the table; with --write it also goes to docs/benchmarks.md.

Ratios are taken within one run. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "2")

from benchmarks import (  # noqa: E402
    fitting,
    one_row,
    predicting,
    sampling,
    sequencing,
    sessions,
    starting,
)
from benchmarks.report import as_markdown  # noqa: E402


def main() -> None:
    """Run all benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md too")
    options = parser.parse_args()
    rows = fitting.against_peers() + fitting.of_rules()
    rows += [fitting.peak_memory(), *predicting.sweeps(), *predicting.session_overhead()]
    rows += predicting.fixed_orders()
    rows += one_row.rows() + sessions.all_rows()
    rows += sampling.sampled_votes() + sequencing.all_rows() + starting.starts()
    growing, table = fitting.growth()
    text = _TEMPLATE.format(
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        rows=as_markdown(rows + growing),
        growth=table,
    )
    print(text)
    if options.write:
        (ROOT / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")
    sys.exit(any(row.met is False for row in rows + growing))


_TEMPLATE = """# Benchmarks

Printed by `make bench` ({machine}, 2 threads). A ratio is taken within one run; the times
themselves depend on the machine.

{rows}
Growth of the time of a fit (`greedy`, 100 rounds, binning included; rows at 100 columns,
columns at 100,000 rows):

{growth}"""

if __name__ == "__main__":
    main()
