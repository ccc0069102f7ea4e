"""Calibrated class probabilities at every budget."""

from __future__ import annotations

from .classifier import CalibratedClassifier

__all__ = ["CalibratedClassifier"]
