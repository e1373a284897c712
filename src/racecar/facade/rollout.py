# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where cars go from given states under given inputs: many at once, without a controller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
import contextlib
from dataclasses import dataclass
from typing import TypeVar
import warnings as python_warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.columns import Array, IS_NO_COLUMN
from racecar.base.errors import ConfigurationError, excerpt, ParameterError, RacecarError
from racecar.base.parameters import Parameter, suggest
from racecar.base.types import NANOSECONDS, ORIGIN
from racecar.base.values import number_of, text_of, Values
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL
from racecar.dynamics.vehicles import make_vehicle_model, VehicleModel
from racecar.dynamics.vehicles.parameters import VEHICLE_COLUMNS, VEHICLE_FILE_PARAMETERS
from racecar.facade.arguments import suggesting_names, Text
from racecar.facade.sweeps import check_jobs
from racecar.facade.vehicle import full_name, Vehicle
from racecar.simulation.car_parameters import COMMANDED_CAR_PARAMETERS
from racecar.simulation.ports import DEFAULT_PERIOD, DEFAULT_STEP, whole_nanoseconds
from racecar.simulation.rollout_batch import RolloutBatch

T = TypeVar('T')

# Arguments of their own.
_ARGUMENTS = 'vehicle_model', 'tyre_model', 'integrator', 'step'

_PERIOD = Parameter('period', float, DEFAULT_PERIOD, 'how long an input holds', unit='s',
                    above=0.0, maximum=1000.0)

_EVERY = Parameter('every', int, 1, 'one of so many periods is kept', minimum=1)

_COMMAND_NUMBERS = 2


@dataclass(frozen=True, eq=False, repr=False)
class Rollouts:
    """Where cars went: `rollouts.states`, (cars, samples, states), or `rollouts['yaw']`.

    model: of the cars, for titles. states [SI]: from the start on, in the order of state_names;
    x, y, yaw are those of the point to which the model refers. times: of the samples [s], from 0.
    valid: whether each car stayed in the range in which its model holds, (cars,); one that did not
    keeps its last state from diverged_at [s] on, which is NaN for the others.
    """

    model: str
    state_names: tuple[str, ...]
    states: Array
    times: Array
    valid: NDArray[np.bool_]
    diverged_at: Array

    def __getitem__(self, name: str) -> Array:
        """One state of all cars, (cars, samples). Raises ParameterError for an unknown name."""
        return self.states[..., _place_of(name, self.state_names)]

    def __len__(self) -> int:
        """Number of cars."""
        return len(self.states)

    def __repr__(self) -> str:
        """Say how many cars and samples there are, and how many diverged."""
        return (f'<Rollouts {self.model}: {len(self)} cars, {len(self.times)} samples in'
                f' {self.times[-1]:g} s, {int((~self.valid).sum())} diverged>')


