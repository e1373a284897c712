# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is tuned: the file of `racecar tune`, or the arguments of tune() in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
import hashlib
import itertools
import json
import math
from pathlib import Path
from typing import Any, NamedTuple, TYPE_CHECKING, TypeGuard

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.fields import Fields
from racecar.base.parameters import Parameter, suggestion
from racecar.base.values import Values
from racecar.base.yaml_file import load_mapping, naming_file
from racecar.catalogue import TABLES
from racecar.control.custom_controller import CONTROLLER, ControllerClass, find_controller
from racecar.facade.sweep_parts import UNITS
from racecar.metrics.effort import CONTROL_EFFORT, EFFORT_UNIT
from racecar.stacks.describe import find_tracking_stack
from racecar.stacks.options import SET_ARGUMENT
from racecar.stacks.stack import Stack
from racecar.stacks.sweep import (
    controller_in,
    is_unused,
    make_sweep,
    OPTIONS,
    Sweep,
)
from racecar.stacks.sweep import KEYS as SWEEP_KEYS

if TYPE_CHECKING:
    import optuna
    from optuna.distributions import BaseDistribution

DEFAULT_TRIALS = 200
MOST_TRIALS = 1_000_000
BATCH = 10
"""Trials that are proposed together where a file does not say."""
OBJECTIVES = {
    **{name: UNITS[name] for name in (
        'rmse', 'ise', 'sum_squared_error', 'max_error', 'cross_track_rmse',
        'max_cross_track_error', 'heading_rmse', 'speed_rmse', 'best_lap', 'mean_lap')},
    CONTROL_EFFORT: EFFORT_UNIT}
"""Metrics that an objective may be, and their units; none is ever negative."""
_ACROSS = MEAN, WORST = 'mean', 'worst'
_OWN_KEYS = 'tune', 'objectives', 'cases', 'across', 'trials', 'batch'
KEYS = (*(key for key in SWEEP_KEYS if key not in ('grid', 'sample', 'count')), *_OWN_KEYS)
"""All keys of a file."""
_CASE_KEYS = tuple(key for key in SWEEP_KEYS if key not in (
    'grid', 'sample', 'count', 'seed', CONTROLLER))
_MOST_VARIANTS = 1000
_BEYOND = 0.05  # of a range, at either end


class Range(NamedTuple):
    """Numbers from low to high; log: whether equal ratios count alike; whole: whole numbers.

    What is proposed beyond an end is the end, which would else never be hit.
    """

    low: float
    high: float
    log: bool
    whole: bool

    def has(self, value: object) -> bool:
        """Whether a value lies in it."""
        return _is_number(value) and self.low <= value <= self.high

    def at(self, share: float) -> float:
        """Value at a share of the way from low (0) to high (1), an end if it is beyond."""
        value = min(max(self._at(share), self.low), self.high)
        return round(value) if self.whole else value

    def distribution(self, beyond: float = 0.0) -> BaseDistribution:
        """As Optuna has it, wider by a share of the range at either end."""
        from optuna.distributions import FloatDistribution, IntDistribution

        if self.whole:
            return IntDistribution(int(self.low), int(self.high), log=self.log)
        return FloatDistribution(self._at(-beyond), self._at(1.0 + beyond), log=self.log)

    def propose(self, trial: optuna.Trial, name: str) -> float:
        """Value of a trial."""
        if self.whole:
            return trial.suggest_int(name, int(self.low), int(self.high), log=self.log)
        value = trial.suggest_float(name, self._at(-_BEYOND), self._at(1.0 + _BEYOND),
                                    log=self.log)
        return min(max(value, self.low), self.high)

    def _at(self, share: float) -> float:
        if share in (0.0, 1.0):
            return self.high if share else self.low
        if self.log:
            return float(self.low * (self.high / self.low)**share)
        return self.low + (self.high - self.low) * share


class Choices(NamedTuple):
    """Values without an order; None: what there is without a choice."""

    values: tuple[str | float | None, ...]

    def has(self, value: object) -> bool:
        """Whether a value is one of them."""
        return value in self.values

    def at(self, share: float) -> str | float | None:
        """Value at a share of the way from the first (0) to the last (1)."""
        return self.values[min(max(int(share * len(self.values)), 0), len(self.values) - 1)]

    def distribution(self, beyond: float = 0.0) -> BaseDistribution:
        """As Optuna has it."""
        from optuna.distributions import CategoricalDistribution

        return CategoricalDistribution(self.values)

    def propose(self, trial: optuna.Trial, name: str) -> str | float | None:
        """Value of a trial."""
        return trial.suggest_categorical(name, self.values)


