# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The numbers of one car side by side in an array, and the kernels that act on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.errors import DivergenceError
from racecar.base.rows import first_row, Numbers, Part
from racecar.base.types import AckermannCommand
from racecar.base.vectors import as_vector, Flat
from racecar.dynamics.actuators import Actuators, Channels
from racecar.dynamics.impulse import Body
from racecar.dynamics.vehicles.interface import Command, SPEED, STEERING_ANGLE, VehicleModel
from racecar.simulation.car_body import (
    asked_speed,
    body_with_slip,
    body_without_slip,
    car_body,
    Seen,
)
from racecar.simulation.obstacles import Outline
from racecar.simulation.tick import car_kernels, Clock, kind_of_car, one_car_parts, orders

Place = tuple[float, float, float]
"""x, y [m] and yaw [rad] in a state."""


class Change(NamedTuple):
    """Another vehicle from a tick on; channels: of its actuators, None without."""

    tick: int
    model: VehicleModel
    channels: Channels | None


class WheelRotations(NamedTuple):
    """Rotation of the wheels since the last reset [rad], positive forwards."""

    left_front: float
    right_front: float
    left_rear: float
    right_rear: float


class Propulsion(NamedTuple):
    """What moves a car in place of the kernel of a tick, e.g. with new inputs at each step.

    advance(state, inputs, parameters, limits, dt, steps): moves state and inputs on. Returns
    False, and leaves all as it is, if the state would leave its limits. memory: arrays that it
    changes besides these. How far the wheels turn is for its owner to know.
    """

    advance: Callable[[Flat, Flat, Flat, Flat, float, int], bool]
    memory: Sequence[Flat] = ()


