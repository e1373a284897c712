# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driving from a page: commands at the input of the mux for teleoperation, or at the pedals."""

from __future__ import annotations

import time

from ackermann_msgs.msg import AckermannDriveStamped
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher

from racecar.base.errors import ControlModeError
from racecar.base.types import NANOSECONDS
from racecar.base.values import Values
from racecar.cockpit.person_limits import angle_of, largest_speed
from racecar.ros import qos
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.conversions import set_stamp
from racecar.ros.interfaces import DriverCommand

SILENCE = 0.25
"""A page that says nothing for so long holds no key any more [s]."""

_LONGEST_WAY = 0.3  # [s]


class Driving:
    """What the page at the wheel wants. Nothing is published while nobody holds it.

    Like the nodes for keys and joysticks it says once that the car is to stop, and leaves it to
    others then.
    """

    def __init__(self, node: Node, teleop_topic: str, pedals_topic: str) -> None:
        """Topics: full names of the input of the mux and of the pedals of a driver bridge."""
        self._node = node
        self._topics = teleop_topic, pedals_topic
        self._teleop: Publisher | None = None
        self._pedals: Publisher | None = None
        self._message = command_template()
        self._is_held = False
        self._beat_at: float | None = None
        self._by_pedals = False
        self._steering = 0.0
        self.gear = 0
        self.limits: Values = {}

    def prepare(self) -> None:
        """Create the publishers early, so that the first key is not late, where that is harmless.

        Several publishers at one input of a mux are complained about, so not beside another one;
        so is any in lockstep, so not before it is known that there is none.
        """
        knows = 'lockstep' in self.limits
        if knows and self._is_allowed and not any(map(self._node.count_publishers, self._topics)):
            self._create()

    def take(self) -> None:
        """Begin. Raises ControlModeError if nobody would listen, or in lockstep."""
        if not self._is_allowed:
            raise ControlModeError(
                'the simulator runs in lockstep, which waits for the answers of nodes and of no'
                ' person: start the configuration without lockstep to drive')
        self._create()
        if self._teleop is None and self._pedals is None:
            raise ControlModeError(
                f'nobody listens to {self._topics[0]}: this configuration has no input for a'
                ' person who drives')
        self._is_held = True

    @property
    def _is_allowed(self) -> bool:
        return not self.limits.get('lockstep')

    def _create(self) -> None:
        """Create the publishers that somebody listens to."""
        teleop, pedals = self._topics
        count = self._node.count_subscribers
        if self._teleop is None and count(teleop):
            self._teleop = self._node.create_publisher(AckermannDriveStamped, teleop, qos.COMMAND)
        if self._pedals is None and count(pedals):
            self._pedals = self._node.create_publisher(DriverCommand, pedals, qos.COMMAND)

    def drive(self, speed: float, steering: float, now_ns: int) -> None:
        """Command shares of the largest speed and angle, at a simulated time [ns].

        Raises ControlModeError for a car without a mux.
        """
        if not self._is_held:
            return
        if self._teleop is None:
            raise ControlModeError(f'nobody listens to {self._topics[0]}')
        if self._by_pedals:
            self._release_pedals(now_ns)
        self._by_pedals = False
        self._beat_at = time.monotonic()
        self._send(speed * largest_speed(self.limits), angle_of(self.limits, steering), now_ns)

    def press(self, throttle: float, brake: float, steering: float, now_ns: int) -> None:
        """Press pedals. Raises ControlModeError for a car without."""
        if not self._is_held:
            return
        if self._pedals is None:
            raise ControlModeError(
                f'this car has no pedals: nobody listens to {self._topics[1]}')
        self._beat_at = time.monotonic()
        self._by_pedals = True
        self._steering = angle_of(self.limits, steering)
        self._send_pedals(throttle, brake, now_ns)

    def watch(self, now_ns: int) -> None:
        """Stop the car if its driver has fallen silent; to be called some times a second."""
        if self._beat_at is not None and time.monotonic() - self._beat_at > SILENCE:
            self.halt(now_ns)

    def halt(self, now_ns: int) -> None:
        """Say once that the car is to stop, if it was driven."""
        if self._beat_at is None:
            return
        self._beat_at = None
        if self._by_pedals:
            self._release_pedals(now_ns)
        else:
            self._send(0.0, 0.0, now_ns)

    def release(self, now_ns: int) -> None:
        """Stop the car if it was driven, and leave it to others."""
        self.halt(now_ns)
        self._is_held = False

    def finish(self, now_ns: int) -> None:
        """Release it at the end of the process, with which what is on its way would go."""
        drove = self._beat_at is not None
        self.release(now_ns)
        for publisher in (self._teleop, self._pedals):
            if drove and publisher is not None:
                publisher.wait_for_all_acked(Duration(seconds=_LONGEST_WAY))

    def _release_pedals(self, now_ns: int) -> None:
        self._send_pedals(0.0, 1.0, now_ns)

    def _send(self, speed: float, angle: float, now_ns: int) -> None:
        assert self._teleop is not None
        self._teleop.publish(self._message.fill(*divmod(now_ns, NANOSECONDS), angle, speed))

    def _send_pedals(self, throttle: float, brake: float, now_ns: int) -> None:
        assert self._pedals is not None
        message = DriverCommand(
            steering_angle=self._steering, throttle=throttle, brake=brake, gear=self.gear)
        set_stamp(message.header.stamp, now_ns)
        self._pedals.publish(message)
