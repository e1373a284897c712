# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bench for nodes: real topics and services, one executor, time given by the test.

Nothing waits for a while: every wait is for a condition and ends with an error at a deadline.
That something was *not* sent is shown by what is sent next.
"""

from __future__ import annotations

import time
from typing import Any
import weakref

from ackermann_msgs.msg import AckermannDriveStamped
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PointStamped, TwistStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
import rclpy
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String, UInt32

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import NANOSECONDS, yaw_to_quaternion
from racecar.catalogue import NODES
from racecar.ros import qos
from racecar.ros.interfaces import LampSwitches, RaceLooks, RaceOrders
from racecar.ros.run_node import end, make_executor
from racecar.ros.shared_clock import SharedClock

DEADLINE = 30.0
PROFILES = {Odometry: qos.ODOMETRY_LOCKSTEP, PointStamped: qos.LATCHED, String: qos.LATCHED,
            Clock: qos.CLOCK, LampSwitches: qos.LATCHED, UInt32: qos.LATCHED,
            RaceLooks: qos.LATCHED, RaceOrders: qos.LATCHED}
RACECAR = load_parameter_file(find_config('vehicles/racecar'), 'any_node')
RACECAR_DRIVER = load_parameter_file(find_config('vehicles/racecar'), 'driver_bridge')


def stamp(seconds):
    """Return a time message."""
    sec, nanosec = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
    return Time(sec=sec, nanosec=nanosec)


def seconds(message):
    """Return the stamp of a message [s]."""
    return message.header.stamp.sec + message.header.stamp.nanosec / NANOSECONDS


def odometry(at, x=0.0, y=0.0, yaw=0.0, vx=0.0):
    message = Odometry(child_frame_id='base_link')
    message.header.frame_id = 'odom'
    message.header.stamp = stamp(at)
    message.pose.pose.position.x, message.pose.pose.position.y = x, y
    orientation = message.pose.pose.orientation
    orientation.z, orientation.w = yaw_to_quaternion(yaw)
    message.twist.twist.linear.x = vx
    return message


def velocity(at, x, y=0.0, frame='map'):
    message = TwistStamped()
    message.header.frame_id = frame
    message.header.stamp = stamp(at)
    message.twist.linear.x, message.twist.linear.y = x, y
    return message


def command(at, speed, steering_angle=0.0):
    message = AckermannDriveStamped()
    message.header.frame_id = 'base_link'
    message.header.stamp = stamp(at)
    message.drive.speed, message.drive.steering_angle = speed, steering_angle
    return message


def kinematic_linearizer(**kwargs):
    return NODES['kinematic_linearizer'].make_node(**kwargs)


def dynamic_linearizer(**kwargs):
    return NODES['dynamic_linearizer'].make_node(**kwargs)


class Bench:
    """Nodes under test, a probe that talks and listens to them, and their common executor."""

    def __init__(self):
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.executor = make_executor()
        self.nodes = []
        self.publishers = {}
        self.logs = []
        self.listened = []
        # By subscription: how many messages its node has worked on, in a list of one number.
        self._handled: weakref.WeakKeyDictionary[Any, list[int]] = weakref.WeakKeyDictionary()
        self.probe = self.add(Node('probe'))
        # Not heard on /rosout: rcl keeps its publishers by node name, so a node may still speak
        # through that of its namesake in the test before, which goes away at any moment.
        self._log = rclpy_implementation.rclpy_logging_rcutils_log
        rclpy_implementation.rclpy_logging_rcutils_log = self._on_log

    def __enter__(self):
        return self

    def _on_log(self, severity, name, message, *place):
        self.logs.append((name, message))
        self._log(severity, name, message, *place)

    def __exit__(self, *_):
        rclpy_implementation.rclpy_logging_rcutils_log = self._log
        end(self.executor, reversed(self.nodes))
        rclpy.try_shutdown()

    def add(self, node):
        """Let a node take part."""
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def remove(self, node):
        """Destroy a node, as if its process had ended."""
        self.nodes = [other for other in self.nodes if other is not node]
        self.executor.remove_node(node)
        # Only now does the executor let go of what is about to be destroyed.
        self.executor.spin_once(timeout_sec=0.001)
        node.destroy_node()

    def start(self, node_class, *, use_sim_time=True, remap=None, name=None, namespace='',
              **parameters):
        """Construct a node under test; two underscores in a keyword stand for a dot."""
        given = {key.replace('__', '.'): value for key, value in parameters.items()}
        given['use_sim_time'] = use_sim_time
        words = [word for source, target in (remap or {}).items()
                 for word in ('-r', f'{source}:={target}')]
        options = {'node_name': name} if name else {}
        node = node_class(
            namespace=namespace, cli_args=['--ros-args', *words] if words else None,
            parameter_overrides=[Parameter(key, value=value) for key, value in given.items()],
            **options)
        SharedClock([node])  # as run_node() does
        self.add(node)
        self.connect()
        return node

    def connect(self):
        """Wait, without letting any node work, until the probe hears all that it listens to."""
        end = time.monotonic() + DEADLINE
        for publisher in [p for node in self.nodes for p in node.publishers]:
            wanted = self.listened.count(publisher.topic_name)
            while publisher.get_subscription_count() < wanted:
                assert time.monotonic() < end, f'{publisher.topic_name} was not connected'
                time.sleep(0.001)

    def listen(self, topic, message_type, profile=qos.STATE, into=None):
        """Return a list to which every message of a topic is added."""
        found = [] if into is None else into
        self.probe.create_subscription(message_type, topic, found.append, profile)
        self.listened.append(topic)
        self.connect()
        return found

    def send(self, topic, message):
        """Publish a message once somebody listens to the topic."""
        profile = PROFILES.get(type(message), qos.COMMAND)
        key = topic, type(message)
        if key not in self.publishers:
            self.publishers[key] = self.probe.create_publisher(type(message), topic, profile)
        publisher = self.publishers[key]
        self.until(publisher.get_subscription_count, f'a subscription to {topic}')
        self.connect()
        publisher.publish(message)

    def handled(self, node, topic):
        """How many messages on a topic a node has worked on since it was first asked."""
        return sum(self._count(row)[0] for row in node.subscriptions if row.topic_name == topic)

    def _count(self, subscription):
        if subscription not in self._handled:
            count, callback = [0], subscription.callback

            def work(message):
                callback(message)
                count[0] += 1

            self._handled[subscription], subscription.callback = count, work
        return self._handled[subscription]

    def deliver(self, node, topic, message):
        """Send a message and spin until a node has worked on it."""
        before = self.handled(node, topic)
        self.send(topic, message)
        self.until(lambda: self.handled(node, topic) > before,
                   f'{node.get_name()} to work on {topic}')

    def deafen(self, node, topic):
        """Let a node ignore what comes on a topic from now on, as if it hung."""
        for subscription in node.subscriptions:
            if subscription.topic_name == topic:
                subscription.callback = lambda message: None

    def set_clock(self, at):
        """Publish the simulated time [s] and wait until every node knows it."""
        self.send('/clock', Clock(clock=stamp(at)))
        expected = round(at * NANOSECONDS)
        for node in self.nodes:
            if node.get_parameter('use_sim_time').value:
                self.until(lambda node=node: node.get_clock().now().nanoseconds == expected,
                           f'{node.get_name()} at {at} s')

    def until(self, condition, what='the condition', deadline=DEADLINE):
        """Spin until the condition holds and return its value."""
        end = time.monotonic() + deadline
        while not (found := condition()):
            if time.monotonic() > end:
                said = '\n'.join(f'{name}: {message}' for name, message in self.logs)
                raise AssertionError(f'{what} did not come within {deadline} s; logs:\n{said}')
            self.executor.spin_once(0.02)
        return found

    def answer(self, odometry, topic, message):
        """Answer the last odometry of a list in lockstep; wait for the next and return it."""
        before = len(odometry)
        message.header.stamp = odometry[-1].header.stamp
        self.send(topic, message)
        self.until(lambda: len(odometry) > before, 'the next odometry')
        return odometry[-1]

    def count(self, messages, number):
        """Spin until there are so many messages; they must never be more."""
        self.until(lambda: len(messages) >= number, f'message {number}, have {len(messages)}')
        assert len(messages) == number
        return messages[-1]

    def logged(self, text):
        """Spin until a node logged a line with the text and return that line."""
        return self.until(
            lambda: next((message for _, message in self.logs if text in message), None),
            f'a log with {text!r}')

    def has_logged(self, text):
        """Whether a line with the text was logged so far."""
        return any(text in message for _, message in self.logs)

    def call(self, service, service_type, **request):
        """Call a service and return its response."""
        client = self.probe.create_client(service_type, service)
        self.until(client.service_is_ready, f'service {service}')
        future = client.call_async(service_type.Request(**request))
        self.until(future.done, f'an answer of {service}')
        self.probe.destroy_client(client)
        return future.result()

    def set_parameter(self, node, name, value):
        """Set a parameter through the node's service, as `ros2 param set` does."""
        response = self.call(
            f'{node.get_fully_qualified_name()}/set_parameters', SetParameters,
            parameters=[Parameter(name, value=value).to_parameter_msg()])
        return response.results[0]


def polled(calls, condition):
    """A condition that is looked at after calls of services have been polled."""
    def look():
        calls.poll()
        return condition()
    return look
