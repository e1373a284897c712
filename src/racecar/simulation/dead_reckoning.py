# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry as a real car has it: dead reckoning from the rear wheels and a steering angle or gyro.

At each odometry, after a time T, with v the speed at which the rear wheels roll, d the commanded
steering angle (as vesc_to_odom of the VESC drivers of MIT RACECAR and F1TENTH takes them), w the
yaw rate, L the wheelbase and n independent standard normal numbers:

    distance  s = k v T + a sqrt(|k v T|) n                                  k: speed_scale
    turn      q = k v T tan(m d + o) / L + c sqrt(|k v T|) n                 source steering
              q = (w + b) T + g sqrt(T) n,   b <- b + h sqrt(T) n            source gyro
    pose      rear axle on by the chord s (1 - q^2/24) at the heading yaw + q/2, yaw <- yaw + q

With source truth, pose and twist are the true ones. Whatever the source, what is shown can be that
of a delay ago.

So wheels that spin or slide sideways are not noticed. k, m, o and b are those of the parameters
plus a deviation that the seed draws once; the variance of s and q grows with the distance, that of
a gyro with time, whatever the rate.

Sources: Borenstein and Feng, Measurement and correction of systematic odometry errors in mobile
robots, IEEE Trans. Robotics and Automation 12(6), 1996 (systematic errors); Chong and Kleeman,
Accurate odometry and error modelling for a mobile robot, ICRA 1997 (variance that grows with the
distance); Thrun, Burgard and Fox, Probabilistic Robotics, 2005, chapter 5 (motion models);
vesc_ackermann/vesc_to_odom (github.com/f1tenth/vesc).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.random_numbers import four_normals, philox
from racecar.base.readings import PlanarVariance, WheelReading
from racecar.base.rows import field_names
from racecar.base.types import CarMotion, Odometry, quaternion_to_yaw
from racecar.base.values import Values
from racecar.dynamics.vehicles.interface import Equations
from racecar.dynamics.vehicles.parameters import VehicleParameters

TRUTH, STEERING, GYRO = 'truth', 'steering', 'gyro'
SOURCES = (TRUTH, STEERING, GYRO)
"""What the odometry of a car is made of."""

PREFIX = 'odometry.'
SOURCE, DELAY = f'{PREFIX}source', f'{PREFIX}delay'

MOST_LATE = 50
"""Periods by which an odometry can be late."""


@with_plain_signature
class OdometryErrors(NamedTuple):
    """What the odometry of a car is made of, and its errors; see the module."""

    source: Annotated[str, Row(
        'Odometry: the true motion, or dead reckoning from the rear wheels and the commanded'
        ' steering angle or a gyro', choices=SOURCES)] = TRUTH
    speed_scale: Annotated[float, Row(
        'Measured over true rotation of the wheels', above=0.0, maximum=10.0)] = 1.0
    speed_scale_deviation: Annotated[float, Row(
        'Standard deviation over the seeds of speed_scale', minimum=0.0, maximum=1.0)] = 0.02
    distance_noise: Annotated[float, Row(
        'Deviation of the distance after 1 m; it grows with the root of the distance',
        'm/sqrt(m)', minimum=0.0, maximum=10.0)] = 0.005
    steering_scale: Annotated[float, Row(
        'Steering angle that is reckoned with over the commanded one', above=0.0,
        maximum=10.0)] = 1.0
    steering_scale_deviation: Annotated[float, Row(
        'Standard deviation over the seeds of steering_scale', minimum=0.0, maximum=1.0)] = 0.02
    steering_offset: Annotated[float, Row(
        'Added to the steering angle that is reckoned with', 'rad', minimum=-1.0,
        maximum=1.0)] = 0.0
    steering_offset_deviation: Annotated[float, Row(
        'Standard deviation over the seeds of steering_offset', 'rad', minimum=0.0,
        maximum=1.0)] = 0.005
    turn_noise: Annotated[float, Row(
        'Deviation of the heading after 1 m with source steering', 'rad/sqrt(m)', minimum=0.0,
        maximum=10.0)] = 0.005
    gyro_bias: Annotated[float, Row(
        'Added to the yaw rate of the gyro', 'rad/s', minimum=-10.0, maximum=10.0)] = 0.0
    gyro_bias_deviation: Annotated[float, Row(
        'Standard deviation over the seeds of gyro_bias', 'rad/s', minimum=0.0,
        maximum=10.0)] = 0.002
    gyro_noise: Annotated[float, Row(
        'Deviation of the heading after 1 s with source gyro: its angle random walk',
        'rad/sqrt(s)', minimum=0.0, maximum=10.0)] = 0.0002
    gyro_bias_walk: Annotated[float, Row(
        'Deviation of the change of gyro_bias in 1 s: its rate random walk', 'rad/s/sqrt(s)',
        minimum=0.0, maximum=10.0)] = 0.00002
    seed: Annotated[int, Row('Seed of the odometry', minimum=0, maximum=2**31 - 1)] = 0
    delay: Annotated[float, Row(
        'Time from a motion to the odometry that shows it, a whole number of periods of the'
        f' odometry, at most {MOST_LATE}; the stamp is that of the message, as of drivers that'
        ' stamp what arrives', 's', minimum=0.0, maximum=60.0)] = 0.0

    @classmethod
    def from_values(cls, values: Values) -> OdometryErrors:
        """Errors of the rows of ODOMETRY_PARAMETERS; others are left alone."""
        return made_of(cls, PREFIX, values)


