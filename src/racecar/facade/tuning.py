# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Search for the best values of parameters: what `racecar tune` and tune() run.

Optuna (T. Akiba et al., "Optuna: A next-generation hyperparameter optimization framework", KDD
2019) proposes the values with its tree-structured Parzen estimator, a batch of trials at a time;
the cars of a batch run side by side, as those of a sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import math
from typing import NamedTuple, TYPE_CHECKING
import warnings

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, excerpt, RunError
from racecar.base.extras import not_installed
from racecar.base.yaml_file import naming_file
from racecar.facade.arguments import Settings, suggesting_names, Text, text_of
from racecar.facade.chunks import Cores, Lost
from racecar.facade.cluster import Cluster, open_cores
from racecar.facade.simulation import progress_bar
from racecar.facade.sweep_parts import Part, SweepTask
from racecar.facade.sweeps import check_jobs, request_of
from racecar.facade.tuning_file import make_tuning, MEAN, Range, Tuning
from racecar.facade.tuning_result import COMPLETE, LOST, PRUNED, Trial, TuneResult
from racecar.facade.vehicle import Vehicle
from racecar.stacks.sweep import Sweep

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

_FIRST, _MOST_FIRST = 20, 80
"""Trials for each parameter that cover the space, before any is proposed, and of all together."""
_AT_ENDS = 1.0 / 3.0
"""Share of these at either end of a range: gains are often best switched off."""
_LEAST_TOLD = 20
"""Complete trials from which importances are told."""
# Names under which a study keeps what it is of, and a trial what no value of it says.
_STUDY, _CONTENT, _VALUES, _WHY = 'racecar', 'content', 'values', 'why'


class _Driven(NamedTuple):
    """Objectives of points in a case, (n, objectives), infinite for those that were lost.

    why: by the number of the point.
    """

    values: Array
    why: Mapping[int, str]


