"""Files made to do harm, with a checksum that fits: each is refused, at little cost."""

import json
import struct
import tracemalloc

import numpy as np
import pytest
import safetensors.numpy

from scrimp import load
from scrimp.io import ModelFileError
from scrimp.io.container import pack

from . import models


@pytest.fixture
def refused(tmp_path):
    """Check that a file is refused with a message, and for how much memory at most."""

    def check(data, message=""):
        path = tmp_path / "m.scrimp"
        path.write_bytes(data)
        tracemalloc.start()
        try:
            with pytest.raises(ModelFileError, match=message) as caught:
                load(path)
            assert tracemalloc.get_traced_memory()[1] < 2**20 * 32 + 32 * len(data)
        finally:
            tracemalloc.stop()
        assert len(str(caught.value)) < 1000
        assert [p.name for p in tmp_path.iterdir()] == ["m.scrimp"]

    return check


def contained(header, data=b"", document='{"format":1}'):
    """A container made by hand."""
    header = {"__metadata__": {"scrimp": document}} | header
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ('{"format":1,"info":' + "[" * 100_000 + "]" * 100_000 + "}", "nested more than 32 deep"),
        ('{"format":1,"info":' + "[" * 50 + "]" * 50 + "}", "nested more than 32 deep"),
        ('{"format":1,"a":' * 10_000 + "1" + "}" * 10_000, "nested more than 32 deep"),
        ('{"format":1,"format":1}', "same key twice"),
        ('{"format":1,"info":NaN}', "holds NaN, which is no number"),
        ('{"format":1,"info":-Infinity}', "holds -Infinity, which is no number"),
        ('{"format":1,"info":1e999}', "holds 1e999, which is no finite number"),
        ('{"format":1' + "0" * 30 + "}", "more than 64 bits"),
        ('{"format":1' + "0" * 9999 + "}", "more than 64 bits"),
        ("{}", "format must be a whole number"),
        ("[]", "scrimp must be an object"),
        ("1", "scrimp must be an object"),
        ("", "cannot be read"),
        ('{"format":1}', "sha256 must be text"),
        ('{"format":1,"sha256":""}', "checksum does not fit"),
    ],
)
def test_documents_that_are_no_documents(refused, document, message):
    refused(contained({}, document=document), message)