ODOMETRY_PARAMETERS = table_of(OdometryErrors, PREFIX)


class ReckoningParameters(NamedTuple):
    """Numbers of dead reckoning, those drawn by the seed included [SI]; names as in the module.

    true, gyro: 1 for this source, else 0; ahead: of base_link before the rear axle; first, second:
    key of the random numbers, two words.
    """

    true: float
    gyro: float
    speed_scale: float
    steering_scale: float
    steering_offset: float
    gyro_bias: float
    distance_noise: float
    turn_noise: float
    gyro_noise: float
    gyro_bias_walk: float
    wheelbase: float
    ahead: float
    steering_min: float
    steering_max: float
    first: float
    second: float


class Reckoning(NamedTuple):
    """Reckoned pose and twist of base_link [SI].

    bias: what gyro_bias has changed by [rad/s]; ticks: odometries so far, of which the random
    numbers are.
    """

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    yaw_rate: float
    bias: float
    ticks: float


@pure
def reckon(
    r: Reckoning, p: ReckoningParameters, reading: WheelReading, car: CarMotion, dt: float,
) -> Reckoning:
    """Reckoning after a time dt [s] at whose end the car measures this; at 0 s nothing changes.

    car: the true motion.
    """
    if not dt > 0.0:
        return r
    if p.true > 0.0:
        return Reckoning(
            car.x, car.y, car.yaw, car.vx, car.vy, car.yaw_rate, r.bias, r.ticks + 1.0)
    n_distance, n_turn, n_gyro, n_walk = four_normals(
        philox((int(r.ticks), 0, 0, 0), (int(p.first), int(p.second))))
    rolled, root = p.speed_scale * reading.speed * dt, math.sqrt(dt)
    spread = math.sqrt(abs(rolled))
    sine, cosine = sine_cosine(p.steering_scale * reading.steering_angle + p.steering_offset)
    distance = rolled + p.distance_noise * spread * n_distance
    by_steering = rolled * sine / (cosine * p.wheelbase) + p.turn_noise * spread * n_turn
    by_gyro = (car.yaw_rate + (p.gyro_bias + r.bias)) * dt + p.gyro_noise * root * n_gyro
    turn = by_gyro if p.gyro > 0.0 else by_steering
    yaw, chord = r.yaw + turn, distance * (1.0 - turn * turn / 24.0)
    sine_before, cosine_before = sine_cosine(r.yaw)
    sine_middle, cosine_middle = sine_cosine(r.yaw + 0.5 * turn)
    sine_after, cosine_after = sine_cosine(yaw)
    return Reckoning(
        r.x + (chord * cosine_middle + p.ahead * (cosine_after - cosine_before)),
        r.y + (chord * sine_middle + p.ahead * (sine_after - sine_before)), yaw,
        distance / dt, p.ahead * turn / dt, turn / dt, r.bias + p.gyro_bias_walk * root * n_walk,
        r.ticks + 1.0)


