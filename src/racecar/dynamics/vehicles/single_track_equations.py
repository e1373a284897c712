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

from racecar.base.compiled import inlined, njit
from racecar.base.elementary import sine_cosine
from racecar.base.packing import Vector
from racecar.dynamics.tyres.linear import lateral_force, of_angle, of_tangent
from racecar.dynamics.tyres.pacejka import side_curvature
from racecar.dynamics.vehicles.interface import Coefficients, Rates, SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.parameters import GRAVITY

# State. LATERAL is vy [m/s] in the full formulation and beta [rad] in the report's.
LATERAL, YAW_RATE, X, Y, YAW = range(5)

# Packed parameters.
(MASS, YAW_INERTIA, TO_FRONT, TO_REAR, STIFFNESS_FRONT, STIFFNESS_REAR, FRICTION_FRONT,
 LOAD_FRONT, LOAD_REAR, LOW_SPEED, ODOMETRY_OFFSET, SHAPE, CURVATURE_FRONT, TANGENT_FRONT,
 TANGENT_REAR, FORCE_FRONT, FORCE_REAR, FRICTION_REAR, CURVATURE_REAR, ASYMMETRY, SHIFT_TANGENT,
 SHIFT_ANGLE, PARAMETER_COUNT) = range(23)
COEFFICIENT_COUNT = 24

FORMULATIONS = ('full', 'report')
# Acceleration [m/s^2] up to which the drive holds a prescribed speed in a spin: one g.
_DRIVE_LIMIT = GRAVITY
# Width [rad] over which the rate of the report's beta fades towards a right angle.
_FADE_WIDTH = 0.2
_PER_FADE_WIDTH = 1.0 / _FADE_WIDTH
_HALF_PI = 0.5 * math.pi


@njit
def full_slip_angles(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, float]:
    """Return the slip angles of the front and rear axle [rad], full formulation."""
    speed = inputs[SPEED]
    cosine = math.cos(inputs[STEERING_ANGLE])
    sine = math.sin(inputs[STEERING_ANGLE])
    front = state[LATERAL] + parameters[TO_FRONT] * state[YAW_RATE]
    rear = state[LATERAL] - parameters[TO_REAR] * state[YAW_RATE]
    threshold = parameters[LOW_SPEED]
    return (
        math.atan2(
            front * cosine - speed * sine, max(abs(speed * cosine + front * sine), threshold)),
        math.atan2(rear, max(abs(speed), threshold)),
    )


def heading(yaw: float) -> tuple[float, float]:
    """Stand for the sine and cosine that SingleTrack binds."""
    raise NotImplementedError('SingleTrack binds this name')


@inlined
def limited_coupling(speed: float, lateral: float, yaw_rate: float) -> float:
    """Return V r [m/s^2] as far as a drive of _DRIVE_LIMIT can hold V; vy [m/s], r [rad/s]."""
    push = abs(yaw_rate * lateral)
    return speed * yaw_rate * (_DRIVE_LIMIT / max(push, _DRIVE_LIMIT))


@inlined
def limited_sideslip_rate(rate: float, beta: float) -> float:
    """Return the rate of beta [rad/s], faded where it leads out towards a right angle [rad]."""
    faded = rate * min(max((_HALF_PI - abs(beta)) * _PER_FADE_WIDTH, 0.0), 1.0)
    return faded if rate * beta > 0.0 else rate


@inlined
def full_coefficients(inputs: Vector, parameters: Vector) -> Coefficients:
    """Return what full_rates() needs and inputs and parameters fix, full formulation."""
    speed = inputs[SPEED]
    sine, cosine = sine_cosine(inputs[STEERING_ANGLE])
    front, rear = parameters[FORCE_FRONT], parameters[FORCE_REAR]
    mass, inertia = parameters[MASS], parameters[YAW_INERTIA]
    return (
        speed, speed * cosine, speed * sine * parameters[TANGENT_FRONT], sine,
        cosine * parameters[TANGENT_FRONT], parameters[LOW_SPEED],
        parameters[TANGENT_REAR] / max(abs(speed), parameters[LOW_SPEED]),
        parameters[TO_FRONT], parameters[TO_REAR],
        parameters[STIFFNESS_FRONT], parameters[STIFFNESS_REAR], parameters[FRICTION_FRONT],
        parameters[LOAD_FRONT], parameters[LOAD_REAR],
        cosine * front / mass, rear / mass,
        parameters[TO_FRONT] * cosine * front / inertia, parameters[TO_REAR] * rear / inertia,
        parameters[SHAPE], parameters[CURVATURE_FRONT], parameters[FRICTION_REAR],
        parameters[CURVATURE_REAR], parameters[ASYMMETRY], parameters[SHIFT_TANGENT],
    )


