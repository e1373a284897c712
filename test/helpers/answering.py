# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers that answer each odometry of cars in lockstep; as a program, of one car.

    python answering.py CAR [FLOODS]

FLOODS: simulated time from which it sends nothing but copies of one command [s].
"""

import math
import sys

from ackermann_msgs.msg import AckermannDriveStamped
from nav_msgs.msg import Odometry
import rclpy

from racecar.base.types import NANOSECONDS
from racecar.ros import qos
from racecar.ros.codecs.ackermann_command import command_template
from racecar.ros.codecs.odometry import read_odometry
from racecar.ros.raw_subscription import subscribe_raw

COMMANDS = 'vesc/low_level/ackermann_cmd_mux/output'


class Answering:
    """Answers each odometry of a car by a law of its state, so that each bit tells of all before.

    answer(odometry): may be replaced by another.
    """

    def __init__(self, node, car):
        self.car = car
        self.publisher = node.create_publisher(
            AckermannDriveStamped, f'/{car}/{COMMANDS}', qos.COMMAND)
        self.template = command_template()
        self.answer = self.answer_rightly
        subscribe_raw(node, Odometry, f'/{car}/vesc/odom', read_odometry,
                      lambda odometry: self.answer(odometry), qos.ODOMETRY_LOCKSTEP_SUBSCRIPTION)

    def answer_rightly(self, odometry):
        self.send(odometry, odometry.time_ns)

    def send(self, odometry, stamp_ns, speed=None):
        t = odometry.time_ns / NANOSECONDS
        self.publisher.publish(self.template.fill(
            *divmod(stamp_ns, NANOSECONDS),
            0.2 * math.cos(3.0 * t) - 0.1 * odometry.y,
            1.0 + 0.3 * math.sin(t + odometry.x) if speed is None else speed))


def flood(team, odometry):
    """Answer rightly, and go on doing so for ever."""
    while rclpy.ok():
        team.answer_rightly(odometry)


if __name__ == '__main__':
    rclpy.init()
    node = rclpy.create_node('team')
    team = Answering(node, sys.argv[1])
    if len(sys.argv) > 2:
        onset = float(sys.argv[2]) * NANOSECONDS
        team.answer = lambda odometry: (
            flood(team, odometry) if odometry.time_ns >= onset else team.answer_rightly(odometry))
    rclpy.spin(node)
