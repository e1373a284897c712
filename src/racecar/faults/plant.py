# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plants whose robots have faults: of their signals, their sensors, and of the vehicle itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.base.values import number_of, texts_of, Values
from racecar.dynamics.vehicles.interface import Command
from racecar.faults.sensors import FaultyOutput, READINGS
from racecar.faults.signals import FaultySignals, is_of_odometry
from racecar.faults.vehicle import changes_of, check_parameter, is_of_vehicle
from racecar.scene.scene import Scene
from racecar.simulation.car_rows import Change
from racecar.simulation.faults import (
    CLOCK_JUMP,
    Fault,
    faults_of_nodes,
    KINDS,
    NODE_KILL,
    NODE_KINDS,
)
from racecar.simulation.ports import Entity, Plant
from racecar.simulation.simulator import Simulator
from racecar.simulation.wrapped_plant import WrappedPlant

FAULTS = 'faults'
"""Parameter of a simulator that has them, a list of texts."""

_NO_SIMULATORS: Mapping[str, Simulator] = {}


class CarFaults(NamedTuple):
    """Faults of one robot: of its signals, of its sensors, and what the others make of it."""

    signals: Sequence[Fault]
    sensors: Sequence[Fault]
    changes: Sequence[Change]


class _FaultyRobot:
    """A robot of a plant with its faults.

    signals: None where no signal of it fails.
    """

    def __init__(
        self, entity: Entity, plant: Plant, faults: CarFaults, signals: FaultySignals | None,
        simulator: Simulator | None,
    ) -> None:
        self._plant, self._faults, self.signals = plant, faults, signals
        self._simulator = simulator
        self._changes = {change.tick: change for change in faults.changes}
        if simulator is not None:
            # As it was made.
            self._healthy = simulator.model, simulator.channels
        self.take(entity)
        self.change(0)

    def take(self, entity: Entity) -> None:
        """Show what an entity of this robot shows, whose outputs may have changed."""
        if self.signals is not None:
            self.signals.take(entity)
            entity = self.signals.entity
        self._sensors: list[FaultyOutput] = []
        for target in dict.fromkeys(fault.target for fault in self._faults.sensors):
            entity = self._with_sensor(entity, target)
        self.entity = entity

    def _with_sensor(self, entity: Entity, target: str) -> Entity:
        mine = [fault for fault in self._faults.sensors if fault.target == target]
        found = {
            output.name: FaultyOutput(
                output, mine, self._plant.step_ns, lambda: self._plant.time_ns,
                f'{entity.frame_prefix}{output.name}')
            for output in entity.outputs if output.value_type in READINGS[target]}
        if not found:
            raise ConfigurationError(
                f"fault {mine[0].kind} has the target '{target}', but the robot has no such"
                ' sensor: give it one, as sensors')
        self._sensors += found.values()
        return replace(entity, outputs=tuple(
            found[output.name].output if output.name in found else output
            for output in entity.outputs))

    def restart(self) -> None:
        """Begin anew at time 0."""
        if self._simulator is not None and self._changes:
            self._simulator.change(*self._healthy)
        self.change(0)
        if self.signals is not None:
            self.signals.restart()
        for sensor in self._sensors:
            sensor.restart()

    def change(self, step: int) -> None:
        """Be the vehicle that the faults of a step make of it."""
        simulator = self._simulator
        if simulator is None:
            return
        tick, rest = divmod(step, simulator.steps_per_tick)
        if not rest and tick in self._changes:
            change = self._changes[tick]
            simulator.change(change.model, change.channels)

    def steps_ahead(self, step: int) -> Iterator[int]:
        """Numbers of steps after one at which something is to be done."""
        if self.signals is not None:
            yield self.signals.steps - step % self.signals.steps
        if self._simulator is not None and self._changes:
            yield self._simulator.steps_per_tick - step % self._simulator.steps_per_tick
        for sensor in self._sensors:
            yield sensor.steps_ahead(step)

    def act(self, step: int) -> None:
        """Do what is to be done before it moves on from a step."""
        if self.signals is not None:
            self.signals.act(step)

    def note(self, step: int) -> None:
        """Do what is to be done once it has come to a step."""
        self.change(step)
        if self.signals is not None:
            self.signals.note(step)
        for sensor in self._sensors:
            sensor.note(step)


