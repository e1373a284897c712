# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What can be estimated: names, units, bounds, start of the search, the model of a stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import math
from typing import Any, NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.dynamics.vehicles import (
    KinematicUndersteer,
    SingleTrack,
    SingleTrackSlip,
    VehicleParameters,
)
from racecar.identification.prediction import LOW_SPEED, SteeringActuator, WheelSensor

Values = dict[str, float]
"""Values by the name of the unknown; those of one drive as `wheel_scale:NAME`."""


class Unknown(NamedTuple):
    """unit; bounds; change that counts as one in the search; meaning."""

    unit: str
    low: float
    high: float
    scale: float
    meaning: str
    per_drive: bool = False


NO_RATE = 50.0
"""Rate from which the steering counts as unlimited [rad/s]."""

UNKNOWNS: dict[str, Unknown] = {
    'steering_gain': Unknown('-', 0.2, 3.0, 0.2, 'angle at the wheels over the commanded one'),
    'steering_offset': Unknown('rad', -0.15, 0.15, 0.02, 'angle at the wheels for command 0'),
    'steering_delay': Unknown('s', 0.0, 0.4, 0.02, 'delay of the steering'),
    'steering_lag': Unknown('s', 0.0, 0.4, 0.02, 'time constant of the steering'),
    'steering_rate': Unknown('rad/s', 0.3, NO_RATE, 2.0, 'maximum rate of the steering'),
    'understeer_gradient': Unknown(
        'rad s^2/m', -0.05, 0.3, 0.01, 'understeer gradient of the kinematic bicycle'),
    'front_cornering_stiffness': Unknown('N/rad', 2.0, 60.0, 10.0, 'front axle'),
    'rear_cornering_stiffness': Unknown('N/rad', 2.0, 60.0, 10.0, 'rear axle'),
    'friction_coefficient': Unknown('-', 0.05, 2.5, 0.3, 'tyre on ground'),
    'slip_stiffness': Unknown('N', 1.0, 60.0, 10.0, 'each axle, longitudinal'),
    'wheel_lag': Unknown('s', 0.0, 0.5, 0.05, 'lag of the measured wheel speed'),
    'wheel_delay': Unknown('s', 0.0, 0.2, 0.02, 'from the wheel speed, freed of its lag, to its'
                           ' effect'),
    'yaw_inertia': Unknown('kg m^2', 0.1, 6.0, 0.5, 'about the centre of gravity'),
    'cog_height': Unknown('m', 0.0, 0.8, 0.1, 'by the load that driving and braking shift'),
    'speed_delay': Unknown('s', 0.0, 0.4, 0.02, 'delay of the wheels behind the commanded speed'),
    'speed_lag': Unknown('s', 0.0, 1.0, 0.05, 'time constant of the wheels behind the command'),
    'speed_gain': Unknown('-', 0.2, 2.0, 0.1, 'speed of the wheels over the commanded one',
                          per_drive=True),
    'wheel_scale': Unknown('-', 0.4, 1.6, 0.05, 'speed over ground over that of the wheels',
                           per_drive=True),
}
"""Bounds and scales of stiffnesses are per kg of mass, those of the inertia over m a b, those of
the height over the wheelbase."""

FREEABLE = ('yaw_inertia', 'cog_height')
_REFUSED = {
    'mass': 'no drive tells mass from stiffness, friction and inertia: weigh the car',
    'pacejka': 'shape C and curvature E of a Pacejka tyre trade against stiffness and friction;'
               ' Fiala has what drives can tell',
}


class Stage(NamedTuple):
    """A step of the fit: model, unknowns (without those of drives), what it is for.

    steady: only windows far from the limit of friction and without wheelspin.
    """

    name: str
    kind: str
    unknowns: tuple[str, ...]
    steady: bool
    text: str


_ACTUATOR = ('steering_gain', 'steering_offset', 'steering_delay', 'steering_lag')
_TYRES = ('front_cornering_stiffness', 'rear_cornering_stiffness')

STAGES: dict[str, Stage] = {row.name: row for row in (
    Stage('rolling', 'kinematic', _ACTUATOR, False,
          'kinematic bicycle that does not understeer: a baseline'),
    Stage('kinematic', 'kinematic', (*_ACTUATOR, 'understeer_gradient'), False,
          'kinematic bicycle with understeer gradient'),
    Stage('actuators', 'fiala', _ACTUATOR, False,
          'steering of the vehicle as it was, its tyres unfitted: a baseline'),
    Stage('linear', 'linear', (*_ACTUATOR, *_TYRES), True,
          'single track with linear tyres, steady windows'),
    Stage('fiala', 'fiala', (*_ACTUATOR, *_TYRES, 'friction_coefficient'), False,
          'single track with Fiala tyres'),
    Stage('speed', 'speed', ('speed_delay', 'speed_lag'), False,
          'wheels behind the commanded speed'),
    Stage('combined', 'combined', (
        *_ACTUATOR, *_TYRES, 'friction_coefficient', 'slip_stiffness', 'wheel_lag',
        'wheel_delay'), False,
        'single track with Fiala tyres and combined slip'),
)}


