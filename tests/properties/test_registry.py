"""The registry: what is made from it, and that a learner is added by its spec alone."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import scrimp
from scrimp import registry

ROOT = Path(__file__).parents[2]

#: A new process, so that the table is changed before anything is made from it.
ADD_A_LEARNER = """
import json, sys
from scrimp import registry
from tests.properties.toy_learner import SPEC
registry.LEARNERS[SPEC.name] = SPEC

import numpy as np, polars as pl, scrimp
from click.testing import CliRunner
from scrimp.cli.main import main
from tests.properties.test_learners import REGISTERED

def run(*words):
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout

x = np.random.default_rng(0).normal(size=(60, 2))
pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x @ [1.0, 2.0]}).write_csv("t.csv")
data = ("t.csv", "--target", "y")
quick = ("--folds", "2", "--repeats", "1", "--json")
print(json.dumps({
    "class": scrimp.CheapestFirstRegressor.__name__,
    "fit": json.loads(run("fit", *data, "--method", "cheapest", "--out", "m.scrimp", "--json")),
    "learner": scrimp.load("m.scrimp").info["learner"],
    "compare": json.loads(run("compare", *data, "--methods", "cheapest", *quick))["methods"],
    "help": run("fit", "--help") + run("compare", "--help"),
    "checked": list(REGISTERED),
    "readme": registry.readme_table(),
}))
scrimp.check_budgeted_estimator(
    scrimp.CheapestFirstRegressor(), max_examples=2, exclude=SPEC.exemptions
)
"""


def test_a_learner_is_added_by_its_spec_alone(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ADD_A_LEARNER], capture_output=True, text=True,
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["class"] == seen["learner"] == "CheapestFirstRegressor"
    assert [line["item"] for line in seen["fit"]["entries"][0]["purchases"]] == ["a", "b"]
    assert seen["compare"] == ["cheapest"]
    assert seen["help"].count("a linear model in the order of prices") == 2
    assert "cheapest-CheapestFirstRegressor" in seen["checked"]
    assert "| `CheapestFirstRegressor` | `cheapest` | ridge regression, the" in seen["readme"]


def test_importing_it_imports_nothing_heavy():
    heavy = ("numpy", "scipy", "sklearn", "numba", "polars", "click")
    code = f"import scrimp.registry, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_type_checkers_see_is_what_is_exported():
    tree = ast.parse(Path(scrimp.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    names = [alias.name for node in block.body for alias in node.names]
    assert sorted(names) == sorted(set(scrimp.__all__) - {"__version__"})
    for name in names:
        assert getattr(scrimp, name).__name__ == name


def test_the_readme_has_its_table():
    readme = (ROOT / "README.md").read_text()
    shown = re.search(r"<!-- learners -->\n(.*?)\n<!-- /learners -->", readme, re.DOTALL)
    assert shown is not None
    assert shown[1] == registry.readme_table()


@pytest.mark.parametrize("spec", registry.LEARNERS.values(), ids=lambda spec: spec.name)
def test_a_spec_names_what_is_there(spec):
    from sklearn.utils.estimator_checks import estimator_checks_generator

    from scrimp.checks import CHECKS

    assert set(spec.options) <= set(registry.OPTIONS)
    assert set(spec.estimators) <= {"classification", "regression", "counts"}
    assert spec.budgets in ("none", "one", "several")
    flags = {option.parameter for option in registry.OPTIONS.values()}
    for variant in spec.variants:
        assert set(variant.params) <= flags
    if spec.missing_extra:
        pytest.skip(spec.missing_extra)
    for task, estimator in zip(spec.estimators, spec.checked().values(), strict=True):
        params = estimator.get_params(deep=False)
        assert "costs" in params
        if spec.is_method and spec.budgets != "none":
            assert spec.budget_parameter in params
        for name in spec.options:
            option = registry.OPTIONS[name]
            assert (option.parameter in params) == (task in option.tasks), name
        weighted = "class_weight" in params
        assert weighted == ("class-weight" in spec.options and task == "classification")
        theirs = {check.func.__name__ for _, check in estimator_checks_generator(estimator)}
        known = theirs | {check.__name__ for check in CHECKS}
        assert {key.rpartition(".")[2] for key in spec.exemptions} <= known


def test_what_is_not_installed_is_named_with_the_command(monkeypatch):
    from scrimp.registry import spec as module

    lasso = registry.LEARNERS["lasso"]
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert lasso.missing_extra == "pip install 'scrimp[lasso]'"
    assert registry.LEARNERS["tree"].missing_extra == ""