class FaultyPlant(WrappedPlant):
    """A plant whose robots have faults; all else is the plant's own.

    Robots whose odometry fails show a ReckonedState as theirs, None where no message arrives, and
    their true motion beside it.
    """

    def __init__(self, plant: Plant, robots: Sequence[_FaultyRobot]) -> None:
        """robots: one for each entity of the plant, in turn."""
        super().__init__(plant)
        self._robots = robots

    @property
    def entities(self) -> Sequence[Entity]:
        """The robots."""
        return [robot.entity for robot in self._robots]

    def _take_entities(self, scene: Scene) -> None:
        for robot, entity in zip(self._robots, self._plant.entities, strict=True):
            robot.take(entity)

    def restart(self) -> None:
        """Let the time begin at 0 again, and with it random numbers and faults."""
        super().restart()
        for robot in self._robots:
            robot.restart()

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError; state and time are then those of the last odometry or reading in
        between, if there is one.
        """
        while steps:
            done = self.time_ns // self.step_ns
            for robot in self._robots:
                robot.act(done)
            part = min(steps, *(
                ahead for robot in self._robots for ahead in robot.steps_ahead(done)))
            self._plant.advance(part)
            for robot in self._robots:
                robot.note(done + part)
            steps -= part


def faults_in_values(values: Values) -> tuple[Fault, ...]:
    """Faults that resolved values of a simulator ask for. Raises ConfigurationError."""
    return faults_of_nodes(texts_of(values, FAULTS))


def shows_truth(values: Values) -> bool:
    """Whether faults of these values make robots show their true motion beside the odometry."""
    return any(map(is_of_odometry, faults_in_values(values)))


def with_faults(
    plant: Plant, values: Values, simulators: Mapping[str, Simulator] = _NO_SIMULATORS,
) -> Plant:
    """Plant whose robots have the faults that values of its simulator ask for.

    simulators: of cars in the plane, by the names of their robots. Raises ConfigurationError for
    faults that a robot cannot have, ParameterError for a value that its vehicle cannot have.
    """
    faults = faults_in_values(values)
    names = [entity.name for entity in plant.entities]
    for fault in faults:
        if fault.car and fault.car not in names:
            known = f"one of {', '.join(names)}" if any(names) else 'none: there is one robot'
            raise ConfigurationError(
                f"fault {fault.kind} has the car '{fault.car}', expected {known}")
        check_parameter(fault)
    mine = [fault for fault in faults if fault.kind not in (CLOCK_JUMP, NODE_KILL)]
    if not mine:
        return plant
    return FaultyPlant(plant, [
        _robot(entity, plant, [fault for fault in mine if fault.car in ('', entity.name)], values,
               simulators.get(entity.name)) for entity in plant.entities])


def _robot(
    entity: Entity, plant: Plant, faults: Sequence[Fault], values: Values,
    simulator: Simulator | None,
) -> _FaultyRobot:
    found = _sorted(faults, values, simulator)
    signals = None if not found.signals else FaultySignals(
        entity, plant.step_ns, found.signals, number_of(values, 'command_timeout'),
        Command(number_of(values, 'initial_speed', 0.0), 0.0))
    return _FaultyRobot(entity, plant, found, signals, simulator)


def _sorted(
    faults: Sequence[Fault], values: Values, simulator: Simulator | None,
) -> CarFaults:
    """Faults of a robot by what they are of. Raises RacecarError."""
    sensors = [fault for fault in faults if fault.target in NODE_KINDS[fault.kind].sensors]
    if simulator is None:
        for fault in faults:
            if KINDS[fault.kind].of_vehicle:
                raise ConfigurationError(
                    f'fault {fault.kind} is of a car in the plane, this simulator has no such'
                    ' car: use a configuration of the single_track_simulator, such as'
                    ' kinematic_ode, or a fault of odometry, commands or sensors')
        of_vehicle: list[Fault] = []
    else:
        of_vehicle = [fault for fault in faults if is_of_vehicle(fault, simulator)]
    return CarFaults(
        [fault for fault in faults if fault not in of_vehicle and fault not in sensors], sensors,
        [] if simulator is None else [*changes_of(values, simulator, of_vehicle)])


def stamps_of(values: Values) -> Callable[[int], int]:
    """What clocks show at a time of the plant [ns], of which jumps make another one."""
    jumps = [fault for fault in faults_in_values(values) if fault.kind == CLOCK_JUMP]
    if not jumps:
        return lambda time_ns: time_ns

    def stamp(time_ns: int) -> int:
        return max(0, time_ns + sum(
            round(fault.size * NANOSECONDS) for fault in jumps if fault.acts_at(time_ns)))

    return stamp
