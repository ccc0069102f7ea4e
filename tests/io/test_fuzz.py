"""Files changed at random, with a checksum that fits: refused, or models that work."""

import copy
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrimp import load
from scrimp.io import ModelFileError
from scrimp.io.container import pack
from scrimp.io.format import FORMAT
from tests.contract.handmade import KINDS

from . import models

APART = {kind: models.taken_apart(models.predictor(kind)) for kind in KINDS}
ROWS = 5

ODD = [
    None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**63 - 1, 2**63, 10**18, -(2**63),
    -0.5, 0.0, 0.5, 1.0, 1e300, 5e-324, "", "0", "1.5", "inf", "nan", "skip", "stop", "add",
    "average", "binary", "regression", "age", "additive", "menu", "U2", "\ud800", "\0", "é" * 50,
    [], {}, [[]], [0], [1], [-1], [0, 0], ["inf"], [[0]], [None], ["age"], {"0": 0}, [[1], [0]],
    list(range(6)), [0.5] * 6, [None] * 6,
]  # fmt: skip
EXTREMES = [-(2**63), -(2**62), -7, -2, -1, 0, 1, 2, 5, 6, 7, 9, 2**31, 2**62, 2**63 - 1]
FLOATS = [-np.inf, -1e308, -1.0, -5e-324, 0.0, 0.5, 1.0, 1e308, np.inf, np.nan]
TYPES = ["bool", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


def places(value, path=()):
    """All places in a document."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*path, key)
        if isinstance(member, dict | list):
            yield from places(member, (*path, key))


def nudged(draw, value):
    """A value near another, which the rest of the file may well bear."""
    if isinstance(value, str):
        return value + draw(st.sampled_from(["x", "0", " "]))
    if isinstance(value, list):
        return draw(st.permutations(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return draw(st.sampled_from([value + 1, value - 1, value * 2, value / 2]))
    return draw(st.sampled_from([None, ["yes", "no"], [1.0, "1"], [0.5, ["inf"]]]))


def change_document(draw, document):
    *path, last = draw(st.sampled_from(list(places(document))))
    for key in path:
        document = document[key]
    what = draw(st.sampled_from(["nudge", "nudge", "replace", "delete", "add", "double", "swap"]))
    if what == "nudge":
        document[last] = nudged(draw, document[last])
    elif what == "replace":
        document[last] = copy.deepcopy(draw(st.sampled_from(ODD)))
    elif what == "delete":
        del document[last]
    elif isinstance(document, dict):
        document[draw(st.sampled_from(["more", "kind", "header", "0"]))] = draw(
            st.sampled_from(ODD[:20])
        )
    elif what == "double":
        document.insert(last, copy.deepcopy(document[last]))
    elif what == "swap":
        document.reverse()
    else:
        document.append(copy.deepcopy(draw(st.sampled_from(ODD))))


def change_tensors(draw, tensors):
    name = draw(st.sampled_from(sorted(tensors)))
    array = tensors[name].copy()
    what = draw(
        st.sampled_from(["mix", "mix", "set", "set", "type", "shape", "cut", "name", "drop"])
    )
    if what == "set" and array.size:
        place = draw(st.integers(0, array.size - 1))
        odd = FLOATS if array.dtype.kind == "f" else EXTREMES
        with np.errstate(all="ignore"):
            array.flat[place] = np.array(draw(st.sampled_from(odd))).astype(array.dtype)
    elif what == "mix" and array.size:
        array.flat[draw(st.integers(0, array.size - 1))] = array.flat[
            draw(st.integers(0, array.size - 1))
        ]
    elif what == "type":
        with np.errstate(all="ignore"):
            array = array.astype(draw(st.sampled_from(TYPES)))
    elif what == "shape":
        shapes = [(-1,), (1, -1), (-1, 1), (1, 1, -1)] if array.size else [(0,), (0, 9), (9, 0)]
        array = array.reshape(draw(st.sampled_from(shapes)))
        array = array.flat[0:1].reshape(()) if array.size and draw(st.booleans()) else array
    elif what == "cut":
        array = np.atleast_1d(array)
        array = array[: draw(st.integers(0, 2))] if draw(st.booleans()) else array.repeat(2, axis=0)
    elif what == "name":
        name = draw(
            st.sampled_from([*sorted(tensors), "plan/more", "plan/0/prior", "classes", "/"])
        )
    if what == "drop":
        del tensors[name]
    else:
        tensors[name] = array


@st.composite
def files(draw):
    document, tensors = copy.deepcopy(APART[draw(st.sampled_from(sorted(KINDS)))])
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()) and tensors:
            change_tensors(draw, tensors)
        elif document:
            change_document(draw, document)
    document.setdefault("format", FORMAT)
    return pack(document, tensors)


def frame_for(model):
    X = np.sin(np.arange(1.0, ROWS * len(model.columns) + 1)).reshape(ROWS, -1)
    return pd.DataFrame(
        {
            model.columns.name(j): X[:, j] if own is None else [*map(str, own), *"abcde"][:ROWS]
            for j, own in enumerate(model.columns.categories)
        }
    )


def use(model):
    """Do all that may be done with a model."""
    X = frame_for(model)
    total = model.costs.total
    for budgets in ([0.0, total / 7, total / 2, np.inf], [total]):
        sweep = model.sweep(X, budgets)
        assert sweep.labels().shape == (ROWS, len(budgets))
        assert (sweep.spent <= np.array(budgets) * (1 + 1e-9)).all()
    model.predict(X, total / 3)
    model.plan.summary()
    session = model.session()
    values = X.iloc[0].to_dict()
    while request := session.ask():
        session.tell({name: values[name] for name in request.columns})
    session.read()


@pytest.fixture(scope="module", autouse=True)
def _warm():
    """Compile and import what would otherwise be counted as a model's memory."""
    for kind in KINDS:
        use(models.predictor(kind))


@settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=files())
@pytest.mark.filterwarnings("ignore")
def test_a_changed_file_is_refused_or_gives_a_model_that_works(data, tmp_path):
    path = tmp_path / "m.scrimp"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        model = load(path)
        use(model)
    except ModelFileError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 8 * 2**20 + 64 * len(data)