class TuneRun:
    """A search that begins, or goes on where an earlier one of the same file ended."""

    def __init__(
        self, tuning: Tuning, storage: str | None = None, *, resume: bool = False,
        cores: Cores | Cluster | None = None,
    ) -> None:
        """storage: URL of a database, by default memory; cores: by default all of this machine.

        Raises ConfigurationError without Optuna, for a storage that cannot be used, that has a
        search already without `resume`, and that of another file with it.
        """
        try:
            import optuna
        except ImportError as error:
            raise not_installed('tuning', 'optuna') from error
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._tuning, self._cores = tuning, cores or Cores()
        directions = [optuna.study.StudyDirection.MINIMIZE] * len(tuning.objectives)
        # Proposes; a database would be asked several times for each number of a trial.
        self._study = optuna.create_study(directions=directions)
        self._trials: list[Trial] = []
        self._kept: optuna.Study | None = None
        if storage is None:
            return
        try:
            self._kept = optuna.create_study(
                storage=storage, study_name=_STUDY, load_if_exists=resume, directions=directions)
        except optuna.exceptions.DuplicatedStudyError as error:
            raise ConfigurationError(
                f'storage {excerpt(storage)} has a search already: go on with --resume, or name'
                ' another one') from error
        except Exception as error:
            # Of SQLAlchemy, its drivers, or modules that they lack.
            raise ConfigurationError(
                f'storage {excerpt(storage)} cannot be used: {str(error).splitlines()[0]}'
                ) from error
        known, digest = self._kept.user_attrs.get(_CONTENT), tuning.digest
        if known is None:
            self._kept.set_user_attr(_CONTENT, digest)
        elif known != digest:
            raise ConfigurationError(
                f'storage {excerpt(storage)} has a search of another file or configuration, or'
                ' files that they name have changed: go on with those, or name another storage')
        kept = self._kept.trials
        # A batch that was interrupted while it was written is proposed and driven again, whole.
        count = len(kept) if len(kept) >= tuning.trials else self._whole(len(kept))
        self._learn([_trial_of(number, kept[number]) for number in range(count)])

    @property
    def kept(self) -> int:
        """Trials that the storage has."""
        return 0 if self._kept is None else len(self._kept.get_trials(deepcopy=False))

    @property
    def done(self) -> int:
        """Trials of batches that have ended."""
        return len(self._trials)

    def run(self, on_progress: Callable[[int], object] | None = None) -> TuneResult:
        """Run the trials that are left; on_progress gets how many have ended.

        The same file has the same trials, however many cores there are and however often a search
        was interrupted. Raises RunError if no trial completes or all of the first fail,
        ConfigurationError for a storage that cannot be written.
        """
        tuning = self._tuning
        first, kept = self._first(), self.kept
        while (done := self.done) < tuning.trials:
            count = min(tuning.batch, tuning.trials - done)
            proposed = first[done:done + count] if done < len(first) else self._propose(count)
            ended = self._drive(proposed)
            if not done and all(trial.state == LOST and trial.why for trial in ended):
                # What is wrong with all of the first is hardly their own.
                raise RunError(ended[0].why)
            # A storage may have some of the first batch already.
            self._keep(ended[max(kept - done, 0):])
            self._learn(ended)
            if on_progress is not None:
                on_progress(self.done)
        return self._result()

    @property
    def _covering(self) -> int:
        return min(_FIRST * len(self._tuning.space), _MOST_FIRST)

    def _whole(self, trials: int) -> int:
        """How many of some trials are whole batches."""
        since = self._covering if trials >= self._covering else 0
        return trials - (trials - since) % self._tuning.batch

    def _first(self) -> list[dict[str, object]]:
        """Trials that cover the space: a Latin hypercube, whose first has the present values.

        M. D. McKay et al., "A comparison of three methods for selecting values of input variables
        in the analysis of output from a computer code", Technometrics 21 (1979).
        """
        tuning = self._tuning
        count = self._covering
        generator = np.random.default_rng((tuning.seed, 0))
        shares = {name: (generator.permutation(count) + generator.random(count)) / count
                  for name in tuning.space}
        for name, where in tuning.space.items():
            if isinstance(where, Range) and not where.log:
                shares[name] = 0.5 + (shares[name] - 0.5) / (1.0 - _AT_ENDS)

        def trial(number: int) -> dict[str, object]:
            return tuning.choose(lambda name: tuning.space[name].at(float(shares[name][number])))

        found = [trial(number) for number in range(count)]
        # What people tune is often good already.
        present = tuning.present()
        start = {**found[0], **present}
        found[0] = tuning.choose(lambda name: start.get(name, tuning.space[name].at(0.5)))
        return found

    def _propose(self, count: int) -> list[dict[str, object]]:
        """Trials by what those before were worth."""
        tuning = self._tuning
        with warnings.catch_warnings():
            # That groups may change.
            warnings.simplefilter('ignore', self._optuna.exceptions.ExperimentalWarning)
            self._study.sampler = self._optuna.samplers.TPESampler(
                # Of its own for each batch, so that one that goes on has the same.
                seed=int(np.random.SeedSequence((tuning.seed, self.done)).generate_state(1)[0]),
                n_startup_trials=1, constant_liar=True, multivariate=True,
                group=bool(tuning.options))
        asked = [self._study.ask() for _ in range(count)]
        found = [tuning.propose(trial) for trial in asked]
        for trial in asked:
            # _learn() adds them with the values that they had in the end.
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        return found

    def _drive(self, proposed: Sequence[Mapping[str, object]]) -> list[Trial]:
        """Drive all cases, but for trials that cannot become one of the best any more."""
        tuning = self._tuning
        cases = len(next(iter(tuning.variants.values())).cases)
        best = np.array([trial.values for trial in self._trials if trial.is_complete])
        found = np.full((cases, len(proposed), len(tuning.objectives)), np.nan)
        states, why = [COMPLETE] * len(proposed), [''] * len(proposed)
        left = [*range(len(proposed))]
        for case in range(cases):
            for some in self._alike(proposed, left):
                variant = tuning.variant(proposed[some[0]])
                driven = self._values(variant.at(case, [proposed[trial] for trial in some]))
                found[case, some] = driven.values
                for number, text in driven.why.items():
                    why[some[number]] = text
            for trial in left:
                so_far = found[:case + 1, trial]
                # No metric is negative: the cases that are left cannot make it less.
                least = so_far.sum(axis=0) / cases if tuning.across == MEAN else so_far.max(axis=0)
                if not np.isfinite(so_far).all():
                    states[trial] = LOST
                elif case + 1 < cases and best.size and (best <= least).all(axis=1).any():
                    states[trial] = PRUNED
            left = [trial for trial in left if states[trial] == COMPLETE]
        merged = np.nanmean(found, axis=0) if tuning.across == MEAN else np.nanmax(found, axis=0)
        merged[[state == LOST for state in states]] = np.inf
        return [Trial(self.done + number, values, tuple(row), state, text)
                for number, (values, row, state, text) in enumerate(zip(
                    proposed, merged.tolist(), states, why, strict=True))]

    def _alike(
        self, proposed: Sequence[Mapping[str, object]], some: Sequence[int],
    ) -> list[list[int]]:
        """Trials of each variant, which drive side by side."""
        found: dict[tuple[object, ...], list[int]] = {}
        for trial in some:
            key = tuple(proposed[trial][name] for name in self._tuning.options)
            found.setdefault(key, []).append(trial)
        return [*found.values()]

    def _values(self, sweep: Sweep) -> _Driven:
        """Objectives of the points of a case."""
        names, count = self._tuning.objectives, len(sweep.points)
        values, why = np.full((count, len(names)), np.inf), dict[int, str]()
        for part in self._cores.run(SweepTask(sweep), [(0, count)]):
            if isinstance(part, Lost):
                why.update(dict.fromkeys(range(part.first, part.first + part.points), part.why))
                continue
            values[part.first:part.first + part.points] = _objectives(part, names)
            why.update({**part.failures, **part.unmade})
        return _Driven(values, why)

    def _keep(self, ended: Sequence[Trial]) -> None:
        """Write trials to the storage. Raises ConfigurationError if it cannot be written."""
        if self._kept is None:
            return
        space = self._tuning.space
        states = self._optuna.trial.TrialState
        try:
            self._kept.add_trials([self._optuna.create_trial(
                state=states.PRUNED if trial.state == PRUNED else states.COMPLETE,
                values=None if trial.state == PRUNED else trial.values,
                params={**trial.parameters},
                distributions={name: space[name].distribution() for name in trial.parameters},
                user_attrs={**({_VALUES: trial.values} if trial.state == PRUNED else {}),
                            **({_WHY: trial.why} if trial.why else {})})
                for trial in ended])
        except Exception as error:
            # Of SQLAlchemy and its drivers.
            raise ConfigurationError(
                'the storage of the trials cannot be written:'
                f' {str(error.__cause__ or error).splitlines()[0]}; what it has stays, and'
                ' --resume goes on with it') from error

    def _learn(self, ended: Sequence[Trial]) -> None:
        """Take trials into account; one that was pruned counts as it came so far."""
        self._trials += ended
        self._study.add_trials([self._optuna.create_trial(
            values=trial.values, params={**trial.parameters},
            distributions={name: self._tuning.widened(name) for name in trial.parameters})
            for trial in ended])

    def _result(self) -> TuneResult:
        tuning, trials = self._tuning, tuple(self._trials)
        complete = [trial for trial in trials if trial.is_complete]
        if not complete:
            first = next((f', the first: {trial.why}' for trial in trials if trial.why), '')
            raise RunError(
                f'none of {len(trials)} trials drove all cases to their end: every car diverged,'
                f' its controller failed, or it has no such metric{first}; seek elsewhere')
        best = sorted(
            (trial for trial in complete if not any(
                _dominates(other.values, trial.values) for other in complete)),
            key=lambda trial: (trial.values, trial.number))
        if len(tuning.objectives) == 1:
            del best[1:]
        return TuneResult(tuning, trials, tuple(best), {
            name: self._importances(complete, index)
            for index, name in enumerate(tuning.objectives)})

    def _importances(self, complete: Sequence[Trial], objective: int) -> Mapping[str, float]:
        """Shares of the parameters in the variance of an objective, the largest first."""
        if len(complete) < _LEAST_TOLD:
            return {}
        study = self._optuna.create_study()
        study.add_trials([self._optuna.create_trial(
            value=trial.values[objective], params={**trial.parameters}, distributions={
                name: self._tuning.space[name].distribution() for name in trial.parameters})
            for trial in complete])
        with warnings.catch_warnings():
            # That small values are good.
            warnings.simplefilter('ignore')
            found: dict[str, float] = self._optuna.importance.get_param_importances(
                study, evaluator=self._optuna.importance.PedAnovaImportanceEvaluator())
        return found


