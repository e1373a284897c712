# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The equations of the tracker as pure steps: PID with feed-forward on P (report section 5.3)."""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import NamedTuple, TypeAlias

from racecar.base.compiled import compiled, importable, pure
from racecar.base.elementary import sine_cosine, smoothstep
from racecar.base.rows import load, Part, store, zeros_of
from racecar.base.types import car_motion, CarMotion
from racecar.base.vectors import Flat, Vector
from racecar.control.target import placed_target, Target, target_of
from racecar.control.trajectories import Motion, Trajectory
from racecar.control.trajectories.base import ClosedForm

# A reference slower than this stands [m/s]: then there is no direction in which to follow it.
_STANDSTILL = 0.01

# Sine of the largest sideslip of a car that rolls.
_LARGEST_SLIP = 0.7

# Of the wanted speed of P, what the car goes forwards at least while it turns round; the rest
# points sideways, so the steering is at its limit and the curve is slow and tight. It is not
# faster than the reference, which else could stay within the circle, unless that is so slow that
# the linearizers would fade the steering [m/s].
_TURNING_SHARE = 0.25
_STEERED_SPEED = 0.06


class TrackerParameters(NamedTuple):
    """Gains of the two identical PID controllers and limits, named as in TRACKER_PARAMETERS.

    FFWD: 1 or 0; tracked_ahead: how far the tracked point lies ahead of base_link [m]. Between
    axis_speed and course_speed [m/s] P of a car whose centre of gravity is tracked leaves the axis
    of the car for the direction in which the centre of gravity moves. Slower, a command would act
    on that direction, and so on the error, within its own step: the loop would be unstable.
    """

    Kp: float
    Ki: float
    Kd: float
    FFWD: float
    PL_distance: float
    velocity_limit: float
    catch_up_speed: float
    tracked_ahead: float
    axis_speed: float
    course_speed: float


class TrackerState(NamedTuple):
    """What both PID controllers remember, in `map`: previous error [m], integral, derivative."""

    last_x: float
    last_y: float
    integral_x: float
    integral_y: float
    derivative_x: float
    derivative_y: float


@pure
def point_ahead(x: float, y: float, yaw: float, distance: float) -> tuple[float, float]:
    """Point [m] at a distance [m] ahead of (x, y) along the heading [rad]."""
    sine, cosine = sine_cosine(yaw)
    return x + distance * cosine, y + distance * sine


class PointError(NamedTuple):
    """Reference minus car at P (x, y) [m], and velocity of the reference's P [m/s], in `map`."""

    x: float
    y: float
    reference_vx: float
    reference_vy: float


@pure
def follow_forwards(
    vx: float, vy: float, yaw: float, error: PointError,
) -> tuple[float, float, bool]:
    """Velocity of P [m/s] for which the car need not reverse, and whether it is another one.

    vx, vy: the wanted velocity [m/s]; yaw: of the car [rad]. Where the wanted velocity points
    behind the car, the car waits if the reference goes its way and comes nearer by itself; else it
    turns round: the velocity keeps its modulus and its side, and is turned forwards until
    _TURNING_SHARE of it, or the speed of the reference, points ahead.
    """
    sine, cosine = sine_cosine(yaw)
    ahead, across = vx * cosine + vy * sine, vy * cosine - vx * sine
    speed = math.sqrt(vx * vx + vy * vy)
    error_x, error_y, reference_vx, reference_vy = error
    waits = (
        error_x * reference_vx + error_y * reference_vy < 0.0
        and reference_vx * cosine + reference_vy * sine > 0.0)
    reference_speed = math.sqrt(reference_vx * reference_vx + reference_vy * reference_vy)
    least = 0.0 if waits else min(
        _TURNING_SHARE * speed, max(reference_speed, _STEERED_SPEED))
    remaining = 0.0 if waits else math.sqrt(speed * speed - least * least)
    sideways = -remaining if across < 0.0 else remaining
    return least * cosine - sideways * sine, least * sine + sideways * cosine, ahead < least


