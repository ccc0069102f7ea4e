"""How progress is shown."""

import io
import sys
import time
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from numba import config

from scrimp.kernels.jit import njit
from scrimp.runtime import progress_display
from scrimp.runtime.events import COMPILING, Progress, emit, listening, muted, reporting_compilation
from scrimp.runtime.progress_display import (
    check_verbose,
    display_for,
    every_event,
    notebook_line,
    occasional_lines,
    progress_shown,
    terminal_bar,
)


@pytest.fixture
def new_stderr(monkeypatch):
    """A function that puts a stream in the place of stderr, after pytest has put its own."""

    def replace():
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return replace


@pytest.fixture
def notebook(monkeypatch):
    """What is displayed in the kernel of a notebook, as (display, text) pairs."""
    shown = []

    def display(data, raw, display_id):
        assert raw
        assert display_id
        number = len({handle for handle, _ in shown})
        shown.append((number, data["text/plain"]))
        return SimpleNamespace(update=lambda data, raw: shown.append((number, data["text/plain"])))

    ipython, module = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(progress_display, "NOTEBOOK_DELAY", 0.0)
    monkeypatch.setattr(progress_display, "NOTEBOOK_SECONDS", 0.0)
    return shown


def test_lines_come_now_and_then(new_stderr, monkeypatch):
    stderr = new_stderr()
    monkeypatch.setattr(progress_display, "LINE_SECONDS", 0.05)
    with progress_shown(occasional_lines):
        for done in range(1, 5001):
            emit(Progress("fit", done, 5000, "spent 3"))
        begin = time.monotonic()
        while not stderr.getvalue() and time.monotonic() - begin < 5:
            time.sleep(0.01)
    lines = stderr.getvalue().splitlines()
    assert lines[-1].startswith("fit: 5000 of 5000, spent 3 (")
    assert len(lines) < 1000


def test_quick_work_writes_no_line(new_stderr):
    stderr = new_stderr()
    with progress_shown(occasional_lines):
        emit(Progress("fit", 1, 2))
    assert stderr.getvalue() == ""


def test_each_event_is_a_line_if_asked_for(new_stderr):
    stderr = new_stderr()
    with progress_shown(every_event):
        emit(Progress("fit", 1, 2, "spent 3"))
        emit(Progress(COMPILING, 1, 0))
    assert stderr.getvalue() == f"fit: 1 of 2, spent 3\n{COMPILING}: 1\n"


def test_a_larger_task_shows_its_parts_itself(new_stderr):
    stderr = new_stderr()
    with progress_shown(every_event), progress_shown(every_event):
        emit(Progress("fit", 1, 2))
    with muted(), progress_shown(every_event):
        emit(Progress("fit", 2, 2))
    assert stderr.getvalue() == "fit: 1 of 2\n"


def test_a_bar_goes_back_to_an_earlier_task(new_stderr):
    stderr = new_stderr()
    with progress_shown(lambda: terminal_bar(True), only="fit"):
        emit(Progress("fit", 1, 9))
        emit(Progress(COMPILING, 1, 0))
        emit(Progress("other", 1, 2))
        emit(Progress("fit", 7, 9))
    last = stderr.getvalue().rsplit("fit", 1)[-1]
    assert "7/9" in last
    assert "other" not in stderr.getvalue()


def test_scripts_show_nothing_unasked(new_stderr):
    stderr = new_stderr()
    assert display_for(None) is display_for(0) is None
    assert display_for(1) is occasional_lines
    stderr.isatty = lambda: True
    assert display_for(None) is None
    assert display_for(1) is terminal_bar
    assert display_for(2) is every_event


def test_notebooks_show_it_by_themselves_in_one_place(notebook):
    assert display_for(None) is display_for(1) is notebook_line
    assert display_for(0) is None
    with progress_shown(display_for(None)):
        emit(Progress("fit", 1, 3, "spent 1"))
        emit(Progress("fit", 3, 3, "spent 2"))
    assert {number for number, _ in notebook} == {0}
    assert "1/3 spent 1" in notebook[0][1]
    assert "█" * 30 + " 3/3 spent 2" in notebook[-1][1]


def test_quick_work_shows_nothing_in_a_notebook(notebook, monkeypatch):
    monkeypatch.setattr(progress_display, "NOTEBOOK_DELAY", 60.0)
    with progress_shown(display_for(None)):
        emit(Progress("fit", 1, 1))
    assert notebook == []


@pytest.mark.parametrize("value", [-1, "yes", 1.5])
def test_what_is_no_verbosity_is_refused(value):
    with pytest.raises(ValueError, match=f"verbose is {value!r}; expected 0"):
        check_verbose(value)


def test_verbosity_may_be_any_whole_number():
    assert [check_verbose(v) for v in (None, 0, True, np.int64(2))] == [None, 0, 1, 2]


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
def test_a_kernel_is_reported_when_it_is_compiled_and_only_then():
    @njit(cache=False)
    def twice(x):
        return 2 * x

    events = []
    with listening(events.append), reporting_compilation(), reporting_compilation():
        twice(1)
        twice(2)
    twice(1.0)
    assert [(event.task, event.note) for event in events] == [(COMPILING, "twice")]
