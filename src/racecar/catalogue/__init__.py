# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one list of nodes: what composing, launching, sweeping and checking read; needs no ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
import importlib
from typing import Any

from racecar.base.errors import ConfigurationError
from racecar.base.parameters import ParameterTable
from racecar.catalogue import node_names, tables
from racecar.control.laws import LawEntry, LAWS
from racecar.description.urdf import RobotDescription
from racecar.description.vehicle_description import describe_vehicle
from racecar.differential.description import describe_robot
from racecar.differential.loop import make_robot_car
from racecar.differential.parameters import RobotParameters, ROBOTS
from racecar.differential.robot_fleet import make_robots_plant
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.world_choice import car_names
from racecar.sensors.equipment import described_with_sensors, shown_sensor, with_sensors
from racecar.sensors.laser import LASER
from racecar.simulation.closed_loop import LoopCar
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.ports import Plant
from racecar.simulation.reckoned_plant import as_it_is, car_with_odometry, is_reckoned
from racecar.simulation.vehicle_fleet import make_vehicle_plant
from racecar.simulation.vehicle_plant import VehiclePlant

__all__ = ['NODES', 'NodeSpec', 'TABLES']

MakeCar = Callable[[Mapping[str, object], LoopCar | None], LoopCar]
"""Builds the car of a simulator from resolved values; of another car of the same values, None if
there is none, it may take what has no memory."""

MakePlant = Callable[[Mapping[str, object]], Plant]
"""Builds the plant of a simulator, without sensors, from resolved values."""

Describe = Callable[[Mapping[str, object]], RobotDescription]


@dataclass(frozen=True)
class NodeSpec:
    """A node: its executable, its class, its parameters, and its part in a loop.

    name: of executable and, by default, node. class_name: in the module of this name in
    racecar.nodes; that of control laws in control_law. table: its parameters. hears_odometry: a
    simulator in lockstep waits for its subscription to the odometry, or to the output that it
    awaits in its place. make_car: builds the car of a simulator, which owns the time, for loops
    without ROS; None for other nodes. make_plant: builds its plant likewise. law: the control law
    behind it; None for other nodes. makes_controller: it drives by a custom controller if its
    parameter controller names one. describe: gives the robot description of a simulator from
    resolved values. needs: modules that not every installation has, see racecar.base.extras.
    """

    name: str
    class_name: str
    table: ParameterTable
    hears_odometry: bool = False
    make_car: MakeCar | None = None
    make_plant: MakePlant | None = None
    law: LawEntry | None = None
    makes_controller: bool = False
    describe: Describe | None = None
    needs: tuple[str, ...] = ()

    @property
    def is_simulator(self) -> bool:
        """Whether it owns the time."""
        return self.make_car is not None

    def load_class(self) -> Any:
        """Class of the node; its module, which needs ROS, is imported."""
        module = self.name if self.law is None else 'control_law'
        return getattr(importlib.import_module(f'racecar.nodes.{module}'), self.class_name)

    def make_node(self, **kwargs: object) -> Any:
        """Node of this kind; kwargs go to rclpy.node.Node.

        Raises ParameterError or ConfigurationError for parameters that cannot be used.
        """
        node_class = self.load_class()
        return node_class(**kwargs) if self.law is None else node_class(self.name, **kwargs)


def _check_alone(values: Mapping[str, object]) -> None:
    """Raise ConfigurationError for several cars, which no loop of one car has."""
    names = car_names(values)
    if any(names):
        raise ConfigurationError(
            f'cars are {list(names)}, but this loop has one: the option cars of `racecar'
            ' simulate`, `racecar up` and `ros2 launch` has several')


def _planar_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    _check_alone(values)
    same = None if like is None else like.compiled
    simulator = make_simulator(values, None if same is None else same.model)
    sensors = _with_laser(values)
    return car_with_odometry(
        VehiclePlant(simulator), values, simulator.description, simulator, sensors or as_it_is,
    ) if sensors or is_reckoned(values) else simulator


def _with_laser(values: Mapping[str, object]) -> Callable[[Plant], Plant] | None:
    """What gives a plant its sensors where a controller may look at a laser; None without one."""
    return partial(with_sensors, values=values) if shown_sensor(values, LASER.name) else None


