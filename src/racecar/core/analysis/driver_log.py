# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver did and the car with it, from the driver/state of a bag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from racecar.core.analysis.bag_reader import BagReader, BagSummary
from racecar.core.analysis.metrics import Array
from racecar.core.analysis.run_data import find_topic
from racecar.core.errors import BagError
from racecar.core.types import NANOSECONDS

STATE_TOPICS = ('/driver/state',)
STATE_TYPE = 'racecar_interfaces/msg/DriverState'

QUANTITIES = ('speed', 'target_cruising_speed', 'rpm', 'engine_torque', 'gear', 'throttle',
              'brake_intensity', 'steering_angle', 'control_mode')
"""Fields of the message that are numbers, in SI units but for rpm [rev/min]."""

LAMPS = ('left_indicator_lit', 'right_indicator_lit', 'front_lights_lit', 'antifog_lights_lit',
         'brake_lights_lit', 'backwards_lights_lit')


@dataclass(frozen=True, eq=False)
class DriverLog:
    """Samples of driver/state: t (n,) [s] since the first, a column (n,) for each field.

    columns: QUANTITIES and LAMPS by name; lamps are 1 where lit.
    """

    name: str
    t: Array
    columns: dict[str, Array]

    @classmethod
    def from_bag(
        cls, path: Path | str, progress: Callable[[int, int], None] | None = None,
    ) -> DriverLog:
        """Read it from a bag; header.stamp is the time base.

        progress: called with the number of messages read so far and in all. Raises BagError if
        the bag cannot be read or has no driver/state.
        """
        with BagReader(path) as reader:
            topic = find_topic(reader.summary, STATE_TOPICS, STATE_TYPE)
            total = sum(row.message_count for row in reader.summary.topics if row.name == topic)
            rows = []
            for done, row in enumerate(reader.messages([topic]), start=1):
                stamp = row.message.header.stamp
                rows.append((
                    stamp.sec * NANOSECONDS + stamp.nanosec,
                    *(float(getattr(row.message, field)) for field in (*QUANTITIES, *LAMPS))))
                if progress is not None:
                    progress(done, total)
        if not rows:
            raise BagError(f"bag '{path}': {topic} has no messages; was its node running?")
        table = np.array(rows)
        return cls(
            Path(path).resolve().name, (table[:, 0] - table[0, 0]) / NANOSECONDS,
            dict(zip((*QUANTITIES, *LAMPS), table[:, 1:].T, strict=True)))

    def lit(self, lamp: str) -> list[tuple[float, float]]:
        """Return start and length [s] of the times for which a lamp of LAMPS is lit."""
        on = self.columns[lamp] != 0.0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
        times = np.append(self.t, self.t[-1])
        return [(float(times[first]), float(times[last] - times[first]))
                for first, last in edges.reshape(-1, 2)]


def has_driver_state(summary: BagSummary) -> bool:
    """Return whether a bag holds what DriverLog reads."""
    return any(row.type_name == STATE_TYPE for row in summary.topics)
