# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive by joystick: who holds a button drives, and whoever holds none leaves it to others."""

from __future__ import annotations

from collections.abc import Sequence
import math

from racecar.base.errors import MessageError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import AckermannCommand
from racecar.control.teleop.joystick_map import JoystickCommand, SPEED, STEERING_ANGLE

JOY_PARAMETERS = ParameterTable([
    Parameter('config_file', str, 'joystick/mit_racecar', 'Joystick map with buttons and axes, a'
              ' path or a name in the folder config/'),
    Parameter('idle_stops', bool, False, 'Tell the car to stop while no button is held, as the'
              ' original does: autonomy then drives only while its button is held'),
    Parameter('joy_timeout', float, 0.3, 'Age of the newest joystick message at which the car is'
              ' stopped', 's', above=0.0, maximum=5.0),
])

_STOP = AckermannCommand(0.0, 0.0)


class JoyDriver:
    """What a person at the joystick wants."""

    def __init__(self, commands: Sequence[JoystickCommand]) -> None:
        # The most buttons first, and of equally many whoever drives.
        self._commands = sorted(
            commands, key=lambda command: (-len(command.buttons), not command.drives))
        self._drove = False

    def command(
        self, axes: Sequence[float], buttons: Sequence[int], idle_stops: bool,
    ) -> AckermannCommand | None:
        """Command of the joystick; None to leave the car to others.

        After driving it says once that the car is to stop. Raises MessageError if the joystick
        lacks an axis of the map or says a number that is none.
        """
        pressed = {number for number, state in enumerate(buttons) if state}
        chosen = next((c for c in self._commands if c.buttons <= pressed), None)
        if chosen is None or not chosen.drives:
            return _STOP if self.let_go() or (idle_stops and chosen is None) else None
        values = dict(chosen.values)
        for axis, target, scale, offset in chosen.axes:
            if axis >= len(axes) or not math.isfinite(axes[axis]):
                found = f'is {axes[axis]}' if axis < len(axes) else 'is not there'
                raise MessageError(
                    f'axis {axis} of {chosen.name!r} {found}, expected a finite number; the'
                    f' joystick has {len(axes)} axes: choose another map with config_file')
            values[target] = scale * min(max(axes[axis], -1.0), 1.0) + offset
        self._drove = True
        return AckermannCommand(values.get(SPEED, 0.0), values.get(STEERING_ANGLE, 0.0))

    def let_go(self) -> bool:
        """Note that nobody drives from now on; tell whether somebody did."""
        drove, self._drove = self._drove, False
        return drove