class Case(NamedTuple):
    """What all trials have to drive: its name, and a sweep without points of its own."""

    name: str
    sweep: Sweep


class Variant(NamedTuple):
    """What trials with the same choice of vehicle, controller and so on drive.

    names: of the parameters that it has, as the points of the cases have them.
    """

    names: tuple[str, ...]
    cases: tuple[Case, ...]

    def at(self, case: int, trials: Sequence[Mapping[str, object]]) -> Sweep:
        """Points of trials in a case; with no parameters they are that of the case."""
        sweep = self.cases[case].sweep
        return sweep.at([tuple(trial[name] for name in self.names) if self.names
                         else sweep.points[0] for trial in trials])


@dataclass(frozen=True)
class Tuning:
    """What is tuned, on what, and by which measure.

    name: of the configuration. space: where the value of each parameter and option is sought, by
    name. options: which of them are options such as vehicle; variants: what is driven, by a value
    of each option. objectives: metrics that are to be small; across: whether the mean or the worst
    of the cases counts. trials: how many in all; batch: how many are proposed at a time; chosen:
    options that the file gives; content: what it says, as text, but for the number of trials.
    """

    name: str
    space: Mapping[str, Range | Choices]
    options: tuple[str, ...]
    variants: Mapping[tuple[object, ...], Variant]
    objectives: tuple[str, ...]
    across: str
    trials: int
    batch: int
    seed: int
    chosen: Mapping[str, object]
    content: str

    @property
    def digest(self) -> str:
        """SHA-256 of all that decides the outcome of a trial: the file and those that it names."""
        driven = [case.sweep.run_file('') for variant in self.variants.values()
                  for case in variant.cases]
        return hashlib.sha256(json.dumps([self.content, [
            [{name: node.parameters for name, node in made.nodes.items()}, made.files]
            for made in driven]], sort_keys=True, default=str).encode()).hexdigest()

    def variant(self, values: Mapping[str, object]) -> Variant:
        """What is driven with some values, those of all options among them."""
        return self.variants[tuple(values[name] for name in self.options)]

    def choose(self, value_of: Callable[[str], object]) -> dict[str, object]:
        """Values of a trial: of the options first, and then of the parameters that it then has."""
        found = {name: value_of(name) for name in self.options}
        return found | {name: value_of(name) for name in self.variant(found).names}

    def propose(self, trial: optuna.Trial) -> dict[str, object]:
        """Values that Optuna proposes."""
        return self.choose(lambda name: self.space[name].propose(trial, name))

    def present(self) -> dict[str, object]:
        """Values at present, of those whose value is where it is sought."""
        found = {name: self.chosen.get(name) for name in self.options
                 if self.space[name].has(self.chosen.get(name))}
        variant = next(one for key, one in self.variants.items() if all(
            found.get(name, value) == value
            for name, value in zip(self.options, key, strict=True)))
        sweep = variant.cases[0].sweep
        for name in variant.names:
            node, parameter = sweep.targets_of(name)[0]
            value = sweep.base[node].get(parameter)
            if self.space[name].has(value):
                found[name] = value
        return found

    def with_trials(self, trials: int) -> Tuning:
        """The same with another number of trials in all."""
        return replace(self, trials=trials)

    def widened(self, name: str) -> BaseDistribution:
        """Where values of a parameter are proposed: somewhat beyond its range."""
        return self.space[name].distribution(_BEYOND)


def read_tuning(name: str, path: Path | str, controller: str | None = None) -> Tuning:
    """Read a file of `racecar tune` for a configuration.

    controller: goes over the one that the file may name; where the file chooses among some, it
    drives alone, and settings that only the others have are left out. Raises ConfigurationError
    or ParameterError naming the key, the value and what is expected.
    """
    content = load_mapping('tuning file', path, 'tune: and options')
    with naming_file('tuning file', path):
        if controller is not None:
            content[CONTROLLER] = controller
            content['tune'] = _with_one(controller, content.get('tune'))
        return make_tuning(name, content)


