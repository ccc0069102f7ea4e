"""Print how the frontier does at both ends.

Small tables against the peer that cross-validation chooses, and against linear models; the full
budget against tuned LightGBM; peak memory; and reported against true errors. What is done is kept
in a folder, so that a run may be stopped at any time and goes on where it was.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np  # noqa: E402

from benchmarks.frontier_ends import full, memory, reports, small  # noqa: E402
from benchmarks.frontier_ends.tables import TABLES  # noqa: E402
from benchmarks.study.datasets import PROBLEMS  # noqa: E402
from benchmarks.study.splits import processor_clock  # noqa: E402
from reporting.page import markdown_table  # noqa: E402
from scrimp.kernels.compile_time import use_clock  # noqa: E402

PARTS = ("small", "full", "memory", "reports")
#: Tables whose reports are compared with the truth.
REPORTED = ("hepatitis", "heart", "sonar", "arcene")
LIMITS = (20.0, 60.0, None)


def main() -> None:
    """Run the parts that were asked for; limits of time are kept by the processor's clock."""
    with use_clock(processor_clock):
        _run(_options())


def _run(options: argparse.Namespace) -> None:
    if "small" in options.parts:
        _print_small(options.tables, options.work)
    if "full" in options.parts:
        _print_full(options.problems, options.work, options.max_seconds)
    if "memory" in options.parts:
        multiple, took = memory.peak_memory(seconds=options.max_seconds)
        print(f"\nPeak memory, 200,000 x 50 float32: {multiple:.1f} x the table, {took:.0f} s")
    if "reports" in options.parts:
        _print_reports(options.reported)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.frontier_ends", description=__doc__)

    def names(text: str) -> list[str]:
        return text.split(",")

    parser.add_argument("--parts", type=names, default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--tables", type=names, default=[t for t in TABLES if t != "arcene"])
    parser.add_argument("--problems", type=names, default=list(PROBLEMS))
    parser.add_argument("--reported", type=names, default=list(REPORTED))
    parser.add_argument("--max-seconds", type=float, help="for the full budget and memory")
    parser.add_argument("--work", type=Path, default=Path("bench-results/frontier_ends"))
    return parser.parse_args()


def _print_small(tables: list[str], work: Path) -> None:
    rows, ratios = [], []
    for name in tables:
        problem = TABLES[name]()
        areas = small.areas(small.folds_of(problem), work)
        ratios.append([*areas.ratios("error"), *areas.ratios("auc")])
        shape = f"{len(problem.y)} x {problem.X.width}"
        cells = [f"{100 * one['error']:.2f} / {100 * one['auc']:.2f}" for one in
                 (areas.frontier, areas.chosen, areas.linear)]  # fmt: skip
        rows.append(
            [name, shape, *cells, *(f"{r:.3f}" for r in ratios[-1]), f"{areas.seconds:.1f}"]
        )
        print(rows[-1], flush=True)
    rows.append(["mean", "", "", "", "", *(f"{r:.3f}" for r in np.mean(ratios, axis=0)), ""])
    header = ["table", "shape", "frontier (error / 1 - AUC, %)", "chosen peer", "linear",
              "error / peer", "error / linear", "AUC / peer", "AUC / linear", "s"]  # fmt: skip
    print("\n" + markdown_table(header, rows))


def _print_full(problems: list[str], work: Path, max_seconds: float | None) -> None:
    results = {}
    for name in problems:
        results[name] = full.full_budget(PROBLEMS[name](), work, max_seconds)
        one = results[name]
        print(f"{name}: {one.ours.mean():.4f} / {one.theirs.mean():.4f} = {one.ratio:.3f}, "
              f"p {one.p:.3f}, {one.seconds:.0f} s", flush=True)  # fmt: skip
    mean, lost = full.summary(results)
    print(f"Full budget: geometric mean {mean:.3f} (aim: 1.00); lost after Holm: {lost or 'none'}")


def _print_reports(tables: list[str]) -> None:
    for limit in LIMITS:
        zs = {name: reports.mean_z(small.folds_of(TABLES[name]()), limit) for name in tables}
        mean = float(np.mean([z for z, n in zs.values() if n]))
        parts = ", ".join(f"{name} {z:+.2f} ({n})" for name, (z, n) in zs.items())
        when = "without a limit" if limit is None else f"at {limit:g} s"
        print(f"Reported against true errors {when}: mean z {mean:+.2f}; {parts}", flush=True)


if __name__ == "__main__":
    main()
