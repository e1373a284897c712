# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The vehicle of f1tenth_gym: single track, kinematic model, controllers of speed and angle.

So that results made with it can be repeated. The tyres are linear and never let go: the lateral
force grows with the slip angle however large it is. Source of the equations: M. Althoff,
M. Koschi, S. Manzinger, CommonRoad: Composable benchmarks for motion planning on roads, 2017, and
its vehicle models, sections 5 and 7; controllers and constraints as f1tenth_gym 0.2.1 and 1.0.0
have them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ParameterError
from racecar.base.rows import zeros_of
from racecar.base.types import Pose2, POSITION_LIMIT
from racecar.base.vectors import Vector, vector
from racecar.dynamics.vehicles.interface import (
    Command,
    Equations,
    equations_of,
    Laws,
    NO_COMMAND,
)

GRAVITY = 9.81
"""As f1tenth_gym has it [m/s^2]."""

# Below this the single track is kinematic [m/s].
_SLOW = 0.5
_UNBOUNDED = 1e6

PARAMETERS: Mapping[str, float] = {
    'mu': 1.0489, 'C_Sf': 4.718, 'C_Sr': 5.4562, 'lf': 0.15875, 'lr': 0.17145, 'h': 0.074,
    'm': 3.74, 'I': 0.04712, 's_min': -0.4189, 's_max': 0.4189, 'sv_min': -3.2, 'sv_max': 3.2,
    'v_switch': 7.319, 'a_max': 9.51, 'v_min': -5.0, 'v_max': 20.0, 'width': 0.31,
    'length': 0.58}
"""Parameters of its car by the names of f1tenth_gym, SI."""


class GymCar(NamedTuple):
    """Parameters: friction [-], cornering stiffnesses [1/rad], distances [m], mass, inertia [SI].

    steering_min ... speed_max: limits of steering angle, its rate, acceleration and speed;
    speed_switch: above it acceleration falls with the speed [m/s].
    """

    friction: float
    stiffness_front: float
    stiffness_rear: float
    to_front: float
    to_rear: float
    height: float
    mass: float
    inertia: float
    steering_min: float
    steering_max: float
    rate_min: float
    rate_max: float
    speed_switch: float
    acceleration_max: float
    speed_min: float
    speed_max: float


class GymState(NamedTuple):
    """State of both models: pose of the centre of gravity, angle of the wheels, speed.

    The kinematic model has its rear axle in the place of the centre of gravity and leaves yaw_rate
    and slip_angle alone.
    """

    x: float
    y: float
    yaw: float
    steering_angle: float
    speed: float
    yaw_rate: float
    slip_angle: float


class GymInputs(NamedTuple):
    """Acceleration [m/s^2] and rate of the steering angle [rad/s]."""

    acceleration: float
    steering_rate: float


class GymHeld(NamedTuple):
    """Inputs and parameters; both are needed at each stage, as the limits depend on the state."""

    inputs: GymInputs
    car: GymCar


@pure
def limited_acceleration(speed: float, wanted: float, car: GymCar) -> float:
    """Acceleration within the limits at a speed [m/s^2]."""
    most = car.acceleration_max
    if speed > car.speed_switch:
        most = car.acceleration_max * (car.speed_switch / speed)
    if (speed <= car.speed_min and wanted <= 0.0) or (speed >= car.speed_max and wanted >= 0.0):
        return 0.0
    return min(max(wanted, -car.acceleration_max), most)


@pure
def limited_rate(angle: float, wanted: float, car: GymCar) -> float:
    """Rate of the steering angle within the limits at an angle [rad/s]."""
    if (angle <= car.steering_min and wanted <= 0.0) or (
            angle >= car.steering_max and wanted >= 0.0):
        return 0.0
    return min(max(wanted, car.rate_min), car.rate_max)


@pure
def gym_hold(inputs: Command, car: GymCar) -> GymHeld:
    """What both fix; the two numbers of a command are those of GymInputs here."""
    return GymHeld(GymInputs(inputs.speed, inputs.steering_angle), car)


