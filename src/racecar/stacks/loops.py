# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a stack without ROS, from the values of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import given
from racecar.base.errors import ConfigurationError
from racecar.base.values import number_of, Values
from racecar.base.vectors import vector
from racecar.catalogue import NODES
from racecar.control.custom_controller import ControllerClass
from racecar.control.linearizer import Linearizer
from racecar.control.target import Target, TargetSampler
from racecar.control.tracker import TrajectoryTracker, VELOCITY_LIMIT
from racecar.control.trajectories import Trajectory
from racecar.dynamics.vehicles import VehicleParameters
from racecar.simulation.closed_loop import ClosedLoop, FaultyLoop, Loop, LoopCar
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.dead_reckoning import DELAY, SOURCE, TRUTH
from racecar.simulation.held_loop import HeldLoop
from racecar.simulation.reckoned_plant import is_reckoned
from racecar.stacks.faults import faults_in, has_faults
from racecar.stacks.stack import Stack

Array = NDArray[np.float64]
StackValues: TypeAlias = Mapping[str, Values]
"""Value of every parameter of every node: {executable: {parameter: value}}."""

# Of a reference over a run, and by how much it must be faster than the limit to count [m/s].
_SAMPLES, _NOT_FASTER = 1001, 1e-6
# Least speed of a reference whose radius is looked at [m/s], and by which factor it may be less.
_MOVING, _NOT_TIGHTER = 0.05, 0.98


def make_law(executable: str, values: Values) -> Linearizer:
    """Return the control law behind a linearizer node from its resolved parameter values.

    Raises ParameterError if values contradict each other and ConfigurationError for a node that
    is no linearizer.
    """
    law = NODES[executable].law
    if law is None:
        laws = ', '.join(name for name, spec in NODES.items() if spec.law)
        raise ConfigurationError(f"node '{executable}' has no control law, expected one of {laws}")
    return law.make(values, VehicleParameters.from_values(values))


def make_car(
    executable: str, values: Values, like: LoopCar | None = None,
) -> LoopCar:
    """Return the car of a simulator node from its resolved parameter values.

    like: another car of the same values, if there is one. Raises ParameterError or
    ConfigurationError if values cannot be simulated, ConfigurationError for another node.
    """
    make = NODES[executable].make_car
    if make is None:
        known = ', '.join(name for name, spec in NODES.items() if spec.is_simulator)
        raise ConfigurationError(f"node '{executable}' simulates nothing, expected one of {known}")
    return make(values, like)


def make_loop(stack: Stack, values: StackValues, simulator: LoopCar | None = None) -> ClosedLoop:
    """Build tracker, law and simulator of a stack that follows a trajectory.

    simulator: one that is built already. Raises RacecarError if values contradict each other.
    """
    car = simulator or make_car(stack.simulator, values[stack.simulator])
    loop, faults = ClosedLoop(*_control(stack, values), car), faults_in(stack, values, car)
    return FaultyLoop(loop, faults) if faults else loop


def make_stack_loop(stack: Stack, values: StackValues, simulator: LoopCar | None = None) -> Loop:
    """Build the loop of a stack that follows a trajectory; see make_loop()."""
    if stack.make_loop is not None:
        found = stack.make_loop(values, simulator)
        # Raises if there are any.
        faults_in(stack, values, found.simulator)
        return found
    return make_loop(stack, values, simulator)


def make_held_loop(stack: Stack, values: StackValues, control_rate: float) -> HeldLoop:
    """Build the same with tracker and law at a rate of their own [Hz].

    It is a whole number times the rate of the odometry, the last of which they go on with in
    between. Raises RacecarError as make_loop(), ConfigurationError for a rate that is not.
    """
    if stack.make_loop is not None:
        raise ConfigurationError(
            f'control_rate is for configurations of a car, {stack.name} answers each odometry')
    simulated = values[stack.simulator]
    if is_reckoned(simulated):
        name, exact = (SOURCE, TRUTH) if simulated[SOURCE] != TRUTH else (DELAY, 0.0)
        raise ConfigurationError(
            f"parameter '{name}' is {simulated[name]!r}, expected {exact!r} with control_rate:"
            ' leave one of the two out')
    if has_faults(values):
        raise ConfigurationError(
            'faults do not go with control_rate: leave one of the two out')
    simulated, every = _with_held_odometry(simulated, control_rate)
    return HeldLoop(
        *_control(stack, values), make_car(stack.simulator, simulated), every)