def full_rates(state: Vector, coefficients: Coefficients) -> Rates:
    """Return the time derivative of (vy, r, x, y, yaw) [SI], full formulation.

    coefficients: see full_coefficients(). The slip enters by its tangent, and the forces by what
    they do to vy and r, so that few operations wait for each other. The global name of_tangent is
    bound to the tyre model, heading to sine and cosine.
    """
    (speed, speed_along, scaled_across, sin_steering, scaled_cosine, threshold, per_rear,
     to_front, to_rear, stiffness_front, stiffness_rear, friction_front, load_front, load_rear,
     lateral_gain_front, lateral_gain_rear, yaw_gain_front, yaw_gain_rear, shape, curvature_front,
     friction_rear, curvature_rear, asymmetry, shift) = coefficients
    front = state[LATERAL] + to_front * state[YAW_RATE]
    rear = state[LATERAL] - to_rear * state[YAW_RATE]
    tangent_front = ((front * scaled_cosine - scaled_across)
                     / max(abs(speed_along + front * sin_steering), threshold))
    tangent_rear = rear * per_rear
    force_front = of_tangent(
        tangent_front, stiffness_front, friction_front, load_front, shape,
        side_curvature(curvature_front, asymmetry, shift, tangent_front))
    force_rear = of_tangent(
        tangent_rear, stiffness_rear, friction_rear, load_rear, shape,
        side_curvature(curvature_rear, asymmetry, shift, tangent_rear))
    sine, cosine = heading(state[YAW])
    coupling = limited_coupling(speed, state[LATERAL], state[YAW_RATE])
    return (
        lateral_gain_front * force_front + (lateral_gain_rear * force_rear - coupling),
        yaw_gain_front * force_front - yaw_gain_rear * force_rear,
        speed * cosine - state[LATERAL] * sine,
        speed * sine + state[LATERAL] * cosine,
        state[YAW_RATE],
    )


@inlined
def _observe_point(
    state: Vector, inputs: Vector, parameters: Vector, vy: float,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]; vy is given."""
    offset = parameters[ODOMETRY_OFFSET]
    sine, cosine = sine_cosine(state[YAW])
    qz, qw = sine_cosine(0.5 * state[YAW])
    return (
        state[X] + offset * cosine,
        state[Y] + offset * sine,
        qz,
        qw,
        inputs[SPEED],
        vy,
        state[YAW_RATE],
    )


@inlined
def full_observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI], full formulation."""
    return _observe_point(
        state, inputs, parameters,
        state[LATERAL] + parameters[ODOMETRY_OFFSET] * state[YAW_RATE])


def axle_lateral_forces(
    alpha_front: float, alpha_rear: float, parameters: Vector,
) -> tuple[float, float]:
    """Return the lateral forces [N] of the axles at their slip angles [rad].

    The global name lateral_force is bound to the tyre model.
    """
    return (
        lateral_force(
            alpha_front, parameters[STIFFNESS_FRONT], parameters[FRICTION_FRONT],
            parameters[LOAD_FRONT], parameters[SHAPE], side_curvature(
                parameters[CURVATURE_FRONT], parameters[ASYMMETRY], parameters[SHIFT_ANGLE],
                alpha_front)),
        lateral_force(
            alpha_rear, parameters[STIFFNESS_REAR], parameters[FRICTION_REAR],
            parameters[LOAD_REAR], parameters[SHAPE], side_curvature(
                parameters[CURVATURE_REAR], parameters[ASYMMETRY], parameters[SHIFT_ANGLE],
                alpha_rear)))


def full_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics, full formulation.

    The global name axle_lateral_forces is bound to the tyre model.
    """
    speed = inputs[SPEED]
    lateral = state[LATERAL]
    alpha_front, alpha_rear = full_slip_angles(state, inputs, parameters)
    force_front, force_rear = axle_lateral_forces(alpha_front, alpha_rear, parameters)
    total = force_front * math.cos(inputs[STEERING_ANGLE]) + force_rear
    return (
        state[X], state[Y], state[YAW], speed, lateral, state[YAW_RATE],
        math.atan2(math.copysign(1.0, speed) * lateral, abs(speed)), total / parameters[MASS],
        alpha_front, alpha_rear, force_front, force_rear, speed, inputs[STEERING_ANGLE],
    )


@njit
def report_slip_angles(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, float]:
    """Return the slip angles of the front and rear axle [rad], report's formulation."""
    speed = inputs[SPEED]
    scale = max(abs(speed), parameters[LOW_SPEED])
    direction = speed / scale
    yaw_rate = state[YAW_RATE] / scale
    return (
        direction * (state[LATERAL] - inputs[STEERING_ANGLE]) + parameters[TO_FRONT] * yaw_rate,
        direction * state[LATERAL] - parameters[TO_REAR] * yaw_rate,
    )