@pure
def _gripping_rates(state: GymState, turning: float, a: float, car: GymCar) -> GymState:
    """Time derivative of the single track with tyres; turning [rad/s] and a [m/s^2] as limited."""
    wheelbase = car.to_front + car.to_rear
    v, delta, beta = state.speed, state.steering_angle, state.slip_angle
    front = car.stiffness_front * (GRAVITY * car.to_rear - a * car.height)
    rear = car.stiffness_rear * (GRAVITY * car.to_front + a * car.height)
    sine, cosine = sine_cosine(state.yaw + beta)
    yaw_rate = state.yaw_rate
    return GymState(
        v * cosine, v * sine, yaw_rate, turning, a,
        (car.friction * car.mass / (car.inertia * wheelbase)) * (
            car.to_front * front * delta + (car.to_rear * rear - car.to_front * front) * beta
            - (car.to_front * car.to_front * front + car.to_rear * car.to_rear * rear)
            * (yaw_rate / v)),
        (car.friction / (v * wheelbase)) * (
            front * delta - (rear + front) * beta
            + (rear * car.to_rear - front * car.to_front) * (yaw_rate / v)) - yaw_rate)


@pure
def single_rates(state: GymState, held: GymHeld) -> GymState:
    """Time derivative of the single track [SI]; below 0.5 m/s that of a kinematic one."""
    inputs, car = held
    turning = limited_rate(state.steering_angle, inputs.steering_rate, car)
    a = limited_acceleration(state.speed, inputs.acceleration, car)
    wheelbase = car.to_front + car.to_rear
    v, delta, beta = state.speed, state.steering_angle, state.slip_angle
    if v < _SLOW:
        tangent = math.tan(delta)
        cosine_delta = math.cos(delta)
        kinematic = math.atan(tangent * car.to_rear / wheelbase)
        share = tangent * (car.to_rear / wheelbase)
        beta_rate = (1.0 / (1.0 + share * share)) * (
            car.to_rear / (wheelbase * (cosine_delta * cosine_delta))) * turning
        sine, cosine = sine_cosine(state.yaw + kinematic)
        sine_beta, cosine_beta = sine_cosine(beta)
        return GymState(
            v * cosine, v * sine, v * math.cos(kinematic) * tangent / wheelbase, turning, a,
            (1.0 / wheelbase) * (
                a * cosine_beta * tangent - v * sine_beta * tangent * beta_rate
                + (v * cosine_beta * turning) / (cosine_delta * cosine_delta)),
            beta_rate)
    return _gripping_rates(state, turning, a, car)


@pure
def kinematic_rates(state: GymState, held: GymHeld) -> GymState:
    """Time derivative of the kinematic model [SI]."""
    inputs, car = held
    turning = limited_rate(state.steering_angle, inputs.steering_rate, car)
    a = limited_acceleration(state.speed, inputs.acceleration, car)
    sine, cosine = sine_cosine(state.yaw)
    v = state.speed
    return GymState(
        v * cosine, v * sine,
        (v / (car.to_front + car.to_rear)) * math.tan(state.steering_angle), turning, a, 0.0, 0.0)


@pure
def former_single_rates(state: GymState, held: GymHeld) -> GymState:
    """Likewise of 0.2.1: below 0.5 m/s the kinematic model, whose slip angle stays as it is."""
    inputs, car = held
    turning = limited_rate(state.steering_angle, inputs.steering_rate, car)
    a = limited_acceleration(state.speed, inputs.acceleration, car)
    if abs(state.speed) >= _SLOW:
        return _gripping_rates(state, turning, a, car)
    slow = kinematic_rates(state, held)
    wheelbase = car.to_front + car.to_rear
    cosine = math.cos(state.steering_angle)
    return GymState(
        slow.x, slow.y, slow.yaw, turning, a,
        a / wheelbase * math.tan(state.steering_angle)
        + state.speed / (wheelbase * (cosine * cosine)) * turning, 0.0)


