# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages that are none, on everything that a running stack listens to."""

from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Twist
from node_bench import command
import pytest
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool

from racecar.bags.reader import BagReader
from racecar.clients.driver_demonstration import DriverDemonstration
from racecar.clients.run_probe import RunProbe
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.bag_recorder import BagRecorderNode
from racecar.ros import raw_subscription
from racecar.ros.shared_clock import SharedClock
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

# Received by subscriptions of any profile.
# Of a fixed size: DDS publishes nothing longer.
FIXED = (Clock, Twist)

ANY = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1,
                 reliability=ReliabilityPolicy.RELIABLE,
                 durability=DurabilityPolicy.TRANSIENT_LOCAL)

LAST = (2**31 - 1).to_bytes(4, 'little') + (2**32 - 1).to_bytes(4, 'little')
ENDLESS_STRING = b'\0\1\0\0' + bytes(8) + b'\xff' * 800
BODIES = {
    'header only': b'\0\1\0\0',
    'big endian, cut short': b'\0\0\0\0' + bytes(7),
    'XCDR2': b'\0\7\0\0' + bytes(5),
    'unknown encapsulation': b'\xff' * 12,
    'endless string': ENDLESS_STRING,
    'time beyond all': b'\0\1\0\0' + LAST + bytes(800),
    'time before all': b'\0\1\0\0' + b'\xff\xff\xff\xff' + bytes(804),
}


@pytest.fixture
def every_drop_is_said(monkeypatch):
    monkeypatch.setattr(raw_subscription, 'THROTTLE', 0.0)


def subscriptions(nodes):
    """Return for each topic its type, its subscriptions, and how many of these say what is raw."""
    found: dict[Any, Any] = {}
    for node in nodes:
        for row in node.subscriptions:
            message_type, number, raw = found.get(row.topic_name, (row.msg_type, 0, 0))
            says = row.raw and not isinstance(node, BagRecorderNode)
            found[row.topic_name] = message_type, number + 1, raw + says
    return found


def is_no_message(body, message_type, raw):
    """Tell whether those who listen have to drop it."""
    if raw:
        return message_type is not Clock or body is not ENDLESS_STRING
    # What rclpy reads is a message to it, also with a time that is none.
    try:
        deserialize_message(body, message_type)
    except RuntimeError:
        return True
    return False


def inject(bench, publisher, body, number, raw):
    """Publish until all that read raw have dropped it; number: of subscriptions in all."""
    bench.until(lambda: publisher.get_subscription_count() >= number, publisher.topic_name)
    said, first = f'message on {publisher.topic_name} dropped', len(bench.logs)

    def dropped():
        publisher.publish(body)
        return len({name for name, message in bench.logs[first:] if said in message}) >= raw

    bench.until(dropped, f'{said}: {body[:12]!r}')


@pytest.mark.parametrize(('name', 'bodies'), [
    ('kinematic_ode', BODIES.values()), ('driver', BODIES.values()),
    # All read alike; this one has other subscriptions.
    ('gap_ode', [BODIES['big endian, cut short']])], ids=['kinematic_ode', 'driver', 'gap_ode'])
def test_a_stack_drives_on_through_bytes_that_are_no_message(
        bench, every_drop_is_said, tmp_path, name, bodies):
    more: dict[str, Any] = (
        {'trajectory': 'circle', 'active': True} if name == 'kinematic_ode' else {})
    # What is injected may take the place of the command that lockstep waits for.
    descriptions = describe_stack(name, StackOptions(
        lockstep=True, real_time_factor=0.0, record=str(tmp_path / 'bag'),
        overrides={'single_track_simulator': {'lockstep_deadline': 0.1}}, **more))
    nodes: list[Any] = [make_node(description) for description in descriptions]
    SharedClock(nodes)
    simulator = next(node for node in nodes if node.get_name() == 'single_track_simulator')
    if name == 'kinematic_ode':
        nodes.append(RunProbe(lambda _: None))
    elif name == 'driver':
        nodes.append(DriverDemonstration(lambda *_: None))
    for node in nodes:
        bench.add(node)
    bench.until(lambda: simulator.plant.time_ns > 100_000_000, 'the first ticks')

    bench.call('/single_track_simulator/pause', SetBool, data=True)
    topics = subscriptions(nodes)
    assert {'/vesc/odom', '/clock', '/initialpose'} < topics.keys()
    assert name != 'gap_ode' or '/scan' in topics
    assert sum(raw for _, _, raw in topics.values()) >= 9
    for topic, (message_type, number, raw) in topics.items():
        publisher = bench.probe.create_publisher(message_type, topic, ANY)
        for body in bodies:
            if is_no_message(body, message_type, raw):
                inject(bench, publisher, body[:12] if message_type in FIXED else body, number, raw)
        bench.probe.destroy_publisher(publisher)
    bench.call('/single_track_simulator/pause', SetBool, data=False)

    then_ns = simulator.plant.time_ns
    before = simulator.plant.simulator.odometry() if name == 'kinematic_ode' else None
    bench.until(lambda: simulator.plant.time_ns > then_ns + 500_000_000, 'half a second more')
    if name == 'kinematic_ode':
        assert simulator.plant.simulator.odometry().vx > 0.5
        assert before is not None
        assert simulator.plant.simulator.odometry().x != before.x
    recorder = next(node for node in nodes if isinstance(node, BagRecorderNode))
    bench.remove(recorder)
    with BagReader(recorder.folder) as bag:
        assert bag is not None


def test_a_node_with_a_clock_of_its_own_survives_a_time_before_0(bench):
    node = bench.add(AckermannMuxNode(parameter_overrides=[
        Parameter('config_file', value='mux/low_level'),
        Parameter('use_sim_time', value=True)]))
    bench.send('/clock', Clock(clock=Time(sec=-5)))
    bench.logged('message on /clock dropped: its time is -5 s and 0 ns, expected at least 0 s')
    bench.send('/clock', Clock(clock=Time(sec=3)))
    bench.until(lambda: node.get_clock().now().nanoseconds == 3_000_000_000, '3 s')


def test_complaints_are_throttled_for_each_topic_by_itself(bench):
    bench.start(AckermannMuxNode, config_file='mux/low_level')
    faulty = command(0.0, 1.0)
    faulty.header.stamp = Time(sec=-1)
    topics = [f'/ackermann_cmd_mux/input/{name}' for name in ('teleop', 'safety')]
    for _ in range(3):
        for topic in topics:
            bench.send(topic, faulty)
    for topic in topics:
        bench.logged(f'message on {topic} dropped')
    # What is sent next shows that all of them were read.
    bench.set_clock(1.0)
    for topic in topics:
        assert sum(topic in message for _, message in bench.logs) == 1
