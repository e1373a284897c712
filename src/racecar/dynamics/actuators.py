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

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

from racecar.base.compiled import inlined
from racecar.base.elementary import settled
from racecar.base.errors import ConfigurationError
from racecar.base.packing import Flat, packing, Vector, vector
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AckermannCommand

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
    _row('steering_rate', 'Largest rate of the steering angle', 'rad/s', 1e9),
    Parameter('actuators.steering_gain', float, 1.0, 'Angle at the wheels over the commanded one',
              above=0.0, maximum=GAIN_LIMIT, read_only=True),
    Parameter('actuators.steering_offset', float, 0.0, 'Angle at the wheels where none is'
              ' commanded', unit='rad', minimum=-OFFSET_LIMIT, maximum=OFFSET_LIMIT,
              read_only=True),
    _row('speed_delay', 'Delay of the speed, a whole number of steps', 's', _LONGEST_DELAY),
    _row('speed_lag', 'Time constant of the speed', 's', 1000.0),
    _row('acceleration', 'Largest rate of the speed, up and down', 'm/s^2', 1e9),
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


# Numbers of the memory before the delay lines: outputs of speed and steering, where the oldest
# command lies in each delay line, integral of the speed over a tick.
SPEED_OUT, STEERING_OUT, SPEED_AT, STEERING_AT, DISTANCE, LINES = range(6)

load_channel, store_channel, CHANNEL_SIZE = packing(Channel)


@inlined
def respond(before: float, wanted: float, gain: float, largest_change: float) -> float:
    """Return the output of a channel after a step towards what is wanted; gain as in Channel.

    Selections in the place of branches, so that a loop over many channels vectorises.
    """
    change = gain * (wanted - before)
    # Without the rounding of a sum where there is neither lag nor limit.
    at_once = gain == 1.0 and abs(change) <= largest_change
    return wanted if at_once else settled(
        before + min(max(change, -largest_change), largest_change))


@inlined
def _next_output(
    memory: Flat, value: int, position: int, line: int, channel: Channel, command: float,
) -> float:
    """Advance a channel by a step; value, position, line: where it has its numbers in memory."""
    wanted = command
    if channel.delay_steps > 0.0:
        at = int(memory[position])
        wanted = memory[line + at]
        memory[line + at] = command
        memory[position] = float((at + 1) % int(channel.delay_steps))
    output = respond(memory[value], channel.scale * wanted + channel.offset, channel.gain,
                     channel.largest_change)
    memory[value] = output
    return output


@inlined
def actuate(
    memory: Flat, channels: Vector, speed: float, steering_angle: float, dt: float,
) -> tuple[float, float]:
    """Advance both channels by a step of dt [s]; return speed [m/s] and steering angle [rad].

    memory, channels: as Actuators has them; the distance in memory grows by the step's.
    """
    of_speed = load_channel(channels, 0, 1)
    of_steering = load_channel(channels, CHANNEL_SIZE, 1)
    speed_out = _next_output(memory, SPEED_OUT, SPEED_AT, LINES, of_speed, speed)
    steering_out = _next_output(
        memory, STEERING_OUT, STEERING_AT, LINES + int(of_speed.delay_steps), of_steering,
        steering_angle)
    memory[DISTANCE] += speed_out * dt
    return speed_out, steering_out


class Actuators:
    """Speed and steering channel of one vehicle, advanced step by step by actuate().

    memory: outputs, delay lines and distance as numbers; channels: two Channel as numbers.
    """

    def __init__(self, values: Mapping[str, Any], step: float) -> None:
        """Start at rest; values: rows of ACTUATOR_PARAMETERS, step of the integration [s].

        Raises ParameterError for a value out of range and ConfigurationError if a delay is not a
        whole number of steps.
        """
        own = ACTUATOR_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name in ACTUATOR_PARAMETERS})
        def pick(name: str) -> Any:
            return own[f'actuators.{name}']

        speed = _channel(
            'speed', pick('speed_delay'), pick('speed_lag'), pick('acceleration'), step)
        steering = _channel(
            'steering', pick('steering_delay'), pick('steering_lag'), pick('steering_rate'), step,
            pick('steering_gain'), pick('steering_offset'))
        self._step = step
        self.channels: Any = vector((*speed, *steering))
        self.memory: Any = vector(LINES + int(speed.delay_steps) + int(steering.delay_steps))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], step: float) -> Actuators | None:
        """Return the actuators, or None if all are off: then commands act at once."""
        if all(values.get(row.name, row.default) == row.default for row in ACTUATOR_PARAMETERS):
            return None
        return cls(values, step)

    @property
    def output(self) -> AckermannCommand:
        """Speed [m/s] and steering angle [rad] at the wheels."""
        return AckermannCommand(float(self.memory[SPEED_OUT]), float(self.memory[STEERING_OUT]))

    def step(self, command: AckermannCommand) -> AckermannCommand:
        """Advance by one step under a command and return the output."""
        return AckermannCommand(*actuate(self.memory, self.channels, *command, self._step))

    def stop(self) -> None:
        """Let the wheels stand; what is under way comes all the same."""
        self.memory[SPEED_OUT] = 0.0

    def reset(self) -> None:
        """Return to rest and forget what is under way."""
        self.memory[:] = vector(len(self.memory))


def _channel(
    name: str, delay: float, lag: float, rate: float, step: float, scale: float = 1.0,
    offset: float = 0.0,
) -> Channel:
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
