"""Costs of errors: how they are given, and the decisions that follow from them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrimp.data.error_costs import cost_matrix, error_names, parse_error_cost
from scrimp.data.target import Target

CLINIC = np.array(["sick", "well"])
THREE = np.array([0, 1, 2])


class TestForms:
    @pytest.mark.parametrize(
        "given",
        [
            {"sick->well": 1000, "well->sick": 200},
            {"sick -> well": 1000, "well->sick": 200.0},
            {("sick", "well"): 1000, ("well", "sick"): 200},
            {"sick": 1000, "well": 200},
            {"sick": 1000, ("well", "sick"): 200},
            [[0, 1000], [200, 0]],
            np.array([[0.0, 1000.0], [200.0, 0.0]]),
        ],
    )
    def test_all_say_the_same(self, given):
        assert cost_matrix(given, CLINIC).tolist() == [[0.0, 1000.0], [200.0, 0.0]]

    def test_an_error_goes_before_its_class(self):
        matrix = cost_matrix({0: 5, "0->2": 20, 1: 2, 2: 1}, THREE)
        assert matrix.tolist() == [[0, 5, 20], [2, 0, 2], [1, 1, 0]]

    def test_classes_of_numbers_by_their_text(self):
        assert cost_matrix({"1->0": 3, "0->1": 1}, np.array([0, 1])).tolist() == [[0, 1], [3, 0]]

    def test_one_number_for_all(self):
        assert cost_matrix(4, THREE).tolist() == [[0, 4, 4], [4, 0, 4], [4, 4, 0]]

    def test_the_names_of_errors_lead_back(self):
        matrix = cost_matrix({0: 5, "0->2": 20, 1: 2, 2: 1}, THREE)
        assert (cost_matrix(error_names(matrix, THREE), THREE) == matrix).all()

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            (
                {"sik->well": 1, "well": 1},
                "names the class 'sik', which there is not; expected one",
            ),
            ({"sick well": 1, "well": 1}, "names 'sick well'; expected an error such as 'sick->w"),
            ({"sick->well->x": 1}, "expected an error such as 'sick->well', or a class"),
            ({"sick->sick": 1}, "for 'sick->sick', the same class twice"),
            ({"sick->well": 1, ("sick", "well"): 2, "well": 1}, "two costs for sick->well"),
            ({"sick->well": -5, "well": 1}, "error_cost of 'sick->well' is -5; expected a finite"),
            ({"sick->well": "much", "well": 1}, "is much; expected a finite number >= 0"),
            ({"sick->well": 5}, "lacks the cost of well->sick. Give a cost for every error"),
            ({"sick": 0, "well": 0}, "is 0 for every error"),
            ([[0, 1, 2], [1, 0, 2]], r"has the shape \(2, 3\); expected \(2, 2\)"),
            ([[0, -1], [1, 0]], "holds -1.0; expected finite numbers >= 0"),
            ([[1, 1], [1, 0]], "costs on its diagonal; expected 0 for right answers"),
            ("sick->well", "expected a mapping, a matrix of numbers or a number"),
            (-2.0, "of every error is -2.0"),
        ],
    )
    def test_refuses(self, given, text):
        with pytest.raises(ValueError, match=text):
            cost_matrix(given, CLINIC)


class TestText:
    def test_costs_with_commas_between_them(self):
        found = parse_error_cost("sick->well=1000, well -> sick = 2e2")
        assert found == {"sick->well": 1000.0, "well -> sick": 200.0}
        assert cost_matrix(found, CLINIC).tolist() == [[0, 1000], [200, 0]]

    def test_a_number(self):
        assert parse_error_cost("12.5") == 12.5

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("sick->well", "'sick->well' is no cost of an error; expected a number for all"),
            ("sick->well=", "is no cost of an error"),
            ("sick->well=1,,", "'' is no cost of an error"),
            ("sick->well=1,sick->well=2", "'sick->well' has two costs"),
            ("sick->well=-3", "of 'sick->well' is -3.0; expected a finite number >= 0"),
            ("-3", "of every error is -3.0"),
            ("nan", "of every error is nan"),
        ],
    )
    def test_refuses(self, text, message):
        with pytest.raises(ValueError, match=message):
            parse_error_cost(text)


def random_costs(random, n):
    """Costs of which some are 0 and some are equal, but not all of them."""
    matrix = random.integers(0, 6, (n, n)) * random.choice([1.0, 0.1, 100.0])
    np.fill_diagonal(matrix, 0.0)
    matrix[0, 1] += 7.0
    return matrix


def target_of(kind, random):
    n = 2 if kind == "binary" else int(random.integers(2, 5))
    return Target(
        kind, np.arange(n), float(random.choice([1.0, 2.0, 0.3])), random_costs(random, n)
    )


def bounded_scores(target, random, rows=40):
    """Lower and upper bounds of scores, some of them wide."""
    middle = random.normal(0, 2, (rows, target.n_outputs))
    width = random.exponential(0.5, (rows, 1)) * random.random((rows, target.n_outputs))
    return middle - width, middle + width


KINDS = ("binary", "multiclass", "shares")


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_labels_are_the_decisions_of_least_expected_cost(kind, seed):
    random = np.random.default_rng(seed)
    target = target_of(kind, random)
    scores = random.normal(0, 3, (30, target.n_outputs))
    probabilities = target.probabilities(scores)
    expected = np.array(
        [
            [sum(p[i] * target.error_costs[i, j] for i in range(len(p))) for j in range(len(p))]
            for p in probabilities
        ]
    )
    chosen = expected[np.arange(30), target.labels(scores)]
    np.testing.assert_allclose(chosen, expected.min(axis=1), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(target.expected_costs(scores), chosen)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, derandomize=True, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_a_certain_decision_is_the_same_wherever_scores_end(kind, seed):
    random = np.random.default_rng(seed)
    target = target_of(kind, random)
    lower, upper = bounded_scores(target, random)
    certain = target.certain(lower, upper)
    first = target.labels(lower)
    for _ in range(50):
        inside = random.random(lower.shape)
        inside = np.where(random.random(lower.shape) < 0.6, inside.round(), inside)
        labels = target.labels(lower + inside * (upper - lower))
        assert (labels == first)[certain].all()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_that_are_known_are_certain(kind):
    random = np.random.default_rng(3)
    costs = {"binary": 2}.get(kind, 3)
    matrix = 1.0 + np.arange(float(costs**2)).reshape(costs, costs)
    np.fill_diagonal(matrix, 0.0)
    target = Target(kind, np.arange(costs), 1.0, matrix)
    scores = np.abs(random.normal(1, 1, (50, target.n_outputs)))
    assert target.certain(scores, scores).all()


def test_the_costs_are_on_the_boundary_that_they_move():
    costs = cost_matrix({"sick->well": 9, "well->sick": 1}, CLINIC)
    target = Target("binary", CLINIC, 1.0, costs)
    # well only where its probability is above 0.9
    scores = np.log(np.array([0.89, 0.91]) / np.array([0.11, 0.09]))[:, None]
    assert target.labels(scores).tolist() == ["sick", "well"]
    assert target.certain(scores - 0.05, scores + 0.05).tolist() == [True, True]
    assert target.certain(scores - 1.0, scores + 1.0).tolist() == [False, False]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_costs_change_no_label(kind):
    random = np.random.default_rng(0)
    n = 2 if kind == "binary" else 4
    plain = Target(kind, np.arange(n), 2.0)
    costly = Target(kind, np.arange(n), 2.0, cost_matrix(30.0, np.arange(n)))
    lower, upper = bounded_scores(plain, random, 500)
    assert not costly.moves_decisions
    assert (plain.labels(lower) == costly.labels(lower)).all()
    assert (plain.certain(lower, upper) == costly.certain(lower, upper)).all()


def test_a_class_whose_miss_costs_nothing_is_not_predicted():
    target = Target("binary", CLINIC, 1.0, np.array([[0.0, 0.0], [3.0, 0.0]]))
    scores = np.array([[-50.0], [0.0], [50.0]])
    assert target.labels(scores).tolist() == ["well"] * 3
    assert target.certain(scores - np.inf, scores + np.inf).all()


@pytest.mark.parametrize("kind", ["multiclass", "shares"])
def test_nothing_is_certain_without_bounds(kind):
    target = Target(kind, THREE, 1.0, cost_matrix({0: 5, 1: 2, 2: 1}, THREE))
    reach = np.full((2, 3), np.inf)
    assert not target.certain(-reach, reach).any()


def test_a_regression_has_no_error_costs():
    with pytest.raises(ValueError, match="error_cost is for classes, and numbers are predicted"):
        Target("regression", np.array([]), 1.0, np.zeros((0, 0)))


def test_the_expected_cost_needs_costs():
    with pytest.raises(TypeError, match="The model has no error_cost"):
        Target("binary", CLINIC).expected_costs(np.zeros((1, 1)))
