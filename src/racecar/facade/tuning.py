# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Search for the best values of parameters: what `racecar tune` and tune() run.

Optuna (T. Akiba et al., "Optuna: A next-generation hyperparameter optimization framework", KDD
2019) proposes the values with its tree-structured Parzen estimator, a batch of trials at a time;
the cars of a batch run side by side, as those of a sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
import hashlib
import json
import math
from pathlib import Path
from typing import Any, NamedTuple, TYPE_CHECKING, TypeGuard
import warnings

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, excerpt, RunError
from racecar.base.extras import not_installed, require
from racecar.base.parameters import Parameter, suggestion
from racecar.base.values import Values
from racecar.base.yaml_file import load_yaml
from racecar.control.custom_controller import CONTROLLER, ControllerClass
from racecar.facade.arguments import Settings, suggesting_names, Text, text_of
from racecar.facade.cluster import Cluster, open_cores
from racecar.facade.simulation import progress_bar
from racecar.facade.sweep_parts import Cores
from racecar.facade.sweeps import check_jobs, request_of, SweepResult, SweepRun
from racecar.facade.vehicle import Vehicle
from racecar.metrics.quantities import Quantity
from racecar.stacks.options import SET_ARGUMENT
from racecar.stacks.sweep import KEYS as SWEEP_KEYS
from racecar.stacks.sweep import make_sweep, naming_file, Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    import optuna
    from optuna.trial import FrozenTrial

DEFAULT_TRIALS = 200
MOST_TRIALS = 1_000_000
_BATCH = 10
OBJECTIVES = {
    'rmse': 'm', 'ise': 'm^2 s', 'sum_squared_error': 'm^2', 'max_error': 'm',
    'cross_track_rmse': 'm', 'max_cross_track_error': 'm', 'heading_rmse': 'rad',
    'speed_rmse': 'm/s'}
"""Metrics that an objective may be, and their units."""
_ACROSS = 'mean', 'worst'
_OWN_KEYS = 'tune', 'objectives', 'cases', 'across', 'trials', 'batch'
KEYS = (*(key for key in SWEEP_KEYS if key not in ('grid', 'sample', 'count')), *_OWN_KEYS)
"""All keys of a file."""
_CASE_KEYS = tuple(key for key in SWEEP_KEYS if key not in (
    'grid', 'sample', 'count', 'seed', CONTROLLER))
# Names under which a study keeps what it is of.
_STUDY, _CONTENT = 'racecar', 'content'


class Range(NamedTuple):
    """Numbers from low to high; log: whether equal ratios count alike; whole: whole numbers."""

    low: float
    high: float
    log: bool
    whole: bool

    def has(self, value: object) -> bool:
        """Whether a value lies in it."""
        return _is_number(value) and self.low <= value <= self.high

    def propose(self, trial: optuna.Trial, name: str) -> object:
        """Value of a trial."""
        if self.whole:
            return trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
        return trial.suggest_float(name, self.low, self.high, log=self.log)


class Choices(NamedTuple):
    """Values without an order."""

    values: tuple[str | float, ...]

    def has(self, value: object) -> bool:
        """Whether a value is one of them."""
        return value in self.values

    def propose(self, trial: optuna.Trial, name: str) -> object:
        """Value of a trial."""
        return trial.suggest_categorical(name, self.values)


class Case(NamedTuple):
    """What all trials have to drive: its name, and a sweep without points of its own."""

    name: str
    sweep: Sweep


@dataclass(frozen=True)
class Tuning:
    """What is tuned, on what, and by which measure.

    name: of the configuration. space: where the value of each parameter is sought, by
    node.parameter. cases: what every trial drives. objectives: metrics that are to be small;
    across: whether the mean or the worst of the cases counts. trials: how many in all; batch: how
    many are proposed at a time; digest: of all that decides the outcome of a trial.
    """

    name: str
    space: Mapping[str, Range | Choices]
    cases: tuple[Case, ...]
    objectives: tuple[str, ...]
    across: str
    trials: int
    batch: int
    seed: int
    digest: str

    def present(self) -> dict[str, object]:
        """Values at present, of the parameters whose value is where it is sought."""
        sweep = self.cases[0].sweep
        found = {}
        for name, where in self.space.items():
            node, parameter = sweep.targets_of(name)[0]
            value = sweep.base[node].get(parameter)
            if where.has(value):
                found[name] = value
        return found

    def with_trials(self, trials: int) -> Tuning:
        """The same with another number of trials in all."""
        return replace(self, trials=trials)


