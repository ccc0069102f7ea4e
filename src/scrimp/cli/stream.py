"""``scrimp stream``: learn from rows as they come, within a budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..registry.options import STREAM_LEARNERS
from .errors import INTERRUPTED, InputError, Interrupted, uninterrupted
from .options import (
    PRICE_LISTS,
    TABLES,
    InputFile,
    Money,
    OutputFile,
    common_options,
    drop_option,
    missing_option,
    progress_option,
    refuse_overwriting,
    task_option,
)

if TYPE_CHECKING:
    from .stream_run import StreamRun

#: What stands for standard input.
STANDARD_INPUT = "-"


class StreamInput(InputFile):
    """A table that is there, or standard input."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """From text; None is standard input."""
        return None if value == STANDARD_INPUT else super().convert(value, param, ctx)


@click.command(short_help="Learn from a stream, in one pass.")
@click.argument("data", type=StreamInput(TABLES), metavar="DATA|-")
@click.option("--target", required=True, metavar="COL", help="The column to predict.")
@click.option(
    "--costs", type=InputFile(PRICE_LISTS), metavar="PRICES",
    help="Price list; without one each column costs 1.",
)  # fmt: skip
@click.option("--budget", type=Money(), help="The most that a prediction may spend.")
@task_option
@click.option(
    "--classes", metavar="A,B[,...]",
    help="All classes that may come. By default those of the whole file, or of the first chunk of "
    "standard input.",
)  # fmt: skip
@click.option(
    "--learners", type=click.IntRange(1, 10_000), metavar="N", help="Weak learners; 20 by default."
)
@click.option(
    "--learner", type=click.Choice(STREAM_LEARNERS), metavar="NAME",
    help=f"Kind of weak learners: {', '.join(STREAM_LEARNERS)}; tree by default.",
)  # fmt: skip
@click.option(
    "--depth", type=click.IntRange(1, 12), metavar="N", help="Depth of trees; 5 by default."
)
@click.option(
    "--checkpoint", type=OutputFile(model=True), metavar="FILE",
    help="Where to keep the whole state. If the file is there, the stream goes on from it: rows "
    "that it counts are read and skipped.",
)  # fmt: skip
@click.option(
    "--every", type=click.IntRange(1), default=10_000, show_default=True, metavar="N",
    help="Rows between two checkpoints, and between two points of the curve.",
)  # fmt: skip
@click.option(
    "--chunk", type=click.IntRange(1), default=1_000, show_default=True, metavar="N",
    help="Rows that are answered before any of them is learnt from.",
)  # fmt: skip
@drop_option
@click.option(
    "--out", type=OutputFile(model=True), metavar="FILE",
    help="Where to save the model; by custom it ends in .scrimp.",
)  # fmt: skip
@missing_option
@progress_option
@common_options
def stream(
    data: Path | None, target: str, costs: Path | None, budget: float | None, task: str | None,
    classes: str | None, learners: int | None, learner: str | None, depth: int | None,
    checkpoint: Path | None, every: int, chunk: int, drop: tuple[str, ...], out: Path | None,
    missing: tuple[str, ...], progress: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Learn from DATA in one pass, chunk by chunk; - is CSV from standard input.

    Each chunk is answered before it is learnt from, which gives the error along the stream. All
    columns but the target are features, and their types are those of the first chunk. Interrupted
    with Ctrl-C, the model and the checkpoint are saved.
    """
    from .stream_run import Interruption, StreamRun, failed_after
    from .stream_source import StreamSource, StreamTarget

    refuse_overwriting([out, checkpoint], [data, costs])
    if out is not None and checkpoint is not None and out.absolute() == checkpoint.absolute():
        raise InputError("--out and --checkpoint name the same file. Give one another name.")
    source = StreamSource(data, chunk, missing, target)
    named = None if classes is None else [part.strip() for part in classes.split(",")]
    given = {
        "budget": budget, "n_learners": learners, "learner": learner, "max_depth": depth,
    }  # fmt: skip
    params = {name: value for name, value in given.items() if value is not None}
    drop = tuple(part.strip() for word in drop for part in word.split(","))
    run = StreamRun(
        source, StreamTarget(source, task, named), params, costs, drop, every, checkpoint
    )
    run.resume()
    interruption = Interruption()
    try:
        _learn(run, interruption, progress)
    except (InputError, ValueError) as error:
        if run.model is None or not run.rows:
            raise
        with uninterrupted():
            saved = _save(run, out, finished=False, consistent=_is_consistent(error))
        raise failed_after(run, error, saved) from error
    if run.model is None:
        if interruption.wanted:
            raise Interrupted("Interrupted before the first chunk: nothing was saved.")
        raise InputError(f"{source.name} has no rows.")
    with uninterrupted():
        _save(run, out, finished=not interruption.wanted, consistent=True)
        _report(run, out, not interruption.wanted, as_json)
    if interruption.wanted:
        click.get_current_context().exit(INTERRUPTED)


def _learn(run: StreamRun, interruption: Any, progress: bool | None) -> None:
    from .progress import progress_bar

    with interruption.watched(), progress_bar(progress, only="rows"):
        run.learn(interruption)


def _is_consistent(error: Exception) -> bool:
    """Return whether nothing was learnt from the chunk in which an error came up."""
    from ..learners.streaming.divergence import StreamDiverged

    return not isinstance(error, StreamDiverged)


def _save(run: StreamRun, out: Path | None, finished: bool, consistent: bool) -> list[Path]:
    """Save the model and the state; return where."""
    from .fit import save_model

    saved = []
    if run.checkpoint is not None and consistent:
        run.save_checkpoint()
        saved.append(run.checkpoint)
    if out is not None:
        save_model(run.model, out, run.source.target, finished)
        saved.append(out)
    return saved


def _report(run: StreamRun, out: Path | None, finished: bool, as_json: bool) -> None:
    from ..evaluation.progressive import measure_of
    from .fit import aim
    from .output import count, note, print_json, print_table
    from .plan_report import plan_record, print_plan

    model, target = run.model, run.source.target
    classes, means = getattr(model, "classes_", None), run.all.means
    curve = run.curve + ([[run.rows, *run.recent.means]] if run.recent.means else [])
    if as_json:
        print_json({
            "model": out and str(out), "checkpoint": run.checkpoint and str(run.checkpoint),
            "finished": finished, "rows": run.rows, "rows_skipped": run.n_resumed,
            "target": target, "task": run.target.task, "classes": classes,
            "measure": measure_of(model), "error": means and means[0], "spend": means and means[1],
            "curve": [{"rows": int(n), "error": e, "spend": s} for n, e, s in curve],
            **plan_record(model.predictor_),
        })  # fmt: skip
    else:
        click.echo(f"Learnt to {aim(target, classes)} from {count(run.rows, 'row')} of a stream.")
        if means:
            click.echo(
                f"Answered before they were learnt from, rows had a {measure_of(model)} of "
                f"{means[0]:.4g}, and paid {means[1]:.4g} on average."
            )
            rows = [[int(n), f"{error:.4g}", spend] for n, error, spend in curve]
            print_table(["rows", "error", "spent"], rows)
        print_plan(model.predictor_)
        if out is not None and finished:
            click.echo(f"Saved to {out}")
    if not finished:
        places = " and ".join(str(path) for path in (out, run.checkpoint) if path is not None)
        saved = f"saved what was learnt to {places}" if places else "nothing was saved"
        note(f"Interrupted after {count(run.rows, 'row')}: {saved}.")
