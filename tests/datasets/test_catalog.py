import re

import polars as pl
import pytest

from scrimp.costs.costs import Costs
from scrimp.datasets import DatasetMismatch, tables, target_encoders
from scrimp.datasets.catalog import ENTRIES


@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry.prices])
def test_price_lists_cover_exactly_the_columns(name):
    entry = ENTRIES[name]
    costs = tables._read_costs(entry)
    assert isinstance(costs, Costs)
    assert costs.column_names == entry.columns


def test_thyroid_index_is_free_once_its_two_parts_are_paid():
    costs = tables._read_costs(ENTRIES["ann_thyroid"])
    parts = [costs.names.index(name) for name in ("TT4", "T4U")]
    index = costs.names.index("FTI")
    assert costs.price_of([index]) == costs.price_of(parts) == pytest.approx(12.41 + 9.31 + 2.10)


def test_labels_have_several_spellings_and_no_others():
    encode = target_encoders.binary("R Rock", "M Mine")
    assert encode(pl.Series(["R", "Mine", "Rock"])).tolist() == [0, 1, 0]
    with pytest.raises(DatasetMismatch, match=re.escape("has the labels ['Stone']; expected only")):
        encode(pl.Series("class", ["R", "Stone"]))


def test_targets_become_text_numbers_or_thresholds():
    assert target_encoders.classes(pl.Series([3, 1])).tolist() == ["3", "1"]
    assert target_encoders.number(pl.Series(["15", "7"])).tolist() == [15.0, 7.0]
    assert target_encoders.at_least(3)(pl.Series([2.5, 3.0])).tolist() == [0, 1]
