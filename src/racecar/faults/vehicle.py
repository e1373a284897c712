# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What faults make of the vehicle of a car in the plane: other numbers from a tick on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import math

from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.values import number_of, Values
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS
from racecar.dynamics.vehicles.design import DEFAULT_MATERIAL
from racecar.dynamics.vehicles.initial_motion import INITIAL_MOTION_PARAMETERS
from racecar.dynamics.vehicles.parameters import (
    PREFIX,
    VEHICLE_COLUMNS,
    VEHICLE_PARAMETERS,
    VehicleParameters,
)
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.car_rows import Change
from racecar.simulation.faults import (
    BATTERY,
    BLOW_OUT,
    Fault,
    FRICTION,
    NODE_KINDS,
    PARAMETER,
    STUCK,
)
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.model_lanes import command_limits
from racecar.simulation.simulator import Simulator

_TABLE = VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS


def is_of_vehicle(fault: Fault, simulator: Simulator) -> bool:
    """Whether a fault changes the vehicle, and not its signals."""
    return NODE_KINDS[fault.kind].of_vehicle or (
        fault.kind == STUCK and simulator.channels is not None)


def check_parameter(fault: Fault) -> None:
    """Raise RacecarError for a parameter that no fault can change, or such a value of it."""
    if fault.kind != PARAMETER:
        return
    row = _TABLE[fault.target]
    if fault.target not in VEHICLE_COLUMNS and fault.target not in ACTUATOR_PARAMETERS or (
            fault.target.endswith('_delay')):
        raise ConfigurationError(
            f"fault parameter: target is '{fault.target}', expected a number of the vehicle or of"
            ' its actuators, but no delay')
    row.validate(fault.size)


def changes_of(
    simulated: Values, simulator: Simulator, faults: Sequence[Fault],
) -> Iterator[Change]:
    """The vehicle of a simulator at each tick at which faults of it come or go.

    simulated: values it was made of. Raises RacecarError for faults that it cannot have, or that
    could not show.
    """
    spans = [(fault, *fault.ticks(simulator.period_ns)) for fault in faults]
    for tick in sorted({tick for _, *both in spans for tick in both if tick != math.inf}):
        acting = [fault for fault, first, after in spans if first <= tick < after]
        yield _change(simulated, simulator, acting, int(tick))


def _change(
    simulated: Values, simulator: Simulator, acting: Sequence[Fault], tick: int,
) -> Change:
    """The vehicle from a tick on, under the faults that act then."""
    names, values = ' and '.join(fault.kind for fault in acting), dict(simulated)
    try:
        for fault in acting:
            values |= _CHANGED[fault.kind](fault, values) if fault.kind in _CHANGED else {}
        other = simulator if values == simulated else _made(values)
    except RacecarError as error:
        raise type(error)(f'fault {names}: {error}') from error
    if other.car.kind != simulator.car.kind:
        raise ConfigurationError(
            f'fault {names} would give a car without actuators one, expected a car that has them'
            ' from the start: set actuators.steering_lag or another of actuators.*')
    channels = other.channels
    for fault in acting:
        if fault.kind == STUCK and channels is not None:
            stuck = getattr(channels, fault.target)._replace(gain=0.0, largest_change=0.0)
            channels = channels._replace(**{fault.target: stuck})
    if values != simulated and _numbers(other) == _numbers(simulator):
        raise ConfigurationError(
            f"fault {names} changes nothing of {simulator.description} with tyre_model"
            f" {simulated.get('tyre_model')}, expected a vehicle_model and a tyre_model that know"
            f' it: choose tyre_model fiala, or another vehicle_model')
    return Change(tick, other.model, channels)


def _made(values: Values) -> Simulator:
    """Simulator with other values of its vehicle, at rest: it never drives itself."""
    at_rest = {row.name: row.default for row in INITIAL_MOTION_PARAMETERS}
    return make_simulator({**values, **at_rest})


def _numbers(simulator: Simulator) -> object:
    """What decides how it moves."""
    return (tuple(simulator.model.parameters), command_limits(simulator.model.vehicle),
            simulator.channels)


def _slippery(fault: Fault, values: Values) -> dict[str, object]:
    along, _ = VehicleParameters.from_values(values).frictions
    across = f'{PREFIX}lateral_friction_coefficient'
    return {f'{PREFIX}contact_material': DEFAULT_MATERIAL,
            f'{PREFIX}friction_coefficient': along * fault.size,
            across: number_of(values, across) * fault.size}


def _scaled(names: Sequence[str], fault: Fault, values: Values) -> dict[str, object]:
    return {name: number_of(values, name) * fault.size for name in names}


def _blown_out(fault: Fault, values: Values) -> dict[str, object]:
    return _scaled([f'{PREFIX}{fault.target}.{name}' for name in (
        'cornering_stiffness', 'slip_stiffness')], fault, values)


def _weak(fault: Fault, values: Values) -> dict[str, object]:
    return _scaled([f'{PREFIX}speed_min', f'{PREFIX}speed_max', f'{PREFIX}drive_force_limit',
                    'actuators.acceleration'], fault, values)


_CHANGED: Mapping[str, Callable[[Fault, Values], dict[str, object]]] = {
    FRICTION: _slippery, BLOW_OUT: _blown_out, BATTERY: _weak,
    PARAMETER: lambda fault, values: {fault.target: fault.size}}
"""Other values of the simulator that a fault gives."""
