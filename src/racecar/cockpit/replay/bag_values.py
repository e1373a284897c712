# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of core from messages of a bag; of what anybody may have recorded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from racecar.bags.body_states import body_state
from racecar.bags.reader import stamp_ns
from racecar.base.types import AckermannCommand, JointStates, Odometry
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


def reference_of(message: Any, time_ns: int) -> Odometry | None:
    """Return the planar part of an Odometry; None if its numbers are not finite."""
    state = body_state(message)
    return None if state is None else Odometry.of_body(time_ns, state)


def joint_states(message: Any) -> JointStates | None:
    """Return names and positions of a JointState; None if they do not fit each other."""
    names, positions = tuple(message.name), tuple(map(float, message.position))
    if len(names) != len(positions) or not all(map(math.isfinite, positions)):
        return None
    return JointStates(names, positions, ())


def ackermann(message: Any) -> AckermannCommand:
    """Return the command of an AckermannDriveStamped."""
    return AckermannCommand(float(message.drive.speed), float(message.drive.steering_angle))


def twist_command(message: Any) -> AckermannCommand:
    """Return the speed of a TwistStamped as a command without steering."""
    return AckermannCommand(float(message.twist.linear.x), math.nan)


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
