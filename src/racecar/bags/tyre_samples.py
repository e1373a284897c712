# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels from a bag."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import numpy as np

from racecar.analysis.tyre_data import pair_samples, TyreCurve, TyreData
from racecar.bags import message_types
from racecar.bags.reader import BagMessage
from racecar.bags.summary import BagSummary
from racecar.base.types import NANOSECONDS, WHEEL_NAMES
from racecar.ros import topics


class TyreSamples:
    """Collects the messages of the wheel topics of one car."""

    def __init__(self, summary: BagSummary, namespace: str) -> None:
        """Look for the topics below a namespace, as /car1 or an empty one."""
        there = {row.name for row in summary.topics if row.type_name == message_types.NUMBER}
        self._names = {
            (quantity, wheel): f'{namespace}/{quantity}/{wheel}'
            for quantity in topics.WHEELS
            for wheel in WHEEL_NAMES}
        self._times = {
            name: array('q') for name in self._names.values() if name in there}
        self._values = {name: array('d') for name in self._times}

    @property
    def topics(self) -> list[str]:
        """Those that the bag has."""
        return list(self._times)

    def add(self, row: BagMessage) -> None:
        """Take a message of one of the topics."""
        self._times[row.topic].append(row.log_time_ns)
        self._values[row.topic].append(row.message.data)

    def data(self) -> TyreData | None:
        """Return what was recorded; None if no force has its slip."""
        starts = [times[0] for times in self._times.values() if times]
        if not starts:
            return None
        origin_ns = min(starts)
        found = TyreData(
            dict(self._curves(
                topics.WHEEL_SLIP, topics.WHEEL_LONGITUDINAL_FORCE, origin_ns)),
            dict(self._curves(
                topics.WHEEL_SLIP_ANGLE, topics.WHEEL_LATERAL_FORCE, origin_ns)))
        return found if found.fx or found.fy else None

    def _curves(
        self, slip_topic: str, force_topic: str, origin_ns: int,
    ) -> Iterator[tuple[str, TyreCurve]]:
        for wheel in WHEEL_NAMES:
            slip, force = self._names[slip_topic, wheel], self._names[force_topic, wheel]
            if not (self._times.get(slip) and self._times.get(force)):
                continue
            times = np.array(self._times[slip])
            first, second = pair_samples(times, np.array(self._times[force]))
            if first.size:
                yield wheel, TyreCurve(
                    (times[first] - origin_ns) / NANOSECONDS,
                    np.array(self._values[slip])[first], np.array(self._values[force])[second])
