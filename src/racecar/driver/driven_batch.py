# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many driven cars side by side, each with its own vehicle, engine and pedals."""

from __future__ import annotations

from collections.abc import Sequence
import functools
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import compiled, importable
from racecar.base.errors import ConfigurationError
from racecar.base.rows import first_row, flatten, load, Part, store
from racecar.base.types import NANOSECONDS, Wheels
from racecar.base.vectors import Flat
from racecar.driver.driven_car import DrivenCar
from racecar.driver.pedal_kernels import (
    drive_wheels,
    driven_inputs,
    Memory,
    NO_CONTROLS,
    START,
    turned_on,
    wheel_speeds_of,
)
from racecar.dynamics.powertrain.powertrain import (
    Drivetrain,
    NO_DRIVETRAIN,
    PedalControls,
)
from racecar.dynamics.vehicles.double_track_equations import NO_WHEEL
from racecar.dynamics.vehicles.interface import Equations
from racecar.metrics.tracking_error import Array
from racecar.simulation.car_batch import CarBatch
from racecar.simulation.car_kernels import (
    ADVANCE,
    car_parts,
    CarKernel,
    CarParts,
    checking,
    saving,
)
from racecar.simulation.engine import integration
from racecar.simulation.layout import LANES, Loop


class PedalRows(NamedTuple):
    """Rows that a driven car has besides those of all.

    good: memory before the steps; before: wheel speeds before a step.
    """

    controls: PedalControls
    car: Drivetrain
    memory: Memory
    good: Memory
    before: Wheels


_EXAMPLE = PedalRows(NO_CONTROLS, NO_DRIVETRAIN, START, START, NO_WHEEL)
CONTROLS, CAR, MEMORY = (
    first_row(_EXAMPLE, field) for field in ('controls', 'car', 'memory'))


class PedalParts(NamedTuple):
    """Where a block has what driven cars need; those of PedalRows as there.

    drive, forced: what is held of each wheel.
    """

    cars: CarParts
    controls: Part[PedalControls]
    car: Part[Drivetrain]
    memory: Part[Memory]
    good: Part[Memory]
    before: Part[Wheels]
    drive: Part[Wheels]
    forced: Part[Wheels]


def _pedal_parts(equations: Equations, integrator: str) -> PedalParts:
    cars = car_parts(equations, integrator, _EXAMPLE)
    own = (Part(getattr(_EXAMPLE, field), cars.inputs.first + first_row(_EXAMPLE, field), LANES)
           for field in PedalRows._fields)
    held = (Part(NO_WHEEL, cars.motion.held.first + first_row(equations.held, 'wheels', field),
                 LANES) for field in ('drive', 'forced'))
    return PedalParts(cars, *own, *held)


def _holding(equations: Equations, parts: PedalParts) -> Loop:
    """Pure function (rows, count) that holds the pedals and keeps the memories."""
    hold, held_part, parameters_part = (
        equations.hold, parts.cars.motion.held, parts.cars.parameters)
    controls_part, car_part, memory_part, good_part = (
        parts.controls, parts.car, parts.memory, parts.good)

    @importable
    def hold_all(rows: Flat, count: int) -> None:
        for i in range(count):
            memory = load(rows, memory_part, i)
            store(rows, good_part, i, memory)
            store(rows, held_part, i, hold(
                driven_inputs(load(rows, controls_part, i), load(rows, car_part, i),
                              memory.cruise, NO_WHEEL, NO_WHEEL),
                load(rows, parameters_part, i)))

    return hold_all


def _driving(parts: PedalParts) -> Loop:
    """Pure function (rows, count, dt) that does the powertrains before a step."""
    state_part, controls_part, car_part, memory_part = (
        parts.cars.motion.state, parts.controls, parts.car, parts.memory)
    before_part, drive_part, forced_part = parts.before, parts.drive, parts.forced

    @importable
    def drive_all(rows: Flat, count: int, dt: float) -> None:
        for i in range(count):
            before = wheel_speeds_of(load(rows, state_part, i))
            memory, drive, forced = drive_wheels(
                load(rows, controls_part, i), load(rows, car_part, i), before,
                load(rows, memory_part, i), dt)
            store(rows, memory_part, i, memory)
            store(rows, before_part, i, before)
            store(rows, drive_part, i, drive)
            store(rows, forced_part, i, forced)

    return drive_all


