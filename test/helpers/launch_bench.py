# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Helpers of the launch tests: a DDS domain of their own, a listener, `ros2 launch` as a process.

Every wait is for a condition and ends with an error at a deadline.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import shutil
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nav_msgs.msg import Odometry

DEADLINE = 60.0
LAUNCH = ('ros2', 'launch', 'racecar')


def missing():
    """Return why launch files cannot be tried here, empty if they can."""
    try:
        import ackermann_msgs  # noqa: F401
        from ament_index_python.packages import get_package_prefix
        import launch_ros  # noqa: F401
        import racecar_interfaces  # noqa: F401

        get_package_prefix('racecar')
    except (ImportError, LookupError) as error:
        return f'needs ROS 2 with racecar built and install/setup.bash sourced: {error}'
    return '' if shutil.which('ros2') else 'needs the command ros2'


def wait_until(condition, what, deadline=DEADLINE):
    """Return the first true value of the condition; fail when the deadline [s] is over."""
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f'{what}: not within {deadline:g} s')


class Listener:
    """A node in a thread of its own that hears odometry and reference and calls services."""

    def __init__(self, domain, *, namespace='', odometry='vesc/odom'):
        from nav_msgs.msg import Odometry
        import rclpy
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.signals import SignalHandlerOptions

        from racecar.ros import qos

        self._context = rclpy.Context()
        rclpy.init(context=self._context, domain_id=domain,
                   signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('listener', namespace=namespace, context=self._context)
        self.odometry: list[Odometry] = []
        self.reference: list[Odometry] = []
        self.node.create_subscription(
            Odometry, odometry, self.odometry.append, qos.STATE)
        self.node.create_subscription(
            Odometry, 'reference_trajectory', self.reference.append, qos.STATE)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self):
        from rclpy.executors import ExternalShutdownException

        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def close(self):
        self._executor.shutdown()
        self._thread.join()
        self.node.destroy_node()
        self._context.try_shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def time(self):
        """Stamp of the newest odometry [s]; 0 before the first."""
        return seconds(self.odometry[-1]) if self.odometry else 0.0

    def node_names(self):
        return {f'{namespace.rstrip("/")}/{name}'
                for name, namespace in self.node.get_node_names_and_namespaces()}

    def topic_names(self):
        return {name for name, _ in self.node.get_topic_names_and_types()}

    def call(self, service_type, name, request):
        client = self.node.create_client(service_type, name)
        try:
            wait_until(client.service_is_ready, f'service {name}')
            future = client.call_async(request)
            wait_until(future.done, f'answer of {name}')
            return future.result()
        finally:
            self.node.destroy_client(client)

    def set_parameter(self, node, name, value):
        """Set as `ros2 param set` does; return (successful, reason)."""
        from rcl_interfaces.srv import SetParameters
        from rclpy.parameter import Parameter

        result = self.call(SetParameters, f'{node}/set_parameters', SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()])).results[0]
        return result.successful, result.reason

    def wait_for_speed(self, condition, what):
        """Wait until the speed of the newest odometry fulfils the condition."""
        wait_until(lambda: self.odometry and condition(self.odometry[-1].twist.twist.linear.x),
                   what)


class LaunchProcess:
    """`ros2 launch` as a user starts it; text() is what it and the nodes have printed."""

    def __init__(self, domain, folder, *arguments, stack='kinematic_ode', environment=None):
        """environment: variables of its own."""
        self._log = Path(folder) / 'launch.log'
        with open(self._log, 'wb') as log:
            self.process = subprocess.Popen(
                [*LAUNCH, f'{stack}.launch.py', *arguments], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, 'ROS_DOMAIN_ID': str(domain),
                     'ROS_LOG_DIR': str(Path(folder) / 'ros_logs'),
                     'PYTHONUNBUFFERED': '1', **(environment or {})})

    def text(self):
        return self._log.read_text(errors='replace')

    def wait(self, deadline=DEADLINE):
        """Return the exit code once everything has ended."""
        try:
            return self.process.wait(deadline)
        except subprocess.TimeoutExpired:
            raise AssertionError(f'still running after {deadline:g} s:\n{self.text()}') from None

    def interrupt(self):
        """Press Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            if self.process.poll() is None:
                self.interrupt()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(15.0)
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def seconds(message):
    """Return the stamp of a message [s]."""
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