def entry(shape, end=0, start=0, dtype="F64"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


@pytest.mark.parametrize(
    ("header", "data", "message"),
    [
        ({"a": entry([0, 10**18])}, b"", "an array is longer than the file"),
        ({"a": entry([2**62, 4], 8)}, bytes(8), "an array is longer than the file"),
        ({"a": entry([-1], 8)}, bytes(8), "an array is longer than the file"),
        ({"a": entry([10**30], 8)}, bytes(8), "more than 64 bits"),
        ({"a": entry([1], 10**15)}, bytes(8), "is cut short"),
        ({"a": entry([1], 8), "b": entry([1], 8)}, bytes(8), "cannot be read"),
        ({"a": entry([1], 16, 8)}, bytes(16), "cannot be read"),
        ({"a": entry([1], 0, 8)}, bytes(8), "cannot be read"),
        ({"a": entry([8], 8, dtype="F8_E4M3")}, bytes(8), "cannot be read"),
        ({"a": entry([4], 8, dtype="BF16")}, bytes(8), "cannot be read"),
        ({"a": entry([1], 8, dtype="os.system")}, bytes(8), "cannot be read"),
        ({"a": entry("1", 8)}, bytes(8), "a shape must be a list"),
        ({"a": entry([1.0], 8)}, bytes(8), "a shape must be a whole number"),
        ({"a": {"dtype": "F64", "shape": [1]}}, bytes(8), "an array must have just the fields"),
        ({"a": entry([1], 8) | {"x": 1}}, bytes(8), "an array must have just the fields"),
        ({"a": {**entry([1]), "data_offsets": [0]}}, bytes(8), "cannot be read"),
        ({"a": [1]}, b"", "an array must have just the fields"),
        ({"a": entry([1] * 100, 8)}, bytes(8), "cannot be read"),
    ],
)
def test_containers_that_are_no_containers(refused, header, data, message):
    refused(contained(header, data), message)


def test_headers_that_are_no_text(refused):
    text = b'{"__metadata__":{"scrimp":"\xff"}}'
    refused(struct.pack("<Q", len(text)) + text, "cannot be read")
    text = b'{"__metadata__":{"scrimp":"{}","more":"x"}}'
    refused(struct.pack("<Q", len(text)) + text, "the metadata must have just the fields scrimp")
    text = b'{"__metadata__":{"scrimp":1}}'
    refused(struct.pack("<Q", len(text)) + text, "scrimp must be text")
    text = b'{"__metadata__":{"scrimp":"{}"},"__metadata__":{}}'
    refused(struct.pack("<Q", len(text)) + text, "same key twice")


def set_at(document, path, value):
    *path, last = path.split(".")
    for key in path:
        document = document[int(key) if isinstance(document, list) else key]
    document[int(last) if isinstance(document, list) else last] = value


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        ("sampled", "plan.header.max_draws", 10**18, "max_draws is 1000000000000000000"),
        ("sampled", "plan.header.max_draws", -1, "max_draws is -1"),
        ("sampled", "plan.header.seed", "7", "header and arrays do not fit"),
        ("sampled", "plan.header.seed", 0.5, "header and arrays do not fit"),
        ("blocks", "plan.header.n_blocks", 10**18, "number of blocks"),
        ("additive", "plan.header.radius", "nan", "radius is nan"),
        ("additive", "plan.header.fold", ["add"], "fold is"),
        ("additive", "plan.header.more", 1, "header and arrays do not fit"),
        ("additive", "plan.header", [], "the plan's header must be an object"),
        ("additive", "plan.kind", "os.system", "unknown kind of plan 'os.system'"),
        ("additive", "plan.kind", ["additive"], "cannot be read"),
        ("additive", "plan.kind", "prefix", "it lacks"),
        ("menu", "plan.header.entries", "additive", "cannot be read"),
        ("menu", "plan.header.entries", [], "at least one entry"),
        ("menu", "plan.header.entries", {"0": 1}, "cannot be read"),
        ("routed", "costs.names", "abcdefg", "item names must be a list"),
        ("routed", "costs.names.0", 1, "item names must be text"),
        ("routed", "costs.names.0", "scan", "occur more than once"),
        ("routed", "costs.prices.0", -1.0, "has the price -1.0"),
        ("routed", "costs.prices.0", True, "prices must be a number"),
        ("routed", "costs.prices.0", "1", "prices must be a number"),
        ("routed", "costs.columns.0", [10**18], "brought by exactly one item"),
        ("routed", "costs.columns.0", [-1], "brought by exactly one item"),
        ("routed", "costs.columns.0", [0.0], "must be a whole number"),
        ("routed", "costs.requires.0", [0], "requires runs in a cycle"),
        ("routed", "costs.requires.0", [-1], "requires must hold item positions"),
        ("routed", "costs.column_names", ["a"], "one name a column"),
        ("routed", "columns.names", ["age"], "one entry per column"),
        ("routed", "columns.names.0", "scan", "two columns have the same name"),
        ("routed", "columns.categories", [], "one entry per column"),
        ("routed", "columns.categories.0", "abc", "categories must be a list"),
        ("routed", "columns.categories.0", [None], "categories must be a number"),
        ("routed", "columns.categories.0", [["nan"]], "categories must be a number"),
        ("routed", "target.kind", "binary", "cannot have 3 classes"),
        ("routed", "target.kind", ["binary"], "must be text"),
        ("routed", "target.scale", None, "scale must be a number"),
        ("routed", "target.classes.dtype", "U900000000", "another type than the file says"),
        ("routed", "target.classes.object", 1, "another type than the file says"),
        ("routed", "info", [], "info must be an object"),
        ("routed", "more", 1, "the document must have just the fields"),
    ],
)
def test_documents_that_lie(refused, kind, path, value, message):
    document, tensors = models.taken_apart(models.predictor(kind))
    set_at(document, path, value)
    refused(pack(document, tensors), message)


FAR = 2**62


