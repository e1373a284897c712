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

Xi, Yi: tyre forces Fx, Fy (combined_slip, contact) turned into the body frame. What turns the
wheels is in double_track_wheels. Track and R may differ between front and rear. Loads follow the
accelerations ax, ay without delay (no springs):

    Fz of an axle = m g b/L -+ m ax h/L      of its wheels = half (1 -+ 2 ay h/(g track))

found by LOAD_PASSES rounds of forces and loads; the sum is always m g, and no load is negative:
a transfer stops where the inner wheel lifts. The slip divides by the larger of travel and rolling
speed, so it stays within [-1, 1] while the wheel turns the way it travels.

Low speed. Wheels are light, so their spin is stiff: R^2 K/(J e) is kept below SLIP_RATE_LIMIT by
the choice of e, and (Cf + Cr)/(m e') + (a^2 Cf + b^2 Cr)/(Iz e') by that of e'; both are at least
low_speed_threshold. Below e, e' the tyres are viscous: no force at rest.

Energy: the tyres only take it, Fx (u - R w) + Fy v <= 0 for each, and so do brakes and damping.
Sources: Rajamani, Vehicle Dynamics and Control, chapters 4 and 8; Pacejka, Tire and Vehicle
Dynamics, chapters 1 and 4. Limits: flat ground, no roll or pitch. What a vehicle may have besides,
rolling and air resistance, roll stiffness and so on, is in double_track_chassis: functions that
the types of state and chassis choose.

Form. What a command fixes is computed once (double_track_held), cosines and inverses too. Slips do
not depend on the loads, so a round is a division a wheel at most. One car in registers and many in
rows run the same source.
"""

from __future__ import annotations

import math
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from racecar.base.compiled import by_type, pure
from racecar.base.elementary import sine_cosine_of_turn
from racecar.base.rows import count_numbers, first_row, Numbers
from racecar.base.types import Wheels
from racecar.dynamics.tyres import WheelTyre
from racecar.dynamics.tyres.contact import grip, push, rest, slide_four, turn
from racecar.dynamics.vehicles.double_track_wheels import accelerations, SpeedDrive, TorqueDrive
from racecar.dynamics.vehicles.interface import Command
from racecar.dynamics.vehicles.planar import observed, PlanarCar, PlanarState

WHEELS = ('front_left', 'front_right', 'rear_left', 'rear_right')

NO_WHEEL: Wheels = (0.0, 0.0, 0.0, 0.0)


class WheelInputs(NamedTuple):
    """All inputs: mode 0 follows speed and steering angle, 1 applies the rest.

    Angles of the left and right front wheel [rad]; of each wheel drive torque [N m], brake torque
    [N m], damping [N m s], damping of viscous brakes [N m s], and 1 for a forced wheel, whose
    place in drive holds its speed [rad/s]; what the engine adds to the inertia of a front and of a
    rear wheel [kg m^2].
    """

    speed: float
    steering_angle: float
    mode: float
    left_angle: float
    right_angle: float
    drive: Wheels
    brake: Wheels
    damping: Wheels
    brake_damping: Wheels
    forced: Wheels
    inertia: tuple[float, float]


NO_INPUTS = WheelInputs(
    0.0, 0.0, 0.0, 0.0, 0.0, NO_WHEEL, NO_WHEEL, NO_WHEEL, NO_WHEEL, NO_WHEEL, (0.0, 0.0))
INPUT_COUNT = count_numbers(NO_INPUTS)
# Where flat inputs have these.
MODE, LEFT_ANGLE, RIGHT_ANGLE, DRIVE, BRAKE, INERTIA = (first_row(NO_INPUTS, field) for field in (
    'mode', 'left_angle', 'right_angle', 'drive', 'brake', 'inertia'))


class DoubleCar(NamedTuple):
    """Parameters [SI]; low_speed_lateral: e'; overspeed: rotation from which no torque drives.

    front, rear: tyres of one wheel, see racecar.dynamics.tyres.contact; chassis, carcass: those of
    double_track_chassis or Plain.
    """

    planar: PlanarCar
    half_track: float
    rear_half_track: float
    height: float
    radius: float
    rear_radius: float
    wheel_inertia: float
    low_speed_lateral: float
    overspeed: float
    front: WheelTyre
    rear: WheelTyre
    chassis: Numbers
    carcass: Numbers


class Plain(NamedTuple):
    """Nothing besides the plain double track."""


LOAD_PASSES = 3
"""Rounds of forces and loads; each makes the error of the loads several times smaller."""

SLIP_RATE_LIMIT = 1500.0
"""Bound of the rates at which slip decays [1/s]; see the module."""

ACCELERATION_LIMIT = 1e5
"""Bound of the angular acceleration that a wheel command asks of a free wheel [rad/s^2]."""

DRIVE_RATE_LIMIT = 700.0
"""Bound of the rate at which the speed controller turns a free wheel [1/s]."""


class DoubleState(NamedTuple):
    """State of a double track, or its time derivative [SI]."""

    vx: float
    vy: float
    yaw_rate: float
    x: float
    y: float
    yaw: float
    wheel_speed_front_left: float
    wheel_speed_front_right: float
    wheel_speed_rear_left: float
    wheel_speed_rear_right: float


class RelaxedState(NamedTuple):
    """State of a double track whose tyres lag, or its time derivative [SI]."""

    vx: float
    vy: float
    yaw_rate: float
    x: float
    y: float
    yaw: float
    wheel_speed_front_left: float
    wheel_speed_front_right: float
    wheel_speed_rear_left: float
    wheel_speed_rear_right: float
    slip_tangent_front_left: float
    slip_tangent_front_right: float
    slip_tangent_rear_left: float
    slip_tangent_rear_right: float


State: TypeAlias = DoubleState | RelaxedState


class Body(NamedTuple):
    """What parameters and steering angles fix [SI].

    half_front: static load of a front wheel; half_weight: m g/2; pitch: h/(2 L); roll: 2 h/(m g
    track) of each axle; front, rear, chassis, carcass: as in DoubleCar.
    """

    to_front: float
    to_rear: float
    half_track: float
    rear_half_track: float
    cos_left: float
    sin_left: float
    cos_right: float
    sin_right: float
    radius: float
    rear_radius: float
    low_speed: float
    low_speed_lateral: float
    half_front: float
    half_weight: float
    pitch: float
    roll: float
    rear_roll: float
    per_mass: float
    per_yaw_inertia: float
    per_wheel_inertia: float
    front: WheelTyre
    rear: WheelTyre
    chassis: Numbers
    carcass: Numbers


D_co = TypeVar('D_co', bound=SpeedDrive | TorqueDrive, covariant=True)


class Held(NamedTuple, Generic[D_co]):
    """What parameters and command fix."""

    body: Body
    wheels: D_co


class WheelMotion(NamedTuple):
    """Velocity of a wheel's hub along and across the wheel, and of its rim [m/s]."""

    travel: float
    across: float
    rolling: float


