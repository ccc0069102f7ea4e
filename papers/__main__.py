"""``python -m papers PAPER``: the experiments of a paper, run again beside what it prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrimp.cli.errors import InputError, Interrupted, PlainErrors, one_line
from scrimp.cli.options import common_options, progress_option

from . import PAPERS

if TYPE_CHECKING:
    from .experiment import Study
    from .report import PaperPage


@click.command(cls=PlainErrors)
@click.argument("paper", type=click.Choice(PAPERS))
@click.option("--full", is_flag=True, help="As many trials as the paper; may take hours.")
@click.option(
    "--trials", type=click.IntRange(min=1), metavar="N",
    help="Trials of each dataset; by default few, for a first look.",
)  # fmt: skip
@click.option("--datasets", metavar="A[,B...]", help="Only these datasets of the paper.")
@click.option(
    "--chapter", metavar="NAME",
    help="Only this chapter of the experiments, as boosted_trees of huang2015.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Where the report and its pictures go.  [default: reproduce-PAPER]",
)  # fmt: skip
@click.option(
    "--work", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Keeps the result of every trial, so that a run that was stopped goes on where it was. "
    " [default: in the user's cache folder]",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="All chance comes from it.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="Processes at a time; the figures do not depend on it.")  # fmt: skip
@progress_option
@common_options
def reproduce(
    paper: str,
    full: bool,
    trials: int | None,
    datasets: str | None,
    chapter: str | None,
    out: Path | None,
    work: Path | None,
    seed: int,
    jobs: int,
    progress: bool | None,
    as_json: bool,
) -> None:
    """Run the experiments of PAPER again, on public data.

    Prints the figures beside those of the paper, and what became of each claim; a report has
    all of it, with a picture for each dataset. Datasets come from the folder $SCRIMP_DATA, the
    cache or OpenML; one that cannot be had is left out, and named.
    """
    if full and trials is not None:
        raise click.UsageError("--full and --trials exclude each other.")
    from scrimp.cli.output import print_json
    from scrimp.cli.progress import progress_bar
    from scrimp.datasets import cache

    from .trials import Runner

    chosen = None if datasets is None else [name.strip() for name in datasets.split(",")]
    work = cache.folder() / "reproduce" if work is None else work
    out = Path(f"reproduce-{paper}") if out is None else out
    try:
        with progress_bar(progress):
            runner = Runner(work, seed, jobs)
            pages = [part.run(runner, chosen, trials, full) for part in _parts(paper, chapter)]
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted. What is done is kept in {work}; the same command goes on from there."
        ) from None
    except ModuleNotFoundError as missing:  # of an extra; the message says how to install it
        raise InputError(one_line(missing)) from missing
    written = [page.write(out) for page in pages]
    if as_json:
        records = [
            page.record | {"files": list(map(str, files))}
            for page, files in zip(pages, written, strict=True)
        ]
        print_json(records[0] | ({"chapters": records[1:]} if records[1:] else {}))
    else:
        for page, files in zip(pages, written, strict=True):
            _print(page, files)


def _parts(paper: str, chapter: str | None) -> list[Study]:
    """Return the study of a paper with its chapters, or one of these alone."""
    from . import study

    whole = study(paper)
    if chapter is None:
        return [whole, *whole.chapters.values()]
    if chapter not in whole.chapters:
        known = ", ".join(whole.chapters) or "none"
        raise InputError(f"{paper} has no chapter {chapter!r}; it has: {known}.")
    return [whole.chapters[chapter]]


def _print(page: PaperPage, files: list[Path]) -> None:
    from scrimp.cli.output import print_table

    for table in page.shown:
        print_table(table.header, table.rows, table.title)
    for name, reason in page.record["left_out"].items():
        click.echo(f"Left out: {name}. {reason}\n")
    rows = [(verdict.outcome, verdict.claim) for verdict in page.verdicts]
    print_table(("outcome", "claim"), rows, "What became of the claims")
    click.echo(f"Report, with all figures: {files[-1]}")


if __name__ == "__main__":
    reproduce(prog_name="python -m papers")
