# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What frames of the bridge say, read by the layout of docs/cockpit.md."""

import struct

import numpy as np

from racecar.cockpit.frames import STATE


def read_state(frames, columns):
    """Return times (n,) [s] and values (n,) by column of all frames of state."""
    times, values = [], []
    for frame in frames:
        if frame[0] == STATE:
            _, _, rows, width = struct.unpack_from('<BBHI', frame)
            times.append(np.frombuffer(frame, '<f8', rows, 8))
            values.append(np.frombuffer(
                frame, '<f4', rows * width, 8 + 8 * rows).reshape(rows, width))
    if not times:
        return np.empty(0), {}
    return np.concatenate(times), dict(zip(columns, np.concatenate(values).T, strict=True))
