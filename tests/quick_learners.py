"""Learners that take part in tests of commands and comparisons, made quick."""

from dataclasses import replace

from scrimp.evaluation.methods import METHODS
from scrimp.registry import LEARNERS, Make


def make_frontier_quick(monkeypatch):
    """Let a frontier that is made by its name try linear models on two folds only."""
    spec = LEARNERS["frontier"]
    quick = {"candidates": ["linear"], "cv": 2}
    made = {task: Make(make.path, quick) for task, make in spec.estimators.items()}
    spec = replace(spec, estimators=made)
    monkeypatch.setitem(LEARNERS, "frontier", spec)
    monkeypatch.setitem(METHODS, "frontier", replace(METHODS["frontier"], spec=spec))
