# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What lies between command and wheels: delay, gain, lag, limited rate; off by default.

Per channel, in this order, once per integration step of length h:

    delay      the command of n = delay/h steps ago
    gain       u = gain * command + offset: what the servo makes of the commanded angle
    lag        q = q + (u - q)(1 - exp(-h/T)), the exact solution of T q' = u - q for a held u
    rate       the change of q per step is at most rate * h

T = 0 has no lag, rate 0 no limit. Only the steering has a gain and an offset. The vehicle sees q
held over the step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import settled
from racecar.base.errors import ConfigurationError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AckermannCommand
from racecar.base.values import number_of, Values
from racecar.base.vectors import Flat, Vector
from racecar.dynamics.vehicles.interface import Command

_LONGEST_DELAY = 10.0
"""[s]"""
_MAX_STEPS = 10_000


GAIN_LIMIT, OFFSET_LIMIT = 10.0, 1.0
"""Largest gain [-] and offset [rad] of the steering."""


def _row(name: str, text: str, unit: str, maximum: float) -> Parameter:
    return Parameter(f'actuators.{name}', float, 0.0, f'{text}; 0 none', unit=unit, minimum=0.0,
                     maximum=maximum, read_only=True)


ACTUATOR_PARAMETERS = ParameterTable([
    _row('steering_delay', 'Delay of the steering, a whole number of steps', 's', _LONGEST_DELAY),
    _row('steering_lag', 'Time constant of the steering', 's', 1000.0),
    _row('steering_rate', 'Maximum rate of the steering angle', 'rad/s', 1e9),
    Parameter('actuators.steering_gain', float, 1.0, 'Angle at the wheels over the commanded one',
              above=0.0, maximum=GAIN_LIMIT, read_only=True),
    Parameter('actuators.steering_offset', float, 0.0, 'Angle at the wheels where none is'
              ' commanded', unit='rad', minimum=-OFFSET_LIMIT, maximum=OFFSET_LIMIT,
              read_only=True),
    _row('speed_delay', 'Delay of the speed, a whole number of steps', 's', _LONGEST_DELAY),
    _row('speed_lag', 'Time constant of the speed', 's', 1000.0),
    _row('acceleration', 'Maximum rate of the speed, up and down', 'm/s^2', 1e9),
])


class Channel(NamedTuple):
    """One quantity from command to output.

    delay_steps: of the delay line; gain: share of the way to the command that the lag covers in a
    step; largest_change: of the output in a step; scale, offset: of the command.
    """

    delay_steps: float
    gain: float
    largest_change: float
    scale: float
    offset: float


class Channels(NamedTuple):
    """Both channels."""

    speed: Channel
    steering: Channel


class ActuatorState(NamedTuple):
    """What actuators remember besides the commands under way.

    speed [m/s], steering_angle [rad]: outputs; speed_at, steering_at: where the oldest command
    lies in each delay line.
    """

    speed: float
    steering_angle: float
    speed_at: float
    steering_at: float


AT_REST = ActuatorState(0.0, 0.0, 0.0, 0.0)


@pure
def respond(before: float, wanted: float, gain: float, largest_change: float) -> float:
    """Output of a channel after a step towards what is wanted; gain as in Channel.

    Selections in the place of branches, so that a loop over many channels vectorises.
    """
    change = gain * (wanted - before)
    # Without the rounding of a sum where there is neither lag nor limit.
    at_once = gain == 1.0 and abs(change) <= largest_change
    return wanted if at_once else settled(
        before + min(max(change, -largest_change), largest_change))


@pure
def _next_output(
    before: float, channel: Channel, line: Vector, first: int, command: float, k: int,
) -> float:
    """Output of a channel after a step; first: row of the oldest command if k is 0."""
    wanted = line[first] if k < int(channel.delay_steps) else command
    return respond(
        before, channel.scale * wanted + channel.offset, channel.gain, channel.largest_change)


@pure
def _place(line: int, at: float, channel: Channel, k: int) -> int:
    """Row of the command that was the oldest of a delay line k steps ago, or is the newest now."""
    return line + (int(at) + k) % max(int(channel.delay_steps), 1)


