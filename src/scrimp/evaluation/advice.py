"""Advice: which method to take at which budget, and how sure that is, in plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .curve import Point
from .wording import as_given, gap_text, listed, money, quality_text, spread_text


@dataclass(frozen=True)
class Difference:
    """How much better one is than another on the same rows, with its interval."""

    value: float
    low: float
    high: float

    def __neg__(self) -> Difference:
        return Difference(-self.value, -self.high, -self.low)

    @property
    def is_nothing(self) -> bool:
        """Whether the two are the same, row for row as far as it can be seen."""
        return self.value == self.low == self.high == 0

    @property
    def is_clear(self) -> bool:
        """Whether chance alone would seldom show it."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Rival:
    """Another method beside the one that is advised; `difference` is positive if it is worse."""

    method: str
    point: Point
    difference: Difference


@dataclass(frozen=True)
class Advice:
    """Which method to take.

    Parameters
    ----------
    method : str
        Its name.
    point : Point
        The budget to train for, with quality and spend there.
    rivals : tuple of Rival
        The other methods, best first; at the same budget or, given an error cost, each at
        its own best.
    guess : Point or None
        What buying nothing gives, if that was looked at.
    gain : Difference or None
        Of the advice over that guess; of costs, given an error cost.
    cheaper : Point or None
        The same method at the least budget within one standard error.
    dearer : Rival or None
        The least larger budget at which the best method is clearly better, if a budget was
        asked for.
    best : (str, Point) or None
        What is best of all, where the advice is the least budget near it.
    standard_error : float
        Of the quality advised; where `best` is given, of that.
    budget, error_cost : float or None
        As asked.
    scoring : str
        The scorer's name.
    some_free : bool
        Whether some columns are free, and part of the guess.
    """

    method: str
    point: Point
    rivals: tuple[Rival, ...]
    guess: Point | None
    gain: Difference | None
    cheaper: Point | None
    dearer: Rival | None
    best: tuple[str, Point] | None
    standard_error: float
    budget: float | None
    error_cost: float | None
    scoring: str
    some_free: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether what is bought may be no better than the guess."""
        return not self.buys_nothing and self.gain is not None and not self.gain.low > 0

    @property
    def buys_nothing(self) -> bool:
        """Whether the advice is not to spend anything."""
        return self.point.spent == 0

    def cost_in_all(self, point: Point) -> float:
        """Spend plus the cost of errors, a row."""
        return point.spent + (self.error_cost or 0.0) * (1.0 - point.quality)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The advice in plain words, a paragraph a line."""
        parts = [self._doubt() + self._headline(), *self._why(), *self._beside()]
        parts += [*self._guess_words(), *self._other_budgets()]
        n = len(self.rivals) + 1
        if n > 1 and not self.buys_nothing:
            parts.append(
                f"The best of {n} methods on the same rows looks better there than it is: expect "
                "a little less on new rows."
            )
        return parts

    def _doubt(self) -> str:
        """Said first: that buying nothing may do as well."""
        if self.guess is None or self.gain is None or not self.is_doubtful:
            return ""
        gives = f"it gives {self._quality(self.guess.quality)}"
        if self.error_cost is not None:
            gives = f"it costs {money(self.cost_in_all(self.guess))} a row in errors"
        if self.gain.value < 0:
            return f"{self._nothing()} does better on these rows: {gives}. "
        return (
            f"{self._nothing()} may do as well: {gives}, and on these rows what follows is not "
            "distinguishable from that. "
        )

    def _nothing(self) -> str:
        return "What is free alone" if self.some_free else "Buying nothing"

    def _headline(self) -> str:
        point = self.point
        what = f"{self._quality(point.quality)} ({spread_text(point, self.scoring)})"
        if self.buys_nothing:
            how = "from what is free alone" if self.some_free else "without any purchase"
            return f"{self._asked()}uy nothing: {what} {how}."
        if self.error_cost is not None:
            errors = self.cost_in_all(point) - point.spent
            return (
                f"If an error costs {as_given(self.error_cost)}, take {self.method} at a budget of "
                f"{money(point.budget)}: {money(point.spent)} spent on average plus "
                f"{money(errors)} for errors is {money(self.cost_in_all(point))} a row; {what}."
            )
        start = "Take" if self.budget is None else f"For a budget of {as_given(self.budget)} take"
        at = f" at a budget of {money(point.budget)}" if self.budget is None else ""
        return f"{start} {self.method}{at}: {what}, {money(point.spent)} spent on average."

    def _asked(self) -> str:
        """The beginning of the advice to buy nothing."""
        if self.error_cost is not None:
            return f"If an error costs {as_given(self.error_cost)}, b"
        return "B" if self.budget is None else f"For a budget of {as_given(self.budget)} b"

    def _why(self) -> list[str]:
        """Why this budget, if none was asked for."""
        if self.buys_nothing and self.error_cost is not None:
            return ["No purchase saves as much in errors as it costs."]
        if self.budget is not None or self.error_cost is not None:
            return []
        error = gap_text(self.standard_error, self.scoring)
        if self.buys_nothing:
            return [f"No method is better by more than one standard error ({error}) at any budget."]
        if self.best is None:
            return [f"No smaller budget comes within one standard error of it ({error})."]
        name, point = self.best
        return [
            f"That is the least budget within one standard error ({error}) of the best of all, "
            f"{self._quality(point.quality)} ({name} at {money(point.budget)})."
        ]

    def _beside(self) -> list[str]:
        """The other methods: those that chance may have put behind, and those it did not."""
        if self.buys_nothing:
            return []
        same = [r for r in self.rivals if r.difference.is_nothing]
        near = [r for r in self.rivals if r not in same and not r.difference.is_clear]
        far = [r for r in self.rivals if r.difference.is_clear]
        word = "Behind it" if self.error_cost is None else "Dearer in all"
        parts = [
            f"Just as good here: {listed([r.method for r in same])}." if same else "",
            f"Not distinguishable from it on these rows: {self._with(near, self._figure)}.",
            f"{word} by more than chance: {self._with(far, self._behind)}.",
        ]
        return [part for part, own in zip(parts, (same, near, far), strict=True) if own]

    def _with(self, rivals: list[Rival], words: Callable[[Rival], str]) -> str:
        """Rivals with what there is to say of them, said once of those who share it."""
        said: dict[str, list[str]] = {}
        for rival in rivals:
            said.setdefault(words(rival), []).append(rival.method)
        return "; ".join(f"{listed(names)} {text}" for text, names in said.items())

    def _figure(self, rival: Rival) -> str:
        if self.error_cost is None:
            return f"({quality_text(rival.point.quality, self.scoring)})"
        return f"({money(self.cost_in_all(rival.point))} at {money(rival.point.budget)})"

    def _behind(self, rival: Rival) -> str:
        return self._gap(rival.difference)

    def _gap(self, gap: Difference) -> str:
        """By how much, with the interval."""
        if self.error_cost is not None:
            return f"by {money(gap.value)} ({money(gap.low)} to {money(gap.high)})"
        value, low, high = (gap_text(g, self.scoring) for g in (gap.value, gap.low, gap.high))
        return f"by {value} ({low.removesuffix(' points')} to {high.removesuffix(' points')})"

    def _guess_words(self) -> list[str]:
        if self.guess is None or self.buys_nothing or self.is_doubtful:
            return []
        return [f"{self._nothing()} gives {self._quality(self.guess.quality)}."]

    def _other_budgets(self) -> list[str]:
        parts = []
        if less := self.cheaper:
            error = gap_text(self.standard_error, self.scoring)
            parts.append(
                f"Cheaper: for a budget of {money(less.budget)} {self.method} gives "
                f"{self._quality(less.quality)} for {money(less.spent)}, nearly the same (within "
                f"one standard error, {error})."
            )
        if more := self.dearer:
            parts.append(
                f"With more: a budget of {money(more.point.budget)} gives "
                f"{self._quality(more.point.quality)} with {more.method}, better "
                f"{self._gap(-more.difference)}."
            )
        return parts

    def _quality(self, quality: float) -> str:
        right = " right" if self.scoring == "accuracy" else ""
        name = "" if self.scoring == "accuracy" else f"{self.scoring} "
        return f"{name}{quality_text(quality, self.scoring)}{right}"
