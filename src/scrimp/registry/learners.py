"""The table of learners. A new learner is one entry here."""

from __future__ import annotations

from .spec import LearnerSpec, Make, Variant

_FOLDS = "Folds are made of rows: a row given twice may be in two of them, a weight of 2 may not."
_ROWS = "The ridge follows from the number of rows, whatever the scale of their weights."
_FORWARD = {"criterion": "forward", "missing": "mean"}
_QUICK_FRONTIER = {"budgets": [1.0, 2.0], "candidates": ["linear"], "cv": 2}
_QUICK_ROUTED = {"budget": [1.0, 2.0], "learners": ["linear"], "cv": 2}
_QUICK_NET = {
    "n_epochs": 25, "width": 12, "inner_width": 12, "n_blocks": 3, "learning_rate": 0.02,
    "batch_size": 32,
}  # fmt: skip


def _rule(name: str, description: str, frontier: bool = False) -> Variant:
    """A rule of boosting; where all prices are equal, all rules choose as `smoothed` does."""
    twin = "" if name == "smoothed" else "smoothed"
    return Variant(name, description, {"rule": name}, twin, frontier)


def _refit_of(path: str) -> dict[str, object]:
    """Parameters of a refit that is quick to check."""
    tree = Make(path, {"max_depth": 3, "min_weight_fraction_leaf": 0.01})
    return {"estimator": tree, "order": "linear", "random_state": 0}