def check_freed(names: tuple[str, ...]) -> None:
    """Raise ConfigurationError for what is not to be estimated from drives."""
    for name in names:
        if name in FREEABLE:
            continue
        key = 'pacejka' if 'pacejka' in name or name in ('shape', 'curvature') else name
        why = _REFUSED.get(key, 'it is no parameter that a drive can tell')
        raise ConfigurationError(
            f"--free '{name}' is refused: {why}; what can be freed: {', '.join(FREEABLE)}")


def bounds(name: str, vehicle: VehicleParameters) -> tuple[float, float]:
    """Return the bounds of an unknown in its unit."""
    row = UNKNOWNS[name.partition(':')[0]]
    unit = _unit_of(name, vehicle)
    return row.low * unit, row.high * unit


def scale(name: str, vehicle: VehicleParameters) -> float:
    """Return the change that counts as one in the search."""
    return UNKNOWNS[name.partition(':')[0]].scale * _unit_of(name, vehicle)


def _unit_of(name: str, vehicle: VehicleParameters) -> float:
    if name.endswith('stiffness'):
        return vehicle.mass
    if name == 'yaw_inertia':
        return vehicle.mass * vehicle.cog_to_front_axle * vehicle.cog_to_rear_axle
    if name == 'cog_height':
        return vehicle.wheelbase
    return 1.0


def prior(vehicle: VehicleParameters) -> Values:
    """Prior value of each unknown, before any drive."""
    return {
        'steering_gain': 1.0, 'steering_offset': 0.0, 'steering_delay': 0.0,
        'steering_lag': 0.0, 'steering_rate': NO_RATE,
        'understeer_gradient': vehicle.understeer_gradient,
        'front_cornering_stiffness': vehicle.front_cornering_stiffness,
        'rear_cornering_stiffness': vehicle.rear_cornering_stiffness,
        'friction_coefficient': vehicle.friction_coefficient,
        'slip_stiffness': 0.5 * (vehicle.front_slip_stiffness + vehicle.rear_slip_stiffness),
        'wheel_lag': 0.0, 'wheel_delay': 0.0, 'yaw_inertia': vehicle.yaw_inertia,
        'cog_height': vehicle.cog_height, 'speed_delay': 0.0, 'speed_lag': 0.0,
        'speed_gain': 1.0, 'wheel_scale': 1.0}


def search_start(vehicle: VehicleParameters) -> Values:
    """Return where the search begins: the prior, but inside of where something can be learnt."""
    return {**prior(vehicle), 'steering_delay': 0.06, 'steering_lag': 0.03,
            'steering_rate': 8.0, 'wheel_lag': 0.03, 'wheel_delay': 0.02, 'speed_delay': 0.03,
            'speed_lag': 0.1}


def with_values(vehicle: VehicleParameters, values: Mapping[str, float]) -> VehicleParameters:
    """Return the vehicle with the values of what it has parameters for."""
    changes: dict[str, Any] = {
        name: values[name] for name in (
            'front_cornering_stiffness', 'rear_cornering_stiffness', 'friction_coefficient',
            'yaw_inertia', 'cog_height') if name in values}
    if 'slip_stiffness' in values:
        changes |= {'front_slip_stiffness': values['slip_stiffness'],
                    'rear_slip_stiffness': values['slip_stiffness']}
    if 'friction_coefficient' in values:
        # What is found holds in all directions.
        changes['lateral_friction_coefficient'] = 0.0
    return replace(vehicle, odometry_point='rear_axle', **changes)


def make_model(
    kind: str, vehicle: VehicleParameters, values: Mapping[str, float],
) -> KinematicUndersteer | SingleTrack | SingleTrackSlip:
    """Return the model of a stage's kind with these values."""
    if kind == 'kinematic':
        # 0 stands for the gradient of the tyres.
        return KinematicUndersteer(
            replace(vehicle, odometry_point='rear_axle', speed_max=1.0, speed_min=0.0),
            values['understeer_gradient'] or 1e-12)
    car = with_values(vehicle, values)
    if kind == 'combined':
        return SingleTrackSlip(car, 'fiala', LOW_SPEED)
    return SingleTrack(car, kind, low_speed_threshold=LOW_SPEED)


def steering_of(values: Mapping[str, float]) -> SteeringActuator:
    """Return the actuator of the steering."""
    rate = values.get('steering_rate', NO_RATE)
    return SteeringActuator(
        values['steering_gain'], values['steering_offset'], values['steering_delay'],
        values['steering_lag'], math.inf if rate >= NO_RATE else rate)


def wheels_of(values: Mapping[str, float], scale: float) -> WheelSensor:
    """Sensor of the measured wheel speed; scale: that of the drive [-]."""
    return WheelSensor(scale, values['wheel_lag'], values['wheel_delay'])
