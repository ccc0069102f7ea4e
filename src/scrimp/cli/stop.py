"""``scrimp stop``: the threshold of confident stops, set on held-out rows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import (
    ErrorCost,
    Money,
    OutputFile,
    common_options,
    data_argument,
    missing_option,
    model_argument,
    refuse_overwriting,
)

if TYPE_CHECKING:
    from ..runtime.confidence_threshold import StopCalibration
    from ..runtime.ranking_exits import RankingCalibration


@click.command(short_help="Set when a row is settled, on held-out rows.")
@model_argument
@data_argument
@click.option("--target", required=True, metavar="COL", help="The column with the truth.")
@click.option(
    "--max-increase", type=float, metavar="SHARE",
    help="The largest share of rows that stopping may turn from right to wrong, such as 0.01.",
)  # fmt: skip
@click.option("--max-error", type=float, metavar="SHARE", help="The largest share of errors.")
@click.option("--average-budget", type=Money(), help="The largest mean spend.")
@click.option(
    "--error-cost", type=ErrorCost(),
    help="What an error costs, or each kind of error: spend plus errors are to cost the least.",
)  # fmt: skip
@click.option("--query", metavar="COL", help="Of a ranking: the column with the query of a row.")
@click.option(
    "--max-loss", type=float, default=0.002, show_default=True, metavar="NDCG",
    help="Of a ranking: the largest fall of the mean NDCG over queries.",
)  # fmt: skip
@click.option(
    "--ranks", type=int, default=10, show_default=True, metavar="K",
    help="Of a ranking: the ranks that count.",
)  # fmt: skip
@click.option(
    "--delta", type=float, default=0.05, show_default=True, metavar="P",
    help="The probability with which a limit may be exceeded.",
)  # fmt: skip
@click.option("--budget", type=Money(), help="The most that a row may spend.")
@click.option(
    "--out", type=OutputFile(model=True), required=True, metavar="FILE",
    help="Where to save the model with its threshold.",
)  # fmt: skip
@missing_option
@common_options
def stop(
    model: Path, data: Path, target: str, max_increase: float | None, max_error: float | None,
    average_budget: float | None, error_cost: Any, query: str | None, max_loss: float, ranks: int,
    delta: float, budget: float | None, out: Path, missing: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Set on DATA when a row of MODEL is settled, for --stop confident.

    DATA must hold rows that the model was not trained on. One goal is given: --max-increase,
    --max-error, --average-budget or --error-cost; or --query for a model that ranks.
    """
    from ..io import load, save
    from ..runtime.confidence_threshold import StopGoal
    from ..runtime.ranking_exits import RankingGoal
    from .errors import InputError, refusing_impossible
    from .model_columns import features, text_columns
    from .output import print_json
    from .tables import column, labels, read_table

    refuse_overwriting([out], [model, data])
    predictor, goals = load(model), (max_increase, max_error, average_budget, error_cost)
    is_ranker = predictor.target.is_number
    if is_ranker and (query is None or any(goal is not None for goal in goals)):
        raise InputError(
            f"{model} predicts numbers. To stop rows of a ranking early, give --query."
        )
    if query is not None and not is_ranker:
        raise InputError(f"{model} predicts classes, and --query is for a model that ranks.")
    goal = RankingGoal(max_loss, ranks, delta) if is_ranker else StopGoal(*goals, delta)
    has_text = not is_ranker and predictor.classes_.dtype.kind == "U"
    table = read_table(data, missing, text_columns(predictor) + ([target] if has_text else []))
    y, X = labels(table, target, data), features(table, predictor, data)
    reached: StopCalibration | RankingCalibration
    with refusing_impossible():
        if isinstance(goal, RankingGoal):
            queries = column(table, str(query), data, "the query").to_list()
            settled, reached = predictor.calibrate_ranking_stop(X, y, queries, goal, budget)
        else:
            settled, reached = predictor.calibrate_stop(X, y, goal, budget)
    save(settled, out)
    if as_json:
        print_json({"model": str(out), **asdict(reached)})
        return
    click.echo(_report(reached))
    click.echo(f"Saved to {out}. Use it: scrimp predict {out} new.csv --stop confident")


def _report(reached: StopCalibration | RankingCalibration) -> str:
    from ..runtime.ranking_exits import RankingCalibration
    from .output import count, money

    saved = 1.0 - reached.spend / reached.full_spend if reached.full_spend else 0.0
    spends = (
        f"spends {money(reached.spend)} on average instead of {money(reached.full_spend)} "
        f"({100 * saved:.0f}% less)"
    )
    if isinstance(reached, RankingCalibration):
        queries = "query" if reached.n_queries == 1 else "queries"
        return (
            f"A row stops when its score is too low for the top of its query. On "
            f"{reached.n_queries:,} held-out {queries} it then {spends}, and the mean NDCG is "
            f"{reached.ndcg:.4f} instead of {reached.full_ndcg:.4f}."
        )
    return (
        f"A row stops when its answer is {_thresholds(reached)}. On "
        f"{count(reached.n_rows, 'held-out row')} it then {spends}, and "
        f"{100 * reached.error:.1f}% of the answers are wrong instead of "
        f"{100 * reached.full_error:.1f}%."
    )


def _thresholds(reached: StopCalibration) -> str:
    """Return the probability from which on a row stops, by its spend if there are several."""
    from .output import money

    levels = reached.levels or ((0.0, reached.confidence),)
    words = ["never" if each > 1.0 else f"{100 * each:.1f}%" for _, each in levels]
    if len(levels) == 1:
        return f"{words[0]} probable"
    spends = [
        f"from {money(spent)} on {word}" for (spent, _), word in zip(levels, words, strict=True)
    ]
    return f"probable enough for its spend ({', '.join(spends)})"
