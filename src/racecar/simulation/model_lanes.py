# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a block that move by the equations of a vehicle model, with actuators or without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import functools
import sys
from typing import cast, NamedTuple

import numpy as np

from racecar.base.compiled import importable
from racecar.base.rows import field_names, first_row, load, Numbers, Part, store, zeros_of
from racecar.base.vectors import Flat, vector
from racecar.dynamics.actuators import Channel, respond
from racecar.dynamics.vehicles.interface import (
    Command,
    Equations,
    NO_COMMAND,
    SPEED,
    STEERING_ANGLE,
)
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.dead_reckoning import rolling_of
from racecar.simulation.engine import (
    CommandLimits,
    integration,
    limited,
    motion_parts,
    MotionParts,
)
from racecar.simulation.lanes import Before, DrivenTick, LaneCar, LaneNumbers, MovingParts
from racecar.simulation.layout import lane_rows, LANES, Layout, Loop
from racecar.simulation.simulator import Simulator


class HeldChannel(NamedTuple):
    """A Channel of racecar.dynamics.actuators whose commands are held for a tick.

    The command under way is that of `ticks` ticks ago, in the first `steps` steps of a tick that
    of one tick more.
    """

    ticks: float
    steps: float
    gain: float
    largest_change: float
    scale: float
    offset: float


class Channels(NamedTuple):
    """Both channels of the actuators."""

    speed: HeldChannel
    steering: HeldChannel


_CHANNEL = zeros_of(HeldChannel)
NO_CHANNELS = Channels(_CHANNEL, _CHANNEL)


class UnderWay(NamedTuple):
    """Commands that arrive in a tick: of each channel in its first steps, and then."""

    speed_older: float
    speed_newer: float
    steering_older: float
    steering_newer: float


class CommandedCar(NamedTuple):
    """Parameters of the equations, and limits of the commands."""

    model: Numbers
    limits: CommandLimits


class OwnParts(NamedTuple):
    """Where the equations and the actuators have what is theirs alone."""

    motion: MotionParts
    under_way: Part[UnderWay]


class DelayLines:
    """The last commands of the cars of a block, as many as the longest delay takes.

    Rows of the last `depth` commands of speed, then of steering; that of a tick lies in row
    tick % depth.
    """

    def __init__(self, *, actuated: bool) -> None:
        """actuated: whether there are actuators, without which nothing is kept."""
        self._is_actuated = actuated
        self.depth = 0
        self._rows: Flat = vector(0)

    def most_ticks(self, steps: int) -> int:
        """As many as one likes."""
        return sys.maxsize

    def add(self, line: Channels) -> Channels:
        """Take in channels, which are for the rows as they are."""
        if self._is_actuated:
            self.depth = max(self.depth, *(int(np.max(channel.ticks)) + 2 for channel in line))
        return line

    def numbers(self, first: int, ticks: int, steps: int) -> Flat:
        """The rows."""
        if len(self._rows) != 2 * self.depth * LANES:
            self._rows = lane_rows(2 * self.depth)
        rows: Flat = self._rows
        return rows


class ModelMotion(NamedTuple):
    """Equations, a method and perhaps actuators. See LaneMotion."""

    equations: Equations
    integrator: str
    is_actuated: bool

    @property
    def name(self) -> str:
        """Name of the equations."""
        return self.equations.name

    @property
    def state(self) -> Numbers:
        """State of the equations."""
        return self.equations.state

    @property
    def inputs(self) -> Command:
        """Command in force, behind actuators what these make of it."""
        return NO_COMMAND

    @property
    def parameters(self) -> CommandedCar:
        """Parameters of the equations, and limits."""
        return CommandedCar(self.equations.parameters, zeros_of(CommandLimits))

    @property
    def command(self) -> Command:
        """Speed and steering angle."""
        return NO_COMMAND

    @property
    def line(self) -> Channels:
        """Channels of the actuators."""
        return NO_CHANNELS

    @property
    def observe(self) -> Callable[..., tuple[float, ...]]:
        """Observation of the equations."""
        return _observation(self.equations)

    @property
    def rolling(self) -> Callable[..., float]:
        """Speed at which the rear wheels of the equations roll."""
        return _rolling(self.equations)

    @property
    def pushed(self) -> tuple[int | None, int | None]:
        """Lateral state and yaw rate."""
        state = self.equations.state
        fields = field_names(state)
        lateral, turning = (
            next((first_row(state, name) for name in names if name in fields), None)
            for names in (('vy', 'beta'), ('yaw_rate',)))
        return lateral, turning

    def place(self, layout: Layout) -> tuple[Part[Numbers], OwnParts]:
        """Place what moves, and commands under way.

        Raises ParameterError if the method is unknown.
        """
        motion = motion_parts(layout, self.equations, self.integrator)
        return motion.state, OwnParts(motion, layout.part(zeros_of(UnderWay)))

    def drive(self, parts: MovingParts) -> Loop:
        """Function that advances by a tick. Raises ParameterError if the method is unknown."""
        own: OwnParts = parts.own
        return (_driving_actuated if self.is_actuated else _driving_at_once)(
            self.equations, integration(self.equations, self.integrator, own.motion), parts)

    def lines(self) -> DelayLines:
        """Delay lines of the actuators."""
        return DelayLines(actuated=self.is_actuated)


@functools.cache
def _observation(
    equations: Equations,
) -> Callable[..., tuple[float, ...]]:
    observe = equations.observe

    @importable
    def observed(state: Numbers, inputs: Numbers, car: CommandedCar) -> tuple[float, ...]:
        return observe(state, inputs, car.model)

    return observed


