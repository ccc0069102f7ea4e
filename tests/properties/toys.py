"""Two tiny learners that keep all promises, and many that each break one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scrimp.costs.costs import as_costs
from scrimp.data.target import Target
from scrimp.data.training_rows import read_rows
from scrimp.learners.base import BudgetedClassifier, BudgetedRegressor
from scrimp.plans import AdditivePlan, LinearPrefixes, PrefixPlan, StumpTable
from scrimp.plans.contract import StageTable
from scrimp.plans.priced_plan import PricedPlan


class Toy(BudgetedClassifier):
    """One stump a column, by its correlation with the target for its price."""

    plan_type = AdditivePlan

    def __init__(self, costs=None, budget=None):
        self.costs = costs
        self.budget = budget

    def fit(self, X, y):
        rows = read_rows(self, X, y)
        table, y, self.columns_ = rows.table, rows.y, rows.columns
        classes, signs = np.unique(y, return_inverse=True)
        self.target_ = Target("binary", classes)
        costs = self.read_prices(as_costs(self.costs, table.shape[1], self.columns_.names))
        votes = np.array([np.corrcoef(column, signs)[0, 1] for column in table.T])
        self.prior_ = [float(np.log(signs.mean() / (1.0 - signs.mean())))]
        order = self.order(votes, costs)
        self.plan_ = PricedPlan(self.make_plan(order, votes, costs), costs)
        return self

    def read_prices(self, costs):
        return costs

    def order(self, votes, costs):
        prices = np.array([costs.price_of([item]) for item in costs.item_of])
        with np.errstate(divide="ignore"):
            return np.argsort(-np.abs(votes) / prices, kind="stable")

    def make_plan(self, order, votes, costs):
        items = tuple((costs.item_of[column],) for column in order)
        return self.plan_type(
            StageTable(items), self.stumps(order, votes), self.prior_, base=self.prior_
        )

    def stumps(self, columns, votes):
        n, votes = len(columns), votes[columns][:, None]
        return StumpTable(columns, np.full(n, -np.inf), np.zeros(n), -votes, votes, 0 * votes)


class ToyRegressor(BudgetedRegressor):
    """Least squares on the cheapest items, one more after the other; a prefix plan."""

    def __init__(self, costs=None):
        self.costs = costs

    def fit(self, X, y):
        rows = read_rows(self, X, y)
        table, y, self.columns_ = rows.table, rows.y, rows.columns
        self.target_ = Target("regression", np.array([]))
        costs = as_costs(self.costs, table.shape[1], self.columns_.names)
        items = [item for item in range(costs.n_items) if costs.columns[item]]
        items.sort(key=lambda item: costs.price_of([item]))
        columns, counts, intercepts, coefficients = [], [], [[y.mean()]], []
        for item in items:
            columns += costs.columns[item]
            design = np.column_stack([np.ones(len(table)), table[:, columns]])
            solution = np.linalg.lstsq(design, y, rcond=None)[0]
            counts.append(len(columns))
            intercepts.append(solution[:1])
            coefficients += solution[1:, None].tolist()
        stages = StageTable(tuple((item,) for item in items))
        plan = PrefixPlan(stages, LinearPrefixes(columns, counts, intercepts, coefficients))
        self.plan_ = PricedPlan(plan, costs)
        return self


class VotesAgainst(Toy):
    """Knows the prior, and says the contrary of what its columns say."""

    def make_plan(self, order, votes, costs):
        items = tuple((costs.item_of[column],) for column in order)
        return AdditivePlan(
            StageTable(items), self.stumps(order, -9.0 * votes), self.prior_, base=self.prior_
        )


class MisjudgesThePrior(Toy):
    """Takes the rarer class for the more common one before it knows anything."""

    def make_plan(self, order, votes, costs):
        plan = super().make_plan(order, votes, costs)
        return AdditivePlan(plan.stages, plan.stumps, -plan.prior, base=plan.base)


class ForgetsWithMoney(ToyRegressor):
    """Answers well with some of its columns, and half-heartedly with all of them."""

    def fit(self, X, y):
        super().fit(X, y)
        plan = self.plan_.plan
        models, last = plan.models, plan.models.counts[-1]
        intercepts, coefficients = models.intercepts.copy(), models.coefficients.copy()
        intercepts[-1] = 0.6 * models.prior + 0.4 * intercepts[-1]
        coefficients[-last:] *= 0.4
        half = LinearPrefixes(models.columns, models.counts, intercepts, coefficients)
        self.plan_ = PricedPlan(PrefixPlan(plan.stages, half), self.plan_.costs)
        return self


class StingyToTheRich(ToyRegressor):
    """Buys nothing more for a row that owns something."""

    def predict(self, X, budget=None, *, owned=None, **options):
        budget = budget if owned is None else 0.0
        return super().predict(X, budget, owned=owned, **options)


class LiesAboutPrices(Toy):
    def read_prices(self, costs):
        return replace(costs, prices=tuple(0.5 * price for price in costs.prices))


class PaysTwice(Toy):
    def read_prices(self, costs):
        return replace(costs, prices=tuple(2.0 * price for price in costs.prices))


class ForgetsRequirements(Toy):
    def read_prices(self, costs):
        return replace(costs, requires=((),) * costs.n_items)


class SessionsWithOtherScores(Toy):
    def session(self, budget=None, **options):
        plan = self.plan_.plan
        tilted = AdditivePlan(plan.stages, plan.stumps, plan.prior + 1.0, base=[1.0])
        return replace(self.predictor_, plan=PricedPlan(tilted, self.plan_.costs)).session(
            budget, **options
        )


class PeeksWithoutMoney(Toy):
    def decision_function(self, X, budget=None, **options):
        scores = super().decision_function(X, budget, **options)
        return scores + np.nan_to_num(np.asarray(X)[:, 0]) if budget == 0 else scores


class ScornsFreeItems(Toy):
    """Buys nothing before the dearest column."""

    def make_plan(self, order, votes, costs):
        plan = super().make_plan(sorted(order, key=lambda c: -costs.price_of([costs.item_of[c]])),
                                 votes, costs)  # fmt: skip
        return AdditivePlan(plan.stages, plan.stumps, plan.prior, refusal="stop")


class LikesNoBudget(Toy):
    def decision_function(self, X, budget=None, **options):
        return super().decision_function(X, budget, **options) + (budget is None)


class LooksAtAllColumns(Toy):
    def decision_function(self, X, budget=None, **options):
        return super().decision_function(X, budget, **options) + np.isnan(X).sum(axis=1)


class ReadsWithoutBuying(Toy):
    def stumps(self, columns, votes):
        return super().stumps(np.asarray(columns)[::-1].copy(), votes)


class LikesTheFirstColumn(Toy):
    def order(self, votes, costs):
        return np.arange(len(votes))


class CountsInDollars(Toy):
    def order(self, votes, costs):
        return [c for c in super().order(votes, costs) if costs.prices[costs.item_of[c]] < 1.0]


class KeepsASecret(Toy):
    """Knows something that is not in its plan."""

    def decision_function(self, X, budget=None, **options):
        return super().decision_function(X, budget, **options) + 1.0


class OtherPlan(AdditivePlan):
    pass


class CannotBeSaved(Toy):
    plan_type = OtherPlan


class ReadsWithEffect(AdditivePlan):
    def read(self, state):
        state.sums = state.sums + 1.0
        return super().read(state)


class ChangesWhenRead(Toy):
    plan_type = ReadsWithEffect


class BreaksWhenRefused(AdditivePlan):
    def refuse(self, state, stage, ledger):
        if ledger.failed:
            raise RuntimeError("the provider failed")
        super().refuse(state, stage, ledger)


class RaisesOnFailure(Toy):
    plan_type = BreaksWhenRefused


class SweepsElsewhere(Toy):
    def sweep(self, X, budgets, **options):
        return super().sweep(X, np.asarray(budgets) / 2, **options)


class ForgetsWhatIsOwned(Toy):
    def spend(self, X, budget=None, *, owned=None, **options):
        return super().spend(X, budget, **options)


class IgnoresNamedBudgets(Toy):
    def predict(self, X, *plain, budget=None, **options):
        return super().predict(X, *plain, **options)


class MatchesByPosition(Toy):
    def _validated(self, X):
        return super()._validated(X.to_numpy() if hasattr(X, "to_numpy") else X)


class RewritesItsCosts(Toy):
    def fit(self, X, y):
        super().fit(X, y)
        self.costs = replace(self.plan_.costs)
        return self