@pytest.mark.parametrize(
    ("kind", "name", "value", "message"),
    [
        ("additive", "column", np.full(9, 6), "reads columns beyond the 6"),
        ("additive", "column", np.full(9, -1), "columns not negative"),
        ("additive", "column", np.full(9, FAR), "reads columns beyond the 6"),
        ("additive", "column", np.zeros(9), "column holds float64; expected whole numbers"),
        ("additive", "column", np.array(0), "column has 0 dimensions"),
        ("additive", "column", np.zeros((9, 1), int), "column has 2 dimensions"),
        ("additive", "column", np.zeros(9, np.uint8), "of uint8 has no place in a plan"),
        ("additive", "column", np.zeros(9, bool), "of bool has no place in a plan"),
        ("additive", "low", np.full(9, np.nan), "intervals must not be NaN"),
        ("additive", "low", np.zeros(9, np.float16), "of float16 has no place in a plan"),
        ("additive", "low", np.zeros(9, int), "not as its kind of plan writes it"),
        ("additive", "inside", np.zeros((9, 0)), "must be .stumps x outputs"),
        ("additive", "prior", np.zeros((1, 5)), "prior has 2 dimensions"),
        ("additive", "prior", np.zeros(0), "same number of outputs"),
        ("additive", "stage_items", np.full(9, 7), "names items beyond the 7"),
        ("additive", "stage_items", np.full(9, -1), "names items beyond the 7"),
        ("additive", "stage_items", np.zeros(9), "stage_items holds float64"),
        ("additive", "stage_sizes", np.array([FAR] * 4 + [-FAR] * 4 + [9]), "do not add up"),
        ("additive", "stage_sizes", np.full(9, FAR), "do not add up"),
        ("additive", "stage_headroom", np.full(9, -1.0), "headroom must hold"),
        ("additive", "stage_headroom", np.zeros(0), "not as its kind of plan writes it"),
        ("additive", "more", np.zeros(1), "header and arrays do not fit"),
        ("sampled", "probability", np.full(7, np.nan), "probability must be >= 0"),
        ("sampled", "probability", np.full(7, np.inf), "probability must be >= 0"),
        ("prefix", "counts", np.array([FAR + 5, -FAR - 5, 4, 5]), "one ascending number"),
        ("prefix", "counts", np.array([-1, 3, 4, 5]), "one ascending number"),
        ("prefix", "columns", np.array([0, 1, 2, 3, 6]), "reads columns beyond"),
        ("prefix", "columns", np.array([0, 1, 2, 3, -1]), "reads columns beyond"),
        ("routed", "inside", np.zeros(9, int), "children of a node must be nodes after it"),
        ("routed", "missing", np.full(9, 9), "children of a node must be nodes after it"),
        ("routed", "outside", np.full(9, FAR), "children of a node must be nodes after it"),
        ("routed", "inside", np.full(9, 8.5), "inside holds float64"),
        ("routed", "refused", np.arange(9), "refused must be -1 or a node after"),
        ("routed", "refused", np.full(9, -2), "refused must be -1 or a node after"),
        ("routed", "column", np.full(9, 6), "children of a node|reads columns beyond"),
        ("routed", "value", np.full((9, 3), np.nan), "value must be finite"),
        ("blocks", "0/columns", np.array([0, 6]), "reads columns beyond"),
        ("blocks", "0/columns", np.array([0.0, 1.0]), "columns holds float64"),
        ("blocks", "1/carry", np.zeros((0, 2)), "carry the width of the block before"),
        ("blocks", "2/exit_bias", np.zeros((1, 1)), "exit bias has 2 dimensions"),
        ("blocks", "2/exit_bias", None, "it lacks '2/exit_bias'"),
        ("blocks", "2/exit_weights", None, "header and arrays do not fit"),
        ("blocks", "3/bias", np.zeros(1), "header and arrays do not fit"),
        ("menu", "3/prior", np.zeros(1), "header and arrays do not fit"),
        ("menu", "0/column", None, "it lacks 'column'"),
    ],
)
def test_arrays_that_do_not_fit(refused, kind, name, value, message):
    document, tensors = models.taken_apart(models.predictor(kind))
    if value is None:
        del tensors[f"plan/{name}"]
    else:
        tensors[f"plan/{name}"] = value
    refused(pack(document, tensors), message)


@pytest.mark.parametrize("column", [-FAR, -2])
@pytest.mark.parametrize("kind", ["routed", "sampled-trees", "refits"])
def test_leaves_that_read_a_column_before_the_first(refused, kind, column):
    document, tensors = models.taken_apart(models.predictor(kind))
    for name in [name for name in tensors if name.endswith("/column")]:
        tensors[name] = np.where(tensors[name] < 0, column, tensors[name])
    refused(pack(document, tensors), "column must be -1 at a leaf")


