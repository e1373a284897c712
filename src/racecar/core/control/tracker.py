# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory tracker: PID with feed-forward on a point P ahead of the car (report section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
import copy
from dataclasses import dataclass, fields
import math
from typing import Any, NamedTuple

from racecar.core.compiled import inlined
from racecar.core.elementary import sine_cosine
from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.trajectories import (
    Attitude,
    make_trajectory,
    ReferencePoint,
    TRAJECTORY_PARAMETERS,
)
from racecar.core.types import AT_REST, NANOSECONDS, Odometry, PlanarVelocity

TRACKED_POINTS = ('base_link', 'cog')

# A reference slower than this stands [m/s]: then there is no direction in which to follow it.
_STANDSTILL = 0.01

# Of the wanted speed of P, what the car goes forwards at least while it turns round; the rest
# points sideways, so the steering is at its limit and the curve is slow and tight. It is not
# faster than the reference, which else could stay within the circle, unless that is so slow that
# the linearizers would fade the steering [m/s].
_TURNING_SHARE = 0.25
_STEERED_SPEED = 0.06

TRACKER_PARAMETERS = TRAJECTORY_PARAMETERS + ParameterTable([
    Parameter('tracked_point', str, 'base_link',
              'The point of the car that follows the reference, the one that the linearizer is'
              ' exact for: base_link for the kinematic law, cog for the dynamic one',
              choices=TRACKED_POINTS, read_only=True),
    Parameter('cog_ahead', float, 0.0,
              'Position of the centre of gravity ahead of base_link, for tracked_point cog; the'
              " configurations take it from the vehicle's file", 'm', minimum=-10.0,
              maximum=10.0, read_only=True),
    Parameter('reference_origin', str, 'car',
              'Where the trajectory starts: where the car is when activated, or the origin of map',
              choices=('car', 'map')),
    Parameter('Kp', float, 5.0, 'Proportional gain', '1/s', minimum=0.0, maximum=1000.0),
    Parameter('Ki', float, 0.0, 'Integral gain', '1/s^2', minimum=0.0, maximum=1000.0),
    Parameter('Kd', float, 0.0, 'Derivative gain', '-', minimum=0.0, maximum=1000.0),
    Parameter('FFWD', bool, True, 'Feed the reference velocity forward'),
    Parameter('PL_distance', float, 0.1,
              'Distance of the point P ahead of the tracked point; equals the epsilon of the'
              ' linearizer', 'm', above=0.0, maximum=10.0),
    Parameter('velocity_limit', float, 20.0,
              'Largest commanded speed of P; the integrators hold while it is reached', 'm/s',
              above=0.0, maximum=100.0),
    Parameter('catch_up_speed', float, 1.0,
              'How much faster than the reference P may be commanded, to catch up with it; the'
              ' integrators hold while it is reached', 'm/s', above=0.0, maximum=100.0),
])