@suggesting_names
def rollouts(
    model: str,
    inputs: ArrayLike, *,
    start: ArrayLike | Mapping[str, ArrayLike] | None = None,
    vehicle: Text | Vehicle | Sequence[Text | Vehicle] | None = None,
    vary: Mapping[str, ArrayLike] | None = None,
    tyre_model: str = DEFAULT_TYRE_MODEL,
    set: Mapping[str, object] | None = None,
    period: float = DEFAULT_PERIOD,
    step: float = DEFAULT_STEP,
    integrator: str = 'rk4',
    every: int = 1,
    jobs: int | None = None,
) -> Rollouts:
    """Drive cars from given states by given inputs, on all cores and with the bits of Simulator.

    - model: name of a vehicle model, such as single_track or kinematic_bicycle.
    - inputs: speed [m/s] and steering angle [rad] for each period, (cars, ticks, 2), or (ticks, 2)
      for all cars; as of the simulator they are cut to the limits of the vehicle. Of
      single_track_force and double_track also all inputs of the model, as Simulator.set_inputs()
      takes them: speed, steering angle, 1 and the force [N], or DoubleTrack.torque_inputs().
    - start: states [SI], (cars, states) or (states,), in the order of model.state_names; or some
      by name, {'yaw_rate': 0.3, 'x': [0.0, 1.0]}, those left out as at rest. Default: at rest with
      base_link at the origin.
    - vehicle: name, parameter file or Vehicle, or one for each car; default: racecar.
    - vary: parameters of the vehicle in which the cars differ, {'mass': [4.0, 5.0, 6.0]}.
    - tyre_model: linear, fiala, fiala_unsaturated or pacejka, of models with tyres.
    - set: options of the simulator by name, such as {'formulation': 'report'}, tyre parameters,
      and actuators, {'actuators.steering_lag': 0.05}, which are at rest at the start. Without
      them inputs act at once.
    - period: how long an input holds, a whole number of steps [s].
    - step: of the integration [s].
    - integrator: rk4, euler or dopri5.
    - every: one of so many periods is kept, besides the start.
    - jobs: cores to use; default: all.

    How many cars there are follows from the longest of the arguments. Returns their states. Raises
    RacecarError with a line that says which value is wrong, what was expected, and what to do.
    Cars that diverge are a Python warning.
    """
    check_jobs(jobs)
    _EVERY.validate(every)
    values = _values(model, tyre_model, integrator, step, _mapping('set', set))
    length = number_of(values, 'step')
    steps = _steps(number_of({'period': _PERIOD.validate(period)}, 'period'), length)
    given = _numbers('inputs', inputs)
    if given.ndim not in (2, 3):
        raise ConfigurationError(
            f'inputs have the shape {given.shape}, expected (cars, ticks, 2), or (ticks, 2) for'
            ' all cars')
    columns = {full_name(name): _column(name, column)
               for name, column in _mapping('vary', vary).items()}
    vehicles = [_vehicle(one) for one in vehicle] if isinstance(vehicle, list | tuple) \
        else [_vehicle(vehicle)]
    cars = _count({
        'inputs': given.shape[:-2], **_lengths(start),
        'vehicle': (len(vehicles),) if isinstance(vehicle, list | tuple) else (),
        **{f'vary[{name!r}]': (len(column),) for name, column in columns.items()}})
    batch = _batch(
        vehicles if len(vehicles) == cars else vehicles * cars, values, columns, given.shape[-1],
        jobs)
    names = batch.models[0].state_names
    batch.reset(states=_starts(start, batch, names))
    states = batch.run(given, steps, every)
    valid = batch.valid
    found = Rollouts(
        batch.models[0].description, names, states,
        _times(np.arange(states.shape[1]) * every, steps, length), valid,
        np.where(valid, np.nan, _times(batch.ticks_driven, steps, length)))
    if not valid.all():
        first = int(np.argmin(valid))
        python_warnings.warn(
            f'{int((~valid).sum())} of {len(found)} cars diverged, the first (car {first}) at'
            f' {found.diverged_at[first]:g} s; their states stay as they were then',
            stacklevel=3)
    return found


def _mapping(name: str, given: Mapping[str, T] | None) -> Mapping[str, T]:
    if given is not None and not isinstance(given, Mapping):
        raise ConfigurationError(
            f'{name} is {excerpt(given)}, expected a dictionary of values by name')
    return given or {}


def _steps(period: float, step: float) -> int:
    """Steps in a period. Raises ConfigurationError if their number is not whole."""
    steps, rest = divmod(
        whole_nanoseconds('period', period), whole_nanoseconds('step', step))
    if rest or not steps:
        raise ConfigurationError(
            f'period is {period:g} s, expected a whole number of steps of {step:g} s: choose'
            f' {max(steps, 1) * step:g} s')
    return steps


def _times(ticks: NDArray[np.int_], steps: int, step: float) -> Array:
    """Times of ticks [s], as stamps give them."""
    found: Array = ticks * (steps * whole_nanoseconds('step', step)) / NANOSECONDS
    return found


def _lengths(
    start: ArrayLike | Mapping[str, ArrayLike] | None,
) -> dict[str, tuple[int, ...]]:
    """For how many cars a start is, by what says so; none for all of them."""
    if isinstance(start, Mapping):
        return {f'start[{name!r}]': np.shape(_numbers(f'start[{name!r}]', column))[:1]
                for name, column in start.items()}
    return {} if start is None else {'start': _numbers('start', start).shape[:-1]}


def _count(lengths: Mapping[str, tuple[int, ...]]) -> int:
    """Number of cars that arguments agree on. Raises ConfigurationError if they do not."""
    said_by, number = '', 1
    for argument, length in lengths.items():
        if not length:
            continue
        if not length[0]:
            raise ConfigurationError(f'{argument} has no cars, expected at least one')
        if said_by and length[0] != number:
            raise ConfigurationError(
                f'{argument} is for {length[0]} cars, but {said_by} for {number}; expected the'
                ' same number')
        said_by, number = argument, length[0]
    return number


