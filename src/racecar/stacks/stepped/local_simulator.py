# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator: its plant, and robots with sensors, which are driven."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from racecar.base.errors import ConfigurationError
from racecar.base.readings import CameraImage, Collisions, LaserScan
from racecar.base.types import JointStates, NANOSECONDS, Odometry
from racecar.base.values import Values
from racecar.description.robot_tree import RobotTree
from racecar.description.urdf import RobotDescription
from racecar.faults.plant import FAULTS
from racecar.sensors.equipment import equip, shown_sensor
from racecar.simulation.fleet_file import CarValues, values_of_cars
from racecar.simulation.ports import Entity, GROUND_TRUTH, ODOMETRY, Output
from racecar.simulation.reckoned_plant import is_reckoned
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stepped.local_node import LocalNode, Log


class LocalRobot:
    """A robot of the simulator: what it shows, and how it is driven.

    name: among several, '' of the only one. values: of the parameters of its simulator at the
    start. output: that of the odometry; truth: of the true
    motion, the same where the odometry is exact; laser, camera: outputs of the sensors of these
    kinds that are shown, None without one; laser_frame: of the scans.
    """

    def __init__(
        self, entity: Entity, car: CarValues,
        describe: Callable[[Values], RobotDescription],
    ) -> None:
        self.name = car.name
        self.entity = entity
        self.values = car.values
        self._describe = describe
        self._inputs = {port.value_type: port.apply for port in entity.inputs}
        self.output = self.truth = entity.output(ODOMETRY)
        self._is_reckoned = is_reckoned(car.values)
        if self._is_reckoned:
            self.truth = entity.output(GROUND_TRUTH)
        self._joints = self._first(JointStates)
        self._contacts = self._first(Collisions)
        self.laser, self.laser_frame = self._sensor('laser', LaserScan)
        self.camera, _ = self._sensor('camera', CameraImage)
        self._fault = self._notice = ''
        self._seen = 0

    def _first(self, value_type: type) -> Output | None:
        return next((output for output in self.entity.outputs
                     if output.value_type is value_type), None)

    def _sensor(self, kind: str, value_type: type) -> tuple[Output | None, str | None]:
        shown = shown_sensor(self.values, kind)
        if shown is None:
            return None, None
        output = self.entity.output(shown.name)
        assert output.value_type is value_type
        return output, shown.frame

    def describe(self) -> RobotTree:
        """Say what the robot is made of. Raises ConfigurationError if that cannot be made."""
        return self._describe(self.values).tree

    def apply(self, value: object) -> None:
        """Give a value to the input of its type. Raises ParameterError for what it refuses."""
        self._inputs[type(value)](value)

    def takes(self, value_type: type) -> bool:
        """Whether there is an input of a type."""
        return value_type in self._inputs

    def odometry(self, time_ns: int) -> Odometry:
        """Odometry as a control sees it now, at a time [ns]."""
        shown = self.output.read()
        return Odometry.of_body(time_ns, shown.body if self._is_reckoned else shown)

    def joints(self) -> JointStates | None:
        """Joints now; None of a robot that shows none."""
        return None if self._joints is None else self._joints.read()

    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return None if self._contacts is None else self._contacts.read()

    def news(self) -> Iterator[tuple[str, str]]:
        """Level and text of each collision, fault and limit that is new since the last call."""
        who = self.name or 'the car'
        found = self.collisions()
        if found is not None:
            if found.contacts > self._seen:
                yield 'warn', found.sentence(who)
            self._seen = found.contacts
        before, self._fault = self._fault, self.entity.fault()
        if self._fault and not before:
            yield 'error', self._of_this(self._fault)
        before, self._notice = self._notice, self.entity.notice()
        if self._notice and not before:
            yield 'warn', self._of_this(self._notice)

    def _of_this(self, text: str) -> str:
        return f'{self.name}: {text}' if self.name else text


class LocalSimulator(LocalNode):
    """Owns the time; robots: of its plant, in its order."""

    def __init__(self, description: NodeDescription, log: Log) -> None:
        """Build and compile. Raises ParameterError or ConfigurationError."""
        super().__init__(description, log)
        simulator = description.spec.simulator
        if self.values[FAULTS]:
            raise ConfigurationError(
                f'{FAULTS} are {self.values[FAULTS]}, expected none here: nodes have them, and'
                ' `racecar simulate`')
        cars = values_of_cars(self.values, self.table)
        self.plant = equip(
            simulator.make_plant(self.values), self.values, [car.values for car in cars])
        self.plant.warm_up()
        self.robots = [LocalRobot(entity, car, simulator.describe)
                       for entity, car in zip(self.plant.entities, cars, strict=True)]
        self._period_steps = self.robots[0].output.steps

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self.plant.time_ns

    @property
    def period_ns(self) -> int:
        """Period of the odometry [ns]."""
        return self._period_steps * self.plant.step_ns

    @property
    def has_ended(self) -> bool:
        """Whether end_time is reached."""
        end = self.values['end_time']
        return bool(end) and self.time_ns >= round(end * NANOSECONDS)

    def is_due(self, output: Output) -> bool:
        """Whether an output is due now."""
        return output.is_due(self.time_ns // self.plant.step_ns)

    def watch(self) -> None:
        """Tell once of each collision, fault and limit; to be called some times a second."""
        for robot in self.robots:
            for level, text in robot.news():
                self.log(level, text)
