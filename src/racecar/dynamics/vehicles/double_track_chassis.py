# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle may have besides the plain double track, each off where its parameter is 0.

Roll stiffness. With D = h/w sum Yi the lateral load transfer that an axle of track w would take
alone, the front axle takes the share l of the roll stiffness, the roll axis lying on the ground:

    d_front = l D_front      d_rear = (1 - l) D_rear        Fz of its wheels = half -+ d

Where an inner wheel lifts, the other axle takes what is left. 0 stands for the share of the front
axle in the load. Sources: Milliken and Milliken, Race Car Vehicle Dynamics, chapter 18; Gillespie,
Fundamentals of Vehicle Dynamics, chapter 6.

Friction and load. A tyre acts as one under the load Fz (1 - k (Fz/Fz0 - 1)), Fz0 its static load,
from 2 Fz0 on with the friction there; so its friction, and of a tyre whose stiffness goes with the
load that stiffness too, falls by k as the load doubles. Source: Pacejka, Tire and Vehicle
Dynamics, equation 4.E23 (k = -pDy2/pDy1).

Rolling resistance. A moment f R Fz against the rotation of each wheel, in proportion to it below
the rim speed v0. Source: Gillespie, chapter 4; Wong, Theory of Ground Vehicles, chapter 1.

Drag. A force rho cd A |vx| vx/2 backwards at the centre of gravity. Source: Gillespie, chapter 4;
Rajamani, Vehicle Dynamics and Control, equation 4.2.

Relaxation length. The tangent t of the slip angle that a tyre feels lags in distance, with V the
larger of travel and rolling speed and v the velocity across the wheel:

    s t' = v - V t

A state of each wheel. At rest s t is the deflection of a spring. What it would swing by is damped
below a speed, as the tyre then sees t + T (v - V t)/s; and what friction could not hold is let go
of at LET_GO_RATE, beyond REST_LIMIT + LIMIT_PER_SPEED max(V, |v|) times the slip t0 = mu Fz0/C.
Source: Pacejka, chapters 7 and 8 (first-order contact; damping at low speed).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.columns import each, larger, squared
from racecar.base.compiled import pure
from racecar.base.rows import Numbers
from racecar.base.types import Wheels
from racecar.dynamics.vehicles.double_track_equations import (
    Body,
    carried,
    completed,
    DoubleState,
    drag,
    felt,
    NO_STATE,
    Plain,
    reactions,
    RelaxedState,
    SLIP_RATE_LIMIT,
    slips,
    State,
    wheel_motions,
    WheelMotion,
    WheelSlip,
)
from racecar.dynamics.vehicles.parameters import GRAVITY, VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import TyreSet

MOST_LOADED = 2.0
"""Load over the static one from which friction does not fall any further [-]."""

REST_DAMPING_RATIO = 0.6
"""Of the load of a tyre at rest, which holds it as a spring [-]."""

REST_LIMIT, LIMIT_PER_SPEED = 1.0, 10.0
"""What a tyre keeps of the slip that friction holds, at rest [-] and more for each m/s [s/m]."""

LET_GO_RATE = 300.0
"""Rate at which a tyre lets go of more [1/s]."""


class Chassis(NamedTuple):
    """What parameters fix of roll stiffness, friction, rolling resistance and drag.

    split: share of the front axle, 0 for that in the load; lever: h/w of each axle; to_rear,
    to_front: track of one axle over that of the other; per_half_weight [1/N]; sensitivity: k;
    per_load: 1/Fz0 of a wheel of each axle [1/N]; rolling: f R [m], per_creep: R/v0 [s]; drag:
    deceleration over the square of the speed [1/m].
    """

    split: float
    lever: float
    rear_lever: float
    to_rear: float
    to_front: float
    per_half_weight: float
    sensitivity: float
    per_load: float
    rear_per_load: float
    rolling: float
    rear_rolling: float
    per_creep: float
    rear_per_creep: float
    drag: float


