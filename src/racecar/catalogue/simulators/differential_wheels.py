# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator of robots with two driven wheels."""

from __future__ import annotations

from collections.abc import Mapping

from racecar.base.parameters import Parameter, ParameterTable
from racecar.catalogue.simulators.shared import FLEET, SIMULATOR_NODE, SimulatorEntry
from racecar.description.urdf import RobotDescription
from racecar.differential.description import describe_robot
from racecar.differential.loop import make_robot_car
from racecar.differential.parameters import RobotParameters, ROBOTS
from racecar.differential.plant import DIFFERENTIAL_PARAMETERS
from racecar.differential.robot_fleet import make_robots_plant
from racecar.sensors.equipment import described_with_sensors
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import Plant

DIFFERENTIAL_WHEELS_SIMULATOR = DIFFERENTIAL_PARAMETERS + FLEET + ParameterTable([
    Parameter('stamped_cmd_vel', bool, True, 'cmd_vel is a geometry_msgs/TwistStamped, as Nav2'
              ' sends it; false: a Twist, which lockstep cannot take', read_only=True),
]) + SIMULATOR_NODE


def _make_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    return make_robot_car(values)


def _make_plant(values: Mapping[str, object]) -> Plant:
    return make_robots_plant(
        values_of_cars(values, DIFFERENTIAL_WHEELS_SIMULATOR, ROBOTS))


def _describe(values: Mapping[str, object]) -> RobotDescription:
    return described_with_sensors(describe_robot(RobotParameters.from_values(values)), values)


ENTRY = SimulatorEntry(_make_car, _make_plant, _describe)
