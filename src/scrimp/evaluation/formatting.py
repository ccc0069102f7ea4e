"""Numbers as text: accuracies in percent, other scores as they are, amounts of money."""

from __future__ import annotations

from collections.abc import Sequence

from .curve import Point
from .error_cost import ERROR_COST

#: Scorers whose value is a share of rows, shown in percent.
SHARES = ("accuracy", "balanced_accuracy")
#: Smaller amounts are shown with two significant digits instead of cents.
_SMALL = 0.1


def quality_text(quality: float, scoring: str) -> str:
    """Return a quality as text, such as 83.1% or 0.831; a cost of errors as an amount."""
    if scoring == ERROR_COST:
        return money(-quality)
    return f"{100.0 * quality:.1f}%" if scoring in SHARES else f"{quality:.3f}"


def spread_text(point: Point, scoring: str) -> str:
    """Return the interval of a point as text, such as 79.0 to 87.2%."""
    low, high = interval_texts(point, scoring)
    return f"{low.removesuffix('%')} to {high}"


def interval_texts(point: Point, scoring: str) -> tuple[str, str]:
    """Return the ends of the interval of a point as texts, the smaller number first."""
    low, high = quality_text(point.low, scoring), quality_text(point.high, scoring)
    return (high, low) if scoring == ERROR_COST else (low, high)


def gap_text(gap: float, scoring: str) -> str:
    """Return a difference as text, such as 2.1 points."""
    if scoring == ERROR_COST:
        return money(gap)
    return f"{100.0 * gap:.1f} points" if scoring in SHARES else f"{gap:.3f}"


def money(amount: float) -> str:
    """Return an amount with cents where there are any, or two significant digits if small."""
    if 0 < abs(amount) < _SMALL:
        return f"{amount:.2g}"
    return f"{amount:,.2f}".removesuffix(".00")


def as_given(amount: float) -> str:
    """Return an amount given by the user, with all of its digits where cents are not enough."""
    text = money(amount)
    return text if float(text.replace(",", "")) == amount else f"{amount:,.12g}"


def listed(parts: Sequence[str]) -> str:
    """Return parts as a list in words: one, two and three."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