def stores_complex():
    """Whether this version of safetensors has complex numbers."""
    try:
        safetensors.numpy.save({"a": np.zeros(1, np.complex64)})
    except safetensors.SafetensorError:
        return False
    return True


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros((3, 0), np.uint32), "class labels are"),
        (np.full((3, 2), 0x110000, np.uint32), "characters that do not exist"),
        (np.full((3, 2), 2**32 - 1, np.uint32), "characters that do not exist"),
        (np.zeros((3, 1), np.int64), "class labels are int64 in 2 dimensions"),
        pytest.param(
            np.zeros(3, np.complex64),
            "class labels are complex64",
            marks=pytest.mark.skipif(not stores_complex(), reason="safetensors has no complex64"),
        ),
        (np.zeros(3), "another type than the file says"),
        (np.zeros(4, np.int64), "differ in the number of outputs"),
    ],
)
def test_labels_that_are_no_labels(refused, labels, message):
    document, tensors = models.taken_apart(models.predictor("routed"))
    refused(pack(document, tensors | {"classes": labels}), message)


def costs_of(n, requires):
    return {
        "names": [str(i) for i in range(n)],
        "prices": [1.0] * n,
        "columns": [[i] for i in range(6)] + [[]] * (n - 6),
        "requires": requires,
        "column_names": None,
    }


def test_a_long_chain_of_requirements_does_not_fill_the_memory(refused):
    document, tensors = models.taken_apart(models.predictor("additive"))
    n = 20_000
    for chain in ([[]] + [[i] for i in range(n - 1)], [[i + 1] for i in range(n - 1)] + [[]]):
        document["costs"] = costs_of(n, chain)
        refused(pack(document, tensors), "require each other more than 3280000 times over")


def test_a_circle_of_requirements_is_found_soon(refused):
    document, tensors = models.taken_apart(models.predictor("additive"))
    n = 20_000
    document["costs"] = costs_of(n, [[(i + 1) % n] for i in range(n)])
    refused(pack(document, tensors), "requires runs in a cycle")


def test_many_stages_of_dear_items_do_not_fill_the_memory(refused):
    document, tensors = models.taken_apart(models.predictor("prefix"))
    n, stages = 1_900, 20_000
    document["costs"] = costs_of(n, [[]] + [[i] for i in range(n - 1)])
    tensors = {
        "classes": tensors["classes"],
        "plan/stage_items": np.full(stages, n - 1),
        "plan/stage_sizes": np.full(stages, 1),
        "plan/stage_headroom": np.zeros(stages),
        "plan/columns": np.zeros(0, int),
        "plan/counts": np.zeros(stages, int),
        "plan/intercepts": np.zeros((stages + 1, 1)),
        "plan/coefficients": np.zeros((0, 1)),
    }
    refused(pack(document, tensors), "require each other more than 3280000 times over")


def test_the_same_name_many_times_is_found_soon(refused):
    document, tensors = models.taken_apart(models.predictor("additive"))
    document["costs"] = costs_of(30_000, [[]] * 30_000)
    document["costs"]["names"] = [str(i // 2) for i in range(30_000)]
    refused(pack(document, tensors), "The item names")


def test_menus_in_menus_end_somewhere(refused):
    document, tensors = models.taken_apart(models.predictor("prefix"))
    plan, prefix = document["plan"], "plan/"
    for _ in range(300):
        plan = {"kind": "menu", "header": {"entries": [plan]}}
        prefix += "0/"
    document["plan"] = plan
    tensors = {
        name if name == "classes" else name.replace("plan/", prefix): array
        for name, array in tensors.items()
    }
    refused(pack(document, tensors), "nested more than 32 deep")


def test_ten_thousand_menus_in_menus_end_somewhere(refused):
    n = 10_000
    text = '{"format":1,"plan":' + '{"kind":"menu","header":{"entries":[' * n + "]}}" * n + "}"
    refused(contained({}, document=text), "nested more than 32 deep")


def test_a_menu_of_many_entries_and_arrays_is_sorted_once(refused):
    document, tensors = models.taken_apart(models.predictor("menu"))
    entry = document["plan"]["header"]["entries"][0]
    document["plan"]["header"]["entries"] = [entry] * 5_000
    many = {f"plan/{i}/x": np.zeros(0) for i in range(5_000)}
    refused(pack(document, tensors | many), "it lacks")