def _with_one(where: str, tuned: object) -> object:
    """What is tuned when one controller drives in the place of those that `tune` chooses among."""
    if not isinstance(tuned, dict) or CONTROLLER not in tuned:
        return tuned
    one = find_controller(where)
    others = [find_controller(str(other)) for other in _ends(CONTROLLER, tuned[CONTROLLER])
              if other is not None]
    of_others = {f'{CONTROLLER}.{name}' for other in others for name in other.settings}
    return {key: row for key, row in tuned.items() if key != CONTROLLER and (
        key not in of_others or one.takes(key.removeprefix(f'{CONTROLLER}.')))}


def make_tuning(
    name: str, content: Values, controller: ControllerClass | None = None,
) -> Tuning:
    """What is tuned, from what a file holds or would hold; see make_sweep().

    Raises ConfigurationError or ParameterError naming the key, the value and what is expected.
    """
    fields = Fields('', content)
    fields.know(KEYS)
    tuned = content.get('tune')
    if not isinstance(tuned, dict) or not tuned:
        raise ConfigurationError(
            f"'tune' is {excerpt(tuned)}, expected node.parameter: {{range: [lowest, highest]}}"
            ' for at least one parameter')
    ends = {str(key): _ends(str(key), row) for key, row in tuned.items()}
    objectives = _objectives(content)
    variants = dict(_variants(name, content, ends, controller))
    if CONTROL_EFFORT in objectives:
        variants = {key: _with_effort(variant) for key, variant in variants.items()}
    across = fields.choice('across', _ACROSS, MEAN)
    decisive = {key: value for key, value in content.items() if key != 'trials'}
    options = tuple(key for key in ends if key in OPTIONS)
    space = {key: Choices(tuple(values)) if key in options else _space(
        key, tuned[key], _row_of(key, variants.values())) for key, values in ends.items()}
    return Tuning(
        name, space, options, variants, objectives, across,
        fields.whole('trials', DEFAULT_TRIALS, 1, MOST_TRIALS),
        fields.whole('batch', BATCH, 1, MOST_TRIALS),
        next(iter(variants.values())).cases[0].sweep.seed,
        {key: content.get(key) for key in options},
        json.dumps([name, decisive], sort_keys=True, default=str))


def _objectives(content: Values) -> tuple[str, ...]:
    found = content.get('objectives', ['rmse'])
    if not isinstance(found, list) or not found or not all(
            isinstance(each, str) and each in OBJECTIVES for each in found) or len(
                set(found)) < len(found):
        wrong = next((each for each in found if each not in OBJECTIVES), '') \
            if isinstance(found, list) else ''
        raise ConfigurationError(
            f"'objectives' is {excerpt(found)}, expected a list of"
            f" {', '.join(OBJECTIVES)}{suggestion(str(wrong), OBJECTIVES)}")
    return tuple(found)


def _with_effort(variant: Variant) -> Variant:
    """The same with the control effort of its cars."""
    for case in variant.cases:
        stack = case.sweep.stack
        if 'vehicle.steering_limit' not in case.sweep.base[stack.simulator]:
            raise ConfigurationError(
                f"objective '{CONTROL_EFFORT}' is of cars that steer, {stack.name} has none; use"
                f" others of {', '.join(OBJECTIVES)}")
    return variant._replace(cases=tuple(
        case._replace(sweep=replace(case.sweep, with_effort=True)) for case in variant.cases))


def _ends(key: str, row: object) -> list[str | float | None]:
    """Values that must be allowed for a parameter to be sought as a row says."""
    kinds = {'range': {'range', 'log'}, 'choices': {'choices'}}
    if key in OPTIONS:
        del kinds['range']
    kind = next((kind for kind in kinds if isinstance(row, dict) and kind in row), None)
    values = row[kind] if kind is not None and isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(values, list) or not values \
            or set(row) - kinds[str(kind)] or (kind == 'range' and len(values) != 2):
        raise ConfigurationError(
            f"tune '{key}' is {excerpt(row)}, expected {{choices: [values]}}"
            if key in OPTIONS else
            f"tune '{key}' is {excerpt(row)}, expected {{range: [lowest, highest]}}, with"
            ' log: true where equal ratios count alike, or {choices: [values]}')
    if key in OPTIONS and not all(value is None or isinstance(value, str) for value in values):
        raise ConfigurationError(f"tune '{key}' is {excerpt(row)}, expected names or files")
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


def _row_of(key: str, variants: Iterable[Variant]) -> Parameter:
    """Parameter behind a name, of the first variant that has it."""
    return next(one for one in variants if key in one.names).cases[0].sweep.row_of(key)


