# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of other nodes, read through their services and followed over real DDS."""

from typing import Any

from node_bench import polled
import pytest
from rcl_interfaces.msg import ParameterDescriptor, ParameterEvent
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_parameter_events

from racecar.base.errors import ParameterError, RunError
from racecar.clients.graph.answer import start
from racecar.clients.graph.parameters import ParameterCache, ParameterServices, UNKNOWN
from racecar.clients.graph.service_calls import Patience, ServiceCalls

pytestmark = pytest.mark.ros

VALUES = {'gain': 1.5, 'count': 3, 'on': True, 'label': 'a', 'weights': [0.5, 2.0], 'words': ['b']}


class Client:
    """A cache, its services and what it has reported."""

    def __init__(self, bench, **options):
        self.bench = bench
        self.calls = ServiceCalls(bench.probe, Patience(3.0))
        self.services = ParameterServices(self.calls)
        self.changes: list[Any] = []
        self.cache = ParameterCache(
            bench.probe, self.services, lambda node, rows: self.changes.append(
                (node, [row.name for row in rows])), **options)

    def wait_for(self, steps):
        answer = start(steps)
        self.bench.until(polled(self.calls, answer.done), 'the answer')
        return answer.result(0.0)

    def known(self, node):
        known = self.cache.of(node)
        return {name: plain(known.python(name)) for name in known.values}


def plain(value):
    return value if isinstance(value, bool | int | float | str | None) else [*value]


@pytest.fixture
def other(bench):
    """A node with parameters of all common types."""
    node = bench.add(Node('other', namespace='/far'))
    for name, value in VALUES.items():
        node.declare_parameter(name, value, ParameterDescriptor(dynamic_typing=name == 'label'))
    return node


@pytest.fixture
def client(bench):
    return Client(bench)


def test_values_and_descriptions_are_those_of_the_node(client, other):
    client.cache.look(['/far/other'])
    assert client.cache.of('/far/other') is UNKNOWN
    client.wait_for(client.cache.read('/far/other'))
    known = client.known('/far/other')
    assert {name: known[name] for name in VALUES} == VALUES
    assert client.cache.of('/far/other').descriptors['gain'] == other.describe_parameter('gain')
    assert client.cache.of('/far/other').python('nothing') is None


def test_a_node_of_the_process_is_known_at_once_and_as_one_that_is_asked(bench, client, other):
    local = Client(bench, local_nodes={'/far/other': other})
    for one in (client, local):
        one.cache.look(['/far/other'])
    assert start(local.cache.read('/far/other')).done()
    client.wait_for(client.cache.read('/far/other'))
    assert local.cache.of('/far/other') == client.cache.of('/far/other')


def test_what_is_set_and_deleted_by_anybody_is_followed(bench, client, other):
    client.cache.look(['/far/other'])
    client.wait_for(client.cache.read('/far/other'))
    before = client.cache.nodes
    other.set_parameters([Parameter('gain', value=2.5)])
    bench.until(lambda: client.known('/far/other')['gain'] == 2.5, 'the change')
    assert client.changes == [('/far/other', ['gain'])]
    # Who reads meanwhile, in another thread, has one whole state.
    assert before['/far/other'].python('gain') == 1.5
    other.set_parameters([Parameter('label', Parameter.Type.NOT_SET)])
    bench.until(lambda: 'label' not in client.known('/far/other'), 'the deletion')
    assert len(client.changes) == 1


def test_changes_of_a_node_that_is_not_known_are_not_reported(bench, client, other):
    client.cache.look(['/far/other'])
    client.wait_for(client.cache.read('/far/other'))
    events = bench.probe.create_publisher(
        ParameterEvent, '/parameter_events', qos_profile_parameter_events)
    bench.until(lambda: events.get_subscription_count() >= 1, 'the subscription')
    for node in ('/nobody', '/far/other'):
        events.publish(ParameterEvent(
            node=node, changed_parameters=[Parameter('gain', value=7.5).to_parameter_msg()]))
    bench.until(lambda: client.changes, 'the change of the node that is known')
    assert client.changes == [('/far/other', ['gain'])]
    assert [*client.cache.nodes] == ['/far/other']


def test_a_node_that_goes_is_forgotten_also_while_it_is_asked(client, other):
    client.cache.look(['/far/other'])
    client.wait_for(client.cache.read('/far/other'))
    client.cache.look([])
    assert client.cache.of('/far/other') is UNKNOWN
    client.cache.look(['/far/other'])
    reading = client.cache.read('/far/other')
    answer = start(reading)
    client.cache.look([])
    client.bench.until(lambda: client.calls.poll() or answer.done(), 'the answer')
    assert client.cache.of('/far/other') is UNKNOWN


def test_a_node_sets_what_it_accepts_and_says_why_it_refuses(client, other):
    def value(given):
        return Parameter('gain', value=given).get_parameter_value()

    client.wait_for(client.services.set('/far/other', 'gain', value(4.0)))
    assert other.get_parameter('gain').value == 4.0
    with pytest.raises(ParameterError, match='Wrong parameter type'):
        client.wait_for(client.services.set('/far/other', 'gain', value('much')))
    assert other.get_parameter('gain').value == 4.0


def test_a_node_that_is_not_there_is_an_error_that_names_the_service(bench):
    calls = ServiceCalls(bench.probe, Patience(0.1))
    answer = start(ParameterServices(calls).names('/nobody'))
    bench.until(polled(calls, answer.done), 'the end')
    with pytest.raises(RunError, match='service /nobody/list_parameters is not offered'):
        answer.result(0.0)
