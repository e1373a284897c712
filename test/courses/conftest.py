# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small students with one node each."""

import pytest

# Imports nothing that only a ROS 2 installation has.
_HEAD = """
import math, os, sys, time
import rclpy
from rclpy.node import Node
from ackermann_msgs.msg import AckermannDriveStamped
from sensor_msgs.msg import LaserScan


class Mine(Node):
    def __init__(self):
        super().__init__('mine')
        self.declare_parameter('speed', 'default')
        self.speed = self.get_parameter('speed').value
        self.publisher = self.create_publisher(AckermannDriveStamped, '/drive', 10)
        self.create_subscription(LaserScan, '/scan', self.on_scan, 10)
        self.scans = 0

    def drive(self, speed, angle=0.0):
        message = AckermannDriveStamped()
        message.header.stamp = self.get_clock().now().to_msg()
        message.drive.speed, message.drive.steering_angle = speed, angle
        self.publisher.publish(message)

    def on_scan(self, scan):
        self.scans += 1
"""
_TAIL = """

def main():
    rclpy.init()
    rclpy.spin(Mine())


if __name__ == '__main__':
    main()
"""
BODIES = {
    'good': 'self.drive(self.speed)',
    'crashing': 'self.drive(self.speed)\n        if self.scans > 20: raise KeyError("wall")',
    'silent': 'pass',
    'live': 'self.drive(self.get_parameter("speed").value)',
    'hanging': 'self.drive(0.1)\n        while self.scans > 5: time.sleep(1.0)',
    # Stands, so that the case lasts until the flood is noticed.
    'flooding': 'while True: self.drive(0.0)',
    'nonsense': 'self.drive(self.speed if self.scans % 2 else math.nan)',
    'not_finite': 'self.drive(math.nan)',
    'writing': 'open("/etc/marks", "w")',
    # Back to the wall behind.
    'hitting': 'self.drive(-1.0)'}


@pytest.fixture
def students(tmp_path):
    """Make folders of students; returns a function of their names."""
    def make(*names):
        folders = []
        for name in names:
            folder = tmp_path / 'handed_in' / name
            folder.mkdir(parents=True)
            (folder / 'mine.py').write_text(f'{_HEAD}        {BODIES[name]}\n{_TAIL}')
            folders.append(folder)
        return folders

    return make