@inlined
def report_coefficients(inputs: Vector, parameters: Vector) -> Coefficients:
    """Return what report_rates() needs and inputs and parameters fix, report's formulation."""
    speed = inputs[SPEED]
    scale = max(abs(speed), parameters[LOW_SPEED])
    momentum = math.copysign(parameters[MASS] * scale, speed)
    front, rear = parameters[FORCE_FRONT], parameters[FORCE_REAR]
    inertia = parameters[YAW_INERTIA]
    return (
        speed, speed / scale, inputs[STEERING_ANGLE],
        parameters[TO_FRONT] / scale, parameters[TO_REAR] / scale,
        parameters[TANGENT_FRONT], parameters[TANGENT_REAR],
        parameters[STIFFNESS_FRONT], parameters[STIFFNESS_REAR], parameters[FRICTION_FRONT],
        parameters[LOAD_FRONT], parameters[LOAD_REAR], front / momentum, rear / momentum,
        parameters[TO_FRONT] * front / inertia, parameters[TO_REAR] * rear / inertia,
        parameters[SHAPE], parameters[CURVATURE_FRONT], parameters[FRICTION_REAR],
        parameters[CURVATURE_REAR], parameters[ASYMMETRY], parameters[SHIFT_ANGLE], 0.0, 0.0,
    )


def report_rates(state: Vector, coefficients: Coefficients) -> Rates:
    """Return the time derivative of (beta, r, x, y, yaw) [SI], report's formulation.

    coefficients: see report_coefficients(). The global names of_angle and heading are bound to
    the tyre model and to sine and cosine.
    """
    (speed, direction, steering, per_front, per_rear, tangent_front, tangent_rear,
     stiffness_front, stiffness_rear, friction_front, load_front, load_rear, lateral_gain_front,
     lateral_gain_rear, yaw_gain_front, yaw_gain_rear, shape, curvature_front, friction_rear,
     curvature_rear, asymmetry, shift, _, _) = coefficients
    alpha_front = direction * (state[LATERAL] - steering) + per_front * state[YAW_RATE]
    alpha_rear = direction * state[LATERAL] - per_rear * state[YAW_RATE]
    force_front = of_angle(
        alpha_front, tangent_front, stiffness_front, friction_front, load_front, shape,
        side_curvature(curvature_front, asymmetry, shift, alpha_front))
    force_rear = of_angle(
        alpha_rear, tangent_rear, stiffness_rear, friction_rear, load_rear, shape,
        side_curvature(curvature_rear, asymmetry, shift, alpha_rear))
    _, cos_sideslip = sine_cosine(state[LATERAL])
    sine, cosine = heading(state[YAW])
    return (
        limited_sideslip_rate(
            (lateral_gain_front * force_front + lateral_gain_rear * force_rear) * cos_sideslip
            - state[YAW_RATE], state[LATERAL]),
        yaw_gain_front * force_front - yaw_gain_rear * force_rear,
        speed * cosine,
        speed * sine,
        state[YAW_RATE],
    )


@inlined
def report_observe(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float]:
    """Return x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI], report's formulation.

    The centre of gravity moves along the heading there, whatever beta is.
    """
    return _observe_point(
        state, inputs, parameters, parameters[ODOMETRY_OFFSET] * state[YAW_RATE])


def report_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics, report's formulation.

    V is the modulus of the velocity in its equation of beta, so vx = V cos(beta) and
    vy = V sin(beta); ay = V (beta' + r) as there. The global name axle_lateral_forces is bound to
    the tyre model.
    """
    speed = inputs[SPEED]
    beta = state[LATERAL]
    alpha_front, alpha_rear = report_slip_angles(state, inputs, parameters)
    force_front, force_rear = axle_lateral_forces(alpha_front, alpha_rear, parameters)
    signed = math.copysign(max(abs(speed), parameters[LOW_SPEED]), speed)
    acceleration = (
        speed * (force_front + force_rear) * math.cos(beta) / (parameters[MASS] * signed))
    return (
        state[X], state[Y], state[YAW], speed * math.cos(beta), speed * math.sin(beta),
        state[YAW_RATE], beta, acceleration,
        alpha_front, alpha_rear, force_front, force_rear, speed, inputs[STEERING_ANGLE],
    )