def _turning(parts: PedalParts) -> Loop:
    """Pure function (rows, count, dt) that counts the rotation of the wheels after a step."""
    state_part, memory_part, before_part = parts.cars.motion.state, parts.memory, parts.before

    @importable
    def turn_all(rows: Flat, count: int, dt: float) -> None:
        for i in range(count):
            memory = load(rows, memory_part, i)
            store(rows, memory_part, i, Memory(memory.cruise, turned_on(
                memory.turned, load(rows, before_part, i),
                wheel_speeds_of(load(rows, state_part, i)), dt), memory.shift))

    return turn_all


def _restoring(parts: PedalParts) -> Loop:
    """Pure function (rows, count) that takes back the memories of cars that have diverged."""
    valid_part, memory_part, good_part = parts.cars.valid, parts.memory, parts.good

    @importable
    def restore_all(rows: Flat, count: int) -> None:
        for i in range(count):
            if load(rows, valid_part, i)[0] == 0.0:
                store(rows, memory_part, i, load(rows, good_part, i))

    return restore_all


@functools.cache
def pedal_kernel(equations: Equations, integrator: str) -> CarKernel:
    """Kernel of cars that hold their pedals. Raises ParameterError if the method is unknown."""
    parts = _pedal_parts(equations, integrator)
    save_all, check_all = saving(parts.cars), checking(parts.cars)
    hold_all, restore_all = _holding(equations, parts), _restoring(parts)
    drive_all, turn_all = _driving(parts), _turning(parts)
    integrate = integration(equations, integrator, parts.cars.motion)

    def drive_block(rows: Flat, count: int, dt: float, steps: int) -> None:
        save_all(rows, count)
        hold_all(rows, count)
        for _ in range(steps):
            drive_all(rows, count, dt)
            integrate(rows, count, dt, 1)
            turn_all(rows, count, dt)
        check_all(rows, count)
        restore_all(rows, count)

    return CarKernel(parts.cars, compiled(drive_block, ADVANCE))


class DrivenBatch(CarBatch):
    """Driven cars, each from where a DrivenCar stands, with the bits of DrivenCar."""

    def __init__(self, cars: Sequence[DrivenCar], *, threads: int | None = None) -> None:
        """Pack the cars, which are not kept; they share step and integrator.

        threads: how many cores to use, by default all that this process may use. Raises
        ConfigurationError for no thread, or where steps or integrators differ.
        """
        kinds = {(car.step_ns, car.integrator) for car in cars}
        if len(kinds) != 1:
            raise ConfigurationError(
                f'the cars have steps [ns] and integrators {sorted(kinds)}, expected one of each')
        (step_ns, integrator), = kinds

        super().__init__(
            [car.model for car in cars], [car.state for car in cars],
            lambda model: pedal_kernel(model.wheel_equations, integrator),
            step=step_ns / NANOSECONDS, integrator=integrator, threads=threads)
        self._write_inputs(CAR, np.array(
            [tuple(flatten(car.powertrain.numbers)) for car in cars], float).T)
        self._write_inputs(MEMORY, np.array([car.memory for car in cars], float).T)
        self.set_pedals([car.pedals for car in cars])

    @property
    def wheel_rotations(self) -> Array:
        """Angle that each wheel has turned since the last reset [rad], (cars, 4)."""
        at = MEMORY + first_row(START, 'turned')
        return self._read(lambda parts: Part(NO_WHEEL, parts.inputs.first + at, LANES))

    def set_pedals(self, pedals: Sequence[PedalControls]) -> None:
        """Drive so from now on; pedals: of each car."""
        given = np.array(pedals, dtype=float)
        if given.shape != (len(self), len(PedalControls._fields)):
            raise ConfigurationError(
                f'there are pedals for {len(given)} cars, expected {len(self)}')
        self._write_inputs(CONTROLS, given.T)
