# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scans for a controller that answers odometry and reads scans beside it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from sensor_msgs.msg import LaserScan as LaserScanMessage

from racecar.base.errors import RunError
from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.ros import qos, topics
from racecar.ros.codecs.laser_scan import read_scan
from racecar.ros.freshness import wrong_age
from racecar.ros.lockstep import is_last_due
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE

See = Callable[[LaserScan, int], AckermannCommand | None]
"""Takes a scan and its stamp [ns]; gives the command that it is answered with, or None."""

# Of those that nobody wants yet the oldest are forgotten.
_MOST = 100


class _Waiting(NamedTuple):
    """A scan that the controller has not seen; is_old: one that was there before it started."""

    scan: LaserScan
    stamp_ns: int
    is_old: bool = False


class ScanFeed:
    """Scans of the topic scan, shown to a controller before it answers an odometry.

    In lockstep it gets at each odometry all scans up to its stamp, in their order: the simulator
    shows a scan and the odometry of one time on two topics, of which any may come first. At other
    times it gets what has come and is younger than the parameter scan_timeout.
    """

    def __init__(self, node: TableNode, on_scan: Callable[[], None]) -> None:
        """on_scan: called after each scan that came, before any of it is shown."""
        self._node, self._on_scan = node, on_scan
        self._lockstep: bool = node.values['lockstep']
        self._newest: _Waiting | None = None
        self._waiting: deque[_Waiting] = deque(maxlen=_MOST)
        subscribe_raw(
            node, LaserScanMessage, topics.SCAN, read_scan, self._take,
            qos.SCANS_LOCKSTEP_SUBSCRIPTION if self._lockstep else qos.SCAN_SUBSCRIPTION)

    def waits_for(self) -> str:
        """That there is no scan yet; empty if there is one."""
        return '' if self._newest is not None else (
            f'waiting for scans on {self._node.resolve_topic_name(topics.SCAN)}; does the'
            ' simulator have a laser (its parameter sensors)?')

    def has_come(self, time_ns: int) -> bool:
        """Whether the last scan that is due at the time of an odometry [ns] has come."""
        newest = self._newest
        return newest is not None and is_last_due(
            newest.stamp_ns, time_ns, newest.scan.scan_time)

    def is_young(self, now_ns: int) -> bool:
        """Whether the newest scan is young enough to drive by; says so if it is not."""
        if self._newest is None:
            return False
        wrong = self._wrong_age(self._newest, now_ns)
        if wrong is not None:
            self._node.diagnostics.count('scans dropped')
            self._node.get_logger().error(
                f'scan not used: {wrong}', throttle_duration_sec=THROTTLE)
        return wrong is None

    def show(self, see: See, time_ns: int) -> None:
        """Show the scans that wait: in lockstep those up to the time of an odometry [ns].

        Raises RunError for a command in lockstep that would come too late, as it answers a scan
        from between two odometries, and what see raises.
        """
        while self._waiting and not (
                self._lockstep and self._waiting[0].stamp_ns > time_ns):
            seen = self._waiting.popleft()
            if not self._lockstep and self._wrong_age(seen, self._node.now_ns()) is not None:
                continue
            command = see(seen.scan, seen.stamp_ns)
            if command is not None and self._lockstep and not seen.is_old and (
                    seen.stamp_ns < time_ns):
                raise RunError(
                    f'see() of the controller returns a command at'
                    f' {seen.stamp_ns / NANOSECONDS:g} s, between two odometries, which lockstep'
                    ' does not obey before the next one: set laser.rate of the simulator to its'
                    ' parameter rate, or to that by a whole number, or do without lockstep')

    def pass_over(self) -> None:
        """Let a controller that starts later see only the newest scan of those that have come."""
        self._waiting.clear()
        if self._newest is not None:
            self._waiting.append(self._newest._replace(is_old=True))

    def _take(self, message: tuple[LaserScan, int]) -> None:
        found, before = _Waiting(*message), self._newest
        if before is not None and found.stamp_ns < before.stamp_ns:
            # The time went back.
            self._waiting.clear()
        elif self._waiting and self._waiting[-1].stamp_ns == found.stamp_ns:
            # Shown anew, as to who came late.
            self._waiting.pop()
        self._newest = found
        self._waiting.append(found)
        self._on_scan()

    def _wrong_age(self, seen: _Waiting, now_ns: int) -> str | None:
        return wrong_age(seen.stamp_ns, now_ns, self._node.values['scan_timeout'])