@pure
def pid_velocity(
    state: TrackerState, p: TrackerParameters, error: PointError, yaw: float, forwards: bool,
    dt: float,
) -> tuple[TrackerState, float, float]:
    """Next state of both PID controllers and velocity of P [m/s].

    yaw: of the car [rad]; forwards: whether the car is to follow forwards, see follow_forwards();
    dt: time since the previous error [s], 0 at the first and for a repeated time, which leaves
    integral and derivative as they were. The integral also stays while the velocity is not the one
    wanted: limited, or turned to be forwards.
    """
    moved = dt > 0.0
    step = dt if moved else 1.0
    summed_x = state.integral_x + error.x * dt if moved else state.integral_x
    summed_y = state.integral_y + error.y * dt if moved else state.integral_y
    derivative_x = (error.x - state.last_x) / step if moved else state.derivative_x
    derivative_y = (error.y - state.last_y) / step if moved else state.derivative_y
    fed_x = error.reference_vx if p.FFWD > 0.0 else 0.0
    fed_y = error.reference_vy if p.FFWD > 0.0 else 0.0
    vx = fed_x + p.Kp * error.x + p.Ki * summed_x + p.Kd * derivative_x
    vy = fed_y + p.Kp * error.y + p.Ki * summed_y + p.Kd * derivative_y
    speed = math.sqrt(vx * vx + vy * vy)
    reference_speed = math.sqrt(
        error.reference_vx * error.reference_vx + error.reference_vy * error.reference_vy)
    limit = min(p.velocity_limit, reference_speed + p.catch_up_speed)
    limited = speed > limit
    scale = limit / (speed if limited else 1.0)
    vx = vx * scale if limited else vx
    vy = vy * scale if limited else vy
    turned_x, turned_y, turned = follow_forwards(vx, vy, yaw, error)
    turned = turned and forwards and reference_speed >= _STANDSTILL
    saturated = limited or turned
    after = TrackerState(
        error.x, error.y, state.integral_x if saturated else summed_x,
        state.integral_y if saturated else summed_y, derivative_x, derivative_y)
    return after, turned_x if turned else vx, turned_y if turned else vy


@pure
def axis_directions(
    p: TrackerParameters, car: CarMotion, target: Target, cosine: float, sine: float,
) -> tuple[float, float, float, float]:
    """Unit vectors in which P lies, of the car and of the reference: car and path.

    cosine, sine: of the car's yaw. Exact for a tracked point that moves along the axis of the car.
    """
    return cosine, sine, target.ahead_x, target.ahead_y


@pure
def course_directions(
    p: TrackerParameters, car: CarMotion, target: Target, cosine: float, sine: float,
) -> tuple[float, float, float, float]:
    """Directions as of axis_directions() where the tracked point is the centre of gravity.

    P of the car lies in the direction in which that point moves; where it is too slow to tell, on
    the axis of the car, which then rolls without slip, and so does a car without error.
    """
    share = smoothstep(car.vx, p.axis_speed, p.course_speed)
    forward = max(car.vx, p.axis_speed)
    lateral = share * (car.vy + p.tracked_ahead * car.yaw_rate)
    scale = 1.0 / math.sqrt(forward * forward + lateral * lateral)
    forward, lateral = forward * scale, lateral * scale
    path_speed = target.speed if abs(target.speed) > _STANDSTILL else 1.0
    slip = (1.0 - share) * p.tracked_ahead * target.rate / path_speed
    slip = min(max(slip, -_LARGEST_SLIP), _LARGEST_SLIP)
    straight = math.sqrt(1.0 - slip * slip)
    return (
        forward * cosine - lateral * sine, forward * sine + lateral * cosine,
        target.ahead_x * straight + target.ahead_y * slip,
        target.ahead_y * straight - target.ahead_x * slip)


def _step_along(directions: Callable[..., tuple[float, float, float, float]]) -> TrackerStep:
    """Step of the tracker whose P lies in such directions."""
    @importable
    def tracker_step(
        state: TrackerState, p: TrackerParameters, car: CarMotion, target: Target, dt: float,
    ) -> tuple[TrackerState, float, float, float, float]:
        """Return the next state, velocity of P [m/s] in `map`, error of the tracked point [m].

        car: base_link as measured; target: in `map`; dt: time since the step before [s], 0 at the
        first.
        """
        sine, cosine = sine_cosine(car.yaw)
        car_x, car_y = car.x + p.tracked_ahead * cosine, car.y + p.tracked_ahead * sine
        course_x, course_y, ahead_x, ahead_y = directions(p, car, target, cosine, sine)
        # Where it is known how the reference goes on, its P moves as that of a car without error
        # would: nothing is left to feed back. Otherwise both are moved by the heading of the car,
        # as in the report, and the shift cancels.
        is_known = target.direction != 0.0
        distance = p.PL_distance * (target.direction if is_known else 1.0)
        turning = distance * target.rate
        reference_vx = target.speed * target.ahead_x - turning * ahead_y
        reference_vy = target.speed * target.ahead_y + turning * ahead_x
        reference_x = target.x + distance * (ahead_x if is_known else course_x)
        reference_y = target.y + distance * (ahead_y if is_known else course_y)
        error_x = reference_x - (car_x + distance * course_x)
        error_y = reference_y - (car_y + distance * course_y)
        after, vx, vy = pid_velocity(
            state, p, PointError(error_x, error_y, reference_vx, reference_vy), car.yaw,
            target.direction >= 0.0, dt)
        return after, vx, vy, target.x - car_x, target.y - car_y

    return tracker_step


