"""A study: the trials of a paper on its datasets, and the report made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reporting.page import markdown_table, versions
from scrimp.datasets import DatasetUnavailable

from .features import binary
from .report import PaperPage, Table, left_out_text
from .trials import Data, Record, Runner, Setting, Trial


@dataclass(frozen=True)
class Results:
    """The results of the trials of a study.

    Parameters
    ----------
    records : mapping
        For each dataset the results of its trials.
    shapes : mapping
        For each dataset its rows and features.
    remarks : mapping
        For each dataset what it was made of.
    """

    records: Mapping[str, Sequence[Record]]
    shapes: Mapping[str, tuple[int, ...]]
    remarks: Mapping[str, str]


@dataclass(frozen=True)
class Study:
    """The experiments of a paper, to be run again.

    Parameters
    ----------
    paper : str
        Its short name.
    title : str
        The heading of the report.
    reference : str
        Where it was published.
    settings : mapping
        Its datasets, as published.
    quick : mapping
        Default number of trials of each dataset.
    trial : callable
        Runs one trial; see `Runner.run`.
    recipe : object that JSON can hold
        What decides over its results; see `Runner.run`.
    notes : tuple of str
        What differs from the paper.
    fill : callable
        Adds verdicts, tables and pictures to the report.
    load : callable, optional
        Gives a dataset by its name; by default one of 0/1 features.
    chapter : str, optional
        The name of a chapter, which has a report of its own.
    chapters : mapping
        Further questions on the same paper, by the names of their chapters.
    trial_is : str
        What a trial is, in words.
    """

    paper: str
    title: str
    reference: str
    settings: Mapping[str, Setting]
    quick: Mapping[str, int]
    trial: Trial
    recipe: Any
    notes: tuple[str, ...]
    fill: Callable[[PaperPage, Results], None]
    load: Callable[[str], Data] | None = None
    chapter: str | None = None
    chapters: Mapping[str, Study] = field(default_factory=dict)
    trial_is: str = "a random division into training and test rows with a new list of prices"

    @property
    def name(self) -> str:
        """Return the name of its report."""
        return self.paper if self.chapter is None else f"{self.paper}-{self.chapter}"

    def n_trials(self, name: str, asked: int | None, full: bool) -> int:
        """Return the number of trials: as asked for, as in the paper, or a few."""
        if asked is not None:
            return asked
        return self.settings[name].trials if full else self.quick[name]

    def way(self, name: str) -> tuple[Trial, Any]:
        """Return the function that runs a trial of a dataset, and the recipe of its results."""
        return self.trial, self.recipe

    def check_names(self, names: Sequence[str] | None) -> list[str]:
        """Return the datasets to run, in the order of the paper."""
        unknown = [name for name in names or () if name not in self.settings]
        if unknown:
            raise ValueError(
                f"{self.paper} has no dataset {unknown[0]!r}. It has: {', '.join(self.settings)}."
            )
        return [name for name in self.settings if names is None or name in names]

    def run(
        self,
        runner: Runner,
        names: Sequence[str] | None = None,
        trials: int | None = None,
        full: bool = False,
        load: Callable[[str], Data] | None = None,
    ) -> PaperPage:
        """Run the trials that are not kept from before, and write the report.

        Parameters
        ----------
        runner : Runner
            Where and how.
        names : sequence of str, optional
            Datasets; all by default.
        trials : int, optional
            Trials of each.
        full : bool
            As many trials as the paper had.
        load : callable, optional
            Gives a dataset by name; by default the public one.
        """
        records, shapes, remarks, left_out = {}, {}, {}, {}
        for name in self.check_names(names):
            try:
                data: Data = (load or self.load or binary)(name)
            except DatasetUnavailable as reason:
                left_out[name] = str(reason)
                continue
            n_trials = self.n_trials(name, trials, full)
            trial, recipe = self.way(name)
            records[name] = runner.run(
                self.name, trial, data, self.settings[name], n_trials, recipe
            )
            shapes[name], remarks[name] = data.X.shape, data.remark
        if not records:
            reasons = " ".join(left_out.values())
            raise DatasetUnavailable(f"None of the datasets can be had. {reasons}")
        command = self.command(names, trials, full, runner.seed)
        return self._page(Results(records, shapes, remarks), left_out, command, runner.seed)

    def command(
        self, names: Sequence[str] | None, trials: int | None, full: bool, seed: int
    ) -> str:
        """Return the command that gives the same figures."""
        parts = ["python -m papers", self.paper]
        parts += [] if self.chapter is None else [f"--chapter {self.chapter}"]
        parts += ["--full"] if full and trials is None else []
        parts += [] if trials is None else [f"--trials {trials}"]
        parts += [] if names is None else [f"--datasets {','.join(self.check_names(names))}"]
        parts += [f"--seed {seed}"] if seed else []
        return " ".join(parts)

    def _page(
        self, results: Results, left_out: Mapping[str, str], command: str, seed: int
    ) -> PaperPage:
        page = PaperPage(self.name, f"{self.name}-")
        page.record = {
            "paper": self.paper,
            "command": command,
            "seed": seed,
            "trials": {name: len(records) for name, records in results.records.items()},
            "left_out": dict(left_out),
            "features": self._features(results),
        }
        page.shown.append(self._features_table(results))
        page.add(f"# {self.title}", self.reference)
        page.add(
            f"Written by `{command}` with {versions()}, seed {seed}. A trial is {self.trial_is}; "
            "intervals are of 95% over trials, and differences are taken within trials."
        )
        page.add(self._trials_text(results))
        page.add(*left_out_text(left_out), "\n".join(f"- {note}" for note in self.notes))
        self.fill(page, results)
        page.add("## Data", self._data_table(results))
        page.record["verdicts"] = [vars(verdict) for verdict in page.verdicts]
        return page

    def _features(self, results: Results) -> Record:
        return {
            name: {"here": d, "published": self.settings[name].n_features}
            for name, (_, d) in results.shapes.items()
        }

    def _trials_text(self, results: Results) -> str:
        counts = [
            f"{name} {len(records)} of {self.settings[name].trials}"
            for name, records in results.records.items()
        ]
        return f"Trials run, of those the paper had: {', '.join(counts)}."

    def _features_table(self, results: Results) -> Table:
        header = ("dataset", "trials", "of the paper", "features", "published")
        rows = [
            (name, len(records), self.settings[name].trials, results.shapes[name][1],
             self.settings[name].n_features)
            for name, records in results.records.items()
        ]  # fmt: skip
        return Table("Table 1: features", header, rows)

    def _data_table(self, results: Results) -> str:
        header = ("dataset", "trials", "of the paper", "rows", "train", "test", "rounds",
                  "features", "published", "made of")  # fmt: skip
        rows = []
        for name, records in results.records.items():
            s, (n, d) = self.settings[name], results.shapes[name]
            rows.append((name, len(records), s.trials, n, s.train, s.test, s.rounds, d,
                         s.n_features, results.remarks[name]))  # fmt: skip
        return markdown_table(header, rows)


class StudyOnOtherData(Study):
    """A study on other data than the paper's, without published sizes."""

    def _features(self, results: Results) -> Record:
        return {name: {"here": d} for name, (_, d) in results.shapes.items()}

    def _trials_text(self, results: Results) -> str:
        counts = [f"{name} {len(records)}" for name, records in results.records.items()]
        return f"Trials run: {', '.join(counts)}."

    def _features_table(self, results: Results) -> Table:
        rows = [
            (name, len(records), *(size or "" for size in results.shapes[name]))
            for name, records in results.records.items()
        ]
        return Table("Data", ("dataset", "trials", "rows", "features"), rows)

    def _data_table(self, results: Results) -> str:
        table = self._features_table(results)
        rows = [(*row, results.remarks[row[0]]) for row in table.rows]
        return markdown_table((*table.header, "made of"), rows)
