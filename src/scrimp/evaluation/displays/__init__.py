"""Displays in the manner of scikit-learn: data objects that draw themselves with ``plot``."""

from __future__ import annotations
