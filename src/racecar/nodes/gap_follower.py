# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives by the laser alone: follow the gap."""

from __future__ import annotations

from typing import Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from sensor_msgs.msg import LaserScan as LaserScanMessage

from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.catalogue import node_names
from racecar.catalogue.tables.driving import GAP_FOLLOWER
from racecar.control.gap_following import GapFollower
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.laser_scan import read_scan
from racecar.ros.freshness import earliness, staleness
from racecar.ros.lockstep import AnswerPublisher
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE


class GapFollowerNode(TableNode):
    """Answers each laser scan with a command towards the widest open way.

    Subscribes: scan (sensor_msgs/LaserScan).
    Publishes: vesc/ackermann_cmd_mux/input/navigation (ackermann_msgs/AckermannDriveStamped), one
    command for each scan, with its stamp; when the scans fall silent nothing, so that the mux
    stops the car.
    Parameters: racecar.catalogue.tables.driving.GAP_FOLLOWER; those of the law act at once.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.GAP_FOLLOWER, GAP_FOLLOWER, **options)
        self._lockstep: bool = self.values['lockstep']
        self.follows_stamps = self._lockstep
        self._law = GapFollower(self.values, VehicleParameters.from_values(self.values))
        self._has_answered = False
        self._command = command_template(self.base_link)
        self._publisher = AnswerPublisher(
            self, AckermannDriveStamped, topics.NAVIGATION_COMMAND, qos.COMMAND, self._lockstep)
        subscribe_raw(
            self, LaserScanMessage, topics.SCAN, read_scan, self._on_scan,
            qos.SCAN_LOCKSTEP_SUBSCRIPTION if self._lockstep else qos.SCAN_SUBSCRIPTION)

    def on_values_changed(self, changed: set[str]) -> None:
        """Take over the values of the law."""
        self._law.tune(self.values)

    def waits_for(self) -> str:
        """Which topic is silent."""
        return '' if self._has_answered else (
            f'waiting for scans on {self.resolve_topic_name(topics.SCAN)}; does the simulator'
            ' have a laser (its parameter sensors)?')

    def _on_scan(self, message: tuple[LaserScan, int]) -> None:
        scan, stamp_ns = message
        if self._lockstep:
            self.take_stamp(stamp_ns)
        elif (wrong := self._wrong_age(stamp_ns)) is not None:
            self.diagnostics.count('scans dropped')
            self.get_logger().error(f'scan dropped: {wrong}', throttle_duration_sec=THROTTLE)
            return
        self._has_answered = True
        self._send(self._law.command(scan), stamp_ns)

    def _wrong_age(self, stamp_ns: int) -> str | None:
        now_ns, timeout = self.now_ns(), self.values['scan_timeout']
        return staleness(stamp_ns, now_ns, timeout) or earliness(stamp_ns, now_ns, timeout)

    def _send(self, command: AckermannCommand, stamp_ns: int) -> None:
        self._publisher.publish(self._command.fill(
            *divmod(stamp_ns, NANOSECONDS), command.steering_angle, command.speed))
