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
def pid_velocity(
    error_x: float, error_y: float, last_x: float, last_y: float, integral_x: float,
    integral_y: float, derivative_x: float, derivative_y: float, forward_x: float,
    forward_y: float, dt: float, Kp: float, Ki: float, Kd: float, velocity_limit: float,
) -> tuple[float, float, float, float, float, float]:
    """Return velocity [m/s], integral and derivative of the error of both PID controllers.

    error, last: this and the previous error [m]; integral [m s] and derivative [m/s] as they
    were; forward: velocity fed forward [m/s]; dt: time since the previous error [s], 0 at the
    first and for a repeated time, which leaves integral and derivative as they were. The integral
    also stays while the velocity is limited.
    """
    moved = dt > 0.0
    step = dt if moved else 1.0
    summed_x = integral_x + error_x * dt if moved else integral_x
    summed_y = integral_y + error_y * dt if moved else integral_y
    derivative_x = (error_x - last_x) / step if moved else derivative_x
    derivative_y = (error_y - last_y) / step if moved else derivative_y
    vx = forward_x + Kp * error_x + Ki * summed_x + Kd * derivative_x
    vy = forward_y + Kp * error_y + Ki * summed_y + Kd * derivative_y
    speed = math.sqrt(vx * vx + vy * vy)
    limited = speed > velocity_limit
    scale = velocity_limit / (speed if limited else 1.0)
    return (
        vx * scale if limited else vx, vy * scale if limited else vy,
        integral_x if limited else summed_x, integral_y if limited else summed_y,
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
        distance, yaw_ref, feed_forward = gains.PL_distance, yaw, (reference.vx, reference.vy)
        if attitude is not None:
            # Where it is known how the car is to stand, P of the reference is where P of a car
            # without error would be, and moves as it would: nothing is left to feed back.
            distance *= attitude.direction
            yaw_ref = attitude.heading
            turning = distance * attitude.rate
            feed_forward = (feed_forward[0] - turning * math.sin(yaw_ref),
                            feed_forward[1] + turning * math.cos(yaw_ref))
        x_ref, y_ref = point_ahead(reference.x, reference.y, yaw_ref, distance)
        x, y = point_ahead(car_x, car_y, yaw, distance)
        velocity = self._pid((x_ref - x, y_ref - y), feed_forward, now_ns)
        return TrackerOutput(
            velocity, reference, (reference.x - car_x, reference.y - car_y), attitude)

    def _pid(self, error: tuple[float, float], feed_forward: tuple[float, float],
             now_ns: int) -> PlanarVelocity:
        gains = self.gains
        moved = self._last_ns is not None and now_ns > self._last_ns
        dt = (now_ns - (self._last_ns or 0)) / NANOSECONDS if moved else 0.0
        forward = feed_forward if gains.FFWD else (0.0, 0.0)
        vx, vy, *memory = pid_velocity(
            *error, *self._last_error, *self._integral, *self._derivative, *forward, dt,
            gains.Kp, gains.Ki, gains.Kd, gains.velocity_limit)
        self._last_ns = now_ns
        self._last_error = error
        self._integral = (memory[0], memory[1])
        self._derivative = (memory[2], memory[3])
        return PlanarVelocity(vx, vy)
