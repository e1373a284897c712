# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Linux joystick interface (/dev/input/js*): events as bytes, axes and buttons from them.

Format: Documentation/input/joydev/joystick-api.rst of the Linux kernel. Numbers, signs and dead
zone are those of joy_node of ROS: 1.0 is left or up, and behind the dead zone an axis begins at 0.
"""

from __future__ import annotations

import struct
from typing import TypeVar

# Time [ms], value, type, number of axis or button; in the order of bytes of this computer.
_EVENT = struct.Struct('=IhBB')
_BUTTON, _AXIS = 1, 2
# Besides: the value at the start, not a change.
_INITIAL = 0x80
_FULL = 32767.0

Value = TypeVar('Value')


class JoystickState:
    """Axes and buttons of a joystick as its events tell them; there are as many as it names."""

    def __init__(self, deadzone: float) -> None:
        """deadzone: share of an axis about its middle that counts as the middle, from 0 to 0.9."""
        self._deadzone = deadzone
        self._rest = b''
        self.axes: list[float] = []
        self.buttons: list[int] = []

    def feed(self, data: bytes) -> int:
        """Take over the events in data, which may end in one; return how many told a change."""
        data = self._rest + data
        whole = len(data) - len(data) % _EVENT.size
        self._rest = data[whole:]
        changes = 0
        for _, value, kind, number in _EVENT.iter_unpack(data[:whole]):
            if kind & ~_INITIAL == _AXIS:
                changes += _put(self.axes, number, self._axis(value), 0.0)
            elif kind & ~_INITIAL == _BUTTON:
                changes += _put(self.buttons, number, int(value != 0), 0)
        return changes

    def _axis(self, value: int) -> float:
        share = max(-1.0, value / _FULL)
        beyond = abs(share) - self._deadzone
        if beyond <= 0.0:
            return 0.0
        return -beyond / (1.0 - self._deadzone) if share > 0.0 else beyond / (1.0 - self._deadzone)


def _put(values: list[Value], index: int, value: Value, filling: Value) -> bool:
    """Set an element, with others before it where there are none; tell whether that changed it."""
    known = index < len(values)
    values.extend([filling] * (index + 1 - len(values)))
    changed = not known or values[index] != value
    values[index] = value
    return changed