class Carcass(NamedTuple):
    """What parameters fix of tyres that lag.

    per_length: 1/s [1/m]; of each axle damping: T/s at rest [s/m], per_fade: 1 over the speed
    from which there is none [s/m], hold: t0 [-].
    """

    per_length: float
    damping: float
    rear_damping: float
    per_fade: float
    rear_per_fade: float
    hold: float
    rear_hold: float


def chassis_of(vehicle: VehicleParameters, low_speed_threshold: float) -> Chassis | Plain:
    """Chassis of a vehicle; Plain if it has nothing besides.

    low_speed_threshold: v0 [m/s], raised where the wheels need it.
    """
    has_more = (vehicle.roll_stiffness_split, vehicle.friction_load_sensitivity,
                vehicle.rolling_resistance, vehicle.drag_area, vehicle.relaxation_length)
    if not any(has_more):
        return Plain()
    front, rear = vehicle.track_widths
    radii = vehicle.wheel_radii
    loads = vehicle.front_axle_load, vehicle.rear_axle_load
    creep = [larger(low_speed_threshold, vehicle.rolling_resistance * squared(radius) * 0.5 * load
                    / (vehicle.wheel_inertia * SLIP_RATE_LIMIT))
             for radius, load in zip(radii, loads, strict=True)]
    return Chassis(
        vehicle.roll_stiffness_split, vehicle.cog_height / front, vehicle.cog_height / rear,
        front / rear, rear / front, 2.0 / sum(loads), vehicle.friction_load_sensitivity,
        2.0 / loads[0], 2.0 / loads[1], vehicle.rolling_resistance * radii[0],
        vehicle.rolling_resistance * radii[1], radii[0] / creep[0], radii[1] / creep[1],
        vehicle.drag_factor / vehicle.mass)


def carcass_of(vehicle: VehicleParameters, tyres: TyreSet) -> Carcass | Plain:
    """Carcass of tyres that lag; Plain if they do not."""
    length, loads = vehicle.relaxation_length, (vehicle.front_axle_load, vehicle.rear_axle_load)
    if length == 0.0:
        return Plain()
    stiffness = tyres.front_y.stiffness, tyres.rear_y.stiffness
    # Of the load of the axle on its tyres as springs [rad/s].
    front, rear = (each(math.sqrt, of_axle * GRAVITY / (length * load))
                   for of_axle, load in zip(stiffness, loads, strict=True))
    damping = 2.0 * REST_DAMPING_RATIO / length
    # Where V/s alone damps as much as a quarter of critical.
    fade = 2.0 / length
    return Carcass(
        1.0 / length, damping / front, damping / rear, fade / front, fade / rear,
        tyres.front_y.friction * loads[0] / stiffness[0],
        tyres.rear_y.friction * loads[1] / stiffness[1])


def no_state(carcass: Numbers) -> State:
    """State of a double track with such tyres, all zeros."""
    return NO_STATE if isinstance(carcass, Plain) else RelaxedState(
        *NO_STATE, *(0.0,) * (len(RelaxedState._fields) - len(NO_STATE)))


@carried.register(Chassis)
def _split_loads(chassis: Chassis, body: Body, total_x: float, total_y: float) -> Wheels:
    h, c = body, chassis
    front = min(max(h.half_front - h.pitch * total_x, 0.0), h.half_weight)
    rear = h.half_weight - front
    whole, rear_whole = c.lever * total_y, c.rear_lever * total_y
    share = c.split if c.split > 0.0 else front * c.per_half_weight
    d_front = min(max(share * whole, -front), front)
    d_rear = min(max(rear_whole - d_front * c.to_rear, -rear), rear)
    d_front = min(max(whole - d_rear * c.to_front, -front), front)
    return front - d_front, front + d_front, rear - d_rear, rear + d_rear


@pure
def felt_load(load: float, per_load: float, sensitivity: float) -> float:
    """Load under which a tyre grips as it does under this one [N]."""
    return load * (1.0 + sensitivity - sensitivity * min(load * per_load, MOST_LOADED))


