"""The time in which functions are compiled does not count in limits."""

import time

import numba
import pytest
from numba import config

from scrimp.kernels import compile_time
from scrimp.runtime.time_limit import monotonic, time_limit

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")


def test_the_clock_stands_still_while_functions_are_compiled():
    with time_limit(1e6) as limit:
        before, began, left = compile_time.compile_seconds(), time.monotonic(), limit.seconds_left()
        assert numba.njit(lambda x: x * 2 + 1)(3) == 7
        took, compiled = time.monotonic() - began, compile_time.compile_seconds() - before
        counted = left - limit.seconds_left()
    assert 0 < compiled <= took
    assert counted < took - 0.5 * compiled


def test_work_of_several_threads_at_a_time_counts_once():
    times = iter([1.0, 2.0, 4.0, 7.0, 9.0])
    with compile_time.use_clock(lambda: next(times)):
        _check_stopwatch(compile_time._Stopwatch())


def _check_stopwatch(watch):
    watch.start()  # at 1
    watch.start()
    assert watch.seconds() == 1.0
    watch.stop()
    watch.stop()  # at 4
    assert watch.seconds() == 3.0
    watch.stop()  # what began before it was watched
    watch.start()  # at 7
    watch.stop()  # at 9
    assert watch.seconds() == 5.0


def test_an_end_lies_as_far_ahead_after_compiling():
    end = monotonic() + 0.05
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_time._STOPWATCH, "_total", compile_time.compile_seconds() + 100.0)
        assert monotonic() < end


def test_limits_are_kept_by_the_clock_in_use():
    hour = [0.0]
    with compile_time.use_clock(lambda: hour[0]), time_limit(5.0) as limit:
        assert limit.seconds_left() == pytest.approx(5.0)
        assert not limit.is_over()
        hour[0] += 6.0
        assert limit.is_over()
    assert compile_time.now() == pytest.approx(time.monotonic(), abs=1.0)
