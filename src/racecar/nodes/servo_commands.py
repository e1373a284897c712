# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From the mux to the controllers of wheels and hinges, as the original's node of this name."""

from __future__ import annotations

from typing import Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from std_msgs.msg import Float64

from racecar.base.last_stamp import effective_stamp, LastStamp
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.catalogue import node_names
from racecar.catalogue.tables.driving import SERVO_COMMANDS
from racecar.control.servo_commands import SERVO_NAMES, ServoCommands
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import read_command
from racecar.ros.codecs.joint_setpoint import setpoint_template
from racecar.ros.diagnostics import Report, Share
from racecar.ros.freshness import staleness
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE


class ServoCommandsNode(TableNode):
    """Turns speed and steering angle into set-points of four wheels and two hinges.

    Subscribes: vesc/low_level/ackermann_cmd_mux/output (ackermann_msgs/AckermannDriveStamped).
    Publishes: racecar/<joint>_controller/command (std_msgs/Float64) of four wheels
    (<wheel>_wheel_velocity, rad/s) and two hinges (<side>_steering_hinge_position, rad).
    When the commands fall silent the wheels are stopped, once, with the hinges as they are.
    Parameters: racecar.catalogue.tables.driving.SERVO_COMMANDS.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.SERVO_COMMANDS, SERVO_COMMANDS, **options)
        self._servo = ServoCommands.from_values(
            VehicleParameters.from_values(self.values), self.values)
        self._number = setpoint_template()
        self._joint_publishers = [
            self.create_publisher(Float64, topics.joint_command(name), qos.COMMAND)
            for name in SERVO_NAMES]
        self._newest: tuple[AckermannCommand, LastStamp] | None = None
        self._has_heard = False
        self._cut = Share()
        commands = subscribe_raw(
            self, AckermannDriveStamped, topics.COMMAND, read_command, self._on_command,
            qos.COMMAND)
        self.watch_publishers([commands.topic_name, *(
            publisher.topic_name for publisher in self._joint_publishers)])
        self._watch = self.watch_time(
            self.values['command_timeout'] / 4.0, self._stop_if_silent)

    def on_values_changed(self, changed: set[str]) -> None:
        """Look as often as the new timeout needs."""
        self._watch.set_period(self.values['command_timeout'] / 4.0)

    def waits_for(self) -> str:
        """Topic that is silent."""
        return '' if self._has_heard else (
            f'waiting for commands on {self.resolve_topic_name(topics.COMMAND)}')

    def diagnose(self, report: Report) -> None:
        """How many of the commands go beyond the limits of the vehicle."""
        report.add_share('commands cut by limits', self._cut)

    def on_time_went_back(self) -> None:
        """Forget the command: it would stay young until the old time comes again."""
        self._newest = None

    def _on_command(self, message: tuple[AckermannCommand, int]) -> None:
        command, stamp_ns = message
        if not command.is_finite:
            self.diagnostics.count('commands dropped')
            self.get_logger().error(
                f'command dropped: speed {command.speed}, steering_angle {command.steering_angle},'
                ' expected finite numbers', throttle_duration_sec=THROTTLE)
            return
        now_ns = self.now_ns()
        stale = staleness(stamp_ns, now_ns, self.values['command_timeout'])
        if stale is not None:
            self.diagnostics.count('commands dropped')
            self.get_logger().error(
                f'command dropped: {stale}', throttle_duration_sec=THROTTLE)
            return
        self._has_heard = True
        self._cut.note(self._servo.cuts(command))
        self._newest = command, LastStamp(effective_stamp(stamp_ns, now_ns))
        self._send(command)

    def _stop_if_silent(self) -> None:
        timeout = self.values['command_timeout']
        if self._newest is None:
            return
        command, heard = self._newest
        if heard.age_ns(self.now_ns()) <= timeout * NANOSECONDS:
            return
        self._newest = None
        self.diagnostics.count('silences of command_timeout')
        self.get_logger().warning(
            f'no command for {timeout:g} s (command_timeout): the wheels are stopped')
        self._send(command._replace(speed=0.0))

    def _send(self, command: AckermannCommand) -> None:
        for publisher, value in zip(
                self._joint_publishers, self._servo.setpoints(command), strict=True):
            publisher.publish(self._number.fill(value))