def _variants(
    name: str, content: Values, ends: Mapping[str, list[str | float | None]],
    controller: ControllerClass | None,
) -> Iterator[tuple[tuple[object, ...], Variant]]:
    """What is driven, by each combination of the options that are tuned."""
    given = content.get('cases')
    if given is not None and (not isinstance(given, list) or not given or not all(
            isinstance(case, dict) for case in given)):
        raise ConfigurationError(
            f"'cases' is {excerpt(given)}, expected a list of options such as"
            ' {trajectory: circle}')
    cases = [{str(key): value for key, value in case.items()} for case in given or [{}]]
    options = [key for key in ends if key in OPTIONS]
    for case in cases:
        known = [key for key in _CASE_KEYS if key not in options]
        for key in case:
            if key not in known:
                raise ConfigurationError(
                    f"case {excerpt(case)} has {excerpt(key)}, expected some of"
                    f" {', '.join(known)}{suggestion(key, known)}")
    count = math.prod(len(ends[key]) for key in options)
    if count > _MOST_VARIANTS:
        raise ConfigurationError(
            f"{', '.join(options)} have {count} combinations, expected at most {_MOST_VARIANTS}")
    stack = find_tracking_stack(name)
    _check_settings(ends, stack, content, controller)
    common = {key: value for key, value in content.items() if key not in _OWN_KEYS}
    for combination in itertools.product(*(ends[key] for key in options)):
        chosen = dict(zip(options, combination, strict=True))
        names = tuple(_names(ends, stack, chosen))
        yield combination, Variant(names, tuple(
            _case(name, {**common, **chosen}, case, {key: ends[key] for key in names},
                  None if CONTROLLER in chosen else controller) for case in cases))


def _names(
    ends: Mapping[str, object], stack: Stack, chosen: Mapping[str, object],
) -> Iterator[str]:
    """Parameters that count with some options: of the controller that drives."""
    where = chosen.get(CONTROLLER)
    made = None if where is None else find_controller(str(where))
    for key in ends:
        node, _, setting = key.partition('.')
        if key in OPTIONS or (CONTROLLER in chosen and (
                not (made is not None and (made.takes_any or setting in made.settings))
                if node == CONTROLLER else is_unused(key, stack, made))):
            continue
        yield key


def _check_settings(
    ends: Mapping[str, list[str | float | None]], stack: Stack, content: Values,
    controller: ControllerClass | None,
) -> None:
    """Raise ConfigurationError for a parameter that changes nothing with any controller."""
    keys = [key for key in ends if key not in OPTIONS]
    if CONTROLLER in ends:
        of_any = {key for where in ends[CONTROLLER]
                  for key in _names(ends, stack, {CONTROLLER: where})}
        for key in keys:
            if key not in of_any:
                raise ConfigurationError(
                    f"tune '{key}' changes nothing with any of"
                    f" {', '.join(map(str, ends[CONTROLLER]))}: leave it out")
        return
    made = controller or controller_in(content)
    for key in keys:
        if is_unused(key, stack, made):
            assert made is not None
            raise ConfigurationError(
                f"tune '{key}' changes nothing: {made.where} drives in the place of tracker and"
                f' law; leave it out, or tune settings of the controller,'
                f" '{CONTROLLER}.NAME'")


def _case(
    name: str, common: Mapping[str, Any], case: Mapping[str, Any],
    ends: Mapping[str, list[str | float | None]], controller: ControllerClass | None,
) -> Case:
    merged = {**common, **case, SET_ARGUMENT: {
        **(common.get(SET_ARGUMENT) or {}), **(case.get(SET_ARGUMENT) or {})}}
    seed = merged.pop('seed', 0)
    tracker = find_tracking_stack(name).tracker
    assert tracker is not None
    some, present = next((row.name, row.default) for row in TABLES[tracker]
                         if isinstance(row.default, float))
    # The values of the grid are checked, and then those of the trials are in their place.
    content = {**merged, 'grid': dict(ends) or {f'{tracker}.{some}': [present]},
               **({'seed': seed} if merged.get('noise') else {})}
    label = ', '.join(f'{key} {value}' for key, value in case.items()) or name
    sweep = replace(make_sweep(name, content, controller), seed=int(seed))
    return Case(label, sweep if ends else sweep.at([(sweep.base[tracker][some],)]))
