"""The speed of a sampled vote, beside the full vote of the same stumps.

Run it as ``python -m benchmarks.sampling``.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.data import make_table
from benchmarks.report import Row, as_markdown, seconds
from scrimp import Costs, SampledBoostingClassifier
from scrimp.plans import AdditivePlan
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.predictor import Predictor


def sampled_votes(
    n: int = 10_000, d: int = 100, n_rounds: int = 600, n_budgets: int = 5
) -> list[Row]:
    """Time a sweep of draws against as many full votes (an additive plan of the same stumps)."""
    X, y, prices = make_table(n, d)
    rows = []
    for sampling, bound in product(("uniform", "cost-aware"), ("paper", "remaining")):
        model = SampledBoostingClassifier(
            Costs.per_feature(prices),
            sampling,
            bound,
            n_rounds,
            n_jobs=2,
            random_state=0,
            combine="vote",
        ).fit(X, y)
        full = _full_vote(model)
        budgets = np.linspace(0.1, 0.5, n_budgets) * model.plan_.price
        model.sweep(X[:50], budgets), full.answer(X)
        sweep = seconds(lambda m=model, b=budgets: m.sweep(X, b), repeats=15)
        votes = n_budgets * seconds(lambda f=full: f.answer(X), repeats=15)
        n_merged = len(model.plan_.plan.stages)
        rows.append(
            Row(f"{n:,} rows draw from {n_merged} stumps at {n_budgets} budgets, "
                f"`{sampling}`, bound `{bound}`", "at most 3 x a full vote per budget",
                f"{sweep / votes:.1f} x", sweep <= 3 * votes,
                f"{1e3 * sweep:.0f} ms against {1e3 * votes:.0f} ms")
        )  # fmt: skip
    return rows


def _full_vote(model: SampledBoostingClassifier) -> Predictor:
    plan = model.plan_.plan
    additive = AdditivePlan(plan.stages, plan.members, plan.prior)
    return Predictor(PricedPlan(additive, model.plan_.costs), model.columns_, model.target_, {})


if __name__ == "__main__":
    print(as_markdown(sampled_votes()))
