# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read a joystick, in the place of joy_node of the ROS package joy where that is absent."""

from __future__ import annotations

import os
from typing import Unpack

from sensor_msgs.msg import Joy

from racecar.base.errors import excerpt
from racecar.base.types import NANOSECONDS
from racecar.catalogue import node_names
from racecar.catalogue.tables.commands import JOY_NODE
from racecar.control.teleop.joystick_events import JoystickState
from racecar.ros import qos, topics
from racecar.ros.node import NodeOptions, TableNode

_RETRY_PERIOD = 0.5
_MOST_BYTES = 4096


class JoyNode(TableNode):
    """Publishes axes and buttons of a joystick, and waits for one that is not there.

    Publishes: joy (sensor_msgs/Joy), when something changes and, while the joystick is there, at
    least at autorepeat_rate. One that is unplugged falls silent; plugged in again it goes on.
    Parameters: racecar.catalogue.tables.commands.JOY_NODE; names and meaning are those of
    joy_node of ROS.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.JOY_NODE, JOY_NODE, **options)
        self._descriptor = -1
        self._problem = ''
        self._state = JoystickState(self.values['deadzone'])
        self._published_ns = 0
        self._publisher = self.create_publisher(Joy, topics.JOY, qos.COMMAND)
        self.closing.callback(self._close)
        self.create_timer(_RETRY_PERIOD, self._open, clock=self.steady_clock)
        self.create_timer(
            self.values['coalesce_interval'], self._on_timer, clock=self.steady_clock)
        self._open()

    def waits_for(self) -> str:
        """Which device is missing."""
        return f'waiting for a joystick: {self._problem}' if self._descriptor < 0 else ''

    def _open(self) -> None:
        if self._descriptor >= 0:
            return
        device = self.values['device']
        try:
            self._descriptor = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._problem = (
                f'{excerpt(device)} cannot be opened: {reason}; plug one in, or name its device'
                ' with -p device:=/dev/input/jsN')
            return
        self._state = JoystickState(self.values['deadzone'])
        self.get_logger().info(f'joystick {device} opened')

    def _on_timer(self) -> None:
        if self._descriptor < 0:
            return
        try:
            data = os.read(self._descriptor, _MOST_BYTES)
        except BlockingIOError:
            data = None
        except OSError as error:
            self._lose(str(error.strerror))
            return
        if data == b'':
            self._lose('it has been closed')
            return
        changes = self._state.feed(data) if data else 0
        now_ns = self.steady_clock.now().nanoseconds
        due = now_ns - self._published_ns >= NANOSECONDS / self.values['autorepeat_rate']
        # Before the first event nothing is known of it.
        if changes or (due and (self._state.axes or self._state.buttons)):
            self._published_ns = now_ns
            self._publish()

    def _publish(self) -> None:
        message = Joy(axes=self._state.axes, buttons=self._state.buttons)
        message.header.frame_id = topics.JOY
        message.header.stamp = self.get_clock().now().to_msg()
        self._publisher.publish(message)

    def _lose(self, reason: str) -> None:
        self._close()
        self._problem = f"{self.values['device']} is gone: {reason}"
        self.get_logger().warning(f'joystick {self._problem}')

    def _close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
