# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of a stack without ROS, from the values of its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from racecar.catalogue import NODES
from racecar.core.control.linearizer import Linearizer
from racecar.core.control.own_controller import ControllerClass
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.errors import ConfigurationError
from racecar.core.simulation.closed_loop import ClosedLoop
from racecar.core.simulation.own_loop import OwnLoop
from racecar.core.simulation.simulator import make_simulator, Simulator
from racecar.core.vehicles import VehicleParameters
from racecar.stacks.stack import Stack

Values = Mapping[str, Mapping[str, Any]]
"""Value of every parameter of every node: {executable: {parameter: value}}."""


def make_law(executable: str, values: Mapping[str, Any]) -> Linearizer:
    """Return the control law behind a linearizer node from its resolved parameter values.

    Raises ParameterError if values contradict each other and ConfigurationError for a node that
    is no linearizer.
    """
    make = NODES[executable].make_law
    if make is None:
        laws = ', '.join(name for name, spec in NODES.items() if spec.make_law)
        raise ConfigurationError(f"node '{executable}' has no control law, expected one of {laws}")
    return make(values, VehicleParameters.from_values(values))


def make_loop(stack: Stack, values: Values, simulator: Simulator | None = None) -> ClosedLoop:
    """Build tracker, law and simulator of a stack that follows a trajectory.

    simulator: one that is built already. Raises RacecarError if values contradict each other.
    """
    assert stack.tracker is not None
    assert stack.linearizer is not None
    return ClosedLoop(
        TrajectoryTracker(dict(values[stack.tracker])),
        make_law(stack.linearizer, values[stack.linearizer]),
        simulator or make_simulator(values[stack.simulator]))


def make_own_loop(
    stack: Stack, values: Values, controller: ControllerClass, settings: Mapping[str, Any],
    simulator: Simulator | None = None,
) -> OwnLoop:
    """Build the loop of a stack with a controller of one's own in the place of its law.

    The controller is made with the vehicle that the tracker knows and with settings of its own;
    the law is not made. simulator: one that is built already. Raises RacecarError as make_loop()
    and ControllerClass.make() do.
    """
    assert stack.tracker is not None
    tracker = values[stack.tracker]
    return OwnLoop(
        controller.make(VehicleParameters.from_values(tracker), settings),
        TrajectoryTracker(dict(tracker)), simulator or make_simulator(values[stack.simulator]))
