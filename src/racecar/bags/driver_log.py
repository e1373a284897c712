# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver did and the car with it, from the driver/state of a bag."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

from racecar.analysis.driver_log import DriverLog, LAMPS, QUANTITIES
from racecar.bags import message_types
from racecar.bags.drive_reader import Columns, DriveReader, Progress, seconds
from racecar.bags.summary import BagSummary, find_topic
from racecar.ros import topics

# Named like the fields of the message.
_FIELDS = (*QUANTITIES, *LAMPS)
_COLUMNS = Columns(_FIELDS, attrgetter(*_FIELDS))


def read_driver_log(path: Path | str, progress: Progress | None = None) -> DriverLog:
    """What the driver did in a bag; header.stamp is the time base.

    progress: called with the number of messages read so far and in all. Raises BagError if the
    bag cannot be read or has no driver/state.
    """
    with DriveReader(path) as drive:
        rows = drive.rows(find_topic(
            drive.summary, (f'/{topics.DRIVER_STATE}',), message_types.DRIVER_STATE), _COLUMNS)
        drive.read(progress)
    rows.check()
    stamps = rows.stamps
    return DriverLog(drive.summary.name, seconds(stamps, int(stamps[0])),
                     dict(zip(_FIELDS, rows.table.T, strict=True)))


def has_driver_state(summary: BagSummary) -> bool:
    """Whether a bag holds what read_driver_log() reads."""
    return any(row.type_name == message_types.DRIVER_STATE for row in summary.topics)