def _planar_plant(values: Mapping[str, object]) -> Plant:
    return make_vehicle_plant(values_of_cars(values, tables.SINGLE_TRACK_SIMULATOR))


def _robot_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    _check_alone(values)
    return make_robot_car(values)


def _robots_plant(values: Mapping[str, object]) -> Plant:
    return make_robots_plant(
        values_of_cars(values, tables.DIFFERENTIAL_WHEELS_SIMULATOR, ROBOTS))


def _describe_car(values: Mapping[str, object]) -> RobotDescription:
    return described_with_sensors(
        describe_vehicle(VehicleParameters.from_values(values)), values)


def _describe_robot(values: Mapping[str, object]) -> RobotDescription:
    return described_with_sensors(describe_robot(RobotParameters.from_values(values)), values)


def _world_car(values: Mapping[str, object], like: LoopCar | None) -> LoopCar:
    _check_alone(values)
    # Imports an engine that only this needs.
    from racecar.world.make_world import make_world_car

    return make_world_car(values, _with_laser(values) or as_it_is)


def _world_plant(values: Mapping[str, object]) -> Plant:
    from racecar.world.make_world import make_world_plant

    return make_world_plant(values, cars=values_of_cars(values, tables.WORLD_SIMULATOR))


NODES: dict[str, NodeSpec] = {spec.name: spec for spec in (
    NodeSpec(
        node_names.TRAJECTORY_TRACKER, 'TrajectoryTrackerNode', tables.TRAJECTORY_TRACKER,
        hears_odometry=True, makes_controller=True),
    *(NodeSpec(
        law.executable, 'ControlLawNode', tables.law_table(law), hears_odometry=True, law=law)
      for law in LAWS.values()),
    NodeSpec(
        node_names.SINGLE_TRACK_SIMULATOR, 'SingleTrackSimulatorNode',
        tables.SINGLE_TRACK_SIMULATOR, make_car=_planar_car, make_plant=_planar_plant,
        describe=_describe_car),
    NodeSpec(
        node_names.WORLD_SIMULATOR, 'WorldSimulatorNode', tables.WORLD_SIMULATOR,
        make_car=_world_car, make_plant=_world_plant, describe=_describe_car,
        needs=('mujoco',)),
    NodeSpec(
        node_names.DIFFERENTIAL_WHEELS_SIMULATOR, 'DifferentialWheelsSimulatorNode',
        tables.DIFFERENTIAL_WHEELS_SIMULATOR, make_car=_robot_car, make_plant=_robots_plant,
        describe=_describe_robot),
    NodeSpec(
        node_names.DIFFERENTIAL_LINEARIZER, 'DifferentialLinearizerNode',
        tables.DIFFERENTIAL_LINEARIZER, hears_odometry=True),
    NodeSpec(node_names.SERVO_COMMANDS, 'ServoCommandsNode', tables.SERVO_COMMANDS),
    NodeSpec(node_names.ACKERMANN_MUX, 'AckermannMuxNode', tables.ACKERMANN_MUX),
    NodeSpec(
        node_names.DRIVER_BRIDGE, 'DriverBridgeNode', tables.DRIVER_BRIDGE, hears_odometry=True),
    NodeSpec(
        node_names.GAP_FOLLOWER, 'GapFollowerNode', tables.GAP_FOLLOWER, hears_odometry=True),
    NodeSpec(
        node_names.EMERGENCY_BRAKE, 'EmergencyBrakeNode', tables.EMERGENCY_BRAKE,
        hears_odometry=True),
    NodeSpec(node_names.KEYBOARD_TELEOP, 'KeyboardTeleopNode', tables.KEYBOARD_TELEOP),
    NodeSpec(node_names.JOY_TELEOP, 'JoyTeleopNode', tables.JOY_TELEOP),
    NodeSpec(node_names.JOY_NODE, 'JoyNode', tables.JOY_NODE),
    NodeSpec(node_names.LAP_TIMER, 'LapTimerNode', tables.LAP_TIMER),
    NodeSpec(node_names.RACE_CONTROL, 'RaceControlNode', tables.RACE_CONTROL),
    NodeSpec(node_names.BAG_RECORDER, 'BagRecorderNode', tables.BAG_RECORDER),
)}
"""By executable."""

TABLES: dict[str, ParameterTable] = {name: spec.table for name, spec in NODES.items()}
"""Parameter table of each executable."""
