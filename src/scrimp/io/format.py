"""The format of model files: a Predictor as a JSON document and arrays, and back.

The document names no classes and no functions: a plan is one of `scrimp.plans.KINDS`, made
from its header and arrays by a constructor that refuses what does not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..data.columns import Category, Columns
from ..data.target import MAX_LOG_COUNT, Target
from ..plans import plan_from_parts, plan_to_parts
from ..plans.contract import Plan
from ..plans.priced_plan import PricedPlan
from ..runtime.predictor import Predictor
from ..types import Floats
from .container import Document, Tensors
from .labels import pack_labels, unpack_labels
from .strict_json import dump_json, fields, listed, mapping, number, text, texts, wholes

#: The format that is written; `scrimp.io` says how to raise it.
FORMAT = 4

_CLASSES = "classes"
_PLAN = "plan/"


def write_format(predictor: Predictor, version: str) -> tuple[Document, Tensors]:
    """Return a predictor as document and arrays of the newest format."""
    costs, columns = predictor.costs, predictor.columns
    plan, arrays = plan_to_parts(predictor.plan.plan)
    labels, classes = pack_labels(predictor.target.classes)
    document = {
        "format": FORMAT,
        "scrimp": version,
        "plan": plan,
        "costs": pack_costs(costs),
        "columns": pack_columns(columns),
        "target": pack_target(predictor.target, labels),
        "info": plain(predictor.info),
    }
    return document, {_CLASSES: classes} | {_PLAN + name: array for name, array in arrays.items()}


def pack_costs(costs: Costs) -> Document:
    """Return items and prices as JSON can hold them."""
    return {
        "names": list(costs.names),
        "prices": [float(price) for price in costs.prices],
        "columns": [[int(c) for c in columns_of] for columns_of in costs.columns],
        "requires": [[int(r) for r in needs] for needs in costs.requires],
        "column_names": _listed_or_none(costs.column_names),
    }


def pack_columns(columns: Columns) -> Document:
    """Return names and categories as JSON can hold them."""
    return {
        "names": _listed_or_none(columns.names),
        "categories": [
            None if categories is None else [_pack_category(c) for c in categories]
            for categories in columns.categories
        ],
    }


def pack_target(target: Target, labels: Document) -> Document:
    """Return a target as JSON can hold it; `labels` describe the array of its classes."""
    return {
        "kind": target.kind,
        "scale": float(target.scale),
        "classes": labels,
        "error_costs": _matrix_or_none(target.error_costs),
        "max_log_count": _max_log_count(target),
        "confidence": target.confidence,
        "exits": _matrix_or_none(target.exits),
    }


def read_format_1(document: Document, tensors: Tensors) -> Predictor:
    """Return the predictor of a file of format 1, which has no costs of errors."""
    target = document.get("target")
    if not isinstance(target, dict) or "error_costs" in target:
        raise ValueError("target must have just the fields kind, scale, classes")
    return read_format_2({**document, "target": {**target, "error_costs": None}}, tensors)


def read_format_2(document: Document, tensors: Tensors) -> Predictor:
    """Return the predictor of a file of format 2, whose counts have no limit of their own."""
    target = document.get("target")
    if not isinstance(target, dict) or "max_log_count" in target:
        raise ValueError("target must have just the fields kind, scale, classes, error_costs")
    limit = MAX_LOG_COUNT if target.get("kind") == "counts" else None
    return read_format_3({**document, "target": {**target, "max_log_count": limit}}, tensors)


def read_format_3(document: Document, tensors: Tensors) -> Predictor:
    """Return the predictor of a file of format 3, which has nothing about confident stops."""
    target = document.get("target")
    if not isinstance(target, dict) or {"confidence", "exits"} & target.keys():
        raise ValueError(
            "target must have just the fields kind, scale, classes, error_costs, max_log_count"
        )
    return read_format_4(
        {**document, "target": {**target, "confidence": None, "exits": None}}, tensors
    )


def read_format_4(document: Document, tensors: Tensors) -> Predictor:
    """Return the predictor of a file of format 4."""
    _, _, plan, costs, columns, target, info = fields(
        document, "the document",
        "format", "scrimp", "plan", "costs", "columns", "target", "info",
    )  # fmt: skip
    tensors = dict(tensors)
    classes = tensors.pop(_CLASSES)
    priced = PricedPlan(_read_plan(plan, tensors), read_costs(costs))
    return Predictor(
        priced, read_columns(columns), read_target(target, classes), mapping(info, "info")
    )


#: One reader per format, for as long as files of it are to be read.
READERS: dict[int, Callable[[Document, Tensors], Predictor]] = {
    1: read_format_1,
    2: read_format_2,
    3: read_format_3,
    4: read_format_4,
}


def _read_plan(value: Any, tensors: Tensors) -> Plan[Any]:
    """Return a plan; raise a ValueError if it differs from what the file says."""
    kind, header = fields(value, "the plan", "kind", "header")
    for name, array in tensors.items():
        if not name.startswith(_PLAN) or array.dtype not in (np.int64, np.float64):
            raise ValueError(f"the array {name!r} of {array.dtype} has no place in a plan")
    arrays = {name.removeprefix(_PLAN): array for name, array in tensors.items()}
    plan = plan_from_parts(kind, mapping(header, "the plan's header"), arrays)
    plan_header, plan_arrays = plan.parts()
    # one check for all kinds: nothing was converted, defaulted or left over
    if dump_json(plan_header) != dump_json(header) or set(plan_arrays) != set(arrays):
        raise ValueError("the plan's header and arrays do not fit its kind")
    for name, array in plan_arrays.items():
        if not _same(array, arrays[name]):
            raise ValueError(f"the array {name!r} is not as its kind of plan writes it")
    return plan


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return a is b or (a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True))


def read_costs(value: Any) -> Costs:
    """Invert `pack_costs`."""
    names, prices, columns, requires, column_names = fields(
        value, "costs", "names", "prices", "columns", "requires", "column_names"
    )
    return Costs(
        texts(names, "item names"),
        listed(prices, "prices", number),
        listed(columns, "columns of items", wholes),
        listed(requires, "requires", wholes),
        None if column_names is None else texts(column_names, "column names"),
    )


def read_columns(value: Any) -> Columns:
    """Invert `pack_columns`."""
    names, categories = fields(value, "columns", "names", "categories")
    return Columns(
        None if names is None else texts(names, "column names"),
        listed(categories, "categories", _read_categories),
    )


def _read_categories(value: Any, what: str) -> tuple[Category, ...] | None:
    return None if value is None else listed(value, what, _read_category)


def _pack_category(category: Category) -> Any:
    if isinstance(category, str):
        return category
    if math.isinf(category):  # JSON has no such number
        return [repr(float(category))]
    return float(category)


def _read_category(value: Any, what: str) -> Category:
    if value in (["inf"], ["-inf"]):
        return float(value[0])
    return value if isinstance(value, str) else number(value, what)


def read_target(value: Any, classes: NDArray[Any]) -> Target:
    """Invert `pack_target`, with the array of its classes."""
    kind, scale, labels, costs, limit, confidence, exits = fields(
        value, "target", "kind", "scale", "classes", "error_costs", "max_log_count", "confidence",
        "exits",
    )  # fmt: skip
    dtype, as_objects = fields(labels, "classes", "dtype", "object")
    labels = unpack_labels(dtype, as_objects, classes)
    if (limit is not None) != (kind == "counts"):
        raise ValueError("max_log_count must be a number for counts, and null for all else")
    return Target(
        text(kind, "the target's kind"), labels, number(scale, "scale"),
        _read_matrix(costs, "error_costs"),
        MAX_LOG_COUNT if limit is None else number(limit, "max_log_count"),
        None if confidence is None else number(confidence, "confidence"),
        np.empty((0, 2)) if exits == [] else _read_matrix(exits, "exits"),
    )  # fmt: skip


def _read_matrix(value: Any, name: str) -> Floats | None:
    """Return a matrix with rows of equal length, or None if there is none."""
    if value is None:
        return None
    rows = listed(value, name, lambda row, what: listed(row, what, number))
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"{name} must have rows of equal length")
    return np.array(rows, dtype=np.float64)


def _max_log_count(target: Target) -> float | None:
    return float(target.max_log_count) if target.kind == "counts" else None


def _matrix_or_none(matrix: Floats | None) -> list[list[float]] | None:
    return None if matrix is None else matrix.tolist()


def _listed_or_none(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)


def plain(value: Any, depth: int = 8) -> Any:
    """Return a value as JSON can hold it; anything else by the name of its type."""
    if isinstance(value, Mapping) and depth:
        return {str(key): plain(member, depth - 1) for key, member in value.items()}
    if isinstance(value, list | tuple) and depth:
        return [plain(member, depth - 1) for member in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else repr(float(value))
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return hex(value)
    return value if isinstance(value, bool | int | str | None) else f"<{type(value).__name__}>"
