"""Items and their prices, and the one place where money is compared."""

from __future__ import annotations

from .costs import Costs
from .ledger import Ledger
from .price_list import Item

__all__ = ["Costs", "Item", "Ledger"]
