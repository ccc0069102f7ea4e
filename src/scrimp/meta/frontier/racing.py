"""Racing: nested cross-validation of candidates, in which hopeless ones are eliminated.

Maron, Moore. Hoeffding races: accelerating model selection search. NIPS 1993.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...data.folds import Splits
from ...plans import Fallback
from ...runtime.events import Progress, emit, muted
from ...runtime.time_limit import monotonic
from ...types import Floats, Ints
from ..cross_validation import CrossValidation
from . import knockout
from .candidate import Candidate
from .candidates import in_training_order
from .item_search import find_item_sets
from .one_standard_error import choose
from .problem import Problem, TrainingSet
from .routing.route import Route
from .routing.search import RouteSearch
from .selection_bias import OutOfFold
from .selection_loss import SelectionLoss, default_loss
from .trained import Trained, mean_of

#: The progress of a race counts trainings, one for each candidate on each fold.
TASK = "trainings"
#: Means of base learners that are tried beside each of them, where they have the same sets.
MEANS = (
    ("boosted", "forest"),
    ("boosted", "kernel"),
    ("boosted", "forest", "kernel"),
    ("forest", "kernel"),
    ("forest", "histogram"),
    ("boosted", "forest", "histogram"),
    ("linear", "kernel"),
    ("linear", "forest"),
    ("linear", "forest", "kernel"),
    ("linear", "boosted", "forest"),
    ("linear", "boosted", "forest", "kernel"),
    ("routed", "routed-forest"),
    ("routed", "routed-kernel"),
    ("routed", "routed-forest", "routed-kernel"),
    ("routed-forest", "routed-kernel"),
)
#: Values of one fold up to which losses are kept in double precision.
MAX_DOUBLE = 200_000
#: A candidate that is behind must be better at some budget by this many standard errors, else
#: it is eliminated: less keeps more candidates, and takes longer.
USEFUL_ERRORS = 0.5
#: Rows up to which the default candidate is the best over all budgets. Standard errors are so
#: large there that the simplest candidate would win against means that are better.
FEW_ROWS = 1_000
#: Folds of so few rows before a candidate may be eliminated: one fold has too few to tell.
MIN_FOLDS = 3


@dataclass(frozen=True)
class TimeShares:
    """How the time of a race is divided.

    Parameters
    ----------
    first_fold : float
        No candidate is begun in the first fold after this part: those that are left take no part,
        so that there is time for the final training of the others.
    folds : float
        No fold is begun that would end after this part; the rest is for the final training.
    search : float
        The part that each search for item sets may take.
    routes : float
        The part that each search for routes may take.
    grace : float
        The part by which the final training may end late.
    """

    first_fold: float = 0.5
    folds: float = 0.7
    search: float = 0.2
    routes: float = 0.2
    grace: float = 0.25


TIME_SHARES = TimeShares()


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Out-of-fold predictions of a candidate on one fold, and their weighted losses.

    Parameters
    ----------
    predictions : float array (budgets, rows, outputs)
        Predictions for the test rows.
    losses : float array (budgets, rows)
        Zero-one losses, or squared errors.
    selection_losses : float array (budgets, rows)
        The losses that candidates are selected by: half the Brier scores, or squared errors,
        unless another scorer was chosen. It may have one value per group of rows.
    """

    predictions: Floats
    losses: Floats
    selection_losses: Floats


