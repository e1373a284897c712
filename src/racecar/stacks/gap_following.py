# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""gap_ode and gap_world, without a reference: the node gap_follower drives by the laser."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from racecar.base.errors import ConfigurationError, excerpt
from racecar.catalogue import node_names
from racecar.ros import topics
from racecar.sensors.laser import LASER
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import check_scans, command_muxes, node, vehicle_file
from racecar.stacks.simulator_part import planar_part, SimulatorPart, world_part
from racecar.stacks.stack import Stack

_ANSWERS = (topics.NAVIGATION_COMMAND, topics.COMMAND)


def _stack(name: str, summary: str, simulator: SimulatorPart) -> Stack:
    """Stack of gap_follower, muxes and a simulator whose car has a laser."""
    return Stack(
        name=name, summary=summary, nodes=partial(_nodes, name, simulator),
        check=partial(_check, simulator.executable), simulator=simulator.executable,
        recorded=(
            topics.TF_STATIC, topics.ROBOT_DESCRIPTION, topics.TF, topics.CAR_STATE,
            simulator.joint_states, *_ANSWERS, topics.ODOMETRY, topics.SCAN),
        descriptions=(), answers=_ANSWERS, driver=node_names.GAP_FOLLOWER)


def _nodes(name: str, simulator: SimulatorPart, options: StackOptions) -> list[NodeDescription]:
    for option, value in (('trajectory', options.trajectory), ('controller', options.controller)):
        if value is not None:
            raise ConfigurationError(
                f'{option} is {excerpt(value)}, but the configuration {name} follows no reference:'
                ' it drives where the laser sees room; take kinematic_ode')
    vehicle = vehicle_file(options.vehicle)
    awaited = {'lockstep_output': LASER.name} if options.lockstep else {}
    return [
        node(node_names.GAP_FOLLOWER, options, vehicle,
             parameters={'lockstep': options.lockstep}, hears=topics.SCAN,
             gives=(topics.NAVIGATION_COMMAND,)),
        *command_muxes(options, topics.NAVIGATION_COMMAND),
        *(replace(part, parameters={**part.parameters, **awaited}, gives=(topics.SCAN,))
          if part.executable == simulator.executable else part
          for part in simulator.nodes(options, vehicle)),
    ]


def _check(executable: str, descriptions: list[NodeDescription]) -> None:
    """Refuse a car whose scans cannot be followed."""
    for description in descriptions:
        if description.executable == executable:
            check_scans(description, node_names.GAP_FOLLOWER)


STACKS = (
    _stack(
        'gap_ode',
        'gap follower that drives by the laser, command muxes and single-track simulator',
        planar_part('stacks/gap')),
    _stack(
        'gap_world', 'gap follower that drives by the laser, command muxes and the 3-D world',
        world_part('stacks/gap')))
