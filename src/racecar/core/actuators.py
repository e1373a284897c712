# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What lies between a command and the wheels: delay, lag and limited rate; off by default.

Per channel, in this order, once per integration step of length h:

    delay      the command of n = delay/h steps ago
    lag        q = q + (u - q)(1 - exp(-h/T)), the exact solution of T q' = u - q for a held u
    rate       the change of q per step is at most rate * h

T = 0 has no lag, rate 0 no limit. The vehicle sees q held over the step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
import math
from typing import Any, NamedTuple

from racecar.core.errors import ConfigurationError
from racecar.core.parameters import Parameter, ParameterTable
from racecar.core.types import AckermannCommand

_LONGEST_DELAY = 10.0
"""[s]"""
_MAX_STEPS = 10_000


def _row(name: str, text: str, unit: str, maximum: float) -> Parameter:
    return Parameter(f'actuators.{name}', float, 0.0, f'{text}; 0 none', unit=unit, minimum=0.0,
                     maximum=maximum, read_only=True)


ACTUATOR_PARAMETERS = ParameterTable([
    _row('steering_delay', 'Delay of the steering, a whole number of steps', 's', _LONGEST_DELAY),
    _row('steering_lag', 'Time constant of the steering', 's', 1000.0),
    _row('steering_rate', 'Largest rate of the steering angle', 'rad/s', 1e9),
    _row('speed_delay', 'Delay of the speed, a whole number of steps', 's', _LONGEST_DELAY),
    _row('speed_lag', 'Time constant of the speed', 's', 1000.0),
    _row('acceleration', 'Largest rate of the speed, up and down', 'm/s^2', 1e9),
])


class _Channel:
    """One quantity from command to output."""

    def __init__(self, name: str, delay: float, lag: float, rate: float, step: float) -> None:
        count = round(delay / step)
        if abs(delay - count * step) > 1e-9:
            raise ConfigurationError(
                f"parameter 'actuators.{name}_delay' is {delay:g} s, expected a whole number of"
                f' integration steps of {step:g} s')
        if count > _MAX_STEPS:
            raise ConfigurationError(
                f"parameter 'actuators.{name}_delay' is {delay:g} s, {count} integration steps of"
                f' {step:g} s, expected at most {_MAX_STEPS}; choose a longer step')
        self.lag_gain = 1.0 - math.exp(-step / lag) if lag > 0.0 else 1.0
        self.max_change = rate * step if rate > 0.0 else math.inf
        self.delay_line = deque([0.0] * count)
        self.value = 0.0

    def advance(self, command: float) -> float:
        self.delay_line.append(command)
        wanted = self.delay_line.popleft()
        change = self.lag_gain * (wanted - self.value)
        if self.lag_gain == 1.0 and abs(change) <= self.max_change:
            # Without the rounding of a sum.
            self.value = wanted
        else:
            self.value += min(max(change, -self.max_change), self.max_change)
        return self.value


class _Saved(NamedTuple):
    values: tuple[float, float]
    delay_lines: tuple[tuple[float, ...], tuple[float, ...]]


class Actuators:
    """Speed and steering channel of one vehicle, advanced step by step."""

    def __init__(self, values: Mapping[str, Any], step: float) -> None:
        """Start at rest; values: rows of ACTUATOR_PARAMETERS, step of the integration [s].

        Raises ParameterError for a value out of range and ConfigurationError if a delay is not a
        whole number of steps.
        """
        own = ACTUATOR_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name in ACTUATOR_PARAMETERS})
        def pick(name: str) -> Any:
            return own[f'actuators.{name}']

        self._step = step
        self._speed = _Channel(
            'speed', pick('speed_delay'), pick('speed_lag'), pick('acceleration'), step)
        self._steering = _Channel(
            'steering', pick('steering_delay'), pick('steering_lag'), pick('steering_rate'), step)
        self.distance = 0.0
        """Distance [m] at the speed of the steps since save()."""

    @classmethod
    def from_values(cls, values: Mapping[str, Any], step: float) -> Actuators | None:
        """Return the actuators, or None if all are off: then commands act at once."""
        if not any(values.get(row.name) for row in ACTUATOR_PARAMETERS):
            return None
        return cls(values, step)

    @property
    def output(self) -> AckermannCommand:
        """Speed [m/s] and steering angle [rad] at the wheels."""
        return AckermannCommand(self._speed.value, self._steering.value)

    def step(self, command: AckermannCommand) -> AckermannCommand:
        """Advance by one step under a command and return the output."""
        output = AckermannCommand(
            self._speed.advance(command.speed), self._steering.advance(command.steering_angle))
        self.distance += output.speed * self._step
        return output

    def reset(self) -> None:
        """Return to rest and forget what is under way."""
        for channel in (self._speed, self._steering):
            channel.value = 0.0
            channel.delay_line = deque([0.0] * len(channel.delay_line))

    def save(self) -> _Saved:
        """Return the present state for restore(), and measure the distance anew."""
        self.distance = 0.0
        channels = (self._speed, self._steering)
        return _Saved(
            (channels[0].value, channels[1].value),
            (tuple(channels[0].delay_line), tuple(channels[1].delay_line)))

    def restore(self, saved: _Saved) -> None:
        """Return to a state of save()."""
        for channel, value, delay_line in zip(
                (self._speed, self._steering), saved.values, saved.delay_lines, strict=True):
            channel.value = value
            channel.delay_line = deque(delay_line)