class Race:
    """Candidates that are cross-validated on the same folds.

    Parameters
    ----------
    problem : Problem
        The table.
    candidates : sequence of Candidate
        Simple ones first.
    splits : list of (train, test)
        Positions of rows to train and to test on.
    pool : Executor, optional
        Threads.
    max_seconds : float
        Time limit.
    loss : SelectionLoss, optional
        What candidates are selected by; by default the Brier score or the squared error.
    max_levels : int
        How often a row of a routed candidate is routed, at most.
    default_errors : float, optional
        As in `choose`; by default 1, and 0 on few rows.

    Attributes
    ----------
    validation : CrossValidation
        The folds that are finished, failures, and the time that each candidate has taken.
    scores : dict of lists of FoldScores
        One per fold, for each candidate and mean that is still in the race.
    models : dict of Trained
        The candidates as trained in the last complete fold.
    eliminated : dict of float arrays (budgets,)
        The mean losses of candidates and means that were eliminated.
    untested : list of str
        Candidates that there was no time for.
    """

    def __init__(
        self, problem: Problem, candidates: Sequence[Candidate], splits: Splits,
        pool: Executor | None, max_seconds: float, loss: SelectionLoss | None = None,
        max_levels: int = 3, default_errors: float | None = None,
    ) -> None:  # fmt: skip
        self.problem, self.pool, self.loss = problem, pool, loss or default_loss
        self.candidates = {candidate.name: candidate for candidate in candidates}
        self.validation: CrossValidation[TrainingSet, Floats] = CrossValidation(
            TASK, splits, in_training_order(candidates, problem), self.prepare, self._evaluate,
            lambda error: f"{type(error).__name__}: {error}", max_seconds,
            first_share=TIME_SHARES.first_fold,
        )  # fmt: skip
        few = len(problem.target.y) <= FEW_ROWS
        self.default_errors = float(not few) if default_errors is None else default_errors
        self.max_levels = max_levels
        self.scores: dict[str, list[FoldScores]] = {}
        self.models: dict[str, Trained] = {}
        self.eliminated: dict[str, Floats] = {}
        self.untested: list[str] = []
        self._eliminated_candidates: list[str] = []
        self._fold_models: dict[str, Trained] = {}

    def run(self) -> None:
        """Cross-validate fold by fold, as long as the next fold will be finished in time."""
        begin = monotonic()
        for fold in self.validation.run():
            self._finish_fold(fold)
            begin, took = monotonic(), monotonic() - begin
            if self.validation.remaining(TIME_SHARES.folds) < took:
                break
        if not self.validation.n_complete:  # the time was over in the first fold
            self.untested += self.validation.settle()
            if self.validation.n_complete:
                self._finish_fold(0)
        self._forget_failed()
        emit(Progress(TASK, self.validation.n_tried, self.validation.n_tried))

    def prepare(self, index: Ints) -> TrainingSet:
        """Prepare rows to train on, and search item sets if a candidate wants them."""
        begin, self._fold_models = monotonic(), {}
        with _quietly():
            rows = TrainingSet.of(self.problem, index, self.pool)
            if any(self.candidates[name].wants_sets for name in self.validation.candidates):
                deadline = begin + TIME_SHARES.search * self.validation.max_seconds
                rows = replace(rows, sets=find_item_sets(rows, deadline))
            if any(self.candidates[name].wants_routes for name in self.validation.candidates):
                rows = replace(rows, routes=self._routes(rows))
        if not self.problem.is_sparse:
            self.validation.add_seconds("search", monotonic() - begin)
        return rows

    def _routes(self, rows: TrainingSet) -> list[Route]:
        """Return a route for each budget, around the item sets that were found."""
        seconds = TIME_SHARES.routes * self.validation.max_seconds
        search = RouteSearch(rows, self.max_levels, monotonic() + seconds)
        return search.routes(rows.sets["trees"], self.problem.budgets)

    def _evaluate(self, name: str, rows: TrainingSet, test: Ints) -> Floats:
        with _quietly():
            trained = self._fold_models[name] = self.candidates[name].train(rows)
            return trained.predictions(test)

    def _finish_fold(self, fold: int) -> None:
        """Score a complete fold, with means, and eliminate hopeless candidates."""
        self._forget_failed()
        results = self.validation.results
        predictions = {name: results[name].pop(fold) for name in self._remaining()}
        for members in MEANS:
            if all(name in predictions for name in members) and self._share_sets(members):
                mean = np.mean([predictions[name] for name in members], axis=0)
                predictions["+".join(members)] = mean
        rows = self.validation.splits[fold][1]
        target = self.problem.target.subset(rows)
        for name, oof in predictions.items():
            losses = target.row_losses(oof) * target.weights
            selected = self.loss(target, oof, rows)
            scores = FoldScores(_compact(oof), _compact(losses), _compact(selected))
            self.scores.setdefault(name, []).append(scores)
        self._forget_partial_means()
        self.models = self._fold_models
        enough = min(MIN_FOLDS, len(self.validation.splits))
        if fold + 1 >= enough or len(self.problem.target.y) > FEW_ROWS:
            self._eliminate()

    def _remaining(self) -> list[str]:
        """Return the candidates that are still in the race, simple ones first."""
        return [name for name in self.candidates if name in self.validation.candidates]

    def _share_sets(self, members: Sequence[str]) -> bool:
        """Return whether candidates have the same item sets, so that their mean costs no more."""
        return mean_of("+".join(members), self._fold_models) is not None

    def _forget_partial_means(self) -> None:
        """Remove the scores of means whose members had other item sets in some of the folds."""
        n_folds = max(map(len, self.scores.values()), default=0)
        self.scores = {name: folds for name, folds in self.scores.items() if len(folds) == n_folds}

    def _forget_failed(self) -> None:
        """Remove the scores of candidates that have failed, also in means."""
        for name in list(self.scores):
            if any(member in self.validation.failures for member in name.split("+")):
                del self.scores[name]

    def _eliminate(self) -> None:
        """Drop candidates that improve nothing at any budget, alone or in means."""
        selected, losses = self.selection_losses(), self.losses()
        for name in reversed(self._remaining()):  # of equals the simpler stays
            current = [other for other in selected if other in self.scores]
            with_it = [other for other in current if name in other.split("+")]
            without = [other for other in current if other not in with_it]
            if without and not _helps(
                [selected[n] for n in with_it], [selected[n] for n in without]
            ):
                self.validation.drop(name)
                self._eliminated_candidates.append(name)
                for other in with_it:
                    del self.scores[other]
                    self.eliminated[other] = losses[other].mean(axis=1)

    def rerun_eliminated(self) -> None:
        """Race the eliminated candidates, when all others have failed."""
        self.validation.restart(self._eliminated_candidates)
        self._eliminated_candidates, self.eliminated, self.models = [], {}, {}
        self.run()

    def losses(self) -> dict[str, Floats]:
        """Return the weighted losses (budgets, rows) of each candidate on all tested rows."""
        return {
            name: self._by_row([s.losses for s in folds]) for name, folds in self.scores.items()
        }

    def selection_losses(self) -> dict[str, Floats]:
        """Return the losses (budgets, rows) that candidates are selected by."""
        return {
            name: self._by_row([s.selection_losses for s in folds])
            for name, folds in self.scores.items()
        }

    def tested(self) -> Ints:
        """Return the rows that were held out in some fold, ascending."""
        return np.unique(np.concatenate(self.validation.tested()))

    def _by_row(self, folds: list[Floats]) -> Floats:
        """Return the losses of folds by row, in the order of `tested`; means if they repeat."""
        rows = np.concatenate(self.validation.tested()[: len(folds)])
        if sum(part.shape[1] for part in folds) != len(rows):
            return np.concatenate(folds, axis=1)  # of groups of rows, not of single rows
        _, place, counts = np.unique(rows, return_inverse=True, return_counts=True)
        if (counts == 1).all():
            return np.concatenate(folds, axis=1)[:, np.argsort(rows)]
        sums = np.zeros((len(counts), len(folds[0])))
        np.add.at(sums, place.reshape(-1), np.concatenate(folds, axis=1).T)
        return np.ascontiguousarray((sums / counts[:, None]).T)

    def _prior_loss(self, rows: Ints) -> Floats:
        """Return the losses (1, rows) that candidates are selected by, of the prior."""
        prior = np.tile(self.problem.target.prior, (1, len(rows), 1))
        return self.loss(self.problem.target.subset(rows), prior, rows)

    def out_of_fold(self) -> OutOfFold:
        """Return the losses of all candidates and of the prior, which buys nothing."""
        target = self.problem.target.subset(self.tested())
        prior = np.tile(self.problem.target.prior, (1, len(target.y), 1))
        return OutOfFold(
            self.selection_losses(), self.losses(),
            self._by_row([self._prior_loss(rows) for rows in self.validation.tested()])[0],
            target.row_losses(prior)[0] * target.weights,
            self.problem.budgets[0] == 0,
            self.default_errors,
        )  # fmt: skip

    def winners(self) -> list[str | None]:
        """Return the best candidate for each budget, by the one-standard-error rule."""
        oof = self.out_of_fold()
        return choose(
            oof.selection_losses, oof.prior_selection, oof.first_is_free, oof.default_errors
        )

    def final_models(self) -> tuple[dict[str, Trained], list[str | None]]:
        """Return the winners trained on all rows, and their names for each budget.

        If one fails, those are trained that win without it. If there is no time for that, the
        models of the last complete fold are returned.
        """
        models: dict[str, Trained] = {}
        rows: TrainingSet | None = None
        while self.scores or self._eliminated_candidates:
            if not self.scores:
                self.rerun_eliminated()
                continue
            names = self.winners()
            wanted = list(dict.fromkeys(name for name in names if name))
            if rows is None and not self.has_time_for(wanted):
                return dict(self.models), names
            self._keep_models(wanted)
            rows = rows or self.prepare(np.arange(len(self.problem.target.y)))
            for position, name in enumerate(wanted):
                emit(Progress("last training", position, len(wanted), name))
                if not self._train(name, rows, models):
                    self.scores.pop(name, None)
            if all(name in self.scores for name in wanted):
                return models, names
        raise ValueError(f"No candidate could be trained. {listed(self.validation.failures)}")

    def _keep_models(self, names: Sequence[str]) -> None:
        """Forget the models of the last fold but those of some candidates: they take memory."""
        members = {member for name in names for member in name.split("+")}
        self.models = {name: one for name, one in self.models.items() if name in members}
        self._fold_models = {}

    def fallback(self, entries: Sequence[set[int]]) -> Fallback | None:
        """Return the fallback of a menu; where time is short it learns from few rows."""
        begin, seconds = monotonic(), self.validation.seconds
        is_short = self.validation.remaining(1.0 + TIME_SHARES.grace) < seconds.get("search", 0.0)
        options = knockout.options_for(self.problem, entries, is_short)
        with _quietly():
            fallback = knockout.train_fallback(self.problem, entries, self.pool, options)
        self.validation.add_seconds("fallback", monotonic() - begin)
        return fallback

    def has_time_for(self, names: Sequence[str]) -> bool:
        """Return whether candidates can be trained on all rows, by the time taken so far."""
        validation = self.validation
        members = {"search", *(member for name in names for member in name.split("+"))}
        took = sum(validation.seconds.get(member, 0.0) for member in members)
        n = validation.n_complete
        fold_rows = float(np.mean([len(train) for train, _ in validation.splits[:n]]))
        # the search and forests use a limited number of rows
        expected = took / n * min(len(self.problem.target.y) / fold_rows, 2.0)
        return expected <= validation.remaining(1.0 + TIME_SHARES.grace)

    def _train(self, name: str, rows: TrainingSet, models: dict[str, Trained]) -> bool:
        """Train the members of a candidate that are not trained yet; return whether it works."""
        members, failures = name.split("+"), self.validation.failures
        for member in members:
            if member not in models and member not in failures:
                with self.validation.attempt(member), _quietly():
                    models[member] = self.candidates[member].train(rows)
        self._forget_failed()
        return not any(member in failures for member in members) and bool(mean_of(name, models))


