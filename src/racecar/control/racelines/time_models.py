# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Models of the line of least time: a dynamic single track, and a double track whose wheels slip.

Along the way s of a reference line with curvature k, with offset n, heading error xi and
t' = (1 - n k)/(vx cos xi - vy sin xi):

    n'   = (vx sin xi + vy cos xi) t'         xi' = r t' - k
    vx'  = ((SX - D)/m + vy r) t'     vy' = (SY/m - vx r) t'     r' = M/I t'     d' = u t'

SX, SY, M: forces of the tyres along and across the car and their moment; D: drag; controls are
the steering rate u and the force F of the drive train.

single_track: forces of the axles turned by d; along, F split as the load or by the driven axle;
across, those of the tyres by their slip angles, under axle loads that move with F. At every point
(X/(mu_x Z))^2 + (Y/(mu_y Z))^2 <= 1 for each axle, and slip angles are at most those that give
95 % of the largest force, or a given angle.

double_track: the equations of racecar.dynamics.vehicles.double_track with the slips s_i of the
wheels and SX, SY, by which the loads move, as further variables, and, as wheels are light, in
equilibrium: X_i = F_i - J a/R^2 - f Z_i, where F_i is what the differentials give wheel i, J the
inertia of a wheel, which rolls with the car at the rate a of vx, and f its rolling resistance.
Relaxation lengths are left out.
Sources: Perantoni and Limebeer, "Optimal control for a Formula One car with variable parameters",
Vehicle System Dynamics 52 (2014); Christ et al., ibid. 59 (2021).
"""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from racecar.control.racelines.names import DOUBLE_TRACK, PLAIN_MODEL, SLIP_ANGLE
from racecar.control.racelines.symbolic_tyres import (
    CasADi,
    combined_forces,
    Expression,
    lateral_force,
)
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.double_track_chassis import MOST_LOADED
from racecar.dynamics.vehicles.grip_map import AxleCurve
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import TyreDirection, TyreSet

Array = NDArray[np.float64]

STATES, COMMON = 6, 8
"""States n, xi, vx, vy, r, d, and with the controls u, F."""

# Of the largest force of an axle, at the largest slip angle.
_SLIP_SHARE = 0.95
# Of a wheel of the double track; wheels that lock or spin lose force and time.
_MOST_SLIP = 0.9
# Of the load of an axle, from one of its wheels to the other; without load a tyre has no slip.
_MOST_MOVED = 0.49
# Width over which the kink between driving and braking is rounded [-].
_ROUNDING = 1e-3


class Grip(NamedTuple):
    """A vehicle on its tyres; share: of the friction that is used; slip_angle: largest [rad]."""

    vehicle: VehicleParameters
    tyres: TyreSet
    share: float
    slip_angle: float = SLIP_ANGLE


class Point(NamedTuple):
    """Expressions of a station.

    rates: of the states by time (6) [SI]; balance: what is to be 0; used: what is to be within
    -1 and 1.
    """

    rates: Expression
    balance: Expression
    used: Expression


class TimeModel(Protocol):
    """Variables: the common ones, then those of `further` with these scales and limits.

    tyre_models: names of those that it has equations of.
    """

    tyre_models: ClassVar[tuple[str, ...]]
    further: Array

    def point(self, casadi: CasADi, variables: list[Expression]) -> Point:
        """Expressions of the variables [SI] of a station; n and the line have no part."""
        ...

    def start(self, common: Array) -> Array:
        """Further variables (n, m) to start from, by the common ones (n, 8) [SI]."""
        ...


class SingleTrackTime:
    """See the top of the file."""

    tyre_models: ClassVar[tuple[str, ...]] = ('linear', 'fiala', 'pacejka')
    further = np.zeros(0)

    def __init__(self, grip: Grip) -> None:
        self._grip = grip

    def point(self, casadi: CasADi, variables: list[Expression]) -> Point:
        """See TimeModel."""
        ca, (car, tyres, grip, most) = casadi, self._grip
        _, _, vx, vy, r, d, _, force = variables
        a, b, wheelbase = car.cog_to_front_axle, car.cog_to_rear_axle, car.wheelbase
        moved = car.cog_height * force / wheelbase
        front_load, rear_load = car.front_axle_load - moved, car.rear_axle_load + moved
        front_share = car.front_drive_share
        if car.driven_axle == 'all':
            front_share = front_load / (front_load + rear_load)
        front_x, rear_x = front_share * force, (1.0 - front_share) * force
        slips = ca.atan((vy + a * r) / vx) - d, ca.atan((vy - b * r) / vx)
        axles = ((tyres.front_y, front_load, car.front_axle_load),
                 (tyres.rear_y, rear_load, car.rear_axle_load))
        front_y, rear_y = (
            lateral_force(ca, tyres, direction, (load, static), angle, grip)
            for (direction, load, static), angle in zip(axles, slips, strict=True))
        across = front_y * ca.cos(d) + front_x * ca.sin(d)
        used = ca.vertcat(*(
            angle / min(_largest_slip(tyres, direction, static, grip), most)
            for (direction, _, static), angle in zip(axles, slips, strict=True)), *(
            (along / (grip * x.friction * load)) ** 2 + (side / (grip * y.friction * load)) ** 2
            for along, side, load, x, y in (
                (front_x, front_y, front_load, tyres.front_x, tyres.front_y),
                (rear_x, rear_y, rear_load, tyres.rear_x, tyres.rear_y))))
        rolling = car.rolling_resistance * car.mass * GRAVITY
        return Point(_rates(ca, car, variables, (
            front_x * ca.cos(d) - front_y * ca.sin(d) + rear_x - rolling, across + rear_y,
            a * across - b * rear_y)), ca.SX(0, 1), used)

    def start(self, common: Array) -> Array:
        """See TimeModel."""
        return np.zeros((len(common), 0))


class DoubleTrackTime:
    """See the top of the file; further variables: slips of the wheels, SX, SY."""

    # Linear tyres have no largest force for slips of both directions to share.
    tyre_models: ClassVar[tuple[str, ...]] = ('fiala', 'pacejka')

    def __init__(self, grip: Grip) -> None:
        self._grip = grip
        weight = grip.vehicle.mass * GRAVITY
        self.further = np.array([_MOST_SLIP] * 4 + [2.0 * weight] * 2)

    def point(self, casadi: CasADi, variables: list[Expression]) -> Point:
        """See TimeModel."""
        ca, car = casadi, self._grip.vehicle
        _, _, vx, vy, r, d, _, force, *slips, sum_x, sum_y = variables
        a, b = car.cog_to_front_axle, car.cog_to_rear_axle
        (front, rear), (front_radius, rear_radius) = (
            [0.5 * track for track in car.track_widths], car.wheel_radii)
        bend = ca.tan(d) / car.wheelbase
        angles = (ca.atan(bend * car.wheelbase / (1.0 - front * bend)),
                  ca.atan(bend * car.wheelbase / (1.0 + front * bend)), 0.0, 0.0)
        places = (a, front), (a, -front), (-b, rear), (-b, -rear)
        loads = self._loads(ca, sum_x, sum_y)
        rates = _rates(ca, car, variables, (sum_x, sum_y, 0.0))
        total, balance, used = [0.0, 0.0, 0.0], [], []
        for k, ((x, y), angle, slip, load) in enumerate(zip(
                places, angles, slips, loads, strict=True)):
            is_front = k < 2
            ahead, side = vx - r * y, vy + r * x
            cosine, sine = ca.cos(angle), ca.sin(angle)
            travel = ahead * cosine + side * sine
            # Driving, the wheel is faster than its hub; slips divide by the faster.
            tangent = (side * cosine - ahead * sine) / travel * (
                1.0 + 0.5 * (slip - ca.sqrt(slip**2 + _ROUNDING**2)))
            along, across = self._forces(ca, is_front=is_front, load=load, slips=(slip, tangent))
            force_x, force_y = along * cosine - across * sine, along * sine + across * cosine
            total = [total[0] + force_x, total[1] + force_y,
                     total[2] + x * force_y - y * force_x]
            share = car.front_drive_share if is_front else 1.0 - car.front_drive_share
            turned = car.wheel_inertia / (front_radius if is_front else rear_radius) ** 2
            balance.append(4.0 * (along - 0.5 * share * force + turned * rates[2]
                                  + car.rolling_resistance * load))
            used.append(tangent / math.tan(self._grip.slip_angle))
        balance += [total[0] - sum_x, total[1] - sum_y]
        rates[4] = total[2] / car.yaw_inertia
        return Point(rates, ca.vertcat(*balance) / (car.mass * GRAVITY), ca.vertcat(*used))

    def _loads(self, ca: CasADi, sum_x: Expression, sum_y: Expression) -> list[Expression]:
        """Loads of the wheels [N], the left one of each axle first."""
        car = self._grip.vehicle
        height, tracks = car.cog_height, car.track_widths
        pitch, weight = height * sum_x / car.wheelbase, car.mass * GRAVITY
        split, found = car.roll_stiffness_split, []
        for axle, track, part in ((car.front_axle_load - pitch, tracks[0], split),
                                  (car.rear_axle_load + pitch, tracks[1], 1.0 - split)):
            most = _MOST_MOVED * axle
            moved = ca.fmin(ca.fmax(
                height * sum_y / track * (part if split else axle / weight), -most), most)
            found += [0.5 * axle - moved, 0.5 * axle + moved]
        return found

    def _forces(
        self, ca: CasADi, *, is_front: bool, load: Expression,
        slips: tuple[Expression, Expression],
    ) -> tuple[Expression, Expression]:
        """Forces of a wheel along and across it [N]."""
        car, tyres, grip, _ = self._grip
        static = 0.5 * (car.front_axle_load if is_front else car.rear_axle_load)
        felt = load * (1.0 - car.friction_load_sensitivity * (
            ca.fmin(load / static, MOST_LOADED) - 1.0))
        directions = (tyres.front_x, tyres.front_y) if is_front else (tyres.rear_x, tyres.rear_y)
        return combined_forces(ca, tyres, directions, (felt, static), slips, grip)

    def start(self, common: Array) -> Array:
        """See TimeModel; wheels as stiff as at small slip, forces of steady cornering."""
        car, tyres = self._grip[:2]
        force = common[:, 7]
        slip = -force / (tyres.front_x.stiffness + tyres.rear_x.stiffness)
        return np.column_stack([
            *[np.clip(slip, -0.3, 0.3)] * 4, force, car.mass * common[:, 2] * common[:, 4]])


TIME_MODELS: dict[str, type[SingleTrackTime] | type[DoubleTrackTime]] = {
    PLAIN_MODEL: SingleTrackTime, DOUBLE_TRACK: DoubleTrackTime}
"""By name."""


def _rates(
    ca: CasADi, car: VehicleParameters, variables: list[Expression],
    forces: tuple[Expression, Expression, Expression],
) -> Expression:
    """Rates by time of n, xi (without the line's turn), vx, vy, r, d; forces: SX, SY, M."""
    _, xi, vx, vy, r, _, u, *_ = variables
    along, across, moment = forces
    return ca.vertcat(
        vx * ca.sin(xi) + vy * ca.cos(xi), r,
        (along - car.drag_factor * vx**2) / car.mass + vy * r, across / car.mass - vx * r,
        moment / car.yaw_inertia, u)


def _largest_slip(tyres: TyreSet, tyre: TyreDirection, load: float, grip: float) -> float:
    """Slip angle beyond which there is hardly more force [rad]."""
    curve = AxleCurve.of(tyres.model, tyre, load, grip)
    return float(curve.angle(np.array(_SLIP_SHARE * curve.peak)))
