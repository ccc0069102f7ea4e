"""Plans: the contract, one file per kind, and what they are made of."""

from __future__ import annotations

from .additive import AdditivePlan
from .blocks import BlocksPlan
from .calibrated import CalibratedPlan
from .cascade import CascadePlan
from .components.network_blocks import Block, TableBlock
from .components.prefix_models import LinearPrefixes, ModelSequence
from .components.step_functions import StepFunctions
from .components.stumps import StumpTable
from .components.subset_weights import SubsetWeights
from .components.terms import TermTable
from .components.tree_table import TreeTable
from .drawn_gam import DrawnGamPlan
from .ensemble import EnsemblePlan
from .fallback import Fallback
from .gam import GamPlan
from .kinds import KINDS, plan_from_parts, plan_to_parts
from .menu import MenuPlan
from .prefix import PrefixPlan
from .routed import Nodes, RoutedPlan
from .sampled import SampledPlan
from .subset import SubsetPlan

__all__ = [
    "KINDS",
    "AdditivePlan",
    "Block",
    "BlocksPlan",
    "CalibratedPlan",
    "CascadePlan",
    "DrawnGamPlan",
    "EnsemblePlan",
    "Fallback",
    "GamPlan",
    "LinearPrefixes",
    "MenuPlan",
    "ModelSequence",
    "Nodes",
    "PrefixPlan",
    "RoutedPlan",
    "SampledPlan",
    "StepFunctions",
    "StumpTable",
    "SubsetPlan",
    "SubsetWeights",
    "TableBlock",
    "TermTable",
    "TreeTable",
    "plan_from_parts",
    "plan_to_parts",
]
