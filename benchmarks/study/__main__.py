"""The study: scrimp's Frontier against what people use today, on public data.

Results are kept in a folder, one file per problem, seed and method; stored ones are not computed
again, so that a run may be stopped at any time and goes on where it was. Each method runs alone,
in this one process and on two threads, and nothing else should run on the machine.
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
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle threads do not take a core

from benchmarks.study.datasets import ALL_PROBLEMS, PROBLEMS, UNIT_PROBLEM  # noqa: E402
from benchmarks.study.methods import METHODS  # noqa: E402
from benchmarks.study.report import page_of  # noqa: E402
from benchmarks.study.running import Study, run  # noqa: E402

#: Seeds of the comparison with published figures, whose splits are drawn.
UNIT_SEEDS = range(5)
#: The methods of that comparison.
UNIT_METHODS = ("frontier", "smoothed")


def main(arguments: list[str] | None = None) -> int:
    """Run what is left to do and print the report; return 1 on failure, 130 if interrupted."""
    options = _options().parse_args(arguments)
    seeds = range(5 if options.full else 1) if options.seeds is None else options.seeds
    problems = [name for name in options.datasets if name != UNIT_PROBLEM]
    methods = [
        replace(METHODS[name], seconds=METHODS[name].seconds * options.time)
        for name in options.methods
    ]
    study = Study()
    # at the smallest budgets nothing can be bought, and that is as it should be
    warnings.filterwarnings("ignore", "The cheapest purchase", UserWarning)
    try:
        for names, chosen, drawn in (
            (problems, methods, seeds),
            (
                [name for name in options.datasets if name == UNIT_PROBLEM],
                [method for method in methods if method.name in UNIT_METHODS],
                UNIT_SEEDS,
            ),
        ):
            loaders = {name: ALL_PROBLEMS[name] for name in names}
            run(loaders, chosen, drawn, options.work, options.again, study, _tell, _progress)
    except KeyboardInterrupt:
        _tell(f"Interrupted. What is done is kept in {options.work}: the same command goes on.")
        return 130
    page = page_of(study, methods)
    print(page.text)
    if options.write:
        page.write(ROOT / "docs")
    return int(bool(study.failed))


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/study", description=__doc__)
    parser.add_argument("--full", action="store_true", help="five seeds in place of one")
    parser.add_argument("--seeds", type=_numbers, help="seeds of prices and splits, as 0,1,2")
    parser.add_argument(
        "--datasets", type=_names(ALL_PROBLEMS), default=[*PROBLEMS, UNIT_PROBLEM],
        help="problems, as heart,pima (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--methods", type=_names(METHODS), default=list(METHODS),
        help="methods, as cegb,l1 (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--again", type=_names(METHODS), default=[], help="methods to compute again"
    )
    parser.add_argument(
        "--time", type=float, default=1.0, help="times the seconds that each method may tune"
    )
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "study", help="the folder of results"
    )
    parser.add_argument(
        "--write", action="store_true", help="write docs/study.md and its pictures too"
    )
    return parser


def _names(known: dict[str, object]):  # type: ignore[no-untyped-def]
    def parse(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"no {', '.join(unknown)} here; there are: {', '.join(known)}"
            )
        return names

    return parse


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _tell(text: str) -> None:
    _progress("")
    print(text, file=sys.stderr, flush=True)


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:110]}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