@functools.cache
def _rolling(equations: Equations) -> Callable[..., float]:
    rolling = rolling_of(equations)

    @importable
    def rolled(state: Numbers, car: CommandedCar, vx: float) -> float:
        return rolling(state, car.model, vx)

    return rolled


def _driving_at_once(equations: Equations, integrate: Loop, parts: MovingParts) -> Loop:
    """Pure function that advances by a tick; the commands act at once."""
    hold, state_part, held_part = equations.hold, parts.state, parts.own.motion.held
    inputs_part, command_part = (cast(Part[Command], p) for p in (parts.inputs, parts.command))
    parameters_part = cast(Part[CommandedCar], parts.parameters)
    before_part, status_part = parts.before, parts.status

    @importable
    def drive_at_once(rows: Flat, lines: Flat, count: int, tick: DrivenTick) -> None:
        for i in range(count):
            car = load(rows, parameters_part, i)
            given = limited(load(rows, command_part, i), car.limits)
            # A divergence takes back the motion, but not the command, which is the last one then.
            goes_on, last = load(rows, status_part, i).diverged < 0.0, load(rows, inputs_part, i)
            inputs = Command(given.speed if goes_on else last.speed,
                             given.steering_angle if goes_on else last.steering_angle)
            store(rows, inputs_part, i, inputs)
            store(rows, before_part, i, Before(load(rows, state_part, i), inputs))
            store(rows, held_part, i, hold(inputs, car.model))
        integrate(rows, count, tick.dt, tick.steps)

    return drive_at_once


@importable
def _arriving(
    before: float, older: float, newer: float, channel: HeldChannel, step: float,
) -> float:
    """Output of a channel after a step, of which so many came before in the tick."""
    return respond(
        before, channel.scale * (older if step < channel.steps else newer) + channel.offset,
        channel.gain, channel.largest_change)


def _driving_actuated(equations: Equations, integrate: Loop, parts: MovingParts) -> Loop:
    """Pure function that advances by a tick; the commands act through actuators."""
    hold, state_part, held_part = equations.hold, parts.state, parts.own.motion.held
    inputs_part, command_part = (cast(Part[Command], p) for p in (parts.inputs, parts.command))
    parameters_part = cast(Part[CommandedCar], parts.parameters)
    channels_part, before_part = cast(Part[Channels], parts.line), parts.before
    under_way_part: Part[UnderWay] = parts.own.under_way

    @importable
    def drive_actuated(rows: Flat, lines: Flat, count: int, tick: DrivenTick) -> None:
        depth, now = tick.depth, tick.number % tick.depth
        if tick.number == 0:
            # Before its first command a car is driven at the speed that it starts with.
            for i in range(count):
                for row in range(depth):
                    lines[row * LANES + i] = load(rows, inputs_part, i).speed
        for i in range(count):
            store(rows, before_part, i, Before(
                load(rows, state_part, i), load(rows, inputs_part, i)))
            command = limited(load(rows, command_part, i), load(rows, parameters_part, i).limits)
            lines[now * LANES + i] = command.speed
            lines[(depth + now) * LANES + i] = command.steering_angle
        for i in range(count):
            channels = load(rows, channels_part, i)
            speed_at = now - int(channels.speed.ticks)
            speed_at += depth if speed_at < 0 else 0
            speed_older = speed_at - 1 if speed_at > 0 else depth - 1
            steering_at = now - int(channels.steering.ticks)
            steering_at += depth if steering_at < 0 else 0
            steering_older = steering_at - 1 if steering_at > 0 else depth - 1
            store(rows, under_way_part, i, UnderWay(
                lines[speed_older * LANES + i], lines[speed_at * LANES + i],
                lines[(depth + steering_older) * LANES + i],
                lines[(depth + steering_at) * LANES + i]))
        for step in range(tick.steps):
            for i in range(count):
                before, channels = load(rows, inputs_part, i), load(rows, channels_part, i)
                u = load(rows, under_way_part, i)
                inputs = Command(
                    _arriving(before.speed, u.speed_older, u.speed_newer, channels.speed,
                              float(step)),
                    _arriving(before.steering_angle, u.steering_older, u.steering_newer,
                              channels.steering, float(step)))
                store(rows, inputs_part, i, inputs)
                store(rows, held_part, i, hold(inputs, load(rows, parameters_part, i).model))
            integrate(rows, count, tick.dt, 1)

    return drive_actuated


def command_limits(vehicle: VehicleParameters) -> CommandLimits:
    """Limits of a vehicle's commands, or columns of them."""
    return CommandLimits(vehicle.speed_min, vehicle.speed_max, *vehicle.steering_range)


def held_channels(channels: Iterable[Channel], steps: int) -> Channels:
    """Speed and steering of actuators whose commands are held for so many steps."""
    def held(channel: Channel) -> HeldChannel:
        ticks, rest = divmod(int(channel.delay_steps), steps)
        return HeldChannel(float(ticks), float(rest), *channel[1:])

    return Channels(*map(held, channels))


def lane_car(simulator: Simulator) -> LaneCar:
    """A simulator whose kernels do what its ticks do, for a block."""
    return LaneCar(
        ModelMotion(
            simulator.model.equations, simulator.integrator, simulator.car.kind.is_actuated),
        simulator.step_ns, functools.partial(_numbers, simulator))


def _numbers(simulator: Simulator) -> LaneNumbers:
    model, channels, inputs = simulator.model, simulator.channels, simulator.inputs
    return LaneNumbers(
        simulator.state, (inputs[SPEED], inputs[STEERING_ANGLE]),
        CommandedCar(tuple(model.parameters), command_limits(model.vehicle)), model.state_limits,
        NO_CHANNELS if channels is None else held_channels(
            channels, simulator.steps_per_tick))
