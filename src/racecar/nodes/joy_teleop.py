# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive with a joystick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from rclpy.duration import Duration
from sensor_msgs.msg import Joy

from racecar.base.errors import ConfigurationError, MessageError, ParameterError
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.catalogue import node_names
from racecar.catalogue.tables.commands import JOY_TELEOP
from racecar.control.teleop.joy_driver import JoyDriver
from racecar.control.teleop.joystick_map import load_joystick_map
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.joy import JoystickReading, read_joy
from racecar.ros.node import NodeOptions, TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE

_WATCH_PERIOD = 0.05  # [s]
_LONGEST_WAY = 0.3    # [s]


class JoyTeleopNode(TableNode):
    """Turns joystick messages into drive commands while a button of the joystick map is held.

    Subscribes: joy (sensor_msgs/Joy), of joy_node of ROS or of ours.
    Publishes: vesc/ackermann_cmd_mux/input/teleop (ackermann_msgs/AckermannDriveStamped), once for
    each message while the button is held and once to stop; otherwise nothing, so that an idle
    joystick leaves the car to autonomy. If the messages fall silent under a held button it stops
    the car.
    Parameters: racecar.catalogue.tables.commands.JOY_TELEOP.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.JOY_TELEOP, JOY_TELEOP, **options)
        self._driver = _load(self.values)
        self._heard_ns: int | None = None
        self._message = command_template(self.base_link)
        self._publisher = self.create_publisher(
            AckermannDriveStamped, topics.TELEOP_COMMAND, qos.COMMAND)
        self.closing.callback(self._end)
        subscribe_raw(self, Joy, topics.JOY, read_joy, self._on_joy, qos.COMMAND)
        self.create_timer(_WATCH_PERIOD, self._on_watch_timer, clock=self.steady_clock)

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if the joystick map cannot be used."""
        _load(values)

    def on_values_changed(self, changed: set[str]) -> None:
        """Stop, and load the newly named joystick map."""
        if 'config_file' in changed:
            self._stop()
            self._driver = _load(self.values)

    def waits_for(self) -> str:
        """Which topic is silent."""
        return '' if self._heard_ns is not None else (
            f'waiting for a joystick on {self.resolve_topic_name(topics.JOY)}; does joy_node run?')

    def _on_joy(self, reading: JoystickReading) -> None:
        self._heard_ns = self.steady_clock.now().nanoseconds
        try:
            command = self._driver.command(*reading, self.values['idle_stops'])
        except MessageError as error:
            self.get_logger().error(
                f'joystick not used: {error}', throttle_duration_sec=THROTTLE)
            self._stop()
            return
        if command is not None:
            self._send(command)

    def _on_watch_timer(self) -> None:
        if self._heard_ns is None:
            return
        silence = (self.steady_clock.now().nanoseconds - self._heard_ns) / NANOSECONDS
        if silence > self.values['joy_timeout'] and self._driver.let_go():
            self.get_logger().warning(
                f'no messages on {self.resolve_topic_name(topics.JOY)} for'
                f" {self.values['joy_timeout']:g} s; stopping",
                throttle_duration_sec=THROTTLE)
            self._send(AckermannCommand(0.0, 0.0))

    def _end(self) -> None:
        self._stop()
        # The process ends now, and what is on its way with it.
        self._publisher.wait_for_all_acked(Duration(seconds=_LONGEST_WAY))

    def _stop(self) -> None:
        if self._driver.let_go():
            self._send(AckermannCommand(0.0, 0.0))

    def _send(self, command: AckermannCommand) -> None:
        self._publisher.publish(self._message.fill(
            *divmod(self.now_ns(), NANOSECONDS), command.steering_angle, command.speed))


def _load(values: Mapping[str, object]) -> JoyDriver:
    try:
        return JoyDriver(load_joystick_map(find_config(str(values['config_file']))))
    except ConfigurationError as error:
        raise ParameterError(str(error)) from error
