# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""teleop and teleop_world: command muxes and a simulator; a person drives."""

from __future__ import annotations

from functools import partial

from racecar.base.errors import ConfigurationError, excerpt
from racecar.ros import topics
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions, TELEOP_KEYBOARD
from racecar.stacks.parts import command_muxes, vehicle_file
from racecar.stacks.simulator_part import planar_part, SimulatorPart, world_part
from racecar.stacks.stack import Stack


def _stack(name: str, summary: str, simulator: SimulatorPart) -> Stack:
    """Stack of muxes and a simulator that a person drives, by default with keys."""
    return Stack(
        name=name, summary=summary, nodes=partial(_nodes, name, simulator),
        simulator=simulator.executable, teleop=TELEOP_KEYBOARD,
        recorded=(
            topics.TF_STATIC, topics.ROBOT_DESCRIPTION, topics.TF, topics.CAR_STATE,
            simulator.joint_states, topics.COMMAND, topics.ODOMETRY),
        descriptions=(), answers=())


def _nodes(name: str, simulator: SimulatorPart, options: StackOptions) -> list[NodeDescription]:
    for option, value in (('trajectory', options.trajectory), ('controller', options.controller)):
        if value is not None:
            raise ConfigurationError(
                f'{option} is {excerpt(value)}, but in the configuration {name} a person drives:'
                ' take kinematic_ode, with --teleop to drive by hand in between')
    return [*command_muxes(options), *simulator.nodes(options, vehicle_file(options.vehicle))]


STACKS = (
    _stack(
        'teleop',
        'command muxes and single-track simulator, driven by hand with keys or a joystick',
        planar_part()),
    _stack(
        'teleop_world', 'command muxes and 3-D world, driven by hand with keys or a joystick',
        world_part()))
