# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track (dynamic bicycle) model with the speed as input, in two formulations.

Symbols: V speed, d steering angle, r yaw rate, a and b distances from the centre of gravity to
the front and rear axle, C cornering stiffness, e low-speed threshold; index f front, r rear.

`full` (default; Rajamani, Vehicle Dynamics and Control, chapter 2, without small angles): V is
the longitudinal velocity vx, the state is vy, r, x, y, yaw.

    alpha_f = atan2(vyf, max(|vxf|, e))    vxf = V cos d + (vy + a r) sin d
                                           vyf = (vy + a r) cos d - V sin d
    alpha_r = atan2(vy - b r, max(|V|, e))
    m (vy' + V r) = Fyf cos d + Fyr        Iz r' = a Fyf cos d - b Fyr
    x' = V cos yaw - vy sin yaw            y' = V sin yaw + vy cos yaw

`report` (report section 5.4): small angles, the state is beta, r, x, y, yaw.

    alpha_f = s (beta - d) + a r / max(|V|, e)     s = V / max(|V|, e)
    alpha_r = s beta - b r / max(|V|, e)
    beta' = (Fyf + Fyr) cos(beta) / (m V_e) - r    V_e = max(|V|, e) with the sign of V
    Iz r' = a Fyf - b Fyr      x' = V cos yaw      y' = V sin yaw

Low speed and reverse. Slip is lateral velocity over longitudinal velocity, so near standstill
the model becomes stiff and then singular. The longitudinal velocity in the denominator is
therefore kept at or above e; from e on, the equations are the original ones. Below e
the tyres turn into viscous lateral dampers: they hold the car on its kinematic path as V -> 0 and
give no force at rest, so the car stands still whatever the steering angle. The modulus makes the
force oppose the lateral velocity when driving backwards as well. The eigenvalues, about
C/(m max(|V|, e)), no longer grow below e: e = 0.1 m/s keeps them below 1700 1/s for the vehicles
shipped, where a Runge-Kutta step of 1 ms is stable up to 2785 1/s, and touches the path only
where the car needs a second for a tenth of a metre. Reversing faster than
VehicleParameters.critical_speed_reverse is unstable, as it is for a real car.

Spins. A prescribed V is a drive of unlimited force: to hold vx = V it pushes with -m r vy, and
in a spin that feeds energy into vy without end. No drive pushes harder than the car weighs, so
from |r vy| = g on it gives m g and no more: the coupling -V r of the full formulation keeps the
value at which the drive reaches that force, and the spin stays bounded. In the report's
formulation nothing keeps beta from winding up; a rate that turns it outwards fades over the last
_FADE_WIDTH rad before a right angle, where small-angle equations have long lost their meaning.
Within these bounds the equations are exactly those above. To study spins, take a model with vx as
a state: single_track_force or double_track.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine, sine_cosine_of_turn
from racecar.dynamics.tyres import AxleTyre
from racecar.dynamics.tyres.lateral import axle_force, of_angle, of_tangent
from racecar.dynamics.vehicles.interface import Command
from racecar.dynamics.vehicles.parameters import GRAVITY


class FullState(NamedTuple):
    """State of the full formulation, or its time derivative [SI]; see the module."""

    vy: float
    yaw_rate: float
    x: float
    y: float
    yaw: float


class ReportState(NamedTuple):
    """State of the report's formulation, or its time derivative [SI]; see the module."""

    beta: float
    yaw_rate: float
    x: float
    y: float
    yaw: float


class SingleCar(NamedTuple):
    """Parameters [SI]: m, Iz, a, b, e, how far the odometry point is ahead of the cog.

    front, rear: tyres of the axles, see racecar.dynamics.tyres.lateral.
    """

    mass: float
    yaw_inertia: float
    to_front: float
    to_rear: float
    low_speed: float
    odometry_offset: float
    front: AxleTyre
    rear: AxleTyre


class FullHeld(NamedTuple):
    """What inputs and parameters fix until the next command, full formulation.

    speed_along, sin_steering: of the front wheel; scaled_across, scaled_cosine: times the scale
    of its tangent; per_rear: that of the rear tangent over V_e; gains: what a force does to vy
    and r.
    """

    speed: float
    speed_along: float
    scaled_across: float
    sin_steering: float
    scaled_cosine: float
    threshold: float
    per_rear: float
    to_front: float
    to_rear: float
    lateral_gain_front: float
    lateral_gain_rear: float
    yaw_gain_front: float
    yaw_gain_rear: float
    front: AxleTyre
    rear: AxleTyre


class ReportHeld(NamedTuple):
    """What inputs and parameters fix until the next command, report's formulation.

    direction: s; per_front, per_rear: a and b over V_e; gains: what a force does to beta and r.
    """

    speed: float
    direction: float
    steering: float
    per_front: float
    per_rear: float
    lateral_gain_front: float
    lateral_gain_rear: float
    yaw_gain_front: float
    yaw_gain_rear: float
    front: AxleTyre
    rear: AxleTyre


FORMULATIONS = ('full', 'report')
# Acceleration [m/s^2] up to which the drive holds a prescribed speed in a spin: one g.
_DRIVE_LIMIT = GRAVITY
# Width [rad] over which the rate of the report's beta fades towards a right angle.
_FADE_WIDTH = 0.2
_PER_FADE_WIDTH = 1.0 / _FADE_WIDTH
_HALF_PI = 0.5 * math.pi


@pure
def limited_coupling(speed: float, lateral: float, yaw_rate: float) -> float:
    """V r [m/s^2] as far as a drive of _DRIVE_LIMIT can hold V; vy [m/s], r [rad/s]."""
    push = abs(yaw_rate * lateral)
    return speed * yaw_rate * (_DRIVE_LIMIT / max(push, _DRIVE_LIMIT))


@pure
def limited_sideslip_rate(rate: float, beta: float) -> float:
    """Rate of beta [rad/s], faded where it leads out towards a right angle [rad]."""
    faded = rate * min(max((_HALF_PI - abs(beta)) * _PER_FADE_WIDTH, 0.0), 1.0)
    return faded if rate * beta > 0.0 else rate


@pure
def full_slip_angles(
    state: FullState, inputs: Command, car: SingleCar,
) -> tuple[float, float]:
    """Slip angles of the front and rear axle [rad], full formulation."""
    speed = inputs.speed
    cosine = math.cos(inputs.steering_angle)
    sine = math.sin(inputs.steering_angle)
    front = state.vy + car.to_front * state.yaw_rate
    rear = state.vy - car.to_rear * state.yaw_rate
    return (
        math.atan2(
            front * cosine - speed * sine, max(abs(speed * cosine + front * sine), car.low_speed)),
        math.atan2(rear, max(abs(speed), car.low_speed)))


@pure
def full_hold(inputs: Command, car: SingleCar) -> FullHeld:
    """What full_rates() needs."""
    speed = inputs.speed
    sine, cosine = sine_cosine(inputs.steering_angle)
    front, rear = car.front, car.rear
    return FullHeld(
        speed, speed * cosine, speed * sine * front.tangent_scale, sine,
        cosine * front.tangent_scale, car.low_speed,
        rear.tangent_scale / max(abs(speed), car.low_speed), car.to_front, car.to_rear,
        cosine * front.force_scale / car.mass, rear.force_scale / car.mass,
        car.to_front * cosine * front.force_scale / car.yaw_inertia,
        car.to_rear * rear.force_scale / car.yaw_inertia, front, rear)


@pure
def full_rates(state: FullState, held: FullHeld) -> FullState:
    """Time derivative of the state [SI], full formulation.

    The slip enters by its tangent, and the forces by what they do to vy and r, so that few
    operations wait for each other.
    """
    h = held
    front = state.vy + h.to_front * state.yaw_rate
    rear = state.vy - h.to_rear * state.yaw_rate
    force_front = of_tangent(h.front, (
        (front * h.scaled_cosine - h.scaled_across)
        / max(abs(h.speed_along + front * h.sin_steering), h.threshold)))
    force_rear = of_tangent(h.rear, rear * h.per_rear)
    sine, cosine = sine_cosine_of_turn(state.yaw)
    coupling = limited_coupling(h.speed, state.vy, state.yaw_rate)
    return FullState(
        h.lateral_gain_front * force_front + (h.lateral_gain_rear * force_rear - coupling),
        h.yaw_gain_front * force_front - h.yaw_gain_rear * force_rear,
        h.speed * cosine - state.vy * sine,
        h.speed * sine + state.vy * cosine,
        state.yaw_rate)


@pure
def _observe_point(
    state: FullState | ReportState, inputs: Command, car: SingleCar, vy: float,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]; vy is given."""
    sine, cosine = sine_cosine(state.yaw)
    qz, qw = sine_cosine(0.5 * state.yaw)
    return (
        state.x + car.odometry_offset * cosine, state.y + car.odometry_offset * sine, qz, qw,
        inputs.speed, vy, state.yaw_rate)


@pure
def full_observe(
    state: FullState, inputs: Command, car: SingleCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI], full formulation."""
    return _observe_point(
        state, inputs, car, state.vy + car.odometry_offset * state.yaw_rate)


@pure
def full_diagnose(
    state: FullState, inputs: Command, car: SingleCar, held: FullHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics, full formulation."""
    speed = inputs.speed
    alpha_front, alpha_rear = full_slip_angles(state, inputs, car)
    force_front, force_rear = axle_force(car.front, alpha_front), axle_force(car.rear, alpha_rear)
    total = force_front * math.cos(inputs.steering_angle) + force_rear
    return (
        state.x, state.y, state.yaw, speed, state.vy, state.yaw_rate,
        math.atan2(math.copysign(1.0, speed) * state.vy, abs(speed)), total / car.mass,
        alpha_front, alpha_rear, force_front, force_rear, speed, inputs.steering_angle)


@pure
def report_slip_angles(
    state: ReportState, inputs: Command, car: SingleCar,
) -> tuple[float, float]:
    """Slip angles of the front and rear axle [rad], report's formulation."""
    scale = max(abs(inputs.speed), car.low_speed)
    direction = inputs.speed / scale
    yaw_rate = state.yaw_rate / scale
    return (
        direction * (state.beta - inputs.steering_angle) + car.to_front * yaw_rate,
        direction * state.beta - car.to_rear * yaw_rate)


@pure
def report_hold(inputs: Command, car: SingleCar) -> ReportHeld:
    """What report_rates() needs."""
    speed = inputs.speed
    scale = max(abs(speed), car.low_speed)
    momentum = math.copysign(car.mass * scale, speed)
    front, rear = car.front, car.rear
    return ReportHeld(
        speed, speed / scale, inputs.steering_angle, car.to_front / scale, car.to_rear / scale,
        front.force_scale / momentum, rear.force_scale / momentum,
        car.to_front * front.force_scale / car.yaw_inertia,
        car.to_rear * rear.force_scale / car.yaw_inertia, front, rear)


@pure
def report_rates(state: ReportState, held: ReportHeld) -> ReportState:
    """Time derivative of the state [SI], report's formulation."""
    h = held
    force_front = of_angle(
        h.front, h.direction * (state.beta - h.steering) + h.per_front * state.yaw_rate)
    force_rear = of_angle(h.rear, h.direction * state.beta - h.per_rear * state.yaw_rate)
    _, cos_sideslip = sine_cosine(state.beta)
    sine, cosine = sine_cosine_of_turn(state.yaw)
    return ReportState(
        limited_sideslip_rate(
            (h.lateral_gain_front * force_front + h.lateral_gain_rear * force_rear) * cos_sideslip
            - state.yaw_rate, state.beta),
        h.yaw_gain_front * force_front - h.yaw_gain_rear * force_rear,
        h.speed * cosine,
        h.speed * sine,
        state.yaw_rate)


@pure
def report_observe(
    state: ReportState, inputs: Command, car: SingleCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI], report's formulation.

    The centre of gravity moves along the heading there, whatever beta is.
    """
    return _observe_point(state, inputs, car, car.odometry_offset * state.yaw_rate)


@pure
def report_diagnose(
    state: ReportState, inputs: Command, car: SingleCar, held: ReportHeld,
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics, report's formulation.

    V is the modulus of the velocity in its equation of beta, so vx = V cos(beta) and
    vy = V sin(beta); ay = V (beta' + r) as there.
    """
    speed, beta = inputs.speed, state.beta
    alpha_front, alpha_rear = report_slip_angles(state, inputs, car)
    force_front, force_rear = axle_force(car.front, alpha_front), axle_force(car.rear, alpha_rear)
    signed = math.copysign(max(abs(speed), car.low_speed), speed)
    acceleration = (
        speed * (force_front + force_rear) * math.cos(beta) / (car.mass * signed))
    return (
        state.x, state.y, state.yaw, speed * math.cos(beta), speed * math.sin(beta),
        state.yaw_rate, beta, acceleration,
        alpha_front, alpha_rear, force_front, force_rear, speed, inputs.steering_angle)
