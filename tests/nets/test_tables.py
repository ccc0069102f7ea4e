"""Networks for tables: what columns bring, blocks as arrays, and what blocks buy."""

import numpy as np
import pytest

from scrimp import Costs, Item
from scrimp.data.columns import Columns
from scrimp.kernels.table_inputs import add_inputs
from scrimp.nets.purchase_blocks import divided, stages_of, with_computation

torch = pytest.importorskip("torch")

from scrimp.nets.table_encoding import TableEncoding  # noqa: E402
from scrimp.nets.table_net import TableNet, TableSizes  # noqa: E402
from scrimp.plans import BlocksPlan  # noqa: E402

RNG = np.random.default_rng(0)
COLUMNS = Columns(None, (None, ("a", "b", "c"), None, None))


def table(n=200):
    X = np.column_stack(
        [RNG.normal(size=n), RNG.integers(0, 3, n), RNG.exponential(size=n), np.ones(n)]
    ).astype(float)
    X[RNG.random(X.shape) < 0.1] = np.nan
    return X


def naive_value(encoding, values, c, x):
    """What a value brings, by np.interp."""
    begin, unknown = encoding.first[c], encoding.first[c + 1] - 1
    if np.isnan(x):
        return values[unknown]
    if encoding.is_category[c]:
        return values[begin + int(x)] if 0 <= x < unknown - begin else values[unknown]
    knots = encoding.knots[c, : unknown - begin]
    return np.array([np.interp(x, knots, column) for column in values[begin:unknown].T])


def test_what_columns_bring_is_interpolated():
    X = table()
    encoding = TableEncoding.learn(X, COLUMNS, [2, 1, 0, 3], 7)
    values = RNG.normal(size=(encoding.n_values, 5))
    seen = np.vstack([X[:20], [[9.0, 7.0, -9.0, 1.0]], [[-np.inf, -1.0, np.inf, 2.0]]])
    expected = [
        sum(naive_value(encoding, values, c, row[col]) for c, col in enumerate(encoding.columns))
        for row in np.clip(seen, -1e9, 1e9)
    ]
    out = np.zeros((len(seen), 5))
    add_inputs(
        seen, np.arange(len(seen)), encoding.columns, encoding.is_category, encoding.knots,
        encoding.first, values, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, expected, atol=1e-12)
    index, weight = encoding.encoded(seen)
    of_training = (values[index] * weight[:, :, None]).sum(axis=1)
    np.testing.assert_allclose(of_training, expected, atol=1e-5)


@pytest.mark.parametrize("encoding", ["quantile", "periodic"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_blocks_answer_as_the_network_does(n_outputs, encoding):
    X = table()
    encodings = [TableEncoding.learn(X, COLUMNS, which, 5) for which in ([2, 1], [], [0, 3])]
    net = TableNet(encodings, TableSizes(12, 20, 2, encoding=encoding), np.zeros(n_outputs))
    net.train()
    for _ in range(5):  # moves the statistics of the normalisations
        list(net(*net.encoded(table(64))))
    net.eval()
    with torch.no_grad():
        expected = [scores.numpy() for scores in net(*net.encoded(X))]
    blocks = net.blocks([True] * 3, np.ones(3), np.zeros((3, n_outputs)))
    hidden = np.empty((len(X), 0))
    for block, scores in zip(blocks, expected, strict=True):
        hidden = block.forward(hidden, X, np.arange(len(X)))
        np.testing.assert_allclose(block.answer(hidden), scores, atol=1e-4)
        alone = block.answer(hidden[7:8])
        np.testing.assert_array_equal(alone[0], block.answer(hidden)[7])


def test_blocks_survive_storage():
    encodings = [TableEncoding.learn(table(), COLUMNS, which, 5) for which in ([0, 1, 2, 3], [])]
    net = TableNet(encodings, TableSizes(6, 8, 1), np.zeros(2)).eval()
    blocks = net.blocks([False, True], np.array([1.0, 2.0]), np.zeros((2, 2)))
    plan = BlocksPlan(stages_of([[0, 1, 2, 3], []], [False, True], 4, False), blocks, [0.1, 0.2])
    header, arrays = plan.parts()
    again = BlocksPlan.from_parts(header, arrays)
    X = table(9)
    for each in (plan, again):
        state = each.start(np.arange(9, dtype=np.uint64), None)
        np.testing.assert_array_equal(each.read(state), np.tile([0.1, 0.2], (9, 1)))
        while (stage := each.ask(state)) >= 0:
            each.tell(state, stage, X, np.arange(9))
        each.answers = each.read(state)
    np.testing.assert_array_equal(plan.answers, again.answers)


class TestPurchases:
    COSTS = Costs.from_items(
        [Item("visit", 0.0, ()), *(Item(f"x{k}", 2.0**k, (f"x{k}",)) for k in range(6))]
    )

    def test_what_is_spent_grows_by_equal_ratios(self):
        groups = [[k] for k in range(1, 7)]
        assert divided(groups, self.COSTS, 3) == [[1], [2, 3, 4], [5, 6]]
        assert divided(groups, self.COSTS, 6) == groups
        assert divided(groups[:2], self.COSTS, 4) == [[1], [2], [], []]
        assert divided([], self.COSTS, 2) == [[], []]

    def test_each_item_is_bought_once_in_order(self):
        for n_blocks in range(1, 9):
            blocks = divided([[k] for k in range(1, 7)], self.COSTS, n_blocks)
            assert len(blocks) == max(n_blocks, len(blocks))
            assert [item for block in blocks for item in block] == list(range(1, 7))

    def test_computation_is_an_item_where_it_has_a_price(self):
        assert with_computation(self.COSTS, [0.0, 0.0]) is self.COSTS
        priced = with_computation(self.COSTS, [1.0, 2.0])
        assert priced.names[-2:] == ("block 1", "block 2")
        assert priced.price_of([len(priced.names) - 1]) == 3.0

    def test_a_block_without_an_exit_is_bought_with_the_next(self):
        stages = stages_of([[1], [2], [3], [4]], [False, True, True, False], 7, True)
        assert stages.items == ((1, 7, 2, 8), (2, 8), (3, 9))
