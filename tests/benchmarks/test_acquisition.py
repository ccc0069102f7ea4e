"""The benchmark of acquisition on a small problem: it resumes, and reports what was run."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.acquisition import __main__ as command
from benchmarks.acquisition import problems as problems_module
from benchmarks.acquisition import references
from benchmarks.acquisition.problems import BUDGETS, MNIST_20, SIZES, problems
from scrimp.datasets import cube_posterior


def test_problems_have_budgets_in_purchases():
    loaders = problems(full=False)
    assert len(loaders) == 14
    problem = loaders["cube_nm"]()
    assert problem.n_train == SIZES["cube_nm"][False][0]
    assert (problem.costs.n_items, problem.X.width) == (51, 55)
    assert list(problem.budgets) == list(BUDGETS["cube_nm"])
    assert len(set(MNIST_20)) == 20
    assert "syn3-full" in problems(full=True)


def test_it_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(problems_module.SIZES, "context", ((300, 200), (300, 200)))
    arguments = ["--datasets", "context", "--work", str(tmp_path), "--time", "0.01"]
    assert command.main([*arguments, "--methods", "tree"]) == 0
    assert command.main([*arguments, "--methods", "tree,linear"]) == 0
    out = capsys.readouterr()
    assert "tree: kept" in out.err
    assert "| linear |" in out.out
    assert command.main([*arguments, "--methods", "tree", "--report"]) == 0
    assert "### context" in capsys.readouterr().out


@pytest.fixture
def few_rows(monkeypatch):
    monkeypatch.setattr(references, "N_ROWS", 300)


def test_the_posterior_of_a_policy_is_the_exact_one(few_rows):
    world = references.cube()
    everything = references.greedy(world, (20,))[0]
    exact = (cube_posterior(world.X).argmax(axis=1) == world.y).mean()
    assert everything == pytest.approx(exact)


def test_the_information_of_a_column_is_that_of_its_definition(few_rows):
    world = references.cube()
    even = np.full((1, 8), 1 / 8)
    gains = references.information(world, even)[0]
    assert (gains[:10] > 0.01).all()
    np.testing.assert_allclose(gains[10:], 0.0, atol=1e-12)
    sure = np.eye(8)[:1]
    np.testing.assert_allclose(references.information(world, sure), 0.0, atol=1e-12)


def test_knowing_the_context_first_is_better_than_greed(few_rows):
    world = references.cube_nm()
    [greedy], [informed] = references.greedy(world, (4,)), references.greedy(world, (4,), True)
    assert informed > greedy + 0.1
