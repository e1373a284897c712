# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive with the keys of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
import time
from typing import Unpack

from ackermann_msgs.msg import AckermannDriveStamped
from rclpy.duration import Duration
from rclpy.parameter import Parameter as RosParameter

from racecar.base.errors import ConfigurationError
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.catalogue import node_names
from racecar.catalogue.tables.commands import KEYBOARD_TELEOP
from racecar.control.teleop.key_driver import check_keys, HELP_KEYS, KEY_HELP, KeyDriver
from racecar.control.teleop.key_events import KeyAction, KeyEvent
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.node import NodeOptions, TableNode
from racecar.terminal.keyboard import Keyboard

_LONGEST_WAY = 0.3  # [s]
_OWN_LINE = '\r\x1b[K'


class KeyboardTeleopNode(TableNode):
    """Drives while a key is held, and stops the car when it is released.

    Publishes: vesc/ackermann_cmd_mux/input/teleop (ackermann_msgs/AckermannDriveStamped), while a
    key is held and once to stop; otherwise nothing, so that it leaves the car to autonomy.
    Without a terminal, or in the background, it says so and waits.
    Keys change the parameters speed and steering_angle.
    Parameters: racecar.catalogue.tables.commands.KEYBOARD_TELEOP.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError for parameters that cannot be used."""
        super().__init__(node_names.KEYBOARD_TELEOP, KEYBOARD_TELEOP, **options)
        self._driver = KeyDriver(self.values)
        self._keyboard: Keyboard | None = None
        self._problem = ''
        self._shown = ''
        self._commanded: AckermannCommand | None = None
        self.on_key: Callable[[KeyEvent], object] | None = None
        self._message = command_template(self.base_link)
        self._publisher = self.create_publisher(
            AckermannDriveStamped, topics.TELEOP_COMMAND, qos.COMMAND)
        self.closing.callback(self._end)
        # The terminal is opened with the first tick: nothing has to be given back before.
        self.create_timer(1.0 / self.values['rate'], self._on_timer, clock=self.steady_clock)

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError for a speed or an angle beyond the largest that keys may set."""
        check_keys(values)

    def on_values_changed(self, changed: set[str]) -> None:
        """Take over the values."""
        self._driver.tune(self.values)

    def waits_for(self) -> str:
        """Why there are no keys, if there are none."""
        return f'waiting for a terminal: {self._problem}' if self._problem else ''

    @property
    def status(self) -> str:
        """What the keys are set to and what they command, in one line."""
        driver, command = self._driver, self._commanded
        if not self._publisher.get_subscription_count():
            now = f'nobody listens to {self._publisher.topic_name}'
        elif driver.is_stopping:
            now = 'STOPPED, x hands back'
        elif command is None:
            now = 'no key held'
        else:
            now = f'{command.speed:+.2f} m/s {math.degrees(command.steering_angle):+.0f} deg'
        return (f'keys: {driver.speed:.2f} m/s, {math.degrees(driver.steering_angle):.0f} deg'
                f' | {now} | h: help')

    def _on_timer(self) -> None:
        keyboard = self._keyboard or self._open()
        if keyboard is None:
            return
        for event in keyboard.read():
            self._driver.handle(event, time.monotonic())
            if event.key in HELP_KEYS and event.action is KeyAction.PRESS:
                self._show_help(keyboard)
            if self.on_key is not None:
                self.on_key(event)
        self._take_over_steps()
        command = self._driver.command(time.monotonic())
        self._commanded = command
        if command is not None:
            self._send(command)
        self._show(keyboard)

    def _open(self) -> Keyboard | None:
        try:
            self._keyboard = Keyboard(
                self.values['terminal'], asks_for_releases=self.values['key_releases'])
        except ConfigurationError as error:
            # It may come to the foreground.
            self._problem = str(error)
            return None
        self._problem = ''
        self._show_help(self._keyboard)
        return self._keyboard

    def _take_over_steps(self) -> None:
        """Make parameters of what keys have changed."""
        changed = [RosParameter(name, value=value) for name, value in (
            ('speed', self._driver.speed), ('steering_angle', self._driver.steering_angle))
            if value != self.values[name]]
        if changed:
            self.set_parameters_atomically(changed)

    def _send(self, command: AckermannCommand) -> None:
        self._publisher.publish(self._message.fill(
            *divmod(self.now_ns(), NANOSECONDS), command.steering_angle, command.speed))

    def _show_help(self, keyboard: Keyboard) -> None:
        if self.values['status_line']:
            keyboard.write(_OWN_LINE + ''.join(
                f'  {key:<12}{what}\r\n' for key, what in KEY_HELP))
            self._shown = ''

    def _show(self, keyboard: Keyboard) -> None:
        if self.values['status_line'] and self.status != self._shown:
            self._shown = self.status
            keyboard.write(f'{_OWN_LINE}  {self._shown}')

    def _end(self) -> None:
        if self._commanded is not None:
            self._send(AckermannCommand(0.0, 0.0))
            # The process ends now, and what is on its way with it.
            self._publisher.wait_for_all_acked(Duration(seconds=_LONGEST_WAY))
        if self._keyboard is not None:
            if self.values['status_line']:
                self._keyboard.write('\r\n')
            self._keyboard.close()
            self._keyboard = None
