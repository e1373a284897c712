# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tick of one car as a kernel: command, actuators, steps, limits of the state, wheels.

All that a car consists of lies in one flat array, see OneCarParts; each argument more costs time
in the call from Python.
"""

from __future__ import annotations

from collections.abc import Callable
import functools
import math
from typing import NamedTuple, TypeVar

from racecar.base.compiled import compiled, importable, pure
from racecar.base.rows import load, Numbers, Part, store, within, zeros_of
from racecar.base.types import NANOSECONDS
from racecar.base.vectors import Flat
from racecar.dynamics.actuators import (
    ActuatorState,
    AT_REST,
    Channel,
    Channels,
    next_outputs,
    remembered,
)
from racecar.dynamics.integrators import step_function
from racecar.dynamics.vehicles.interface import (
    Command,
    Equations,
    NO_COMMAND,
    Travel,
    VehicleModel,
)
from racecar.simulation.engine import CommandLimits, limited
from racecar.simulation.layout import Layout

F = TypeVar('F', bound=Callable[..., object])


class CarKind(NamedTuple):
    """What decides about the kernels of a car; the first five as a VehicleModel has them.

    no_travel: of zeros. is_actuated: whether there are actuators.
    """

    equations: Equations
    wheel_equations: Equations | None
    no_travel: Travel
    travelled: Callable[..., Travel]
    integrator: str
    is_actuated: bool


def kind_of_car(model: VehicleModel, integrator: str, *, actuated: bool) -> CarKind:
    """Kind of a car with a model and a method."""
    return CarKind(
        model.equations, model.wheel_equations, (0.0,) * len(model.no_travel),
        pure(model.travelled), integrator, actuated)


class Clock(NamedTuple):
    """dt: step of the integration [s]; step_ns: the same [ns], a whole number."""

    dt: float
    step_ns: float


class OneCarParts(NamedTuple):
    """Where a car has its numbers; its delay lines, see actuators, lie from the row `lines` on.

    limits: of the state; command: the one in force; inputs: all of the model; travel: of the
    wheels; memory: of the actuators. From `state` on it is what steps change.
    """

    parameters: Part[Numbers]
    limits: Part[tuple[float, ...]]
    command_limits: Part[CommandLimits]
    channels: Part[Channels]
    clock: Part[Clock]
    command: Part[Command]
    inputs: Part[Numbers]
    state: Part[tuple[float, ...]]
    travel: Part[tuple[float, ...]]
    memory: Part[ActuatorState]
    lines: int


@functools.cache
def one_car_parts(kind: CarKind) -> OneCarParts:
    """Place the numbers of a car."""
    equations, layout = kind.equations, Layout(1)
    part, channel = layout.part, zeros_of(Channel)
    return OneCarParts(
        part(equations.parameters), part(equations.state),
        part(zeros_of(CommandLimits)),
        part(Channels(channel, channel)), part(Clock(0.0, 0.0)), part(NO_COMMAND),
        part((kind.wheel_equations or equations).inputs), part(equations.state),
        part(kind.no_travel), part(AT_REST), 0)._replace(lines=layout.rows)


def orders(kind: CarKind) -> Callable[[Flat, Command], None]:
    """Pure function (rows, command) that applies a command from now on, whatever its size."""
    parts = one_car_parts(kind)
    command_part, inputs_part, memory_part = parts.command, parts.inputs, parts.memory
    none, first_part = inputs_part.example, Part(NO_COMMAND, inputs_part.first)
    is_actuated = kind.is_actuated

    @importable
    def order(rows: Flat, command: Command) -> None:
        store(rows, command_part, 0, command)
        store(rows, inputs_part, 0, none)
        if is_actuated:
            memory = load(rows, memory_part, 0)
            store(rows, first_part, 0, (memory.speed, memory.steering_angle))
        else:
            store(rows, first_part, 0, command)

    return order


Tick = Callable[[Flat, int], bool]
"""tick(rows, steps): advance by so many steps; whether the state is within its limits after them.