TrackerStep = Callable[[TrackerState, TrackerParameters, CarMotion, Target, float], tuple[
    TrackerState, float, float, float, float]]
"""A step of the tracker: see _step_along()."""

axis_step: TrackerStep = _step_along(axis_directions)
course_step: TrackerStep = _step_along(course_directions)


NO_STATE = zeros_of(TrackerState)
NO_PARAMETERS = zeros_of(TrackerParameters)
"""Examples of state and parameters."""


class TrackedNumbers(NamedTuple):
    """What a step of the tracker answers: velocity of P [m/s], error of the tracked point [m]."""

    vx: float
    vy: float
    error_x: float
    error_y: float


TrackerUpdate = Callable[[Flat, Vector, CarMotion, Target, float], TrackedNumbers]

Moment: TypeAlias = tuple[float, float, float, float, float]
"""Origin x, y of the trajectory [m], time of its clock, that since the step before, and that until
the next one [s]."""


@functools.cache
def _update_by(step: TrackerStep) -> TrackerUpdate:
    state_part, parameters_part = Part(NO_STATE), Part(NO_PARAMETERS)

    @importable
    def update(
        state: Flat, parameters: Vector, car: CarMotion, target: Target, dt: float,
    ) -> TrackedNumbers:
        """Do a step on flat numbers."""
        after, vx, vy, error_x, error_y = step(
            load(state, state_part, 0), load(parameters, parameters_part, 0), car, target, dt)
        store(state, state_part, 0, after)
        return TrackedNumbers(vx, vy, error_x, error_y)

    return update


@functools.cache
def _update_kernel(
    closed_form: ClosedForm, step: TrackerStep, exact: bool,
) -> Callable[..., tuple[float, ...]]:
    """Compiled step on a trajectory with a closed form."""
    update = _update_by(step)

    def update_on(
        numbers: Vector, state: Flat, parameters: Vector, car: tuple[float, ...], when: Moment,
    ) -> tuple[float, ...]:
        origin_x, origin_y, time, dt, ahead = when
        now = closed_form(time, numbers)
        middle = closed_form(time + 0.5 * ahead, numbers) if exact else now
        target = placed_target(target_of(now, middle, exact), origin_x, origin_y)
        vx, vy, error_x, error_y = update(state, parameters, car_motion(car), target, dt)
        x, y, reference_vx, reference_vy, ax, ay, heading, rate, direction = now
        return (vx, vy, error_x, error_y, x, y, reference_vx, reference_vy, ax, ay, heading, rate,
                direction)

    return compiled(update_on, '(float64[::1], float64[::1], float64[::1],'
                               ' UniTuple(float64, 7), UniTuple(float64, 5))', nogil=False)


@functools.cache
def _update_at_kernel(step: TrackerStep, exact: bool) -> Callable[..., tuple[float, ...]]:
    """Compiled step for the fields of both Motions of target_of()."""
    update = _update_by(step)

    def update_at(
        state: Flat, parameters: Vector, car: tuple[float, ...], now: tuple[float, ...],
        middle: tuple[float, ...], when: Moment,
    ) -> tuple[float, ...]:
        target = placed_target(target_of(Motion(*now), Motion(*middle), exact), when[0], when[1])
        vx, vy, error_x, error_y = update(state, parameters, car_motion(car), target, when[3])
        return vx, vy, error_x, error_y

    return compiled(update_at, '(float64[::1], float64[::1], UniTuple(float64, 7),'
                               ' UniTuple(float64, 9), UniTuple(float64, 9),'
                               ' UniTuple(float64, 5))', nogil=False)


def update_function(
    trajectory: Trajectory, step: TrackerStep, *, exact: bool,
) -> Callable[[Flat, Vector, tuple[float, ...], Moment], tuple[float, ...]]:
    """Step of a tracker on a trajectory, compiled; the trajectory is, too, if it is pure.

    update(state, parameters, car, when) of flat TrackerState, which it changes, and
    TrackerParameters, an Odometry without its stamp, and a Moment gives the fields of
    TrackedNumbers and those of the trajectory's Motion.
    """
    closed_form = trajectory.pure_motion
    if closed_form is not None:
        return functools.partial(_update_kernel(closed_form, step, exact), trajectory.numbers)
    update_at = _update_at_kernel(step, exact)

    def update(
        state: Flat, parameters: Vector, car: tuple[float, ...], when: Moment,
    ) -> tuple[float, ...]:
        _, _, time, _, ahead = when
        now, middle = tuple(trajectory.motion(time)), tuple(trajectory.motion(time + 0.5 * ahead))
        return (*update_at(state, parameters, car, now, middle, when), *now)

    return update