class Trial(NamedTuple):
    """A trial that has ended: its number, values by node.parameter and of each objective [SI].

    Objectives are infinite if it did not drive all cases to their end.
    """

    number: int
    parameters: Mapping[str, Any]
    values: tuple[float, ...]

    @property
    def is_complete(self) -> bool:
        """Whether it drove all cases to their end."""
        return all(map(math.isfinite, self.values))


@dataclass(frozen=True, eq=False, repr=False)
class TuneResult:
    """What a search found.

    tuning: what was sought; trials: all that ended; best: the complete one with the least value,
    of several objectives all to which none is better in each, ordered by the first; importances:
    share of each parameter in the variance of the first objective, by name, empty where that
    cannot be told.
    """

    tuning: Tuning
    trials: tuple[Trial, ...]
    best: tuple[Trial, ...]
    importances: Mapping[str, float]

    def __len__(self) -> int:
        """Number of trials."""
        return len(self.trials)

    def plot(self) -> Figure:
        """Draw history and importances, of several objectives also the front of the best."""
        require('plot()', 'matplotlib')
        from racecar.analysis.tuning_figure import tuning_figure

        values = np.array([trial.values for trial in self.trials])
        return tuning_figure(
            f'{self.tuning.name}: {len(self)} trials', self.tuning.objectives, values,
            [trial.number for trial in self.best], self.importances)

    def columns(self) -> dict[str, list[object]]:
        """Number, parameters and objectives of all trials by name, SI units.

        Objectives of trials that did not complete are infinite.
        """
        found: dict[str, list[object]] = {'trial': [trial.number for trial in self.trials]}
        found |= {name: [trial.parameters[name] for trial in self.trials]
                  for name in self.tuning.space}
        return found | {name: [trial.values[index] for trial in self.trials]
                        for index, name in enumerate(self.tuning.objectives)}

    def parameter_file(self, trial: Trial) -> str:
        """ROS parameter file with the values of a trial, for --params-file and launch files.

        Settings of a custom controller are no parameters of a node: they are a comment.
        """
        import yaml

        sweep, nodes = self.tuning.cases[0].sweep, dict[str, dict[str, object]]()
        settings = []
        for name, value in trial.parameters.items():
            for node, parameter in sweep.targets_of(name):
                if node == CONTROLLER:
                    settings.append(f'{name}={value}')
                    continue
                nodes.setdefault(f'/**/{node}', {})[parameter] = value
        content = {node: {'ros__parameters': values} for node, values in nodes.items()}
        lines = [f'# Trial {trial.number} of {len(self)} of racecar tune {self.tuning.name}:'
                 f' {self._figures(trial)}\n', *(f'# --set {setting}\n' for setting in settings)]
        return ''.join(lines) + (yaml.safe_dump(content, sort_keys=False) if content else '')

    def as_rows(self) -> list[tuple[str, str, str]]:
        """Figures for people: (name, value, unit)."""
        lost = sum(not trial.is_complete for trial in self.trials)
        rows = [('trials', str(len(self)), ''), ('diverged, failed or ended early', str(lost), '')]
        for trial in self.best[:10]:
            described = ', '.join(f'{name}={value:.6g}' if isinstance(value, float)
                                  else f'{name}={value}'
                                  for name, value in trial.parameters.items())
            rows.append(('best', f'trial {trial.number}',
                         f'{self._figures(trial)} with {described}'))
        return rows

    def _figures(self, trial: Trial) -> str:
        """Objectives of a trial for people."""
        rows = (Quantity(name, value, OBJECTIVES[name]).row() for name, value in zip(
            self.tuning.objectives, trial.values, strict=True))
        return ', '.join(' '.join(row) for row in rows)

    def __repr__(self) -> str:
        """Say how many trials there were, and which is the best."""
        best = self.best[0]
        found = f'; best {self._figures(best)} with {dict(best.parameters)}'
        return f'<TuneResult {self.tuning.name}: {len(self)} trials{found}>'


