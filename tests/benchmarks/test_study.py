"""The study end to end on a generated problem, and its figures against hand-worked ones."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from threadpoolctl import threadpool_limits

from benchmarks.study.measuring import gap, holm, ndcg, row_areas
from benchmarks.study.methods import METHODS, Method
from benchmarks.study.peers import boosters, catboost_penalty, cegb, sequential
from benchmarks.study.prices import GRID, costs_of
from benchmarks.study.problems import Problem, costs_of_columns
from benchmarks.study.published import accuracies
from benchmarks.study.report import page_of
from benchmarks.study.results import find, pack, path_of, unpack
from benchmarks.study.running import Study, recipe_of, run
from benchmarks.study.splits import parts_of
from benchmarks.study.standing import against, curves_of
from benchmarks.study.tuning import Candidate, Fitted, Folds, Trained, settle
from scrimp import Costs

CHEAP = [METHODS["adaboost"], METHODS["l1"]]


def generated(task: str = "binary", rows: int = 120) -> Problem:
    rng = np.random.default_rng(3)
    numbers = rng.standard_normal((rows, 4))
    letters = rng.choice(["a", "b", "c"], rows)
    signal = numbers[:, 0] + numbers[:, 1] + 2.0 * (letters == "b")
    y = signal if task == "regression" else (signal > 0.7).astype(np.int64)
    if task == "multiclass":
        y = np.digitize(signal, [0.0, 1.2])
    frame = pl.DataFrame({f"n{j}": numbers[:, j] for j in range(4)} | {"letter": letters})
    return Problem("made", "generated", frame, y, task)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    work = tmp_path_factory.mktemp("work")
    messages: list[str] = []
    study = run({"made": generated}, CHEAP, [0], work, tell=messages.append)
    return study, work, messages


def test_all_methods_are_measured_at_all_budgets(done):
    study, _, messages = done
    assert [result.method for result in study.results] == ["adaboost", "l1"]
    assert not study.failed
    for result in study.results:
        assert result.row_losses.shape == (120, 13)
        assert (np.array(result.prices) <= np.array(result.budgets) * (1 + 1e-9)).all()
        assert (np.array(result.spends) <= np.array(result.prices) + 1e-9).all()
        assert result.errors[-1] < result.errors[0]
    assert "[2/2] made, seed 0, L1 path" in messages[-1]


def test_a_second_run_takes_what_is_there_and_loads_no_data(done):
    study, work, _ = done

    def refuse() -> Problem:
        raise AssertionError("loaded")

    again = run({"made": refuse}, CHEAP, [0], work, tell=lambda text: None)
    assert again.results == study.results


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    def stop(part):
        raise KeyboardInterrupt

    stopping = Method("stopping", "stopping", "", 1.0, stop)
    with pytest.raises(KeyboardInterrupt):
        run({"made": generated}, [CHEAP[0], stopping], [0], tmp_path, tell=lambda text: None)
    assert [path.name for path in tmp_path.iterdir()] == ["made-0-adaboost.json"]


def test_another_recipe_or_a_damaged_file_is_computed_again(done, tmp_path):
    _, work, _ = done
    recipe = recipe_of("made", 0, CHEAP[0])
    assert find(work, "made", 0, "adaboost", recipe) is not None
    longer = recipe_of("made", 0, replace(CHEAP[0], seconds=99.0))
    assert find(work, "made", 0, "adaboost", longer) is None
    path_of(tmp_path, "made", 0, "adaboost").write_text('{"recipe": ')
    assert find(tmp_path, "made", 0, "adaboost", recipe) is None


def test_a_failure_is_named_and_the_rest_goes_on(tmp_path):
    def fail(part):
        raise ValueError("no luck")

    failing = Method("failing", "failing", "", 1.0, fail)
    study = run({"made": generated}, [failing, CHEAP[0]], [0], tmp_path, tell=lambda text: None)
    assert study.failed == {("made", "failing"): "ValueError: no luck"}
    assert [result.method for result in study.results] == ["adaboost"]


def test_a_model_dearer_than_its_budget_is_refused(tmp_path):
    def spend(part):
        model = HistGradientBoostingClassifier(max_iter=2).fit(
            part.problem.coded.values[part.train], part.problem.y[part.train]
        )
        model = Fitted(
            model,
            costs_of_columns(part.costs, range(5)),
            lambda rows: part.problem.coded.values[rows],
            model.predict,
        )
        return Trained([model] * 13)

    spending = Method("spending", "spending", "", 1.0, spend)
    study = run({"made": generated}, [spending], [0], tmp_path, tell=lambda text: None)
    assert "was given for a budget of" in study.failed["made", "spending"]


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("name", ["cegb", "catboost", "l1", "smoothed"])
def test_each_method_learns_each_task(name, task, monkeypatch):
    monkeypatch.setattr(cegb, "LEAVES", (4,))
    monkeypatch.setattr(cegb, "TRADEOFFS", (0.01, 0.1, 1.0))
    monkeypatch.setattr(catboost_penalty, "DEPTHS", (3,))
    monkeypatch.setattr(catboost_penalty, "COEFFICIENTS", (0.03, 0.1, 0.3))
    monkeypatch.setattr(boosters, "ROUNDS", (25,))
    pytest.importorskip({"cegb": "lightgbm", "catboost": "catboost"}.get(name, "scrimp"))
    problem = generated(task, rows=300)
    part = parts_of(problem, 0, seconds=300.0)[0]
    trained = METHODS[name].train(part)
    assert len(trained.fitted) == 13
    model = trained.fitted[-1]
    assert model is not None
    answers = model.answer(model.table(part.test))
    prior = np.full(len(part.test), problem.prior(part.train))
    assert problem.losses(answers, part.test).mean() < problem.losses(prior, part.test).mean()


def test_the_page_holds_the_figures(done, tmp_path):
    study, _, _ = done
    methods = [replace(CHEAP[0], ours=True), CHEAP[1]]
    page = page_of(study, methods)
    page.write(tmp_path)
    assert (tmp_path / "study" / "made.png").read_bytes().startswith(b"\x89PNG")
    area = 100 * curves_of(study.results, methods)[0].area("l1")
    assert f"{area:.4g}" in (tmp_path / "study.md").read_text()
    assert "problems where it is not worse than the best peer" in page.text


def test_area_by_hand():
    losses = np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
    # log budgets 0, log 2, log 8: steps of 1 and 2 units out of 3
    expected = (0.75 * 1 + 0.25 * 2) / 3
    assert row_areas(losses, np.array([1.0, 2.0, 8.0])) == pytest.approx([expected, 0.0])


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_gap_is_paired_and_sure_only_with_a_difference():
    rng = np.random.default_rng(0)
    base = rng.uniform(size=400)
    shifted = base + 0.01 + 0.001 * rng.standard_normal(400)
    difference = gap([base], [shifted], [None])
    assert difference.value == pytest.approx((base - shifted).mean())
    assert difference.low < difference.value < difference.high < 0
    assert difference.p < 0.001
    assert gap([base], [base], [None]).p == 1.0


def test_gap_resamples_groups_whole():
    values = np.repeat([1.0, -0.9], 50)
    zeros = np.zeros(100)
    alone = gap([values], [zeros], [None])
    whole = gap([values], [zeros], [np.repeat([0, 1], 50)])
    assert whole.high - whole.low > 3 * (alone.high - alone.low)


def test_ndcg_by_hand():
    # relevance 0, 2, 1 ranked third, first, second: perfect; a query without relevance is left out
    queries = np.array([1, 1, 1, 2])
    relevance = np.array([0.0, 2.0, 1.0, 0.0])
    assert ndcg(np.array([0.0, 2.0, 1.0, 5.0]), relevance, queries) == pytest.approx(1.0)
    gains = (1 * 1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3))
    assert ndcg(np.array([0.0, 1.0, 2.0, 5.0]), relevance, queries) == pytest.approx(gains)


def test_losses_are_packed_without_loss():
    rng = np.random.default_rng(1)
    bits = (rng.uniform(size=(37, 13)) < 0.4).astype(float)
    assert (unpack(pack(bits, number=False), 13, number=False) == bits).all()
    numbers = rng.uniform(size=(37, 13)).astype(np.float32)
    assert (unpack(pack(numbers, number=True), 13, number=True) == numbers).all()


def test_prices_and_splits_depend_on_the_seed_alone():
    problem = generated()
    assert costs_of(problem, 1) == costs_of(problem, 1) != costs_of(problem, 2)
    first, second = parts_of(problem, 1, 5.0), parts_of(problem, 1, 5.0)
    assert all((a.test == b.test).all() for a, b in zip(first, second, strict=True))
    assert np.sort(np.concatenate([part.test for part in first])).tolist() == list(range(120))
    assert all(not set(part.train) & set(part.test) for part in first)
    for part in first:
        for fit, held in part.inner():
            assert set(fit) | set(held) == set(part.train)
            assert not set(fit) & set(held)
    assert 100 * GRID[[0, 2, -1]] == pytest.approx([1.0, 2.0, 64.0])


def test_queries_are_kept_whole():
    problem = replace(
        generated("regression"), y=np.arange(120.0) % 3, queries=np.arange(120) // 6, n_train=90
    )
    part = parts_of(problem, 0, 1.0)[0]
    for fit, held in part.inner():
        assert not set(problem.queries[fit]) & set(problem.queries[held])


def test_settle_takes_the_next_best_if_the_refit_is_dearer():
    part = parts_of(generated(), 0, 1.0)[0]
    part = replace(part, budgets=np.array([1.0, 4.0]))
    prices = {("good",): 5.0, ("fair",): 3.0, ("cheap",): 1.0}
    refits = []

    class Refit(Fitted):
        price = property(lambda self: prices[self.model])

    def refit(setting):
        refits.append(setting)
        return Refit(setting, part.costs, None, None)

    candidates = [
        Candidate(("cheap",), 0.2, 1.0), Candidate(("good",), 0.0, 4.0),
        Candidate(("fair",), 0.1, 3.0), Candidate(("worse than the prior",), 0.9, 0.1),
    ]  # fmt: skip
    chosen = settle(part, candidates, refit)
    assert [model.model for model in chosen] == [("cheap",), ("fair",)]
    assert refits == [("cheap",), ("good",), ("fair",)]


def test_folds_end_where_one_is_dearer_than_the_largest_budget():
    part = replace(parts_of(generated(), 0, 1.0)[0], budgets=np.array([1.0, 4.0]))
    folds = Folds(part)
    folds.add(iter([(1.0, 0.5), (3.0, 0.3), (5.0, 0.1)]))
    folds.add(iter([(2.0, 0.3), (2.0, 0.2), (2.0, 0.1)]))
    candidates = folds.candidates([("a",), ("b",), ("c",)])
    assert candidates == [Candidate(("a",), 0.4, 2.0), Candidate(("b",), 0.25, 3.0)]


def test_forward_order_is_that_of_scikit_learn():
    problem = generated()
    problem = replace(problem, X=problem.X.drop("letter"))
    part = parts_of(problem, 0, 60.0)[0]
    order = sequential.forward_order(part)
    assert sorted(order) == list(range(4))
    selector = SequentialFeatureSelector(
        HistGradientBoostingClassifier(
            max_iter=sequential.ROUNDS, early_stopping=False, random_state=0
        ),
        n_features_to_select=2,
        cv=part.inner_positions(),
        scoring="accuracy",
    )
    with threadpool_limits(1):
        selector.fit(problem.coded.values[part.train], problem.y[part.train])
    assert set(np.flatnonzero(selector.support_)) == set(order[:2])


def test_published_accuracies_by_hand(done):
    study, _, _ = done
    result = study.results[0]
    right = np.array([[1.0, 0.0], [0.0, 0.0]])
    results = [
        replace(result, budgets=[1.0, 2.0], losses=pack(1.0 - right, number=False)),
        replace(result, budgets=[1.0, 2.0], losses=pack(np.zeros((2, 2)), number=False)),
    ]
    first, second = accuracies(results)
    assert (first.columns, first.mean, second.mean) == (1, 75.0, 50.0)
    # Student's t for one degree of freedom is 12.706; the standard error is 25
    assert first.high - first.mean == pytest.approx(12.706 * 25.0, rel=1e-3)


def test_fees_and_requirements_count_for_tables_of_columns():
    costs = Costs(("fee", "a", "b"), (2.0, 1.0, 1.0), ((), (0,), (1,)), ((), (0,), (0,)))
    made = costs_of_columns(costs, [0, 0, 1])
    assert made.columns == ((), (0, 1), (2,))
    assert made.price_of([1, 2]) == 4.0


def test_results_are_plain_json(done):
    _, work, _ = done
    content = json.loads(path_of(work, "made", 0, "l1").read_text())
    assert content["recipe"]["settings"]["steps"] == 25


def test_standing_against_a_peer_without_results_is_empty(done):
    study, _, _ = done
    assert against(curves_of(study.results, CHEAP), "adaboost", "cegb") == []
    assert page_of(Study(), CHEAP).pictures == {}
