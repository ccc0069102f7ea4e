"""Sets of items under prices."""

from scrimp import Costs, Item
from scrimp.costs.item_sets import ItemSets

COSTS = Costs.from_items(
    [Item("fee", 2.0, ()), Item("a", 1.0, ("x0",), ("fee",)), Item("b", 0.5, ("x1",), ("fee",)),
     Item("gift", 0.0, ("x2",)), Item("c", 4.0, ("x3",))]
)  # fmt: skip


def test_no_more_of_an_order_are_bought_than_asked_for():
    """What an item requires comes with it and does not count; what is too dear does not either."""
    item_sets = ItemSets(COSTS)
    assert item_sets.fill([4, 1, 2], 3.5, max_items=1) == (3, 0, 1)
    assert item_sets.fill([4, 1, 2], 3.5, max_items=2) == (3, 0, 1, 2)
    assert item_sets.fill([1, 2, 4], 99.0, (3,), max_items=1) == (3, 0, 1)
    assert item_sets.fill([1], 99.0, (3, 0, 1), max_items=1) == (3, 0, 1)
