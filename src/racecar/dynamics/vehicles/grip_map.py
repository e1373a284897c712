# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle can do at each speed by its own tyres: limits of acceleration, and steering.

Steady cornering of the single track, closed in the lateral acceleration ay. In equilibrium

    Fy_f cos(delta) = m ay b/L,  Fy_r = m ay a/L,  r = ay/v,

so each axle's slip angle follows from its own curve, vy = v tan(alpha_r) + b r, and
delta = atan((vy + a r)/v) - alpha_f. Source: Milliken, Race Car Vehicle Dynamics, chapter 5; the
table of steering over speed and lateral acceleration is that of Becker et al., "Model- and
Acceleration-based Pursuit Controller for High-Performance Autonomous Racing", ICRA 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.elementary_columns import arctangents, cosines, tangents
from racecar.base.errors import ParameterError
from racecar.base.values import Values
from racecar.dynamics.tyres import TyreModel
from racecar.dynamics.vehicles.design import GRAVITY
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import make_tyre_set, TyreDirection

Array = NDArray[np.float64]

LOWEST_SPEED = 0.5
"""Lowest speed of a table; below it the limits are those there [m/s]."""

_SPEED_STEP, _SHARES = 0.25, 41
# Of the curve of an axle: slip angles up to where all tyres slide, finer near zero.
_ANGLES = np.linspace(0.0, 1.0, 2001) ** 2 * 1.2
# Passes of the steering angle, whose cosine is in the balance of the front axle.
_PASSES = 20
# Shares of the limit are steps of this power, as steering grows steeply near the limit.
_SHARE_POWER = 0.5


