# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Slip and forces of the wheels from a bag, each force beside the slip that it belongs to.

std_msgs/Float64 has no stamp. A simulator publishes all of them at each tick, so where slip and
force of a wheel have equally many messages, the n-th belongs to the n-th. Otherwise some are
missing (one topic was joined later, or lost some), and a slip goes with the force recorded nearest
to it, at most half a step apart: the same instant for a recorder that keeps simulated time.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from racecar.core.analysis.bag_reader import BagMessage, BagSummary
from racecar.core.analysis.metrics import Array
from racecar.core.types import (
    FX_TOPIC,
    FY_TOPIC,
    NANOSECONDS,
    SLIP_ANGLE_TOPIC,
    SLIP_TOPIC,
    WHEEL_NAMES,
)

NUMBER_TYPE = 'std_msgs/msg/Float64'


class TyreCurve(NamedTuple):
    """What one wheel did: t, slip, force, (n,) each, n at least 1.

    t: time of recording since the first sample of all wheels [s]; slip: longitudinal [-] or slip
    angle [rad]; force [N].
    """

    t: Array
    slip: Array
    force: Array


@dataclass(frozen=True, eq=False)
class TyreData:
    """Curves by wheel, those of WHEEL_NAMES that were recorded.

    fx: longitudinal force against longitudinal slip; fy: lateral force against slip angle.
    """

    fx: Mapping[str, TyreCurve]
    fy: Mapping[str, TyreCurve]

    def without_start(self, skip: float) -> TyreData:
        """Return the samples from `skip` seconds after the first on."""
        return TyreData(_without_start(self.fx, skip), _without_start(self.fy, skip))


class TyreSamples:
    """Collects the messages of the wheel topics of one car."""

    def __init__(self, summary: BagSummary, namespace: str) -> None:
        """Look for the topics below a namespace, as /car1 or an empty one."""
        there = {row.name for row in summary.topics if row.type_name == NUMBER_TYPE}
        self._names = {
            (quantity, wheel): f'{namespace}/{quantity}/{wheel}'
            for quantity in (SLIP_TOPIC, SLIP_ANGLE_TOPIC, FX_TOPIC, FY_TOPIC)
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
            dict(self._curves(SLIP_TOPIC, FX_TOPIC, origin_ns)),
            dict(self._curves(SLIP_ANGLE_TOPIC, FY_TOPIC, origin_ns)))
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


def pair_samples(
    first_ns: np.ndarray, second_ns: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the samples of two topics that belong together.

    first_ns, second_ns: (n,), (m,) times of recording in order [ns], n and m at least 1. The
    module says what belongs together; samples without a partner are left out.
    """
    if first_ns.size == second_ns.size:
        index = np.arange(first_ns.size)
        return index, index
    right = np.searchsorted(second_ns, first_ns).clip(0, second_ns.size - 1)
    left = (right - 1).clip(0)
    nearest = np.where(
        np.abs(second_ns[left] - first_ns) < np.abs(second_ns[right] - first_ns), left, right)
    steps = np.diff(first_ns if first_ns.size > second_ns.size else second_ns)
    close = 2 * np.abs(second_ns[nearest] - first_ns) < max(float(np.median(steps)), 1.0)
    return np.flatnonzero(close), nearest[close]


def _without_start(curves: Mapping[str, TyreCurve], skip: float) -> dict[str, TyreCurve]:
    kept = {}
    for wheel, curve in curves.items():
        late = curve.t >= skip
        if late.any():
            kept[wheel] = TyreCurve(*(column[late] for column in curve))
    return kept