@pure
def gym_observe(
    state: GymState, inputs: Command, car: GymCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the point of the state [SI]."""
    sine, cosine = sine_cosine(0.5 * state.yaw)
    sine_beta, cosine_beta = sine_cosine(state.slip_angle)
    return (state.x, state.y, sine, cosine, state.speed * cosine_beta, state.speed * sine_beta,
            state.yaw_rate)


@pure
def gym_diagnose(
    state: GymState, inputs: Command, car: GymCar, held: GymHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics; slip angles and forces of the axles are not told."""
    sine_beta, cosine_beta = sine_cosine(state.slip_angle)
    return (
        state.x, state.y, state.yaw, state.speed * cosine_beta, state.speed * sine_beta,
        state.yaw_rate, state.slip_angle, state.speed * state.yaw_rate, 0.0, 0.0, 0.0, 0.0,
        state.speed, state.steering_angle)


@pure
def acceleration_for(speed: float, present: float, car: GymCar) -> float:
    """Acceleration that its controller of the speed asks for [m/s^2]."""
    difference = speed - present
    gain = 10.0 if present > 0.0 else 2.0
    return gain * car.acceleration_max / (
        car.speed_max if difference > 0.0 else -car.speed_min) * difference


@pure
def rate_for(angle: float, present: float, car: GymCar) -> float:
    """Rate that its controller of the steering angle asks for: the largest one, or none."""
    difference = angle - present
    return math.copysign(car.rate_max, difference) if abs(difference) > 1e-4 else 0.0


FORMER = 'former_st'
"""Name of the model st as f1tenth_gym 0.2.1 has it."""

_RATES = {'st': single_rates, 'ks': kinematic_rates, FORMER: former_single_rates}


def gym_car(parameters: Mapping[str, float]) -> GymCar:
    """Parameters of a dictionary as f1tenth_gym takes it.

    Raises ParameterError for one that is missing or no finite number.
    """
    names = list(PARAMETERS)
    for name in names:
        value = parameters.get(name)
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ParameterError(
                f"params['{name}'] is {value!r}, expected a number; those of f1tenth_gym are"
                f" {', '.join(names)}")
    return GymCar(*(float(parameters[name]) for name in names[:len(GymCar._fields)]))


class GymModel:
    """One of its two models, driven by acceleration and steering rate; see VehicleModel."""

    input_count = 2
    no_travel = (0.0,)
    state_limits = (POSITION_LIMIT,) * 3 + (_UNBOUNDED,) * 4

    def __init__(self, model: str, parameters: Mapping[str, float]) -> None:
        """model: st, ks or FORMER. Raises ParameterError for another, and as gym_car() does."""
        if model not in _RATES:
            raise ParameterError(f'model is {model!r}, expected one of st, ks')
        self.name = f'f1tenth_gym_{model}'
        self.car = gym_car(parameters)
        self.parameters: Vector = vector(self.car)
        self.equations: Equations = equations_of(
            self.name, zeros_of(GymState), NO_COMMAND, self.car,
            Laws(gym_hold, _RATES[model], gym_observe, gym_diagnose))

    @property
    def description(self) -> str:
        """Name, for messages."""
        return f'{self.name} of f1tenth_gym'

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states, in order."""
        return GymState._fields

    def initial_state(self, pose: Pose2) -> tuple[float, ...]:
        """State at rest at a pose."""
        return GymState(pose.x, pose.y, pose.yaw, 0.0, 0.0, 0.0, 0.0)

    def fastest_mode(self) -> float:
        """Zero: a method is taken as it is, as f1tenth_gym does [1/s]."""
        return 0.0


def gym_inputs(
    state: Sequence[float], action: Sequence[float], kinds: tuple[str, str], car: GymCar,
) -> GymInputs:
    """Inputs for a longitudinal and a steering value in a state, by its controllers.

    kinds: speed or accl, steering_angle or steering_speed.
    """
    now = GymState(*map(float, state))
    longitudinal, steering = (float(np.float64(value)) for value in action)
    return GymInputs(
        acceleration_for(longitudinal, now.speed, car) if kinds[0] == 'speed' else longitudinal,
        rate_for(steering, now.steering_angle, car) if kinds[1] == 'steering_angle' else steering)
