# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The server for the Foxglove app, over real DDS and a real WebSocket."""

import itertools
import random
import struct
import threading
import time
import types
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped
from hypothesis import given
from hypothesis import strategies as st
from node_bench import DEADLINE, kinematic_linearizer, odometry, RACECAR, stamp
import pytest
from rcl_interfaces.msg import (
    ListParametersResult,
    ParameterDescriptor,
    ParameterEvent,
    ParameterType,
)
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_parameter_events
from rclpy.serialization import serialize_message
from rclpy.task import Future
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from std_srvs.srv import Empty, SetBool

from racecar.base.errors import ConfigurationError, MessageError, RunError
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros import qos

pytest.importorskip('foxglove', reason='needs foxglove-sdk')
pytest.importorskip('websockets')

from foxglove_client import decoded, FoxgloveClient

from racecar.clients.foxglove.assets import read_asset
from racecar.clients.foxglove.node_thread import NodeThread
from racecar.clients.foxglove.server import FoxgloveServer
from racecar.clients.foxglove.service_relay import answer
from racecar.clients.graph.service_calls import Patience, ServiceCalls

pytestmark = pytest.mark.ros

ODOMETRY = '/vesc/odom'
SAID = '/what_was_said'
SWITCH = '/switch'
EPSILON = '/kinematic_linearizer.epsilon'


@pytest.fixture
def server(bench):
    node = FoxgloveServer(bench.executor, '127.0.0.1', 0)
    bench.nodes.append(node)
    return node


@pytest.fixture
def client(server):
    with FoxgloveClient(server.url) as found:
        yield found


def test_a_topic_is_advertised_heard_on_demand_and_decodes_by_its_own_schema(bench, client):
    publisher = bench.probe.create_publisher(type(odometry(0.0)), ODOMETRY, qos.STATE)
    channel = bench.until(lambda: client.channel(ODOMETRY), 'the channel')
    assert (channel['encoding'], channel['schemaEncoding'], channel['schemaName']) == (
        'cdr', 'ros2msg', 'nav_msgs/msg/Odometry')
    assert publisher.get_subscription_count() == 0
    client.subscribe(ODOMETRY, 5)
    bench.until(publisher.get_subscription_count, 'a subscription')
    for index in range(50):
        publisher.publish(odometry(0.01 * index, x=float(index), yaw=0.5, vx=2.5))
    bench.until(lambda: len(client.messages) == 50, 'all messages')
    assert {number for number, *_ in client.messages} == {5}
    messages = [decoded(channel, data) for *_, data in client.messages]
    assert [message.pose.pose.position.x for message in messages] == [*range(50)]
    assert messages[0].child_frame_id == 'base_link'
    assert messages[0].twist.twist.linear.x == 2.5
    client.send({'op': 'unsubscribe', 'subscriptionIds': [5]})
    bench.until(lambda: not publisher.get_subscription_count(), 'the end of the subscription')


def test_a_topic_that_is_gone_is_withdrawn(bench, client):
    publisher = bench.probe.create_publisher(String, SAID, qos.STATE)
    number = bench.until(lambda: client.channel(SAID), 'the channel')['id']
    bench.probe.destroy_publisher(publisher)
    bench.until(lambda: any(number in message['channelIds']
                            for message in client.heard('unadvertise')), 'the end of it')


def test_every_client_gets_what_is_latched(bench, server, client):
    publisher = bench.probe.create_publisher(String, SAID, qos.LATCHED)
    publisher.publish(String(data='before'))
    with FoxgloveClient(server.url) as other:
        for listener in (client, other):
            bench.until(lambda listener=listener: listener.channel(SAID), 'the channel')
            listener.subscribe(SAID, 1)
            bench.until(lambda listener=listener: listener.messages, 'the message')
        assert decoded(other.channel(SAID), other.messages[0][2]).data == 'before'


def test_messages_carry_the_simulated_time_and_clients_are_told_it(bench, client):
    clock = bench.probe.create_publisher(Clock, '/clock', qos.CLOCK)
    publisher = bench.probe.create_publisher(String, SAID, qos.STATE)
    bench.until(lambda: client.channel(SAID) and client.channel('/clock'), 'the channels')
    # It costs the simulation something, so nobody listens before there is something to show.
    assert clock.get_subscription_count() == 0
    client.subscribe(SAID, 1)

    def tick():
        clock.publish(Clock(clock=stamp(7.5)))
        return client.times

    bench.until(tick, 'the time')
    assert client.times[0] == 7_500_000_000
    publisher.publish(String(data='now'))
    bench.until(lambda: client.messages, 'the message')
    assert client.messages[0][1] == 7_500_000_000