def read_tuning(name: str, path: Path | str, controller: str | None = None) -> Tuning:
    """Read a file of `racecar tune` for a configuration.

    controller: goes over the one that the file may name. Raises ConfigurationError or
    ParameterError naming the key, the value and what is expected.
    """
    content = load_yaml('tuning file', path)
    if not isinstance(content, dict):
        raise ConfigurationError(
            f"tuning file '{path}' holds {type(content).__name__}, expected a mapping with tune:"
            ' and options')
    if controller is not None:
        content[CONTROLLER] = controller
    with naming_file(path):
        return make_tuning(name, content)


def make_tuning(
    name: str, content: Values, controller: ControllerClass | None = None,
) -> Tuning:
    """What is tuned, from what a file holds or would hold; see make_sweep().

    Raises ConfigurationError or ParameterError naming the key, the value and what is expected.
    """
    for key in content:
        if key not in KEYS:
            raise ConfigurationError(
                f"'{key}' is unknown, expected some of {', '.join(KEYS)}"
                f'{suggestion(str(key), KEYS)}')
    tuned = content.get('tune')
    if not isinstance(tuned, dict) or not tuned:
        raise ConfigurationError(
            f"'tune' is {excerpt(tuned)}, expected node.parameter: {{range: [lowest, highest]}}"
            ' for at least one parameter')
    given = content.get('cases')
    if given is not None and (not isinstance(given, list) or not given or not all(
            isinstance(case, dict) for case in given)):
        raise ConfigurationError(
            f"'cases' is {excerpt(given)}, expected a list of options such as"
            ' {trajectory: circle}')
    common = {key: value for key, value in content.items() if key not in _OWN_KEYS}
    ends = {str(key): _ends(str(key), row) for key, row in tuned.items()}
    cases = tuple(
        _case(name, common, dict(case), ends, controller) for case in given or [{}])
    space = {key: _space(key, row, cases[0].sweep.row_of(key)) for key, row in tuned.items()}
    objectives = content.get('objectives', ['rmse'])
    known = OBJECTIVES
    if not isinstance(objectives, list) or not objectives or not all(
            isinstance(each, str) and each in known for each in objectives) or len(
                set(objectives)) < len(objectives):
        wrong = next((each for each in objectives if each not in known), '') \
            if isinstance(objectives, list) else ''
        raise ConfigurationError(
            f"'objectives' is {excerpt(objectives)}, expected a list of"
            f" {', '.join(known)}{suggestion(str(wrong), known)}")
    across = content.get('across', _ACROSS[0])
    if across not in _ACROSS:
        raise ConfigurationError(
            f"'across' is {excerpt(across)}, expected one of {', '.join(_ACROSS)}")
    decisive = {key: value for key, value in content.items() if key != 'trials'}
    return Tuning(
        name, space, cases, tuple(objectives), str(across),
        _whole(content, 'trials', DEFAULT_TRIALS), _whole(content, 'batch', _BATCH),
        cases[0].sweep.seed, hashlib.sha256(json.dumps(
            [name, decisive], sort_keys=True, default=str).encode()).hexdigest())


def _whole(content: Values, key: str, default: int) -> int:
    value = content.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TRIALS:
        raise ConfigurationError(
            f"'{key}' is {excerpt(value)}, expected a whole number from 1 to {MOST_TRIALS}")
    return value


