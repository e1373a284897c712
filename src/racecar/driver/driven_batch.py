# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many driven cars side by side, each with its own vehicle, engine and pedals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from racecar.base.compiled import specialise, unbound, unlocked
from racecar.base.errors import ConfigurationError
from racecar.base.packing import vector
from racecar.base.tuple_kernels import count_numbers, first_row, Kernel, reader, writer
from racecar.base.types import NANOSECONDS, Wheels
from racecar.driver.driven_car import DrivenCar
from racecar.driver.pedal_kernels import (
    drive_wheels,
    driven_inputs,
    Memory,
    NO_WHEEL,
    packed_readers,
    START,
    turned_on,
    wheel_speeds_of,
)
from racecar.dynamics.powertrain.powertrain import CAR_NUMBERS, PedalControls
from racecar.dynamics.vehicles.double_track import DoubleTrack
from racecar.simulation.car_batch import BlockKernel, CarBatch
from racecar.simulation.car_kernels import (
    CARS,
    integration_kernel,
    parameter_reader,
    Rows,
    state_rows,
    whole_block,
)
from racecar.simulation.metrics.tracking_error import Array


class PedalRows(NamedTuple):
    """Rows that a driven car has besides those of all: good, before: see _drive_block()."""

    controls: PedalControls
    car: tuple[float, ...]
    memory: Memory
    good: Memory
    before: Wheels


_EXAMPLE = PedalRows(
    PedalControls(*(0.0,) * len(PedalControls._fields)), (0.0,) * CAR_NUMBERS, START, START,
    NO_WHEEL)
CONTROLS, CAR, MEMORY, GOOD, BEFORE = (
    first_row(_EXAMPLE, field) for field in PedalRows._fields)


read_state = read_controls = read_car = read_memory = write_memory = read_four = unbound
write_four = write_held = write_drive = write_forced = read_parameters = hold = unbound
hold_all = drive_all = turn_all = integrate_all = save_all = check_all = restore_all = unbound


def _hold_all(inputs: Rows, parameters: Rows, held: Rows, count: int) -> None:
    """Compute what the pedals fix, and save the memory."""
    for i in range(count):
        memory = read_memory(inputs, MEMORY, i)
        write_memory(inputs, GOOD, i, memory)
        write_held(held, 0, i, hold(
            driven_inputs(read_controls(inputs, CONTROLS, i), read_car(inputs, CAR, i),
                          memory.cruise, NO_WHEEL, NO_WHEEL),
            read_parameters(parameters, 0, i)))


def _drive_all(state: Rows, inputs: Rows, held: Rows, count: int, dt: float) -> None:
    """Compute what the powertrains do in the next step."""
    for i in range(count):
        before = wheel_speeds_of(read_state(state, 0, i))
        memory, drive, forced = drive_wheels(
            read_controls(inputs, CONTROLS, i), read_car(inputs, CAR, i), before,
            read_memory(inputs, MEMORY, i), dt)
        write_memory(inputs, MEMORY, i, memory)
        write_four(inputs, BEFORE, i, before)
        write_drive(held, 0, i, drive)
        write_forced(held, 0, i, forced)


def _turn_all(state: Rows, inputs: Rows, count: int, dt: float) -> None:
    """Count the rotation of the wheels in a step."""
    for i in range(count):
        memory = read_memory(inputs, MEMORY, i)
        write_memory(inputs, MEMORY, i, Memory(memory.cruise, turned_on(
            memory.turned, read_four(inputs, BEFORE, i),
            wheel_speeds_of(read_state(state, 0, i)), dt), memory.shift))


def _restore_all(inputs: Rows, valid: Rows, count: int) -> None:
    for i in range(count):
        if valid[i] == 0.0:
            write_memory(inputs, MEMORY, i, read_memory(inputs, GOOD, i))


def _drive_block(
    state: Rows, good: Rows, held: Rows, stages: Rows, inputs: Rows, parameters: Rows,
    limits: Rows, valid: Rows, count: int, dt: float, steps: int,
) -> None:
    """Advance `count` cars by steps of dt [s] with the pedals that they hold.

    Arguments as in command_kernel(); inputs: the rows of PedalRows.
    """
    save_all(state, good, count)
    hold_all(inputs, parameters, held, count)
    for _ in range(steps):
        drive_all(state, inputs, held, count, dt)
        integrate_all(state, held, stages, count, dt)
        turn_all(state, inputs, count, dt)
    check_all(state, good, limits, valid, count)
    restore_all(inputs, valid, count)


def pedal_kernel(model: DoubleTrack, held: Any, integrator: str) -> Kernel:
    """Bind a model and a method: see _drive_block(). held: an example of what hold returns."""
    form = model.split_derivative
    name = form.torques.name
    rows = {**packed_readers(CARS), 'read_state': state_rows(form.state)['read_state'],
            'read_four': reader('four', NO_WHEEL, CARS),
            'write_four': writer('four', NO_WHEEL, CARS)}

    def bound(*names: str) -> dict[str, Kernel]:
        return {name: rows[name] for name in names}

    return specialise(
        _drive_block, f'drive_block_{integrator}_{form.name}', unlocked,
        hold_all=specialise(
            _hold_all, f'hold_pedals_{name}', hold=form.torques.hold,
            read_parameters=parameter_reader(len(model.parameters)),
            write_held=writer(name, held, CARS),
            **bound('read_controls', 'read_car', 'read_memory', 'write_memory')),
        drive_all=specialise(
            _drive_all, f'drive_all_{name}',
            write_drive=writer(
                f'drive_{name}', NO_WHEEL, CARS, first_row(held, 'wheels', 'drive')),
            write_forced=writer(
                f'forced_{name}', NO_WHEEL, CARS, first_row(held, 'wheels', 'forced')),
            **bound('read_state', 'read_controls', 'read_car', 'read_memory', 'write_memory',
                    'write_four')),
        turn_all=specialise(_turn_all, f'turn_all_{form.state.__name__}', **bound(
            'read_state', 'read_memory', 'write_memory', 'read_four')),
        restore_all=specialise(_restore_all, 'restore_memories', **bound(
            'read_memory', 'write_memory')),
        integrate_all=integration_kernel(form.state, form.torques, held, integrator),
        **whole_block(form.state))


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

        def kernel_of(model: DoubleTrack) -> BlockKernel:
            held = model.split_derivative.torques.hold(
                vector(model.torque_inputs(0.0, NO_WHEEL)), model.parameters)
            return BlockKernel(pedal_kernel(model, held, integrator), count_numbers(held),
                               count_numbers(_EXAMPLE))

        super().__init__(
            [car.model for car in cars], [car.state for car in cars], kernel_of,
            step=step_ns / NANOSECONDS, integrator=integrator, threads=threads)
        self._write_inputs(CAR, np.array([car.powertrain.packed for car in cars], float).T)
        self._write_inputs(MEMORY, np.array([car.memory for car in cars], float).T)
        self.set_pedals([car.pedals for car in cars])

    @property
    def wheel_rotations(self) -> Array:
        """Angle that each wheel has turned since the last reset [rad], (cars, 4)."""
        return self._read('inputs', MEMORY + first_row(START, 'turned'), len(NO_WHEEL))

    def set_pedals(self, pedals: Sequence[PedalControls]) -> None:
        """Drive so from now on; pedals: of each car."""
        given = np.array(pedals, dtype=float)
        if given.shape != (len(self), len(PedalControls._fields)):
            raise ConfigurationError(
                f'there are pedals for {len(given)} cars, expected {len(self)}')
        self._write_inputs(CONTROLS, given.T)
