# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels from a bag."""

from __future__ import annotations

from collections.abc import Iterator

from racecar.analysis.tyre_data import pair_samples, TyreCurve, TyreData
from racecar.bags import message_types
from racecar.bags.drive_reader import Columns, DriveReader, Rows, seconds, time_of_recording
from racecar.base.types import WHEEL_NAMES
from racecar.ros import topics

_NUMBER = Columns(('data',), lambda message: (message.data,))


class TyreRows:
    """Rows of the wheel topics of one car."""

    def __init__(self, drive: DriveReader, namespace: str) -> None:
        """Ask for those below a namespace, as /car1 or an empty one."""
        def wanted(name: str) -> Rows:
            topic = drive.beside(message_types.NUMBER, name, namespace=namespace)
            return drive.rows(topic, _NUMBER, time_of_recording)

        self._rows = {(quantity, wheel): wanted(f'{quantity}/{wheel}')
                      for quantity in topics.WHEELS for wheel in WHEEL_NAMES}

    def data(self) -> TyreData | None:
        """What was read; None if no force has its slip."""
        starts = [int(rows.stamps[0]) for rows in self._rows.values() if rows.count]
        if not starts:
            return None
        found = TyreData(
            dict(self._curves(
                topics.WHEEL_SLIP, topics.WHEEL_LONGITUDINAL_FORCE, min(starts))),
            dict(self._curves(
                topics.WHEEL_SLIP_ANGLE, topics.WHEEL_LATERAL_FORCE, min(starts))))
        return found if found.fx or found.fy else None

    def _curves(
        self, slip_topic: str, force_topic: str, origin_ns: int,
    ) -> Iterator[tuple[str, TyreCurve]]:
        for wheel in WHEEL_NAMES:
            slip, force = self._rows[slip_topic, wheel], self._rows[force_topic, wheel]
            if not (slip.count and force.count):
                continue
            first, second = pair_samples(slip.stamps, force.stamps)
            if first.size:
                yield wheel, TyreCurve(seconds(slip.stamps[first], origin_ns),
                                       slip.table[first, 0], force.table[second, 0])
