# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""driver: driver bridge, muxes and the planar simulator with four wheels."""

from __future__ import annotations

from racecar.core.errors import ConfigurationError
from racecar.core.powertrain import CAR_PARAMETERS
from racecar.core.share import find_config
from racecar.ros import topics
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import (
    command_muxes,
    node,
    PLANAR_SIMULATOR,
    planar_simulator,
    vehicle_file,
)
from racecar.stacks.stack import Stack

BRIDGE = 'driver_bridge'


def _nodes(options: StackOptions) -> list[NodeDescription]:
    if options.trajectory is not None:
        raise ConfigurationError(
            f"trajectory is '{options.trajectory}', but the configuration driver follows none:"
            ' drive by the services and topics below driver/')
    vehicle = vehicle_file(options.vehicle)
    return [
        node(BRIDGE, options, vehicle, parameters={'lockstep': options.lockstep}),
        *command_muxes(options),
        planar_simulator(options, find_config('stacks/driver'), vehicle),
    ]


def _check(descriptions: list[NodeDescription]) -> None:
    """Refuse a car without engine and gears."""
    bridge = next(d for d in descriptions if d.executable == BRIDGE)
    if not any(name in CAR_PARAMETERS for name in bridge.explicit_parameters()):
        raise ConfigurationError(
            f"{bridge.full_name} has no parameters car.*: {bridge.parameter_files[-1]} has none"
            f" below '/**/{BRIDGE}', expected engine, gears and brakes; choose a vehicle that has"
            ' them, e.g. bmw_x5 or racecar')


STACK = Stack(
    name='driver',
    summary='driver bridge, command muxes and the planar simulator with four wheels',
    nodes=_nodes, check=_check, simulator=PLANAR_SIMULATOR,
    recorded=(
        topics.TF_STATIC, topics.DRIVER_CAR_INFO, topics.DRIVER_LAMPS, topics.TF,
        topics.CAR_STATE, topics.JOINT_STATES, topics.DRIVER_PEDALS, topics.DRIVER_STATE,
        topics.WHEEL_COMMAND, topics.DRIVER_COMMAND, topics.MUX_ACTIVE, topics.COMMAND,
        topics.ODOMETRY),
    descriptions=(topics.DRIVER_CAR_INFO,),
    answers=(
        topics.DRIVER_STATE, topics.WHEEL_COMMAND, topics.DRIVER_COMMAND, topics.COMMAND))
