# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stamps of the messages of a bag, and what the page is told of some of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from racecar.bags.message_values import stamp_ns
from racecar.cockpit.frames import scan_frame

_LEVELS = {10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal'}
_LEAST_LEVEL = 20


class Stamps:
    """Times of messages by one clock, also of those whose stamp nobody has filled in.

    Such a message counts as stamped as long after it was recorded as the odometry is: the stamps
    of a simulation begin at 0, where the recorder has the time of the day.
    """

    def __init__(self, offset_ns: int = 0) -> None:
        """offset_ns: stamp less time of recording of an odometry message [ns]."""
        self._offset_ns = offset_ns

    def of(self, message: Any, log_time_ns: int) -> int:
        """Return the stamp of a message that was recorded at a time [ns]."""
        return stamp_ns(message) or log_time_ns + self._offset_ns

    def note(self, message: Any, log_time_ns: int) -> None:
        """Compare stamp and time of recording of an odometry message, if it has a stamp."""
        stamp = stamp_ns(message)
        if stamp:
            self._offset_ns = stamp - log_time_ns


def scan_of(message: Any, time: float, robot: int) -> bytes:
    """Return the frame of a LaserScan; what is out of its range is infinite. time [s]."""
    ranges = np.asarray(message.ranges, np.float64)
    seen = (ranges >= message.range_min) & (ranges <= message.range_max)
    return scan_frame(robot, time, message.angle_min, message.angle_increment,
                      np.where(seen, ranges, np.inf))


def log_fields(message: Any) -> dict[str, str] | None:
    """Return the fields of the message `log`; None for what is for debugging."""
    if message.level < _LEAST_LEVEL:
        return None
    return {'level': _LEVELS.get(message.level, 'info'), 'node': message.name,
            'text': message.msg}
