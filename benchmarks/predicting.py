"""The speed of predictions, sweeps and sessions."""

from __future__ import annotations

import itertools

import numpy as np
from sklearn.linear_model import LinearRegression

from benchmarks.data import make_table
from benchmarks.report import Row, seconds
from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedBoostingRegressor,
    Costs,
    RefitRegressor,
    SequencedClassifier,
    SequencedPoissonRegressor,
    SequencedRegressor,
)


def sweeps(n: int = 100_000, d: int = 100, n_budgets: int = 50) -> list[Row]:
    """Time a sweep of many budgets against one full predict."""
    X, y, prices = make_table(n, d)
    rows = []
    for combine, unaffordable in itertools.product(("stacked", "vote"), ("stop", "skip")):
        model = BudgetedBoostingClassifier(
            Costs.per_feature(prices), combine=combine, unaffordable=unaffordable, n_jobs=2,
            random_state=0,
        ).fit(X[:20_000], y[:20_000])  # fmt: skip
        budgets = np.linspace(0.0, model.plan_.price, n_budgets)
        model.predict(X[:100]), model.sweep(X[:100], budgets)
        predict = seconds(lambda m=model: m.predict(X), repeats=7)
        sweep = seconds(lambda m=model, b=budgets: m.sweep(X, b), repeats=7)
        ratio = sweep / predict
        met = ratio <= 1.5 if unaffordable == "stop" else None
        rows.append(
            Row(f"sweep of {n_budgets} budgets on {n:,} rows, `{combine}`, "
                f"`{unaffordable}`-trained, {len(model.plan_.plan.stages)} stages",
                "at most 1.5 x one full predict" if unaffordable == "stop" else "(reported)",
                f"{ratio:.2f} x", met,
                f"{1e3 * sweep:.0f} ms against {1e3 * predict:.0f} ms")
        )  # fmt: skip
    return rows


def fixed_orders(n: int = 200_000, d: int = 100, n_budgets: int = 50) -> list[Row]:
    """Time a prediction against the fit, and a sweep against a prediction, in fixed orders."""
    X, y, prices = make_table(n, d)
    costs, rows = Costs.per_feature(prices), []
    learners = [
        SequencedRegressor(costs),
        SequencedClassifier(costs, max_iter=20),
        SequencedPoissonRegressor(costs, max_iter=20),
        BudgetedBoostingClassifier(costs, random_state=0),
        BudgetedBoostingRegressor(costs, random_state=0),
        RefitRegressor(LinearRegression(), costs=costs),
    ]
    for model in learners:
        model.fit(X[:500], y[:500])  # compiles
        fit = seconds(lambda m=model: m.fit(X, y))
        budgets = np.linspace(0.0, model.plan_.price, n_budgets)
        model.predict(X[:100]), model.sweep(X[:100], budgets)
        predict = seconds(lambda m=model: m.predict(X), repeats=5)
        sweep = seconds(lambda m=model, b=budgets: m.sweep(X, b), repeats=3)
        ratio, sequenced = sweep / predict, isinstance(model, SequencedRegressor)
        rows += [
            Row(f"predict of {type(model).__name__}, {n:,} x {d}", "(reported)",
                f"{predict / fit:.2f} x the fit", None,
                f"{1e3 * predict:.0f} ms against {1e3 * fit:.0f} ms"),
            Row(f"sweep of {n_budgets} budgets of {type(model).__name__}, {n:,} x {d}",
                "at most 2 x one full predict" if sequenced else "(reported)", f"{ratio:.2f} x",
                ratio <= 2.0 if sequenced else None,
                f"{1e3 * sweep:.0f} ms against {1e3 * predict:.0f} ms"),
        ]  # fmt: skip
    return rows


def session_overhead() -> list[Row]:
    """Time sessions of both ways to combine the stumps."""
    return [_session_overhead(combine) for combine in ("stacked", "vote")]


def _session_overhead(combine: str) -> Row:
    """Time a session per stage, its start and all answers included."""
    X, y, prices = make_table(5_000, 100)
    model = BudgetedBoostingClassifier(Costs.per_feature(prices), combine=combine, random_state=0)
    model.fit(X, y)
    n_stages = len(model.plan_.plan.stages)
    values = {f"x{j}": float(v) for j, v in enumerate(X[0])}
    predictor = model.predictor_

    def run(read_each: bool = False) -> None:
        session = predictor.session()
        while (request := session.ask()) is not None:
            session.tell({column: values[column] for column in request.columns})
            if read_each:
                session.read()
        session.read()

    run()
    per_stage = seconds(run, repeats=20) / n_stages * 1e6
    reading = seconds(lambda: run(read_each=True), repeats=20) / n_stages * 1e6
    return Row(f"a session's own time, `{combine}`", "at most 20 microseconds per stage",
               f"{per_stage:.1f} microseconds", per_stage <= 20,
               f"{n_stages} stages; {reading:.1f} with an answer after each")  # fmt: skip
