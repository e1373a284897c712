# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What pictures need to know of a robot: a car or a differential-drive robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import excerpt, ParameterError, RacecarError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.run_file import RunFile
from racecar.base.share import find_robot
from racecar.base.types import AckermannCommand, HINGE_JOINTS, TWO_WHEEL_JOINTS, WHEEL_JOINTS
from racecar.control.servo_commands import ServoCommands
from racecar.description.robot_tree import RobotTree
from racecar.description.vehicle_description import describe_vehicle
from racecar.differential.description import describe_robot
from racecar.differential.parameters import PREFIX, RobotParameters
from racecar.differential.robot_sheet import robot_sheet
from racecar.dynamics.vehicles.parameters import Footprint, VehicleParameters
from racecar.dynamics.vehicles.vehicle_sheet import Row, vehicle_sheet
from racecar.simulation.fleet_file import vehicles_of_cars

Rolling = Callable[[Array, Array, Array, Array, Array], Array]

_USUAL = 'racecar'
# Slower than this, the direction of travel says nothing of the steering angle [m/s].
_STANDING = 0.05


class RobotProfile(NamedTuple):
    """A robot as it is drawn.

    footprint: what it covers on the ground [m]. describe: gives its links, joints and shapes;
    raises ConfigurationError if it cannot be described. joints: names of those that turn while it
    rolls; rolling: their positions (n, joints) [rad] without slip, from x, y [m] and yaw [rad] of
    base_link and its speed [m/s] at times t [s], each (n,). figures: rows of text by title.
    steered: positions [rad] by the names of the joints that steer, at a steering angle [rad],
    positive left; raises ParameterError for an angle that the robot cannot have.
    """

    name: str
    footprint: Footprint
    describe: Callable[[], RobotTree]
    joints: tuple[str, ...]
    rolling: Rolling
    figures: Callable[[], Mapping[str, list[Row]]]
    steered: Callable[[float], dict[str, float]]

    @property
    def length(self) -> float:
        """Length of what it covers on the ground [m]."""
        return self.footprint.front + self.footprint.rear


def car_profile(vehicle: VehicleParameters) -> RobotProfile:
    """A car as it is drawn."""
    def rolling(
        x: Array, y: Array, yaw: Array, speed: Array, t: Array,
    ) -> Array:
        turn = np.gradient(np.unwrap(yaw), t) if len(t) > 1 else np.zeros_like(yaw)
        moves = np.abs(speed) > _STANDING
        steering = np.where(moves, np.arctan2(
            vehicle.wheelbase * turn * np.sign(speed), np.where(moves, np.abs(speed), 1.0)), 0.0)
        front, rear = vehicle.wheel_radii
        way = _way(x, y, speed)
        wheels = [way / (rear if 'rear' in name else front) for name in WHEEL_JOINTS]
        steering = np.clip(steering, *vehicle.steering_range)
        return np.column_stack([*wheels, *([steering] * len(HINGE_JOINTS))])

    def steered(angle: float) -> dict[str, float]:
        lowest, highest = vehicle.steering_range
        if not lowest <= angle <= highest:
            raise ParameterError(
                f'steering angle is {angle:g} rad, expected {lowest:g} to {highest:g} rad, the'
                f' steering_limit of {vehicle.name} to the right and to the left')
        found = ServoCommands(vehicle, 1.0 / vehicle.wheel_radii[1]).setpoints(
            AckermannCommand(0.0, angle))
        return dict(zip(HINGE_JOINTS, (found.left_hinge, found.right_hinge), strict=True))

    return RobotProfile(
        vehicle.name, vehicle.footprint, lambda: describe_vehicle(vehicle).tree,
        WHEEL_JOINTS + HINGE_JOINTS, rolling,
        lambda: vehicle_sheet(vehicle), steered)


def two_wheeled_profile(robot: RobotParameters) -> RobotProfile:
    """A differential-drive robot as it is drawn."""
    def rolling(
        x: Array, y: Array, yaw: Array, speed: Array, t: Array,
    ) -> Array:
        way, turned = _way(x, y, speed), np.unwrap(yaw) - yaw[0]
        half = 0.5 * robot.axle_length
        return np.column_stack([way - half * turned, way + half * turned]) / robot.wheel_radius

    def steered(angle: float) -> dict[str, float]:
        if angle != 0.0:
            raise ParameterError(
                f'steering angle is {angle:g} rad, expected 0: {robot.name} is a'
                ' differential-drive robot, whose wheels do not steer')
        return {}

    return RobotProfile(
        robot.name, robot.footprint, lambda: describe_robot(robot).tree, TWO_WHEEL_JOINTS, rolling,
        lambda: robot_sheet(robot), steered)


def profile_of_file(name: str | Path) -> RobotProfile:
    """A robot by its parameter file, or by its name in config/vehicles or config/robots.

    Raises ConfigurationError or ParameterError if there is none, or it cannot be used.
    """
    path = find_robot(name)
    if is_two_wheeled(path):
        return two_wheeled_profile(RobotParameters.from_file(path))
    return car_profile(VehicleParameters.from_file(path))


def is_two_wheeled(path: Path) -> bool:
    """Whether a parameter file holds a differential-drive robot.

    Raises ConfigurationError if it is no parameter file.
    """
    return any(name.startswith(PREFIX) for name in load_parameter_file(path, node='vehicle'))


def profile_of_run(file: RunFile | None, car: str = '') -> RobotProfile | None:
    """The robot of a run; None where its run.yaml names none.

    car: its name among several. Raises ParameterError if its parameters cannot be used, e.g. those
    of another version.
    """
    if file is None:
        return None
    fleet = file.values_with('cars') if car else None
    if fleet is not None:
        try:
            return car_profile(vehicles_of_cars(fleet)[car])
        except (RacecarError, KeyError, TypeError, ValueError) as error:
            raise ParameterError(f'car {car} of the run is not known: {excerpt(str(error))}'
                                 ) from error
    makers: Mapping[str, Callable[[Mapping[str, object]], RobotProfile]] = {
        # First, as nodes of such robots have a table of a vehicle, too, of which they use little.
        f'{PREFIX}name': lambda values: two_wheeled_profile(RobotParameters.from_values(values)),
        'vehicle.name': lambda values: car_profile(VehicleParameters.from_values(values))}
    for name, make in makers.items():
        values = file.values_with(name)
        if values is not None:
            try:
                return make(values)
            except (KeyError, TypeError, ValueError, ParameterError) as error:
                raise ParameterError(
                    f'the robot of the run is not known: {excerpt(str(error))}') from error
    return None


def usual_profile() -> RobotProfile:
    """The robot that is drawn where nothing names one."""
    return profile_of_file(_USUAL)


def _way(x: Array, y: Array, speed: Array) -> Array:
    """Distance travelled, negative backwards [m]."""
    steps = np.hypot(np.diff(x), np.diff(y)) * np.sign(speed[1:])
    return np.concatenate([[0.0], np.cumsum(steps)])