def learn_parameters(bench, server, client, node_class=kinematic_linearizer, **parameters):
    """Return a node of which the server knows the parameters, and those as clients get them."""
    node = bench.start(node_class, use_sim_time=False, **(parameters or RACECAR))
    await_parameters(bench, server, node.get_fully_qualified_name())
    return node, ask(bench, client, 'getParameters', 'all', parameterNames=[])


def await_parameters(bench, server, node):
    bench.until(lambda: f'{node}/list_parameters' in dict(server.get_service_names_and_types()),
                'its services')
    server.look()


def ask(bench, client, operation, request, **more):
    """Return the parameters that answer a request."""
    client.send({'op': operation, 'id': request, **more})
    return bench.until(lambda: client.parameters(request), request)


def test_parameters_are_read_and_set_and_a_refused_value_comes_back_with_the_reason(
        bench, server, client):
    node, values = learn_parameters(bench, server, client)
    before = node.get_parameter('epsilon').value
    assert values[EPSILON] == before
    assert values['/kinematic_linearizer.vehicle.name'] == 'racecar'
    assert ask(bench, client, 'getParameters', 'one', parameterNames=[EPSILON]) == {
        EPSILON: before}

    def set_to(request, value):
        return ask(bench, client, 'setParameters', request,
                   parameters=[{'name': EPSILON, 'value': value}])

    assert set_to('good', 0.25) == {EPSILON: 0.25}
    assert node.get_parameter('epsilon').value == 0.25
    # Out of range for the node itself; then of another type; then a whole number, which is one.
    for request, value, reason in (('range', -3.0, "'epsilon'"), ('type', 'much', 'double')):
        assert set_to(request, value) == {EPSILON: 0.25}
        line = bench.logged(f'parameter {EPSILON} stays 0.25')
        assert reason in line
        bench.until(lambda line=line: any(row['message'] == line for row in client.heard('status')
                                          ), 'the status')
        bench.logs.clear()
    assert set_to('whole', 1) == {EPSILON: 1}
    assert node.get_parameter('epsilon').value == 1.0
    # What others change is known when a client asks again.
    bench.set_parameter(node, 'epsilon', 0.5)
    numbers = itertools.count()
    bench.until(lambda: ask(bench, client, 'getParameters', f'again {next(numbers)}',
                            parameterNames=[EPSILON]) == {EPSILON: 0.5}, 'the change')
    # What a client changes is told to the others.
    with FoxgloveClient(server.url) as other:
        other.send({'op': 'subscribeParameterUpdates', 'parameterNames': [EPSILON]})

        def hears():
            value = 1.0 + next(numbers)
            set_to(f'set {value}', value)
            return any(row['value'] == value for message in other.heard('parameterValues')
                       for row in message['parameters'])

        bench.until(hears, 'the change by another client')


def test_a_text_that_may_name_a_file_is_refused(bench, server, client):
    """Any web page can ask, and a message about a file would tell it what the file has."""
    tracker, values = learn_parameters(
        bench, server, client, TrajectoryTrackerNode, trajectory='circle')
    for name, value, reason in (
            ('waypoints_file', '/etc/passwd', 'none that a client may set'),
            ('trajectory', '/etc/passwd', "is '/etc/passwd', expected one of line"),
            ('use_sim_time', True, 'none that a client may set')):
        full = f'/trajectory_tracker.{name}'
        before = tracker.get_parameter(name).value
        found = ask(bench, client, 'setParameters', name, parameters=[
            {'name': full, 'value': value}])
        assert found == {full: values[full]} == {full: before}
        assert reason in bench.logged(f'parameter {full} stays')
        assert tracker.get_parameter(name).value == before
    assert ask(bench, client, 'setParameters', 'choice', parameters=[
        {'name': '/trajectory_tracker.trajectory', 'value': 'cycloid'}]) == {
            '/trajectory_tracker.trajectory': 'cycloid'}
    assert tracker.get_parameter('trajectory').value == 'cycloid'


def test_a_node_that_answers_without_a_result_is_complained_of(bench, server, client):
    def answer_with(kind, **fields):
        def on_request(_, response):
            for name, value in fields.items():
                setattr(response, name, value)
            return response

        return kind, on_request

    value = Parameter('gain', value=1.0).get_parameter_value()
    for name, (kind, on_request) in {
            'list_parameters': answer_with(
                ListParameters, result=ListParametersResult(names=['gain'])),
            'get_parameters': answer_with(GetParameters, values=[value]),
            'describe_parameters': answer_with(
                DescribeParameters, descriptors=[ParameterDescriptor(
                    name='gain', type=ParameterType.PARAMETER_DOUBLE)]),
            'set_parameters': answer_with(SetParameters)}.items():
        bench.probe.create_service(kind, f'/odd/{name}', on_request)
    await_parameters(bench, server, '/odd')
    assert ask(bench, client, 'setParameters', 'set', parameters=[
        {'name': '/odd.gain', 'value': 2.0}]) == {'/odd.gain': 1}
    assert 'answered with 0 results' in bench.logged('parameter /odd.gain stays 1.0')