@dataclass(frozen=True)
class TrackerGains:
    """Gains of the two identical PID controllers, named as in TRACKER_PARAMETERS."""

    Kp: float
    Ki: float
    Kd: float
    FFWD: bool
    PL_distance: float
    velocity_limit: float
    catch_up_speed: float

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> TrackerGains:
        """Pick the gains out of resolved TRACKER_PARAMETERS values."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})


class TrackerOutput(NamedTuple):
    """Commanded velocity of P [m/s], reference in `map`, error reference minus car [m].

    The error is that of the tracked point. attitude: how the car is to stand, if that is known.
    """

    velocity: PlanarVelocity
    reference: ReferencePoint
    error: tuple[float, float]
    attitude: Attitude | None = None


@inlined
def point_ahead(x: float, y: float, yaw: float, distance: float) -> tuple[float, float]:
    """Return the point [m] at a distance [m] ahead of (x, y) along the heading [rad]."""
    sine, cosine = sine_cosine(yaw)
    return x + distance * cosine, y + distance * sine


@inlined
def follow_forwards(
    vx: float, vy: float, yaw: float, error_x: float, error_y: float, reference_vx: float,
    reference_vy: float,
) -> tuple[float, float, bool]:
    """Return a velocity of P [m/s] for which the car need not reverse, and whether it is another.

    vx, vy: the wanted velocity [m/s]; error: reference minus car [m]. Where the wanted velocity
    points behind the car, the car waits if the reference goes its way and comes nearer by itself;
    else it turns round: the velocity keeps its modulus and its side, and is turned forwards until
    _TURNING_SHARE of it, or the speed of the reference, points ahead.
    """
    sine, cosine = sine_cosine(yaw)
    ahead, across = vx * cosine + vy * sine, vy * cosine - vx * sine
    speed = math.sqrt(vx * vx + vy * vy)
    waits = (
        error_x * reference_vx + error_y * reference_vy < 0.0
        and reference_vx * cosine + reference_vy * sine > 0.0)
    reference_speed = math.sqrt(reference_vx * reference_vx + reference_vy * reference_vy)
    least = 0.0 if waits else min(
        _TURNING_SHARE * speed, max(reference_speed, _STEERED_SPEED))
    remaining = 0.0 if waits else math.sqrt(speed * speed - least * least)
    sideways = -remaining if across < 0.0 else remaining
    return least * cosine - sideways * sine, least * sine + sideways * cosine, ahead < least


@inlined
def pid_velocity(
    error_x: float, error_y: float, last_x: float, last_y: float, integral_x: float,
    integral_y: float, derivative_x: float, derivative_y: float, reference_vx: float,
    reference_vy: float, yaw: float, forwards: bool, dt: float, Kp: float, Ki: float, Kd: float,
    FFWD: bool, velocity_limit: float, catch_up_speed: float,
) -> tuple[float, float, float, float, float, float]:
    """Return velocity of P [m/s], integral and derivative of the error of both PID controllers.

    error, last: this and the previous error [m]; integral [m s] and derivative [m/s] as they
    were; reference: velocity of the P of the reference [m/s], fed forward if FFWD; yaw: of the
    car [rad]; forwards: whether the car is to follow forwards, see follow_forwards(); dt: time
    since the previous error [s], 0 at the first and for a repeated time, which leaves integral and
    derivative as they were. The integral also stays while the velocity is not the one wanted:
    limited, or turned to be forwards.
    """
    moved = dt > 0.0
    step = dt if moved else 1.0
    summed_x = integral_x + error_x * dt if moved else integral_x
    summed_y = integral_y + error_y * dt if moved else integral_y
    derivative_x = (error_x - last_x) / step if moved else derivative_x
    derivative_y = (error_y - last_y) / step if moved else derivative_y
    vx = (reference_vx if FFWD else 0.0) + Kp * error_x + Ki * summed_x + Kd * derivative_x
    vy = (reference_vy if FFWD else 0.0) + Kp * error_y + Ki * summed_y + Kd * derivative_y
    speed = math.sqrt(vx * vx + vy * vy)
    reference_speed = math.sqrt(reference_vx * reference_vx + reference_vy * reference_vy)
    limit = min(velocity_limit, reference_speed + catch_up_speed)
    limited = speed > limit
    scale = limit / (speed if limited else 1.0)
    vx = vx * scale if limited else vx
    vy = vy * scale if limited else vy
    turned_x, turned_y, turned = follow_forwards(
        vx, vy, yaw, error_x, error_y, reference_vx, reference_vy)
    turned = turned and forwards and reference_speed >= _STANDSTILL
    saturated = limited or turned
    return (
        turned_x if turned else vx, turned_y if turned else vy,
        integral_x if saturated else summed_x, integral_y if saturated else summed_y,
        derivative_x, derivative_y)


def tracked_ahead(values: Mapping[str, Any]) -> float:
    """Return how far the tracked point lies ahead of base_link [m], from resolved values."""
    return float(values['cog_ahead']) if values['tracked_point'] == 'cog' else 0.0


class TrajectoryTracker:
    """Track a reference with P; the trajectory clock starts with the first update once active."""

    def __init__(self, values: dict[str, Any]) -> None:
        """Take resolved TRACKER_PARAMETERS values. Raises ParameterError if they contradict."""
        self.trajectory = make_trajectory(values)
        self.gains = TrackerGains.from_values(values)
        self.tracked_ahead = tracked_ahead(values)
        self._starts_at_car = values['reference_origin'] == 'car'
        self._start_ns: int | None = None
        self._origin = (0.0, 0.0)
        self._reset_pid()

    def _reset_pid(self) -> None:
        self._last_ns: int | None = None
        self._last_error = (0.0, 0.0)
        self._integral = (0.0, 0.0)
        self._derivative = (0.0, 0.0)

    @property
    def started(self) -> bool:
        """Whether the trajectory clock runs."""
        return self._start_ns is not None

    @property
    def origin(self) -> tuple[float, float]:
        """Where the trajectory's own origin lies in `map` [m]."""
        return self._origin

    def restart(self) -> None:
        """Forget clock and integrators: the next update starts the trajectory anew."""
        self._start_ns = None
        self._reset_pid()

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that an update calls; nothing changes."""
        copy.copy(self).update(AT_REST)

    def update(self, odometry: Odometry, now_ns: int | None = None) -> TrackerOutput:
        """Compute the velocity of P for the reference at now_ns (default: the odometry's stamp).

        Raises nothing; a repeated time leaves integral and derivative as they were.
        """
        now_ns = odometry.time_ns if now_ns is None else now_ns
        yaw = odometry.yaw
        car_x, car_y = odometry.x, odometry.y
        if self.tracked_ahead != 0.0:
            car_x, car_y = point_ahead(car_x, car_y, yaw, self.tracked_ahead)
        if self._start_ns is None:
            self._start_ns = now_ns
            if self._starts_at_car:
                start = self.trajectory.at(0.0)
                self._origin = (car_x - start.x, car_y - start.y)
        time = (now_ns - self._start_ns) / NANOSECONDS
        reference = self.trajectory.at(time)
        reference = reference._replace(
            x=self._origin[0] + reference.x, y=self._origin[1] + reference.y)

        # Both transformations of the report; with one yaw for both, the shift cancels.
        gains = self.gains
        attitude = self.trajectory.attitude(time)
        distance, yaw_ref, velocity_ref = gains.PL_distance, yaw, (reference.vx, reference.vy)
        if attitude is not None:
            # Where it is known how the car is to stand, P of the reference is where P of a car
            # without error would be, and moves as it would: nothing is left to feed back.
            distance *= attitude.direction
            yaw_ref = attitude.heading
            turning = distance * attitude.rate
            velocity_ref = (velocity_ref[0] - turning * math.sin(yaw_ref),
                            velocity_ref[1] + turning * math.cos(yaw_ref))
        x_ref, y_ref = point_ahead(reference.x, reference.y, yaw_ref, distance)
        x, y = point_ahead(car_x, car_y, yaw, distance)
        forwards = attitude is None or attitude.direction > 0.0
        velocity = self._pid((x_ref - x, y_ref - y), velocity_ref, yaw, forwards, now_ns)
        return TrackerOutput(
            velocity, reference, (reference.x - car_x, reference.y - car_y), attitude)

    def _pid(self, error: tuple[float, float], reference_velocity: tuple[float, float],
             yaw: float, forwards: bool, now_ns: int) -> PlanarVelocity:
        gains = self.gains
        moved = self._last_ns is not None and now_ns > self._last_ns
        dt = (now_ns - (self._last_ns or 0)) / NANOSECONDS if moved else 0.0
        vx, vy, *memory = pid_velocity(
            *error, *self._last_error, *self._integral, *self._derivative, *reference_velocity,
            yaw, forwards, dt, gains.Kp, gains.Ki, gains.Kd, gains.FFWD, gains.velocity_limit,
            gains.catch_up_speed)
        self._last_ns = now_ns
        self._last_error = error
        self._integral = (memory[0], memory[1])
        self._derivative = (memory[2], memory[3])
        return PlanarVelocity(vx, vy)
