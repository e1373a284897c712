# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory tracker: PID with feed-forward on a point P ahead of the car (report section 5.3)."""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.columns import Array, is_column, number_or_column, rows_of
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AT_REST, NANOSECONDS, Odometry, PlanarVelocity
from racecar.base.values import flag_of, text_of, Values
from racecar.base.vectors import Flat, vector
from racecar.control.hand_over import hand_over_speeds
from racecar.control.step_clock import StepClock
from racecar.control.tracker_step import (
    axis_step,
    course_step,
    NO_PARAMETERS,
    NO_STATE,
    point_ahead,
    TrackerParameters,
    update_function,
)
from racecar.control.trajectories import (
    Attitude,
    make_trajectory,
    ReferencePoint,
    Trajectory,
    TRAJECTORY_PARAMETERS,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.metrics.laps import Course

TRACKED_POINTS = ('base_link', 'cog')
VELOCITY_LIMIT = 'velocity_limit'
"""Name of the parameter: maximum commanded speed of P [m/s]."""

TRACKER_PARAMETERS = TRAJECTORY_PARAMETERS + ParameterTable([
    Parameter('tracked_point', str, 'base_link',
              'The point of the car that follows the reference, the one that the linearizer is'
              ' exact for: base_link for the kinematic law, cog, the centre of gravity of the'
              ' vehicle, for the dynamic one',
              choices=TRACKED_POINTS, read_only=True),
    Parameter('reference_origin', str, 'car',
              'Where the trajectory starts: where the car is when activated, or the origin of map',
              choices=('car', 'map')),
    Parameter('Kp', float, 5.0, 'Proportional gain', '1/s', minimum=0.0, maximum=1000.0),
    Parameter('Ki', float, 0.0, 'Integral gain', '1/s^2', minimum=0.0, maximum=1000.0),
    Parameter('Kd', float, 0.0, 'Derivative gain', '-', minimum=0.0, maximum=1000.0),
    Parameter('FFWD', bool, True, 'Feed the reference velocity forward'),
    Parameter('exact_feed_forward', bool, True,
              'Follow the P of the reference, with its mean velocity until the next step fed'
              ' forward: no error is left behind; false: the velocity of the reference itself, as'
              ' in the report', read_only=True),
    Parameter('PL_distance', float, 0.1,
              'Distance of the point P ahead of the tracked point; equals the epsilon of the'
              ' linearizer', 'm', above=0.0, maximum=10.0),
    Parameter(VELOCITY_LIMIT, float, 20.0,
              'Maximum commanded speed of P; the integrators hold while it is reached', 'm/s',
              above=0.0, maximum=100.0),
    Parameter('catch_up_speed', float, 1.0,
              'How much faster than the reference P may be commanded, to catch up with it; the'
              ' integrators hold while it is reached', 'm/s', above=0.0, maximum=100.0),
])


TRACKER_COLUMNS = frozenset(
    row.name for row in TRACKER_PARAMETERS
    if row.type is float and row.name in TrackerParameters._fields)
"""Names of the parameters in which TrajectoryTracker.columns() may differ."""

FEEDBACK = frozenset({'Kp', 'Ki', 'Kd', 'FFWD', 'exact_feed_forward', VELOCITY_LIMIT,
                      'catch_up_speed'})
"""Names of the parameters of what it commands; the reference does not depend on them."""


# Share by which a velocity that was scaled to a limit may be below it.
_ROUNDING = 1e-9


class TrackerOutput(NamedTuple):
    """Commanded velocity of P [m/s], reference in `map`, error reference minus car [m].

    The error is that of the tracked point. attitude: how the car is to stand, if that is known.
    """

    velocity: PlanarVelocity
    reference: ReferencePoint
    error: tuple[float, float]
    attitude: Attitude | None = None


def tracked_ahead(values: Values) -> float:
    """Return how far the tracked point lies ahead of base_link [m], from resolved values.

    Raises ParameterError if that needs a vehicle and the values hold none.
    """
    if text_of(values, 'tracked_point') == 'base_link':
        return 0.0
    return -VehicleParameters.from_values(values).odometry_offset


def course_from(trajectory: Trajectory, origin: tuple[float, float]) -> Course:
    """Path of a trajectory in `map` as a course of laps; origin: where its own one lies [m]."""
    course = trajectory.course
    return course._replace(points=course.points + origin)


def course_of(values: Values, start: ArrayLike) -> Course:
    """Path of the reference in `map` as a course of laps, from resolved TRACKER_PARAMETERS values.

    start: where the reference began [m]. Raises ParameterError if there is no such path.
    """
    course = make_trajectory(values).course
    if text_of(values, 'reference_origin') == 'map':
        return course
    return course._replace(points=course.points + np.asarray(start) - course.points[0])


class TrajectoryTracker:
    """Track a reference with P; the trajectory clock starts with the first update once active.

    state and parameters: packed numbers of TrackerState and TrackerParameters, on which compiled
    loops run; step: pure, of the tracker.
    """

    def __init__(self, values: Values, trajectory: Trajectory | None = None) -> None:
        """Take resolved TRACKER_PARAMETERS values, and a trajectory in place of theirs.

        To track the centre of gravity, values hold VEHICLE_PARAMETERS too. Raises ParameterError
        if they contradict each other.
        """
        self.trajectory = trajectory or make_trajectory(values)
        self.tracked_ahead = tracked_ahead(values)
        self._starts_at_car = values['reference_origin'] == 'car'
        self.is_exact = flag_of(values, 'exact_feed_forward')
        # Without the centre of gravity nothing asks for it.
        self._is_of_vehicle = values['tracked_point'] != 'base_link'
        self._speeds = hand_over_speeds(VehicleParameters.from_values(values)) \
            if self._is_of_vehicle else (0.0, 0.0)
        is_along_course = self.is_exact and text_of(values, 'tracked_point') == 'cog'
        self.step = course_step if is_along_course else axis_step
        self._start_ns: int | None = None
        # Of the steps so far [s].
        self._shortest = math.inf
        self._clock = StepClock()
        self._origin = (0.0, 0.0)
        self.state: Flat = vector(NO_STATE)
        self.parameters: Flat = vector(NO_PARAMETERS)
        self.tune(values)

    def tune(self, values: Values) -> None:
        """Take over other gains and limits; the trajectory stays."""
        packed = self._packed(values, self._speeds)
        self.parameters[:] = vector(packed)
        self._most, self._catch_up = packed.velocity_limit, packed.catch_up_speed

    def columns(
        self, values: Values, vehicle: VehicleParameters | None, cars: int,
    ) -> Array:
        """Return parameters of trackers that differ from this one in numbers: (numbers, cars).

        values: with columns of racecar.base.columns, (cars,), for some of TRACKER_COLUMNS;
        vehicle: for some numbers; not asked for where base_link is tracked. Raises TypeError if
        the tracked point differs.
        """
        if vehicle is None or not self._is_of_vehicle:
            return rows_of(self._packed(values, self._speeds), cars)
        if is_column(vehicle.odometry_offset):
            raise TypeError('the tracked points of the cars differ')
        return rows_of(self._packed(values, hand_over_speeds(vehicle)), cars)

    def _packed(
        self, values: Values, speeds: tuple[float, float],
    ) -> TrackerParameters:
        axis_speed, course_speed = speeds
        return TrackerParameters(
            **{name: number_or_column(values, name)
               for name in TrackerParameters._fields if name in values},
            tracked_ahead=self.tracked_ahead, axis_speed=axis_speed, course_speed=course_speed)

    @property
    def started(self) -> bool:
        """Whether the trajectory clock runs."""
        return self._start_ns is not None

    @property
    def origin(self) -> tuple[float, float]:
        """Where the trajectory's own origin lies in `map` [m]."""
        return self._origin

    def course(self) -> Course:
        """Path of the reference in `map`, where it began or will, as a course of laps."""
        return course_from(self.trajectory, self._origin)

    def restart(self) -> None:
        """Forget clock and integrators: the next update starts the trajectory anew."""
        self._start_ns = None
        self._clock.restart()
        self.state[:] = vector(NO_STATE)

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that an update calls; nothing changes."""
        self.origin_for(AT_REST)
        self._update(vector(self.state), self.parameters, AT_REST[1:], (0.0,) * 5)

    @functools.cached_property
    def _update(self) -> Callable[..., tuple[float, ...]]:
        return update_function(self.trajectory, self.step, exact=self.is_exact)

    def start(self, odometry: Odometry, now_ns: int) -> None:
        """Start the trajectory clock, and place the trajectory where it is to start."""
        self._start_ns, self._shortest = now_ns, math.inf
        self._origin = self.origin_for(odometry)

    def origin_for(
        self, odometry: Odometry, trajectory: Trajectory | None = None,
    ) -> tuple[float, float]:
        """Return where the trajectory's own origin lies in `map` [m] if it starts there.

        trajectory: another one in its place.
        """
        if not self._starts_at_car:
            return 0.0, 0.0
        car_x, car_y = point_ahead(odometry.x, odometry.y, odometry.yaw, self.tracked_ahead)
        start = (trajectory or self.trajectory).motion(0.0)
        return car_x - start.x, car_y - start.y

    @overload
    def time_since_start(self, now_ns: int) -> float: ...

    @overload
    def time_since_start(self, now_ns: NDArray[np.int64]) -> Array: ...

    def time_since_start(self, now_ns: int | NDArray[np.int64]) -> float | Array:
        """Return the time of the trajectory clock [s], of one time or an array of them [ns].

        Raises ValueError before the start.
        """
        if self._start_ns is None:
            raise ValueError('the trajectory clock does not run')
        return (now_ns - self._start_ns) / NANOSECONDS

    def reference_at(self, now_ns: int) -> tuple[float, float]:
        """Return where the reference is at a time [ns]: x, y [m].

        Raises ValueError before the start.
        """
        motion = self.trajectory.motion(self.time_since_start(now_ns))
        return self._origin[0] + motion.x, self._origin[1] + motion.y

    @property
    def last_ns(self) -> int | None:
        """Time of the step before [ns], None if there was none."""
        return self._clock.last_ns

    def time_step(self, now_ns: int) -> float:
        """Return the time since the step before [s], and note the present one [ns].

        0 at the first step and for a time that is not later, which leaves integral and derivative
        as they were.
        """
        return self._clock.step(now_ns)

    def update(
        self, odometry: Odometry, now_ns: int | None = None, *, even: bool = False,
    ) -> TrackerOutput:
        """Compute the velocity of P for the reference at now_ns (default: the odometry's stamp).

        even: whether steps come after one period, but for those that are left out; else the next
        one is expected after as long as it was since the one before. Raises nothing; a repeated
        time leaves integral and derivative as they were.
        """
        now_ns = odometry.time_ns if now_ns is None else now_ns
        if self._start_ns is None:
            self.start(odometry, now_ns)
        time, dt = self.time_since_start(now_ns), self.time_step(now_ns)
        ahead = min(dt, self._shortest) if even else dt
        if dt > 0.0:
            self._shortest = min(dt, self._shortest)
        origin_x, origin_y = self._origin
        (vx, vy, error_x, error_y, x, y, reference_vx, reference_vy, ax, ay, heading, rate,
         direction) = self._update(
            self.state, self.parameters, odometry[1:], (origin_x, origin_y, time, dt, ahead))
        return TrackerOutput(
            PlanarVelocity(vx, vy),
            ReferencePoint(origin_x + x, origin_y + y, reference_vx, reference_vy, ax, ay),
            (error_x, error_y), Attitude(heading, rate, direction) if direction else None)

    def is_limited(self, output: TrackerOutput) -> bool:
        """Whether the velocity of an output was cut to velocity_limit or catch_up_speed."""
        speed = math.hypot(output.reference.vx, output.reference.vy)
        limit = min(self._most, speed + self._catch_up)
        return math.hypot(*output.velocity) >= limit * (1.0 - _ROUNDING)
