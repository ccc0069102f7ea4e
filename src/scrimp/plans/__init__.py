"""The kinds of plan."""

from __future__ import annotations

from typing import Any

from ..types import Arrays
from .additive import AdditivePlan
from .blocks import Block, BlocksPlan
from .calibrated import CalibratedPlan
from .components.stumps import StumpTable
from .components.terms import TermTable
from .components.tree_table import TreeTable
from .contract import Plan
from .menu import MenuPlan
from .prefix import PrefixPlan
from .refits import RefitPlan
from .routed import Nodes, RoutedPlan
from .sampled import SampledPlan

#: What a model file may name; nothing else is ever made from a file.
KINDS: dict[str, type[Plan[Any]]] = {
    plan.kind: plan
    for plan in (
        AdditivePlan,
        SampledPlan,
        PrefixPlan,
        RoutedPlan,
        MenuPlan,
        BlocksPlan,
        RefitPlan,
        CalibratedPlan,
    )
}


def plan_from_parts(kind: str, header: dict[str, Any], arrays: Arrays) -> Plan[Any]:
    """Make a plan of a kind from its stored parts."""
    if kind not in KINDS:
        raise ValueError(f"unknown kind of plan {kind!r}; expected one of {sorted(KINDS)}.")
    return KINDS[kind].from_parts(header, arrays)


__all__ = [
    "KINDS",
    "AdditivePlan",
    "Block",
    "BlocksPlan",
    "CalibratedPlan",
    "MenuPlan",
    "Nodes",
    "PrefixPlan",
    "RefitPlan",
    "RoutedPlan",
    "SampledPlan",
    "StumpTable",
    "TermTable",
    "TreeTable",
    "plan_from_parts",
]