@pure
def reckoned_heading(r: Reckoning) -> tuple[float, float]:
    """(qz, qw) of the heading."""
    return sine_cosine(0.5 * r.yaw)


@pure
def seen_motion(r: Reckoning) -> CarMotion:
    """Motion as who reads the odometry message sees it."""
    qz, qw = reckoned_heading(r)
    return CarMotion(r.x, r.y, quaternion_to_yaw(0.0, 0.0, qz, qw), r.vx, r.vy, r.yaw_rate)


@pure
def rolling_as_driven(state: object, car: object, vx: float) -> float:
    """Forward velocity: that of wheels which neither spin nor lock."""
    return vx


@pure
def _by_wheels(state: Any, car: Any, vx: float) -> float:
    speed: float = 0.5 * (
        state.wheel_speed_rear_left + state.wheel_speed_rear_right) * car.rear_radius
    return speed


def rolling_of(equations: Equations) -> Callable[..., float]:
    """Pure function of (state, parameters, vx): speed at which the rear wheels roll [m/s].

    It is vx, the forward velocity, in models whose wheels have no rotation of their own.
    """
    spins = 'wheel_speed_rear_left' in field_names(equations.state)
    return _by_wheels if spins else rolling_as_driven


class DeadReckoning:
    """Dead reckoning of one car.

    parameters: with what the seed has drawn. state: at present; past: those before it, as many as
    the odometry is late by. Who runs a compiled loop puts those after it here.
    """

    def __init__(
        self, errors: OdometryErrors, vehicle: VehicleParameters, stream: int = 0, late: int = 0,
    ) -> None:
        """stream: of a car among others, less than 2^32; late: periods of the odometry."""
        a, b, c, d = four_normals(philox((0, 1, 0, 0), (errors.seed, stream)))
        lowest, highest = vehicle.steering_range
        self.parameters = ReckoningParameters(
            float(errors.source == TRUTH), float(errors.source == GYRO),
            errors.speed_scale + errors.speed_scale_deviation * a,
            errors.steering_scale + errors.steering_scale_deviation * b,
            errors.steering_offset + errors.steering_offset_deviation * c,
            errors.gyro_bias + errors.gyro_bias_deviation * d,
            errors.distance_noise, errors.turn_noise, errors.gyro_noise, errors.gyro_bias_walk,
            vehicle.wheelbase, vehicle.cog_to_rear_axle + vehicle.odometry_offset,
            lowest, highest, float(errors.seed), float(stream))
        self.state = Reckoning(*(0.0,) * len(Reckoning._fields))
        self.past = deque([self.state] * late, maxlen=late)
        self.steering_angle = 0.0

    def start(self, truth: Odometry, reading: WheelReading) -> None:
        """Begin anew, where the car is."""
        self.state = self._started(truth, reading)
        self.past.extend([self.state] * len(self.past))
        self.steering_angle = reading.steering_angle

    def _started(self, truth: Odometry, reading: WheelReading) -> Reckoning:
        p, ticks = self.parameters, self.state.ticks
        if p.true:
            return Reckoning(*_motion(truth), 0.0, ticks)
        vx = p.speed_scale * reading.speed
        sine, cosine = sine_cosine(p.steering_scale * reading.steering_angle + p.steering_offset)
        yaw_rate = truth.yaw_rate + p.gyro_bias if p.gyro else vx * sine / (cosine * p.wheelbase)
        return Reckoning(
            truth.x, truth.y, truth.yaw, vx, p.ahead * yaw_rate, yaw_rate, 0.0, ticks)

    def restart(self) -> None:
        """Draw the same random numbers again as at first."""
        self.state = self.state._replace(ticks=0.0)

    def update(self, truth: Odometry, reading: WheelReading, dt: float) -> None:
        """Go on by a time [s], at whose end the car moves and measures so."""
        self.past.append(self.state)
        self.state = reckon(self.state, self.parameters, reading, _motion(truth), dt)
        self.steering_angle = reading.steering_angle

    def odometry(self, time_ns: int) -> Odometry:
        """Pose and twist that are shown, with a stamp [ns]."""
        r = self.past[0] if self.past else self.state
        return Odometry(time_ns, r.x, r.y, *reckoned_heading(r), r.vx, r.vy, r.yaw_rate)


