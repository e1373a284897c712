# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots that are found in a live graph, by all sets of topic names."""

from nav_msgs.msg import Odometry
import pytest
from std_msgs.msg import String

from racecar.base.share import topic_set_names
from racecar.clients.cockpit_bridge.stack_graph import find_stack
from racecar.clients.graph.view import GraphView
from racecar.ros import qos, topics
from racecar.ros.topics.sets import topic_set

pytestmark = pytest.mark.ros


@pytest.mark.parametrize('names', topic_set_names())
@pytest.mark.parametrize('namespace', ['', 'car1', 'ego_racecar'])
def test_a_robot_of_every_set_is_found_in_every_namespace(bench, names, namespace):
    def full(topic):
        return f'/{namespace}/{topic}' if namespace else f'/{topic}'

    bench.probe.create_publisher(
        Odometry, full(topic_set(names).renamed(topics.ODOMETRY)), qos.ODOMETRY_LOCKSTEP)
    bench.probe.create_publisher(String, full(topics.ROBOT_DESCRIPTION), qos.LATCHED)
    for topic, name in topic_set(names).topics.items():
        if topic != topics.ODOMETRY:
            bench.probe.create_publisher(String, full(name), qos.STATE)
    graph = GraphView(bench.probe)
    bench.until(lambda: find_stack(graph, None) == (namespace, names), 'the robot')
    bench.until(lambda: find_stack(graph, namespace, names) == (namespace, names))
    assert find_stack(graph, 'another') is None
