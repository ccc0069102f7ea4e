"""The contract stays small, and only scrimp.plans knows the kinds of plans."""

import ast
import inspect
from pathlib import Path

import pytest

import scrimp
import scrimp.plans
from scrimp.plans.contract import Plan
from scrimp.plans.delegating import DelegatingPlan

SOURCE = Path(scrimp.__file__).parent
#: PricedPlan is no plan: it is the artifact that holds one.
CLASSES = {"Plan", DelegatingPlan.__name__} | {
    name
    for name in scrimp.plans.__all__
    if inspect.isclass(getattr(scrimp.plans, name))
    and issubclass(getattr(scrimp.plans, name), Plan)
}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if SOURCE / "plans" not in path.parents)


def kind_checks(code: str) -> list[int]:
    """The lines that check the kind of a plan: by its class, or by the name of the kind."""
    return [node.lineno for node in ast.walk(ast.parse(code)) if checks_kind(node)]


def checks_kind(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id not in ("isinstance", "issubclass") or len(node.args) < 2:
            return False
        return not CLASSES.isdisjoint(names(node.args[1]))
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        by_type = any(is_type_call(side) for side in sides)
        return any(map(is_kind_of_plan, sides)) or (
            by_type and any(not CLASSES.isdisjoint(names(side)) for side in sides)
        )
    return isinstance(node, ast.Match) and is_kind_of_plan(node.subject)


def names(node: ast.AST) -> set[str]:
    found = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return found | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def is_type_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def is_kind_of_plan(node: ast.AST) -> bool:
    """Whether an expression is ``<something plan>.kind``."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "kind"
        and any("plan" in name.lower() or name == "priced" for name in names(node.value))
    )


def test_a_plan_has_few_methods():
    methods = [
        name
        for name, value in vars(Plan).items()
        if isinstance(value, classmethod | staticmethod) or inspect.isfunction(value)
    ]
    assert {"start", "ask", "tell", "refuse", "read", "parts", "from_parts"} <= set(methods)
    assert len(methods) <= 10


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_outside_plans_checks_the_kind_of_a_plan(path):
    assert kind_checks(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(plan, AdditivePlan)",
        "assert isinstance(x.plan_.plan, plans.AdditivePlan | SampledPlan)",
        "isinstance(plan, (int, MenuPlan))",
        "type(plan) is RoutedPlan",
        "plan.kind == 'menu'",
        "model.plan_.plan.kind in ('menu', 'routed')",
        "'menu' != followed(inner_plan).kind",
    ],
)
def test_checks_of_the_kind_are_seen(code):
    assert kind_checks(code) == [1]


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(order, PricedPlan)",
        "isinstance(plan, Bounded)",
        "target.kind == 'binary'",
        "plan.kind",
    ],
)
def test_other_checks_are_allowed(code):
    assert kind_checks(code) == []