If it is not, nothing changes. Without Numba, math functions raise ValueError or OverflowError
once the state is not finite.
"""


@functools.cache
def tick_function(kind: CarKind, equations: Equations) -> Tick:
    """Pure Tick of a kind by one of its equations. Raises ParameterError for an unknown method."""
    parts, travelled, hold = one_car_parts(kind), kind.travelled, equations.hold
    step = step_function(equations.rates, kind.integrator)
    state_part, parameters_part, limits_part = parts.state, parts.parameters, parts.limits
    clock_part, travel_part = parts.clock, parts.travel
    inputs_part = Part(equations.inputs, parts.inputs.first)
    first_part = Part(NO_COMMAND, parts.inputs.first)

    if not kind.is_actuated:
        @importable
        def tick(rows: Flat, steps: int) -> bool:
            before, car = load(rows, state_part, 0), load(rows, parameters_part, 0)
            speed, clock = load(rows, first_part, 0).speed, load(rows, clock_part, 0)
            held, state = hold(load(rows, inputs_part, 0), car), before
            for _ in range(steps):
                state = step(state, held, clock.dt)
            if not within(state, load(rows, limits_part, 0)):
                return False
            duration = steps * clock.step_ns / NANOSECONDS
            store(rows, state_part, 0, state)
            store(rows, travel_part, 0, travelled(
                load(rows, travel_part, 0), before, state, car, speed * duration,
                duration))
            return True

        return tick

    command_part, channels_part, memory_part = parts.command, parts.channels, parts.memory
    lines = parts.lines

    @importable
    def tick_actuated(rows: Flat, steps: int) -> bool:
        before, car = load(rows, state_part, 0), load(rows, parameters_part, 0)
        command, clock = load(rows, command_part, 0), load(rows, clock_part, 0)
        channels, memory = load(rows, channels_part, 0), load(rows, memory_part, 0)
        state, distance = before, 0.0
        for k in range(steps):
            memory = next_outputs(memory, channels, rows, lines, command, k)
            distance += memory.speed * clock.dt
            state = step(
                state, hold(Command(memory.speed, memory.steering_angle), car), clock.dt)
        if not within(state, load(rows, limits_part, 0)):
            return False
        duration = steps * clock.step_ns / NANOSECONDS
        store(rows, state_part, 0, state)
        store(rows, inputs_part, 0, (memory.speed, memory.steering_angle))
        store(rows, memory_part, 0, remembered(memory, channels, rows, lines, command, steps))
        store(rows, travel_part, 0, travelled(
            load(rows, travel_part, 0), before, state, car, distance, duration))
        return True

    return tick_actuated


# Calls are too short for other threads to take their turn.
def _short(function: F, signature: str) -> F:
    return compiled(function, signature, nogil=False)


class CarKernels:
    """Kernels of a car, each compiled when it is asked for; all act on rows of OneCarParts."""

    def __init__(self, kind: CarKind, equations: Equations) -> None:
        """Take a kind and one of its equations, which `equations` then are."""
        self._kind, self.equations = kind, equations
        parts = one_car_parts(kind)
        self._state, self._parameters = parts.state, parts.parameters
        self._inputs = Part(equations.inputs, parts.inputs.first)

    @functools.cached_property
    def tick(self) -> Tick:
        """Tick of the car. Raises ParameterError if the method is unknown."""
        return _short(
            tick_function(self._kind, self.equations), 'boolean(float64[::1], int64)')

    @functools.cached_property
    def set_command(self) -> Callable[[Flat, float, float], bool]:
        """Kernel of (rows, speed [m/s], steering_angle [rad]): apply them as the limits cut them.

        Whether they are finite; if not, nothing changes.
        """
        order, limits_part = orders(self._kind), one_car_parts(self._kind).command_limits

        def set_command(rows: Flat, speed: float, steering_angle: float) -> bool:
            if not (math.isfinite(speed) and math.isfinite(steering_angle)):
                return False
            order(rows, limited(Command(speed, steering_angle), load(rows, limits_part, 0)))
            return True

        return _short(set_command, 'boolean(float64[::1], float64, float64)')

    @functools.cached_property
    def observe(self) -> Callable[[Flat], tuple[float, ...]]:
        """Kernel of rows: pose and twist of the odometry point, see Equations."""
        observe = self.equations.observe
        state_part, inputs_part, parameters_part = self._state, self._inputs, self._parameters

        def observed(rows: Flat) -> tuple[float, ...]:
            return observe(load(rows, state_part, 0), load(rows, inputs_part, 0),
                           load(rows, parameters_part, 0))

        return _short(observed, '(float64[::1],)')

    @functools.cached_property
    def diagnose(self) -> Callable[[Flat], tuple[float, ...]]:
        """Kernel of rows: the fields of VehicleDiagnostics."""
        diagnose, hold = self.equations.diagnose, self.equations.hold
        state_part, inputs_part, parameters_part = self._state, self._inputs, self._parameters

        def diagnosed(rows: Flat) -> tuple[float, ...]:
            inputs, car = load(rows, inputs_part, 0), load(rows, parameters_part, 0)
            return diagnose(load(rows, state_part, 0), inputs, car, hold(inputs, car))

        return _short(diagnosed, '(float64[::1],)')


@functools.cache
def car_kernels(kind: CarKind, equations: Equations) -> CarKernels:
    """Kernels of a kind of cars by one of its equations."""
    return CarKernels(kind, equations)