def _control(stack: Stack, values: StackValues) -> tuple[TrajectoryTracker, Linearizer]:
    assert stack.tracker is not None
    assert stack.linearizer is not None
    return (TrajectoryTracker(dict(values[stack.tracker])),
            make_law(stack.linearizer, values[stack.linearizer]))


def _with_held_odometry(
    values: Values, control_rate: float,
) -> tuple[Values, int]:
    """Return values of a simulator with ticks of a control rate [Hz], and ticks for an odometry.

    Raises ConfigurationError if an odometry does not come every so many ticks.
    """
    rate = number_of(values, 'rate')
    every = round(control_rate / rate)
    if every < 1 or abs(every * rate - control_rate) > 1e-9 * control_rate:
        raise ConfigurationError(
            f'control rate is {control_rate:g} Hz, expected a whole number times the rate of the'
            f' odometry, {rate:g} Hz')
    return {**values, 'rate': control_rate}, every


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
    if 'vehicle.steering_limit' not in simulated:
        # A robot that turns on the spot.
        return None
    # Of thousands of points: a whole vehicle takes a millisecond to make.
    wheelbase, left, right = (
        number_of(simulated, 'vehicle.cog_to_front_axle')
        + number_of(simulated, 'vehicle.cog_to_rear_axle'),
        number_of(simulated, 'vehicle.steering_limit'),
        number_of(simulated, 'vehicle.steering_limit_right'))
    least = wheelbase / math.tan(max(left, given(right, left)))
    speeds = np.abs(_of(targets, 'speed'))
    bends = np.abs(_of(targets, 'rate')) / np.maximum(speeds, _MOVING)
    over = np.flatnonzero(bends * _NOT_TIGHTER * least > 1.0)
    if not over.size:
        return None
    return (f'the reference turns more tightly than the car can steer from {times[over[0]]:.3g} s'
            f' on, on a radius down to {1.0 / np.max(bends):.3g} m where vehicle.steering_limit'
            f' allows {least:.3g} m, so the car leaves it; make it wider'
            f' ({_changed_by(shape)}) or take another vehicle')


def _speed_limits(simulated: Values) -> tuple[float, float, str]:
    """Return lowest and highest speed of the car of a simulator [m/s], and what sets them."""
    if 'vehicle.speed_max' in simulated:
        return (number_of(simulated, 'vehicle.speed_min'),
                number_of(simulated, 'vehicle.speed_max'), 'vehicle.speed_max')
    top = number_of(simulated, 'robot.max_speed') * number_of(simulated, 'robot.wheel_radius')
    return -top, top, 'robot.max_speed'


def make_custom_loop(
    stack: Stack, values: StackValues, controller: ControllerClass, settings: Values,
    simulator: LoopCar | None = None,
) -> CustomLoop:
    """Build the loop of a stack with a custom controller in the place of its law.

    The controller is made with the vehicle that the tracker knows and with settings of its own;
    the law is not made. simulator: one that is built already. Raises RacecarError as make_loop()
    and ControllerClass.make() do.
    """
    assert stack.tracker is not None
    tracker = values[stack.tracker]
    car = simulator or make_car(stack.simulator, values[stack.simulator])
    faults = faults_in(stack, values, car)
    loop = CustomLoop(
        controller.make(VehicleParameters.from_values(tracker), settings),
        TrajectoryTracker(dict(tracker)), car, faults)
    if faults and loop.why_plain:
        raise ConfigurationError(
            f'faults are for controllers that run compiled, this one does not: {loop.why_plain}')
    return loop