@felt.register(Chassis)
def _felt_loads(chassis: Chassis, loads: Wheels) -> Wheels:
    c = chassis
    return (felt_load(loads[0], c.per_load, c.sensitivity),
            felt_load(loads[1], c.per_load, c.sensitivity),
            felt_load(loads[2], c.rear_per_load, c.sensitivity),
            felt_load(loads[3], c.rear_per_load, c.sensitivity))


@pure
def rolling_moment(speed: float, load: float, lever: float, per_creep: float) -> float:
    """Moment of the rolling resistance on a wheel [N m], as `rolling` of Chassis."""
    return lever * load * min(max(per_creep * speed, -1.0), 1.0)


@reactions.register(Chassis)
def _rolling_reactions(
    chassis: Chassis, state: State, along: Wheels, loads: Wheels, body: Body,
) -> Wheels:
    # R Fx and the rolling resistance.
    h, c = body, chassis
    return (
        h.radius * along[0] + rolling_moment(
            state.wheel_speed_front_left, loads[0], c.rolling, c.per_creep),
        h.radius * along[1] + rolling_moment(
            state.wheel_speed_front_right, loads[1], c.rolling, c.per_creep),
        h.rear_radius * along[2] + rolling_moment(
            state.wheel_speed_rear_left, loads[2], c.rear_rolling, c.rear_per_creep),
        h.rear_radius * along[3] + rolling_moment(
            state.wheel_speed_rear_right, loads[3], c.rear_rolling, c.rear_per_creep))


@drag.register(Chassis)
def _drag(chassis: Chassis, vx: float) -> float:
    return chassis.drag * abs(vx) * vx


@pure
def _seen(
    motion: WheelMotion, tangent: float, damping: float, per_fade: float, low_speed: float,
) -> WheelSlip:
    """Slip that a tyre sees whose lateral slip lags."""
    fastest = max(abs(motion.travel), abs(motion.rolling))
    share = damping * max(1.0 - fastest * per_fade, 0.0)
    return WheelSlip((motion.travel - motion.rolling) / max(fastest, low_speed),
                     tangent + share * (motion.across - fastest * tangent))


@slips.register(Carcass)
def _lagging_slips(carcass: Carcass, state: RelaxedState, body: Body) -> tuple[
        WheelSlip, WheelSlip, WheelSlip, WheelSlip]:
    m0, m1, m2, m3 = wheel_motions(state, body)
    c, e = carcass, body.low_speed
    return (
        _seen(m0, state.slip_tangent_front_left, c.damping, c.per_fade, e),
        _seen(m1, state.slip_tangent_front_right, c.damping, c.per_fade, e),
        _seen(m2, state.slip_tangent_rear_left, c.rear_damping, c.rear_per_fade, e),
        _seen(m3, state.slip_tangent_rear_right, c.rear_damping, c.rear_per_fade, e))


@pure
def _lag(motion: WheelMotion, tangent: float, per_length: float, hold: float) -> float:
    """Rate t' of a slip that lags [1/s]."""
    fastest = max(abs(motion.travel), abs(motion.rolling))
    most = hold * (REST_LIMIT + LIMIT_PER_SPEED * max(fastest, abs(motion.across)))
    excess = tangent - min(max(tangent, -most), most)
    return (motion.across - fastest * tangent) * per_length - LET_GO_RATE * excess


@completed.register(Carcass)
def _relaxed(
    carcass: Carcass, state: RelaxedState, body: Body, rates: DoubleState,
) -> RelaxedState:
    m0, m1, m2, m3 = wheel_motions(state, body)
    r, c = rates, carcass
    return RelaxedState(
        r.vx, r.vy, r.yaw_rate, r.x, r.y, r.yaw,
        r.wheel_speed_front_left, r.wheel_speed_front_right, r.wheel_speed_rear_left,
        r.wheel_speed_rear_right,
        _lag(m0, state.slip_tangent_front_left, c.per_length, c.hold),
        _lag(m1, state.slip_tangent_front_right, c.per_length, c.hold),
        _lag(m2, state.slip_tangent_rear_left, c.per_length, c.rear_hold),
        _lag(m3, state.slip_tangent_rear_right, c.per_length, c.rear_hold))