@dataclass(frozen=True)
class GripMap:
    """Limits of acceleration over speed [m/s^2], and the steering angle of steady cornering.

    speeds: (m,) growing [m/s]. lateral: (m,) largest lateral acceleration in steady cornering,
    by the tyres or by the stop of the steering. tyre_drive, tyre_brake: (m,) what the tyres hold
    along a straight line; drive, brake: (m,) what the drive train gives at most, less or plus
    resistances. steering: (m, k) angles [rad] at the shares (k,) of the lateral limit, to
    the left; those to the right are opposite.
    """

    speeds: Array
    lateral: Array
    tyre_drive: Array
    tyre_brake: Array
    drive: Array
    brake: Array
    shares: Array
    steering: Array

    @classmethod
    def of(
        cls, vehicle: VehicleParameters, tyre_model: str = 'pacejka',
        values: Values | None = None, *, grip: float = 1.0,
    ) -> GripMap:
        """Map of a vehicle with tyres as make_tyre_set() takes them.

        grip: share of the friction that is used. A linear tyre, which has no peak, counts up to
        friction times load. Raises ParameterError for unknown tyres or a share that is none.
        """
        if not 0.0 < grip <= 2.0:
            raise ParameterError(f'grip is {grip!r}, expected above 0 and at most 2')
        tyres = make_tyre_set(vehicle, tyre_model, values)
        count = max(2, math.ceil((vehicle.speed_max - LOWEST_SPEED) / _SPEED_STEP) + 1)
        speeds = np.linspace(LOWEST_SPEED, max(vehicle.speed_max, 2.0 * LOWEST_SPEED), count)
        front, rear = (
            AxleCurve.of(tyres.model, direction, load, grip) for direction, load in (
                (tyres.front_y, vehicle.front_axle_load), (tyres.rear_y, vehicle.rear_axle_load)))
        cornering = _Cornering(vehicle, front, rear)
        lateral = cornering.limits(speeds)
        shares = np.linspace(0.0, 1.0, _SHARES) ** _SHARE_POWER
        along = grip * min(tyres.front_x.friction, tyres.rear_x.friction)
        hold_drive, hold_brake = _held_along(vehicle, along)
        resistance = (vehicle.drag_factor * speeds**2 / vehicle.mass
                      + vehicle.rolling_resistance * GRAVITY)
        force = np.full_like(speeds, vehicle.drive_force_limit / vehicle.mass)
        return cls(
            speeds, lateral, np.full_like(speeds, hold_drive), np.full_like(speeds, hold_brake),
            np.maximum(force - resistance, 1e-3), force + resistance, shares,
            cornering.steering(speeds[:, None], lateral[:, None] * shares))

    def lateral_limit(self, speed: Array | float) -> Array:
        """Largest lateral acceleration at some speeds [m/s^2]."""
        return np.asarray(np.interp(speed, self.speeds, self.lateral))

    def curvature_limit(self, speed: Array | float) -> Array:
        """Largest curvature that can be driven at some speeds [1/m]."""
        slow = np.maximum(speed, LOWEST_SPEED)
        return np.asarray(self.lateral_limit(slow) / slow**2)

    def longitudinal_limits(
        self, speed: Array | float, lateral: Array | float,
    ) -> tuple[Array, Array]:
        """Largest acceleration and deceleration beside a lateral one [m/s^2], each from 0 on.

        The tyres' part is what the friction ellipse leaves.
        """
        used = np.minimum(np.abs(lateral) / self.lateral_limit(speed), 1.0)
        left = np.sqrt(1.0 - used**2)
        drive, brake, tyre_drive, tyre_brake = (
            np.interp(speed, self.speeds, row)
            for row in (self.drive, self.brake, self.tyre_drive, self.tyre_brake))
        return np.minimum(drive, left * tyre_drive), np.minimum(brake, left * tyre_brake)

    def steer(self, speed: Array | float, lateral: Array | float) -> Array:
        """Steering angle of steady cornering [rad]; beyond a limit that at the limit."""
        v, ay = np.broadcast_arrays(
            np.clip(speed, self.speeds[0], self.speeds[-1]), np.asarray(lateral, float))
        share = np.minimum(np.abs(ay) / self.lateral_limit(v), 1.0)
        row, weight = _place(self.speeds, v)
        column, part = _place(self.shares, share)
        table = self.steering
        low = table[row, column] * (1.0 - part) + table[row, column + 1] * part
        high = table[row + 1, column] * (1.0 - part) + table[row + 1, column + 1] * part
        return np.asarray(np.copysign(low * (1.0 - weight) + high * weight, ay))

    def lateral_of(self, speed: Array | float, steering: Array | float) -> Array:
        """Lateral acceleration of steady cornering with a steering angle [m/s^2].

        The inverse of steer(); beyond the angle at the limit the limit.
        """
        v, angle = np.broadcast_arrays(
            np.clip(speed, self.speeds[0], self.speeds[-1]), np.asarray(steering, float))
        row, weight = _place(self.speeds, v)
        table = (self.steering[row] * (1.0 - weight[..., None])
                 + self.steering[row + 1] * weight[..., None])
        # Angles grow along each row.
        column = np.clip(np.sum(table <= np.abs(angle)[..., None], axis=-1) - 1,
                         0, len(self.shares) - 2)
        low, high = (np.take_along_axis(table, (column + k)[..., None], -1)[..., 0]
                     for k in (0, 1))
        part = np.clip((np.abs(angle) - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
        share = self.shares[column] * (1.0 - part) + self.shares[column + 1] * part
        return np.asarray(np.copysign(share * self.lateral_limit(v), angle))


@dataclass(frozen=True)
class AxleCurve:
    """Force of an axle [N] over its slip angle [rad] up to the peak; both grow."""

    angles: Array
    forces: Array

    @classmethod
    def of(
        cls, model: TyreModel, tyre: TyreDirection, load: float, grip: float = 1.0,
    ) -> AxleCurve:
        """Curve of an axle under a load [N]; grip: share of its friction."""
        forces = np.array([-model.lateral_force(
            float(angle), tyre.stiffness, grip * tyre.friction, load, tyre.shape, tyre.curvature)
            for angle in _ANGLES])
        peak = min(float(forces.max()), grip * tyre.friction * load)
        last = max(int(np.argmax(forces >= peak * (1.0 - 1e-6))), 1)
        return cls(_ANGLES[:last + 1], np.minimum(np.maximum.accumulate(forces[:last + 1]), peak))

    def angle(self, force: Array) -> Array:
        """Slip angle that gives a force, that of the peak beyond it [rad], (m,) for (m,)."""
        return np.asarray(np.interp(force, self.forces, self.angles))

    @property
    def peak(self) -> float:
        """Largest force [N]."""
        return float(self.forces[-1])


@dataclass(frozen=True)
class _Cornering:
    """Steady cornering to the left."""

    vehicle: VehicleParameters
    front: AxleCurve
    rear: AxleCurve

    def steering(self, speed: Array, lateral: Array) -> Array:
        """Steering angle [rad]."""
        car = self.vehicle
        a, b, wheelbase = car.cog_to_front_axle, car.cog_to_rear_axle, car.wheelbase
        rate = lateral / speed
        # To the left the slip angles are negative, and the forces positive.
        lean = b * rate / speed - tangents(self.rear.angle(car.mass * lateral * a / wheelbase))
        heading = arctangents(lean + a * rate / speed)
        delta = np.array(heading)
        for _ in range(_PASSES):
            delta = heading + self.front.angle(
                car.mass * lateral * b / wheelbase / np.maximum(cosines(delta), 0.1))
        return delta

    def limits(self, speeds: Array) -> Array:
        """Largest lateral acceleration [m/s^2], by bisection."""
        car = self.vehicle
        most = car.wheelbase / car.mass * min(
            self.front.peak / car.cog_to_rear_axle, self.rear.peak / car.cog_to_front_axle)
        stop = min(-car.steering_range[0], car.steering_range[1])
        low, high = np.zeros_like(speeds), np.full_like(speeds, most)
        for _ in range(50):
            middle = 0.5 * (low + high)
            delta = self.steering(speeds, middle)
            held = (car.mass * middle * car.cog_to_rear_axle / car.wheelbase
                    <= self.front.peak * cosines(delta))
            fits = (delta <= stop) & held
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        return low


def _held_along(vehicle: VehicleParameters, friction: float) -> tuple[float, float]:
    """Acceleration and deceleration that driven tyres hold, with the load that moves [m/s^2]."""
    wheelbase, height = vehicle.wheelbase, vehicle.cog_height
    both = friction * GRAVITY
    if vehicle.driven_axle == 'all':
        return both, both
    share = (vehicle.cog_to_front_axle if vehicle.driven_axle == 'rear'
             else vehicle.cog_to_rear_axle) / wheelbase
    # The rear axle gains load when driving, the front axle when braking.
    gained, lost = (both * share / (1.0 - sign * friction * height / wheelbase)
                    for sign in (1.0, -1.0))
    return (gained, lost) if vehicle.driven_axle == 'rear' else (lost, gained)


def _place(grid: Array, value: Array) -> tuple[NDArray[np.int64], Array]:
    """Cell of a growing grid in which a value lies, and its share of the cell."""
    cell = np.clip(np.searchsorted(grid, value, side='right') - 1, 0, len(grid) - 2)
    return cell, np.asarray((value - grid[cell]) / (grid[cell + 1] - grid[cell]))