class WheelSlip(NamedTuple):
    """Longitudinal slip and tangent of the slip angle of a wheel [-]."""

    along: float
    across: float


class Forces(NamedTuple):
    """Of each wheel the force along x and y of the body, along and across it, the load [N]."""

    x: Wheels
    y: Wheels
    along: Wheels
    across: Wheels
    loads: Wheels


NO_STATE = DoubleState(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
# Where a flat state has the wheel speeds.
WHEEL = first_row(NO_STATE, 'wheel_speed_front_left')


@by_type
def slips(carcass: object, state: State, body: Body) -> tuple[
        WheelSlip, WheelSlip, WheelSlip, WheelSlip]:
    """Slip of each wheel as its tyre sees it."""
    raise NotImplementedError


@by_type
def completed(carcass: object, state: State, body: Body, rates: DoubleState) -> State:
    """Rates of all states from those of the plain double track."""
    raise NotImplementedError


@by_type
def carried(chassis: object, body: Body, total_x: float, total_y: float) -> Wheels:
    """Loads of the wheels [N] for forces along x and y of the body in sum [N]."""
    raise NotImplementedError


@by_type
def felt(chassis: object, loads: Wheels) -> Wheels:
    """Loads under which tyres of static properties would grip as these do [N]."""
    raise NotImplementedError


@by_type
def reactions(
    chassis: object, state: State, along: Wheels, loads: Wheels, body: Body,
) -> Wheels:
    """Moment that turns each wheel backwards [N m]."""
    raise NotImplementedError


@by_type
def drag(chassis: object, vx: float) -> float:
    """Deceleration by what acts on the body alone [m/s^2], at a forward velocity [m/s]."""
    raise NotImplementedError


@pure
def wheel_slip(
    travel: float, across: float, rolling: float, low_speed: float, low_speed_lateral: float,
) -> WheelSlip:
    """Slip of a wheel from its velocities along, across and of its rim [m/s]."""
    fastest = max(abs(travel), abs(rolling))
    return WheelSlip((travel - rolling) / max(fastest, low_speed),
                     across / max(fastest, low_speed_lateral))


@pure
def wheel_motions(state: State, body: Body) -> tuple[
        WheelMotion, WheelMotion, WheelMotion, WheelMotion]:
    """Motion of each wheel."""
    h = body
    front = state.vy + state.yaw_rate * h.to_front
    rear = state.vy - state.yaw_rate * h.to_rear
    turn, rear_turn = state.yaw_rate * h.half_track, state.yaw_rate * h.rear_half_track
    left, right = state.vx - turn, state.vx + turn
    return (
        WheelMotion(left * h.cos_left + front * h.sin_left,
                    front * h.cos_left - left * h.sin_left,
                    h.radius * state.wheel_speed_front_left),
        WheelMotion(right * h.cos_right + front * h.sin_right,
                    front * h.cos_right - right * h.sin_right,
                    h.radius * state.wheel_speed_front_right),
        WheelMotion(state.vx - rear_turn, rear, h.rear_radius * state.wheel_speed_rear_left),
        WheelMotion(state.vx + rear_turn, rear, h.rear_radius * state.wheel_speed_rear_right))


@slips.register(Plain)
def _slips(carcass: Plain, state: State, body: Body) -> tuple[
        WheelSlip, WheelSlip, WheelSlip, WheelSlip]:
    m0, m1, m2, m3 = wheel_motions(state, body)
    e, e_lateral = body.low_speed, body.low_speed_lateral
    return (wheel_slip(m0.travel, m0.across, m0.rolling, e, e_lateral),
            wheel_slip(m1.travel, m1.across, m1.rolling, e, e_lateral),
            wheel_slip(m2.travel, m2.across, m2.rolling, e, e_lateral),
            wheel_slip(m3.travel, m3.across, m3.rolling, e, e_lateral))


@pure
def wheel_forces(state: State, body: Body) -> Forces:
    """Forces on the wheels."""
    h = body
    s0, s1, s2, s3 = slips(h.carcass, state, h)
    c0, c1, c2, c3 = slide_four(
        h.front, h.rear, (s0.along, s1.along, s2.along, s3.along),
        (s0.across, s1.across, s2.across, s3.across))
    t0 = turn(h.front, c0, h.cos_left, h.sin_left)
    t1 = turn(h.front, c1, h.cos_right, h.sin_right)
    z0 = z1 = h.half_front
    z2 = z3 = h.half_weight - h.half_front
    gx0, gy0 = rest(h.front, c0)
    gx1, gy1 = rest(h.front, c1)
    gx2, gy2 = rest(h.rear, c2)
    gx3, gy3 = rest(h.rear, c3)
    x0, y0 = push(h.front, t0, gx0, gy0)
    x1, y1 = push(h.front, t1, gx1, gy1)
    x2, y2 = c2.x * gx2, c2.y * gy2
    x3, y3 = c3.x * gx3, c3.y * gy3
    for _ in range(LOAD_PASSES - 1):
        z0, z1, z2, z3 = carried(h.chassis, h, (x0 + x1) + (x2 + x3), (y0 + y1) + (y2 + y3))
        f0, f1, f2, f3 = felt(h.chassis, (z0, z1, z2, z3))
        gx0, gy0 = grip(h.front, c0, f0)
        gx1, gy1 = grip(h.front, c1, f1)
        gx2, gy2 = grip(h.rear, c2, f2)
        gx3, gy3 = grip(h.rear, c3, f3)
        x0, y0 = push(h.front, t0, gx0, gy0)
        x1, y1 = push(h.front, t1, gx1, gy1)
        x2, y2 = c2.x * gx2, c2.y * gy2
        x3, y3 = c3.x * gx3, c3.y * gy3
    return Forces(
        (x0, x1, x2, x3), (y0, y1, y2, y3), (c0.x * gx0, c1.x * gx1, x2, x3),
        (c0.y * gy0, c1.y * gy1, y2, y3), (z0, z1, z2, z3))


@pure
def double_rates(state: State, held: Held[SpeedDrive | TorqueDrive]) -> State:
    """Time derivative of the state [SI]."""
    h = held.body
    x, y, along, _, loads = wheel_forces(state, h)
    turning = state.yaw_rate
    moment = (h.to_front * (y[0] + y[1]) - h.to_rear * (y[2] + y[3])
              - (h.half_track * (x[0] - x[1]) + h.rear_half_track * (x[2] - x[3])))
    sine, cosine = sine_cosine_of_turn(state.yaw)
    w0, w1, w2, w3 = accelerations(
        held.wheels,
        (state.wheel_speed_front_left, state.wheel_speed_front_right,
         state.wheel_speed_rear_left, state.wheel_speed_rear_right),
        reactions(h.chassis, state, along, loads, h), h.per_wheel_inertia)
    return completed(h.carcass, state, h, DoubleState(
        (((x[0] + x[1]) + (x[2] + x[3])) * h.per_mass + state.vy * turning)
        - drag(h.chassis, state.vx),
        ((y[0] + y[1]) + (y[2] + y[3])) * h.per_mass - state.vx * turning,
        moment * h.per_yaw_inertia,
        state.vx * cosine - state.vy * sine, state.vx * sine + state.vy * cosine, turning,
        w0, w1, w2, w3))


@carried.register(Plain)
def _level_loads(chassis: Plain, body: Body, total_x: float, total_y: float) -> Wheels:
    h = body
    front = min(max(h.half_front - h.pitch * total_x, 0.0), h.half_weight)
    rear = h.half_weight - front
    roll = min(max(h.roll * total_y, -1.0), 1.0)
    rear_roll = min(max(h.rear_roll * total_y, -1.0), 1.0)
    return (front * (1.0 - roll), front * (1.0 + roll),
            rear * (1.0 - rear_roll), rear * (1.0 + rear_roll))


@felt.register(Plain)
def _true_loads(chassis: Plain, loads: Wheels) -> Wheels:
    return loads


@reactions.register(Plain)
def _tyre_reactions(
    chassis: Plain, state: State, along: Wheels, loads: Wheels, body: Body,
) -> Wheels:
    h = body
    return (h.radius * along[0], h.radius * along[1], h.rear_radius * along[2],
            h.rear_radius * along[3])


@drag.register(Plain)
def _no_drag(chassis: Plain, vx: float) -> float:
    return 0.0


@completed.register(Plain)
def _as_they_are(carcass: Plain, state: State, body: Body, rates: DoubleState) -> DoubleState:
    return rates


@pure
def double_observe(
    state: State, inputs: Command | WheelInputs, car: DoubleCar,
) -> tuple[float, float, float, float, float, float, float]:
    """x, y, qz, qw, vx, vy, yaw_rate of the odometry point [SI]."""
    return observed(PlanarState(
        state.vx, state.vy, state.yaw_rate, state.x, state.y, state.yaw),
        car.planar.odometry_offset)


@pure
def double_diagnose(
    state: State, inputs: Command | WheelInputs, car: DoubleCar,
    held: Held[SpeedDrive | TorqueDrive],
) -> tuple[float, ...]:
    """Fields of VehicleDiagnostics: mean slip angle and summed force per axle."""
    left, right, rear_left, rear_right = slips(held.body.carcass, state, held.body)
    found = wheel_forces(state, held.body)
    y, across = found.y, found.across
    return (
        state.x, state.y, state.yaw, state.vx, state.vy, state.yaw_rate,
        math.atan2(math.copysign(1.0, state.vx) * state.vy, abs(state.vx)),
        ((y[0] + y[1]) + (y[2] + y[3])) * held.body.per_mass,
        0.5 * (math.atan(left.across) + math.atan(right.across)),
        0.5 * (math.atan(rear_left.across) + math.atan(rear_right.across)),
        across[0] + across[1], across[2] + across[3], inputs.speed, inputs.steering_angle)


@pure
def each_wheel(
    state: State, inputs: Command | WheelInputs, car: DoubleCar,
    held: Held[SpeedDrive | TorqueDrive],
) -> tuple[tuple[WheelSlip, WheelSlip, WheelSlip, WheelSlip], Wheels, Wheels, Wheels]:
    """Slips, then along, across, loads of Forces, of each four."""
    found = wheel_forces(state, held.body)
    return slips(held.body.carcass, state, held.body), found.along, found.across, found.loads
