# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why a car cannot follow its reference, before the numbers of a run make somebody wonder."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import given
from racecar.base.values import number_of, Values
from racecar.base.vectors import vector
from racecar.control.target import Target, TargetSampler
from racecar.control.tracker import TrajectoryTracker, VELOCITY_LIMIT
from racecar.control.trajectories import Trajectory
from racecar.differential.parameters import PREFIX as ROBOT_PREFIX
from racecar.dynamics.vehicles.parameters import PREFIX

Array = NDArray[np.float64]

_LOWEST, _HIGHEST = f'{PREFIX}speed_min', f'{PREFIX}speed_max'
_LEFT, _RIGHT = f'{PREFIX}steering_limit', f'{PREFIX}steering_limit_right'
_TO_AXLES = f'{PREFIX}cog_to_front_axle', f'{PREFIX}cog_to_rear_axle'
_TURNING, _RADIUS = f'{ROBOT_PREFIX}max_speed', f'{ROBOT_PREFIX}wheel_radius'

DECIDED_BY = frozenset({
    _LOWEST, _HIGHEST, _LEFT, _RIGHT, *_TO_AXLES, _TURNING, _RADIUS, VELOCITY_LIMIT})
"""Names of the parameters, but those of the reference, that decide whether a car can follow it."""

# Of a reference over a run, and by how much it must be faster than the limit to count [m/s].
_SAMPLES, _NOT_FASTER = 1001, 1e-6
# Least speed of a reference whose radius is looked at [m/s], and by which factor it may be less.
_MOVING, _NOT_TIGHTER = 0.05, 0.98


def reference_warning(
    tracker: TrajectoryTracker, simulated: Values, duration: float,
    trajectory: Trajectory | None = None, tracked: Values | None = None,
) -> str | None:
    """Say why a car cannot follow a reference, from when on and what to change.

    It is faster than the car can drive, or turns more tightly than the car can steer.

    simulated: values of the simulator node; duration: of the run [s]; trajectory: in place of that
    of the tracker; tracked: values of the tracker's node, where its commands drive. None if
    neither is the case.
    """
    times = np.linspace(0.0, duration, _SAMPLES)
    shape = trajectory or tracker.trajectory
    targets = _targets(shape, times, exact=tracker.is_exact)
    return (_too_fast(shape, times, targets, simulated, tracked)
            or _too_tight(shape, times, targets if tracker.is_exact else _targets(
                shape, times, exact=True), simulated))


def _targets(shape: Trajectory, times: Array, *, exact: bool) -> Array:
    """Targets at times, (n, len(Target._fields))."""
    sampler = TargetSampler([shape], exact=exact)
    return np.reshape(sampler.sample(vector(times), vector(len(times))),
                      (len(times), len(Target._fields)))


def _of(targets: Array, name: str) -> Array:
    return targets[:, Target._fields.index(name)]


def _changed_by(shape: Trajectory) -> str:
    """Parameters of a shape that a user can change."""
    names = ', '.join(row.name for row in shape.parameters if row.type is float)
    return f"{shape.name}: {names or 'its parameters'}"


def _too_fast(
    shape: Trajectory, times: Array, targets: Array, simulated: Values, tracked: Values | None,
) -> str | None:
    lowest, highest, limit = _speed_limits(simulated)
    most = math.inf if tracked is None else number_of(tracked, VELOCITY_LIMIT)
    if most < highest:
        lowest, highest, limit = max(lowest, -most), most, f'trajectory_tracker.{VELOCITY_LIMIT}'
    speeds = _of(targets, 'speed')
    over = np.flatnonzero((speeds > highest + _NOT_FASTER) | (speeds < lowest - _NOT_FASTER))
    if not over.size:
        return None
    start, peak = times[over[0]], np.max(np.abs(speeds[over]))
    return (f'the reference is faster than the car can drive from {start:.3g} s on, by up to'
            f' {peak:.3g} m/s where {limit} allows'
            f' {highest if speeds[over[0]] > 0.0 else lowest:.3g} m/s, so the error is that of a'
            f' car left behind; slow it down ({_changed_by(shape)}), end the run before, or raise'
            ' the limit')


def _too_tight(
    shape: Trajectory, times: Array, targets: Array, simulated: Values,
) -> str | None:
    if _LEFT not in simulated:
        # A robot that turns on the spot.
        return None
    # Of thousands of points: a whole vehicle takes a millisecond to make.
    wheelbase = sum(number_of(simulated, name) for name in _TO_AXLES)
    left, right = number_of(simulated, _LEFT), number_of(simulated, _RIGHT)
    least = wheelbase / math.tan(max(left, given(right, left)))
    speeds = np.abs(_of(targets, 'speed'))
    bends = np.abs(_of(targets, 'rate')) / np.maximum(speeds, _MOVING)
    over = np.flatnonzero(bends * _NOT_TIGHTER * least > 1.0)
    if not over.size:
        return None
    return (f'the reference turns more tightly than the car can steer from {times[over[0]]:.3g} s'
            f' on, on a radius down to {1.0 / np.max(bends):.3g} m where {_LEFT}'
            f' allows {least:.3g} m, so the car leaves it; make it wider'
            f' ({_changed_by(shape)}) or take another vehicle')


def _speed_limits(simulated: Values) -> tuple[float, float, str]:
    """Return lowest and highest speed of the car of a simulator [m/s], and what sets them."""
    if _HIGHEST in simulated:
        return number_of(simulated, _LOWEST), number_of(simulated, _HIGHEST), _HIGHEST
    top = number_of(simulated, _TURNING) * number_of(simulated, _RADIUS)
    return -top, top, _TURNING