def _trial_of(number: int, kept: FrozenTrial) -> Trial:
    """A trial from the storage."""
    pruned = kept.user_attrs.get(_VALUES)
    values = tuple(kept.values if pruned is None else pruned)
    state = PRUNED if pruned is not None else COMPLETE if all(map(math.isfinite, values)) else LOST
    return Trial(number, kept.params, values, state, kept.user_attrs.get(_WHY, ''))


def _objectives(part: Part, names: Sequence[str]) -> Array:
    """Values of objectives of points (n, objectives), infinite for a car that was lost."""
    values = np.array([part.metrics[name] for name in names], dtype=float).T
    values[~np.isnan(part.metrics['diverged_at'])] = np.inf
    values[[number - part.first for number in (*part.failures, *part.unmade)]] = np.inf
    return np.where(np.isnan(values), np.inf, values)


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and any(
        a < b for a, b in zip(one, other, strict=True))


@suggesting_names
def tune(
    configuration: str = 'kinematic_ode',
    file: Text | Mapping[str, object] | None = None, *,
    tune: Mapping[str, Mapping[str, object]] | None = None,
    objectives: Sequence[str] | None = None,
    cases: Sequence[Mapping[str, object]] | None = None,
    across: str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    noise: Mapping[str, float] | None = None,
    vehicle: Text | Vehicle | None = None,
    trajectory: str | int | None = None,
    waypoints: Text | None = None,
    tyre_model: str | None = None,
    world: Text | None = None,
    params_file: Text | None = None,
    set: Settings | None = None,
    controller: Text | Callable[..., object] | None = None,
    law: str | None = None,
    duration: float | None = None,
    skip: float | None = None,
    storage: str | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: bool = False,
) -> TuneResult:
    """Seek the best values of parameters with Optuna, as `racecar tune` does.

    - configuration: as of simulate().
    - file: tuning file, or a dictionary like one; the arguments below go over it.
    - tune: where values are sought by node.parameter: {'trajectory_tracker.Kp': {'range':
      [0.5, 20.0], 'log': True}}, or {'choices': [...]}.
    - objectives: metrics that are to be small, default ['rmse']; of several the result has the
      front.
    - cases: options that all trials drive one after the other: [{'trajectory': 'circle'},
      {'waypoints': 'racetrack'}]; default: one, by the arguments below.
    - across: 'mean' or 'worst' of the cases.
    - trials: how many; default: 200.
    - seed: of the search and of the noise.
    - storage: URL of a database, such as 'sqlite:///study.db'; one that has this search already
      goes on. Default: memory.
    - noise, vehicle, trajectory, waypoints, tyre_model, world, params_file, set, controller, law,
      duration, skip, jobs, scheduler: as of sweep().
    - progress: whether to show a bar on stderr.

    Returns trials and best values. Raises RacecarError with a line that says which value is wrong,
    what was expected, and what to do.
    """
    request = request_of(configuration, file, {
        'law': law, 'vehicle': vehicle, 'set': set, 'controller': controller,
        'tune': tune, 'objectives': objectives, 'cases': cases, 'across': across,
        'trials': trials, 'seed': seed, 'noise': noise,
        'trajectory': text_of('trajectory', trajectory),
        'waypoints': text_of('waypoints', waypoints), 'tyre_model': tyre_model,
        'world': text_of('world', world), 'params_file': text_of('params_file', params_file),
        'duration': duration, 'skip': skip})
    with naming_file('tuning file', request.path):
        tuning = make_tuning(request.name, request.content, request.controller)
    check_jobs(jobs)
    with open_cores(scheduler, jobs) as cores, progress_bar(
            tuning.trials, shown=progress, description='tuning', unit='trials') as show:
        return TuneRun(tuning, storage, resume=True, cores=cores).run(show)
