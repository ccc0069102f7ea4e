"""What is refused, what is warned of, and what is left when the work is cut short."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from scrimp import BudgetedSVC, BudgetedSVR, Costs, Item
from scrimp.runtime.events import listening
from tests.learners.svm.problems import COSTS, LOSSES, model, table, trained_on

X, Y = table("squared_hinge")
NUMBERS = table("squared_epsilon_insensitive")[1]


@pytest.mark.parametrize("C", [0, -1.0, np.nan, np.inf, True, "1", None, [], [1.0, 0.0], [[1.0]]])
def test_a_c_that_is_not_above_0_is_refused(C):
    with pytest.raises(ValueError, match=r"C is .*; expected a finite number > 0, or a list"):
        BudgetedSVC(COSTS, 4.0, C=C).fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"loss": "log"}, "loss is 'log'; expected one of 'squared_hinge', 'hinge'"),
        ({"loss": "epsilon_insensitive"}, "loss is 'epsilon_insensitive'; expected one of"),
        ({"tol": 0.0}, "tol is 0.0; expected a number > 0"),
        ({"tol": np.nan}, "tol is nan; expected a number > 0"),
        ({"max_iter": 0}, "max_iter is 0; expected a whole number >= 1"),
        ({"max_iter": 10.0}, "max_iter is 10.0; expected a whole number >= 1"),
        ({"max_iter": True}, "max_iter is True; expected a whole number >= 1"),
        ({"max_nodes": -1}, "max_nodes is -1; expected None or a whole number >= 0"),
        ({"max_nodes": 1.5}, "max_nodes is 1.5; expected None or a whole number >= 0"),
        ({"max_nodes": True}, "max_nodes is True; expected None or a whole number >= 0"),
        ({"max_nodes": "many"}, "max_nodes is 'many'; expected None or a whole number >= 0"),
        ({"budget": -1.0}, r"budgets hold -1.0; expected numbers >= 0"),
        ({"budget": [1.0, np.nan]}, "budgets hold nan; expected numbers >= 0"),
        ({"budget": []}, "budgets must be a list of at least one number"),
        ({"missing": "median"}, "missing is 'median'; expected 'error', 'mean' or a finite number"),
        ({"class_weight": {1.0: -1.0, -1.0: 1.0}}, r"class_weight is {.*}; expected numbers > 0"),
        ({"class_weight": {1.0: 0.0, -1.0: 1.0}}, r"class_weight is {.*}; expected numbers > 0"),
        ({"class_weight": "heavy"}, "class_weight"),
    ],
)
def test_bad_settings_of_a_classifier_are_refused(settings, text):
    with pytest.raises(ValueError, match=text):
        BudgetedSVC(**{"costs": COSTS, "budget": 4.0} | settings).fit(X, Y)


def test_numbers_of_nodes_are_refused_for_numbers_too():
    with pytest.raises(ValueError, match="max_nodes is -1; expected None or a whole number >= 0"):
        BudgetedSVR(COSTS, 4.0, max_nodes=-1).fit(X, NUMBERS)


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, np.inf, "0", None, True])
def test_an_epsilon_below_0_is_refused(epsilon):
    with pytest.raises(ValueError, match=r"epsilon is .*; expected a finite number >= 0"):
        BudgetedSVR(COSTS, 4.0, epsilon=epsilon).fit(X, NUMBERS)


def test_losses_of_labels_are_none_of_numbers():
    with pytest.raises(ValueError, match="loss is 'hinge'; expected one of 'squared_epsilon"):
        BudgetedSVR(COSTS, 4.0, loss="hinge").fit(X, NUMBERS)


# Prices


def test_groups_that_share_a_column_are_refused_by_the_prices():
    with pytest.raises(ValueError, match=r"[Cc]olumn.*1"):
        Costs(("a", "b"), (1.0, 2.0), ((0, 1), (1, 2)), ((), ()))
    with pytest.raises(ValueError, match="column"):
        Costs.from_items([Item("a", 1.0, ("u", "v")), Item("b", 2.0, ("v",))])


def test_prices_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="column"):
        BudgetedSVC([1.0, 2.0], 4.0).fit(X, Y)


@pytest.mark.filterwarnings("ignore:The cheapest purchase, ")
@pytest.mark.parametrize("loss", LOSSES)
def test_a_budget_below_the_cheapest_group_gives_an_intercept_and_a_warning(loss):
    X, y = table(loss)
    with pytest.warns(UserWarning, match=r"The cheapest item '3' costs 0.5 but the budget is 0.4, "
                      r"so nothing is bought at the budgets \[0.2, 0.4\]") as caught:  # fmt: skip
        found = model(loss, budget=[0.2, 0.4, 4.0]).fit(X, y)
    assert all(own.filename == __file__ for own in caught)
    assert found.items_[:2] == [[], []]
    assert found.prices_[:2].tolist() == [0.0, 0.0]
    alone = trained_on(X, y, [], 1.0, loss)
    assert found.objective_[:2] == pytest.approx(alone.objective, rel=1e-6)
    assert found.least_objective_[:2] == pytest.approx(alone.objective, rel=1e-3)
    assert found.objective_[2] < found.objective_[0]
    assert len(np.unique(found.predict(X, budget=0.4))) == 1
    assert len(np.unique(found.predict(X, budget=4.0))) > 1


def test_only_an_intercept_can_be_all_there_is():
    with pytest.warns(UserWarning, match="so nothing is bought and every answer is the prior"):
        found = BudgetedSVR(COSTS, 0.3, epsilon=0.0).fit(X, NUMBERS)
    assert found.predict(X) == pytest.approx(NUMBERS.mean())
    assert not found.coef_.any()


# Columns


def with_columns(*extra):
    return np.column_stack([X[:, :3], *extra])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("value", [0.0, 0.1, 7.3, -1e3])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_constant_columns_are_never_bought(loss, value, layout):
    y = table(loss)[1]
    rows = layout(with_columns(np.full(len(X), value), np.full(len(X), value)))
    for budget in (1.0, 4.0, None):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nor do they count as badly scaled
            found = model(loss, None, budget).fit(rows, y)
        assert not {"x3", "x4"} & set(found.items_[0])
    assert found.items_ == [["x0", "x1", "x2"]]
    assert not found.coef_[:, 3:].any()


def test_groups_of_zeros_are_never_bought_and_a_constant_beside_others_is_harmless():
    rows = X.copy()
    rows[:, [2, 5]] = 0.0  # groups 1 and 3
    rows[:, 4] = 5.0  # beside column 3, in group 2
    for budget in (1.0, 5.0, 8.0):
        found = BudgetedSVC(COSTS, budget).fit(rows, Y)
        assert not {"1", "3"} & set(found.items_[0])
    assert found.items_ == [["0", "2", "4"]]
    assert found.coef_[0, 4] == 0.0


def test_nothing_to_learn_from_buys_nothing():
    for found in (
        BudgetedSVC(None, 3.0).fit(np.ones((10, 4)), np.arange(10) % 2),
        BudgetedSVR(None, 3.0).fit(X, np.full(len(X), 0.1)),
        BudgetedSVR(None, 3.0, epsilon=100.0).fit(X, NUMBERS),
    ):
        assert found.items_ == [[]]
        assert found.bound_[0] == 0.0
        assert abs(found.gap_[0]) < 1e-3


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_columns_on_different_scales_are_warned_of(layout):
    rows = X * [1.0, 1e4, 1.0, 1.0, 1.0, 1.0, 1e-2, 1.0]
    scaler = "StandardScaler" if layout is np.asarray else "MaxAbsScaler"
    largest = np.abs(rows).max(axis=0)
    ratio = f"{largest[1] / largest[6]:.3g}"
    text = (
        f"The columns differ in scale by a factor of {ratio}: the largest value of 'x1' is .*"
        f"'x6' is .*Scale them first, with {scaler} in a pipeline"
    )
    with pytest.warns(UserWarning, match=text.replace("+", r"\+")) as caught:
        BudgetedSVC(COSTS, 4.0, C=1e-6).fit(layout(rows), Y)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BudgetedSVC(COSTS, 4.0).fit(layout(X), Y)


def test_missing_values_are_refused_or_filled_in():
    rows = X.copy()
    rows[3, 2] = np.nan
    for given in (rows, sparse.csr_matrix(rows)):
        with pytest.raises(ValueError, match=r"'x2'\] hold NaN or infinity.*missing='mean'"):
            BudgetedSVC(COSTS, 4.0).fit(given, Y)
    rows[3, 2] = np.inf
    with pytest.raises(ValueError, match=r"'x2'\] hold NaN or infinity"):
        BudgetedSVC(COSTS, 4.0).fit(rows, Y)


# Targets and rows


@pytest.mark.parametrize("y", [np.ones(40), ["a"] * 40])
def test_labels_of_one_class_are_refused(y):
    with pytest.raises(ValueError, match="y holds one class only"):
        BudgetedSVC(COSTS, 4.0).fit(X, y)


def test_one_class_among_rows_that_count_is_refused():
    with pytest.raises(ValueError, match=r"y holds one class only.*rows with a positive weight"):
        BudgetedSVC(COSTS, 4.0).fit(X, Y, sample_weight=Y > 0)
    with pytest.raises(ValueError, match="must contain at least one non-zero number"):
        BudgetedSVC(COSTS, 4.0).fit(X, Y, sample_weight=np.zeros(40))
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        BudgetedSVC(COSTS, 4.0).fit(X, Y, sample_weight=-np.ones(40))


def test_bad_targets_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        BudgetedSVR(COSTS, 4.0).fit(X, np.where(np.arange(40) == 5, np.nan, NUMBERS))
    with pytest.raises(ValueError, match="y is missing in 1 of 40 rows"):
        BudgetedSVC(COSTS, 4.0).fit(X, np.where(np.arange(40) == 5, np.nan, Y))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        BudgetedSVC(COSTS, 4.0).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BudgetedSVC(COSTS, 4.0).fit(X, Y[:-1])


def test_empty_tables_are_refused():
    with pytest.raises(ValueError, match="0 sample"):
        BudgetedSVC().fit(np.empty((0, 3)), [])
    with pytest.raises(ValueError, match="0 rows"):
        BudgetedSVC().fit(pl.DataFrame({"a": []}, schema={"a": pl.Float64}), [])
    with pytest.raises(ValueError, match="0 feature"):
        BudgetedSVC().fit(np.empty((40, 0)), Y)
    with pytest.raises(NotFittedError):
        BudgetedSVC().predict(X)


# Cut short


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("max_iter", [1, 10])
def test_a_solver_that_is_stopped_early_says_so_and_stays_within_the_budget(loss, max_iter):
    X, y = table(loss)
    with pytest.warns(ConvergenceWarning, match=rf"relative gap of tol=1e-09 within "
                      rf"max_iter={max_iter} steps: the gap is .* for the budget 1.*Raise max_iter "
                      "or tol") as caught:  # fmt: skip
        found = model(loss, budget=[1.0, 4.0], C=10.0, tol=1e-9, max_iter=max_iter).fit(X, y)
    assert caught[0].filename == __file__
    assert (found.gap_ > 1e-9).any()
    assert (found.prices_ <= found.budgets_).all()
    exact = model(loss, budget=[1.0, 4.0], C=10.0, max_iter=50_000).fit(X, y)
    assert (found.least_objective_ <= exact.objective_ * (1 + 1e-9)).all()
    assert (found.spend(X, 3.0) <= 3.0).all()


def interrupted(learner, after, task="fit", y=Y):
    """Fit, and interrupt after so many budgets."""

    def handler(event):
        if event.task == task and event.done == after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), listening(handler):
        learner.fit(X, y)
    return learner


@pytest.mark.parametrize("after", [1, 2])
def test_what_was_solved_before_an_interrupt_is_a_model(after):
    budgets = [1.0, 3.0, 5.0, 8.0]
    found = interrupted(BudgetedSVC(COSTS, budgets), after)
    whole = BudgetedSVC(COSTS, budgets).fit(X, Y)
    assert found.budgets_.tolist() == budgets[:after]
    assert found.items_ == whole.items_[:after]
    for attribute in ("C_", "gap_", "bound_", "objective_", "prices_", "n_steps_"):
        assert len(getattr(found, attribute)) == after
    for budget in budgets[:after]:
        np.testing.assert_array_equal(
            found.decision_function(X, budget), whole.decision_function(X, budget)
        )
    assert found.spend(X).max() <= budgets[after - 1]


def test_an_interrupt_with_several_c_keeps_each_with_its_budget():
    budgets, CS = [1.0, 2.0, 3.0, 5.0, 8.0], [0.003, 0.1, 10.0]
    whole = BudgetedSVC(COSTS, budgets, C=CS, cv=3).fit(X, Y)
    assert len(set(whole.C_)) > 1
    for after in range(1, len(budgets)):
        found = interrupted(BudgetedSVC(COSTS, budgets, C=CS, cv=3), after)
        own = [budgets.index(budget) for budget in found.budgets_]
        assert found.C_.tolist() == whole.C_[own].tolist()
        assert found.objective_.tolist() == whole.objective_[own].tolist()


def test_an_interrupt_before_the_first_budget_leaves_no_model():
    found = interrupted(BudgetedSVC(COSTS, [1.0, 4.0], C=[0.1, 1.0], cv=3), 2, "C")
    with pytest.raises(NotFittedError):
        found.predict(X)


def test_words_are_for_the_classifier():
    with pytest.raises(ValueError, match=r"y holds 'low'; expected numbers\. Use BudgetedSVC"):
        BudgetedSVR(budget=2.0).fit(np.ones((4, 2)), ["low", "high", "low", "high"])
