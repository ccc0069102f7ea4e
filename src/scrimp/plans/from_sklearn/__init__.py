"""Conversion of fitted scikit-learn estimators to models made of arrays."""

from __future__ import annotations

from .conversion import array_model

__all__ = ["array_model"]
