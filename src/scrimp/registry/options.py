"""Options of ``scrimp fit`` that belong to some learners, by name."""

from __future__ import annotations

from typing import Any

from .spec import Make, Option

#: How boosting chooses a purchase.
RULES = ("smoothed", "greedy", "speedboost", "hybrid", "edge")
#: How a single tree chooses a test.
SPLIT_RULES = ("eg2", "cs-id3", "idx", "price-blind")
#: The most rounds of boosting by default, by task: on small tables more hardly help classes,
#: while numbers are approached in small steps. `fit` and `compare` both train so many.
N_ROUNDS = {"classification": 100, "regression": 500}
#: Weak learners of streaming boosting.
STREAM_LEARNERS = ("tree", "linear", "newton", "network", "convolution", "random-features")
#: How probabilities are calibrated.
CALIBRATIONS = ("sigmoid", "isotonic", "temperature")

#: Estimators of scikit-learn that ``--method refit`` knows by name.
_REFITTED: dict[str, dict[str, dict[str, Any]]] = {
    "hist-gradient-boosting": {
        "classification": {"estimator": Make("sklearn.ensemble.HistGradientBoostingClassifier")},
        "regression": {"estimator": Make("sklearn.ensemble.HistGradientBoostingRegressor")},
    },
    "random-forest": {
        "classification": {
            "estimator": Make("sklearn.ensemble.RandomForestClassifier", {"min_samples_leaf": 3})
        },
        "regression": {
            "estimator": Make("sklearn.ensemble.RandomForestRegressor", {"min_samples_leaf": 3})
        },
    },
    "logistic": {
        "classification": {
            "estimator": Make("sklearn.linear_model.LogisticRegression", {"max_iter": 1000}),
            "encode": "standard",
        },
    },
    "ridge": {
        "regression": {"estimator": Make("sklearn.linear_model.Ridge"), "encode": "standard"},
    },
}

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(
            "rule", "rule", "choice",
            "How a purchase is chosen: greedy and speedboost weigh what it tells against its "
            "price, smoothed does so less and less, hybrid begins greedy and goes on smoothed, "
            "edge does not look at prices. Boosted trees have penalty too, see --penalty.",
            default="smoothed", choices=(*RULES, "penalty"),
        ),
        Option(
            "penalty", "penalty", "float",
            "What one unit of price takes from the mean loss, for the rule penalty of boosted "
            "trees (GreedyMiser), such as 0.001.",
            least=0,
        ),
        Option(
            "loss", "loss", "choice",
            "The loss that boosted trees minimise: exponential or logistic for classes; squared, "
            "absolute, poisson (counts) or quantile for numbers. logistic and squared by default.",
            choices=(
                "exponential", "logistic", "squared", "absolute", "poisson", "quantile",
            ),
        ),
        Option(
            "quantile", "quantile", "float",
            "The quantile that --loss quantile predicts: 0.5, the median, by default.",
            least=0, most=1, tasks=("regression",),
        ),
        Option(
            "combine", "combine", "choice",
            "How an answer is made of the rounds on the columns at hand: stacked weighs each "
            "column by a regression, vote adds up the rounds as in the paper.",
            default="stacked", choices=("stacked", "vote"),
        ),
        Option(
            "rounds", "n_rounds", "int",
            f"The most rounds: {N_ROUNDS['classification']} by default, "
            f"{N_ROUNDS['regression']} to predict numbers.",
            least=1,
        ),
        Option(
            "depth", "max_depth", "int",
            "The most tests on a path of a boosted tree.",
            default=5, least=1,
        ),
        Option(
            "split-rule", "rule", "choice",
            "How a test of a tree is chosen: eg2, cs-id3 and idx weigh what it tells against its "
            "price; price-blind does not look at prices.",
            default="eg2", choices=SPLIT_RULES,
        ),
        Option(
            "tree-depth", "max_depth", "int",
            "The most tests on a path of a single tree; no limit by default.",
            least=1,
        ),
        Option(
            "search", "search", "choice",
            "How a single tree is searched for: test after test (greedy), as the best of all trees "
            "up to a depth of 3 (optimal), or by what held-out rows say where --tree-depth is at "
            "most 3.",
            default="auto", choices=("auto", "greedy", "optimal"),
        ),
        Option(
            "average-budget", "average_budget", "float",
            "The most that rows may pay on average; --budget stays the limit of each.",
            least=0,
        ),
        Option(
            "learning-rate", "learning_rate", "float",
            "The part of a step that a boosted tree takes: 0.1 by default.",
            least=0, most=1,
        ),
        Option(
            "learner", "learner", "choice",
            "The weak learners of a stream: trees, linear functions (by FTRL-proximal, or by "
            "online Newton steps), networks, convolutions of square images, or ridge regressions "
            "on random features.",
            default="tree", choices=STREAM_LEARNERS,
        ),
        Option(
            "unaffordable", "unaffordable", "choice",
            "At a choice that the rest of the budget cannot pay: choose among the others, or end.",
            default="skip", choices=("skip", "stop"),
        ),
        Option(
            "max-bins", "max_bins", "int",
            "Distinct values of a column up to which it is searched exactly.",
            default=255, least=2, most=65535,
        ),
        Option(
            "C", "C", "numbers",
            "What errors count against the norm of a support vector machine; of several the best "
            "is chosen by cross-validation. 1 by default.",
            least=0,
        ),
        Option(
            "estimator", "estimator", "preset",
            "What is refitted: hist-gradient-boosting by default; logistic predicts classes, "
            "ridge numbers.",
            presets=_REFITTED,
        ),
        Option(
            "class-weight", "class_weight", "class weights",
            "What rows of a class count in the training, such as sick=5,well=1; balanced for all "
            "classes the same.",
            tasks=("classification",),
        ),
        Option(
            "scoring", "scoring", "text",
            "A scorer of scikit-learn by which the models of a frontier are selected: the Brier "
            "score if none, for numbers the squared error.",
            metavar="NAME",
        ),
        Option(
            "positive", "positive", "text",
            "The class that a scorer such as f1 counts; by default 1, or the last by alphabet.",
            metavar="LABEL", tasks=("classification",),
        ),
        Option(
            "max-seconds", "max_seconds", "float",
            "About how long the training may take; what was learnt by then is the model.",
            least=0,
        ),
    )
}  # fmt: skip
