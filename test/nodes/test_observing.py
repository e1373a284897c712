# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Publishers observed in their own process, and messages that the cockpit's bridge reads later."""

from __future__ import annotations

from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import command
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String

from racecar.clients.cockpit_bridge.backlog import Backlog
from racecar.clients.cockpit_bridge.local_stack import nowhere
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.ros import qos
from racecar.ros.codecs.ackermann_command import read_command

pytestmark = pytest.mark.ros

COMMANDS = '/mux/output'
INPUT = '/teleop'


def test_an_observer_gets_messages_of_its_process_without_a_subscription(bench):
    # In simulated time, which stands still, no command grows old.
    node = bench.start(AckermannMuxNode, name='mux', remap={'~/teleop': INPUT},
                       config_file='mux/low_level')
    said: list[Any] = []
    commands: list[Any] = []
    output, = (row for row in node.publishers if row.topic_name == COMMANDS)
    assert not output.is_heard
    assert node.observe('/mux/active', said.append)
    assert node.observe(COMMANDS, commands.append)
    assert not node.observe(INPUT, said.append)
    active = bench.listen('/mux/active', String, qos.LATCHED)
    bench.send(INPUT, command(0.0, 1.5, 0.25))
    bench.until(lambda: [row for row in active if row.data != 'idle'],
                'the source by a subscription')
    bench.until(lambda: commands, 'the command')
    # Message objects and bytes alike, as they are serialised.
    assert [deserialize_message(data, String) for data in said] == [active[-1]]
    (sent, _), = map(read_command, commands)
    assert (sent.speed, sent.steering_angle) == (1.5, 0.25)
    assert output.get_subscription_count() == 0
    assert output.is_heard


def test_a_backlog_keeps_the_newest_and_complains_of_what_it_cannot_read(bench):
    observers: dict[str, Any] = {}
    found: list[Any] = []
    backlog = Backlog(
        bench.probe, lambda topic, observer: observers.setdefault(topic, observer) is observer)
    backlog.hear(AckermannDriveStamped, COMMANDS, read_command, found.append, most=2)
    for data in (serialize_message(command(1.0, 1.0)), b'no message',
                 serialize_message(command(2.0, 2.0))):
        observers[COMMANDS](bytes(data))
    assert not found
    backlog.read()
    assert [stamp_ns for _, stamp_ns in found] == [2_000_000_000]
    assert f'message on {COMMANDS} dropped: its 10 bytes' in bench.logs[-1][1]


def test_what_the_executor_has_not_taken_is_read_at_the_end(bench):
    found: list[Any] = []
    backlog = Backlog(bench.probe, nowhere)
    backlog.hear(AckermannDriveStamped, COMMANDS, read_command, found.append)
    for at in (1.0, 2.0):
        bench.send(COMMANDS, command(at, 1.0))
    bench.until(lambda: bench.publishers[COMMANDS, AckermannDriveStamped].wait_for_all_acked(),
                'both to arrive')
    backlog.finish()
    assert [stamp_ns for _, stamp_ns in found] == [1_000_000_000, 2_000_000_000]
