# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pure pursuit as a ROS 2 node of one's own: it drives the car of `racecar up plant`.

    ./run racecar up plant --lockstep --duration 20 --json
    ./run python docs/examples/pure_pursuit_node.py         # in another terminal; Ctrl-C ends it

Each command is stamped as the odometry that it answers: that is all that lockstep asks for.
"""

import math

from ackermann_msgs.msg import AckermannDriveStamped
from nav_msgs.msg import Odometry
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

PREVIEW = 0.4       # s ahead of the reference
WHEELBASE = 0.325   # m, of the racecar


def yaw_of(message):
    """Return the heading [rad] of an odometry message."""
    q = message.pose.pose.orientation
    return 2.0 * math.atan2(q.z, q.w)


class PurePursuit(Node):
    """Hears odometry and reference, publishes commands."""

    def __init__(self):
        super().__init__('pure_pursuit')
        self.reference = None
        self.odometry = None
        self.publisher = self.create_publisher(
            AckermannDriveStamped, 'vesc/ackermann_cmd_mux/input/navigation', 1)
        self.create_subscription(Odometry, 'reference_trajectory', self.on_reference, 10)
        self.create_subscription(Odometry, 'vesc/odom', self.on_odometry, 10)

    def on_reference(self, message):
        self.reference = message
        self.answer()

    def on_odometry(self, message):
        self.odometry = message
        self.answer()

    def answer(self):
        """Answer the odometry once the reference of its time is there; either may come first."""
        if self.odometry is None or self.reference is None:
            return
        stamp = self.odometry.header.stamp
        now = self.reference.header.stamp
        if (now.sec, now.nanosec) < (stamp.sec, stamp.nanosec):
            return
        speed, steering = self.pursue(self.odometry, self.reference)
        command = AckermannDriveStamped()
        command.header.stamp = stamp
        command.drive.speed, command.drive.steering_angle = speed, steering
        self.publisher.publish(command)
        self.odometry = None

    def pursue(self, car, reference):
        """Return speed [m/s] and steering angle [rad] to where the reference will be."""
        motion = reference.twist.twist
        # Half way along the arc the heading is that of the chord.
        chord = yaw_of(reference) + 0.5 * motion.angular.z * PREVIEW
        ahead = motion.linear.x * PREVIEW
        dx = reference.pose.pose.position.x + ahead * math.cos(chord) - car.pose.pose.position.x
        dy = reference.pose.pose.position.y + ahead * math.sin(chord) - car.pose.pose.position.y
        left = math.cos(yaw_of(car)) * dy - math.sin(yaw_of(car)) * dx
        distance = math.hypot(dx, dy)
        curvature = 2.0 * left / max(distance, 0.05) ** 2
        return distance / PREVIEW, math.atan(WHEELBASE * curvature)


def main():
    """Drive until Ctrl-C."""
    rclpy.init()
    node = PurePursuit()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
