"""Trust: models fitted once and asked at many budgets, with items owned, failing or lacking.

Results are kept in a folder, one file per problem and learner; stored ones are not computed
again, so that a run may be stopped at any time and goes on where it was. With changed code of
scrimp use ``--again``, or another folder.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Collection
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # idle threads do not take a core

from benchmarks.study.datasets import PROBLEMS  # noqa: E402
from benchmarks.trust.learners import TRIED  # noqa: E402
from benchmarks.trust.report import page_of  # noqa: E402
from benchmarks.trust.running import run  # noqa: E402
from benchmarks.trust.trials import Caps  # noqa: E402

#: Caps and problems of a quick look.
QUICK = Caps(train=1_000, test=1_000, failing=100)
QUICK_PROBLEMS = ("heart", "pima", "thyroid", "abalone")


def main(arguments: list[str] | None = None) -> int:
    """Measure what is left to do and print the page; return 1 on failure, 130 if interrupted."""
    parser = _parser()
    options = parser.parse_args(arguments)
    caps = QUICK if options.quick else Caps()
    problems = options.problems or (QUICK_PROBLEMS if options.quick else list(PROBLEMS))
    is_partial = options.quick or set(problems) < set(PROBLEMS) or options.learners
    if options.write and is_partial:
        parser.error("--write is for the whole benchmark: not with --quick, or with a part of it.")
    work = options.work / ("quick" if options.quick else "whole")
    learners = [TRIED[name] for name in options.learners or TRIED]
    again = list(TRIED) if options.again == ["all"] else options.again
    try:
        done = run(problems, learners, caps, work, again, _tell)
    except KeyboardInterrupt:
        _tell(f"Interrupted. What is done is kept in {work}: the same command goes on.")
        return 130
    page = page_of(done, caps)
    print(page.text)
    if options.write and not done.failed:
        page.write(ROOT / "docs")
    return int(bool(done.failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trust", description=__doc__)
    parser.add_argument(
        "--problems", type=_names(PROBLEMS), help="problems, as heart,pima (default: all)"
    )
    parser.add_argument(
        "--learners", type=_names(TRIED), help="learners, as boosting,linear (default: all)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="four problems and few rows, for a first look"
    )
    parser.add_argument(
        "--again", type=_names({*TRIED, "all"}), default=[],
        help="learners to measure again, or all",
    )  # fmt: skip
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "trust", help="the folder of results"
    )
    parser.add_argument("--write", action="store_true", help="write docs/trust.md too")
    return parser


def _names(known: Collection[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"no {', '.join(unknown)} here; there are: {', '.join(known)}"
            )
        return names

    return parse


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