class CarRows:
    """A car as its kernels see it: vehicle, command, actuators, state, and rotation of wheels.

    kind: decides about the kernels. parts: where what lies. rows: all numbers, as kernels take
    them; numbers: the same as an array. kernels: those for the inputs in force. model, channels:
    the vehicle and its actuators, None without. tick(steps): moves it on, by its kernel or by
    propulsion; whether the state is within its limits, else nothing changes; see Tick.
    """

    def __init__(
        self, model: VehicleModel, integrator: str, actuators: Actuators | None, clock: Clock,
        propulsion: Propulsion | None = None,
    ) -> None:
        """Let all numbers but those of vehicle and clock be 0."""
        self.kind = kind_of_car(model, integrator, actuated=actuators is not None)
        self.parts = one_car_parts(self.kind)
        self._order, self._clock, self.propulsion = orders(self.kind), clock, propulsion
        self.tick = self._tick if propulsion is None else functools.partial(
            self._propel, propulsion)
        by_command = car_kernels(self.kind, self.kind.equations)
        # Actuators do not know torques.
        by_wheels = self.kind.wheel_equations if actuators is None else None
        # By the number among the inputs that tells which.
        self._mode = -1 if by_wheels is None else first_row(by_wheels.inputs, 'mode')
        self._choice = by_command, by_command if by_wheels is None else car_kernels(
            self.kind, by_wheels)
        self.kernels = by_command
        self._lay_out(np.zeros(
            self.parts.lines + (0 if actuators is None else actuators.line_count)))
        self.put(self.parts.limits, model.state_limits)
        self.put(self.parts.clock, clock)
        self.become(model, None if actuators is None else actuators.channels)

    def _lay_out(self, numbers: NDArray[np.float64]) -> None:
        """Have all numbers in an array."""
        parts, self.numbers, self.rows = self.parts, numbers, as_vector(numbers)
        self.state, self.inputs, self.parameters, self.limits = (
            self.rows[part.first:part.after] for part in (
                parts.state, parts.inputs, parts.parameters, parts.limits))

    def lie_in(self, numbers: NDArray[np.float64]) -> None:
        """Have the numbers from now on in this array, which is as long as `rows`."""
        numbers[:] = self.numbers
        self._lay_out(numbers)

    def values(self, part: Part[Numbers]) -> tuple[float, ...]:
        """Numbers of a part now."""
        return tuple(self.numbers[part.first:part.after].tolist())

    def put(self, part: Part[Numbers], values: ArrayLike) -> None:
        """Let the numbers of a part be these."""
        self.numbers[part.first:part.after] = values

    def become(self, model: VehicleModel, channels: Channels | None) -> None:
        """Go on as another vehicle, whose equations and delays are those of this one."""
        self.model, self.channels = model, channels
        vehicle, parts = model.vehicle, self.parts
        self.put(parts.parameters, model.parameters)
        self.put(parts.command_limits, (
            vehicle.speed_min, vehicle.speed_max, *vehicle.steering_range))
        self.put(parts.channels, 0.0 if channels is None else np.ravel(channels))

    def warm_up_command(self) -> None:
        """Compile, or load from the cache, what takes a command; nothing changes."""
        rows = as_vector(self.numbers.copy())
        for kernels in {*self._choice}:
            kernels.set_command(rows, 0.0, 0.0)

    def warm_up(self) -> None:
        """Compile, or load from the cache, all kernels; nothing changes."""
        self.warm_up_command()
        rows = as_vector(self.numbers.copy())
        for kernels in {*self._choice}:
            kernels.tick(rows, 0)
            kernels.observe(rows)
            kernels.diagnose(rows)

    # Commands

    @property
    def command(self) -> AckermannCommand:
        """The command in force, within the vehicle's limits."""
        return AckermannCommand(*self.values(self.parts.command))

    def set_command(self, speed: float, steering_angle: float) -> bool:
        """Apply a command [m/s, rad] within the limits; False, changing nothing, if not finite."""
        kernels = self._choice[0]
        if not kernels.set_command(self.rows, speed, steering_angle):
            return False
        self.kernels = kernels
        return True

    def order(self, speed: float, steering_angle: float) -> None:
        """Apply a command, whatever its size."""
        self._order(self.rows, Command(speed, steering_angle))
        self.choose_kernels()

    def set_inputs(self, inputs: Sequence[float]) -> None:
        """Apply inputs of the model, past the actuators."""
        self.put(self.parts.inputs, inputs)
        self.put(self.parts.command, (inputs[SPEED], inputs[STEERING_ANGLE]))
        self.choose_kernels()

    def choose_kernels(self) -> None:
        """Take the kernels of the equations that the inputs are for."""
        if self._mode >= 0:
            self.kernels = self._choice[1 if self.inputs[self._mode] else 0]

    @property
    def under_way(self) -> Flat:
        """Commands on their way through the actuators, a copy."""
        return self.numbers[self.parts.memory.first:].copy()

    def hold_still(self, under_way: Flat) -> None:
        """Let nothing but the steering act, to which the commands that are under way lead."""
        first, steering_angle = self.parts.memory.first, self.command.steering_angle
        if self.channels is not None:
            self.numbers[first:] = under_way
            self.numbers[first + SPEED] = 0.0
            steering_angle = self.rows[first + STEERING_ANGLE]
        self.put(self.parts.inputs, 0.0)
        self.inputs[STEERING_ANGLE] = steering_angle
        self.choose_kernels()

    # Motion

    def _tick(self, steps: int) -> bool:
        return self.kernels.tick(self.rows, steps)

    def _propel(self, propulsion: Propulsion, steps: int) -> bool:
        valid = propulsion.advance(
            self.state, self.inputs, self.parameters, self.limits, self._clock.dt, steps)
        self.choose_kernels()
        return valid

    def begin(self, state: Sequence[float]) -> None:
        """Be in a state; wheels have not turned, and no command is under way."""
        self.put(self.parts.state, state)
        self.put(self.parts.travel, self.model.no_travel)
        self.numbers[self.parts.memory.first:] = 0.0

    def reach(self, speed: float) -> None:
        """Let the actuators have reached a speed [m/s]."""
        if self.channels is not None:
            first = self.parts.lines
            self.numbers[first:first + int(self.channels.speed.delay_steps)] = speed
            self.put(self.parts.memory, (speed, 0.0, 0.0, 0.0))

    def _moved(self) -> list[Flat]:
        """What motion changes, but for the inputs."""
        return [self.numbers[self.parts.state.first:], *(
            () if self.propulsion is None else self.propulsion.memory)]

    def copies(self) -> list[Flat]:
        """What put_back() takes: all that motion changes, but for the inputs."""
        return [copy(array) for array in self._moved()]

    def put_back(self, before: Sequence[Flat], inputs: Sequence[float] | None = None) -> None:
        """Undo what has moved since copies() were made; inputs: as they were, None: they stay."""
        for array, numbers in zip(self._moved(), before, strict=True):
            array[:] = numbers
        if inputs is not None:
            self.put(self.parts.inputs, inputs)
            self.choose_kernels()

    @property
    def outline(self) -> Outline:
        """What the car covers."""
        return Outline.of(self.model.vehicle.footprint)

    @property
    def _place_part(self) -> Part[Place]:
        state = self.parts.state
        return Part((0.0, 0.0, 0.0), state.first + first_row(state.example, 'x'))

    @property
    def place(self) -> Place:
        """x, y [m] and yaw [rad] in the state, of the point that the model counts from."""
        x, y, yaw = self.values(self._place_part)
        return x, y, yaw

    @place.setter
    def place(self, place: Place) -> None:
        self.put(self._place_part, place)

    def body(self) -> Body:
        """The car as a body that is hit."""
        car, names = car_body(self.model.vehicle, 0.0), self.model.state_names
        if 'yaw_rate' in names:
            return body_with_slip(
                Seen(*self.kernels.observe(self.rows)), car, 1.0 if 'vy' in names else 0.0, 1.0)
        speed = float(self.inputs[SPEED])
        return body_without_slip(self._seen_at(asked_speed(speed)), car, speed, 1.0)

    def _seen_at(self, speed: float) -> Seen:
        """What would be seen of the car at another speed in force [m/s]."""
        numbers = self.numbers.copy()
        numbers[self.parts.inputs.first + SPEED] = speed
        return Seen(*self.kernels.observe(as_vector(numbers)))

    def take(self, body: Body) -> None:
        """Go on with the motion of a body.

        A speed that is an input is in force until the next command, behind actuators until these
        have changed it.
        """
        names = self.model.state_names
        if 'vx' not in names:
            speed = body.vx / self._seen_at(1.0).vx
            self.inputs[SPEED] = speed
            if self.channels is not None:
                self.numbers[self.parts.memory.first + SPEED] = speed
        for name, value in (('vx', body.vx), ('vy', body.vy), ('yaw_rate', body.yaw_rate)):
            if name in names:
                self.state[names.index(name)] = value

    def acceleration(self) -> tuple[float, float, float]:
        """Acceleration [m/s^2, m/s^2, rad/s^2] as Simulator.acceleration() has it."""
        kernels, numbers, dt = self.kernels, self.numbers.copy(), self._clock.dt
        rows = as_vector(numbers)
        vx, vy, rate = kernels.observe(rows)[4:]
        kernels.tick(rows, 1)
        next_vx, next_vy, next_rate = kernels.observe(rows)[4:]
        return ((next_vx - vx) / dt - rate * vy, (next_vy - vy) / dt + rate * vx,
                (next_rate - rate) / dt)

    def divergence(self, start: float, end: float) -> DivergenceError:
        """Error of a state that leaves its limits between two times [s]."""
        model, command = self.model, self.command
        state = ', '.join(
            f'{name}={value:.6g}' for name, value in zip(
                model.state_names, self.values(self.parts.state), strict=True))
        limits = ', '.join(
            f'|{name}|<={limit:.3g}' for name, limit in zip(
                model.state_names, self.limits, strict=True))
        return DivergenceError(
            f'the integration of {model.description} left the range in which the model holds'
            f' between {start:.6g} s and {end:.6g} s; last good state {state};'
            f' command speed={command.speed:.6g} m/s,'
            f' steering_angle={command.steering_angle:.6g} rad; limits'
            f' {limits}. Either the car spins at a speed that no drive could hold: reset it and'
            f' steer less or drive slower; or the step of {self._clock.dt:.6g} s is too long for'
            ' its tyres: use a shorter one or tyre_model fiala, whose force is bounded')
