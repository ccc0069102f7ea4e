"""The registry: one `LearnerSpec` per learner, in a static table of plain data.

The names that ``scrimp`` exports, ``scrimp fit --method``, ``scrimp compare --methods``, the
frontier's learners, the estimators that the checks go through and the table of README.md are
made from `LEARNERS`. Importing it imports neither NumPy nor scikit-learn: classes are named by
their path, and imported when an estimator is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from .learners import LEARNERS
from .options import CALIBRATIONS, N_ROUNDS, OPTIONS, RULES
from .spec import LearnerSpec, Make, Option, Variant

#: What ``scrimp fit`` trains unless it is told otherwise.
DEFAULT_METHOD = "boosting"


#: Packages that need an extra; their learners are imported from there, and not from ``scrimp``.
EXTRA_PACKAGES = ("scrimp.nets",)


def homes() -> dict[str, str]:
    """Return the module of each class that ``scrimp`` exports, by the name of the class."""
    makes = (make for spec in LEARNERS.values() for make in spec.estimators.values())
    return {make.name: make.module for make in makes if make.module not in EXTRA_PACKAGES}


def installed() -> list[LearnerSpec]:
    """Return the learners of which nothing is missing."""
    return [spec for spec in LEARNERS.values() if not spec.missing_extra]


def methods(task: str | None = None) -> list[LearnerSpec]:
    """Return the learners that can be trained by name, of a task or of all."""
    return [spec for spec in LEARNERS.values() if spec.is_method and task in (None, *spec.tasks)]


def variants() -> Iterator[tuple[LearnerSpec, Variant]]:
    """Yield what ``compare`` tries: each variant of a learner, or the learner itself."""
    for spec in methods():
        for variant in spec.variants or (Variant(spec.name, spec.description, {}),):
            yield spec, variant


def frontier_learners() -> tuple[str, ...]:
    """Return the names of the variants that a frontier tries unasked."""
    return tuple(variant.name for _, variant in variants() if variant.frontier)


def readme_table() -> str:
    """Return the table of learners in Markdown."""
    lines = ["| learner | method | what it does | from |", "|---|---|---|---|"]
    for spec in LEARNERS.values():
        classes = ", ".join(f"`{make.name}`" for make in spec.estimators.values())
        method = f"`{spec.name}`" if spec.is_method else "`--calibrate`"
        lines.append(f"| {classes} | {method} | {spec.details} | {spec.reference} |")
    return "\n".join(lines)


__all__ = [
    "CALIBRATIONS", "DEFAULT_METHOD", "LEARNERS", "N_ROUNDS", "OPTIONS", "RULES", "LearnerSpec",
    "Make", "Option", "Variant", "frontier_learners", "homes", "installed", "methods",
    "readme_table", "variants",
]  # fmt: skip