def _ends(key: str, row: object) -> list[object]:
    """Values that must be allowed for a parameter to be sought as a row says."""
    kind = next((kind for kind in ('range', 'choices') if isinstance(row, dict) and kind in row),
                None)
    values = row[kind] if kind is not None and isinstance(row, dict) else None
    allowed = {'range': {'range', 'log'}, 'choices': {'choices'}}.get(str(kind), set())
    if not isinstance(row, dict) or not isinstance(values, list) or not values \
            or set(row) - allowed or (kind == 'range' and len(values) != 2):
        raise ConfigurationError(
            f"tune '{key}' is {excerpt(row)}, expected {{range: [lowest, highest]}}, with"
            ' log: true where equal ratios count alike, or {choices: [values]}')
    return values


def _space(key: str, row: Mapping[str, Any], parameter: Parameter) -> Range | Choices:
    if 'choices' in row:
        found = [parameter.validate(value) for value in row['choices']]
        return Choices(tuple(value for value in found if isinstance(value, bool | str | float)))
    low, high = (parameter.validate(value) for value in row['range'])
    log = row.get('log', False)
    if not (_is_number(low) and _is_number(high)):
        raise ConfigurationError(
            f"tune '{key}': only numbers have a range, this is {parameter.type.__name__}; use"
            ' choices:')
    if not isinstance(log, bool) or low > high or (log and low <= 0):
        raise ConfigurationError(
            f"tune '{key}' is {excerpt(row)}, expected [lowest, highest] with lowest <= highest,"
            ' and above 0 with log: true')
    return Range(float(low), float(high), log, parameter.type is int)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _case(
    name: str, common: Mapping[str, Any], case: Mapping[str, Any],
    ends: Mapping[str, list[object]], controller: ControllerClass | None,
) -> Case:
    for key in case:
        if key not in _CASE_KEYS:
            raise ConfigurationError(
                f"case {excerpt(case)} has {excerpt(key)}, expected some of"
                f" {', '.join(_CASE_KEYS)}{suggestion(str(key), _CASE_KEYS)}")
    merged = {**common, **case, SET_ARGUMENT: {
        **(common.get(SET_ARGUMENT) or {}), **(case.get(SET_ARGUMENT) or {})}}
    seed = merged.pop('seed', 0)
    # The values of the grid are checked, and then those of the trials are in their place.
    content = {**merged, 'grid': dict(ends), **({'seed': seed} if merged.get('noise') else {})}
    label = ', '.join(f'{key} {value}' for key, value in case.items()) or name
    return Case(label, replace(make_sweep(name, content, controller), seed=int(seed)))


