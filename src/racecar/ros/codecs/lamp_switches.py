# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Switches of the lamps: racecar_interfaces/LampSwitches."""

from __future__ import annotations

import math
import struct

from racecar.base.errors import MessageError
from racecar.base.frames import BASE_LINK
from racecar.base.types import LampSwitches
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec
from racecar.ros.interfaces import LampSwitches as LampSwitchesMessage
from racecar.ros.wire import aligned, MessageTemplate, read_header, reads

_SWITCHES = struct.Struct(f'<{len(LampSwitches._fields) - 1}?')
_PERIOD = struct.Struct('<d')


@reads(LampSwitchesMessage)
def read_lamp_switches(data: bytes) -> tuple[LampSwitches, int]:
    """Switches and stamp [ns]. Raises MessageError."""
    time_ns, _, offset = read_header(data, 1)
    switches: tuple[bool, ...] = _SWITCHES.unpack_from(data, offset)
    period, = _PERIOD.unpack_from(data, aligned(offset + _SWITCHES.size, _PERIOD.size))
    if not math.isfinite(period):
        raise MessageError(f'indicator_period is {period} s, expected a finite number')
    return LampSwitches._make((*switches, period)), time_ns


def lamp_switches_template(frame: str = BASE_LINK) -> MessageTemplate:
    """Message to be filled with stamp and LampSwitches; frame: base_link of the car."""
    message = LampSwitchesMessage()
    message.header.frame_id = frame
    return MessageTemplate(message, ('header.stamp', *LampSwitches._fields))


class LampSwitchesCodec(Codec):
    """Which lamps are switched on, latched: whoever comes late knows it, too."""

    value_type = LampSwitches
    message_type = LampSwitchesMessage
    topic = topics.DRIVER_LAMPS
    profile = qos.LATCHED

    def decode(self, data: bytes) -> tuple[LampSwitches, int]:
        """Switches and stamp [ns]. Raises MessageError."""
        return read_lamp_switches(data)


CODECS = (LampSwitchesCodec(),)
