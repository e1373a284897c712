# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a stack without ROS, from the values of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from racecar.base.errors import ConfigurationError
from racecar.base.values import number_of, Values
from racecar.catalogue import NODES
from racecar.control.custom_controller import ControllerClass
from racecar.control.linearizer import Linearizer
from racecar.control.tracker import TrajectoryTracker
from racecar.dynamics.vehicles import VehicleParameters
from racecar.scene.world_choice import car_names
from racecar.simulation.closed_loop import ClosedLoop, FaultyLoop, Loop, LoopCar
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.dead_reckoning import DELAY, SOURCE, TRUTH
from racecar.simulation.held_loop import HeldLoop
from racecar.simulation.reckoned_plant import is_reckoned
from racecar.stacks.faults import faults_in, has_faults
from racecar.stacks.stack import Stack

StackValues: TypeAlias = Mapping[str, Values]
"""Value of every parameter of every node: {executable: {parameter: value}}."""


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
    node = NODES[executable]
    if not node.is_simulator:
        known = ', '.join(name for name, spec in NODES.items() if spec.is_simulator)
        raise ConfigurationError(f"node '{executable}' simulates nothing, expected one of {known}")
    _check_alone(values)
    return node.simulator.make_car(values, like)


def _check_alone(values: Mapping[str, object]) -> None:
    """Raise ConfigurationError for several cars, which no loop of one car has."""
    names = car_names(values)
    if any(names):
        raise ConfigurationError(
            f'cars are {list(names)}, but this loop has one: the option cars of `racecar'
            ' simulate`, `racecar up` and `ros2 launch` has several')


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
