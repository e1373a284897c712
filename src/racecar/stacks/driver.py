# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""driver: driver bridge, muxes and the planar simulator with four wheels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameter_file import read_parameter_file
from racecar.catalogue import node_names
from racecar.dynamics.powertrain import CAR_PARAMETERS, CarParameters
from racecar.ros import topics
from racecar.simulation.lamp_board import LAMPS
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import command_muxes, node, vehicle_file, with_choices
from racecar.stacks.simulator_part import planar_part, SimulatorPart
from racecar.stacks.stack import Stack

_ANSWERS = (topics.DRIVER_STATE, topics.WHEEL_COMMAND, topics.DRIVER_COMMAND)


def _check_powertrain(bridge: NodeDescription, vehicle: Path) -> None:
    """Raise ParameterError for a car without engine and gears, of neither vehicle nor user."""
    given = set(bridge.parameters)
    if bridge.user_file is not None:
        given.update(read_parameter_file(bridge.user_file).of_node(bridge.full_name))
    if not given.intersection(CAR_PARAMETERS.names):
        # Raises the error that names the file if it has none either.
        CarParameters.from_file(vehicle)


def driver_stack(
    name: str, summary: str, simulator: SimulatorPart,
    check: Callable[[list[NodeDescription]], None] = lambda _: None,
) -> Stack:
    """Stack in which the driver bridge drives a car whose wheels take torques.

    check: as in Stack.
    """
    return Stack(
        name=name, summary=summary, nodes=partial(_nodes, name, simulator), check=check,
        simulator=simulator.executable,
        recorded=(
            topics.TF_STATIC, topics.ROBOT_DESCRIPTION, topics.DRIVER_CAR_INFO,
            topics.DRIVER_LAMPS, topics.LAMP_MARKERS, topics.TF, topics.CAR_STATE,
            simulator.joint_states, topics.DRIVER_PEDALS, topics.DRIVER_STATE,
            topics.WHEEL_COMMAND, topics.DRIVER_COMMAND, topics.MUX_ACTIVE, topics.COMMAND,
            topics.ODOMETRY),
        descriptions=(topics.DRIVER_CAR_INFO,), answers=(*_ANSWERS, topics.COMMAND))


def _nodes(name: str, simulator: SimulatorPart, options: StackOptions) -> list[NodeDescription]:
    if options.trajectory is not None:
        raise ConfigurationError(
            f"trajectory is '{options.trajectory}', but the configuration {name} follows none:"
            ' drive by the services and topics below driver/')
    if options.controller is not None:
        raise ConfigurationError(
            f'controller is {excerpt(options.controller)}, but the configuration {name} has no'
            ' reference for it: take kinematic_ode')
    vehicle = vehicle_file(options.vehicle)
    bridge = node(
        node_names.DRIVER_BRIDGE, options, vehicle, parameters={
            'lockstep': options.lockstep, 'awaits_mux': options.lockstep and options.safety},
        gives=(topics.DRIVER_CAR_INFO, *_ANSWERS))
    bridge = replace(bridge, remappings=(*bridge.remappings, *simulator.renamed))
    _check_powertrain(with_choices(bridge, options), vehicle)
    # Who drives in its place need not switch lamps.
    has_bridge = not any(
        left_out.rpartition('/')[2] == node_names.DRIVER_BRIDGE for left_out in options.without)
    return [
        bridge,
        *command_muxes(options, topics.DRIVER_COMMAND, topics.DRIVER_HOLD),
        # Its cameras show the lamps of their time in lockstep.
        *(replace(description, parameters={**description.parameters, 'lockstep_inputs': [LAMPS]})
          if has_bridge and description.executable == simulator.executable else description
          for description in simulator.nodes(options, vehicle)),
    ]


STACK = driver_stack(
    'driver', 'driver bridge, command muxes and the planar simulator with four wheels',
    planar_part('stacks/driver'))
