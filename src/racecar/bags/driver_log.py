# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver did and the car with it, from the driver/state of a bag."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from racecar.analysis.driver_log import DriverLog, LAMPS, QUANTITIES
from racecar.bags import message_types
from racecar.bags.reader import BagMessage, BagReader, stamp_ns
from racecar.bags.summary import BagSummary, find_topic
from racecar.base.errors import BagError
from racecar.base.types import NANOSECONDS
from racecar.ros import topics

# Named like the fields of the message.
_COLUMNS = (*QUANTITIES, *LAMPS)


def read_driver_log(
    path: Path | str, progress: Callable[[int, int], None] | None = None,
) -> DriverLog:
    """Read what the driver did from a bag; header.stamp is the time base.

    progress: called with the number of messages read so far and in all. Raises BagError if the
    bag cannot be read or has no driver/state.
    """
    with BagReader(path) as reader:
        topic = find_topic(
            reader.summary, (f'/{topics.DRIVER_STATE}',), message_types.DRIVER_STATE)
        stamps: list[int] = []
        rows: list[tuple[float, ...]] = []

        def take(row: BagMessage) -> None:
            stamps.append(stamp_ns(row.message))
            rows.append(tuple(float(getattr(row.message, field)) for field in _COLUMNS))

        reader.hand_out({topic: take}, progress)
    if not rows:
        raise BagError(f"bag '{path}': {topic} has no messages; was its node running?")
    return DriverLog(
        Path(path).resolve().name, (np.array(stamps) - stamps[0]) / NANOSECONDS,
        dict(zip(_COLUMNS, np.array(rows).T, strict=True)))


def has_driver_state(summary: BagSummary) -> bool:
    """Return whether a bag holds what read_driver_log reads."""
    return any(row.type_name == message_types.DRIVER_STATE for row in summary.topics)
