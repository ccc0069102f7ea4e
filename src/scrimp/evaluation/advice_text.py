"""Advice in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .error_cost import ERROR_COST
from .formatting import as_given, gap_text, listed, money, quality_text, spread_text

if TYPE_CHECKING:
    from .advice import Advice, Difference, Rival


@dataclass(frozen=True)
class AdviceText:
    """The paragraphs of an advice."""

    advice: Advice

    def lines(self) -> list[str]:
        """Return the advice, one line per paragraph."""
        parts = [self._doubt() + self._headline(), *self._why_this_budget(), *self._rivals_text()]
        parts += [*self._prior_text(), *self._other_budgets()]
        n = len(self.advice.rivals) + 1
        if n > 1 and not self.advice.buys_nothing:
            parts.append(
                f"The best of {n} methods on the same rows looks better there than it is: expect "
                "a little less on new rows."
            )
        return parts

    def _doubt(self) -> str:
        """Return the opening caveat that buying nothing may do as well, or nothing."""
        if self.advice.guess is None or self.advice.gain is None or not self.advice.is_doubtful:
            return ""
        gives = f"it gives {self._quality(self.advice.guess.quality)}"
        if self.advice.counts_errors:
            gives = f"it costs {money(self.advice.cost_in_all(self.advice.guess))} a row in errors"
        if self.advice.gain.value < 0:
            return f"{self._without_purchases()} does better on these rows: {gives}. "
        return (
            f"{self._without_purchases()} may do as well: {gives}, and on these rows what follows "
            "is not distinguishable from that. "
        )

    def _without_purchases(self) -> str:
        return "What is free alone" if self.advice.some_free else "Buying nothing"

    def _headline(self) -> str:
        advice, point = self.advice, self.advice.point
        what = f"{self._quality(point.quality)} ({spread_text(point, advice.scoring)})"
        if advice.buys_nothing:
            how = "from what is free alone" if advice.some_free else "without any purchase"
            return f"{self._buy_nothing_opening()}uy nothing: {what} {how}."
        if advice.counts_errors:
            total = advice.cost_in_all(point)
            return (
                f"{self._given_costs()}, take {advice.method} at a "
                f"budget of {money(point.budget)}: {money(point.spent)} spent on average plus "
                f"{money(total - point.spent)} for errors is {money(total)} a row; {what}."
            )
        spend = f"{money(point.spent)} spent on average"
        if advice.budget is None:
            return f"Take {advice.method} at a budget of {money(point.budget)}: {what}, {spend}."
        return f"For a budget of {as_given(advice.budget)} take {advice.method}: {what}, {spend}."

    def _given_costs(self) -> str:
        """Return the condition under which the advice holds: what errors cost."""
        if self.advice.error_cost is None:
            return "At these costs of errors"
        return f"If an error costs {as_given(self.advice.error_cost)}"

    def _buy_nothing_opening(self) -> str:
        """Return the beginning of the advice to buy nothing, up to the letter b."""
        if self.advice.counts_errors:
            return f"{self._given_costs()}, b"
        return (
            "B"
            if self.advice.budget is None
            else f"For a budget of {as_given(self.advice.budget)} b"
        )

    def _why_this_budget(self) -> list[str]:
        """Return the reason for the budget, if none was given."""
        if self.advice.buys_nothing and self.advice.counts_errors:
            return ["No purchase saves as much in errors as it costs."]
        if self.advice.budget is not None or self.advice.counts_errors:
            return []
        error = gap_text(self.advice.standard_error, self.advice.scoring)
        if self.advice.buys_nothing:
            return [f"No method is better by more than one standard error ({error}) at any budget."]
        if self.advice.best is None:
            return [f"No smaller budget comes within one standard error of it ({error})."]
        name, point = self.advice.best
        return [
            f"That is the least budget within one standard error ({error}) of the best of all, "
            f"{self._quality(point.quality)} ({name} at {money(point.budget)})."
        ]

    def _rivals_text(self) -> list[str]:
        """Return the other methods: equal, not distinguishable and clearly worse."""
        if self.advice.buys_nothing:
            return []
        same = [r for r in self.advice.rivals if r.difference.is_nothing]
        near = [r for r in self.advice.rivals if r not in same and not r.difference.is_clear]
        far = [r for r in self.advice.rivals if r.difference.is_clear]
        word = "Dearer in all" if self.advice.counts_errors else "Behind it"
        parts = [
            f"Just as good here: {listed([r.method for r in same])}." if same else "",
            f"Not distinguishable from it on these rows: {self._grouped(near, self._rival_value)}.",
            f"{word} by more than chance: {self._grouped(far, self._rival_gap)}.",
        ]
        return [part for part, group in zip(parts, (same, near, far), strict=True) if group]

    def _grouped(self, rivals: list[Rival], text_of: Callable[[Rival], str]) -> str:
        """Return rivals with their text, once for all that share it."""
        methods: dict[str, list[str]] = {}
        for rival in rivals:
            methods.setdefault(text_of(rival), []).append(rival.method)
        return "; ".join(f"{listed(names)} {text}" for text, names in methods.items())

    def _rival_value(self, rival: Rival) -> str:
        if not self.advice.counts_errors:
            return f"({quality_text(rival.point.quality, self.advice.scoring)})"
        return f"({money(self.advice.cost_in_all(rival.point))} at {money(rival.point.budget)})"

    def _rival_gap(self, rival: Rival) -> str:
        return self._gap(rival.difference)

    def _gap(self, gap: Difference) -> str:
        """Return a difference with its interval."""
        if self.advice.counts_errors:
            return f"by {money(gap.value)} ({money(gap.low)} to {money(gap.high)})"
        value, low, high = (
            gap_text(g, self.advice.scoring) for g in (gap.value, gap.low, gap.high)
        )
        return f"by {value} ({low.removesuffix(' points')} to {high.removesuffix(' points')})"

    def _prior_text(self) -> list[str]:
        if self.advice.guess is None or self.advice.buys_nothing or self.advice.is_doubtful:
            return []
        return [f"{self._without_purchases()} gives {self._quality(self.advice.guess.quality)}."]

    def _other_budgets(self) -> list[str]:
        parts = []
        if less := self.advice.cheaper:
            error = gap_text(self.advice.standard_error, self.advice.scoring)
            parts.append(
                f"Cheaper: for a budget of {money(less.budget)} {self.advice.method} gives "
                f"{self._quality(less.quality)} for {money(less.spent)}, nearly the same (within "
                f"one standard error, {error})."
            )
        if more := self.advice.dearer:
            parts.append(
                f"With more: a budget of {money(more.point.budget)} gives "
                f"{self._quality(more.point.quality)} with {more.method}, better "
                f"{self._gap(-more.difference)}."
            )
        return parts

    def _quality(self, quality: float) -> str:
        scoring = self.advice.scoring
        right = " right" if scoring == "accuracy" else ""
        name = {"accuracy": "", ERROR_COST: "a cost of errors of "}.get(scoring, f"{scoring} ")
        return f"{name}{quality_text(quality, scoring)}{right}"
