# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory tracker: PID with feed-forward on a point P ahead of the car (report section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
import math
from typing import Any, NamedTuple

from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.trajectories import (
    Attitude,
    make_trajectory,
    ReferencePoint,
    TRAJECTORY_PARAMETERS,
)
from racecar.core.types import NANOSECONDS, Odometry, PlanarVelocity

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


def point_ahead(x: float, y: float, yaw: float, distance: float) -> tuple[float, float]:
    """Return the point [m] at a distance [m] ahead of (x, y) along the heading [rad]."""
    return x + distance * math.cos(yaw), y + distance * math.sin(yaw)


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
        integral = self._integral
        if self._last_ns is not None and now_ns > self._last_ns:
            dt = (now_ns - self._last_ns) / NANOSECONDS
            integral = (integral[0] + error[0] * dt, integral[1] + error[1] * dt)
            self._derivative = ((error[0] - self._last_error[0]) / dt,
                                (error[1] - self._last_error[1]) / dt)
        self._last_ns = now_ns
        self._last_error = error

        if not gains.FFWD:
            feed_forward = (0.0, 0.0)
        vx, vy = (
            feed_forward[i] + gains.Kp * error[i] + gains.Ki * integral[i]
            + gains.Kd * self._derivative[i] for i in (0, 1))
        speed = math.sqrt(vx * vx + vy * vy)
        if speed > gains.velocity_limit:
            scale = gains.velocity_limit / speed
            return PlanarVelocity(vx * scale, vy * scale)
        self._integral = integral
        return PlanarVelocity(vx, vy)