@pytest.mark.parametrize('end', [lambda future: future.set_exception(ValueError('no bytes')),
                                 lambda future: future.cancel()])
def test_a_call_that_fails_is_an_error_of_who_called(end):
    class Executor:
        def create_task(self, function):
            function()

    class Client:
        def service_is_ready(self):
            return True

        def call_async(self, request):
            future = Future()
            end(future)
            return future

    class Owner:
        def create_client(self, *_):
            return Client()

        def destroy_client(self, client):
            pass

    owner: Any = Owner()
    executor: Any = Executor()
    calls = ServiceCalls(owner, Patience(1.0))
    with pytest.raises(RunError, match='service /nothing failed'):
        NodeThread(executor).wait_for(
            lambda: calls.call(Empty, '/nothing', Empty.Request()), calls.poll)


def test_the_sdk_does_not_log(bench, server, client, caplog):
    """It would wait for the GIL with locks held for which others wait with the GIL."""
    client.send({'op': 'subscribe', 'subscriptions': [{'id': 1, 'channelId': 10**6}]})
    status = bench.until(lambda: client.heard('status'), 'the complaint')[0]
    assert 'Unknown channel' in status['message']
    assert not [record for record in caplog.records if record.name.startswith('foxglove')]


def test_parameters_change_while_clients_subscribe_to_them(bench, server, client):
    """The SDK calls the listener under a lock, for which Python must not wait with the GIL."""
    learn_parameters(bench, server, client)
    events = bench.probe.create_publisher(
        ParameterEvent, '/parameter_events', qos_profile_parameter_events)
    event = ParameterEvent(
        node='/kinematic_linearizer',
        changed_parameters=[Parameter('epsilon', value=0.25).to_parameter_msg()])
    ended = threading.Event()

    def subscribe():
        while not ended.is_set():
            for operation in ('subscribeParameterUpdates', 'unsubscribeParameterUpdates'):
                client.send({'op': operation, 'parameterNames': [EPSILON]})

    thread = threading.Thread(target=subscribe)
    thread.start()
    try:
        for _ in range(2000):
            events.publish(event)
            bench.executor.spin_once(0.0)
    finally:
        ended.set()
        thread.join()


def test_a_service_is_called_and_one_that_is_not_answered_says_so(bench, client):
    asked = []

    def on_request(request, response):
        asked.append(request.data)
        response.success, response.message = True, 'done'
        return response

    bench.probe.create_service(SetBool, SWITCH, on_request)
    bench.probe.create_service(Empty, '/nothing', lambda _, response: response)
    service = bench.until(lambda: client.service(SWITCH), 'the service')
    assert service['type'] == 'std_srvs/srv/SetBool'
    assert service['request']['schema'].split() == ['bool', 'data']
    client.call(service, 1, b'\0\1\0\0\1')
    bench.until(lambda: 1 in client.answers, 'the answer')
    response = decoded(
        {'schema': service['response']['schema'], 'schemaName': 'std_srvs/msg/Answer'},
        client.answers[1])
    assert (response.success, response.message) == (True, 'done')
    assert asked == [True]
    # With and without the byte that fills an empty request.
    empty = bench.until(lambda: client.service('/nothing'), 'the empty service')
    for call, payload in ((2, b'\0\1\0\0'), (3, b'\0\1\0\0\0')):
        client.call(empty, call, payload)
        bench.until(lambda call=call: call in client.answers, 'the empty answer')
    client.call(service, 4, b'\0\1')
    failure = bench.until(lambda: client.heard('serviceCallFailure'), 'the failure')[0]
    assert failure['callId'] == 4
    assert 'no whole std_srvs/SetBool_Request' in failure['message']
    assert asked == [True]


def test_what_a_client_publishes_arrives_and_what_is_no_message_does_not(bench, client):
    found = bench.listen('/initialpose', PoseWithCovarianceStamped)
    client.send({'op': 'advertise', 'channels': [{
        'id': 3, 'topic': '/initialpose', 'encoding': 'cdr',
        'schemaName': 'geometry_msgs/PoseWithCovarianceStamped'}]})
    message = PoseWithCovarianceStamped()
    message.header.stamp = Time(sec=4)
    message.pose.pose.position.y = -2.0

    def publish(data):
        client.send(b'\x01' + struct.pack('<I', 3) + data)

    def arrives():
        publish(serialize_message(message))
        return found

    bench.until(arrives, 'the pose')
    assert found[0] == message
    publish(b'\0\1\0\0abc')
    assert 'no whole geometry_msgs/PoseWithCovarianceStamped' in bench.logged('dropped')
    client.send({'op': 'advertise', 'channels': [
        {'id': 4, 'topic': '/x', 'encoding': 'json', 'schemaName': 'std_msgs/String'},
        {'id': 5, 'topic': '/x', 'encoding': 'cdr', 'schemaName': 'no_msgs/msg/None'},
        {'id': 6, 'topic': 'no topic', 'encoding': 'cdr', 'schemaName': 'std_msgs/String'}]})
    bench.logged("encoded as 'json', expected cdr")
    bench.logged("'no_msgs/msg/None'")
    bench.logged("'no topic' cannot be published to")