def _values(
    model: str, tyre_model: str, integrator: str, step: float, given: Values,
) -> Values:
    of_arguments = dict(zip(_ARGUMENTS, (model, tyre_model, integrator, step), strict=True))
    for name in given:
        if name in of_arguments:
            raise ConfigurationError(
                f"set has '{name}', which is an argument: give"
                f" {'model' if name == 'vehicle_model' else name}=... in its place")
    return COMMANDED_CAR_PARAMETERS.resolve({**of_arguments, **given})


def _numbers(name: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ConfigurationError(
            f'{name} is {excerpt(given)}, expected numbers: an array or lists of equal lengths'
        ) from None


def _column(name: str, given: ArrayLike) -> list[object]:
    """Values of a parameter of the vehicle, each allowed."""
    values = np.asarray(given).tolist()
    if not isinstance(values, list):
        raise ConfigurationError(
            f'vary[{name!r}] is {excerpt(given)}, expected one value a car; use'
            ' Vehicle.replace() for what is the same for all')
    row = VEHICLE_FILE_PARAMETERS[full_name(name)]
    return [row.validate(value) for value in values]


def _vehicle(given: object) -> Vehicle:
    if isinstance(given, Vehicle):
        return given
    return Vehicle() if given is None else Vehicle(given)  # type: ignore[arg-type]


def _batch(
    vehicles: Sequence[Vehicle], values: Values, columns: Mapping[str, list[object]],
    width: int, jobs: int | None,
) -> RolloutBatch:
    """Cars at rest; columns: in what they differ from their vehicles."""
    numbers = {name: np.array(column) for name, column in columns.items()}
    if columns and len({*vehicles}) == 1 and all(name in VEHICLE_COLUMNS for name in columns):
        batch = _made(vehicles, values, width, jobs)
        with contextlib.suppress(*IS_NO_COLUMN):
            varied = batch.vary(values, numbers)
            if varied.are_possible.all():
                batch.reset(vehicles=varied)
                return batch
    # One by one, also to tell which of them cannot be, and why.
    changed = [_changed(car, vehicle, columns) for car, vehicle in enumerate(vehicles)] \
        if columns else vehicles
    return _made(changed, values, width, jobs)


def _changed(car: int, vehicle: Vehicle, columns: Mapping[str, list[object]]) -> Vehicle:
    """Vehicle of a car with what differs."""
    with _naming(car):
        return vehicle.replace({name: column[car] for name, column in columns.items()})


def _made(
    vehicles: Sequence[Vehicle], values: Values, width: int, jobs: int | None,
) -> RolloutBatch:
    models: dict[Vehicle, VehicleModel] = {}
    for car, vehicle in enumerate(vehicles):
        if vehicle not in models:
            with _naming(car):
                models[vehicle] = make_vehicle_model(
                    text_of(values, 'vehicle_model'), vehicle.parameters, values)
    names = {model.state_names for model in models.values()}
    if len(names) > 1:
        raise ConfigurationError(
            'the vehicles have different states, expected the same of all: a relaxation_length'
            ' adds some, so give it to all of them or to none')
    return RolloutBatch(
        [models[vehicle] for vehicle in vehicles], step=number_of(values, 'step'),
        integrator=text_of(values, 'integrator'), actuators=values,
        by_inputs=width != _COMMAND_NUMBERS, threads=jobs)


@contextlib.contextmanager
def _naming(car: int) -> Iterator[None]:
    """Let errors name the car."""
    try:
        yield
    except RacecarError as error:
        raise type(error)(f'car {car}: {error}') from error


def _starts(
    start: ArrayLike | Mapping[str, ArrayLike] | None, batch: RolloutBatch,
    names: Sequence[str],
) -> Array:
    """States in which the cars start, (cars, states)."""
    rest = np.array([model.initial_state(ORIGIN) for model in batch.models])
    if start is None:
        return rest
    if not isinstance(start, Mapping):
        return _numbers('start', start)
    for name, column in start.items():
        numbers = _numbers(f'start[{name!r}]', column)
        if numbers.ndim > 1:
            raise ConfigurationError(
                f'start[{name!r}] has the shape {numbers.shape}, expected a number, or one for'
                ' each car')
        rest[:, _place_of(name, names)] = numbers
    return rest


def _place_of(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise ParameterError(f'there is no state {excerpt(name)}; {suggest(str(name), names)}')
    return list(names).index(name)
