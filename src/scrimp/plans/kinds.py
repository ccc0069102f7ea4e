"""The kinds of plan by their names in model files, and nested plans in these files."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..types import Arrays
from .contract import Plan

#: The kinds that a model file may name, and their classes; a file can create no other object.
#: Classes are imported on demand, because plans that nest plans import this module.
KINDS = {
    "additive": "additive.AdditivePlan",
    "gam": "gam.GamPlan",
    "drawn": "drawn_gam.DrawnGamPlan",
    "sampled": "sampled.SampledPlan",
    "prefix": "prefix.PrefixPlan",
    "refits": "prefix.PrefixPlan",
    "subset": "subset.SubsetPlan",
    "routed": "routed.RoutedPlan",
    "menu": "menu.MenuPlan",
    "blocks": "blocks.BlocksPlan",
    "ensemble": "ensemble.EnsemblePlan",
    "calibrated": "calibrated.CalibratedPlan",
    "cascade": "cascade.CascadePlan",
}


def plan_to_parts(plan: Plan[Any]) -> tuple[dict[str, Any], Arrays]:
    """Return the kind and header of a plan, and its arrays; raise TypeError for other classes."""
    if plan.kind not in KINDS or _class_of(plan.kind) is not type(plan):
        raise TypeError(
            f"it holds a plan of the class {type(plan).__name__}; expected one of scrimp's own "
            f"kinds: {', '.join(KINDS)}"
        )
    header, arrays = plan.parts()
    return {"kind": plan.kind, "header": header}, arrays


def plan_from_parts(kind: str, header: dict[str, Any], arrays: Arrays) -> Plan[Any]:
    """Return the plan of a kind from its stored parts."""
    if kind not in KINDS:
        raise ValueError(f"unknown kind of plan {kind!r}; expected one of {sorted(KINDS)}.")
    plan = _class_of(kind).from_parts(header, arrays)
    if plan.kind != kind:
        raise ValueError(f"the parts are those of a plan of the kind {plan.kind!r}, not {kind!r}.")
    return plan


def _class_of(kind: str) -> type[Plan[Any]]:
    module, name = KINDS[kind].split(".")
    plan_class: type[Plan[Any]] = getattr(import_module(f"{__package__}.{module}"), name)
    return plan_class
