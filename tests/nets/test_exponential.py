"""Ratios of exponentially deepening networks: simulated, derived and printed."""

import pytest

from scrimp.nets import largest_ratio, printed_ratio, simulated_ratio
from scrimp.nets.exponential import plain_ratio


@pytest.mark.parametrize(("base", "largest", "mean"), [(2.0, 3.0, 2.443), (3.0, 2.5, 1.883)])
def test_the_proposition(base, largest, mean):
    simulated, printed = simulated_ratio(base), printed_ratio(base)
    assert (simulated.largest, simulated.mean) == pytest.approx((largest, mean), abs=1e-3)
    assert (printed.largest, printed.mean) == pytest.approx((largest, mean), abs=1e-3)


@pytest.mark.parametrize(("workers", "largest", "mean"), [(2, 1.667, 1.471), (3, 1.286, 1.200)])
def test_several_workers_do_better_than_printed(workers, largest, mean):
    simulated = simulated_ratio(2.0, workers)
    assert (simulated.largest, simulated.mean) == pytest.approx((largest, mean), abs=1e-3)
    assert simulated.largest == pytest.approx(largest_ratio(2.0, workers), abs=1e-4)
    assert simulated.largest < printed_ratio(2.0, workers).largest
    assert simulated.mean < printed_ratio(2.0, workers).mean


@pytest.mark.parametrize("base", [2.0, 1.0 + 2.0**0.5])
def test_networks_with_one_exit(base):
    simulated, printed = simulated_ratio(base, plain=True), plain_ratio(base)
    assert simulated.largest == pytest.approx(printed.largest, abs=1e-3)
    assert simulated.mean == pytest.approx(printed.mean, abs=1e-3)


def test_a_base_of_one_is_refused():
    with pytest.raises(ValueError, match=r"base is 1\.0"):
        simulated_ratio(1.0)
