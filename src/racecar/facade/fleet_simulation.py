# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several cars in one world without ROS: what simulate() and `racecar simulate --cars` run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import functools
import math

import numpy as np

from racecar.analysis.motion import steering_range_of
from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.run_file import RunFile
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.base.values import Values
from racecar.facade.driven_cars import GapDriver, instants, SeenCar
from racecar.facade.fleet_run import FleetRun
from racecar.facade.run import Run
from racecar.faults.plant import FAULTS
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.sensors.equipment import equip
from racecar.simulation.closed_loop import row_of, tick_count
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.obstacles import start_caution
from racecar.simulation.ports import collisions_of, Entity
from racecar.stacks import describe_stack, find_stack, NodeDescription, StackOptions, STACKS
from racecar.stacks.options import SIMULATE
from racecar.stacks.run_files import describe_run
from racecar.stacks.several_cars import namespace_of_car

_NO_COMMAND = AckermannCommand(math.nan, math.nan)


class _Car(SeenCar):
    """A car with its driver, and the rows of its table."""

    def __init__(self, entity: Entity, values: Values, driver: GapDriver) -> None:
        super().__init__(entity, values, sees_laser=True)
        self.values = values
        self.driver = driver
        self.command = _NO_COMMAND
        self.rows: list[tuple[float, ...]] = []
        self.faults: list[str] = []
        self._fault = ''

    def drive(self, command: AckermannCommand) -> None:
        """Obey a command of the driver from now on."""
        self.command = command
        self.apply(command)

    def note(self, odometry: Odometry) -> None:
        """Keep a row of the table, and what keeps the car from going on."""
        self.rows.append(row_of(odometry, math.nan, math.nan, self.command))
        # Its text may tell where the car is, which changes while it slides.
        before, self._fault = self._fault, self.entity.fault()
        if self._fault and not before:
            self.faults.append(self._fault)


class FleetSimulation:
    """Cars of a configuration, each with its controller, ready to run once.

    cautions: what to know before it runs; why_slow: as of Simulation.
    """

    why_slow = ''

    def __init__(self, configuration: str, options: StackOptions) -> None:
        """Build the cars and compile what the run calls; options: with cars.

        Raises RacecarError with a one-line message for what cannot be run.
        """
        self._stack = stack = find_stack(configuration)
        if stack.driver is not None:
            _check_no_reference(stack.name, options)
        descriptions = describe_stack(stack.name, replace(options, lockstep=True))
        self._options, self._descriptions = options, descriptions
        self._check()
        simulator = next(d for d in descriptions if d.spec.is_simulator)
        self._table, values = simulator.spec.table, simulator.resolve()
        if values[FAULTS]:
            raise ConfigurationError(
                f'{FAULTS} are {values[FAULTS]}, expected none with several cars here: `racecar up'
                ' --lockstep --cars` has them')
        caution = start_caution(values, self._table)
        self.cautions = () if caution is None else (caution,)
        cars = values_of_cars(values, self._table)
        self._plant = equip(
            simulator.spec.simulator.make_plant(values), values, [car.values for car in cars])
        self._plant.warm_up()
        self._cars = {
            car.name: _Car(entity, car.values, GapDriver(self._driver(car.name).resolve()))
            for car, entity in zip(cars, self._plant.entities, strict=True)}

    def _check(self) -> None:
        options, stack = self._options, self._stack
        if stack.driver is None:
            drives = [other.name for other in STACKS.values() if other.driver is not None]
            raise ConfigurationError(
                f'cars are {list(options.cars)}, but {stack.name} leaves the driving to nodes of'
                f" your own, which are not here: take {' or '.join(drives)}, `racecar up"
                f' {stack.name} --cars`, or a file of `racecar race` with controllers')
        for car in options.fleet:
            if car.is_outside:
                raise ConfigurationError(
                    f"fleet file '{options.fleet_file}': car {car.name}: stack is"
                    f" {excerpt(car.stack)}, expected '{stack.driver}' or none without ROS, as no"
                    ' other node can drive it here; `racecar up` waits for one')

    def _driver(self, car: str) -> NodeDescription:
        namespace = namespace_of_car(self._options, car)
        return next(d for d in self._descriptions if d.executable == self._stack.driver
                    and d.namespace.strip('/') == namespace)

    def run(
        self, duration: float, *, skip: float = 0.0, command: str = '',
        on_progress: Callable[[float], object] | None = None,
    ) -> FleetRun:
        """Run for a duration [s]; skip: time at the start that metrics leave out [s].

        The sequence is that of the nodes in lockstep, so both give the same bits. command: as
        typed, for the run.yaml. Raises ConfigurationError for too long a run, DivergenceError.
        """
        plant, cars = self._plant, [*self._cars.values()]
        truth = cars[0].truth
        ticks = tick_count(duration, truth.steps * plant.step_ns)
        # All of them, as the nodes: where the plant stops on its way decides over contacts.
        outputs = [output for entity in plant.entities for output in entity.outputs]
        for now in instants(plant, outputs):
            step = now // plant.step_ns
            # Before anybody answers, as some cars obey at once.
            places = [Odometry.of_body(now, car.state()) for car in cars] \
                if truth.is_due(step) else []
            commands = [(car, car.ask(car.driver, now, step)) for car in cars]
            for car, command_now in commands:
                if command_now is not None:
                    car.drive(command_now)
            for car, place in zip(cars, places, strict=bool(places)):
                car.note(place)
            if places and on_progress is not None:
                on_progress(now / NANOSECONDS)
            if len(cars[0].rows) > ticks:
                break

        @functools.cache
        def describe() -> RunFile:
            return describe_run(
                SIMULATE, self._stack.name, self._options, self._descriptions, command, skip)

        runs = {name: self._run_of(name, car, describe, skip) for name, car in self._cars.items()}
        return FleetRun.of_cars(self._stack.name, runs, skip)

    def _run_of(
        self, name: str, car: _Car, describe: Callable[[], RunFile], skip: float,
    ) -> Run:
        collisions = collisions_of(car.entity)
        rows: Array = np.array(car.rows).reshape(-1, len(COLUMNS))
        return Run.of_drive(
            f'{self._stack.name}, {name}', RunTable(rows), describe,
            collisions=None if collisions is None else collisions.contacts,
            warnings=tuple(car.faults), skip=skip, steering_range=steering_range_of(car.values))


def _check_no_reference(configuration: str, options: StackOptions) -> None:
    """Raise ConfigurationError for options that are of a reference."""
    for name, value in (('waypoints', options.waypoints), ('control_rate', options.control_rate),
                        ('flying_start', options.flying_start or None)):
        if value is not None:
            raise ConfigurationError(
                f'{name} is {excerpt(value)}, but {configuration} follows no reference: leave it'
                ' out')
