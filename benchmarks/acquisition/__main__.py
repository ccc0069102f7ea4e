"""A benchmark for the acquisition of features: which to buy next, for one row.

Results are kept in a folder, one file per problem, seed and method; stored ones are not computed
again, so that a run may be stopped at any time and goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

from benchmarks.acquisition.methods import METHODS  # noqa: E402
from benchmarks.acquisition.problems import problems  # noqa: E402
from benchmarks.acquisition.report import page_part  # noqa: E402
from benchmarks.study.results import find  # noqa: E402
from benchmarks.study.running import Study, recipe_of, run  # noqa: E402
from reporting.page import write_parts  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run what is left to do and print the tables; return 1 on failure, 130 if interrupted."""
    options = _parser().parse_args(arguments)
    known = problems(options.full)
    loaders = {name: known[name] for name in options.datasets or known}
    methods = [
        replace(METHODS[name], seconds=METHODS[name].seconds * options.time)
        for name in options.methods or METHODS
    ]
    study = Study()
    warnings.simplefilter("ignore")
    if options.report:
        for name in loaders:
            for seed in options.seeds:
                for method in methods:
                    recipe = recipe_of(name, seed, method)
                    result = find(options.work, name, seed, method.name, recipe)
                    study.results += [] if result is None else [result]
    else:
        try:
            run(loaders, methods, options.seeds, options.work, study=study, tell=_tell)
        except KeyboardInterrupt:
            _tell(f"Interrupted. What is done is kept in {options.work}: the same command goes on.")
            return 130
    part = page_part(study.results, methods, options.work)
    print(part)
    if options.write:
        write_parts(ROOT / "docs" / "acquisition.md", {"acquisition": part})
    return int(bool(study.failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/acquisition", description=__doc__)
    names = {"type": lambda text: text.split(","), "default": None}
    parser.add_argument("--datasets", help="problems, as cube,spam (default: all)", **names)
    parser.add_argument("--methods", help="methods, as tree,cegb (default: all)", **names)
    parser.add_argument(
        "--seeds", type=lambda text: [int(part) for part in text.split(",")], default=[0]
    )
    parser.add_argument("--full", action="store_true", help="all rows of generated data and MNIST")
    parser.add_argument("--time", type=float, default=1.0, help="times the seconds of tuning")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "acquisition")
    parser.add_argument("--report", action="store_true", help="run nothing: report what is kept")
    parser.add_argument("--write", action="store_true", help="write docs/acquisition.md")
    return parser


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