@contextmanager
def _quietly() -> Iterator[None]:
    """Silence warnings and progress events of a training, in one thread of BLAS."""
    # small products are slower in several threads, much so where cores are busy
    with warnings.catch_warnings(), threadpool_limits(1, "blas"), muted():
        warnings.simplefilter("ignore")
        yield


def _compact(values: Floats) -> Floats:
    """Return many values in single precision, which is enough for means over many rows."""
    return values.astype(np.float32) if values.size > MAX_DOUBLE else values


def listed(failures: dict[str, str]) -> str:
    """Return candidates that failed with their reasons, as a sentence."""
    return "; ".join(f"{name}: {reason}" for name, reason in failures.items())


def _helps(with_it: list[Floats], without: list[Floats]) -> bool:
    """Return whether a candidate, alone or in means, may still improve something.

    It does not if the best of these losses is larger over all budgets by a standard error, and
    smaller at none by half of one.
    """
    first, other = (min(part, key=lambda loss: float(loss.mean())) for part in (with_it, without))
    behind = (first - other).mean(axis=0)
    if behind.mean() < behind.std() / np.sqrt(len(behind)):
        return True
    first, other = (
        np.min([loss.mean(axis=1) for loss in part], axis=0) for part in (with_it, without)
    )
    error = without[0].std(axis=1) / np.sqrt(without[0].shape[1])
    return bool((other - first > USEFUL_ERRORS * error).any())
