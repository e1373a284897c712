# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The message `clock`: simulated time, and how fast it goes."""

from __future__ import annotations

import time

from racecar.base.types import NANOSECONDS
from racecar.cockpit.frames import json_frame

# Over so long the factor is measured [s].
_SPAN = 1.0


class ClockMessage:
    """Measures the real-time factor of late."""

    def __init__(self) -> None:
        # Wall time [s] and simulated time [ns].
        self._times: list[tuple[float, int]] = []

    def frame(self, time_ns: int, wanted: object, *, paused: bool) -> bytes:
        """Frame for a simulated time [ns]; wanted: factor, None if that is not known."""
        now = time.monotonic()
        if self._times and time_ns < self._times[-1][1]:
            self._times.clear()
        self._times = [*(row for row in self._times if now - row[0] <= _SPAN), (now, time_ns)]
        wall, simulated = self._times[0]
        factor = (time_ns - simulated) / NANOSECONDS / (now - wall) if now > wall else 0.0
        return json_frame(
            'clock', time=max(time_ns, 0) / NANOSECONDS, factor=round(factor, 4),
            wanted_factor=wanted, paused=paused)
