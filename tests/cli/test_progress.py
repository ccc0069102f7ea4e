import io
import sys

from scrimp.cli.progress import progress_bar
from scrimp.runtime.events import Progress, emit


def drawn(monkeypatch, wanted, only=None):
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    with progress_bar(wanted, only=only):
        emit(Progress("first", 1, 2, "spent 3"))
        emit(Progress("second", 1, 2))
    return stderr.getvalue()


def test_nothing_is_drawn_off_a_terminal(monkeypatch):
    assert drawn(monkeypatch, None) == ""
    assert drawn(monkeypatch, False) == ""


def test_drawn_when_asked_for(monkeypatch):
    assert "second" in drawn(monkeypatch, True)


def test_only_one_task(monkeypatch):
    text = drawn(monkeypatch, True, only="first")
    assert "spent 3" in text
    assert "second" not in text
