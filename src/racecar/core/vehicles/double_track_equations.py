# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Double-track model: four wheels that spin, load transfer, combined slip, wheel torques.

State vx, vy, r, x, y, yaw and the four wheel speeds w; wheel order front left, front right, rear
left, rear right. Wheel i at (xi, yi) from the centre of gravity, turned by di, with radius R and
inertia J:

    tan(left) = tan d/(1 - k tan d)    tan(right) = tan d/(1 + k tan d)    k = track/(2 L)
    ui = (vx - r yi) cos di + (vy + r xi) sin di       vi = (vy + r xi) cos di - (vx - r yi) sin di
    si = (ui - R wi)/max(|ui|, |R wi|, e)              tan(alpha_i) = vi/max(|ui|, |R wi|, e')
    m (vx' - vy r) = sum Xi      m (vy' + vx r) = sum Yi      Iz r' = sum (xi Yi - yi Xi)
    J wi' = Ti - ci wi - Bi - R Fxi

Xi, Yi: tyre forces Fx, Fy (combined_slip) turned into the body frame; T drive torque, c damping,
B brake torque. Track and R may differ between front and rear. Loads follow the accelerations ax,
ay without delay (no springs):

    Fz of an axle = m g b/L -+ m ax h/L      of its wheels = half -+ m ay h/track of its share

found by LOAD_PASSES rounds of forces and loads; the sum is always m g, and no load is negative:
a transfer stops where the inner wheel lifts. The slip divides by the larger of travel and rolling
speed, so it stays within [-1, 1] while the wheel turns the way it travels.

Brake. Bi is dry friction of the capacity given. It opposes the rotation; where the capacity
suffices to hold the wheel, it brings it to rest at STICK_RATE and then equals the other torques,
so that a braked car stands still against its engine. It never drives a wheel. A viscous brake is
one whose capacity is its damping times |wi|, or times HOLD_SPEED where that is more.

Low speed. Wheels are light, so their spin is stiff: R^2 K/(J e) is kept below SLIP_RATE_LIMIT by
the choice of e, and (Cf + Cr)/(m e') + (a^2 Cf + b^2 Cr)/(Iz e') by that of e'; both are at least
low_speed_threshold. Below e, e' the tyres are viscous: no force at rest.

Commanded by speed (inputs MODE 0), each driven wheel gets R F/n, with F = sat(m (V - R w)/T,
F_max) and w the mean speed of the driven wheels: an engine with open differentials. Commanded by
torques (MODE 1), the inputs give both front angles and each wheel's torque, brake and damping; or,
of a wheel that is forced, its speed W, which an ideal motor gives it: w' = FORCE_RATE (W - w).
From OVERSPEED_FACTOR times the vehicle's highest speed a torque does not drive a wheel any faster.

Energy: the tyres only take it, Fx (u - R w) + Fy v <= 0 for each, and so do brakes and damping.
Sources: Rajamani, Vehicle Dynamics and Control, chapters 4 and 8; Pacejka, Tire and Vehicle
Dynamics, chapters 1 and 4. Limits: flat ground, no roll or pitch, no rolling or air resistance.
"""

from __future__ import annotations

import math
from typing import Any

from racecar.core.compiled import njit
from racecar.core.packing import Vector
from racecar.core.tyres.combined_slip import combined_forces
from racecar.core.vehicles.ackermann import ackermann_angles
from racecar.core.vehicles.interface import SPEED, STEERING_ANGLE
from racecar.core.vehicles.parameters import GRAVITY
from racecar.core.vehicles.planar import (
    FORCE_LIMIT,
    LOAD_FRONT,
    LOAD_REAR,
    LOW_SPEED,
    MASS,
    PARAMETER_COUNT,
    SHARE_FRONT,
    STATE_COUNT,
    TIME_CONSTANT,
    TO_FRONT,
    TO_REAR,
    VX,
    VY,
    X,
    Y,
    YAW,
    YAW_INERTIA,
    YAW_RATE,
)

# State after those of planar: four wheel speeds.
WHEEL = STATE_COUNT

WHEELS = ('front_left', 'front_right', 'rear_left', 'rear_right')

# Inputs after speed and steering angle: MODE 0 follows these two, 1 applies the rest: angle of
# the left and right front wheel [rad], then four each of drive torque [N m], brake torque [N m],
# damping [N m s], damping of viscous brakes [N m s], and 1 for a forced wheel, whose place among
# the drive torques holds its speed [rad/s].
MODE, LEFT_ANGLE, RIGHT_ANGLE, DRIVE = 2, 3, 4, 5
BRAKE, DAMPING, BRAKE_DAMPING, FORCED, INPUT_COUNT = (
    DRIVE + 4, DRIVE + 8, DRIVE + 12, DRIVE + 16, DRIVE + 20)

# Packed parameters after those of planar.
(HALF_TRACK, REAR_HALF_TRACK, HEIGHT, RADIUS, REAR_RADIUS, WHEEL_INERTIA, LOW_SPEED_LATERAL,
 STIFFNESS_BY_LOAD, FRONT_X) = range(PARAMETER_COUNT, PARAMETER_COUNT + 9)
# Four numbers of a TyreDirection each.
FRONT_Y, REAR_X, REAR_Y = FRONT_X + 4, FRONT_X + 8, FRONT_X + 12
OVERSPEED = FRONT_X + 16

LOAD_PASSES = 3
"""Rounds of forces and loads; each makes the error of the loads several times smaller."""

STICK_RATE = 500.0
"""Rate at which a brake that can hold a wheel brings it to rest [1/s]."""

HOLD_SPEED = 1.0
"""Rotation below which the torque of a viscous brake does not fall any further [rad/s].

Without it a viscous brake could neither stop a wheel in finite time nor hold it.
"""

FORCE_RATE = 500.0
"""Rate at which a forced wheel comes to its speed [1/s]."""

SLIP_RATE_LIMIT = 1500.0
"""Bound of the rates at which slip decays [1/s]; see the module."""

OVERSPEED_FACTOR = 5.0
"""Rolling speed over the highest speed of the vehicle from which a torque drives no further.

An engine has a highest speed too; without it, wheels that spin would leave the range of the model.
"""

ACCELERATION_LIMIT = 1e5
"""Bound of the angular acceleration that a wheel command asks of a free wheel [rad/s^2]."""

DRIVE_RATE_LIMIT = 700.0
"""Bound of the rate at which the speed controller turns a free wheel [1/s]."""


@njit
def brake_torque(speed: float, torque: float, capacity: float, inertia: float) -> float:
    """Return the torque of a brake on a wheel [N m].

    speed [rad/s]; torque: sum of the others [N m]; capacity [N m]; inertia of the wheel [kg m^2].
    """
    needed = torque + inertia * STICK_RATE * speed
    low = 0.0 if speed > 0.0 else -capacity
    high = 0.0 if speed < 0.0 else capacity
    return min(max(needed, low), high)


@njit
def drive_inputs(state: Vector, inputs: Vector, parameters: Vector) -> Any:
    """Return angle of the left and right front wheel, torque of each front and each rear wheel.

    MODE 0 only: speed and steering angle are followed.
    """
    left, right = ackermann_angles(
        inputs[STEERING_ANGLE], parameters[HALF_TRACK],
        parameters[TO_FRONT] + parameters[TO_REAR])
    share = parameters[SHARE_FRONT]
    rolling = 0.5 * (
        share * parameters[RADIUS] * (state[WHEEL] + state[WHEEL + 1])
        + (1.0 - share) * parameters[REAR_RADIUS] * (state[WHEEL + 2] + state[WHEEL + 3]))
    force = parameters[MASS] * (inputs[SPEED] - rolling) / parameters[TIME_CONSTANT]
    force = min(max(force, -parameters[FORCE_LIMIT]), parameters[FORCE_LIMIT])
    return (left, right, 0.5 * share * force * parameters[RADIUS],
            0.5 * (1.0 - share) * force * parameters[REAR_RADIUS])


@njit
def wheel_acceleration(
    index: int, speed: float, drive: float, reaction: float, inputs: Vector, inertia: float,
    overspeed: float,
) -> float:
    """Return the angular acceleration of a wheel [rad/s^2].

    index: 0 to 3; speed [rad/s]; drive: torque of MODE 0 [N m]; reaction: R Fx [N m]; overspeed:
    speed from which a torque of MODE 1 drives no further [rad/s].
    """
    if inputs[MODE] == 0.0:
        return (drive - reaction) / inertia
    if inputs[FORCED + index] != 0.0:
        return FORCE_RATE * (inputs[DRIVE + index] - speed)
    drive_torque = inputs[DRIVE + index]
    if abs(speed) > overspeed and drive_torque * speed > 0.0:
        drive_torque = 0.0
    torque = drive_torque - inputs[DAMPING + index] * speed - reaction
    capacity = (inputs[BRAKE + index]
                + inputs[BRAKE_DAMPING + index] * max(abs(speed), HOLD_SPEED))
    return (torque - brake_torque(speed, torque, capacity, inertia)) / inertia


@njit
def wheel_slip(
    state: Vector, parameters: Vector, index: int, along: float, across: float, angle: float,
) -> tuple[float, float]:
    """Return longitudinal slip and tangent of the slip angle of a wheel.

    index: 0 to 3; along, across: its position [m]; angle: by which it is turned [rad].
    """
    radius = parameters[RADIUS] if index < 2 else parameters[REAR_RADIUS]
    forward = state[VX] - state[YAW_RATE] * across
    left = state[VY] + state[YAW_RATE] * along
    cosine = math.cos(angle)
    sine = math.sin(angle)
    travel = forward * cosine + left * sine
    rolling = radius * state[WHEEL + index]
    fastest = max(abs(travel), abs(rolling))
    return ((travel - rolling) / max(fastest, parameters[LOW_SPEED]),
            (left * cosine - forward * sine) / max(fastest, parameters[LOW_SPEED_LATERAL]))


def tyre_forces(
    parameters: Vector, first_x: int, slip: float, tangent: float, load: float,
    static_load: float,
) -> tuple[float, float]:
    """Return Fx and Fy of a wheel [N]; first_x: FRONT_X or REAR_X; loads of the wheel [N].

    The global name combined_forces is bound to the tyre model.
    """
    by_load = parameters[STIFFNESS_BY_LOAD]
    scale = 0.5 * (1.0 - by_load + by_load * load / static_load)
    first_y = first_x + 4
    return combined_forces(
        slip, tangent, load,
        scale * parameters[first_x], parameters[first_x + 1],
        parameters[first_x + 2], parameters[first_x + 3],
        scale * parameters[first_y], parameters[first_y + 1],
        parameters[first_y + 2], parameters[first_y + 3])


def wheel_forces(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, ...]:
    """Return 22 numbers: ax, ay [m/s^2], then s, tan(alpha), Fx, Fy, Fz [-, -, N] of each wheel.

    The global name tyre_forces is bound to the tyre model.
    """
    if inputs[MODE] != 0.0:
        left, right = inputs[LEFT_ANGLE], inputs[RIGHT_ANGLE]
    else:
        left, right = ackermann_angles(
            inputs[STEERING_ANGLE], parameters[HALF_TRACK],
            parameters[TO_FRONT] + parameters[TO_REAR])
    front, rear = parameters[TO_FRONT], -parameters[TO_REAR]
    half, half_rear = parameters[HALF_TRACK], parameters[REAR_HALF_TRACK]
    s0, t0 = wheel_slip(state, parameters, 0, front, half, left)
    s1, t1 = wheel_slip(state, parameters, 1, front, -half, right)
    s2, t2 = wheel_slip(state, parameters, 2, rear, half_rear, 0.0)
    s3, t3 = wheel_slip(state, parameters, 3, rear, -half_rear, 0.0)
    cos_left, sin_left = math.cos(left), math.sin(left)
    cos_right, sin_right = math.cos(right), math.sin(right)
    mass = parameters[MASS]
    static_front = 0.5 * parameters[LOAD_FRONT]
    static_rear = 0.5 * parameters[LOAD_REAR]
    weight = parameters[LOAD_FRONT] + parameters[LOAD_REAR]
    roll_transfer = parameters[HEIGHT] / (2.0 * half)
    roll_transfer_rear = parameters[HEIGHT] / (2.0 * half_rear)
    pitch_transfer = mass * parameters[HEIGHT] / (front - rear)
    z0 = z1 = static_front
    z2 = z3 = static_rear
    ax = 0.0
    ay = 0.0
    x0 = x1 = x2 = x3 = 0.0
    y0 = y1 = y2 = y3 = 0.0
    for count in range(LOAD_PASSES):
        if count > 0:
            axle = min(max(parameters[LOAD_FRONT] - pitch_transfer * ax, 0.0), weight)
            transfer = min(max(axle / GRAVITY * ay * roll_transfer, -0.5 * axle), 0.5 * axle)
            z0 = 0.5 * axle - transfer
            z1 = 0.5 * axle + transfer
            axle = weight - axle
            transfer = min(max(axle / GRAVITY * ay * roll_transfer_rear, -0.5 * axle), 0.5 * axle)
            z2 = 0.5 * axle - transfer
            z3 = 0.5 * axle + transfer
        x0, y0 = tyre_forces(parameters, FRONT_X, s0, t0, z0, static_front)
        x1, y1 = tyre_forces(parameters, FRONT_X, s1, t1, z1, static_front)
        x2, y2 = tyre_forces(parameters, REAR_X, s2, t2, z2, static_rear)
        x3, y3 = tyre_forces(parameters, REAR_X, s3, t3, z3, static_rear)
        ax = ((x0 * cos_left - y0 * sin_left) + (x1 * cos_right - y1 * sin_right)
                 + (x2 + x3)) / mass
        ay = ((x0 * sin_left + y0 * cos_left) + (x1 * sin_right + y1 * cos_right)
                 + (y2 + y3)) / mass
    return (ax, ay, s0, t0, x0, y0, z0, s1, t1, x1, y1, z1, s2, t2, x2, y2, z2,
            s3, t3, x3, y3, z3)


def double_derivative(
    state: Vector, inputs: Vector, parameters: Vector,
) -> tuple[float, float, float, float, float, float, float, float, float, float]:
    """Return the time derivative of (vx, vy, r, x, y, yaw, four wheel speeds) [SI].

    The global name wheel_forces is bound to the tyre model.
    """
    f = wheel_forces(state, inputs, parameters)
    if inputs[MODE] != 0.0:
        left, right = inputs[LEFT_ANGLE], inputs[RIGHT_ANGLE]
        drive_front = drive_rear = 0.0
    else:
        left, right, drive_front, drive_rear = drive_inputs(state, inputs, parameters)
    cos_left, sin_left = math.cos(left), math.sin(left)
    cos_right, sin_right = math.cos(right), math.sin(right)
    body_left = f[4] * cos_left - f[5] * sin_left
    body_right = f[9] * cos_right - f[10] * sin_right
    moment = (
        parameters[TO_FRONT] * (
            (f[4] * sin_left + f[5] * cos_left) + (f[9] * sin_right + f[10] * cos_right))
        - parameters[TO_REAR] * (f[15] + f[20])
        - (parameters[HALF_TRACK] * (body_left - body_right)
           + parameters[REAR_HALF_TRACK] * (f[14] - f[19])))
    radius, radius_rear = parameters[RADIUS], parameters[REAR_RADIUS]
    inertia, overspeed = parameters[WHEEL_INERTIA], parameters[OVERSPEED]
    cosine = math.cos(state[YAW])
    sine = math.sin(state[YAW])
    return (
        f[0] + state[VY] * state[YAW_RATE],
        f[1] - state[VX] * state[YAW_RATE],
        moment / parameters[YAW_INERTIA],
        state[VX] * cosine - state[VY] * sine,
        state[VX] * sine + state[VY] * cosine,
        state[YAW_RATE],
        wheel_acceleration(
            0, state[WHEEL], drive_front, radius * f[4], inputs, inertia, overspeed),
        wheel_acceleration(
            1, state[WHEEL + 1], drive_front, radius * f[9], inputs, inertia, overspeed),
        wheel_acceleration(
            2, state[WHEEL + 2], drive_rear, radius_rear * f[14], inputs, inertia, overspeed),
        wheel_acceleration(
            3, state[WHEEL + 3], drive_rear, radius_rear * f[19], inputs, inertia, overspeed),
    )


def double_diagnose(state: Vector, inputs: Vector, parameters: Vector) -> tuple[float, ...]:
    """Return the fields of VehicleDiagnostics: mean slip angle and summed force per axle.

    The global name wheel_forces is bound to the tyre model.
    """
    f = wheel_forces(state, inputs, parameters)
    return (
        state[X], state[Y], state[YAW], state[VX], state[VY], state[YAW_RATE],
        math.atan2(math.copysign(1.0, state[VX]) * state[VY], abs(state[VX])), f[1],
        0.5 * (math.atan(f[3]) + math.atan(f[8])), 0.5 * (math.atan(f[13]) + math.atan(f[18])),
        f[5] + f[10], f[15] + f[20], inputs[SPEED], inputs[STEERING_ANGLE],
    )
