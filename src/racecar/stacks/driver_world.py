# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""driver_world: driver bridge, muxes and the 3-D world."""

from __future__ import annotations

from racecar.base.errors import ConfigurationError
from racecar.catalogue import node_names
from racecar.stacks.driver import driver_stack
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.simulator_part import world_part


def _check(descriptions: list[NodeDescription]) -> None:
    """Refuse an odometry that comes without the speeds of the wheels, which lockstep awaits."""
    for description in descriptions:
        if description.executable != node_names.WORLD_SIMULATOR:
            continue
        values = description.usable_values()
        if values is None:
            return
        rate, joints = values['rate'], values['joint_states_rate']
        if values['lockstep'] and joints % rate > 1e-9 * joints:
            raise ConfigurationError(
                f'joint_states_rate of {description.full_name} is {joints:g} Hz, expected in'
                f' lockstep a whole number times the rate of the odometry, {rate:g} Hz: the driver'
                ' bridge needs the speeds of the wheels with each odometry')


STACK = driver_stack(
    'driver_world', 'driver bridge, command muxes and the 3-D world, whose wheels take torques',
    world_part('stacks/driver_world'), _check)