def test_what_a_client_publishes_faster_than_can_be_done_is_lost_and_said(bench, client):
    client.send({'op': 'advertise', 'channels': [
        {'id': 3, 'topic': SAID, 'encoding': 'cdr', 'schemaName': 'std_msgs/String'}]})
    found = bench.listen(SAID, String)
    bench.until(lambda: bench.probe.count_publishers(SAID), 'the publisher')
    data = b'\x01' + struct.pack('<I', 3) + serialize_message(String(data='x'))
    for _ in range(1000):
        client.send(data)
    deadline = time.monotonic() + DEADLINE
    # Nothing is spun, so that none is published.
    while not bench.has_logged('messages of a client are lost'):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    bench.until(lambda: found, 'a message that was not lost')


def test_meshes_are_given_away_and_nothing_else(client, bench):
    mesh = 'package://racecar/urdf/meshes/body.stl'
    client.send({'op': 'fetchAsset', 'requestId': 1, 'uri': mesh})
    bench.until(lambda: 'asset 1' in client.answers, 'the mesh')
    assert client.answers['asset 1'] == (0, read_asset(mesh))
    for uri in ('package://racecar/package.xml', 'file:///etc/passwd', '/etc/passwd', '',
                'package://racecar/../../x.stl', 'package://racecar//etc/x.stl', 'package:///a.stl',
                'package://no_such/x.stl', 'package://racecar/urdf/meshes/no.stl',
                'package://racecar/\0.stl', 'package://racecar/' + 'a' * 5000 + '.stl'):
        assert read_asset(uri) is None


@given(st.binary(max_size=64) | st.binary(max_size=40).map(lambda body: b'\0\1\0\0' + body))
def test_bytes_as_a_request_give_an_answer_or_a_message_error(payload):
    request: Any = types.SimpleNamespace(encoding='cdr', payload=payload)
    try:
        data = answer(lambda message: SetBool.Response(success=message.data), SetBool, request)
    except MessageError:
        return
    assert data[:4] == b'\0\1\0\0'


def test_a_client_that_talks_nonsense_is_told_so_and_the_others_are_served_on(bench, server):
    publisher = bench.probe.create_publisher(String, SAID, qos.LATCHED)
    publisher.publish(String(data='still here'))
    bench.probe.create_service(Empty, '/nothing', lambda _, response: response)
    numbers = random.Random(3)
    with FoxgloveClient(server.url) as wild, FoxgloveClient(server.url) as client:
        bench.until(lambda: wild.channel(SAID) and wild.service('/nothing'), 'the channel')
        for index in range(150):
            body = numbers.randbytes(numbers.randrange(30))
            wild.send(numbers.choice((
                body, bytes((numbers.randrange(4),)) + body, body.hex(), '{"op": "subscribe"}',
                {'op': 'subscribe', 'subscriptions': [{'id': index, 'channelId': 10**6}]},
                {'op': 'advertise', 'channels': [{
                    'id': index, 'topic': body.hex(), 'encoding': 'cdr',
                    'schemaName': numbers.choice(('std_msgs/String', '', '/', body.hex()))}]},
                {'op': 'setParameters', 'parameters': [
                    {'name': body.hex(), 'value': [1, 'a', {}]}, {'name': '.', 'value': {}}]},
                {'op': 'fetchAsset', 'uri': body.hex(), 'requestId': index})))
        bench.until(lambda: wild.heard('status'), 'a complaint')
        bench.until(lambda: client.channel(SAID), 'the channel')
        client.subscribe(SAID, 1)
        bench.until(lambda: client.messages, 'the message')
        assert decoded(client.channel(SAID), client.messages[0][2]).data == 'still here'


def test_a_port_that_is_taken_is_named_in_one_line(bench, server):
    port = int(server.url.rpartition(':')[2])
    kept = []

    class Kept(FoxgloveServer):
        """Stays known, as to the context of rclpy from Kilted on."""

        def __init__(self, *arguments):
            kept.append(self)
            super().__init__(*arguments)

    with pytest.raises(ConfigurationError, match=f'127.0.0.1, port {port}: .*name another port'):
        Kept(bench.executor, '127.0.0.1', port)
    kept[0].destroy_node()