def _motion(odometry: Odometry) -> CarMotion:
    return CarMotion(odometry.x, odometry.y, odometry.yaw, odometry.vx, odometry.vy,
                     odometry.yaw_rate)


_X, _Y, _YAW, _SPEED_SCALE, _STEERING_SCALE, _STEERING_OFFSET, _GYRO_BIAS = range(7)


class ReckoningCovariance:
    """Covariance of the errors of dead reckoning, linearised about what is reckoned.

    With the errors that the seed draws as further states, so that it grows as the spread of runs
    with many seeds does (Probabilistic Robotics, section 7.4).
    """

    def __init__(self, errors: OdometryErrors, reckoning: DeadReckoning) -> None:
        """errors: those of the reckoning."""
        self._errors = errors
        self._reckoning = reckoning
        self.start()

    def start(self) -> None:
        """Begin anew, where the pose is known."""
        e = self._errors
        self._p: Array = np.diag(np.square((
            0.0, 0.0, 0.0, e.speed_scale_deviation, e.steering_scale_deviation,
            e.steering_offset_deviation, e.gyro_bias_deviation)))
        # Rows: distance and turn of the last step, by the errors.
        self._step: Array = np.zeros((2, 7))
        self._white: Array = np.zeros((2, 2))
        self._dt = 1.0

    def update(self, before: Reckoning, reading: WheelReading, dt: float) -> None:
        """Go on by a time [s] after which the reckoning is what it is now."""
        e, p = self._errors, self._reckoning.parameters
        rolled = p.speed_scale * reading.speed * dt
        turn = self._reckoning.state.yaw_rate * dt
        angle = p.steering_scale * reading.steering_angle + p.steering_offset
        step, white = np.zeros((2, 7)), np.zeros((2, 2))
        step[0, _SPEED_SCALE] = rolled / p.speed_scale
        white[0, 0] = e.distance_noise**2 * abs(rolled)
        if p.gyro:
            step[1, _GYRO_BIAS] = dt
            white[1, 1] = e.gyro_noise**2 * dt
        else:
            per_angle = rolled / (p.wheelbase * math.cos(angle)**2)
            step[1, _SPEED_SCALE] = rolled * math.tan(angle) / (p.wheelbase * p.speed_scale)
            step[1, _STEERING_SCALE] = per_angle * reading.steering_angle
            step[1, _STEERING_OFFSET] = per_angle
            white[1, 1] = e.turn_noise**2 * abs(rolled)
        middle = before.yaw + 0.5 * turn
        sine, cosine = sine_cosine(middle)
        onto = np.zeros((7, 2))
        onto[:3] = (cosine, -0.5 * rolled * sine), (sine, 0.5 * rolled * cosine), (0.0, 1.0)
        carried = np.eye(7)
        carried[_X, _YAW], carried[_Y, _YAW] = -rolled * sine, rolled * cosine
        carried += onto @ step
        self._p = carried @ self._p @ carried.T + onto @ white @ onto.T
        self._p[_GYRO_BIAS, _GYRO_BIAS] += e.gyro_bias_walk**2 * dt
        self._step, self._white, self._dt = step, white, dt

    def now(self) -> PlanarVariance:
        """Covariance at present."""
        ahead, yaw = self._reckoning.parameters.ahead, self._reckoning.state.yaw
        of_point = np.eye(3)
        of_point[:2, 2] = -ahead * math.sin(yaw), ahead * math.cos(yaw)
        pose = of_point @ self._p[:3, :3] @ of_point.T
        speed, turning = (np.diag(
            self._step @ self._p @ self._step.T + self._white) / self._dt**2).tolist()
        xx, xy, x_yaw, yy, y_yaw, yaw_yaw = pose[np.triu_indices(3)].tolist()
        return PlanarVariance(
            xx, xy, x_yaw, yy, y_yaw, yaw_yaw, speed, ahead**2 * turning, turning)