class TuneRun:
    """A search that begins, or goes on where an earlier one of the same file ended."""

    def __init__(
        self, tuning: Tuning, storage: str | None = None, *, resume: bool = False,
        jobs: int | None = None, cluster: Cores | Cluster | None = None,
    ) -> None:
        """storage: URL of a database, by default memory; jobs: cores; cluster: in their place.

        Raises ConfigurationError without Optuna, for a storage that cannot be used, that has a
        search already without `resume`, and that of another file with it.
        """
        try:
            import optuna
        except ImportError as error:
            raise not_installed('tuning', 'optuna') from error
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._optuna = optuna
        self._tuning, self._jobs, self._cluster = tuning, jobs, cluster
        directions = [optuna.study.StudyDirection.MINIMIZE] * len(tuning.objectives)
        # Proposes; a database would be asked several times for each number of a trial.
        self._study = optuna.create_study(directions=directions)
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
        known = self._kept.user_attrs.get(_CONTENT)
        if known is None:
            self._kept.set_user_attr(_CONTENT, tuning.digest)
        elif known != tuning.digest:
            raise ConfigurationError(
                f'storage {excerpt(storage)} has a search of another file or configuration: go on'
                ' with that one, or name another storage')
        self._study.add_trials(self._kept.trials)

    @property
    def done(self) -> int:
        """Trials that have ended."""
        return len(self._ended())

    def _ended(self) -> Sequence[FrozenTrial]:
        return [trial for trial in self._study.get_trials(deepcopy=False)
                if trial.state.is_finished()]

    def run(self, on_progress: Callable[[int], object] | None = None) -> TuneResult:
        """Run the trials that are left; on_progress gets how many have ended.

        The same file has the same trials, however many cores there are and however often a search
        was interrupted. Raises RunError if no trial completes.
        """
        tuning = self._tuning
        if not self.done:
            # What people tune is often good already, or at an end of its range, such as 0.
            self._study.enqueue_trial(tuning.present())
        while (done := self.done) < tuning.trials:
            self._study.sampler = self._optuna.samplers.TPESampler(
                # Of its own for each batch, so that one that goes on has the same.
                seed=int(np.random.SeedSequence((tuning.seed, done)).generate_state(1)[0]),
                n_startup_trials=2 * _BATCH, constant_liar=True, multivariate=True)
            trials = [self._study.ask() for _ in range(min(tuning.batch, tuning.trials - done))]
            points = [tuple(where.propose(trial, name) for name, where in tuning.space.items())
                      for trial in trials]
            ended = [self._study.tell(trial, list(values)) for trial, values in zip(
                trials, self._values(points), strict=True)]
            if self._kept is not None:
                self._kept.add_trials(ended)
            if on_progress is not None:
                on_progress(self.done)
        return self._result()

    def _values(self, points: Sequence[tuple[object, ...]]) -> list[tuple[float, ...]]:
        """Objectives of points [SI], infinite for those that did not drive all cases."""
        tuning = self._tuning
        found = np.empty((len(tuning.cases), len(points), len(tuning.objectives)))
        left = list(range(len(points)))
        found[:] = np.inf
        for index, case in enumerate(tuning.cases):
            if not left:
                break
            result = SweepRun(case.name, case.sweep.at([points[point] for point in left]),
                              self._jobs, cluster=self._cluster).run()
            found[index, left] = _objectives(result, tuning.objectives)
            # Hopeless ones do not drive the other cases.
            left = [point for point in left if np.isfinite(found[index, point]).all()]
        merged = found.mean(axis=0) if tuning.across == 'mean' else found.max(axis=0)
        merged[~np.isfinite(found).all(axis=(0, 2))] = np.inf
        return [tuple(row) for row in merged.tolist()]

    def _result(self) -> TuneResult:
        tuning = self._tuning
        trials = tuple(
            Trial(trial.number, trial.params, tuple(trial.values))
            for trial in self._ended())
        complete = [trial for trial in trials if trial.is_complete]
        if not complete:
            raise RunError(
                f'none of {len(trials)} trials drove all cases to their end: every car diverged or'
                ' its controller failed; seek elsewhere')
        best = sorted(
            (trial for trial in complete if not any(
                _dominates(other.values, trial.values) for other in complete)),
            key=lambda trial: (trial.values, trial.number))
        if len(tuning.objectives) == 1:
            del best[1:]
        return TuneResult(tuning, trials, tuple(best), self._importances(complete))

    def _importances(self, complete: Sequence[Trial]) -> Mapping[str, float]:
        """Shares of the parameters in the variance of the first objective, the largest first."""
        if len(complete) < 2 * _BATCH:
            return {}
        evaluator = self._optuna.importance.PedAnovaImportanceEvaluator()
        with warnings.catch_warnings():
            # That small values are good.
            warnings.simplefilter('ignore')
            found: dict[str, float] = evaluator.evaluate(
                self._study, target=lambda trial: trial.values[0])
        return found


def _objectives(result: SweepResult, names: Sequence[str]) -> Array:
    """Values of objectives of all points (n, objectives), infinite for a car that was lost."""
    columns = result.columns()
    values = np.array([[math.inf if value is None else float(value) for value in columns[name]]
                       for name in names]).T
    values[result.has_diverged] = np.inf
    values[list(result.result.failures)] = np.inf
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
    with naming_file(request.path):
        tuning = make_tuning(request.name, request.content, request.controller)
    check_jobs(jobs)
    with open_cores(scheduler, jobs) as cores, progress_bar(
            tuning.trials, shown=progress, description='tuning', unit='trials') as show:
        return TuneRun(tuning, storage, resume=True, jobs=jobs, cluster=cores).run(show)