#: Learners by the name of their method, in the order of help texts and tables.
LEARNERS: dict[str, LearnerSpec] = {
    spec.name: spec
    for spec in (
        LearnerSpec(
            "boosting",
            "boosted stumps",
            {
                "classification": Make("scrimp.learners.boosting.BudgetedBoostingClassifier"),
                "regression": Make("scrimp.learners.boosting.BudgetedBoostingRegressor"),
            },
            details="boosted stumps within a budget; rules `smoothed`, `greedy`, `speedboost`, "
            "`hybrid`, `edge` (AdaBoostBT); two classes (AdaBoost), more (logistic loss, "
            "AdaBoost.MH or SAMME), or numbers by gradient boosting with squared or absolute loss",
            reference="Huang, Powers and Reyzin 2015; Grubb and Bagnell 2012; Friedman 2001",
            options=(
                "rule",
                "rounds",
                "combine",
                "unaffordable",
                "max-bins",
                "class-weight",
                "max-seconds",
            ),
            budgets="several",
            variants=(
                _rule(
                    "smoothed",
                    "boosting that weighs value against price, less so the more is spent",
                    frontier=True,
                ),
                _rule("greedy", "boosting, most value per price"),
                _rule("speedboost", "boosting, fastest fall of the loss per price"),
                _rule("hybrid", "boosting, first greedy and then smoothed"),
                _rule("edge", "AdaBoost stopped at the budget", frontier=True),
            ),
            compared_by_default=True,
            check_params={"classification": {"n_rounds": 20}, "regression": {"n_rounds": 20}},
            exemptions={"check_sample_weight_equivalence_on_dense_data": _FOLDS},
        ),
        LearnerSpec(
            "trees",
            "boosted trees",
            {
                "classification": Make(
                    "scrimp.learners.boosting.BudgetedBoostingClassifier", {"max_depth": 5}
                ),
                "regression": Make(
                    "scrimp.learners.boosting.BudgetedBoostingRegressor", {"max_depth": 5}
                ),
            },
            details="[boosted trees](docs/boosted_trees.md) within a budget, by the same rules or "
            "a penalty on prices (GreedyMiser), with losses for classes, numbers, counts and "
            "quantiles: `max_depth=5`. An ensemble for each part of what is bought, with as many "
            "trees as held-out rows say",
            reference="Friedman 2001; Xu, Weinberger and Chapelle 2012; Ke et al. 2017",
            options=(
                "rule",
                "rounds",
                "depth",
                "loss",
                "quantile",
                "penalty",
                "learning-rate",
                "combine",
                "unaffordable",
                "max-bins",
                "class-weight",
                "max-seconds",
            ),
            budgets="several",
            check_params={
                "classification": {"max_depth": 3, "n_rounds": 10, "min_samples_leaf": 2},
                "regression": {"max_depth": 3, "n_rounds": 10, "min_samples_leaf": 2},
            },
            check_examples=4,
            exemptions={
                "check_sample_weight_equivalence_on_dense_data": _FOLDS,
                "check_free_items_are_used": "Free items that predict held-out rows no better "
                "than the prior are left out.",
            },
        ),
        LearnerSpec(
            "streaming",
            "boosted trees that learn from a stream",
            {
                "classification": Make("scrimp.learners.streaming.StreamingBoostingClassifier"),
                "regression": Make("scrimp.learners.streaming.StreamingBoostingRegressor"),
            },
            details="[gradient boosting from one pass over a stream](docs/streaming.md): all trees "
            "learn together as rows arrive (`partial_fit`), in bounded memory, and buy what a "
            "budget pays for; squared, absolute, quantile, Poisson, logistic and hinge loss",
            reference="Hu 2019, ch. 5",
            options=("rule", "learner", "depth", "learning-rate", "class-weight", "max-seconds"),
            noun="stream",
            check_params={"classification": {"n_learners": 6}, "regression": {"n_learners": 6}},
            check_examples=4,
            exemptions={
                "check_sample_weight_equivalence_on_dense_data": "Rows are learnt in their order, "
                "in blocks that count rows.",
            },
        ),
        LearnerSpec(
            "sampled",
            "AdaBoost, its stumps sampled",
            {"classification": Make("scrimp.learners.boosting.SampledBoostingClassifier")},
            details="AdaBoost of which each row samples stumps until its budget is used up "
            "(AdaBoostRS, AdaBoostRS_AC, best first), answered by stacked columns or by the "
            "paper's vote; wraps a fitted scikit-learn AdaBoost, "
            "forest, bagging or linear model too",
            reference="Reyzin 2011",
            options=("rounds", "combine", "max-bins", "class-weight", "max-seconds"),
            budgets="none",
            compared_by_default=True,
            check_params={"classification": {"n_rounds": 15, "max_draws": 20}},
            exemptions={"check_sample_weight_equivalence_on_dense_data": _FOLDS},
        ),
        LearnerSpec(
            "tree",
            "a pruned tree",
            {
                "classification": Make("scrimp.learners.trees.BudgetedTreeClassifier"),
                "regression": Make("scrimp.learners.trees.BudgetedTreeRegressor"),
            },
            details="[a pruned decision tree](docs/trees.md) whose tests weigh what they tell "
            "against their price (EG2, CS-ID3, IDX); each row pays for its own path, within a "
            "budget and an average; or price-blind: the papers' baseline",
            reference="Breiman et al. 1984; Nunez 1991; Turney 1995",
            options=(
                "split-rule",
                "average-budget",
                "tree-depth",
                "search",
                "class-weight",
                "max-seconds",
            ),
            noun="tree",
            compared_by_default=True,
            check_examples=4,
            exemptions={
                "check_free_items_are_used": "A row buys what is on its own path.",
                "BudgetedTreeRegressor.check_column_order": "A few rows are divided equally well "
                "by several columns; the first of them is tested.",
            },
        ),
        LearnerSpec(
            "linear",
            "a linear model in one order of purchases",
            {
                "classification": Make("scrimp.learners.linear.SequencedClassifier", _FORWARD),
                "regression": Make("scrimp.learners.linear.SequencedRegressor", _FORWARD),
            },
            details="ridge or logistic regression on groups of columns in one learned order "
            "(CS-G-FR, CS-G-OMP, doubling), near the best whenever it is cut off; data larger "
            "than memory; bounds. [When to choose what, with pictures](docs/anytime_linear.md)",
            reference="Hu 2019, ch. 3",
            options=("class-weight", "max-seconds"),
            noun="linear model",
            compared_by_default=True,
            exemptions={
                "SequencedClassifier.check_sample_weight_equivalence_on_dense_data": _ROWS,
                "SequencedClassifier.check_sample_weight_equivalence_on_sparse_data": _ROWS,
            },
        ),
        LearnerSpec(
            "frontier",
            "the best of many models for each budget",
            {
                "classification": Make("scrimp.meta.frontier.FrontierClassifier"),
                "regression": Make("scrimp.meta.frontier.FrontierRegressor"),
            },
            details="[for each budget the best of many models](docs/frontier.md): what to buy is "
            "searched, and trees, forests, kernel and linear models, boosted stumps and your own "
            "estimators compete by cross-validation",
            reference="scrimp's own",
            options=("class-weight", "scoring", "positive", "max-seconds"),
            budgets="several",
            budget_parameter="budgets",
            first_result="the first fold",
            trained_per_budget=True,
            compared_by_default=True,
            searches=True,
            calibrates=False,
            check_params={"classification": _QUICK_FRONTIER, "regression": _QUICK_FRONTIER},
            check_examples=2,
            exemptions={"check_sample_weight_equivalence_on_dense_data": _FOLDS},
        ),
        LearnerSpec(
            "routed",
            "a tree of models, each on what pays for its rows",
            {
                "classification": Make("scrimp.meta.routed.RoutedClassifier"),
                "regression": Make("scrimp.meta.routed.RoutedRegressor"),
            },
            details="[a tree of models](docs/routed.md): all rows buy a core, what it shows "
            "decides which items are bought next within a hard budget, and a model per region "
            "answers; cross-validated against the best set for all rows",
            reference="scrimp's own; after Xu et al. 2013",
            options=("class-weight", "max-seconds"),
            budgets="several",
            budgets_by_default=True,
            first_result="the first fold",
            trained_per_budget=True,
            searches=True,
            calibrates=False,
            check_params={"classification": _QUICK_ROUTED, "regression": _QUICK_ROUTED},
            check_examples=2,
            exemptions={"check_sample_weight_equivalence_on_dense_data": _FOLDS},
        ),
        LearnerSpec(
            "svm",
            "the best linear support vector machine that each budget pays for",
            {
                "classification": Make(
                    "scrimp.learners.svm.BudgetedSVC", {"scale": True, "missing": "mean"}
                ),
                "regression": Make(
                    "scrimp.learners.svm.BudgetedSVR", {"scale": True, "missing": "mean"}
                ),
            },
            details="[the best linear support vector machine whose groups of columns a budget "
            "pays for](docs/budgeted_svm.md), with a certificate of how far it can be from the "
            "best, which on small tables is mostly a proof that it is the best; dense or sparse, "
            "up to millions of columns",
            reference="Wang, Zhu and Chi 2018",
            options=("C", "class-weight", "max-seconds"),
            budgets="several",
            budgets_by_default=True,
            trained_per_budget=True,
            check_examples=2,
        ),
        LearnerSpec(
            "refit",
            "an estimator of scikit-learn, refitted after each purchase",
            {
                "classification": Make("scrimp.meta.refit.RefitClassifier"),
                "regression": Make("scrimp.meta.refit.RefitRegressor"),
            },
            details="[any scikit-learn estimator](docs/any_model.md), refitted on each prefix of "
            "the order in which another model buys",
            reference="the model you trust",
            options=("estimator", "class-weight", "max-seconds"),
            noun="refitted model",
            check_params={
                "classification": _refit_of("sklearn.tree.DecisionTreeClassifier"),
                "regression": _refit_of("sklearn.tree.DecisionTreeRegressor"),
            },
            check_examples=3,
        ),
        LearnerSpec(
            "cascade",
            "a cascade: cheap models answer the sure rows, and the others go on",
            {"classification": Make("scrimp.meta.cascade.CascadeClassifier")},
            details="[a cascade of any estimators](docs/cascades.md): each row leaves at the first "
            "stage that is sure of it, by thresholds for an average spend or an allowed increase "
            "of errors; or by gates, and cheap models that imitate a dear one",
            reference="Viola and Jones 2001; Nan and Saligrama 2017",
            options=("average-budget", "class-weight", "max-seconds"),
            noun="cascade",
            check_params={
                "classification": {
                    "estimators": Make(
                        "sklearn.tree.DecisionTreeClassifier",
                        {"max_depth": 3, "min_weight_fraction_leaf": 0.01},
                    ),
                    "order": "linear",
                    "random_state": 0,
                }
            },
            check_examples=3,
            exemptions={"check_sample_weight_equivalence_on_dense_data": _FOLDS},
        ),
        LearnerSpec(
            "lasso",
            "a linear model in the order of a group lasso's path",
            {"regression": Make("scrimp.learners.linear.GroupLassoRegressor", {"missing": "mean"})},
            details="the order of a cost-weighted group lasso: a baseline "
            "(`pip install '.[lasso]'`)",
            reference="Yuan and Lin 2006",
            options=("max-seconds",),
            noun="linear model",
            check_params={"regression": {"n_penalties": 20}},
            check_examples=5,
            extra="lasso",
            needs="skglm",
        ),
        LearnerSpec(
            "poisson",
            "a Poisson regression for counts in one order of purchases",
            {
                "counts": Make(
                    "scrimp.learners.linear.SequencedPoissonRegressor", {"missing": "mean"}
                )
            },
            details="Poisson regression on groups of columns in one learned order, for counts "
            "and rates",
            reference="Hu 2019, Sec. 3.7",
            options=("max-seconds",),
            noun="linear model",
            exemptions={
                "check_sample_weight_equivalence_on_dense_data": _ROWS,
                "check_sample_weight_equivalence_on_sparse_data": _ROWS,
            },
        ),
        LearnerSpec(
            "net",
            "a network with an exit after each block",
            {
                "classification": Make("scrimp.nets.AnytimeNetClassifier"),
                "regression": Make("scrimp.nets.AnytimeNetRegressor"),
            },
            details="[networks with exits](docs/nets.md) for tables and images, whose blocks buy "
            "columns and computation; losses of exits are balanced by AdaLoss "
            "(`pip install '.[nets]'`, from `scrimp.nets`)",
            reference="Hu 2019, ch. 4",
            options=("class-weight", "max-seconds"),
            noun="network",
            check_params={
                "classification": _QUICK_NET,
                "regression": _QUICK_NET,
            },
            check_examples=3,
            exemptions={
                "check_sample_weight_equivalence_on_dense_data": "Rows are learnt in batches, "
                "which count rows.",
            },
            extra="nets",
            needs="torch",
        ),
        LearnerSpec(
            "calibrated",
            "calibrated probabilities",
            {"classification": Make("scrimp.meta.calibration.CalibratedClassifier")},
            details="any of the classifiers, with probabilities that mean what they say at every "
            "budget, cross-fitted",
            reference="Platt 1999; Zadrozny and Elkan 2002; Guo et al. 2017",
            is_method=False,
            check_params={
                "classification": {
                    "estimator": Make(
                        "scrimp.learners.boosting.BudgetedBoostingClassifier",
                        {"n_rounds": 10, "random_state": 0},
                    ),
                    "cv": 2,
                }
            },
            check_examples=3,
            exemptions={"check_sample_weight_equivalence_on_dense_data": _FOLDS},
        ),
    )
}