@pure
def next_outputs(
    state: ActuatorState, channels: Channels, rows: Vector, lines: int, command: Command, k: int,
) -> ActuatorState:
    """State with the outputs after step k of those that a command is held for.

    rows: have the delay lines, that of the speed and then that of the steering, from the row
    `lines` on. They and speed_at, steering_at stay those before step 0, see remembered().
    """
    speed, steering = channels
    return ActuatorState(
        _next_output(state.speed, speed, rows, _place(lines, state.speed_at, speed, k),
                     command.speed, k),
        _next_output(state.steering_angle, steering, rows, _place(
            lines + int(speed.delay_steps), state.steering_at, steering, k),
            command.steering_angle, k),
        state.speed_at, state.steering_at)


@pure
def remembered(
    state: ActuatorState, channels: Channels, rows: Flat, lines: int, command: Command,
    steps: int,
) -> ActuatorState:
    """State after so many steps under a command, which is written into the delay lines."""
    speed, steering = channels
    for k in range(min(steps, int(speed.delay_steps))):
        rows[_place(lines, state.speed_at, speed, k)] = command.speed
    second = lines + int(speed.delay_steps)
    for k in range(min(steps, int(steering.delay_steps))):
        rows[_place(second, state.steering_at, steering, k)] = command.steering_angle
    return ActuatorState(
        state.speed, state.steering_angle,
        float(_place(0, state.speed_at, speed, steps)),
        float(_place(0, state.steering_at, steering, steps)))


class Actuators:
    """Speed and steering channel of one vehicle, advanced step by step.

    channels: as they are made from values; line_count: numbers in both delay lines.
    """

    def __init__(self, values: Values, step: float) -> None:
        """Start at rest; values: rows of ACTUATOR_PARAMETERS, step of the integration [s].

        Raises ParameterError for a value out of range and ConfigurationError if a delay is not a
        whole number of steps.
        """
        own = ACTUATOR_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name in ACTUATOR_PARAMETERS})
        self.channels = Channels(
            _channel(own, 'speed', 'acceleration', step),
            _channel(own, 'steering', 'steering_rate', step))
        self.line_count = sum(int(channel.delay_steps) for channel in self.channels)
        self._state, self._lines = AT_REST, [0.0] * self.line_count

    @classmethod
    def from_values(cls, values: Values, step: float) -> Actuators | None:
        """Actuators, or None if all are off: then commands act at once."""
        if all(values.get(row.name, row.default) == row.default for row in ACTUATOR_PARAMETERS):
            return None
        return cls(values, step)

    def step(self, command: AckermannCommand) -> AckermannCommand:
        """Advance by one step under a command; the output [m/s, rad]."""
        wanted = Command(*command)
        after = next_outputs(self._state, self.channels, self._lines, 0, wanted, 0)
        self._state = remembered(after, self.channels, self._lines, 0, wanted, 1)
        return AckermannCommand(after.speed, after.steering_angle)


def _channel(values: Values, name: str, rate_name: str, step: float) -> Channel:
    delay, lag, scale, offset = (
        number_of(values, f'actuators.{name}_{part}', default) for part, default in (
            ('delay', None), ('lag', None), ('gain', 1.0), ('offset', 0.0)))
    rate = number_of(values, f'actuators.{rate_name}')
    count = round(delay / step)
    if abs(delay - count * step) > 1e-9:
        raise ConfigurationError(
            f"parameter 'actuators.{name}_delay' is {delay:g} s, expected a whole number of"
            f' integration steps of {step:g} s')
    if count > _MAX_STEPS:
        raise ConfigurationError(
            f"parameter 'actuators.{name}_delay' is {delay:g} s, {count} integration steps of"
            f' {step:g} s, expected at most {_MAX_STEPS}; choose a longer step')
    return Channel(
        count, 1.0 - math.exp(-step / lag) if lag > 0.0 else 1.0,
        rate * step if rate > 0.0 else math.inf, scale, offset)
