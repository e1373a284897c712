# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car behind the ports of a plant, for loops without ROS."""

from __future__ import annotations

from collections.abc import Callable

from racecar.base.errors import ConfigurationError, FaultError
from racecar.base.readings import Collisions, LaserScan
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.simulation.dead_reckoning import DeadReckoning
from racecar.simulation.ports import collisions_of, laser_of, ODOMETRY, Plant
from racecar.simulation.simulator import Simulator


class PlantCar:
    """The only robot of a plant, driven by Ackermann commands; a tick is as long as its odometry.

    reckoning, compiled: as of a LoopCar.
    """

    def __init__(
        self, plant: Plant, description: str, odometry: str = ODOMETRY, *,
        reckoning: DeadReckoning | None = None, compiled: Simulator | None = None,
    ) -> None:
        """description: of the car, for messages; odometry: name of the output of its true motion.

        reckoning: that of the plant, which moves it; compiled: the simulator in the plant, if
        kernels do what its ticks do. Raises ConfigurationError for a plant that is not driven so.
        """
        entity, *others = plant.entities
        drive = [port for port in entity.inputs if port.value_type is AckermannCommand]
        if others or not drive:
            raise ConfigurationError(
                f'{description} cannot be driven in a loop without ROS, expected one robot that'
                ' takes speed and steering angle; `racecar up` runs it')
        output = entity.output(odometry)
        self.plant = plant
        self.description = description
        self.period_ns = output.steps * plant.step_ns
        self.reckoning = reckoning
        self.compiled = None if compiled is None else compiled.compiled
        self._steps = output.steps
        self._entity = entity
        self._read = output.read
        self._drive = drive[0].apply
        self._laser = laser_of(entity)
        self._on_scan: Callable[[LaserScan], object] | None = None

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where the plant shows none."""
        return collisions_of(self._entity)

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self.plant.time_ns

    def warm_up(self) -> None:
        """Compile all that a tick calls."""
        self.plant.warm_up()

    def odometry(self) -> Odometry:
        """Return pose and twist, stamped with the present time."""
        return Odometry.of_body(self.plant.time_ns, self._read())

    def set_command(self, command: AckermannCommand) -> None:
        """Apply a command from now on. Raises ParameterError for what is not finite."""
        self._drive(command)

    def watch(self, on_scan: Callable[[LaserScan], object]) -> bool:
        """Show the scan that is due now and those in ticks to come; see LoopCar."""
        if self._laser is None:
            return False
        self._on_scan = on_scan
        self._show_scan()
        return True

    def _show_scan(self) -> None:
        laser = self._laser
        if laser is not None and self._on_scan is not None and laser.is_due(
                self.plant.time_ns // self.plant.step_ns):
            self._on_scan(laser.read())

    def tick(self) -> None:
        """Advance by one period, with a stop at each scan in it that somebody watches.

        Raises DivergenceError as the plant does, FaultError for a car that cannot go on.
        """
        left = self._steps
        while left:
            part = left
            if self._laser is not None and self._on_scan is not None:
                part = min(left, self._laser.steps_ahead(self.plant.time_ns // self.plant.step_ns))
            self.plant.advance(part)
            left -= part
            if left:
                self._show_scan()
        fault = self._entity.fault()
        if fault:
            raise FaultError(f'at {self.plant.time_ns / NANOSECONDS:.6g} s {fault}')
