# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of tracker, point-ahead law and a differential-drive robot, without ROS."""

from __future__ import annotations

from collections.abc import Callable
import math

import numpy as np

from racecar.base.errors import DivergenceError, FaultError
from racecar.base.readings import Collisions, LaserScan
from racecar.base.types import BodyTwist, NANOSECONDS, Odometry
from racecar.base.values import Values
from racecar.control.point_ahead import PointAheadLinearizer
from racecar.control.tracker import TrajectoryTracker
from racecar.differential.plant import make_robot_plant, RobotPlant
from racecar.differential.robot_lanes import twist
from racecar.metrics.run_table import COLUMNS
from racecar.metrics.tracking_error import Array
from racecar.simulation.batch_result import Noise
from racecar.simulation.lanes import Lane, LaneCar, Reference
from racecar.simulation.loop_kernel import chunks
from racecar.simulation.ports import ODOMETRY
from racecar.simulation.stock_lanes import StockControl

# Ticks of a piece, after which progress is told.
_CHUNK = 128


class RobotCar:
    """A robot in the place of a car in a loop; a tick is as long as its odometry.

    compiled: None: a tick is a call, as each of the world is. reckoning: None: its odometry is
    exact.
    """

    compiled = None
    reckoning = None

    def __init__(self, plant: RobotPlant, description: str) -> None:
        """description: for messages."""
        entity, = plant.entities
        output = entity.output(ODOMETRY)
        self.plant = plant
        self.description = description
        self.period_ns = output.steps * plant.step_ns
        self._steps = output.steps
        self._fault = entity.fault

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self.plant.time_ns

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return self.plant.motion.collisions

    def watch(self, on_scan: Callable[[LaserScan], object]) -> bool:
        """False: no loop of a robot is driven by scans."""
        return False

    def warm_up(self) -> None:
        """Compile all that a tick calls."""
        self.plant.warm_up()

    def odometry(self) -> Odometry:
        """Return pose and twist, stamped with the present time."""
        return Odometry.of_body(self.plant.time_ns, self.plant.motion.body_state())

    @property
    def lane(self) -> LaneCar | None:
        """The robot for a block of robots side by side; None if it moves alone only."""
        return self.plant.motion.lane

    def set_command(self, command: BodyTwist) -> None:
        """Drive so from now on. Raises ParameterError for what is not finite."""
        self.plant.set_twist(command)

    def tick(self) -> None:
        """Advance by one period.

        Raises DivergenceError as the plant does, FaultError for a robot that cannot go on.
        """
        self.plant.advance(self._steps)
        fault = self._fault()
        if fault:
            raise FaultError(f'at {self.time_ns / NANOSECONDS:.6g} s {fault}')


def make_robot_car(values: Values) -> RobotCar:
    """Build a robot from resolved values of DIFFERENTIAL_PARAMETERS; see make_robot_plant()."""
    plant = make_robot_plant(values)
    return RobotCar(
        plant, f"robot '{plant.motion.robot.name}' with two wheels, mode {values['mode']}")


class RobotLoop:
    """Tracker, law and robot, which alone are called tick by tick.

    linearizer: None, as no law of a car takes part.
    """

    linearizer = None
    odometry_every = 1
    is_compilable = False

    def __init__(
        self, tracker: TrajectoryTracker, law: PointAheadLinearizer, simulator: RobotCar,
    ) -> None:
        """Bind the three."""
        self.tracker = tracker
        self.law = law
        self.simulator = simulator

    @property
    def lane(self) -> Lane | None:
        """The robot for a block of robots side by side; None if it runs alone only."""
        car, tracker, law = self.simulator.lane, self.tracker, self.law
        if car is None:
            return None
        control = StockControl(type(law), tracker.step, tracker.is_exact, twist)
        return Lane(
            car, control, Reference(tracker.trajectory),
            (*tracker.state, *control.state.law), (*tracker.parameters, *law.parameters))

    def disturb(self, noise: Noise, key: tuple[int, int]) -> bool:
        """False: no noise by the loop itself."""
        return False

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls."""
        self.simulator.warm_up()
        self.tracker.warm_up()
        self.law.warm_up()

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more; raises DivergenceError.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), which it may keep. The robot has no
        steering angle: its column is NaN.
        """
        for count, driven in chunks(ticks, _CHUNK):
            rows = np.empty((count, len(COLUMNS)))
            for tick in range(count):
                rows[tick], command = self._answer()
                if tick == driven:
                    break
                self.simulator.set_command(command)
                try:
                    self.simulator.tick()
                except DivergenceError:
                    on_rows(rows[:tick + 1])
                    raise
            on_rows(rows)

    def _answer(self) -> tuple[tuple[float, ...], BodyTwist]:
        odometry = self.simulator.odometry()
        output = self.tracker.update(odometry)
        command = self.law.command(odometry, output.velocity)
        return (
            odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
            odometry.vy, odometry.yaw_rate, output.reference.x, output.reference.y, command.speed,
            math.nan), command
